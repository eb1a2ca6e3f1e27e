//! Tests plain output and JSON output.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::world::{BOX, URLS, World};

#[test]
fn plain_output_is_one_url_per_line() {
    let world = World::with_box("plain");
    world.run("box").prints(0, URLS);
    world.run("box box").prints(0, &[URLS, URLS].concat());
    world.run(".").prints(0, URLS);
}

#[test]
fn fields_have_a_fixed_order_and_tabs() {
    let world = World::with_box("fields");
    let want = "\
box\t6\t174\thttp://ann.example.org/
box\t8\t214\thttp://lists.example.org/a?b#c
box\t9\t263\tftp://ftp.example.org/pub/read-me
box\t11\t356\thttp://www.example.org/~bob
box\t19\t575\thttp://lists.example.org/a?b#c
box\t20\t617\tgopher://gopher.example.org/1
";
    world.run("--fields file,line,offset,url box").prints(0, want);
    let columns = |options: &str, which: &[usize]| {
        let mut lines = String::new();
        for line in want.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let kept: Vec<&str> = which.iter().map(|n| fields[*n]).collect();
            writeln!(lines, "{}", kept.join("\t")).unwrap();
        }
        world.run(&format!("{options} box")).prints(0, &lines);
    };
    columns("-H", &[0, 3]);
    columns("--line-number", &[1, 3]);
    columns("find -n -H", &[0, 1, 3]);
    columns("--with-filename --line-number", &[0, 1, 3]);
}

#[test]
fn a_field_without_a_value_is_empty() {
    let world = World::new("empty-field").file("note", "No message: http://www.example.org/\n");
    world.run("--fields file,message_id,url note").prints(0, "note\t\thttp://www.example.org/\n");
}

#[test]
fn offsets_and_lines_are_those_of_the_file() {
    let world = World::with_box("offsets");
    for hit in world.run("--json box").json() {
        let offset = usize::try_from(hit["offset"].as_u64().unwrap()).unwrap();
        let length = usize::try_from(hit["length"].as_u64().unwrap()).unwrap();
        let stored: String = BOX[offset..offset + length].split_whitespace().collect();
        assert_eq!(hit["url"], stored);
        assert_eq!(hit["line"], BOX[..offset].matches('\n').count() + 1);
    }
}

#[test]
fn standard_input_is_named_with_a_dash() {
    let world = World::new("stdin");
    world.run_with("", BOX.as_bytes()).prints(0, URLS);
    world.run_with("-", BOX.as_bytes()).prints(0, URLS);
    let first = |arguments: &str| {
        let run = world.run_with(arguments, BOX.as_bytes());
        String::from_utf8(run.stdout).unwrap().lines().next().unwrap().to_owned()
    };
    assert_eq!(first("-Hn"), "-\t6\thttp://ann.example.org/");
    assert_eq!(first("count file"), "6\t-");
    assert_eq!(first("count file -"), "6\t-");
}

#[test]
fn json_has_every_field_and_null_where_there_is_none() {
    let world = World::with_box("json");
    let text = String::from_utf8(world.run("--json box").stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[2],
        concat!(
            r#"{"url":"ftp://ftp.example.org/pub/read-me","url_bytes":null,"form":"wrapped","tier":"rfc1738","#,
            r#""scheme":"ftp","host":"ftp.example.org","#,
            r#""fragment":null,"target":null,"targets":null,"#,
            r#""reason":null,"reason_offset":null,"file":"box","file_bytes":null,"member":null,"member_bytes":null,"#,
            r#""message":1,"message_offset":46,"message_length":351,"message_id":"one@example.org","#,
            r#""message_id_bytes":null,"date":"1998-01-05T10:00:00Z","from":"Ann <ann@example.org>","#,
            r#""subject":"Where things are","newsgroups":null,"newsgroups_bytes":null,"list_id":null,"#,
            r#""list_id_bytes":null,"part":"[1]","attachment":null,"header":null,"offset":263,"length":36,"exact":true,"line":9,"#,
            r#""quote_depth":0,"rejoined":true,"confidence":null,"recovered":false,"defanged":false,"element":null,"#,
            r#""attribute":null,"html_place":null,"link_text":null,"#,
            r#""alternatives":[{"url":"ftp://ftp.example.org/pub/readme","url_bytes":null,"reason":"hyphen"}],"#,
            r#""doubt":null,"trimmed":null,"warnings":null,"repeat":false}"#
        )
    );
    assert_eq!(lines.len(), 6);
    let mut keys: Vec<Vec<&str>> = Vec::new();
    for line in &lines {
        let hit: serde_json::Value = serde_json::from_str(line).unwrap();
        let names: Vec<_> =
            hit.as_object().unwrap().keys().map(|key| line.find(&format!("\"{key}\":")).unwrap()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        keys.push(sorted.iter().map(|at| line[at + 1..].split('"').next().unwrap()).collect());
    }
    assert!(keys.iter().all(|names| *names == keys[0]));
}

/// Checks all JSON objects that urlspool prints for the corpus, with and without `--rejects`. Each object must have the
/// fields of the schema, in the same order and with the right types.
#[test]
fn json_satisfies_its_schema() {
    use serde_json::Value;
    let world = World::new("schema");
    let schema: Value = serde_json::from_slice(&world.run("generate schema").stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let required: Vec<&str> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let (mut rows, mut seen) = (0, BTreeSet::new());
    let bytes = b"Message-ID: <\xff>\nNewsgroups: \xff\nList-Id: \xff\n\nhttp://a.example/ <http://b.example/\xff>\n";
    let world = world.file("bytes", bytes).file("tar", crate::support::store::tar(&[("m".to_owned(), bytes.to_vec())]));
    for options in ["--defanged", "--rejects"] {
        let text = world.run(&format!("--json {options} {} tar bytes", corpus.display())).stdout;
        for line in String::from_utf8(text).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let mut at = 0;
            for name in &required {
                let mark = format!("\"{name}\":");
                at += line[at..].find(&mark).unwrap_or_else(|| panic!("{name} in {line}")) + mark.len();
                let (value, property) = (&row[name], &schema["properties"][name]);
                let kind = match value {
                    Value::Null => "null",
                    Value::Bool(_) => "boolean",
                    Value::Number(number) if number.is_u64() => "integer",
                    Value::String(_) => "string",
                    Value::Array(items) => {
                        let item = &property["items"]["type"];
                        assert!(items.iter().all(|value| value.is_string() == (item == "string")), "{name}: {value}");
                        "array"
                    }
                    other => panic!("{name}: {other}"),
                };
                let allowed = &property["type"];
                let is_allowed = *allowed == kind || allowed.as_array().is_some_and(|all| all.contains(&kind.into()));
                assert!(is_allowed, "{name}: {value} is not {allowed}");
                if kind != "null" {
                    seen.insert(*name);
                }
            }
            assert_eq!(row.as_object().unwrap().len(), required.len(), "{line}");
            rows += 1;
        }
    }
    assert!(rows > 1000, "{rows}");
    let never: Vec<_> = required.iter().filter(|name| !seen.contains(*name)).collect();
    assert_eq!(never, [&"file_bytes", &"member_bytes"], "fields without a value in the corpus");
}

#[test]
fn fields_as_they_are_named() {
    let world = World::with_box("fields-named");
    world.run("--fields line,url,fragment --scheme http box").prints(
        0,
        "\
6\thttp://ann.example.org/\t
8\thttp://lists.example.org/a?b#c\tc
11\thttp://www.example.org/~bob\t
19\thttp://lists.example.org/a?b#c\tc
",
    );
    world
        .run("--csv --fields host,from --scheme gopher box")
        .prints(0, "host,from\ngopher.example.org,Bob <bob@example.org>\n");
    world.run("--fields subject,message --scheme gopher box").prints(0, "Re: Where things are\t2\n");
    world
        .run("--json --fields repeat,url --scheme gopher box")
        .prints(0, "{\"repeat\":false,\"url\":\"gopher://gopher.example.org/1\"}\n");
    // If `--fields` includes `url`, `-u` compares lines by their URL. Otherwise, `-u` compares whole lines.
    world.run("--fields domain -u box").prints(0, "example.org\n");
    world.run("--fields scheme,url --sort -u --scheme http box").prints(
        0,
        "http\thttp://ann.example.org/\nhttp\thttp://lists.example.org/a?b#c\nhttp\thttp://www.example.org/~bob\n",
    );
    world
        .run("--json --fields scheme -u box")
        .prints(0, "{\"scheme\":\"http\"}\n{\"scheme\":\"ftp\"}\n{\"scheme\":\"gopher\"}\n");
    world.run("--fields url,subjekt box").complains("--fields subjekt: did you mean subject?");
    world.run("--fields url,host,url box").complains("url is named twice");
    world.run("--fields url -H box").complains("--fields decides which fields are printed; remove --fields or -H");
}

#[test]
fn from_and_subject_are_decoded() {
    let message =
        "From: =?iso-8859-1?q?J=F6rg?=\n <j@example.org>\nSubject: a\n\tb =?utf-8?b?w7w=?=\n\nhttp://a.example/\n";
    let raw = b"Subject: \xff\xfe!\n\nhttp://b.example/\n";
    let world = World::new("decoded").file("m", message).file("raw", raw);
    world.run("--fields from,subject m").prints(0, "J\u{f6}rg <j@example.org>\ta b \u{fc}\n");
    world.run("--json --fields from,subject raw").prints(0, "{\"subject\":\"\u{ff}\u{fe}!\"}\n");
}

#[test]
fn fields_of_the_host() {
    let text =
        "http://WWW.Example.co.uk:80/%7eann/../b http://b\u{fc}cher.example/ http://10.0.0.1/ mailto:a@b.example\n";
    let world = World::new("hosts").file("t", text);
    world.run("--fields host,host_ascii,domain,normalized t").prints(
        0,
        "WWW.Example.co.uk\twww.example.co.uk\texample.co.uk\thttp://www.example.co.uk/b\n\
         b\u{fc}cher.example\txn--bcher-kva.example\txn--bcher-kva.example\thttp://b%C3%BCcher.example/\n\
         10.0.0.1\t10.0.0.1\t\thttp://10.0.0.1/\n\
         \t\t\tmailto:a@b.example\n",
    );
    let all = world.run("--json --fields all t").json();
    let usual = world.run("--json t").json();
    let extra: Vec<_> = all[0].keys().filter(|key| !usual[0].contains_key(*key)).collect();
    // The message has no date, so it has no month and no year. `--fields` leaves out fields without a value.
    assert_eq!(extra, ["context", "domain", "host_ascii", "normalized", "wayback", "zone"]);
    world.run("--fields all,url t").complains("`all` means every field");
}

#[test]
fn json_has_headers_groups_lists_warnings_and_dup() {
    let article = "\
Path: news.example.org!not-for-mail
From: eve@example.org
Newsgroups: comp.infosystems.test,alt.test
List-Id: A list <list.example.org>
Subject: http://me:secret@www.example.org:81/
Message-ID: <art@example.org>
Content-Type: multipart/alternative; boundary=x

--x
Content-Type: text/plain

HTTP://WWW.Example.ORG/
--x
Content-Type: text/html

<a href=\"HTTP://WWW.Example.ORG/\">w</a>
--x--
";
    let hits = World::new("json-news").file("1", article).run("--json 1").json();
    assert_eq!(hits.len(), 3, "{hits:?}");
    assert_eq!(hits[0]["header"], "Subject");
    assert_eq!(hits[0]["newsgroups"], "comp.infosystems.test,alt.test");
    assert_eq!(hits[0]["list_id"], "list.example.org");
    let warnings: BTreeSet<&str> = hits[0]["warnings"].as_array().unwrap().iter().filter_map(|w| w.as_str()).collect();
    assert_eq!(warnings, BTreeSet::from(["password", "port-not-default", "port-reserved"]));
    assert_eq!((&hits[1]["scheme"], &hits[1]["host"]), (&"http".into(), &"WWW.Example.ORG".into()));
    assert_eq!(hits[1]["part"], "[1]");
    assert_eq!(hits[1]["repeat"], false);
    assert_eq!(hits[2]["part"], "[2]");
    assert_eq!(hits[2]["repeat"], true);
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_in_json_and_tables() {
    let message = b"From: a@example.org\nMessage-ID: <\xff@example.org>\n\nhttp://www.example.org/\n";
    let world = World::new("bytes").file("m", message);
    let hits = world.run("--json m").json();
    assert_eq!(hits[0]["message_id"], "\u{fffd}@example.org");
    assert_eq!(hits[0]["message_id_bytes"], "/0BleGFtcGxlLm9yZw==");
    assert_eq!(
        world.run("--fields message_id,url m").stdout,
        "\u{fffd}@example.org\thttp://www.example.org/\n".as_bytes()
    );
    let row = "/0BleGFtcGxlLm9yZw==\thttp://www.example.org/\n";
    world.run("--fields message_id_bytes,url m").prints(0, row);
}

#[test]
fn control_characters_in_a_message_id_are_escaped() {
    let message = "From: a@example.org\nMessage-ID: <a\tb\x1b[2J@example.org>\n\nhttp://www.example.org/\n";
    let run = World::new("hostile-id").file("m", message).run("--fields message_id,url m");
    run.prints(0, "a\\tb\x1b[2J@example.org\thttp://www.example.org/\n");
}

#[cfg(unix)]
#[test]
fn file_names_may_be_other_bytes_than_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let name = OsStr::from_bytes(b"b\xffx");
    let world = World::new("names").file(name, "http://www.example.org/\n");
    let run = |options: &str| crate::world::finish(world.command([OsStr::new(options), name]).spawn().unwrap());
    assert_eq!(run("-H").stdout, b"b\xffx\thttp://www.example.org/\n");
    let counted = world.command([OsStr::new("count"), "file,file_bytes".as_ref(), name]).output().unwrap();
    assert_eq!(String::from_utf8(counted.stdout).unwrap(), "1\tb\u{fffd}x\tYv94\n");
    let hit = run("--json").json().remove(0);
    assert_eq!((&hit["file"], &hit["file_bytes"]), (&"b\u{fffd}x".into(), &"Yv94".into()));
    let listed = world.run_with("--files-from - -H", b"b\xffx\n");
    assert_eq!(listed.stdout, b"b\xffx\thttp://www.example.org/\n");
}

#[test]
fn nul_ends_each_line() {
    let world = World::with_box("nul");
    world.run("-0 box").prints(0, &URLS.replace('\n', "\0"));
    world.run("--null -l box").prints(0, "box\0");
    world.run("-0 --rejects box").prints(0, "http:///nowhere\tempty host at offset 7 (RFC 1738 3.1)\0");
}

#[test]
fn urls_are_counted_per_file() {
    let world = World::with_box("counted").file("none", "no such thing\n");
    world.run("count file box").prints(0, "6\tbox\n");
    // A file without URLs has no line.
    world.run("count file none").prints(1, "");
    world.run("count file box none").prints(0, "6\tbox\n");
    world.run("count file .").prints(0, "6\t./box\n");
    world.run_with("count file --files-from -", b"box\n").prints(0, "6\tbox\n");
    world.run("count file --scheme ftp box").prints(0, "1\tbox\n");
}

#[test]
fn counts_do_not_depend_on_the_threads() {
    let world = World::new("count-big").file("big", BOX.repeat(5000)).file("small", BOX);
    for threads in [1, 2, 8] {
        world.run(&format!("count file -j{threads} small big small")).prints(0, "30000\tbig\n12\tsmall\n");
    }
}

#[test]
fn unique_prints_only_the_first_occurrence() {
    let world = World::with_box("unique").file("big", BOX.repeat(5000));
    let want = "\
http://ann.example.org/
http://lists.example.org/a?b#c
ftp://ftp.example.org/pub/read-me
http://www.example.org/~bob
gopher://gopher.example.org/1
";
    for threads in [1, 2, 8] {
        world.run(&format!("-u -j{threads} box big")).prints(0, want);
    }
    world.run("-unH box box").prints(
        0,
        "\
box\t6\thttp://ann.example.org/
box\t8\thttp://lists.example.org/a?b#c
box\t9\tftp://ftp.example.org/pub/read-me
box\t11\thttp://www.example.org/~bob
box\t20\tgopher://gopher.example.org/1
",
    );
    let hits = world.run("--unique --json big box").json();
    let urls: Vec<&str> = hits.iter().map(|hit| hit["url"].as_str().unwrap()).collect();
    assert_eq!(urls, want.lines().collect::<Vec<_>>());
    world.run("-u --rejects box big").prints(0, "http:///nowhere\tempty host at offset 7 (RFC 1738 3.1)\n");
}

#[test]
fn the_output_does_not_depend_on_the_threads() {
    let mut world = World::new("order");
    for n in 0..40 {
        let name = format!("{:02}", n % 20);
        let text = format!("http://host{n}.example.org/\n{}", BOX.repeat(n * n % 70));
        world = world.file(format!("{}/{name}", n / 20), text);
    }
    world = world.file("zbig", BOX.repeat(2000));
    for options in ["--fields file,line,offset,url", "--json", "count file", "-u", "--rejects --json"] {
        let one = world.run(&format!("{options} -j1 ."));
        assert_eq!((one.status, one.stderr.as_slice()), (Some(0), &b""[..]));
        assert!(!one.stdout.is_empty());
        for threads in [2, 8, 0] {
            let run = world.run(&format!("{options} -j {threads} ."));
            assert!(run.stdout == one.stdout, "{options} with {threads} threads");
        }
    }
}

#[test]
fn alternatives_follow_their_url() {
    let world = World::with_box("alternatives");
    let with = "\
http://ann.example.org/
http://lists.example.org/a?b#c
ftp://ftp.example.org/pub/read-me
ftp://ftp.example.org/pub/readme
http://www.example.org/~bob
http://lists.example.org/a?b#c
gopher://gopher.example.org/1
";
    world.run("--alternatives box").prints(0, with);
    world
        .run("--scheme ftp -n --alternatives box")
        .prints(0, "9\tftp://ftp.example.org/pub/read-me\n9\tftp://ftp.example.org/pub/readme\n");
    let kept = &world.run("--json --scheme ftp box").json()[0];
    assert_eq!(kept["alternatives"][0]["url"], "ftp://ftp.example.org/pub/readme");
    world.run("--hyphen drop box").complains("--alternatives prints it");
}

#[test]
fn links_that_browsers_repair_are_relaxed() {
    let html = "Subject: x\nMIME-Version: 1.0\nContent-Type: text/html\n\n\
        <a href='http://a.example/b c'>d</a> <a href='http://e f/'>g</a> <a href='http://h i/'>j</a>\n";
    let world = World::with_box("mended").file("m", html);
    world.run("m").prints(0, "http://a.example/b%20c\n");
    world.run("--tier rfc1738 m").explains("1 URL was found, and --tier removed it");
    world.run("--tier rfc1738 --rejects m").prints(
        0,
        "\
http://a.example/b%20c\tcharacter must be encoded at offset 18 (RFC 1738 2.2)
http://e f/\tcharacter not allowed in a host at offset 8 (RFC 3986 3.2.2)
http://h i/\tcharacter not allowed in a host at offset 8 (RFC 3986 3.2.2)
",
    );
    let stderr = |options: &str| String::from_utf8(world.run(&format!("{options} m")).stderr).unwrap();
    assert!(stderr("-v").contains("m: offset 0: 2 links in HTML are not URLs\n"), "{}", stderr("-v"));
    assert!(
        stderr("--stats").contains("\nbad links                2  links in HTML that are not URLs\n"),
        "{}",
        stderr("--stats")
    );
    assert_eq!(stderr(""), "");
}

#[test]
fn rejects_are_listed_with_reasons() {
    let world = World::with_box("rejects");
    world.run("--rejects box").prints(0, "http:///nowhere\tempty host at offset 7 (RFC 1738 3.1)\n");
    world.run("--rejects -Hn box").prints(0, "box\t10\thttp:///nowhere\tempty host at offset 7 (RFC 1738 3.1)\n");
    world.run("--rejects --tier rfc1738 box").prints(
        0,
        "\
http:///nowhere\tempty host at offset 7 (RFC 1738 3.1)
http://www.example.org/~bob\tcharacter must be encoded at offset 23 (RFC 1738 2.2)
",
    );
    world.run("--rejects --scheme ftp box").prints(1, "");
    world.run("--rejects --form wrapped box").prints(1, "");
    world.run("--rejects --json --fields url,tier,reason,reason_offset,message,part,line box").prints(
        0,
        concat!(
            r#"{"url":"http:///nowhere","reason":"empty-host","reason_offset":7,"message":1,"#,
            r#""part":"[1]","line":10}"#,
            "\n"
        ),
    );
}

/// The field `repeat` marks repetitions of a URL within one `multipart/alternative`. The same URL in the next file is not
/// a repetition.
#[test]
fn dup_does_not_reach_the_next_file() {
    let mail = "Subject: x\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nhttp://a.example/\n--b\n\n\
                http://a.example/\n--b--\n";
    let world = World::new("no-doubles").file("1.eml", mail).file("2.txt", "Of that: http://a.example/ and that.\n");
    let run = world.run("--json -j1 .");
    let out = String::from_utf8_lossy(&run.stdout);
    let doubles: Vec<_> = out.lines().map(|line| line.contains("\"repeat\":true")).collect();
    assert_eq!(doubles, [false, true, false]);
}

/// Four URLs: a URL that was rewritten once, a URL that was rewritten twice, the target of these two URLs, and a URL
/// that only looks as if it was rewritten.
const REWRITTEN: &str = "\
https://nam01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fwww.example.org%2Fa&data=x
https://www.google.com/url?q=https%3A%2F%2Fhref.li%2F%3Fhttp%3A%2F%2Fwww.example.org%2Fa&sa=D
http://www.example.org/a
http://www.example.org/url?q=http://www.example.org/a
";

#[test]
fn unwrap_prints_the_target_of_a_rewritten_link() {
    let world = World::new("rewritten").file("note", REWRITTEN);
    let direct = "http://www.example.org/a\n";
    let own = "http://www.example.org/url?q=http://www.example.org/a\n";
    world.run("note").prints(0, REWRITTEN);
    world.run("--unwrap note").prints(0, &[direct, direct, direct, own].concat());
    world.run("--unwrap -u note").prints(0, &[direct, own].concat());
    world.run("--unwrap --sort -u note").prints(0, &[direct, own].concat());
    world.run("--unwrap -n --host *.google.com note").prints(0, &format!("2\t{direct}"));
    let json = world.run("--json note").json();
    let of = |field: &str| json.iter().map(|hit| hit.get(field).cloned().unwrap_or_default()).collect::<Vec<_>>();
    assert_eq!(of("target")[..2], ["http://www.example.org/a"; 2]);
    assert!(of("target")[2..].iter().all(serde_json::Value::is_null));
    let chain = serde_json::json!(["https://href.li/?http://www.example.org/a", "http://www.example.org/a"]);
    let none = serde_json::Value::Null;
    assert_eq!(of("targets"), [none.clone(), chain, none.clone(), none]);
    let table = String::from_utf8(world.run("--fields target,targets note").stdout).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    let target = "http://www.example.org/a";
    assert_eq!(rows[..2], [format!("{target}\t"), format!("{target}\thttps://href.li/?{target} {target}")]);
}

#[test]
fn json_has_the_text_of_a_link() {
    let html = "From: a@example.org\nContent-Type: text/html\n\n\
        <a class=x href=\"http://a.example/\">Your\n <b>b</b>ank &amp; <i>us</i><br>now</a> http://b.example/ \
        <a href=\"http://c.example/\"><img src=\"http://d.example/\"></a> <link href=\"http://e.example/\">text \
        <a href='http://f.example/'>not closed\n";
    let world = World::new("shown").file("mail", html);
    let json = world.run("--json mail").json();
    let shown = |host: &str| {
        let hit = json.iter().find(|hit| hit["host"] == host).expect("a hit");
        hit["link_text"].clone()
    };
    assert_eq!(shown("a.example"), "Your bank & us now");
    for host in ["b.example", "c.example", "d.example", "e.example"] {
        assert!(shown(host).is_null(), "{host}");
    }
    assert_eq!(shown("f.example"), "not closed");
}

#[test]
fn a_defanged_host_is_not_cut() {
    let world = World::new("harmless").file("note", "See http://evil[.]example/x or http://www.example.org[1]\n");
    world.run("note").prints(0, "http://www.example.org\n");
    world
        .run("--rejects note")
        .prints(0, "http://evil[.]example/x\tcharacter not allowed in a host at offset 11 (RFC 3986 3.2.2)\n");
    world.run("--defanged note").prints(0, "http://evil.example/x\nhttp://www.example.org\n");
}

#[test]
fn addresses_in_the_wayback_machine_have_the_date_of_the_message() {
    let world = World::new("output-wayback")
        .file("dated", "Date: Mon, 8 Mar 2004 10:35:00 +0100\n\nhttp://www.example.org/a?b#c FTP://ftp.example.org/ mailto:a@example.org\n")
        .file("undated", "Subject: x\n\nhttps://www.example.org/\n");
    let want = "\
https://web.archive.org/web/20040308093500/http://www.example.org/a?b#c
https://web.archive.org/web/20040308093500/FTP://ftp.example.org/

https://web.archive.org/web/*/https://www.example.org/
";
    world.run("--fields wayback dated undated").prints(0, want);
}
