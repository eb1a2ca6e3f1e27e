//! Every wrong use is an error that says what to do.

use crate::world::{World, finish};

#[test]
fn options_that_contradict_each_other() {
    let world = World::with_box("contradictions");
    let table = [
        ("--base http://a/ box", "--base is for --check: urlspool --check --base BASE URL..."),
        ("--json -H box", "every JSON object has the file's name: leave out -H or --json"),
        ("--json -n box", "every JSON object has the line, the offset and the Message-ID: leave out -n, -b and -m"),
        ("--json -b box", "leave out -n, -b and -m, or --json"),
        ("--json -m box", "leave out -n, -b and -m, or --json"),
        ("--json --unwrap box", "every JSON object has the target: leave out --unwrap or --json"),
        ("--tsv --unwrap box", "a table has a column for the target: leave out --unwrap, or --csv, --tsv and --parquet"),
        ("-c --unwrap box", "--unwrap is for lists of URLs: leave it out, or --count, --histogram and --report"),
        ("--histogram hosts --unwrap box", "--unwrap is for lists of URLs: leave it out, or --count, --histogram"),
        ("--rejects --unwrap box", "what is no URL leads nowhere: leave out --unwrap or --rejects"),
        ("--json -0 box", "JSON objects have a line each: leave out --null or --json"),
        ("--json -c box", "there can be one form of output: leave out all but one of --json, --csv, --tsv, --count"),
        ("--csv --tsv box", "there can be one form of output"),
        ("--csv -n box", "a table has a column for each field: leave out -H, -n, -b and -m, or --csv, --tsv and --parquet"),
        ("--tsv -0 box", "the lines of a table end as they do"),
        ("--csv --hyphen both box", "a table lists alternatives in a column"),
        ("-C 1 -0 box", "lines of text end as they do: leave out --null or --context"),
        ("--histogram hosts -c box", "there can be one form of output"),
        ("--histogram hosts -n box", "--histogram prints a line per name"),
        ("--histogram hosts --rejects box", "--histogram counts URLs: leave out --rejects or --histogram"),
        ("--histogram hosts -u box", "--histogram counts every sight"),
        ("--histogram tiers --alternatives box", "--histogram counts places, not readings"),
        ("--histogram tiers --hyphen both box", "--histogram counts places, not readings"),
        ("--report - box", "--report makes a file, which a browser can open: give its name"),
        ("-c --sort box", "--count prints a line per file, in their order"),
        ("--byte-range 0-5 box box", "--byte-range is of one file: name one, and share several with --shard"),
        ("--byte-range 0-5 .", "--byte-range is of one file"),
        ("--shard 1/2", "standard input is one stream"),
        ("--shard 1/2 box -", "standard input is one stream"),
        ("--since 1996 --until 1995 box", "the later date is for --until"),
        ("--json --alternatives box", "every JSON object lists its alternatives: leave out --alternatives or --json"),
        ("--json --hyphen both box", "every JSON object lists its alternatives: leave out --hyphen both or --json"),
        ("-c -n box", "--count prints a line per file: leave out -n, -b and -m, or --count"),
        ("-c -u box", "--count counts every sight: leave it out, and use urlspool -u ... | wc -l"),
        ("-c --alternatives box", "--count counts places, not readings"),
        ("-c --hyphen both box", "--count counts places, not readings"),
        ("--rejects --alternatives box", "what is no URL has no other readings"),
        ("--rejects --hyphen both box", "what is no URL has no other readings"),
        ("--rejects --host *.org box", "what is no URL has neither host nor tier: leave out --host and --tier"),
        ("--rejects --tier relaxed box", "what is no URL has neither host nor tier"),
        ("--strict --tier iri box", "--strict leaves the tier rfc1738 alone: leave out --strict or --tier"),
        ("--strict --tier relaxed,rfc3986 box", "--strict leaves the tier rfc1738 alone"),
        ("--form href --html no box", "--form href is found in HTML only: leave out --html no or --form"),
        ("--form href --headers only box", "--form href is found in HTML only, and a header has none"),
        ("--rejects --form href --html no box", "--form href is found in HTML only"),
        ("--files-from a --files0-from b", "there can be one list of files: leave out --files-from or --files0-from"),
        ("--files-from - -", "standard input cannot be both a message and the list of files"),
        ("--files0-from - box -", "standard input cannot be both a message and the list of files"),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
        world.run(arguments).complains("For more information, try '--help'.");
    }
}

/// What is close to a contradiction, and is none.
#[test]
fn options_that_go_together() {
    let world = World::with_box("together");
    let table = [
        "--strict --tier rfc1738,relaxed box",
        "--strict --rejects --tier relaxed box",
        "--form href,bare --html no box",
        "--form href,bare --headers only box",
        "--headers only --html no box",
    ];
    for arguments in table {
        let run = world.run(arguments);
        assert!(matches!(run.status, Some(0 | 1)), "{arguments}: {run:?}");
    }
}

#[test]
fn values_that_are_none() {
    let world = World::with_box("values");
    let table = [
        ("--scheme http:// box", "give the names alone, with commas between: http,ftp"),
        ("--scheme http, box", "a name is missing"),
        ("--form round box", "[possible values: wrapped, angle, bare, prefixed, href]"),
        ("--headers maybe box", "[possible values: yes, no, only]"),
        ("--html maybe box", "[possible values: yes, no]"),
        ("--hyphen maybe box", "[possible values: keep, drop, both]"),
        ("--rejoin maybe box", "[possible values: never, likely]"),
        ("--min-confidence 101 box", "101 is not in 0..=100"),
        ("--format pst box", "[possible values: auto, "),
        ("-j many box", "give a number of threads from 1 to 1024, of which 256 work, or 0 for one per core"),
        ("--since yesterday box", "give a year, month, day or time: 1995, 1995-02, 1995-02-17 or 1995-02-17T10:00:00Z"),
        ("--until 1995-2 box", "give a year, month, day or time"),
        ("--since 1995-02-30 box", "there is no such day"),
        ("--since 1995-02-30T10:00:00Z box", "there is no such day"),
        ("--since 1995-02-28T25:00:00Z box", "give a year, month, day or time"),
        ("--until 1995-13 box", "there is no such month: they go from 01 to 12"),
        ("--byte-range 5 box", "give where it begins and where it ends, such as 0-1G; 1G- is all from there on"),
        ("--byte-range 7-5 box", "it is empty: the second number has to be the larger one"),
        ("--shard 5/4 box", "give a share from 1 and how many there are: 1/4 is the first of four"),
        ("--max-message 1T box", "give a number of bytes, or one with K, M or G behind it: 64M"),
        ("--max-message 2G box", "a message has 1 to 1G bytes"),
        ("--newsgroup comp.*, box", "a pattern is empty: give names with commas between, such as comp.*,!comp.lang.*"),
        (
            "--newsgroup [a,b] box",
            "a set has no end: write it as in [a-z], without a comma, or \\[ for the bracket itself",
        ),
        ("--list [!a]* box", "[! begins no set: [^a-z] is one of the characters that are not from a to z"),
        ("--newsgroup a\\ box", "nothing follows a \\: it takes the next character as it is, and \\\\ is one itself"),
        ("--host , box", "a pattern is empty: give names with commas between, such as *.example.org,!www.*"),
        ("--list a,,b box", "a pattern is empty: give names with commas between, such as announce,*.example.org"),
        ("--host !www.* box", "where each pattern says no, nothing is meant: put `*,` before the first"),
        ("--newsgroup !alt.*,!comp.* box", "where each pattern says no, nothing is meant"),
        ("--list !announce box", "where each pattern says no, nothing is meant"),
        ("--tier rfc box", "[possible values: rfc1738, relaxed, rfc3986, iri]"),
        ("--histogram days box", "[possible values: hosts, schemes, years, tiers, forms]"),
        ("--generate man box", "cannot be used with one or more of the other specified arguments"),
        ("--list-schemes --json", "cannot be used with one or more of the other specified arguments"),
        ("--host http://www.example.org box", "a host is a name alone: *.example.org"),
        ("--host www.example.org:80 box", "a host is a name alone: *.example.org"),
        ("--generate csh", "[possible values: man, schema, bash, zsh, fish, elvish, powershell]"),
        ("--color maybe box", "[possible values: auto, always, never]"),
        ("--progress maybe box", "[possible values: auto, never]"),
        ("-C many box", "give a number of lines, such as 2"),
        ("-j -1 box", "give a number of threads from 1 to 1024"),
        ("-C -1 box", "give a number of lines, such as 2"),
        ("--byte-range -5K box", "give where it begins and where it ends"),
        ("--shard -1/3 box", "give a share from 1 and how many there are"),
        ("--max-message -1M box", "give a number of bytes"),
        ("-j 5000 box", "give a number of threads from 1 to 1024"),
        ("--scheme", "a value is required for '--scheme <NAMES>'"),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
    }
}

#[test]
fn what_is_not_there_is_refused_not_ignored() {
    let world = World::with_box("unknown");
    let absent = ["--schemeless", "--any-scheme", "--attachments", "-k"];
    for option in absent {
        world.run(&format!("{option} box")).complains(&format!("unexpected argument '{option}' found"));
    }
}

#[test]
fn a_list_that_cannot_be_read() {
    let world = World::new("bad-list").file("d/x", "");
    // A directory opens, and cannot be read.
    world.run("--files-from d").complains("d: the list of files cannot be read: ");
    world.run("--files-from missing").complains("missing: the list of files cannot be opened: ");
}

/// How the command is used says nothing on a file that cannot be opened.
#[test]
fn trouble_with_a_file_or_a_value_is_a_line() {
    let world = World::with_box("no-misuse");
    let table = [
        ("--files-from missing", "; check the name"),
        ("--files0-from missing", "; check the name"),
        ("--report missing/page.html box", "; make its directory first"),
        ("missing", "; check the name"),
        ("--check --base http:// a", "give --base an absolute one"),
    ];
    for (arguments, words) in table {
        let run = world.run(arguments);
        run.complains(words);
        assert_eq!(String::from_utf8_lossy(&run.stderr).lines().count(), 1, "{run:?}");
    }
}

/// What options of grep and the like, and an empty variable of a shell's, lead to is answered in a line that says what to do.
#[test]
fn habits_and_slips() {
    let world = World::with_box("habits");
    let empty = "error: an argument is empty: leave it out, or look at the variable that it came from\n";
    let table: &[(&[&str], &str)] = &[
        (&["-r", "."], "error: there is no -r here: directories are always walked\n"),
        (&["-R", "."], "error: there is no -R here: directories are always walked\n"),
        (&["-nr", "."], "error: there is no -r here: directories are always walked\n"),
        (&["--recursive", "box"], "error: there is no --recursive here: directories are always walked\n"),
        (&["-A3", "box"], "error: there is no -A here: -C NUM prints the lines before and behind\n"),
        (&["-listonly", "box"], "error: there is no -listonly here: URLs are listed anyway, one per line\n"),
        (
            &["--include=*.mbox", "."],
            "error: there is no --include here: choose files with find DIR -name '*.mbox' -print0 | urlspool \
             --files0-from -\n",
        ),
        (&[""], empty),
        (&["box", ""], empty),
        (&["--check", ""], empty),
    ];
    for (arguments, told) in table {
        let run = finish(world.command(*arguments).spawn().unwrap());
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).as_ref()), (Some(2), *told), "{arguments:?}");
        assert!(run.stdout.is_empty());
    }
    // What follows `--` is a name.
    finish(world.command(["--", "-r"]).spawn().unwrap()).complains("urlspool: -r: ");
}

#[test]
fn check_and_its_own_options() {
    let world = World::with_box("check-misuse");
    let table = [
        ("--check", "--check needs a URL: urlspool --check http://host/path"),
        ("--check -c http://a/", "--check takes URLs and reads no files: leave out --count or --check"),
        ("--check -H http://a/", "leave out --with-filename or --check"),
        ("--check --headers no http://a/", "leave out --headers or --check"),
        ("--check --files0-from box http://a/", "leave out --files0-from or --check"),
        ("--check -j2 http://a/", "leave out --threads or --check"),
        ("--check -v http://a/", "leave out --verbose or --check"),
        ("--check --base www http://a/", "the base is no URL: no scheme at offset 3 (RFC 1738 2.1): give --base"),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
    }
}
