//! Checks the URL parser, and normalization and resolution, which use the parser.

use urlspool::Url;

/// Input: a URL, a line end, and a relative reference.
pub fn url(bytes: &[u8]) {
    let at = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (text, reference) = (&bytes[..at], bytes.get(at + 1..).unwrap_or_default());
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            assert!(error.offset() <= text.len(), "{error}");
            return;
        }
    };
    assert_eq!(url.as_bytes(), text);
    assert_eq!(url.to_string().as_bytes(), text);
    assert!(url.is_equivalent(&url));
    let normal = url.normalized();
    let parsed = Url::parse(&normal).unwrap_or_else(|error| panic!("{url:?} has the normal form {normal}: {error}"));
    assert_eq!(parsed.normalized(), normal, "{url:?}");
    assert!(parsed.is_equivalent(&url));
    let mut end = url.scheme().len() + 1;
    for (component, span) in url.spans() {
        assert!(end <= span.start && span.start <= span.end, "{component} at {span:?}, the one before ends at {end}");
        end = span.end;
    }
    assert!(end <= text.len());
    let fragment = url.fragment().map_or(0, |fragment| fragment.len() + 1);
    let whole = Url::parse(&text[..text.len() - fragment]).expect("a URL does not need its fragment");
    assert_eq!(whole.host(), url.host());
    let _ = url.warnings().count();
    if let Ok(joined) = url.join(reference) {
        // An absolute reference resolves to the same URL for every base.
        assert_eq!(parsed.join(&joined), joined.join(&joined));
    }
}
