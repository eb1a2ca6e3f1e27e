//! Tests which parts of HTML are visited, with tables of cases and with html5gum as a reference.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use proptest::prelude::*;

use super::super::html::{HtmlItem, Scratch, comment, shown_text, walk};
use super::super::html_place::{HtmlPlace, Link};
use super::*;

/// Returns the visited items of `html`. For an attribute, returns `=` and its value. For text, returns only the text.
/// Checks the offsets of all items.
#[track_caller]
fn pieces(html: &str) -> Vec<String> {
    let mut seen = Vec::new();
    let html = html.as_bytes();
    let flow = walk(html, b"", None, &mut Scratch::default(), &mut |piece| {
        seen.push(match piece {
            HtmlItem::Attribute { value, span, .. } => {
                assert!(span.end <= html.len() && span.start <= span.end);
                format!("={}", value.escape_ascii())
            }
            HtmlItem::Text { text, map } => {
                let mut last = 0;
                for (i, &byte) in text.iter().enumerate() {
                    let raw = map.raw(i..i + 1);
                    assert!(raw.start >= last && raw.end <= html.len() && raw.start < raw.end);
                    last = raw.start;
                    if raw.len() == 1 {
                        assert_eq!(html[raw.start], byte);
                    }
                }
                text.escape_ascii().to_string()
            }
            HtmlItem::Unresolved(span) => format!("?{}", html[span].escape_ascii()),
        });
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    seen
}

#[track_caller]
fn check(html: &str, expected: &[&str]) {
    let mut seen = pieces(html);
    seen.retain(|piece| !piece.starts_with('?'));
    assert_eq!(seen, expected, "{html}");
}

#[test]
fn urls_in_brackets() {
    check(
        "a <http://x/?a=1> b: <p>c: <https://y/\nz>d:",
        &["<http://x/?a=1>", " b: \\n\\n", "c: ", "<https://y/\\nz>", "d:"],
    );
    check("<o:p>a:</o:p> <v:x href='y:'> <http:x>b:", &["=y:", "a: \\n\\n", "b:"]);
    check("<http://x/", &[]);
    check("<http://x/ src='http://y/'><http://x/<img src=\"http://z/\">", &["=http://y/", "=http://z/"]);
}

/// Relative references are counted if there is no base URL, with and without a colon before them.
#[test]
fn relative_references_without_a_base() {
    let table = [
        ("<a href=\"page.html\">", 1),
        ("<a href='page.html?a=1&amp;b=2'><a href=/page><a class=x href=..>", 3),
        ("<IMG SRC=pic.png><img width=\"1\" src=\"pic.png\"><iframe src=\"a\"><link href=\" a.css \">", 4),
        ("<img style=\"x:y\" src=\"pic.png\"><img src=\"pic.png\" style=\"a:b\">", 2),
        (
            "<a href=\"#top\"><a href=\"\"><a href><a name=\"x\"><img src=\"cid:x\"><img alt=\"src\"><a href=\"//h/x\">",
            0,
        ),
        ("<base href=\"http://h/\"><a href=\"page.html\">", 0),
        ("<a href=\"page.html\"><base href=\"http://h/\">", 0),
        ("<base href=\"dir/\"><a href=\"page.html\">", 1),
        ("<svg><a href=\"page.html\"></svg><a href=\"page.html\">", 2),
        ("<!--[if mso]><a href=\"page.html\"><![endif]--><!-- <a href=\"page.html\"> -->", 1),
    ];
    for (html, want) in table {
        for before in ["", "a: "] {
            let mut count = 0;
            let html = format!("{before}{html}");
            let _ = walk(html.as_bytes(), b"", None, &mut Scratch::default(), &mut |item| {
                count += usize::from(matches!(item, HtmlItem::Unresolved(_)));
                ControlFlow::Continue(())
            });
            assert_eq!(count, want, "{html}");
        }
    }
}

#[test]
fn attributes() {
    check("<a href=\"http://x/?a=1&amp;b=2&copy=3\">", &["=http://x/?a=1&b=2&copy=3"]);
    check("<A HREF = 'http://x/'>", &["=http://x/"]);
    check("<a href=http://x/?a>b:", &["=http://x/?a", "b:"]);
    check("<a class=x href='  http://x/\n  y '/>", &["=http://x/  y"]);
    check("<a href=\"http&#58;//x/\"><img src=http:&sol;/y>", &["=http://x/", "=http://y"]);
    check("<a href=\"&#x68;ttp&colon;//x/\">", &["=http://x/"]);
    check("<html xmlns=\"http://www.w3.org/1999/xhtml\"><a name=b title='http://no/'>", &[]);
    check("<img srcset=\"x:a.png 1x, b.png,c.png 2x\">", &["=x:a.png"]);
    check("<img srcset=\"a.png, x:b.png 2x\">", &["=x:b.png"]);
    check("<p style=\"color:red;background:URL( &quot;http://x/&quot; )\">", &["=http://x/"]);
    check("<style>p{background:url('a.png')}</style >t:", &["t:"]);
    check("<base href=http://x/><form action=y:>", &["=http://x/", "=y:"]);
    check("<img src=a.png><a href=b&amp;c>", &[]);
}

#[test]
fn odd_markup_is_read_as_browsers_do() {
    check("<a href='&#1;x:y\u{1} '>", &["=x:y"]);
    check("<a href='\0x:y/\0z'>", &["=\\xef\\xbf\\xbdx:y/\\xef\\xbf\\xbdz"]);
    check("<a href='x:&#128;&#159;&#129;'>", &["=x:\\xe2\\x82\\xac\\xc5\\xb8\\xc2\\x81"]);
    check("<a href='x:?&copy'><a href='x:?&copy&reg#'>", &["=x:?\\xc2\\xa9", "=x:?\\xc2\\xa9\\xc2\\xae#"]);
    check("<a href='x:?&copy=1&copyx'>", &["=x:?&copy=1&copyx"]);
    check("<a ping='x:a\n x:b'><applet archive='x:a, x:b,c.jar'>", &["=x:a", "=x:b", "=x:a", "=x:b"]);
    check("<p style='a:url(x:a\\)b);c:url(\"x:d)e\");f:url(x\\3a g)'>", &["=x:a)b", "=x:d)e", "=x:g"]);
    check("<style>a{b:url( 'x:\\000063\\\nd' )}</style>", &["=x:cd"]);
    check("<style>a{src:local('x:y'),url(x:z)}</style>", &["=x:z"]);
    check("<p style=\"a:url('x:?url(y:z)')\">", &["=x:?url(y:z)"]);
    check("<a data-saferedirecturl=x:a originalsrc='x:b'>", &["=x:a", "=x:b"]);
    // The value is not quoted, and its name has one letter.
    check("<link x y=href=\"x:a\">", &[]);
    check("</text<a href=&#58;>", &[]);
    // A comma in place of the equals sign, and an equals sign without a name.
    check("<img alt=1 src,\"x:a\"><p title=\"y\"=\"z> x:b\"c>", &[" x:b\\\"c>"]);
}

#[test]
fn a_refresh_needs_a_time() {
    for content in ["0;url=x:y", "0,url=x:y", "0 URL = x:y", ".5;x:y", "1.2.3; url='x:y' z", "\n1e3\x0C;\turl=\"x:y"] {
        let quoted = content.replace('"', "&quot;");
        check(&format!("<meta http-equiv=Refresh content=\"{quoted}\">"), &["=x:y"]);
    }
    for content in [";url=x:y", "0url=x:y", "x;url=x:y", "-1;url=x:y", "url=x:y", "0"] {
        check(&format!("<meta http-equiv=refresh content=\"{content}\">"), &[]);
    }
    check("<meta http-equiv=' refresh' content='0;url=x:y'>", &[]);
}

#[test]
fn conditional_comments() {
    check("<!--[if mso]><a href=x:a>x:b<p><![endif]-->c:", &["=x:a", "c:"]);
    check("<!--[if !mso]><!--><a href=x:a><!--<![endif]-->", &["=x:a"]);
    check("<!--[if mso]><!--[if x]><a href=x:a>-->", &[]);
    check("<!-- [if mso]><a href=x:a>--><!--[if mso]><a href=x:b", &["=x:b"]);
    check("<!--[if mso]><a href=x:a--->b:", &["=x:a-", "b:"]);
    places("<!--[if mso]><a href=' x:a '>-->", &[(23, "x:a")]);
}

#[test]
fn markup_opened_in_raw_text_ends_with_the_element() {
    for element in ["iframe", "noembed", "noframes", "textarea", "title", "xmp"] {
        for begins in ["<style>", "<script>", "<!--", "<!--[if mso]>"] {
            check(&format!("<{element} a>{begins}</{element}><a href=x:y>"), &["=x:y"]);
        }
        check(&format!("<{element}></{element}><style></{element}><a href=x:y></style>"), &[]);
        check(&format!("<{element}s><style></{element}><a href=x:y></style>"), &[]);
    }
    check("<title><!-- </title><xmp><!-- </title></xmp><a href=x:y>-->", &["=x:y"]);
}

#[test]
fn comments_and_scripts_end_as_in_browsers() {
    for comment in
        ["<!-->", "<!--->", "<!-- a -->", "<!-- a --!>", "<!-- a ---!>", "<!-- <!-->", "<!---!> b ---!>", "<!a>"]
    {
        check(&format!("{comment}<a href=x:y>"), &["=x:y"]);
    }
    for comment in ["<!-- a ->", "<!---!> b -!>", "<!-- a -- >", "<!--- !>"] {
        check(&format!("{comment}<a href=x:y>"), &[]);
    }
    for script in [
        "<script></script>",
        "<script><!--</script>",
        "<script><!--<script></script>--></script>",
        "<script><!--><script></script>",
    ] {
        check(&format!("{script}<a href=x:y>"), &["=x:y"]);
    }
    check("<script><!--<script></script><a href=x:y>--></script>", &[]);
    check("<script><!--<script></script></script><a href=x:y>", &["=x:y"]);
}

#[test]
fn the_meaning_of_tags_depends_on_the_open_elements() {
    for before in [
        "<svg><script/></svg>",
        "<svg><style/></svg>",
        "<math><style/></math>",
        "<svg><![CDATA[><!--]]></svg>",
        "<svg><style>",
        "<svg><script>",
        "<math><style>",
        "<svg><style><p>",
        "<p><svg><title><style></style></title><style>",
        "<b><p></b><svg></p><style></style>",
        "<frameset><style>",
        "<template><col><style>",
        "<svg><foreignObject><style></style>",
        "<svg><title><n x=\"</title></svg>",
        "<b><p><svg></b></b><![CDATA[>",
        "<template><tfoot><svg></table><![CDATA[>",
        "<template><tr><svg></table><![CDATA[>",
        "<template><caption><svg></table><![CDATA[>",
        "<template><basefont><col><script><template>",
        "<option><option><svg></option><svg></option><style>",
        "<p><svg><desc><p></p></desc><style>",
        "<svg><desc><table><colgroup></table></desc><style>",
    ] {
        check(&format!("{before}<area href=x:y>"), &["=x:y"]);
    }
    for before in [
        "<svg></svg><style>",
        "<svg><p><style>",
        "<svg><desc><style>",
        "<math><mi><style>",
        "<svg><a></svg><style>",
        "<div><svg></div><style>",
        "<math><annotation-xml encoding=text/html><style>",
        "<svg><font color=x><style>",
        "<svg><desc><form></desc><style>",
        "<table><tbody><caption><svg></caption><style>",
        "<table><tr><svg></tr><style>",
    ] {
        check(&format!("{before}<area href=x:y>"), &[]);
    }
    check("<svg><style>a{b:url(x:y)}</style></svg>", &["=x:y"]);
    check(
        "<svg><style>&#64;import 'x:y'; a{b:&#117;rl(x&colon;z)}</style></svg><style>&#64;import 'x:no'</style>",
        &["=x:y", "=x:z"],
    );
    check("<svg><style>@im<!-- c -->port <![CDATA['x]]>:y'</style></svg>", &["=x:y"]);
    check("<style>&#64;import 'x:no';</style>", &[]);
    check(
        "<svg><a><animate attributeName=href to=x:y values='x:a;x:b' /></a></svg><p to=x:y>",
        &["=x:y", "=x:a", "=x:b"],
    );
    check("<svg><![CDATA[ a: ]]></svg>", &[" a: \\n\\n"]);
}

#[test]
fn references_without_a_scheme() {
    for html in [
        "<img src=\"//h/p\">",
        "<img src=//h/p>",
        "<img src=' \n//h/p'>",
        "<img src=\" //h/p\">",
        "<img src='&#47;/h/p'>",
        "<img src=\"&sol;&sol;h/p\">",
        "<p style='a:url(//h/p)'>",
        "<p style=\"a:url(//h/p)\">",
        "<style>url(//h/p)</style>",
        "<img src=\"/\t/h/p\">",
        "<img srcset='a 1x, //h/p 2x'>",
        "<img srcset=\"a 1x, //h/p 2x\">",
        "<a href=\"//h/p\">",
        "<meta http-equiv=refresh content=\"0;url=//h/p\">",
    ] {
        check(html, &["=https://h/p"]);
    }
    check("<img src=\"\\\\h\\p\"><img src='/\\h'>", &[r"=https:\\\\h\\p", r"=https:/\\h"]);
    check("<img src=/h/p><img src=h//p><p title=\"//h/p\">", &[]);
    check(
        "<base href='http://b/c/d'><a href=e><a href='/f'><a href='//g'><a href='?h'><a href='#i'><a href=''>",
        &["=http://b/c/d", "=http://b/c/e", "=http://b/f", "=http://g", "=http://b/c/d?h"],
    );
    check(
        "<a href=e><a href=//f><base href=http://b/><base href=http://c/><a href=g>",
        &["=https://f", "=http://b/", "=http://c/", "=http://b/g", "=http://b/e"],
    );
    check("<base href=mailto:x><a href=e>", &["=mailto:x"]);
    check(
        "<base href=HTTP://b/c/d><a href=http:e><a href='Http:/f'><a href=http://g><a href=https:h>",
        &["=HTTP://b/c/d", "=HTTP://b/c/e", "=HTTP://b/f", "=http://g", "=https:h"],
    );
    check("<svg><base href=http://b/></svg><a href=e>", &["=http://b/"]);
}

#[test]
fn urls_in_css() {
    let table: &[(&str, &[&str])] = &[
        ("@import \"x:y\"; @import 'x:z' screen;", &["=x:y", "=x:z"]),
        ("@\\69mport url(x:y); @\\69 mport 'x:z'", &["=x:y", "=x:z"]),
        ("a{b:u\\72l(x:y) \\55 RL(x:z)}", &["=x:y", "=x:z"]),
        ("image-set('x:a' 1x, url(x:b) 2x, 'x:c' type('d:e')) 'f:g'", &["=x:a", "=x:b", "=x:c"]),
        ("/* url( */ url(x:y) /* url('x:no */ url(x:z)", &["=x:y", "=x:z"]),
        ("'url(x:no)' \"/*\" url(x:y)", &["=x:y"]),
        ("url(x:y", &["=x:y"]),
        ("url('x:y", &["=x:y"]),
        ("url(x:a b) url(x'y) curl(x:no) url(x:z)", &["=x:z"]),
        ("@namespace a url(x:no); @namespace 'x:no'; url(x:y)", &["=x:y"]),
        ("a: 'x\\\n y:no' url(x:y)", &["=x:y"]),
        ("@import 'data:text/css,url(x%3Ay)'", &["=data:text/css,url(x%3Ay)", "=x:y"]),
    ];
    for (css, want) in table {
        check(&format!("<style>{css}</style>"), want);
    }
}

#[test]
fn documents_in_attributes() {
    check("<iframe srcdoc=\"<a href='x:y'>\">", &["=x:y"]);
    check("<iframe srcdoc='<a href=&amp;#120;:y>a:b'>", &["=x:y", "a:b"]);
    check("<iframe src='data:text/html,<a href=x:y>'>", &["=data:text/html,<a href=x:y>", "=x:y"]);
    check("<iframe src='data:text/html,a:b,c'>", &["=data:text/html,a:b,c", "a:b,c"]);
    check(
        "<iframe src='data:text/html;charset=x;base64,PGEgaHJlZj14Onk+'>",
        &["=data:text/html;charset=x;base64,PGEgaHJlZj14Onk+", "=x:y"],
    );
    check(
        "<img src='data:image/svg+xml,<svg><a href=x:y>'><a href='data:text/plain,x:y'>",
        &["=data:image/svg+xml,<svg><a href=x:y>", "=data:text/plain,x:y"],
    );
    let nested = |depth: usize| {
        (0..depth).fold("<a href=x:y>".to_owned(), |html, _| {
            format!("<iframe srcdoc=\"{}\">", html.replace('&', "&amp;").replace('"', "&quot;"))
        })
    };
    check(&nested(3), &["=x:y"]);
    check(&nested(4), &[]);
}

#[test]
fn links_that_browsers_do_not_follow_have_a_place() {
    type Case<'a> = (&'a str, &'a [(&'a str, Option<HtmlPlace>)]);
    let nested_tables = format!("<svg></svg>{}<xmp><a href=x:a></xmp><a href=x:b>", "<table><tr><td>".repeat(40));
    let table: &[Case<'_>] = &[
        ("<a href=x:a href=x:b>", &[("x:a", None), ("x:b", Some(HtmlPlace::RepeatedAttribute))]),
        ("<a href=a href='x:b'>", &[("x:b", Some(HtmlPlace::RepeatedAttribute))]),
        ("<img src=\"x:a\" src=\"x:b\">", &[("x:a", None), ("x:b", Some(HtmlPlace::RepeatedAttribute))]),
        ("<textarea><a href=x:a></textarea><a href=x:b>", &[("x:a", Some(HtmlPlace::RawText)), ("x:b", None)]),
        ("<title><img src='x:a'></title><img src=\"x:b\">", &[("x:a", Some(HtmlPlace::RawText)), ("x:b", None)]),
        ("<plaintext><a href=x:a></plaintext>", &[("x:a", Some(HtmlPlace::RawText))]),
        ("<template><a href=x:a></template><a href=x:b>", &[("x:a", Some(HtmlPlace::Template)), ("x:b", None)]),
        ("<a href=x:a><img src=x:b ", &[("x:a", None), ("x:b", Some(HtmlPlace::CutTag))]),
        ("<!--[if mso]><a href=x:a><![endif]-->", &[("x:a", Some(HtmlPlace::ConditionalComment))]),
        ("<strong><a href=\"x:a\">", &[("x:a", None)]),
        ("<a href='x:a><b><img src=x:b>", &[("x:a", Some(HtmlPlace::CutTag)), ("x:b", Some(HtmlPlace::CutTag))]),
        ("<svg><style><a href=x:a><path></style><a href=x:b>", &[("x:a", Some(HtmlPlace::RawText)), ("x:b", None)]),
        (
            "<p href=x:a><layer src=\"x:b\">",
            &[("x:a", Some(HtmlPlace::OtherElement)), ("x:b", Some(HtmlPlace::OtherElement))],
        ),
        (
            "<a\0 href=x:a><div background=x:b>",
            &[("x:a", Some(HtmlPlace::OtherElement)), ("x:b", Some(HtmlPlace::OtherElement))],
        ),
        // The first tag in a template says what the template contains, and so which tags browsers ignore.
        ("<template><div></div><col><xmp><a href=x:a></xmp>", &[("x:a", Some(HtmlPlace::RawText))]),
        ("<template><tr><td><xmp><a href=x:a></xmp>", &[("x:a", Some(HtmlPlace::RawText))]),
        ("<template><col><xmp><a href=x:a></xmp>", &[("x:a", Some(HtmlPlace::Template))]),
        // There are many open elements, but not too many to know them all.
        (&nested_tables, &[("x:a", Some(HtmlPlace::RawText)), ("x:b", None)]),
        ("<v:fill src=x:a><amp-img src=\"x:b\"><svg><use href=x:c>", &[("x:a", None), ("x:b", None), ("x:c", None)]),
    ];
    for (html, want) in table {
        let mut seen = Vec::new();
        let _ = walk(html.as_bytes(), b"", None, &mut Scratch::default(), &mut |item| {
            if let HtmlItem::Attribute { value, link: Link { place, .. }, .. } = item {
                seen.push((String::from_utf8_lossy(value).into_owned(), place));
            }
            ControlFlow::Continue(())
        });
        let seen: Vec<_> = seen.iter().map(|(value, place)| (value.as_str(), *place)).collect();
        assert_eq!(seen, *want, "{html}");
    }
}

#[test]
fn values_are_decoded_in_the_charset_of_the_document() {
    let table: &[(&str, &[u8], &str)] = &[
        ("text/html; charset=windows-1251", b"<a href='http:\xEF?\xEF#\xEF'>", "http:\u{43f}?\u{fffd}#\u{43f}"),
        ("text/html", b"<meta charset=koi8-r><a href='x:\xD0'>", "x:\u{43f}"),
        ("text/html", b"<meta content='text/html; charset=\"koi8-r\"'><a href='x:\xD0&amp;'>", "x:\u{43f}&"),
        ("text/html; charset=shift_jis", b"<a href='x:\x83\x5C'>", "x:\u{30bd}"),
        ("text/html; charset=iso-8859-1", b"<a href='x:\xC3\xA9'>", "x:\u{c3}\u{a9}"),
        (
            "text/html; charset=iso-8859-1",
            b"<a href='mailto:a@b.example?subject=\xE9'>",
            "mailto:a@b.example?subject=\u{e9}",
        ),
        ("text/html; charset=utf-8", b"<meta charset=koi8-r><a href='x:\xC3\xA9'>", "x:\u{e9}"),
        ("text/html", b"<a href='x:\xC3\xA9'>", "x:\u{e9}"),
        // The document in the attribute was already decoded.
        (
            "text/html; charset=windows-1251",
            b"<iframe srcdoc=\"<a href='http://h.example/\xEF'>\">",
            "http://h.example/\u{43f}",
        ),
        (
            "text/html; charset=windows-1251",
            b"<a href='/\xEF'>x</a><base href='http://h.example/'>",
            "http://h.example/\u{43f}",
        ),
    ];
    for (media, html, want) in table {
        let mut seen = String::new();
        let _ = walk(html, media.as_bytes(), None, &mut Scratch::default(), &mut |item| {
            if let HtmlItem::Attribute { value, .. } = item {
                seen = String::from_utf8_lossy(value).into_owned();
            }
            ControlFlow::Continue(())
        });
        assert_eq!(seen, *want, "{}", html.escape_ascii());
    }
}

/// A header field gives the base URL of a part, which counts if no `base` element has one.
#[test]
fn references_with_a_given_base() {
    let table = [
        ("<a href=p>", "http://h.example/d/p"),
        ("<basefont size=2><a href=p>", "http://h.example/d/p"),
        ("<base target=_blank><a href=p>", "http://h.example/d/p"),
        ("<a href=p><base href='mailto:a@h.example'>", "http://h.example/d/p"),
        ("<base href='e/'><a href=p>", "http://h.example/d/e/p"),
        ("<a href=p><base href='/e/'>", "http://h.example/e/p"),
        ("<base href='http://g.example/'><a href=p>", "http://g.example/p"),
    ];
    for (html, want) in table {
        let mut seen = String::new();
        let base = Some(&b"http://h.example/d/c.html"[..]);
        let _ = walk(html.as_bytes(), b"", base, &mut Scratch::default(), &mut |item| {
            if let HtmlItem::Attribute { value, .. } = item {
                seen = String::from_utf8_lossy(value).into_owned();
            }
            ControlFlow::Continue(())
        });
        assert_eq!(seen, want, "{html}");
    }
}

/// The HTML standard, sections 13.2.5.43 to 13.2.5.52.
#[test]
fn comments_end_as_in_the_standard() {
    let table = [
        ("<!---->", "", "x"),
        ("<!-->", "", "x-->"),
        ("<!--->", "", "x-->"),
        ("<!-- a -->", " a ", "x-->"),
        ("<!-- a --!>", " a ", "x-->"),
        ("<!-- a --->", " a -", "x"),
        ("<!-- - -- > --!x -->", " - -- > --!x ", "x"),
        ("<!-- a -- b --", " a -- b --", ""),
        ("<!--[if mso]><p><![endif]-->", "[if mso]><p><![endif]", "<!-- -->"),
    ];
    for (html, text, rest) in table {
        for before in ["", "a -->"] {
            let all = [before, html, rest].concat();
            let (text_end, end) = comment(all.as_bytes(), before.len());
            let read = (&all[before.len() + 4..text_end], &all[before.len()..end]);
            assert_eq!(read, (text, html), "{all}");
        }
    }
}

/// Checks the offsets and the source text of the URLs in the attributes of `html`.
#[track_caller]
fn places(html: &str, expected: &[(usize, &str)]) {
    let mut seen = Vec::new();
    let flow = walk(html.as_bytes(), b"", None, &mut Scratch::default(), &mut |piece| {
        if let HtmlItem::Attribute { span, .. } = piece {
            seen.push((span.start, &html[span]));
        }
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    assert_eq!(seen, expected, "{html}");
}

#[test]
fn every_attribute_url_has_its_offset() {
    places(
        "<img srcset=\"x://pic.png 2x, x://pic 1x, x://pic 3x\">",
        &[(13, "x://pic.png"), (29, "x://pic"), (41, "x://pic")],
    );
    places("<p style=\"a:url(x://y);b:url( 'x://' );c:url(x://)\">", &[(16, "x://y"), (31, "x://"), (45, "x://")]);
    places("<p style=\"a:url(&quot;x://?a&amp;b&quot;);b:url(x://)\">", &[(22, "x://?a&amp;b"), (48, "x://")]);
    places("<img srcset=\"x://?a&amp;b 1x,x://?a 2x\">", &[(13, "x://?a&amp;b"), (29, "x://?a")]);
    places("<style>a:url( x://y );b:url('x://')</style>", &[(14, "x://y"), (29, "x://")]);
    places("<meta http-equiv=refresh content=\" 0; URL = 'x://?a&amp;b' \">", &[(45, "x://?a&amp;b")]);
    places("<meta http-equiv=refresh content=\"0;x:// \">", &[(36, "x://")]);
    places("<a href=\" x://\n?a& b \">", &[(10, "x://\n?a& b")]);
}

#[test]
fn every_url_has_its_element_and_attribute() {
    let long = format!("<{}\u{e9}b href=x:y", "a".repeat(63));
    let long_name = format!("{}\u{fffd}", "a".repeat(63));
    let table: &[(&str, &[(&str, &str)])] = &[
        ("<a href=\"x:y\">", &[("a", "href")]),
        ("<A class=b HREF = 'x:y'>", &[("a", "href")]),
        ("<a\nhref='x:y' ping='x:a x:b'>", &[("a", "href"), ("a", "ping"), ("a", "ping")]),
        ("<a href=\"x:y\" style=\"a:url(x:z)\">", &[("a", "href"), ("a", "style")]),
        ("<a data-saferedirecturl=x:a OriginalSrc='x:b'>", &[("a", "data-saferedirecturl"), ("a", "originalsrc")]),
        ("<base href=x:y/><link rel=a href=x:y>", &[("base", "href"), ("link", "href")]),
        ("<td><img alt=\"a\" src=\"x:y\">", &[("img", "src")]),
        ("<IMG LowSrc=\"x:y\" src=\"x:y\">", &[("img", "lowsrc"), ("img", "src")]),
        ("<img/srcset='x:a 1x, x:b 2x'>", &[("img", "srcset"), ("img", "srcset")]),
        ("<link imagesrcset=\"x:a\">", &[("link", "imagesrcset")]),
        ("<TABLE width=\"1\" BACKGROUND=\"x:y\"><td background=x:y>", &[("table", "background"), ("td", "background")]),
        ("<blockquote cite=\"x:y\">", &[("blockquote", "cite")]),
        ("<meta content='0;url=x:y' http-equiv=refresh>", &[("meta", "content")]),
        ("<p style=\"a:url( &quot;x:y&quot; )\">", &[("p", "style")]),
        ("<Style type=a>p{a:url(x:y)}</Style><a href=x:y>", &[("style", ""), ("a", "href")]),
        (
            "<!--[if mso]><v:fill type=a src=\"x:y\"/><STYLE>url(x:z)</STYLE><![endif]-->",
            &[("v:fill", "src"), ("style", "")],
        ),
        ("<iframe srcdoc=\"<p><a href='x:y'>\">", &[("iframe", "srcdoc")]),
        ("<svg><use xlink:href=\"x:y\"></svg><a xlink:href=\"x:y\">", &[("use", "xlink:href")]),
        ("<\u{e9} href=x:y><x\u{e9}\"Y href=x:y>", &[("x\u{e9}\"y", "href")]),
        (&long, &[(&long_name, "href")]),
    ];
    for (html, want) in table {
        let mut seen = Vec::new();
        let flow = walk(html.as_bytes(), b"", None, &mut Scratch::default(), &mut |piece| {
            if let HtmlItem::Attribute { link: Link { tag: Some(tag), .. }, .. } = piece {
                seen.push((tag.element_name(html.as_bytes()).into_owned(), tag.attribute));
            }
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        let seen: Vec<_> = seen.iter().map(|(element, attribute)| (element.as_str(), *attribute)).collect();
        assert_eq!(seen, *want, "{html}");
    }
}

#[test]
fn refreshes() {
    for content in ["0;url=http://x/", "0; URL = 'http://x/'", " 5 , http://x/", "1.5;url=\"http://x/\" "] {
        check(&format!("<meta http-equiv=Refresh content='{}'>", content.replace('\'', "&apos;")), &["=http://x/"]);
        check(&format!("<meta content='{}' http-equiv=refresh>", content.replace('\'', "&apos;")), &["=http://x/"]);
    }
    check("<meta name=description content='0;url=http://x/'>", &[]);
    check("<meta http-equiv=refresh content='0;xyz=x:y'>", &["=xyz=x:y"]);
    check("<meta http-equiv=\"refresh\" name=\"b:c\" content=\"0;url=http://x/\">", &["=http://x/"]);
    check("<meta http-equiv='ref&#114;esh' content='0;url=http://x/'>", &["=http://x/"]);
    // Only the first of several attributes counts.
    check("<meta http-equiv=refresh http-equiv=x content='0;url=http://x/' content='a:b'>", &["=http://x/"]);
    check("<meta http-equiv=x http-equiv=refresh content='0;url=http://x/'>", &[]);
    check("<meta http-equiv=refresh content=0 content='0;url=http://x/'>", &[]);
}

#[test]
fn text_between_tags() {
    check("a:&amp b&ltc", &["a:& b<c"]);
    check("see http://exa<b>mple</b>.org/<wbr>x", &["see http://example.org/x"]);
    check(":<br>b<p>:</p><p>:<td>:", &[":\\nb\\n\\n", ":\\n\\n", ":\\n\\n", ":"]);
    check("a<br>b<p>c</p>h<i>ttp</i>://x<p>d", &["http://x\\n\\n"]);
    // A line break in the HTML is not a second one, but is white space.
    check(":<br>\nb<br/> \r\nc<br>\n\nd\n<br>e", &[":\\nb \\r\\nc\\n\\nd\\ne"]);
    check("&lt;http://x/&gt; &amp;c &eacute;&notit; &nope; &", &["<http://x/> &c \\xc3\\xa9&notit; &nope; &"]);
    // An empty line between two line breaks stays.
    check("a:<br>\n<br>b<br> \n <br>c", &["a:\\n\\nb \\n \\nc"]);
    check("<a>http://x/</a>.", &["http://x/."]);
    check("<a>http://x/</a><a>http://y/</a>and", &["http://x/ http://y/ and"]);
    // Some editors split a link into two elements with the same `href`.
    check("<a href=b:>http://x/</a><a class=c href='b:'>y</a>", &["=b:", "=b:", "http://x/y"]);
    check("<a href=b>http://x/</a><a class=c href='b'>y</a>", &["http://x/y"]);
    check("<a href=b class=c>http://x/</a><a href=b class=c>y</a>", &["http://x/y"]);
    check("<a href=b>http://x/</a><a href=c>y</a>", &["http://x/ y"]);
    check("<a name=b>http://x/</a><a href=\"\">y</a>", &["http://x/ y"]);
    // Of several `href` attributes, only the first counts, and it is empty here.
    check("<a href='' href=b>http://x/</a><a href=b>y</a>", &["http://x/ y"]);
    // At the start of the text, a link without text does not add a blank.
    check("<a name=b></a>c: d", &["c: d"]);
    check(":<script>if (a<b) x=\"</p>\"</script>:", &[":\\n\\n", ":"]);
    check(":a<!-- http://no/ -->b<!--->c<!---->d<!-- e --!>f", &[":abcdf"]);
    check("1: < 2 <3", &["1: < 2 <3"]);
    check("<title>:</title>", &[":\\n\\n"]);
    check(":a<!-- <p>--->b", &[":ab"]);
    check(":a<!DOCTYPE x>b<?xml y>c</>d", &[":abcd"]);
    check(":a</", &[":a</"]);
}

#[test]
fn skipped_text_is_replayed_at_a_colon() {
    check("a<p>b<b class=\"c\">c</b> &amp;<br>d: e<p>f", &["bc &\\nd: e\\n\\n"]);
    check("a<!-- <p> -->b<?c>d</>e: f", &["abde: f"]);
    check("a<_b>c < d<b>e</b>: f", &["a<_b>c < de: f"]);
    check("a<b title=\"<p>\">b</b> <i class='>'>c</i>: d", &["ab c: d"]);
    check("a<p title=\"<b>\">b</p>c<img src='x:>'>d: e", &["=x:>", "d: e"]);
    check("<a href=\"b:\">www</a><a href=\"b:\">.x.org</a>: y", &["=b:", "=b:", "www.x.org: y"]);
    check("<a href=\"b:\">www</a><a href=\"c:\">.x.org</a>: y", &["=b:", "=c:", "www .x.org: y"]);
    check("<a href='b'>www</a><a href='b'>.x.org</a>: y", &["www.x.org: y"]);
    check("<>c</a><a href=\">\">x:", &["<>c x:"]);
    check(&format!("{}: c", "a<!-- b -->".repeat(200)), &[&format!("{}: c", "a".repeat(200))]);
    // The last tag of a block element is farther back than the window of the SIMD search.
    let words = "word ".repeat(2_000);
    check(&format!("a: b<p>c d e<p>{words}<b>f</b>: g"), &["a: b\\n\\n", &format!("{words}f: g")]);
}

#[test]
fn attributes_are_visited_while_skipping() {
    check("<td><img alt=\"a\" src=\"x:y\" title=\"b:c\"><td background=\"z:\">", &["=x:y", "=z:"]);
    check("<img alt= src=\"x:y\"><img alt=a\nsrc=\"x:y\"><img alt = \"a\"src=\"x:z\">", &["=x:y", "=x:z"]);
    check("<img alt=  src=\"x:y\"><img alt  src=\"x:z\">", &["=x:z"]);
    check("<img src =\"x:y\"><img src  =\"x:z\">", &["=x:y", "=x:z"]);
    check("<img src=\"x:y\" alt='>' src=\"x:z\">a:", &["=x:y", "=x:z", "a:"]);
    check("<a href=\"x:y\" style=\"url(x:z)\" title='>'>a:", &["=x:y", "=x:z", "a:"]);
    check("<a href=\"b\" href=\"x:y\"><a hrefs=\"x:z\"></a href=\"x:\"><? src=\"x:\">", &["=x:y"]);
    // The name before the value can follow a `/`. After a `=`, it is a part of the value of `src`.
    check("<img a/src=\"x:y\"><img alt src=b=\"x:y\">", &["=x:y", "=b=\\\"x:y\\\""]);
}

#[test]
fn odd_tags_end_the_skipping() {
    // The walk skips a tag without a colon, but must find its end at the offset that the HTML standard requires.
    check("<td width=\"1>2\" class=x>:", &[":"]);
    check("<td a='\">' b=\"'>\">:", &[":"]);
    check("<td a=b\"c>:", &[":"]);
    check("<td a\"b=c>:", &[":"]);
    check("<td =\"a>:", &[":"]);
    check("<td a =\"b>c\">:", &[":"]);
    check("<td a= 'b>c'>:", &[":"]);
    check("<td a=/b>:", &[":"]);
    check("<td a=b<c>:", &[":"]);
    check("<td a=\"b\"c='d>'>:", &[":"]);
    check("<td/a/=\"b>:\">:", &[":\\\">:"]);
    // This tag is longer than the window of the SIMD search.
    let long = format!("<td a=\"{}>\" b>:", "x".repeat(40_000));
    check(&long, &[":"]);
    let many = format!("{}<td a=\"{}\" b='>'>:", "<br>".repeat(4_000), "x".repeat(1_000));
    check(&many, &[":"]);
}

#[test]
fn quotation_marks_that_never_close() {
    check("<a href=\"http://x/>y</a>:z", &["=http://x/", "y:z"]);
    check("<a href='http://x/ b=c>:y", &["=http://x/", ":y"]);
}

#[test]
fn the_text_of_a_link_has_single_blanks() {
    let table = [
        ("word</a>", "word"),
        ("two words</a>", "two words"),
        (" \n two \n\t words \n</a>", "two words"),
        ("two<br>words</a>", "two words"),
        ("two<p> <p>words</a>", "two words"),
        ("<b>one</b>word</a>", "oneword"),
        ("a &amp; b &lt;c&gt;</a>", "a & b <c>"),
        ("a & b</a>", "a & b"),
        ("", ""),
    ];
    for (html, want) in table {
        assert_eq!(shown_text(html.as_bytes(), 0), want.as_bytes(), "{html}");
    }
}

#[test]
fn the_text_of_a_link_without_inner_blanks_is_a_word() {
    let table = [
        ("x.org</a>", "x.org"),
        ("\n x.org \n</a>", "x.org"),
        ("<b>x</b>.org</a>", "x.org"),
        ("x&#46;org</a>", "x.org"),
        ("x\u{1}y.org</a>", "x\u{1}y.org"),
        ("x.org now</a>", ""),
        ("x.org &gt;</a>", ""),
        ("x.org", ""),
    ];
    for (rest, want) in table {
        for tag in ["<a href='b:'>", "<a href=\"b:\">", "<a href=\"b:>\">"] {
            let (html, mut words) = (format!("{tag}{rest}"), Vec::new());
            let _ = walk(html.as_bytes(), b"", None, &mut Scratch::default(), &mut |item| {
                if let HtmlItem::Attribute { link: Link { word, .. }, .. } = item {
                    words.push(word.to_vec());
                }
                ControlFlow::Continue(())
            });
            assert_eq!(words, [want.as_bytes()], "{html}");
        }
    }
}

/// Long text is visited in pieces, so that the buffer stays small. If possible, a piece ends at a line break or a
/// blank.
#[test]
fn long_text_is_visited_in_pieces() {
    const KIB: usize = 1024;
    let table = [
        // After 16 KiB of HTML, a piece ends at the next line break. The five bytes `:<br>` become two bytes of text.
        (":<br>".repeat(10 * KIB), vec![6554, 6554, 6554, 818]),
        (":".to_owned() + &"x".repeat(16 * KIB - 5) + "<br>y:", vec![16 * KIB - 3, 2]),
        (":".to_owned() + &"x".repeat(16 * KIB - 6) + "<br>y:", vec![16 * KIB - 2]),
        // After each 64 KiB, the walk checks the last byte of the piece. If this byte is a blank, the piece ends.
        ("xx: ".repeat(40 * KIB), vec![64 * KIB, 64 * KIB, 32 * KIB]),
        ("x: x".repeat(40 * KIB), vec![160 * KIB]),
        // The text after a tag has no colon, but continues the piece.
        ("a:".to_owned() + &"x".repeat(64 * KIB - 2) + "<b>y</b>", vec![64 * KIB + 1]),
        // Without a blank, a piece ends after 256 KiB.
        ("a:".to_owned() + &"x".repeat(600 * KIB), vec![256 * KIB, 256 * KIB, 88 * KIB + 2]),
        ("a:&amp;".to_owned() + &"x".repeat(600 * KIB), vec![256 * KIB + 3, 256 * KIB, 88 * KIB]),
        // A piece has at most 32 Ki ranges. The first range is the text before the first reference or tag.
        ("a:".to_owned() + &"&amp;".repeat(40 * KIB), vec![32 * KIB + 1, 8 * KIB + 1]),
        ("a:".to_owned() + &":<b>".repeat(40 * KIB), vec![32 * KIB + 2, 8 * KIB]),
    ];
    for (html, lengths) in table {
        let mut seen = Vec::new();
        let _ = walk(html.as_bytes(), b"", None, &mut Scratch::default(), &mut |item| {
            if let HtmlItem::Text { text, .. } = item {
                seen.push(text.len());
            }
            ControlFlow::Continue(())
        });
        assert_eq!(seen, lengths, "{html:.40}");
    }
}

#[test]
fn html_without_a_url_is_not_visited() {
    let none = walk(b"<a name=x>y</a>", b"", None, &mut Scratch::default(), &mut |_| ControlFlow::Break(()));
    assert!(none.is_continue());
    for some in ["<a href=http&#58;//x>", "<a href=http&colon;//x>", "<a href=steam:run/440>", "htt<b>p</b>://x"] {
        let found = walk(some.as_bytes(), b"", None, &mut Scratch::default(), &mut |_| ControlFlow::Break(()));
        assert!(found.is_break(), "{some}");
    }
}

/// Returns the values of `href` and `src` as parsed by html5gum.
fn oracle(html: &[u8]) -> Vec<Vec<u8>> {
    let mut values = Vec::new();
    let (mut wanted, mut kept) = (false, 0);
    let emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| {
        match event {
            CallbackEvent::CloseStartTag { .. } => kept = values.len(),
            // Browsers ignore the attributes of end tags (HTML standard, section 13.2.2).
            CallbackEvent::EndTag { .. } => values.truncate(kept),
            CallbackEvent::AttributeName { name } => wanted = name == b"href" || name == b"src",
            CallbackEvent::AttributeValue { value } if wanted => {
                let value: Vec<u8> = value.trim_ascii().iter().copied().filter(|o| !b"\t\r\n".contains(o)).collect();
                if value.starts_with(b"//") {
                    values.push([b"https:", value.as_slice()].concat());
                } else if value.contains(&b':') {
                    values.push(value);
                }
            }
            _ => {}
        }
        None::<std::convert::Infallible>
    });
    let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
    values
}

const BITS: [&str; 44] = [
    "<a ",
    "<a href=",
    "<img src=",
    "href=\"",
    "src='",
    "\"",
    "'",
    ">",
    "/>",
    "</a>",
    "<p>",
    "http://x/",
    "?a=1&amp;b=2",
    "&lt;",
    "&lt=",
    "&eacute;",
    "&#58;",
    "&#x3a;",
    "&ampx",
    "&colon;",
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<!doctype html>",
    " ",
    "\n",
    "=",
    "/",
    "<",
    "&",
    "text",
    "<br/>",
    "<b>",
    "<img src=\"http://y/\">",
    "<a href=\"http://z/\">",
    "</a><a href=\"http://z/\">",
    "<b title=\"",
    " alt=",
    " src=\"http://y/\"",
    "<i class=\"x\">",
    "</b>",
    "<_",
    ":",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1738), ..ProptestConfig::default() })]

    #[test]
    fn attributes_equal_those_of_html5gum(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..30)) {
        // html5gum drops unclosed tags and comments, but the walk does not. So close all tags and comments at the end.
        let html = bits.concat() + "\"'>-->\"'>-->";
        let mut values = Vec::new();
        let flow = walk(html.as_bytes(), b"", None, &mut Scratch::default(), &mut |piece| {
            if let HtmlItem::Attribute { value, .. } = piece {
                values.push(value.to_vec());
            }
            ControlFlow::Continue(())
        });
        prop_assert!(flow.is_continue());
        prop_assert_eq!(values, oracle(html.as_bytes()), "{}", html);
    }

    #[test]
    fn skipping_loses_no_text(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..30)) {
        // Compare the same HTML after a colon and after an `x`. After the colon, the walk skips no HTML up to the next
        // tag of a block element, because a URL may have begun. After the `x`, the walk can skip HTML until it finds a
        // colon.
        let (mut read, mut leapt) = (pieces(&format!(":{}", bits.concat())), pieces(&format!("x{}", bits.concat())));
        let first = read.iter().position(|piece| !piece.starts_with(['=', '?'])).unwrap_or_default();
        let text = read.remove(first);
        if leapt.len() > read.len() {
            prop_assert_eq!(&text[1..], &leapt.remove(first)[1..]);
        } else {
            prop_assert!(!text[1..].contains(':'), "{} is lost", text);
        }
        prop_assert_eq!(read, leapt);
    }

    #[test]
    fn any_html_is_walked_without_panic(html in ".{0,200}", bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..30)) {
        pieces(&(html + &bits.concat()));
    }
}

/// Text without a colon is dropped after 64 KiB, but not its last piece, which can be the scheme of a URL.
#[test]
fn a_scheme_at_the_end_of_the_buffer_is_kept() {
    for before in (64 << 10) - 8..=64 << 10 {
        for blank in ["", "<b>y</b> "] {
            let html = format!("<p>{blank}{}<i>http</i>://h.example/", "x".repeat(before));
            let last = pieces(&html).pop().unwrap_or_default();
            assert!(last.ends_with("http://h.example/"), "{before}: {last}");
        }
    }
}
