//! Which options contradict each other: a table.

use std::path::Path;

use urlspool::{Form, Tier};

use crate::args::{self, Args};
use crate::list::input;

/// The first two options that contradict each other, and what to do about it.
pub(crate) fn contradiction(args: &Args) -> Option<&'static str> {
    let fields = args.line_number || args.byte_offset || args.message_id;
    let both = args.hyphen == args::Hyphen::Both;
    let readings = args.alternatives || both;
    let is_stdin = |path: &Path| path == Path::new(input::STDIN);
    let list = args.list_of_files();
    let table = args.csv || args.tsv || args.parquet().is_some();
    let reads_stdin = args.paths.iter().any(|path| is_stdin(path)) || args.paths.is_empty() && list.is_none();
    let is_attribute = !args.form.is_empty() && args.form.iter().all(|form| *form == Form::Href);
    let forms = [
        args.json,
        args.csv,
        args.tsv,
        args.count,
        args.histogram.is_some(),
        args.context.is_some(),
        args.report.is_some(),
        args.parquet().is_some(),
    ];
    let is_other_form = forms.iter().any(|is_asked| *is_asked);
    Some(match () {
        () if forms.iter().filter(|is_asked| **is_asked).count() > 1 => {
            "there can be one form of output: leave out all but one of --json, --csv, --tsv, --count, --histogram, \
             --context, --report and --parquet"
        }
        () if !args.fields.is_empty() && !(table || args.json) && is_other_form => {
            "--fields is for lists of URLs: leave it out, or --count, --histogram, --context and --report"
        }
        () if !args.fields.is_empty() && (args.with_filename || fields || args.unwrap || args.null || readings) => {
            "--fields names all that is printed: leave out -H, -n, -b and -m, or --fields; --unwrap is its field target, \
             and alternatives are in a field of that name; its lines end as they do, without --null"
        }
        () if table && (args.with_filename || fields) => {
            "a table has a column for each field: leave out -H, -n, -b and -m, or --csv, --tsv and --parquet"
        }
        () if table && args.null => {
            "the lines of a table end as they do: leave out --null, or --csv, --tsv and --parquet"
        }
        () if table && readings => "a table lists alternatives in a column: leave out --alternatives and --hyphen both",
        () if args.context.is_some() && args.null => "lines of text end as they do: leave out --null or --context",
        () if args.histogram.is_some() && (args.with_filename || fields || args.null) => {
            "--histogram prints a line per name: leave out -H, -n, -b, -m and --null, or --histogram"
        }
        () if args.report.is_some()
            && (args.with_filename || fields || args.null || readings || args.rejects || args.unique || args.sort) =>
        {
            "--report prints nothing, and counts every sight: leave out what is for a list, or --report"
        }
        () if args.report.as_deref().is_some_and(is_stdin) => {
            "--report makes a file, which a browser can open: give its name, as in --report urls.html"
        }
        () if args.parquet().is_some_and(is_stdin) => {
            "--parquet makes a file, which is not read from the beginning: give its name, as in --parquet urls.parquet"
        }
        () if args.histogram.is_some() && args.rejects => "--histogram counts URLs: leave out --rejects or --histogram",
        () if args.histogram.is_some() && (args.unique || args.sort) => {
            "--histogram counts every sight, in an order of its own: leave out -u and --sort, or --histogram"
        }
        () if args.histogram.is_some() && readings => {
            "--histogram counts places, not readings: leave out --alternatives and --hyphen both, or --histogram"
        }
        () if args.count && args.sort => "--count prints a line per file, in their order: leave out --sort or --count",
        () if args.byte_range.is_some() && args.has_several_files() => {
            "--byte-range is of one file: name one, and share several with --shard"
        }
        () if args.shard.is_some() && reads_stdin => {
            "standard input is one stream, of which there are no shares: name files, or leave out --shard"
        }
        () if args.since.zip(args.until).is_some_and(|(since, until)| since >= until) => {
            "no message is dated from --since on and before --until: the later date is for --until"
        }
        () if args.hits.is_some() && !args.tee => "--hits is for mail filters: give --tee too, or `> FILE` instead",
        () if args.add_header && !args.tee => "--add-header is for mail filters: give --tee too",
        () if args.add_header && ![args::AUTO, "message"].contains(&args.format.as_str()) => {
            "--add-header takes one message: leave out --format or --add-header"
        }
        () if args.add_header && args.rejects => "what is no URL gets no field: leave out --rejects or --add-header",
        () if args.base.is_some() => "--base is for --check: urlspool --check --base BASE URL...",
        () if args.json && args.with_filename => "every JSON object has the file's name: leave out -H or --json",
        () if args.json && fields => {
            "every JSON object has the line, the offset and the Message-ID: leave out -n, -b and -m, or --json"
        }
        () if args.json && args.unwrap => "every JSON object has the target: leave out --unwrap or --json",
        () if table && args.unwrap => {
            "a table has a column for the target: leave out --unwrap, or --csv, --tsv and --parquet"
        }
        () if args.unwrap && (args.count || args.histogram.is_some() || args.report.is_some()) => {
            "--unwrap is for lists of URLs: leave it out, or --count, --histogram and --report"
        }
        () if args.unwrap && args.rejects => "what is no URL leads nowhere: leave out --unwrap or --rejects",
        () if args.json && args.null => "JSON objects have a line each: leave out --null or --json",
        () if args.json && args.alternatives => {
            "every JSON object lists its alternatives: leave out --alternatives or --json"
        }
        () if args.json && both => "every JSON object lists its alternatives: leave out --hyphen both or --json",
        () if args.count && fields => "--count prints a line per file: leave out -n, -b and -m, or --count",
        () if args.count && args.unique => "--count counts every sight: leave it out, and use urlspool -u ... | wc -l",
        () if args.count && readings => {
            "--count counts places, not readings: leave out --alternatives and --hyphen both, or --count"
        }
        () if args.rejects && readings => {
            "what is no URL has no other readings: leave out --alternatives and --hyphen both, or --rejects"
        }
        () if args.rejects && !args.strict && (args.host.is_some() || !args.tier.is_empty()) => {
            "what is no URL has neither host nor tier: leave out --host and --tier, or --rejects"
        }
        () if args.strict && !args.rejects && !args.tier.is_empty() && !args.tier.contains(&Tier::Rfc1738) => {
            "--strict leaves the tier rfc1738 alone: leave out --strict or --tier"
        }
        () if is_attribute && args.html == args::Html::No => {
            "--form href is found in HTML only: leave out --html no or --form"
        }
        () if is_attribute && args.headers == args::Headers::Only => {
            "--form href is found in HTML only, and a header has none: leave out --headers only or --form"
        }
        () if args.files_from.is_some() && args.files0_from.is_some() => {
            "there can be one list of files: leave out --files-from or --files0-from"
        }
        () if list.is_some_and(|(file, _)| is_stdin(file)) && args.paths.iter().any(|path| is_stdin(path)) => {
            "standard input cannot be both a message and the list of files: leave out one `-`"
        }
        () => return None,
    })
}
