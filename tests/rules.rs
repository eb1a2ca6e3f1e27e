//! Checks that each rule of `src/scan/RULES.md` names two kinds of test cases: cases to which the rule applies, and
//! cases to which it does not apply. All of these cases must exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn rules() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scan/RULES.md")).unwrap().replace('\r', "")
}

/// Returns the file and the name of each case that `text` names in backticks.
fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let named = text.split('`').filter_map(|word| word.split_once('#'));
    named.filter(|(file, name)| {
        !file.is_empty() && file.bytes().all(|b| b.is_ascii_lowercase()) && !name.is_empty() && !name.starts_with(' ')
    })
}

#[test]
fn cases_named_as_evidence_exist() {
    let rules = rules();
    let named: BTreeSet<_> = cases(&rules).collect();
    assert!(named.len() > 60, "{} cases", named.len());
    for (file, name) in named {
        if file == "mail" {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/mail").join(name).with_extension("hits");
            assert!(path.exists(), "{file}#{name}");
            continue;
        }
        let directory = if file == "defanged" { "corpus" } else { "corpus/scan" };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory).join(file).with_extension("toml");
        let table = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}#{name}: {error}"));
        let table: toml::Table = table.parse().unwrap();
        let exists = table["case"].as_array().unwrap().iter().any(|row| row["name"].as_str() == Some(name));
        assert!(exists, "{file}#{name}");
    }
}

#[test]
fn every_rule_has_cases_on_both_sides() {
    let rules = rules();
    let from = rules.find("## 1.").unwrap();
    let to = rules.find("## 4.").unwrap();
    let scanner = [&rules[from..to], &rules[rules.find("## 6.").unwrap()..]].concat();
    let mut starts: Vec<usize> = scanner.match_indices("\n**").map(|(at, _)| at + 3).collect();
    starts.push(scanner.len());
    let mut numbers = BTreeSet::new();
    for window in starts.windows(2) {
        let rule = scanner[window[0]..window[1]].split_whitespace().collect::<Vec<_>>().join(" ");
        let number = rule.split(' ').next().unwrap().to_owned();
        assert!(
            number.starts_with(['1', '2', '3', '6']) && number[1..].starts_with('.'),
            "a rule without a number: {rule}"
        );
        assert!(numbers.insert(number.clone()), "two rules {number}");
        let Some((holds, not)) = rule.rsplit_once("Does not apply to:") else {
            panic!("{number} names no exceptions: \"Does not apply to:\"")
        };
        assert!(
            holds.contains("Applies to:") && cases(holds).next().is_some(),
            "{number} names no case to which it applies"
        );
        assert!(cases(not).next().is_some(), "{number} names no case to which it does not apply");
    }
    assert!(numbers.len() > 20, "{numbers:?}");
}
