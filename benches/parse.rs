//! Measures the time to parse a URL. The benchmarks assert their results, so they are also tests: run `cargo bench
//! --bench parse -- --test`.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use urlspool::{Tier, Url};

fn main() {
    divan::main();
}

/// Typical URLs in the mail of mailing lists.
const HTTP: &[&str] = &[
    "http://www.example.org/",
    "http://www.example.com/archives/2003-04/msg00121.html",
    "http://lists.example.net/mailman/listinfo/project-devel",
    "https://bugs.example.org/show_bug.cgi?id=48213",
    "http://cgi.example.edu/htbin/search?query=uniform+resource&max=50",
    "https://www.example.com/news/article.php?sid=1029&mode=thread&order=0",
    "http://mirror.example.ac.uk:8080/sites/ftp.example.org/pub/README",
    "http://sourceforge.example/tracker/index.php?func=detail&aid=1234&group_id=56",
    "https://git.example.org/project.git/commit/?id=4f2a9d1c0b7e6f5a4d3c2b1a09f8e7d6c5b4a392",
    "http://dl.example.de/files/release-2.0.14/manual/html_node/Invocation.html",
    "http://groups.example.com/group/comp.lang.misc/browse_thread/thread/a1b2c3d4",
    "http://news.example.co.jp/2001/11/09/0938217.shtml",
];

/// URLs with unusual characters, hosts or fragments, and URLs of schemes other than `http`.
const MIXED: &[&str] = &[
    "http://www.example.edu/~someone/papers/url.ps.gz",
    "http://search.example.com/?q=%22uniform%20resource%20locator%22&hl=en#results",
    "http://en.wiki.example.org/wiki/Foo_(disambiguation)#History",
    "http://build_host.example.net/job/42/console",
    "ftp://ftp.example.org/pub/unix/mail/README;type=a",
    "ftp://anonymous@ftp.example.net/incoming/",
    "mailto:majordomo@lists.example.org?subject=subscribe",
    "news:comp.infosystems.www.misc",
    "news:1994Dec12.101530.7@news.example.ac.uk",
    "gopher://gopher.example.edu/11/Reference/RFCs",
    "wais://wais.example.com/directory-of-servers?url",
    "telnet://library@opac.example.edu:2023/",
    "file:///usr/share/doc/readme.html",
    "mid:199412121015.AA01234@mail.example.org",
    "http://[2001:db8::7]/index.html",
    "http://bücher.example/katalog?titel=été",
];

/// Texts that are similar to URLs but invalid.
const REFUSED: &[&str] = &[
    "http://",
    "http:///index.html",
    "http://localhost:port/",
    "http://example.org:99999/",
    "http://exa mple.org/",
    "http:/example.org/",
    "www.example.org/index.html",
    "mailto:",
];

fn tally(urls: &[&str]) -> [usize; 5] {
    let mut tally = [0; 5];
    for url in urls {
        let class = match Url::parse(black_box(url.as_bytes())).map(|url| url.tier()) {
            Ok(Tier::Rfc1738) => 0,
            Ok(Tier::Relaxed) => 1,
            Ok(Tier::Rfc3986) => 2,
            Ok(_) => 3,
            Err(_) => 4,
        };
        tally[class] += 1;
    }
    tally
}

fn bench(bencher: Bencher<'_, '_>, urls: &[&str], expected: [usize; 5]) {
    assert_eq!(tally(urls), expected);
    let bytes: usize = urls.iter().map(|url| url.len()).sum();
    bencher
        .counter(BytesCount::new(bytes))
        .counter(ItemsCount::new(urls.len()))
        .bench(|| assert_eq!(tally(black_box(urls)), expected));
}

#[divan::bench]
fn http(bencher: Bencher<'_, '_>) {
    bench(bencher, HTTP, [12, 0, 0, 0, 0]);
}

#[divan::bench]
fn mixed(bencher: Bencher<'_, '_>) {
    bench(bencher, MIXED, [12, 2, 1, 1, 0]);
}

#[divan::bench]
fn refused(bencher: Bencher<'_, '_>) {
    bench(bencher, REFUSED, [0, 0, 0, 0, 8]);
}

#[divan::bench]
fn one_http() -> bool {
    let url = Url::parse(black_box(b"http://www.example.com/archives/2003-04/msg00121.html"));
    url.is_ok_and(|url| url.tier() == Tier::Rfc1738)
}

#[divan::bench]
fn components(bencher: Bencher<'_, '_>) {
    let urls: Vec<_> = HTTP.iter().map(|url| Url::parse(url.as_bytes()).unwrap()).collect();
    let count = || urls.iter().map(|url| black_box(url).components().count()).sum::<usize>();
    assert_eq!(count(), 30);
    bencher.counter(ItemsCount::new(urls.len())).bench(count);
}

#[divan::bench]
fn same(bencher: Bencher<'_, '_>) {
    let left = Url::parse(b"http://info.example.ch/albert/bertram/marie-claude").unwrap();
    let right = Url::parse(b"HTTP://Info.Example.CH:80/albert/bertram/marie%2Dclaude").unwrap();
    assert!(left.is_equivalent(&right));
    bencher.bench(|| black_box(&left).is_equivalent(black_box(&right)));
}
