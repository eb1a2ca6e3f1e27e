//! The table `corpus/explain.toml`: what `Extractor::explain` says about joins and cuts.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use crate::cpu;
use urlspool::{Event, Extractor};

/// A step of an explanation as the number of the rule and the sentence, such as `2.2 The URL ends …`.
fn steps(text: &str, format: &str) -> Vec<String> {
    let extractor = Extractor::new();
    let mut steps = Vec::new();
    let _ = extractor.clone().set("format", format).unwrap().read(text.as_bytes()).each(&mut |event: Event<'_>| {
        steps.extend(
            extractor
                .explain(event)
                .into_iter()
                .map(|(_, rule, sentence)| format!("{} {sentence}", rule.split(' ').next().unwrap_or_default())),
        );
        ControlFlow::Continue(())
    });
    steps
}

/// Each row has a text, its `format` if it is not `text`, and parts of steps that must be in its explanation, in this
/// order. Each part has the number of the rule and the beginning or the end of the sentence. If a row has
/// `others = false`, there are no other steps.
#[test]
fn joins_and_cuts_are_explained() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/explain.toml");
    let table: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let rows = table["case"].as_array().unwrap();
    assert!(rows.len() > 40, "{} rows", rows.len());
    for row in rows {
        let (name, text) = (row["name"].as_str().unwrap(), row["text"].as_str().unwrap());
        let steps = steps(text, row.get("format").map_or("text", |format| format.as_str().unwrap()));
        let mut rest = steps.iter();
        for want in row["want"].as_array().unwrap() {
            let want = want.as_str().unwrap();
            let (rule, words) = want.split_once(' ').unwrap();
            let is_it = |step: &String| step.split(' ').next() == Some(rule) && step.contains(words);
            assert!(rest.any(is_it), "{name}: {want}\n{steps:#?}");
        }
        let may_have_others = row.get("others").is_none_or(|others| others.as_bool().unwrap());
        assert!(may_have_others || steps.len() == row["want"].as_array().unwrap().len(), "{name}: {steps:#?}");
    }
}

/// One long line with many URLs, or with many texts that are not URLs, takes linear time.
#[test]
fn explanations_take_linear_time() {
    for unit in [
        "a: ",
        "a:",
        "foo://",
        "xhttp://a ",
        "%20http://a.b ",
        "www.a ",
        "www.a.example ",
        "http://a.example/ ",
        "http://[::1",
    ] {
        let time = |size: usize| cpu::time(|| steps(&unit.repeat(size / unit.len()), "text"));
        // The machine may be busy, so one of several attempts is enough.
        let is_linear = || time(80 << 10) < time(20 << 10).max(Duration::from_millis(5)) * 9;
        assert!((0..4).any(|_| is_linear()), "{unit}");
    }
}

/// An owned hit has no text around it, so only its URL is explained. Other events have no steps.
#[test]
fn owned_hits_and_other_events() {
    let extractor = Extractor::new();
    let hits = extractor.message("Subject: x\n\nSee http://a.example/b.\n");
    let steps = extractor.explain(Event::Hit(&hits[0]));
    assert_eq!(steps, [(3, "4. The grammar decides", "RFC 1738 allows the URL.".to_owned())]);
    assert_eq!(extractor.explain(Event::Check), []);
}
