//! Tests tables, counts, context, sorting, statistics, the man page and shell completions.

use std::io::Write;
use std::process::Stdio;

use crate::world::{BOX, URLS, World};

#[test]
fn csv_survives_a_round_trip() {
    let hostile = "a,b \"c\"\nd\u{fc}";
    let text = "From: x@example.org\nMessage-ID: <a,\"b\"\u{fc}@example.org>\nNewsgroups: a,\n b\nList-Id: \"x\ty\"\n\n\
                http://www.example.org/a,b?c=\"d\" ftp://ftp.example.org/\u{fc}\n";
    let world = World::new("csv").file(hostile, text);
    let child = world.command(["--csv", hostile]).spawn().unwrap();
    let run = crate::world::finish(child);
    let rows = csv(&String::from_utf8(run.stdout).unwrap());
    let column = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    let child = world.command(["--json", hostile]).spawn().unwrap();
    let objects = crate::world::finish(child).json();
    assert_eq!((rows.len(), objects.len()), (3, 2));
    for (row, object) in rows[1..].iter().zip(&objects) {
        assert_eq!(row.len(), rows[0].len());
        assert_eq!(row[column("file")], hostile);
        for (name, cell) in rows[0].iter().zip(row) {
            let want = match object.get(name) {
                Some(serde_json::Value::Null) => String::new(),
                Some(serde_json::Value::String(text)) => text.clone(),
                Some(value @ (serde_json::Value::Number(_) | serde_json::Value::Bool(_))) => value.to_string(),
                value => panic!("{name}: {value:?}"),
            };
            assert_eq!(*cell, want, "{name}");
        }
    }
}

/// Parses CSV (RFC 4180).
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => quoted = !quoted,
            ',' | '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                if c == '\n' {
                    rows.push(std::mem::take(&mut row));
                }
            }
            c => cell.push(c),
        }
    }
    assert!(!quoted && cell.is_empty() && row.is_empty());
    rows
}

#[test]
fn tables_have_urls_or_rejects() {
    let world = World::with_box("tables");
    let run = world.run("--fields all box");
    let text = String::from_utf8(run.stdout).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    let urls: String = rows.iter().flat_map(|row| [row[0], "\n"]).collect();
    assert_eq!(urls, URLS);
    world
        .run("--csv --rejects --fields url,form,reason,reason_offset,tier box")
        .prints(0, "url,form,reason,reason_offset,tier\nhttp:///nowhere,bare,empty-host,7,\n");
    // A table without rows still has the names of the columns.
    assert_eq!(world.run("--csv --scheme irc box").stdout.iter().filter(|&&byte| byte == b'\n').count(), 1);
    assert_eq!(csv(&String::from_utf8(world.run("--csv -u box").stdout).unwrap()).len(), 6);
}

#[test]
fn urls_are_counted_by_a_field() {
    let world = World::with_box("count-by");
    world.run("count host box").prints(
        0,
        "2\tlists.example.org\n1\tann.example.org\n1\tftp.example.org\n1\tgopher.example.org\n1\twww.example.org\n",
    );
    world.run("count scheme box").prints(0, "4\thttp\n1\tftp\n1\tgopher\n");
    world.run("count year box").prints(0, "6\t1998\n");
    world.run("count tier box").prints(0, "5\trfc1738\n1\trelaxed\n");
    world.run("count form --scheme http box").prints(0, "3\tbare\n1\thref\n");
    // Case does not matter, also in letters outside ASCII.
    let input = "http://B\u{dc}CHER.example/ http://b\u{fc}cher.example/\n";
    world.run_with("count host", input.as_bytes()).prints(0, "2\tb\u{fc}cher.example\n");
    world.run("count host --scheme irc box").explains("6 URLs were found, and --scheme removed them all");
    let shown = String::from_utf8(world.run("count scheme --color always box").stdout).unwrap();
    assert_eq!(shown.lines().next(), Some(&*format!("         4  {}  http", "\u{2588}".repeat(30))));
}

#[test]
fn context_has_the_lines_around_a_url() {
    let world = World::with_box("context");
    let own = "<URL:ftp://ftp.example.org/pub/read-\n  me>. Not here: http:///nowhere but there.";
    let around = format!(
        "The list is at http://lists.example.org/a?b#c, the rest in\n{own}\n\
         > I keep mine at http://www.example.org/~bob, see there."
    );
    let row = |text: &str| text.replace('\n', "\\n") + "\n";
    world.run("--fields context:0 --scheme ftp box").prints(0, &row(own));
    world.run("--fields context --scheme ftp box").prints(0, &row(&around));
    let url = "ftp://ftp.example.org/pub/read-me";
    world.run("--fields url,context --csv --scheme ftp box").prints(0, &format!("url,context\n{url},\"{around}\"\n"));
    let json = &world.run("--fields context:1 --json --scheme ftp box").json()[0];
    assert_eq!(json["context"], around);
    let shown = format!("\u{1b}[1m{}", &row(&around).replace("\\n", "\n    "));
    let run = world.run("--fields context --color always --scheme ftp box");
    assert_eq!(String::from_utf8_lossy(&run.stdout), shown[4..]);
    world.run("--rejects --fields context:0 box").prints(0, &row("me>. Not here: http:///nowhere but there."));
    for (fields, why) in [
        ("context:x", "--fields context:x: write the number of lines, as in context:3"),
        ("context:+3", "--fields context:+3: write the number of lines, as in context:3"),
        ("url:3", "--fields url:3: url takes no number; only context does"),
        ("context:1,context", "--fields: context is named twice"),
    ] {
        world.run(&format!("--fields {fields} box")).complains(why);
    }
    // The context is decoded.
    let encoded =
        "Content-Transfer-Encoding: quoted-printable\nSubject: x\n\none\nhttp://a.example.org/=\nb \x1b[2J =3D\n";
    let broken = "Subject: =?utf-8?q?a=0AX?=\n\nhttp://a.example/\n";
    let world = World::new("decoded").file("m", encoded).file("broken", broken);
    let run = world.run("--fields subject,context:0 --color always broken");
    assert_eq!(run.stdout.iter().filter(|byte| **byte == b'\n').count(), 1, "only a context has several lines");
    world.run("--fields context m").prints(0, "one\\nhttp://a.example.org/b \x1b[2J =\n");
    let run = world.run("--fields context --color always m");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "one\n    http://a.example.org/b \\u{1b}[2J =\n");
}

#[test]
fn sort_orders_by_url() {
    let world = World::with_box("sort");
    let mut lines: Vec<_> = URLS.split_inclusive('\n').collect();
    lines.sort_unstable();
    world.run("--sort box").prints(0, &lines.concat());
    lines.dedup();
    world.run("--sort -u box").prints(0, &lines.concat());
    let json = world.run("--sort --json box").json();
    assert!(json.is_sorted_by_key(|object| object["url"].as_str().unwrap().to_owned()));
    // Lines with the same URL stay in the order of the input.
    world
        .run("--sort -n --host lists.* box")
        .prints(0, "8\thttp://lists.example.org/a?b#c\n19\thttp://lists.example.org/a?b#c\n");
}

#[test]
fn urls_are_selected_by_host_and_tier() {
    let world = World::with_box("hosts");
    world
        .run("--host *.EXAMPLE.org,!lists.* --scheme http box")
        .prints(0, "http://ann.example.org/\nhttp://www.example.org/~bob\n");
    world.run("--host example.org box").prints(0, URLS);
    world.run("--host example.org,!lists.example.org --sort box").prints(
        0,
        "\
ftp://ftp.example.org/pub/read-me
gopher://gopher.example.org/1
http://ann.example.org/
http://www.example.org/~bob
",
    );
    let joined = world.run("--host ann.example.org,www.example.org box").stdout;
    assert_eq!(joined.split(|byte| *byte == b'\n').count(), 3);
    assert_eq!(world.run("--host ann.example.org --host www.example.org box").stdout, joined);
    world.run("--host =example.org box").explains("6 URLs were found, and --host removed them all");
    world.run("--tier relaxed,iri box").prints(0, "http://www.example.org/~bob\n");
}

#[test]
fn statistics_match_the_list() {
    const M: &str = "Subject: x\nMessage-ID: <c@x>\n\nhttp://a.example.org/~b http://\n";
    let world = World::with_box("stats").file("m", M);
    for options in ["", "--json ", "-l ", "--csv ", "--sort ", "count file ", "count host "] {
        let run = world.run(&format!("{options}--stats box m"));
        let plain = world.run(&format!("{options}box m"));
        assert_eq!(run.stdout, plain.stdout, "{options}");
        assert_eq!(run.status, Some(0));
        let table = String::from_utf8(run.stderr).unwrap();
        let lines: Vec<String> =
            table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let bytes = BOX.len() + M.len();
        for want in [
            "files 2 1 mbox, 1 message",
            "messages 3",
            "parts 3",
            &format!("bytes {bytes}"),
            "URLs rfc1738 relaxed rfc3986 iri all",
            "wrapped 1 0 0 0 1",
            "bare 3 2 0 0 5",
            "href 1 0 0 0 1",
            "all 5 2 0 0 7",
            "rejects 2",
            "empty-host 2",
            "notes 0",
        ] {
            assert!(lines.iter().any(|line| line == want), "{want:?} is not in {table}");
        }
        assert!(lines.iter().any(|line| line.starts_with("time ") && line.ends_with(" MB/s")), "{table}");
    }
    let run = world.run("--stats --scheme gopher --since 1998 box m");
    let table = String::from_utf8(run.stderr).unwrap();
    assert!(
        table.contains(
            "messages                 2\nskipped                  1  messages, 1 of them without a valid date\n"
        ),
        "{table}"
    );
}

#[test]
fn colours_are_printed_on_request() {
    let world = World::with_box("colours");
    world
        .run("--color always -Hn --scheme ftp box")
        .prints(0, "\x1b[35mbox\x1b[0m\t\x1b[32m9\x1b[0m\tftp://\x1b[1mftp.example.org\x1b[0m/pub/read-me\n");
    world.run("--color never -Hn --scheme ftp box").prints(0, "box\t9\tftp://ftp.example.org/pub/read-me\n");
    // A URL cannot have control characters, but a file name can.
    let world = World::new("hostile").file("\u{202e}a", "http://a.example.org/\n");
    let run = world.run("--color always -H .");
    assert!(String::from_utf8_lossy(&run.stdout).contains("\\u{202e}a"));
}

#[test]
fn man_page_completions_and_schemes_are_generated() {
    let world = World::new("generate");
    for (what, words) in [
        ("man", ".TH urlspool 1"),
        ("bash", "complete -F _urlspool"),
        ("zsh", "#compdef urlspool"),
        ("fish", "complete -c urlspool"),
        ("elvish", "edit:completion"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let run = world.run(&format!("generate {what}"));
        let text = String::from_utf8(run.stdout).unwrap();
        assert_eq!((run.status, text.contains(words)), (Some(0), true), "{what}: {text}");
        assert!(text.contains("max-message") || text.contains("max\\-message"), "{what}");
    }
    // If an option has a list of names such as `bare,href`, bash completes the name after the last comma.
    let bash = String::from_utf8(world.run("generate bash").stdout).unwrap();
    for words in ["wrapped angle bare prefixed href www path domain", "rfc1738 relaxed rfc3986 iri"] {
        let line = format!(r#"compgen -P "${{cur%"${{cur##*,}}"}}" -W "{words}" -- "${{cur##*,}}""#);
        assert!(bash.contains(&line), "{bash}");
    }
    completes(&bash);
    let schemes = String::from_utf8(world.run("generate schemes").stdout).unwrap();
    assert!(
        schemes.contains("\nhttp\t80\thttp://\n") && schemes.contains("\nmailto\t\tmailto: and an address with @\n")
    );
    assert_eq!(schemes.lines().count(), urlspool::schemes().count());
}

/// Checks what the script completes in bash(1), if bash is installed. bash splits words at `=`. It passes the word that
/// the script must complete, but not the `=`.
fn completes(script: &str) {
    let table: [(&[&str], &str); 8] = [
        (&["--max-m"], "--max-message"),
        (&["--color", "="], "auto always never"),
        (&["--color", "=", "n"], "never"),
        (&["--color", "n"], "never"),
        (&["cou"], "count"),
        (&["count", "--color", "a"], "auto always"),
        (&["--form", "=", "bare,h"], "bare,href"),
        (&["--form", "b"], "bare"),
    ];
    for (words, want) in table {
        let (last, before) = words.split_last().unwrap();
        let [word, previous] = [last.trim_start_matches('='), before.last().unwrap_or(&"urlspool")];
        let code = r#"eval "$1"; shift; word=$1 previous=$2; shift 2; COMP_WORDS=(urlspool "$@"); COMP_CWORD=$#
            _urlspool urlspool "$word" "$previous"; echo "${COMPREPLY[*]}""#;
        let mut command = std::process::Command::new("bash");
        command.args(["-c", code, "bash", script, word, previous]).args(words);
        let Ok(run) = command.output() else { return eprintln!("skipped: bash(1) does not run") };
        assert_eq!(String::from_utf8(run.stdout).unwrap().trim(), want, "{words:?}");
    }
}

/// Renders a man page with groff(1). Returns the text and the warnings, or `None` if groff is not installed.
fn rendered(page: &[u8]) -> Option<(String, String)> {
    let mut command = std::process::Command::new("groff");
    command.args(["-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=100n"]);
    let mut child = match command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("skipped: groff(1) does not run: {error}");
            return None;
        }
    };
    let (mut stdin, page) = (child.stdin.take().unwrap(), page.to_vec());
    std::thread::spawn(move || stdin.write_all(&page));
    let run = crate::world::finish(child);
    Some((String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap()))
}

#[test]
fn the_man_page_has_all_sections_and_defines_all_names() {
    let world = World::new("man");
    let run = world.run("generate man");
    let page = String::from_utf8(run.stdout.clone()).unwrap();
    let sections: Vec<_> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    let want = [
        "NAME",
        "\"SYNOPSIS\"",
        "DESCRIPTION",
        "OPTIONS",
        "\"OTHER JOBS\"",
        "\"INPUT\"",
        "\"OUTPUT\"",
        "\"FIELDS\"",
        "\"FORMS\"",
        "\"TIERS\"",
        "\"ALTERNATIVES\"",
        "\"REASONS\"",
        "\"WARNINGS\"",
        "\"DIAGNOSTICS\"",
        "\"EXIT STATUS\"",
        "\"ENVIRONMENT\"",
        "\"FILES\"",
        "\"EXAMPLES\"",
        "\"SEE ALSO\"",
        "VERSION",
    ];
    assert_eq!(sections, want);
    let synopsis = &page[page.find("SYNOPSIS").unwrap()..page.find(".SH DESCRIPTION").unwrap()];
    for form in ["[PATH]...", "\\fBurlspool\\fR tee ", "\\fBurlspool\\fR check "] {
        assert!(synopsis.contains(form), "{form} is not in {synopsis}");
    }
    let forms = urlspool::Form::ALL.iter().map(|form| form.as_str());
    let tiers = urlspool::Tier::ALL.iter().map(|tier| tier.as_str());
    let reasons = urlspool::ParseErrorKind::ALL.iter().map(|kind| kind.as_str());
    let readings = urlspool::Reason::ALL.iter().map(|reason| reason.as_str());
    let warnings = urlspool::Warning::ALL.iter().map(|warning| warning.as_str());
    let diagnostics = urlspool::DiagnosticKind::ALL.iter().map(|kind| kind.as_str());
    for name in forms.chain(tiers).chain(reasons).chain(readings).chain(warnings).chain(diagnostics) {
        let item = format!(".TP\n\\fB{}\\fR\n", name.replace('-', "\\-"));
        let (_, definition) = page.split_once(&item).expect(name);
        assert!(definition.lines().next().is_some_and(|line| line.len() > 5), "{name}");
    }
    // The man page must describe every field of the JSON output.
    let json = world.run_with("--json", BOX.as_bytes()).json();
    for field in json.iter().flat_map(|object| object.keys()) {
        assert!(page.contains(&format!(".TP\n\\fB{field}\\fR\n")), "{field}");
    }
    let Some((text, warnings)) = rendered(&run.stdout) else { return };
    assert_eq!(warnings, "");
    for line in ["urlspool check [OPTIONS] URL...", "awk -F'\\t'", "~/Maildir"] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn no_output_format_depends_on_the_threads() {
    let world = World::new("forms-threads").file("big", BOX.repeat(3000)).file("d/1", BOX).file("d/2", BOX);
    let forms = [
        "--csv",
        "--csv --rejects",
        "count host",
        "--fields file,context",
        "--sort -n",
        "--sort -u",
        "--csv -u",
        "count file,url",
    ];
    for form in forms {
        let one = world.run(&format!("{form} -j1 big d"));
        assert!(!one.stdout.is_empty(), "{form}");
        let several = world.run(&format!("{form} -j8 big d"));
        assert!(one.stdout == several.stdout && one.status == several.status, "{form}");
    }
}
