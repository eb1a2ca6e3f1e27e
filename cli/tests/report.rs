//! `--report`: what the page says is what the JSON lines say, and a real browser shows it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::support::corpus;
use crate::world::World;

/// The figures in a page.
fn figures(page: &str) -> Value {
    let (_, data) = page.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

/// How many of `objects` there are of each name that `name` gives them.
fn count<K: Ord>(objects: &[Map<String, Value>], name: impl Fn(&Map<String, Value>) -> Option<K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for name in objects.iter().filter_map(name) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// Names and numbers of a list of pairs.
fn pairs(list: &Value, number: usize) -> BTreeMap<String, u64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|row| (row[0].as_str().unwrap().to_owned(), row[number].as_u64().unwrap()))
        .collect()
}

fn word(object: &Map<String, Value>, field: &str) -> Option<String> {
    object.get(field)?.as_str().map(str::to_owned)
}

fn year(object: &Map<String, Value>) -> Option<u64> {
    object.get("date")?.as_str()?.get(..4)?.parse().ok()
}

#[test]
fn every_figure_is_that_of_the_json_lines() {
    let world = World::new("report");
    let corpus = corpus("");
    let arguments = |options: &str| -> Vec<String> {
        options.split_whitespace().map(str::to_owned).chain([corpus.to_str().unwrap().to_owned()]).collect()
    };
    let run = |options: &str| crate::world::finish(world.command(arguments(options)).spawn().unwrap());
    let report = run("--report page.html");
    report.prints(0, "");
    let page = fs::read_to_string(world.path("page.html")).unwrap();
    let data = figures(&page);
    let hits = run("--json").json();
    let rejects = run("--json --rejects").json();
    let notes = String::from_utf8(run("-v -c").stderr).unwrap();

    assert_eq!(data["urls"], hits.len());
    assert_eq!(pairs(&data["schemes"], 1), count(&hits, |hit| word(hit, "scheme")));
    assert_eq!(pairs(&data["tiers"], 1), count(&hits, |hit| word(hit, "tier")));
    assert_eq!(pairs(&data["forms"], 1), count(&hits, |hit| word(hit, "form")));
    let rejoined: Vec<_> = hits.iter().filter(|hit| hit["rejoined"] == true).cloned().collect();
    let mut broken = pairs(&data["forms"], 2);
    broken.retain(|_, count| *count > 0);
    assert_eq!(broken, count(&rejoined, |hit| word(hit, "form")));

    let in_brackets = |hit: &Map<String, Value>| matches!(hit["form"].as_str(), Some("wrapped" | "angle"));
    for row in data["wrappers"].as_array().unwrap() {
        let of_year = |hit: &&Map<String, Value>| in_brackets(hit) && year(hit) == row[0].as_u64();
        assert_eq!(row[1], hits.iter().filter(of_year).count(), "{row}");
        assert_eq!(row[2], rejoined.iter().filter(of_year).count(), "{row}");
    }

    let years = count(&hits, |hit| Some((year(hit)?, word(hit, "scheme")?)));
    let undated = hits.iter().filter(|hit| year(hit).is_none()).count();
    assert_eq!((&data["years"]["undated"], &data["years"]["future"]), (&undated.into(), &0.into()));
    let labels: Vec<u64> =
        data["years"]["labels"].as_array().unwrap().iter().map(|year| year.as_u64().unwrap()).collect();
    let series = data["years"]["series"].as_array().unwrap();
    let names: Vec<&str> = series.iter().map(|row| row[0].as_str().unwrap()).collect();
    for (name, row) in names.iter().zip(series) {
        for (label, got) in labels.iter().zip(row[1].as_array().unwrap()) {
            let is_meant = |scheme: &str| scheme == *name || *name == "other" && !names.contains(&scheme);
            let want: u64 =
                years.iter().filter(|((year, scheme), _)| year == label && is_meant(scheme)).map(|(_, n)| n).sum();
            assert_eq!(*got, want, "{name} {label}");
        }
    }

    let hosts =
        count(&hits, |hit| word(hit, "host").filter(|host| !host.is_empty()).map(|host| host.to_ascii_lowercase()));
    assert_eq!(data["hosts"]["count"], hosts.len());
    assert_eq!(data["hosts"]["urls"], hosts.values().sum::<u64>());
    assert_eq!(pairs(&data["hosts"]["rows"], 1), hosts);
    let paths = &data["paths"];
    for row in data["hosts"]["rows"].as_array().unwrap() {
        let own: Vec<_> = hits
            .iter()
            .filter(|hit| word(hit, "host").is_some_and(|host| host.eq_ignore_ascii_case(row[0].as_str().unwrap())))
            .collect();
        let places = row[4].as_array().unwrap();
        assert_eq!(places.len(), own.len().min(5), "{row}");
        for (place, hit) in places.iter().zip(&own) {
            let file = &paths[usize::try_from(place[0].as_u64().unwrap()).unwrap()];
            assert_eq!((&file[0], &place[3]), (&hit["file"], &hit["url"]));
            let none = Value::Null;
            assert_eq!((&place[1], &place[2]), (hit.get("message").unwrap_or(&none), hit.get("line").unwrap_or(&none)));
        }
        let when: Vec<u64> = own.iter().filter_map(|hit| year(hit)).collect();
        let span = when.iter().min().zip(when.iter().max()).map(|(first, last)| vec![*first, *last]);
        assert_eq!(serde_json::to_value(span).unwrap(), row[3], "{row}");
    }

    assert_eq!(pairs(&data["rejects"], 1), count(&rejects, |reject| word(reject, "reason")));
    let listed: Vec<_> = data["rejected"].as_array().unwrap().iter().map(|row| row[1][3].clone()).collect();
    let texts: Vec<_> = rejects.iter().take(200).map(|reject| reject["url"].clone()).collect();
    assert_eq!(listed, texts);
    let damage: u64 = pairs(&data["notes"], 1).values().sum();
    assert_eq!(damage, notes.lines().filter(|line| line.contains(": offset ")).count() as u64);
    let trouble: (u64, u64) = data["trouble"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .fold((0, 0), |sum, row| (sum.0 + row[1].as_u64().unwrap(), sum.1 + row[2].as_u64().unwrap()));
    assert_eq!(trouble, (rejects.len() as u64, damage));
    assert_eq!(data["files"], notes.lines().filter(|line| line.contains(": read as ")).count());

    // The same whatever the threads.
    run("-j1 --report one.html").prints(0, "");
    assert!(fs::read_to_string(world.path("one.html")).unwrap() == page);
    look_at(&world.path("page.html"));
}

/// A mailbox from hostile hands: nothing of it becomes part of the page.
#[test]
fn what_an_archive_holds_stays_text() {
    let text = "http://</script><script>alert(1)</script>.example.org/ <http:///<img src=x onerror=alert(1)>\n\
                <URL:http://www.example.org/\"onload=alert(1)> http://\u{202e}x.example.org/\n\
                http://www.example.org/\n";
    let world = World::new("report-hostile").file("<b>&\"\u{fc} a", text);
    let child = world.command(["--report", "page.html", "<b>&\"\u{fc} a"]).spawn().unwrap();
    assert_eq!(crate::world::finish(child).status, Some(0));
    look_at(&world.path("page.html"));
    // Nothing at all is a page, too.
    let world = World::new("report-empty").file("empty", "");
    world.run("--report page.html empty").prints(1, "");
    look_at(&world.path("page.html"));
}

#[test]
fn dates_in_the_future_have_no_year() {
    let world = World::new("report-future")
        .file("a", "Date: Mon, 5 Jan 1998 12:00:00 GMT\n\n<http://a.example.org/>\n")
        .file("b", "Date: Mon, 5 Jan 3609 12:00:00 GMT\n\n<http://b.example.org/>\n");
    world.run("--report page.html a b").prints(0, "");
    let years = figures(&fs::read_to_string(world.path("page.html")).unwrap())["years"].clone();
    let want = r#"{"labels":[1998],"series":[["http",[1]]],"undated":0,"future":1}"#;
    assert_eq!(years, serde_json::from_str::<Value>(want).unwrap());
}

#[test]
fn a_report_that_cannot_be_written() {
    let world = World::with_box("report-misuse");
    world.run("--report missing/page.html box").complains("missing/page.html: the report cannot be written: ");
    world.run("--report page.html --json box").complains("there can be one form of output");
    world.run("--report page.html -u box").complains("--report prints nothing, and counts every sight");
    #[cfg(target_os = "linux")]
    world
        .run("--report /dev/full box")
        .complains("/dev/full: the report cannot be written: there is something of that name");
}

/// During the work nothing lies beside it, for what walks the directory to meet, or to be left when the work is broken off.
#[test]
fn a_report_is_not_begun_before_all_is_counted() {
    let world = World::with_box("report-begun");
    let mut child = world.command(["--report", "page.html"]).stdin(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take().unwrap();
    sleep(Duration::from_millis(500));
    let names = || fs::read_dir(world.dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(names(), ["box"]);
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(names().len(), 2);
}

/// Has a real browser open the page, if there is one.
fn look_at(page: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report_browser.py");
    let run = match Command::new("python3").arg(script).arg(page).output() {
        Ok(run) => run,
        Err(error) => return eprintln!("the page was not looked at: python3: {error}"),
    };
    let told = String::from_utf8_lossy(&run.stderr);
    match run.status.code() {
        Some(77) => eprint!("{told}"),
        status => assert_eq!(status, Some(0), "{}: {told}", page.display()),
    }
}

#[test]
fn nothing_but_a_report_is_written_over() {
    let world = World::with_box("report-over");
    let mail = fs::read(world.path("box")).unwrap();
    world.run("--report box box").complains("box: the report cannot be written: there is something of that name");
    assert_eq!(fs::read(world.path("box")).unwrap(), mail);
    for _ in 0..2 {
        assert_eq!(world.run("--report page.html box").status, Some(0));
    }
    let page = fs::read(world.path("page.html")).unwrap();
    world.run("--report page.html box --scheme http,").complains("a name is missing");
    assert_eq!(fs::read(world.path("page.html")).unwrap(), page);
    world.run("--report nowhere/page.html box").complains("nowhere/page.html: the report cannot be written");
    let names = fs::read_dir(world.dir()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.ends_with(".part")));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("page.html", world.dir().join("link.html")).unwrap();
        assert_eq!(world.run("--report link.html box").status, Some(0));
        assert!(fs::symlink_metadata(world.dir().join("link.html")).unwrap().is_symlink());
        assert!(Command::new("mkfifo").arg(world.dir().join("fifo")).status().unwrap().success());
        world.run("--report fifo box").complains("fifo: the report cannot be written: there is something of that name");
    }
}
