//! Messages built to be slow. What is asserted is how much longer eight times as much takes, with room for a
//! busy machine.

use std::time::{Duration, Instant};

use super::*;

/// Walks `unit` repeated to 32 KiB and to 256 KiB after `head`.
#[track_caller]
fn linear(head: &str, unit: &str) {
    let time = |size: usize| {
        let mut message = head.as_bytes().to_vec();
        message.extend(unit.bytes().cycle().take(size));
        let start = Instant::now();
        let mut visit = |region: &Region<'_>| {
            #[cfg(feature = "html")]
            if region.kind == Kind::Html {
                return crate::mail::html::walk(region.text, &|_| true, &mut |_| ControlFlow::Continue(()));
            }
            let _ = region.map.raw(region.text.len() / 2..region.text.len() / 2 + 1);
            ControlFlow::Continue(())
        };
        let flow = regions(&message, &Limits::default(), &mut Scratch::new(), &|_| true, &mut visit, &mut |_| {});
        assert!(flow.is_continue());
        start.elapsed()
    };
    // Eight times the octets may take 24 times the time (a quadratic walk takes 64 times), and a machine that
    // is busy elsewhere is asked again.
    let (mut small, mut large) = (time(32 << 10), time(256 << 10));
    for _ in 0..12 {
        if large < small * 24 + Duration::from_millis(1) {
            return;
        }
        (small, large) = (small.min(time(32 << 10)), large.min(time(256 << 10)));
    }
    panic!("{head:?} + {unit:?}: {small:?}, then {large:?}");
}

#[test]
fn headers() {
    linear("", "X-A: b\n");
    linear("Subject: ", " =?x");
    linear("Subject: ", " =?utf-8?q?a?=");
    linear("Subject: ", " =?utf-8?q?a?=\n");
    linear("Content-Type: text/plain", "; a*0*=x");
    linear("Content-Type: multipart/mixed; boundary=x", "\n ;");
    linear("", " \n");
    linear("To: x\n", " \n");
    linear("", "\n");
    linear("", "\r\n");
    linear("", ">From x\n");
    linear("", "no field\n");
    linear("", "no field\nTo: x\n");
}

#[test]
fn parts() {
    linear("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", "--");
    linear("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", "--c\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n", "--b--\n");
    linear("Content-Type: multipart/mixed; boundary=b\n\n", "--b\nContent-Type: multipart/mixed; boundary=b\n\n");
    linear("", "Content-Type: message/rfc822\n\n");
    linear("Content-Type: multipart/digest; boundary=b\n\n", "--b\n\nTo: x\n\n");
    linear("", "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n");
    let mut nest = String::new();
    for level in 0..40 {
        nest += &format!("Content-Type: multipart/mixed; boundary=same-start-{level}\n\n--same-start-{level}\n");
    }
    linear(&nest, "\n--same-start-x");
    linear(&nest, "--\n");
}

#[test]
fn encodings() {
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "=");
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "= ");
    linear("Content-Transfer-Encoding: quoted-printable\n\n=", " ");
    linear("Content-Transfer-Encoding: quoted-printable\n\n", "=\n");
    linear("Content-Transfer-Encoding: base64\n\n", "=");
    linear("Content-Transfer-Encoding: base64\n\n", "A\n");
    linear("Content-Transfer-Encoding: base64\n\n", "\n");
    linear("Content-Transfer-Encoding: base64\n\n", "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\n!\n");
    linear("To: x\n\n", "=\n");
    linear("To: x\n\n", "=3D=\n");
    linear("Content-Type: text/plain; format=flowed; delsp=yes\n\n", " \n");
    linear("Content-Type: text/plain; format=flowed; delsp=yes\n\n", ">");
}

#[cfg(feature = "html")]
#[test]
fn html() {
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
