//! Tests wrong options and values. Every error must say what to do.

use crate::world::{World, finish};

#[test]
fn contradictory_options_are_refused() {
    let world = World::with_box("contradictions");
    let table = [
        ("--base http://a/ box", "--base needs --check, as in urlspool --check --base BASE URL..."),
        ("--json -H box", "--json already prints the file name; remove -H or --json"),
        ("--json -n box", "--json already prints the line, the offset and the Message-ID; remove --json, or remove -n"),
        ("--json -b box", "remove --json, or remove -n, -b and -M"),
        ("--json -M box", "remove --json, or remove -n, -b and -M"),
        ("--json --unwrap box", "--json already prints the target; remove --unwrap or --json"),
        ("--tsv --unwrap box", "--csv, --tsv and --parquet have a column for the target; remove --unwrap"),
        (
            "-c --unwrap box",
            "--unwrap works only if the output is a list of URLs; remove --unwrap, or remove --count, --histogram and \
             --report",
        ),
        (
            "--histogram hosts --unwrap box",
            "--unwrap works only if the output is a list of URLs; remove --unwrap, or remove --count, --histogram",
        ),
        (
            "--rejects --unwrap box",
            "--rejects prints text that is not a URL, and such text has no target; remove --unwrap or --rejects",
        ),
        ("--json -0 box", "--json cannot end lines with NUL; remove --null or --json"),
        ("--json -c box", "more than one output format; use only one of --json, --csv, --tsv, --count"),
        ("--csv --tsv box", "more than one output format"),
        ("--csv -n box", "--csv, --tsv and --parquet have a column for each field; remove -H, -n, -b and -M"),
        ("--tsv -0 box", "--csv, --tsv and --parquet cannot end lines with NUL; remove --null"),
        ("--csv --hyphen both box", "--csv, --tsv and --parquet have a column for alternatives"),
        (
            "-C 1 -0 box",
            "--null does not work with -A, -B and -C, which print several lines per URL; remove --null, or remove -A, \
             -B and -C",
        ),
        ("--histogram hosts -c box", "more than one output format"),
        ("--histogram hosts -n box", "--histogram prints only names and numbers"),
        ("--histogram hosts --rejects box", "--histogram counts only valid URLs; remove --rejects or --histogram"),
        ("--histogram hosts --sort box", "--histogram has its own order; remove --sort or --histogram"),
        ("--histogram hosts --sort=count box", "--histogram has its own order"),
        ("--histogram hosts --csv --tsv box", "more than one output format"),
        ("--histogram hosts --json box", "more than one output format"),
        ("--histogram hosts --csv -H box", "--histogram prints only names and numbers"),
        ("--histogram hosts --csv --unwrap box", "--unwrap works only if the output is a list of URLs"),
        ("-l -c box", "more than one output format"),
        ("-l --csv box", "more than one output format"),
        ("-l -A 1 box", "more than one output format"),
        (
            "-l -H box",
            "--files-with-matches prints only file names, in the order of the input; remove --files-with-matches, or \
             remove -H, -n",
        ),
        ("-l -n box", "--files-with-matches prints only file names"),
        ("-l -u box", "--files-with-matches prints only file names"),
        ("-l --sort=count box", "--files-with-matches prints only file names"),
        ("-l --alternatives box", "--files-with-matches prints only file names"),
        ("-l --unwrap box", "--files-with-matches prints only file names"),
        ("-A 1 --json box", "more than one output format"),
        (
            "-B 1 -0 box",
            "--null does not work with -A, -B and -C, which print several lines per URL; remove --null, or remove -A, \
             -B and -C",
        ),
        ("-m 1 -c box", "--count counts every URL; remove --max-count or --count"),
        ("-m 1 --stats box", "--stats counts the whole input, but --max-count stops before the end"),
        ("-m 1 --report page.html box", "--report always counts all URLs; remove --max-count or --report"),
        ("-o out --report page.html box", "--report already names the output file; remove --output or --report"),
        ("--sort=count --json box", "--sort=count prints a number before each line"),
        ("--sort=count --tsv box", "--sort=count prints a number before each line"),
        ("--sort=count -B 1 box", "--sort=count prints a number before each line"),
        ("--sort=count --alternatives box", "--sort=count does not count the alternatives"),
        ("--sort=count --hyphen both box", "--sort=count does not count the alternatives"),
        ("-c --sort=count box", "--count prints its lines in the order of the input"),
        ("--histogram tiers --alternatives box", "--histogram does not count the alternatives"),
        ("--histogram tiers --hyphen both box", "--histogram does not count the alternatives"),
        ("--report - box", "--report needs the name of a file, as in --report urls.html"),
        (
            "--report page.html -u box",
            "--report writes a page, not a list of URLs; remove --report, or remove -H, -n, -b, -M, --null",
        ),
        ("-c --sort box", "--count prints its lines in the order of the input"),
        (
            "--byte-range 0-5 box box",
            "--byte-range needs a single file; name one file, or use --shard for several files",
        ),
        ("--byte-range 0-5 .", "--byte-range needs a single file"),
        ("--shard 1/2", "standard input is not a file; name files, or remove --shard"),
        ("--shard 1/2 box -", "standard input is not a file; name files, or remove --shard"),
        ("--since 1996 --until 1995 box", "--since is after --until; swap the dates"),
        ("--json --alternatives box", "--json already prints the alternatives; remove --alternatives or --json"),
        ("--json --hyphen both box", "--json already prints the alternatives; remove --hyphen=both or --json"),
        ("-c -n box", "--count prints one line per file, not per URL; remove --count, or remove -n, -b and -M"),
        ("-c -u box", "--count counts every occurrence of a URL; to count each URL once, use urlspool -u ... | wc -l"),
        ("-c --alternatives box", "--count does not count the alternatives"),
        ("-c --hyphen both box", "--count does not count the alternatives"),
        (
            "--rejects --alternatives box",
            "--rejects prints text that is not a URL, and such text has no alternatives; remove --rejects",
        ),
        (
            "--rejects --hyphen both box",
            "--rejects prints text that is not a URL, and such text has no alternatives; remove --rejects",
        ),
        (
            "--rejects --host *.org box",
            "--rejects prints text that is not a URL, and such text has no host or tier; remove --rejects, or",
        ),
        ("--rejects --tier relaxed box", "--rejects prints text that is not a URL, and such text has no host or tier"),
        ("--strict --tier iri box", "--strict prints only URLs of the tier rfc1738; remove --strict or --tier"),
        ("--strict --tier relaxed,rfc3986 box", "--strict prints only URLs of the tier rfc1738"),
        ("--form href --html no box", "--form=href needs HTML parts; remove --html=no or --form"),
        ("--form href --headers only box", "--form=href needs HTML parts; remove --headers=only or --form"),
        ("--rejects --form href --html no box", "--form=href needs HTML parts"),
        ("--files-from a --files0-from b", "more than one list of files; join the lists, as in"),
        ("--files-from a --files-from b", "more than one list of files; join the lists, as in"),
        ("--host bü*.example.org box", "write a pattern for international hosts in Punycode"),
        ("--files-from - -", "standard input cannot be both the mail and the list of files; remove one `-`"),
        ("--files0-from - box -", "standard input cannot be both the mail and the list of files"),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
        world.run(arguments).complains("For more information, try '--help'.");
    }
}

#[test]
fn similar_options_without_a_contradiction_are_accepted() {
    let world = World::with_box("together");
    let table = [
        "--strict --tier rfc1738,relaxed box",
        "--strict --rejects --tier relaxed box",
        "--form href,bare --html no box",
        "--form href,bare --headers only box",
        "--headers only --html no box",
        "-m 2 -A 1 -n box",
        "-m 2 --tsv --rejects box",
        "-m 2 --alternatives --unwrap -0 box",
        "-m 1 --sort -u --json box",
        "-m 1 --since 7d --host example.org box",
        "-l -m 1 -0 --rejects box",
        "-l --host =www.example.org --since 1998 -v box",
        "-A 1 -B 2 -C 3 -H --sort -u --hyperlink always box",
        "--sort=count -u -M -0 -m 3 --unwrap box",
        "--histogram domains -u --tsv -m 1 -o out box",
        "--histogram years --csv --stats box",
        "-o out -l --progress never box",
        "-o - --color always --hyperlink always box",
    ];
    for arguments in table {
        let run = world.run(arguments);
        assert!(matches!(run.status, Some(0 | 1)), "{arguments}: {run:?}");
    }
}

#[test]
fn invalid_values_are_refused() {
    let world = World::with_box("values");
    let table = [
        (
            "--scheme http:// box",
            "this is not the name of a scheme; give names with commas between them, such as http,ftp",
        ),
        ("--scheme http, box", "the name of a scheme is empty"),
        ("--form round box", "[possible values: wrapped, angle, bare, prefixed, href]"),
        ("--headers maybe box", "[possible values: yes, no, only]"),
        ("--html maybe box", "[possible values: yes, no]"),
        ("--hyphen maybe box", "[possible values: keep, drop, both]"),
        ("--rejoin maybe box", "[possible values: never, likely]"),
        ("--min-confidence 101 box", "give a percentage from 0 to 100"),
        ("--min-confidence 50% box", "give a percentage from 0 to 100"),
        ("--format pst box", "[possible values: auto, "),
        ("-j many box", "give a number of threads from 1 to 1024, or 0 for one per core"),
        ("--since tomorrow box", "give a year, month, day or time: 1995, 1995-02, 1995-02-17 or 1995-02-17T10:00:00Z"),
        ("--until 1995-2 box", "give a year, month, day or time"),
        ("--since 1995-02-30 box", "that day does not exist; check the month and the day"),
        ("--since 1995-02-30T10:00:00Z box", "that day does not exist; check the month and the day"),
        ("--since 1995-02-28T25:00:00Z box", "give a year, month, day or time"),
        ("--until 1995-13 box", "that month does not exist; months are 01 to 12"),
        (
            "--byte-range 5 box",
            "give the beginning and the end of the range, such as 0-1G; 1G- means everything from 1G on",
        ),
        ("--byte-range 7-5 box", "the range is empty; the second number must be larger than the first"),
        ("--shard 5/4 box", "give I/N, such as 1/4, for share I of N shares"),
        ("--max-message 1T box", "give a number of bytes, with or without K, M or G after it, such as 64M"),
        ("--max-message 2G box", "give a size from 1 to 1G"),
        (
            "--newsgroup comp.*, box",
            "a pattern is empty; give names with commas between them, such as comp.*,!comp.lang.*",
        ),
        (
            "--newsgroup [a,b] box",
            "a set has no closing bracket: write [a-z] without a comma in the set, or \\[ for the bracket itself",
        ),
        ("--list [!a]* box", "a set cannot begin with `!`: write [^a-z] for a character that is not in a set"),
        ("--newsgroup a\\ box", "a pattern ends with a backslash: write \\\\ for a backslash"),
        (
            "--host , box",
            "a pattern is empty; give names with commas between them, such as example.org,!www.example.org",
        ),
        ("--list a,,b box", "a pattern is empty; give names with commas between them, such as announce,*.example.org"),
        ("--host !www.* box", "every pattern begins with `!`, so nothing matches; put `*,` before the first pattern"),
        ("--newsgroup !alt.*,!comp.* box", "every pattern begins with `!`, so nothing matches"),
        ("--list !announce box", "every pattern begins with `!`, so nothing matches"),
        ("--tier rfc box", "[possible values: rfc1738, relaxed, rfc3986, iri]"),
        ("--histogram days box", "[possible values: hosts, domains, schemes, years, tiers, forms]"),
        ("--generate man box", "cannot be used with one or more of the other specified arguments"),
        ("--list-schemes --json", "cannot be used with one or more of the other specified arguments"),
        (
            "--host http://www.example.org box",
            "give only the name of a host, without scheme, port and path, such as example.org",
        ),
        (
            "--host www.example.org:80 box",
            "give only the name of a host, without scheme, port and path, such as example.org",
        ),
        ("--generate csh", "[possible values: man, schema, bash, zsh, fish, elvish, powershell]"),
        ("--color maybe box", "[possible values: auto, always, never]"),
        ("--progress maybe box", "[possible values: auto, never]"),
        ("--since 7 box", "or a time before now: 30m (minutes), 12h, 7d, 2w, 3mo; or `today` or `yesterday`"),
        ("--since -7d box", "write a time before now as 7d, without a minus sign"),
        ("--until -2w box", "write a time before now as 7d, without a minus sign"),
        ("--since 9999999w box", "give a year, month, day or time"),
        ("-m 0 box", "give a number of URLs, at least 1, such as 10; to print the Message-ID, use -M"),
        ("-m -1 box", "give a number of URLs, at least 1, such as 10"),
        ("-m box box", "to print the Message-ID, use -M"),
        ("-A many box", "give a number of lines, such as 2"),
        ("-B -1 box", "give a number of lines, such as 2"),
        ("--sort=host box", "[possible values: url, count]"),
        ("--hyperlink maybe box", "[possible values: auto, always, never]"),
        ("-C many box", "give a number of lines, such as 2"),
        ("-j -1 box", "give a number of threads from 1 to 1024"),
        ("-C -1 box", "give a number of lines, such as 2"),
        ("--byte-range -5K box", "give the beginning and the end"),
        ("--shard -1/3 box", "give I/N, such as 1/4, for share I of N shares"),
        ("--max-message -1M box", "give a number of bytes"),
        ("-j 5000 box", "give a number of threads from 1 to 1024"),
        ("--scheme", "a value is required for '--scheme <NAMES>'"),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
    }
}

#[test]
fn unknown_options_are_refused() {
    let world = World::with_box("unknown");
    let absent = ["--schemeless", "--any-scheme", "--attachments", "-k"];
    for option in absent {
        world.run(&format!("{option} box")).complains(&format!("unexpected argument '{option}' found"));
    }
}

#[test]
fn an_unreadable_list_of_files_is_an_error() {
    let world = World::new("bad-list").file("d/x", "");
    // A directory can be opened, but not read.
    world.run("--files-from d").complains("d: cannot read the list of files: ");
    world.run("--files-from missing").complains("missing: cannot open the list of files: ");
}

/// After an error about a file or a value, urlspool does not print the usage, because the options themselves are
/// correct.
#[test]
fn errors_about_a_file_or_a_value_are_one_line() {
    let world = World::with_box("no-misuse");
    let table = [
        ("--files-from missing", "; check the name"),
        ("--files0-from missing", "; check the name"),
        ("--report missing/page.html box", "; create its directory first"),
        ("missing", "; check the name"),
        ("--sort count box", "count: no such file or directory; to sort by count, use --sort=count"),
        ("box --sort url", "url: no such file or directory; to sort by url, use --sort=url"),
        ("--sort=url count", "count: cannot be opened: No such file"),
        ("--check --base http:// a", "give an absolute URL, with its scheme"),
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
    let empty = "error: an argument is empty; remove it, or check the shell variable that it comes from\n";
    let table: &[(&[&str], &str)] = &[
        (&["-r", "."], "error: unknown option -r; urlspool always searches directories recursively\n"),
        (&["-R", "."], "error: unknown option -R; urlspool always searches directories recursively\n"),
        (&["-nr", "."], "error: unknown option -r; urlspool always searches directories recursively\n"),
        (
            &["--recursive", "box"],
            "error: unknown option --recursive; urlspool always searches directories recursively\n",
        ),
        (&["--limit=3", "box"], "error: unknown option --limit; -m NUM stops after NUM URLs\n"),
        (
            &["--domain", "example.org", "box"],
            "error: unknown option --domain; --host example.org selects this host and its sub-domains; --histogram \
             domains counts URLs by domain\n",
        ),
        (
            &["--after=1998", "box"],
            "error: unknown option --after; --since DATE and --until DATE select messages, as in --since 7d\n",
        ),
        (
            &["--exec", "curl", "box"],
            "error: unknown option --exec; to pass URLs to a command, use urlspool -0 PATH | xargs -0 COMMAND; to pass \
             the names of files with URLs, use urlspool -l0 PATH | xargs -0 COMMAND\n",
        ),
        (&["-listonly", "box"], "error: unknown option -listonly; urlspool always lists URLs, one per line\n"),
        (
            &["--include=*.mbox", "."],
            "error: unknown option --include; to select files, use --glob '*.mbox' and --exclude 'spam/', or find DIR -print0 | urlspool \
             --files0-from -\n",
        ),
        (&[""], empty),
        (&["box", ""], empty),
        (&["--check", ""], empty),
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
        ("--check", "--check needs a URL, as in urlspool --check http://host/path"),
        ("--check -c http://a/", "-c does not work with --check; remove one of them"),
        ("--check --count http://a/", "--count does not work with --check; remove one of them"),
        ("--check -H http://a/", "-H does not work with --check"),
        ("--check --headers no http://a/", "--headers does not work with --check"),
        ("--check --files0-from box http://a/", "--files0-from does not work with --check"),
        ("--check -j2 http://a/", "-j does not work with --check"),
        ("--check --threads=2 http://a/", "--threads does not work with --check"),
        ("--check -v http://a/", "-v does not work with --check"),
        (
            "--check --base www http://a/",
            "--base is not a URL: no scheme at offset 3 (RFC 1738 2.1); give an absolute URL, with its scheme",
        ),
    ];
    for (arguments, words) in table {
        world.run(arguments).complains(words);
    }
}
