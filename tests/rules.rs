//! Holds `src/scan/RULES.md` to its word: the cases that it names as evidence exist.

use std::fs;
use std::path::Path;

#[test]
fn cases_named_as_evidence_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = fs::read_to_string(root.join("src/scan/RULES.md")).unwrap();
    let cases: Vec<&str> = rules.split('`').filter(|word| word.starts_with("scan/") && word.contains('#')).collect();
    let cases: Vec<_> = cases.into_iter().filter(|case| !case.contains('<')).collect();
    assert!(cases.len() > 30, "{} cases", cases.len());
    for case in cases {
        let (file, name) = case.split_once('#').unwrap();
        let table = fs::read_to_string(root.join("corpus").join(file)).unwrap();
        let table: toml::Table = table.parse().unwrap();
        let exists = table["case"].as_array().unwrap().iter().any(|row| row["name"].as_str() == Some(name));
        assert!(exists, "{case}");
    }
}
