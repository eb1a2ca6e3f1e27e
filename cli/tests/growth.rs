//! Tests that the output grows like the input, also if half of the input is one long text that each hit repeats.

use urlspool::fields::{FIELDS, Field};

use crate::support::store;
use crate::world::World;

/// Sizes of the long text, and of the URLs after it.
const HALF: usize = 20_000;

/// At most this number of bytes of output for a byte of input. A row of JSON for a short URL takes 40 times its bytes. If
/// a reference of 12 bytes has a base of 900 bytes, the fields of the URL take 260 times the bytes, and
/// its context takes 67 times the bytes.
const GROWTH: usize = 340;

/// Returns inputs with a long text, each with the fields that could repeat this text.
fn inputs() -> Vec<(&'static [&'static str], Vec<u8>)> {
    let (long, urls) = ("a".repeat(HALF), "http://a.example/1\n".repeat(HALF / 19));
    let attached = |fields: &str| {
        format!("Content-Type: multipart/mixed; boundary=b\n\n--b\n{fields}\n\n{urls}\n--b--\n").into_bytes()
    };
    let html = |text: &str, link: &str| {
        format!("Content-Type: text/html\n\n{text}{}", link.repeat(HALF / link.len())).into_bytes()
    };
    let message = |name: &str| format!("X: y\n{name}{long}\n\n{urls}").into_bytes();
    vec![
        (&["subject"], message("Subject: ")),
        (&["subject"], [b"Subject: ", &b"\x01\xFF".repeat(HALF / 2)[..], b"\n\n", urls.as_bytes()].concat()),
        (&["subject"], format!("Subject: {}\n{urls}", " =?utf-8?q?=01=01=01=01?=\n".repeat(HALF / 26)).into_bytes()),
        (&["from"], message("From: ")),
        (&["message_id", "message_id_bytes"], message("Message-ID: <")),
        (&["newsgroups"], message("Newsgroups: ")),
        (&["newsgroups_bytes"], [b"Newsgroups: ", &[0xFF; HALF][..], b"\n\n", urls.as_bytes()].concat()),
        (&["list_id", "list_id_bytes"], message("List-Id: ")),
        (&["date", "year", "month"], message("Date: ")),
        (&["header"], format!("{long}: {}\n\n", urls.replace('\n', " ")).into_bytes()),
        (&["attachment"], attached(&format!("Content-Disposition: attachment; filename={long}"))),
        (&["attachment"], attached(&format!("Content-Disposition: attachment\nContent-Type: text/{long}"))),
        (&["member", "member_bytes"], store::tar(&[(long.clone(), urls.clone().into_bytes())])),
        (&["member"], store::zip(&[(long.clone(), urls.clone().into_bytes())], false)),
        (
            &["url", "target", "targets"],
            html(&format!("<base href='http://a.example/{}/'>", "b".repeat(900)), "<a href=x>y"),
        ),
        (&["url"], html(&format!("<base href='http://a.example/{long}/'>"), "<a href=x>y")),
        (
            &["url", "host", "host_ascii", "domain", "normalized", "context"],
            "http://a.example/".repeat(HALF / 17).into_bytes(),
        ),
        (
            &["fragment", "wayback", "url_bytes"],
            format!("http://a.example/#{long} http://b/{long}\n{urls}").into_bytes(),
        ),
        (&["context"], html("<iframe srcdoc=\"", "&lt;a href=http://a.example/>")),
        (&["reason"], "<URL:http://a:99999/ ".repeat(HALF / 21).into_bytes()),
        (&["alternatives", "doubt"], "http://a.example/-\nb-\n".repeat(HALF / 22).into_bytes()),
        (&["trimmed"], format!("http://a.example/{}\n{urls}", ".".repeat(HALF)).into_bytes()),
        (&["warnings"], "http://a:b@c.example:0/%00%zz ".repeat(HALF / 30).into_bytes()),
        (&["element", "attribute", "html_place"], html(&format!("<{long} src=http://b/>"), "<p href=http://a/>")),
        (&["link_text"], html("", "<a href=http://a/></b>")),
        (&["link_text"], html("", "<area href=http://a/>text")),
        (&["part"], attached(&format!("Content-Type: multipart/mixed; boundary={long}"))),
    ]
}

#[test]
fn output_is_linear_in_the_input() {
    let inputs = inputs();
    // A path has at most some 4,096 bytes. All others of these fields are numbers, flags or names of urlspool.
    let short = "file file_bytes form tier scheme reason_offset message message_offset message_length offset length exact \
        line zone messages_with_url quote_depth rejoined confidence recovered defanged repeat";
    for field in FIELDS {
        let is_tested = inputs.iter().any(|(fields, _)| fields.contains(&field.name()));
        assert!(is_tested || short.split_whitespace().any(|name| name == field.name()), "{}", field.name());
    }
    let all = FIELDS.iter().map(Field::name).collect::<Vec<_>>().join(",");
    let formats =
        ["-Hn", "--csv", "--json --rejects", "--json --sort", "--fields context:9 -v", &format!("--fields {all}")];
    for (fields, bytes) in inputs {
        let world = World::new("growth").file("in", &bytes);
        for format in formats {
            let run = world.run(&format!("{format} in"));
            let growth = (run.stdout.len() + run.stderr.len()) / bytes.len();
            assert!(run.status.is_some_and(|status| status < 3) && growth < GROWTH, "{fields:?} {format}: {growth}");
        }
    }
}

/// The beginning of a long field is printed, `-v` reports it, and `show` prints all of it.
#[test]
fn a_long_field_is_cut_and_reported() {
    let long = "é".repeat(501);
    let mail = format!("Subject: {long}\nFrom: {long}\n\nhttp://a.example/\n");
    let tar = store::tar(&[("b".repeat(1001), mail.clone().into_bytes())]);
    let world = World::new("cut").file("mail", &mail).file("a.tar", tar);
    let about = "is too long; the output has only its beginning\n";
    let run = world.run("--fields subject -v mail");
    assert_eq!(String::from_utf8_lossy(&run.stdout), format!("{}\n", "é".repeat(500)));
    assert!(String::from_utf8_lossy(&run.stderr).contains(&format!("mail: offset 0: the field subject {about}")));
    let both = world.run("--fields subject,from -v mail").stderr;
    for field in ["subject", "from"] {
        assert!(String::from_utf8_lossy(&both).contains(&format!("the field {field} {about}")), "{field}");
    }
    assert!(!String::from_utf8_lossy(&world.run("-v mail").stderr).contains(about));
    assert_eq!(world.run("show mail:1").stdout, mail.as_bytes());
    let run = world.run("--fields member a.tar");
    assert_eq!(String::from_utf8_lossy(&run.stdout), format!("{}\n", "b".repeat(1000)));
    assert!(String::from_utf8_lossy(&run.stderr).contains(&format!("the name of the member at this offset {about}")));
    for length in [1000, 1001] {
        world.run(&format!("show a.tar!{}:1", "b".repeat(length))).prints(0, &mail);
    }
}
