//! Tests wrong options and values. Every error must say what to do.

use crate::world::{BOX, URLS, World, finish};

#[test]
fn contradictory_options_are_refused() {
    let world = World::with_box("contradictions");
    let columns = "--csv, --arrow and --parquet have a column for each field; remove";
    let names_only = "--files-with-matches prints only file names, in the order of the input; remove -l or";
    let not_url = "--rejects prints text that is not a URL, and such text has no";
    let table = [
        ("--json -H box", "--json already prints the file name and the line; remove --json or -H"),
        ("--json -n box", "--json already prints the file name and the line; remove --json or -n"),
        ("--json --unwrap box", "--json already prints the target; remove --json or --unwrap"),
        ("--csv --unwrap box", "--csv, --arrow and --parquet have a column for the target; remove --csv or --unwrap"),
        ("--rejects --unwrap box", &format!("{not_url} target; remove --rejects or --unwrap")),
        ("--json -0 box", "--json cannot end lines with NUL; remove --json or -0"),
        ("--json --null box", "--json cannot end lines with NUL; remove --json or --null"),
        ("--json -l box", "more than one output format; remove -l or --json"),
        ("--csv --json box", "more than one output format; remove --json or --csv"),
        ("--arrow --csv box", "more than one output format; remove --csv or --arrow"),
        ("--arrow -n box", &format!("{columns} --arrow or -n")),
        ("--csv -n box", &format!("{columns} --csv or -n")),
        ("--csv -H box", &format!("{columns} --csv or -H")),
        ("--csv -0 box", "--csv, --arrow and --parquet cannot end lines with NUL; remove --csv or -0"),
        ("--csv --alternatives box", "--csv, --arrow and --parquet have a column for alternatives; remove --csv or"),
        ("-l --csv box", "more than one output format; remove -l or --csv"),
        ("-l -H box", &format!("{names_only} -H")),
        ("-l -n box", &format!("{names_only} -n")),
        ("-l -u box", &format!("{names_only} -u")),
        ("-l --sort box", &format!("{names_only} --sort")),
        ("-l --alternatives box", &format!("{names_only} --alternatives")),
        ("-l --unwrap box", &format!("{names_only} --unwrap")),
        ("--fields url -H box", "--fields decides which fields are printed; remove --fields or -H"),
        ("--fields url -0 box", "--fields prints only the named fields, one line per URL; remove --fields or -0"),
        ("--fields url -l box", "--fields works only if the output is a list of URLs; remove --fields or -l"),
        (
            "-m 1 --stats box",
            "--stats counts the whole input, but --max-count stops before the end; remove --stats or -m",
        ),
        ("count host -m 1 --stats box", "--stats counts the whole input, but --max-count stops before the end"),
        ("count url -u box", "with -u, each URL has the count 1; remove -u, or count by another field"),
        ("count host,url -u box", "with -u, each URL has the count 1; remove -u, or count by another field"),
        ("count host,host box", "count: host is named twice; name each field once"),
        ("count all,host box", "count: `all` means every field; remove the other names"),
        ("report box", "report needs the name of a file for the page, as in urlspool report -o page.html PATH"),
        ("report -o - box", "report needs the name of a file for the page, as in urlspool report -o page.html PATH"),
        ("--since 1996 --until 1995 box", "--since is after --until; swap the dates"),
        ("--json --alternatives box", "--json already prints the alternatives; remove --json or --alternatives"),
        ("--rejects --alternatives box", &format!("{not_url} alternatives; remove --rejects or --alternatives")),
        ("--rejects --host *.org box", &format!("{not_url} host; remove --rejects or --host")),
        ("--form href --in headers,text box", "--form href needs HTML parts; remove --form, or add html to --in"),
        ("--rejects --form href --in headers box", "--form href needs HTML parts"),
        ("--files-from a --files-from b", "more than one list of files; join the lists, as in `cat LIST... | urlspool"),
        ("--host bü*.example.org box", "write a pattern for international hosts in Punycode"),
        ("--files-from - -", "standard input cannot be both the mail and the list of files; remove one `-`"),
        ("count host --files-from - box -", "standard input cannot be both the mail and the list of files"),
    ];
    for (arguments, words) in table {
        let run = world.run(arguments);
        run.complains(words);
        assert_eq!(String::from_utf8_lossy(&run.stderr).lines().count(), 1, "{run:?}");
    }
}

#[test]
fn similar_options_without_a_contradiction_are_accepted() {
    let world = World::with_box("together");
    let table = [
        "--tier iri --tier rfc1738,relaxed box",
        "--tier rfc1738 --rejects box",
        "--form href,bare --in headers,text box",
        "--form href,bare --in headers box",
        "--in headers --in text box",
        "-m 2 --fields context:1 box",
        "-m 2 --csv --rejects box",
        "-m 2 --alternatives --unwrap -0 box",
        "-m 1 --sort -u --json box",
        "-m 1 --since 7d --host example.org box",
        "-l -m 1 -0 --rejects box",
        "-l --host =www.example.org --since 1998 -v box",
        "-H --sort -u --color always box",
        "find --sort -u -0 -m 3 --unwrap box",
        "count domain -u --json -m 1 -o out box",
        "count scheme,form --stats box",
        "-o out -l --color never box",
        "-o - --color always box",
    ];
    for arguments in table {
        let run = world.run(arguments);
        assert!(matches!(run.status, Some(0 | 1)), "{arguments}: {run:?}");
    }
}

#[test]
fn a_first_word_that_is_a_path_is_a_path() {
    let world = World::with_box("words").file("count", "http://count.example/\n").file("find", BOX);
    world.run("count").prints(0, "http://count.example/\n");
    // With another operand, the first word is the job.
    world.run("count scheme box -m 1").prints(0, "4\thttp\n");
    world.run("-H count -m 1").prints(0, "count\thttp://count.example/\n");
    world.run("find -m1").prints(0, "http://ann.example.org/\n");
    world.run("./count").prints(0, "http://count.example/\n");
    // Only the first word can be a job.
    world.run("none check").complains("check: cannot be opened: ");
    world.run("-n files").complains("files: cannot be opened: ");
    let world = World::with_box("no-words");
    world.run("find box").prints(0, URLS);
    world.run("find").prints(1, "");
    world.run("find find").complains("find: cannot be opened: ");
}

#[test]
fn invalid_values_are_refused() {
    let world = World::with_box("values");
    let pattern = "a pattern is empty; give names with commas between them, such as";
    let table = [
        (
            "--scheme http:// box",
            "this is not the name of a scheme; give names with commas between them, such as http,ftp",
        ),
        ("--scheme http, box", "the name of a scheme is empty"),
        ("--form round box", "give one of wrapped, angle, bare, prefixed, href, www, path, domain"),
        ("--in body box", "give one of headers, text, html"),
        ("--join maybe box", "give never, likely, or a percentage from 0 to 100, without the sign %"),
        ("--join 101 box", "a percentage from 0 to 100"),
        ("--join 50% box", "a percentage from 0 to 100"),
        ("--format pst box", "give one of auto, "),
        ("-j many box", "give a number of threads from 1 to 1024, or 0 for one per core"),
        (
            "--since tomorrow box",
            "give a year, month, day or time: 1995, 1995-02, 1995-02-17, 1995-02-17T10:00:00Z, today, yesterday, @",
        ),
        ("--until 1995-2 box", "give a year, month, day or time"),
        ("--since 1995-02-30 box", "that day does not exist; check the month and the day"),
        ("--since 1995-02-30T10:00:00Z box", "that day does not exist; check the month and the day"),
        ("--since 1995-02-28T25:00:00Z box", "give a year, month, day or time"),
        ("--until 1995-13 box", "that month does not exist; months are 01 to 12"),
        ("--max-message 1T box", "give a number of bytes, with or without K, M or G after it, such as 64M"),
        ("--max-message 2G box", "give a size from 1 to 1G"),
        ("tasks plan --size 1T box", "give a number of bytes, with or without K, M or G after it, such as 64M"),
        ("--newsgroup comp.*, box", &format!("{pattern} comp.*,!comp.lang.*")),
        (
            "--newsgroup [a,b] box",
            "a set has no closing bracket; write [a-z] without a comma in the set, or \\[ for the bracket itself",
        ),
        ("--list [!a]* box", "a set cannot begin with `!`; write [^a-z] for a character that is not in a set"),
        ("--newsgroup a\\ box", "a pattern ends with a backslash; write \\\\ for a backslash"),
        ("--host , box", &format!("{pattern} example.org,!www.example.org")),
        ("--list a,,b box", &format!("{pattern} announce,*.example.org")),
        ("--tier rfc box", "give one of rfc1738, relaxed, rfc3986, iri"),
        ("count list,month box", "count: unknown field list; did you mean list_id?"),
        ("count days box", "count: unknown field days; the names are url, "),
        ("count host, box", "count: unknown field ; the names are url, "),
        ("--fields url,days box", "--fields days: the names are all, url, "),
        ("generate man box", "unknown name box: the names are man, schema, schemes, "),
        ("generate schemes --json", "--json is an option of find, count, check, tee and files, not of generate"),
        (
            "--host http://www.example.org box",
            "give only the name of a host, without scheme, user, port and path, such as example.org",
        ),
        (
            "--host www.example.org:80 box",
            "give only the name of a host, without scheme, user, port and path, such as example.org",
        ),
        ("count box host", "the fields come first, as in urlspool count host FILE"),
        ("generate bash zsh", "generate takes one name; run it once for each name"),
        ("generate perl", "the names are man, schema, schemes, bash, zsh, fish, elvish, powershell"),
        ("generate", "generate needs the name of what to print"),
        ("--color maybe box", "the names are auto, always, never"),
        ("--since 7 box", "; or a time before now: 1y, 3mo, 2w, 7d, 12h, 30m, 45s"),
        ("--since -7d box", "write a time before now as 7d, without a minus sign"),
        ("--until -2w box", "write a time before now as 7d, without a minus sign"),
        ("--since 9999999w box", "that time is too long ago; give a later time"),
        ("-m 0 box", "give a number of lines, at least 1, such as 10"),
        ("-m -1 box", "give a number of lines, at least 1, such as 10"),
        ("-m box box", "give a number of lines, at least 1, such as 10"),
        ("count host -m 0 box", "give a number of lines, at least 1, such as 10"),
        ("-j -1 box", "give a number of threads from 1 to 1024"),
        ("--max-message -1M box", "give a number of bytes"),
        ("-j 5000 box", "give a number of threads from 1 to 1024"),
        ("--scheme", "--scheme needs a value, as in --scheme <NAMES>"),
        ("--sort=host box", "--sort takes no value; remove the value"),
    ];
    for (arguments, words) in table {
        let run = world.run(arguments);
        run.complains(words);
        assert_eq!(String::from_utf8_lossy(&run.stderr).lines().count(), 1, "{run:?}");
    }
}

#[test]
fn unknown_options_are_refused() {
    let world = World::with_box("unknown");
    for option in ["--schemeless", "--any-scheme", "--attachments", "-k"] {
        world.run(&format!("{option} box")).complains(&format!("unknown option {option}; "));
    }
}

#[test]
fn an_unreadable_list_of_files_is_an_error() {
    let world = World::with_box("bad-list").file("d/x", "");
    // A directory can be opened, but not read.
    world.run("--files-from d").complains("d: cannot read the list of files: ");
    for list in ["--files-from box", "--files-from -"] {
        let run = world.run_with(list, BOX.as_bytes());
        assert_eq!(String::from_utf8_lossy(&run.stderr).lines().count(), 1, "{list}");
        run.complains("this is not a list of files, but mbox data; to search it, give it as a PATH");
    }
    world.run("--files-from missing").complains("missing: cannot open the list of files: ");
}

#[test]
fn errors_about_a_file_or_a_value_are_one_line() {
    let world = World::with_box("no-misuse");
    let table = [
        ("--files-from missing", "; check the name"),
        ("count host --files-from missing", "; check the name"),
        ("report -o missing/page.html box", "; create its directory first"),
        ("missing", "; check the name"),
        ("--sort count", "count: cannot be opened: No such file"),
        ("check --base http:// a", "give an absolute URL, with its scheme"),
    ];
    for (arguments, words) in table {
        let run = world.run(arguments);
        run.complains(words);
        assert_eq!(String::from_utf8_lossy(&run.stderr).lines().count(), 1, "{run:?}");
    }
}

#[test]
fn options_of_other_programs_and_empty_arguments_get_a_hint() {
    let world = World::with_box("habits");
    let empty = "urlspool: an argument is empty; remove it, or check the shell variable that it comes from\n";
    let table: &[(&[&str], &str)] = &[
        (&["-r", "."], "urlspool: unknown option -r; urlspool always searches directories recursively\n"),
        (&["-R", "."], "urlspool: unknown option -R; urlspool always searches directories recursively\n"),
        (&["-nr", "."], "urlspool: unknown option -r; urlspool always searches directories recursively\n"),
        (
            &["--recursive", "box"],
            "urlspool: unknown option --recursive; urlspool always searches directories recursively\n",
        ),
        (&["--limit=3", "box"], "urlspool: unknown option --limit; -m NUM stops after NUM URLs\n"),
        (
            &["--domain", "example.org", "box"],
            "urlspool: unknown option --domain; --host example.org selects this host and its sub-domains; urlspool \
             count domain counts URLs by domain\n",
        ),
        (
            &["--after=1998", "box"],
            "urlspool: unknown option --after; --since DATE and --until DATE select messages, as in --since 7d\n",
        ),
        (
            &["--exec", "curl", "box"],
            "urlspool: unknown option --exec; to pass URLs to a command, use urlspool -0 PATH | xargs -0 COMMAND; to pass \
             the names of files with URLs, use urlspool -l0 PATH | xargs -0 COMMAND\n",
        ),
        (&["-listonly", "box"], "urlspool: unknown option -listonly; urlspool always lists URLs, one per line\n"),
        (
            &["--include=*.mbox", "."],
            "urlspool: unknown option --include; to select files, use --glob '*.mbox' and --glob '!spam/', or find DIR -print0 | urlspool \
             --files-from -\n",
        ),
        (&[""], empty),
        (&["box", ""], empty),
        (&["check", ""], empty),
        (&["count", "host", ""], empty),
        (
            &["-c", "box"],
            "urlspool: unknown option -c; urlspool count file PATH prints the number of URLs of each file\n",
        ),
        (
            &["-A", "1", "box"],
            "urlspool: unknown option -A; to print NUM lines before and after each URL, use --fields url,context:NUM\n",
        ),
        (&["-M", "box"], "urlspool: unknown option -M; to print the Message-ID, use --fields message_id,url\n"),
    ];
    for (arguments, message) in table {
        let run = finish(world.command(*arguments).spawn().unwrap());
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).as_ref()), (Some(2), *message), "{arguments:?}");
        assert!(run.stdout.is_empty());
    }
    // After `--`, every argument is a path.
    finish(world.command(["--", "-r"]).spawn().unwrap()).complains("urlspool: -r: ");
}

#[test]
fn check_refuses_options_of_lists() {
    let world = World::with_box("check-misuse");
    let table = [
        ("check", "check needs a URL, as in urlspool check http://host/path"),
        ("check -H http://a/", "-H is an option of find, not of check; remove it"),
        ("check -u http://a/", "-u is an option of find and count, not of check; remove it"),
        (
            "check --in text http://a/",
            "--in is an option of find, count, report, explain, tee and tasks plan, not of check",
        ),
        ("check --files-from box http://a/", "--files-from is an option of find, count, report, files and tasks plan"),
        ("check -j2 http://a/", "-j is an option of find, count, report and tasks run, not of check; remove it"),
        ("check --threads=2 http://a/", "--threads is an option of find, count, report and tasks run, not of check"),
        ("check -v http://a/", "-v is an option of find, count, report, tee, tasks plan and tasks run, not of check"),
        (
            "check --base www http://a/",
            "--base www: this is not a URL: no scheme at offset 3 (RFC 1738 2.1); give an absolute URL, with its scheme",
        ),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
    }
}
