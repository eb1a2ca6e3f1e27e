//! Tests `--parquet` by reading the file with the crate that wrote it. `tests/data_tools.py` reads Parquet output with
//! other programs.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Map, Value};

use crate::world::World;

/// Returns the rows as the JSON objects that `--json` would print.
fn rows(path: &Path) -> Vec<Map<String, Value>> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let row =
        |row: parquet::record::Row| row.get_column_iter().map(|(name, field)| (name.clone(), json(field))).collect();
    reader.get_row_iter(None).unwrap().map(|one| row(one.unwrap())).collect()
}

fn json(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Long(value) => (*value).into(),
        Field::Str(text) => text.clone().into(),
        Field::TimestampMicros(micros) => jiff::Timestamp::from_microsecond(*micros).unwrap().to_string().into(),
        Field::ListInternal(list) => list.elements().iter().map(json).collect(),
        Field::Group(group) => {
            group.get_column_iter().map(|(name, field)| (name.clone(), json(field))).collect::<Map<_, _>>().into()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn rows_are_those_of_json() {
    let world = World::new("parquet");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    for options in ["", "--rejects", "--fields all --defanged", "--fields warnings,date,url -u", "--sort --in headers"]
    {
        let arguments = format!("{options} {}", corpus.display());
        let run = world.run(&format!("--parquet urls.parquet {arguments}"));
        assert_eq!(String::from_utf8_lossy(&run.stdout), "");
        let want = world.run(&format!("--json {arguments}")).stdout;
        let want: Vec<Map<String, Value>> =
            std::str::from_utf8(&want).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let got = rows(&world.path("urls.parquet"));
        assert_eq!(got.len(), want.len(), "{options}");
        assert!(want.len() > 30, "{options}: {}", want.len());
        for (mut got, mut want) in got.into_iter().zip(want) {
            // With `--fields`, `--json` leaves out what has no value.
            got.retain(|_, value| !value.is_null());
            want.retain(|_, value| !value.is_null());
            assert_eq!(got, want, "{options}");
        }
    }
    // No temporary file remains.
    assert_eq!(std::fs::read_dir(world.dir()).unwrap().count(), 1);
}

#[test]
fn what_is_there_is_kept_until_the_end() {
    let world = World::with_box("parquet-place").file("mail", "From: a@example.org\n");
    world
        .run("--parquet mail box")
        .complains("mail: cannot write the Parquet file: the file exists, and urlspool did not write it");
    world.run("--parquet none/urls box").complains("create its directory first");
    world.run("--parquet - box").complains("--parquet needs the name of a file");
    world.run("--parquet urls --json box").complains("more than one output format");
    world.run("--parquet urls --scheme irc box").explains("6 URLs were found, and --scheme removed them all");
    assert_eq!(rows(&world.path("urls")).len(), 0);
    world.run("--parquet urls box").prints(0, "");
    assert_eq!(rows(&world.path("urls")).len(), 6);
}
