//! Tests `report`. The page must have the same numbers as the JSON output, and must work in a real browser.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::support::corpus;
use crate::world::{World, finish};

/// Returns the JSON data in the page of a report.
fn figures(page: &str) -> Value {
    let (_, data) = page.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

/// Calls `name` for each object. Returns the number of objects for each name.
fn count<K: Ord>(objects: &[Map<String, Value>], name: impl Fn(&Map<String, Value>) -> Option<K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for name in objects.iter().filter_map(name) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// Returns a map from the first element of each row to the element at index `number`.
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

/// Returns the month of the message's date, such as `2004-03`.
fn month(object: &Map<String, Value>) -> Option<&str> {
    object.get("date")?.as_str()?.get(..7)
}

/// Returns the expected row for the hits of one URL: the URL, the count, and the location and date of the first hit.
fn url_row(hits: &[&Map<String, Value>], paths: &Value) -> Value {
    let first = hits[0];
    let files = paths.as_array().unwrap();
    let file = files.iter().position(|file| file[0] == first["file"]).unwrap();
    let date = word(first, "date").map(|date| date.replace(['-', ':', 'T', 'Z'], ""));
    json!([first["url"], hits.len(), file, first.get("message"), first.get("line"), date])
}

/// Returns the expected rows of the most frequent URLs. URLs with equal counts are in byte order.
fn most_frequent<'h>(hits: impl IntoIterator<Item = &'h Map<String, Value>>, paths: &Value, most: usize) -> Vec<Value> {
    let mut by_url = BTreeMap::<_, Vec<_>>::new();
    for hit in hits {
        by_url.entry(word(hit, "url")).or_default().push(hit);
    }
    let mut by_url: Vec<_> = by_url.into_values().collect();
    by_url.sort_by_key(|hits| std::cmp::Reverse(hits.len()));
    by_url.iter().take(most).map(|hits| url_row(hits, paths)).collect()
}

#[test]
fn all_figures_match_the_json_output() {
    let world = World::new("report");
    let corpus = corpus("");
    let arguments = |options: &str| -> Vec<String> {
        options.split_whitespace().map(str::to_owned).chain([corpus.to_str().unwrap().to_owned()]).collect()
    };
    let run = |options: &str| finish(world.command(arguments(options)).spawn().unwrap());
    let report = run("report -o page.html");
    assert_eq!((report.status, report.stdout.len()), (Some(0), 0));
    let page = fs::read_to_string(world.path("page.html")).unwrap();
    let data = figures(&page);
    let hits = run("--json").json();
    let rejects = run("--json --rejects").json();
    let notes = String::from_utf8(run("-v").stderr).unwrap();

    assert_eq!(data["urls"], hits.len());
    assert_eq!(pairs(&data["schemes"], 1), count(&hits, |hit| word(hit, "scheme")));
    assert_eq!(pairs(&data["tiers"], 2), count(&hits, |hit| word(hit, "tier")));
    assert_eq!(pairs(&data["forms"], 2), count(&hits, |hit| word(hit, "form")));
    let rejoined: Vec<_> = hits.iter().filter(|hit| hit["rejoined"] == true).cloned().collect();
    let mut broken = pairs(&data["forms"], 3);
    broken.retain(|_, count| *count > 0);
    assert_eq!(broken, count(&rejoined, |hit| word(hit, "form")));

    let time = &data["time"];
    assert_eq!(time["unit"], "month");
    let undated = hits.iter().filter(|hit| month(hit).is_none()).count();
    assert_eq!((&time["undated"], &time["future"], &time["outside"]), (&json!(undated), &json!(0), &json!([])));
    let labels: Vec<&str> = time["labels"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
    assert_eq!(
        (labels.first(), labels.last()),
        (hits.iter().flat_map(month).min().as_ref(), hits.iter().flat_map(month).max().as_ref())
    );
    let in_brackets = |hit: &Map<String, Value>| matches!(hit["form"].as_str(), Some("wrapped" | "angle"));
    for (label, row) in labels.iter().zip(time["wrappers"].as_array().unwrap()) {
        let is_meant = |hit: &&Map<String, Value>| in_brackets(hit) && month(hit) == Some(label);
        let want = [hits.iter().filter(is_meant).count(), rejoined.iter().filter(is_meant).count()];
        assert_eq!(*row, json!(want), "{label}");
    }
    let months = count(&hits, |hit| Some((month(hit)?.to_owned(), word(hit, "scheme")?)));
    let series = time["series"].as_array().unwrap();
    let names: Vec<&str> = series.iter().map(|row| row[0].as_str().unwrap()).collect();
    for (name, row) in names.iter().zip(series) {
        for (label, got) in labels.iter().zip(row[1].as_array().unwrap()) {
            let is_meant = |scheme: &str| scheme == *name || *name == "other" && !names.contains(&scheme);
            let want: u64 =
                months.iter().filter(|((month, scheme), _)| month == label && is_meant(scheme)).map(|(_, n)| n).sum();
            assert_eq!(*got, want, "{name} {label}");
        }
    }

    let paths = &data["paths"];
    assert_eq!(data["top"], json!(most_frequent(&hits, paths, 500)));
    let zones = run("--json --fields url,zone,element,attribute").json();
    let is_own = |at: &usize| {
        let zone = &zones[*at];
        let is = |field, value: &str| zone.get(field).is_some_and(|found| found == value);
        !is("zone", "footer") && !is("element", "img") && !is("attribute", "background")
    };
    let own: Vec<_> = (0..hits.len()).filter(is_own).map(|at| hits[at].clone()).collect();
    let own_urls = count(&own, |hit| word(hit, "url"));
    let top = pairs(&data["own_top"], 1);
    assert!(own.len() < hits.len() && top.len() == 500 && top.iter().all(|(url, count)| own_urls[url] == *count));
    let host = |hit: &Map<String, Value>| word(hit, "host").filter(|host| !host.is_empty());
    let own_hosts = count(&own, |hit| host(hit).map(|host| host.to_ascii_lowercase()));
    assert_eq!(pairs(&data["own_hosts"]["rows"], 1), own_hosts);
    assert_eq!(pairs(&data["senders"]["rows"], 1), count(&hits, |hit| word(hit, "from")));
    assert_eq!(pairs(&data["lists"]["rows"], 1), count(&hits, |hit| word(hit, "list_id")));
    assert_eq!(data["distinct"], count(&hits, |hit| word(hit, "url")).len());
    let hosts =
        count(&hits, |hit| word(hit, "host").filter(|host| !host.is_empty()).map(|host| host.to_ascii_lowercase()));
    assert_eq!(data["hosts"]["count"], hosts.len());
    assert_eq!(data["hosts"]["urls"], hosts.values().sum::<u64>());
    assert_eq!(pairs(&data["hosts"]["rows"], 1), hosts);
    for row in data["hosts"]["rows"].as_array().unwrap() {
        let name = row[0].as_str().unwrap();
        let is_own = |hit: &&Map<String, Value>| word(hit, "host").is_some_and(|host| host.eq_ignore_ascii_case(name));
        let own: Vec<_> = hits.iter().filter(is_own).cloned().collect();
        assert_eq!(row[2], count(&own, |hit| word(hit, "url")).len(), "{row}");
        let mut schemes: Vec<_> = count(&own, |hit| word(hit, "scheme")).into_iter().collect();
        schemes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        assert_eq!(row[3], json!(schemes.into_iter().map(|(name, _)| name).collect::<Vec<_>>()), "{row}");
        let when = || own.iter().flat_map(month);
        assert_eq!((&row[4], &row[5]), (&json!(when().min()), &json!(when().max())), "{row}");
        assert_eq!(row[6], json!(most_frequent(&own, paths, 5)), "{row}");
    }

    assert_eq!(pairs(&data["rejects"], 2), count(&rejects, |reject| word(reject, "reason")));
    let listed: Vec<_> = data["rejected"].as_array().unwrap().iter().map(|row| row[0].clone()).collect();
    let texts: Vec<_> = rejects.iter().take(200).map(|reject| reject["url"].clone()).collect();
    assert_eq!(listed, texts);
    let damage: u64 = pairs(&data["notes"], 2).values().sum();
    let is_damage = |line: &&str| line.contains(": offset ") && !line.contains(": not searched: ");
    assert_eq!(damage, notes.lines().filter(is_damage).count() as u64);
    let trouble: (u64, u64) = data["trouble"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .fold((0, 0), |sum, row| (sum.0 + row[1].as_u64().unwrap(), sum.1 + row[2].as_u64().unwrap()));
    assert_eq!(trouble, (rejects.len() as u64, damage));
    for kinds in ["forms", "tiers", "rejects", "notes"] {
        let rows = data[kinds].as_array().unwrap();
        assert!(rows.iter().all(|row| row[1].as_str().unwrap().len() > 3), "words for {rows:?}");
    }
    assert_eq!(data["files"], notes.lines().filter(|line| line.contains(": read as ")).count());

    // The page does not depend on the number of threads.
    assert_eq!(run("report -o one.html -j1").status, Some(0));
    let mut one = figures(&fs::read_to_string(world.path("one.html")).unwrap());
    one["made"] = data["made"].clone();
    assert!(one == data);
    open_in_browser(&world.path("page.html"));
}

/// Text from a hostile mailbox cannot inject HTML into the page.
#[test]
fn text_from_an_archive_stays_text() {
    let text = "http://</script><script>alert(1)</script>.example.org/ <http:///<img src=x onerror=alert(1)>\n\
                <URL:http://www.example.org/\"onload=alert(1)> http://\u{202e}x.example.org/\n\
                http://www.example.org/\u{2066}a\u{200f} javascript://www.example.org/%0aalert(1)\n\
                <URL:javascript:alert(1)> http://www.example.org/`<b>`\n\
                http://www.example.org/\n";
    let name = "<b>&\"\u{fc} \u{202e}a";
    let mail = format!("Date: Mon, 5 Jan 1998 12:00:00 GMT\nMessage-ID: <\"<img src=x>\"@x>\n\n{text}");
    let world = World::new("report-hostile").file(name, mail);
    let child = world.command(["report", "-o", "page.html", name, "<img src=x>"]).spawn().unwrap();
    assert_eq!(finish(child).status, Some(2));
    let page = fs::read_to_string(world.path("page.html")).unwrap();
    assert!(!page.contains("<img") && !page.contains("alert(1)</script>"));
    assert!(page.contains("<title>URLs in &lt;b>&amp;\"\u{fc} \\u{202e}a, &lt;img src=x></title>"));
    open_in_browser(&world.path("page.html"));
    // urlspool also makes a page for an empty archive.
    let world = World::new("report-empty").file("empty", "");
    world.run("report -o page.html empty").prints(1, "");
    open_in_browser(&world.path("page.html"));
}

/// Makes a report of messages from these years. Each message has one URL. Returns the folder and the JSON data of the
/// report.
fn of_years(name: &str, years: impl IntoIterator<Item = u32>) -> (World, Value) {
    let messages = years.into_iter().enumerate().map(|(at, year)| {
        format!("From a Mon Jan  5 12:00:00 2004\nDate: 5 Jan {year} 12:00:00 GMT\n\n<http://{at}.example.org/>\n\n")
    });
    let world = World::new(name).file("box", messages.collect::<String>());
    world.run("report -o page.html box").prints(0, "");
    let figures = figures(&fs::read_to_string(world.path("page.html")).unwrap());
    (world, figures)
}

#[test]
fn bad_dates_do_not_stretch_the_axis() {
    let (world, data) = of_years("report-dates", [1998; 12].into_iter().chain([3609, 1980]));
    let want = json!({
        "unit": "month", "labels": ["1998-01"], "series": [["http", [12]]], "wrappers": [[12, 0]], "undated": 0, "future": 1,
        "outside": [[1980, 1]],
    });
    assert_eq!(data["time"], want);
    open_in_browser(&world.path("page.html"));
    let (world, data) = of_years("report-years", 1990..2003);
    assert_eq!((&data["time"]["unit"], &data["time"]["labels"][12]), (&json!("year"), &json!("2002")));
    open_in_browser(&world.path("page.html"));
}

#[test]
fn the_report_says_what_it_was_made_of() {
    let world = World::with_box("report-about");
    let about = |arguments: &str| {
        world.run(arguments);
        let data = figures(&fs::read_to_string(world.path("page.html")).unwrap());
        json!([data["title"], data["inputs"], data["options"]])
    };
    let table = [
        ("report -o page.html box", json!(["box", ["box"], []])),
        (
            "report -o page.html -j2 --scheme http,ftp --tier rfc1738 --since 1998 box box box box",
            json!([
                "box, box, box and 1 more",
                ["box", "box", "box", "box"],
                ["--scheme http,ftp", "--tier rfc1738", "--since 1998"]
            ]),
        ),
        ("report -o page.html", json!(["standard input", [], []])),
        ("report -o page.html --files-from -", json!(["a list of files", [], ["--files-from -"]])),
    ];
    for (arguments, want) in table {
        assert_eq!(about(arguments), want, "{arguments}");
    }
    let made = figures(&fs::read_to_string(world.path("page.html")).unwrap())["made"].clone();
    let year = jiff::Zoned::now().year().to_string();
    assert!(made.as_str().unwrap().starts_with(&year) && made.as_str().unwrap().ends_with(" UTC"), "{made}");
}

#[test]
fn files_that_could_not_be_read_are_listed() {
    let cut = {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, crate::world::BOX.repeat(50).as_bytes()).unwrap();
        let mut packed = packed.finish().unwrap();
        packed.truncate(packed.len() - 30);
        packed
    };
    let world = World::with_box("report-unread").file("cut.gz", cut);
    let run = world.run("report -o page.html box missing cut.gz");
    assert_eq!(run.status, Some(2));
    let data = figures(&fs::read_to_string(world.path("page.html")).unwrap());
    let rows = data["unread"]["rows"].as_array().unwrap();
    let name = |row: &Value| data["paths"][usize::try_from(row[0].as_u64().unwrap()).unwrap()][0].clone();
    let listed: Vec<_> = rows
        .iter()
        .map(|row| format!("urlspool: {}: {}", name(row).as_str().unwrap(), row[1].as_str().unwrap()))
        .collect();
    assert_eq!(listed, String::from_utf8(run.stderr).unwrap().lines().collect::<Vec<_>>());
    assert_eq!((listed.len(), &data["unread"]["count"]), (2, &json!(2)));
    open_in_browser(&world.path("page.html"));
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let world = World::with_box("report-misuse");
    world.run("report -o missing/page.html box").complains("missing/page.html: cannot write the report: ");
    world
        .run("report -o page.html --json box")
        .complains("--json is an option of find, count, check, tee and files, not of report; remove it");
    world.run("report -o page.html -u box").complains("-u is an option of find and count, not of report; remove it");
    #[cfg(target_os = "linux")]
    world
        .run("report -o /dev/full box")
        .complains("/dev/full: cannot write the report: the file exists, and urlspool did not write it");
}

/// A run must leave no unfinished report behind, because a later run could read it as an input.
#[test]
fn no_file_exists_before_the_report_is_written() {
    let world = World::with_box("report-begun");
    let mut child = world.command(["report", "-o", "page.html"]).stdin(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take().unwrap();
    sleep(Duration::from_millis(500));
    let names = || fs::read_dir(world.dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(names(), ["box"]);
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(names().len(), 2);
}

#[test]
fn a_report_does_not_replace_what_appeared_meanwhile() {
    let world = World::with_box("report-meanwhile");
    let mut child = world.command(["report", "-o", "page.html"]).stdin(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take().unwrap();
    sleep(Duration::from_millis(500));
    fs::write(world.path("page.html"), "somebody's work").unwrap();
    drop(input);
    let run = finish(child);
    assert_eq!(run.status, Some(2));
    let message =
        "urlspool: cannot write page.html: the file exists, and urlspool did not write it; give another name\n";
    assert_eq!(String::from_utf8_lossy(&run.stderr), message);
    assert_eq!(fs::read_to_string(world.path("page.html")).unwrap(), "somebody's work");
    assert_eq!(fs::read_dir(world.dir()).unwrap().count(), 2);
}

/// Opens the page in a real browser, if there is one.
fn open_in_browser(page: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report_browser.py");
    let run = match Command::new("python3").arg(script).arg(page).output() {
        Ok(run) => run,
        Err(error) => return eprintln!("the page was not opened: python3: {error}"),
    };
    let stderr = String::from_utf8_lossy(&run.stderr);
    match run.status.code() {
        Some(77) => eprint!("{stderr}"),
        status => assert_eq!(status, Some(0), "{}: {stderr}", page.display()),
    }
}

#[cfg(unix)]
#[test]
fn the_earlier_report_is_not_searched() {
    let world = World::new("report-again").file("all/text", "http://a.example/\n");
    let pages = [(); 2].map(|()| {
        assert_eq!(world.run("report -o all/page.html all").status, Some(0));
        let mut page = figures(&fs::read_to_string(world.path("all/page.html")).unwrap());
        // The minute can change between the two runs.
        page["made"].take();
        page
    });
    assert_eq!(pages[0], pages[1]);
}

#[test]
fn only_a_report_is_overwritten() {
    let world = World::with_box("report-over");
    let mail = fs::read(world.path("box")).unwrap();
    world
        .run("report -o box box")
        .complains("box: cannot write the report: the file exists, and urlspool did not write it");
    assert_eq!(fs::read(world.path("box")).unwrap(), mail);
    for _ in 0..2 {
        assert_eq!(world.run("report -o page.html box").status, Some(0));
    }
    let page = fs::read(world.path("page.html")).unwrap();
    world.run("report -o page.html box --scheme http,").complains("the name of a scheme is empty");
    assert_eq!(fs::read(world.path("page.html")).unwrap(), page);
    assert_eq!(world.run("report -o page.html bxo").status, Some(2));
    assert_eq!(fs::read(world.path("page.html")).unwrap(), page);
    world.run("report -o nowhere/page.html box").complains("nowhere/page.html: cannot write the report");
    let names = fs::read_dir(world.dir()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.ends_with(".part")));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("page.html", world.dir().join("link.html")).unwrap();
        assert_eq!(world.run("report -o link.html box").status, Some(0));
        assert!(fs::symlink_metadata(world.dir().join("link.html")).unwrap().is_symlink());
        std::os::unix::fs::symlink("gone.html", world.dir().join("dangling.html")).unwrap();
        let message = "dangling.html: cannot write the report: dangling symbolic link (points to gone.html)";
        world.run("report -o dangling.html box").complains(message);
        assert!(!world.dir().join("gone.html").exists());
        use std::os::unix::fs::PermissionsExt;
        // URLs can contain secrets, so only the owner can read a new file. A file that exists keeps its mode.
        for (name, arguments) in [
            ("new.html", "report -o new.html box"),
            ("new.tsv", "-o new.tsv box"),
            ("new.state", "--state new.state box"),
        ] {
            for (before, mode) in [(None, 0o600), (Some(0o640), 0o640)] {
                if let Some(before) = before {
                    fs::set_permissions(world.path(name), fs::Permissions::from_mode(before)).unwrap();
                }
                assert!(world.run(arguments).status < Some(2), "{arguments}");
                assert_eq!(fs::metadata(world.path(name)).unwrap().permissions().mode() & 0o777, mode, "{arguments}");
            }
        }
        assert!(Command::new("mkfifo").arg(world.dir().join("fifo")).status().unwrap().success());
        world
            .run("report -o fifo box")
            .complains("fifo: cannot write the report: the file exists, and urlspool did not write it");
    }
}
