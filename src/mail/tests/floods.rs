//! Tests that the time is linear for messages that are designed to be slow. Each test compares eight short messages
//! with one long message of the same total size. If the time is linear, the long message takes the same time as all
//! short messages together. If the time is quadratic, the long message takes eight times as long.
//!
//! Both runs read the same number of bytes, so that other load on the machine slows them equally.

use std::time::Duration;

use super::*;

/// Checks that the time is linear for messages that consist of `head` and many copies of `unit`. Compares eight
/// messages of 32 KiB with one message of 256 KiB.
#[track_caller]
fn linear(head: &str, unit: &str) {
    linear_in(head, &|size| unit.bytes().cycle().take(size).collect());
}

/// Does the same as [`linear`] for a body that `flood` generates. `flood` takes the size of the body in bytes.
#[track_caller]
fn linear_in(head: &str, flood: &dyn Fn(usize) -> Vec<u8>) {
    let time = |size: usize, times: usize| {
        let mut message = head.as_bytes().to_vec();
        message.append(&mut flood(size));
        let mut visit = |region: &Region<'_>| {
            if region.kind == Kind::Html {
                return crate::mail::html::walk(region.text, b"", None, &mut Default::default(), &mut |_| {
                    ControlFlow::Continue(())
                });
            }
            // Look up one offset in every 64 bytes of text, as if there were a URL every 64 bytes.
            for at in (0..region.text.len()).step_by(64) {
                let _ = region.map.raw(at..at + 1);
            }
            ControlFlow::Continue(())
        };
        cpu::time(|| {
            for _ in 0..times {
                let flow = regions(
                    "",
                    &message,
                    &mut Scratch::default(),
                    Prefilter::new(None, &|_| Some(0)),
                    &mut (&mut visit, |_| {}),
                );
                assert!(flow.is_continue());
            }
        })
    };
    let (mut many, mut one) = (Duration::MAX, Duration::MAX);
    for _ in 0..8 {
        (many, one) = (many.min(time(32 << 10, 8)), one.min(time(256 << 10, 1)));
        if one < many * 3 + Duration::from_millis(1) {
            return;
        }
    }
    let unit = flood(64).escape_ascii().to_string();
    panic!("{head:?} + {unit:?}: eight messages take {many:?}, but one message of the same size takes {one:?}");
}

#[test]
fn headers_take_linear_time() {
    linear("", "X-A: b\n");
    linear("Subject: ", " =?x");
    linear("Subject: ", " =?utf-8?q?a?=");
    linear("Subject: ", " =?utf-8?q?a?=\n");
    linear("Content-Type: text/plain", "; a*0*=x");
    linear("Content-Type: multipart/mixed; boundary=x", "\n ;");
    linear("Content-Type: text/plain; x=", "(");
    linear("Content-Type: text/plain; x=", "()");
    linear("Content-Type: text/plain; ", "charset ");
    linear("", " \n");
    linear("To: x\n", " \n");
    linear("", "\n");
    linear("", "\r\n");
    linear("", ">From x\n");
    linear("", "no field\n");
    linear("", "no field\nTo: x\n");
}

#[test]
fn parts_take_linear_time() {
    linear("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", "--");
    linear("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", "--c\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", "--b--\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n", "--b\nContent-Type: multipart/mixed; boundary=b\n\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n--b\n", " Content-A: b\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n Content-A: b\n b\n");
    linear("", "Content-Type: message/rfc822\n\n");
    linear("Content-Type: multipart/digest; boundary=b\n\n", "--b\n\nTo: x\n\n");
    let notice = "This is a multi-part message in MIME format";
    linear("Content-Type: multipart/digest; boundary=b\n\n", &format!("--b\n\nTo: x\n\n{notice}\n"));
    linear(
        "Content-Type: multipart/digest; boundary=b\n\n",
        "--b\n\nContent-Type: text/plain; boundary=c\n\n--d\nContent-Type: a/b\n",
    );
    linear("", "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n");
    let mut nest = String::new();
    for level in 0..40 {
        nest += &format!("Content-Type: multipart/mixed; boundary=same-start-{level}\n\n--same-start-{level}\n");
    }
    linear(&nest, "\n--same-start-x");
    linear(&nest, "--\n");
}

#[test]
fn encodings_take_linear_time() {
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "=");
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "= ");
    linear("Content-Transfer-Encoding: quoted-printable\n\n=", " ");
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "=\n");
    // Found by review: each KiB of a long line was read to the end of the line.
    linear("", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/");
    linear("Content-Type: application/json\n\n", "\"ABCDEFG\",");
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "x");
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "see http://www.example.org/\n");
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "=\n=\n=\n=\n=\n=\n=\n=\nx");
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "=3D=20");
    linear("Content-Transfer-Encoding: base64\n\n", "=");
    linear("Content-Transfer-Encoding: base64\n\n", "A\n");
    linear("Content-Transfer-Encoding: base64\n\n", "\n");
    linear("Content-Transfer-Encoding: base64\n\n", "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\n!\n");
    linear("Content-Transfer-Encoding: base64\n\n", "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUI=\n");
    linear("Content-Transfer-Encoding: base64\n\n", "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\x0C\n");
    linear("Content-Type: text/plain; charset=utf-7\n\n", "+AGg-ttp://a ");
    linear("Content-Type: text/plain; charset=utf-7\n\n", "+AGg-");
    linear("Content-Type: text/plain; charset=utf-7\n\n", "+-");
    linear("Content-Type: text/plain; charset=utf-7\n\n+", "A");
    linear("To: x\n\n", "=\n");
    linear("To: x\n\n", "-----BEGIN PGP SIGNED MESSAGE-----\n");
    linear("To: x\n\n", "-----BEGIN PGP SIGNED MESSAGE-----\n- -\n-----BEGIN PGP SIGNATURE-----\n");
    linear("To: x\n\n-----BEGIN PGP MESSAGE-----\n", "-----BEGIN PGP MESSAGE-----\n");
    linear("To: x\n\n-----BEGIN PGP MESSAGE-----\n", "-----END PGP MESSAGE-----\n");
    linear("To: x\n\n", "-----BEGIN PGP MESSAGE-----\nx\n-----END PGP MESSAGE-----\n");
    linear("To: x\n\n", "=3D=\n");
    let row = "aHR0cDovL2EuZXhhbXBsZS8gaHR0cDovL2EuZXhhbXBsZS8gaHR0cDovL2EuZXhhbXBsZS8g\n";
    linear("To: x\n\n", row);
    linear("To: x\n\n", &format!("{}text\n", row.repeat(2)));
    linear("Content-Type: application/json\n\n{", &format!("\"raw\":\"{}\",", row.trim_end()));
    linear("Content-Type: text/plain; format=flowed; delsp=yes\n\n", " \n");
    linear("Content-Type: text/plain; format=flowed; delsp=yes\n\n", ">");
}

#[test]
fn html_takes_linear_time() {
    let units = [
        "<a href=",
        "<a href=\"",
        "<a href='",
        "<",
        "<!--",
        "<!--<!--",
        "<!",
        "--",
        "&amp",
        "&x;",
        "&ab;",
        "&",
        "&#",
        "&#x",
        "</",
        "</a",
        "<a ",
        "<script>",
        "<style>",
        "<style></style>",
        "<a style=\"url(\">",
        "<style>url(",
        "<p>",
        "a<br>",
        "<title>",
        "<title><n x=\"",
        "<svg>",
        "<svg><style>",
        "<svg><style/>",
        "<svg><![CDATA[",
        "<svg><b><p>",
        "<svg><desc><b x><i>",
        "<svg><a><table>",
        "<math><mi></p>",
        "<template>",
        "<frameset>",
        "<plaintext>",
        "<textarea></textarea><",
        "<script><!--<script>",
        "<base href=http://a/><a href=b>",
        "<a href=b><base href=http://a/>",
        "<iframe srcdoc='",
        "<iframe srcdoc='a'>",
        "<a href='data:text/html,<a href=data:text/html,",
        "<style>\\(",
        "<style>a\\61 ",
        "<style>@import ",
        "<style>/*",
        "<style>'",
        "<?",
        "x<b>",
        "<meta content=\"",
        "<img srcset=\"a,",
        "<a b=\"'><a b='\">",
    ];
    for unit in units {
        linear("Content-Type: text/html\n\n", unit);
    }
}

#[test]
fn distinct_urls_in_one_attribute() {
    for (open, before, after, close) in [
        ("<img srcset=\"", "//x/", " 2x,", "\">"),
        ("<img srcset=\"&amp;", "//x/", " 2x,", "\">"),
        ("<p style=\"", "url(//x/", ")", "\">"),
        ("<p style=\"&amp;", "url(//x/?&amp;", ")", "\">"),
        ("<style>", "url(//x/", ")", "</style>"),
    ] {
        linear_in("Content-Type: text/html\n\n", &|size| {
            let mut html = open.to_string();
            for number in 0usize.. {
                if html.len() >= size {
                    break;
                }
                html += &format!("{before}{number}{after}");
            }
            (html + close).into_bytes()
        });
    }
}
