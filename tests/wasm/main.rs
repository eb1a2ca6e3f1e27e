//! Runs the library as WebAssembly. The program reads messages of the corpus, and compares the URLs with the `.hits`
//! files.
//!
//! ```sh
//! cargo build --example wasm --target wasm32-unknown-unknown
//! node tests/wasm/run.mjs target/wasm32-unknown-unknown/debug/examples/wasm.wasm
//! ```
//!
//! The WebAssembly program cannot read files or print. So the messages are compiled into the program. If a result is
//! wrong, the program panics, and node exits with an error.

use urlspool::{Extractor, Scanner, Url};

macro_rules! corpus {
    ($($name:literal)*) => {
        [$((
            $name,
            include_bytes!(concat!("../../corpus/mail/", $name, ".eml")).as_slice(),
            include_str!(concat!("../../corpus/mail/", $name, ".hits")),
        )),*]
    };
}

fn main() {
    let text = b"See <URL:http://ds.internic.\nnet/instructions/overview.html#WARNING>.";
    let found: Vec<String> = Scanner::new().find_iter(text).map(|c| c.parse().expect("a URL").to_string()).collect();
    assert_eq!(found, ["http://ds.internic.net/instructions/overview.html#WARNING"]);
    assert!(Url::parse(b"http://host:99999/").is_err());

    let messages = corpus!(
        "alternative" "base64_cut" "big5" "bounce_headers" "calendar" "clear_signed" "digest" "encoded_subject"
        "flowed_delsp" "gb2312" "html_places" "html_quoted_printable" "html_references" "hyphen_break" "iso2022jp"
        "koi8r" "nested_message" "quoted_printable" "quoted_reply" "rejoined_bare" "utf16" "utf7" "warnings"
    );
    let mut hits = 0;
    for (name, message, wanted) in messages {
        let wanted: Vec<_> = wanted.lines().filter(|line| line.starts_with("hit\t")).map(last).collect();
        let found: Vec<_> = Extractor::new().message(message).iter().map(|hit| hit.url().to_string()).collect();
        assert_eq!(found, wanted, "{name}");
        hits += found.len();
    }
    assert!(hits > 100, "{hits} hits");
}

fn last(line: &str) -> &str {
    line.rsplit('\t').next().expect("a line has a last column")
}
