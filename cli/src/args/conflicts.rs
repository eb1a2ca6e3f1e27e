//! The table of options that cannot be used together.

use std::path::Path;

use urlspool::{Form, Tier};

use crate::args::{self, Args};
use crate::list::input;

/// Returns an error message if some of the options cannot be used together.
pub(crate) fn conflict_of(args: &Args) -> Option<&'static str> {
    let fields = args.line_number || args.byte_offset || args.message_id;
    let both = args.hyphen == args::Hyphen::Both;
    let readings = args.alternatives || both;
    let is_stdin = |path: &Path| path == Path::new(input::STDIN);
    let list = args.list_of_files();
    let is_context = args.context().is_some();
    let by_count = args.sort == Some(args::SortBy::Count);
    // With `--histogram`, the options `--csv` and `--tsv` print the histogram as a table, and not the URLs.
    let is_sheet = (args.csv || args.tsv) && args.histogram.is_none();
    let table = is_sheet || args.parquet().is_some();
    let reads_stdin = args.paths.iter().any(|path| is_stdin(path)) || args.paths.is_empty() && list.is_none();
    let is_attribute = !args.form.is_empty() && args.form.iter().all(|form| *form == Form::Href);
    let forms = [
        args.json,
        is_sheet,
        args.count,
        args.files_with_matches,
        args.histogram.is_some(),
        is_context,
        args.report.is_some(),
        args.parquet().is_some(),
    ];
    let is_other_form = forms.iter().any(|is_asked| *is_asked);
    Some(match () {
        () if args.csv && args.tsv || forms.iter().filter(|is_asked| **is_asked).count() > 1 => {
            "more than one output format; use only one of --json, --csv, --tsv, --count, --files-with-matches, \
             --histogram, --context (-A, -B, -C), --report and --parquet"
        }
        () if !(args.fields.is_empty() || table || args.json) && is_other_form => {
            "--fields works only if the output is a list of URLs; remove --fields, or remove --count, \
             --files-with-matches, --histogram, --context and --report"
        }
        () if !args.fields.is_empty() && (args.with_filename || fields) => {
            "--fields decides which fields are printed; remove --fields, or remove -H, -n, -b and -M"
        }
        () if !args.fields.is_empty() && (args.unwrap || args.null || readings) => {
            "--fields prints only the named fields, one line per URL; remove --fields, or remove --unwrap, --null, \
             --alternatives and --hyphen=both"
        }
        () if !args.fields.is_empty() && by_count => {
            "--fields decides the columns, but --sort=count adds a column; remove --fields or --sort=count"
        }
        () if args.parquet().is_some() && args.output.is_some() => {
            "--parquet already names the output file; remove --output or --parquet"
        }
        () if table && (args.with_filename || fields) => {
            "--csv, --tsv and --parquet have a column for each field; remove -H, -n, -b and -M"
        }
        () if table && args.null => "--csv, --tsv and --parquet cannot end lines with NUL; remove --null",
        () if table && readings => {
            "--csv, --tsv and --parquet have a column for alternatives; remove --alternatives and --hyphen=both"
        }
        () if is_context && args.null => {
            "--null does not work with -A, -B and -C, which print several lines per URL; remove --null, or remove -A, \
             -B and -C"
        }
        () if args.histogram.is_some() && (args.with_filename || fields || args.null) => {
            "--histogram prints only names and numbers; remove --histogram, or remove -H, -n, -b, -M and --null"
        }
        () if args.report.is_some()
            && (args.with_filename
                || fields
                || args.null
                || readings
                || args.rejects
                || args.unique
                || args.sort.is_some()) =>
        {
            "--report writes a page, not a list of URLs; remove --report, or remove -H, -n, -b, -M, --null, \
             --alternatives, --hyphen=both, --rejects, -u and --sort"
        }
        () if args.report.is_some() && args.output.is_some() => {
            "--report already names the output file; remove --output or --report"
        }
        () if args.report.is_some() && args.max_count.is_some() => {
            "--report always counts all URLs; remove --max-count or --report"
        }
        () if args.stats && args.max_count.is_some() => {
            "--stats counts the whole input, but --max-count stops before the end; remove one of them"
        }
        () if args.report.as_deref().is_some_and(is_stdin) => {
            "--report needs the name of a file, as in --report urls.html"
        }
        () if args.parquet().is_some_and(is_stdin) => {
            "--parquet needs the name of a file, as in --parquet urls.parquet"
        }
        () if args.histogram.is_some() && args.rejects => {
            "--histogram counts only valid URLs; remove --rejects or --histogram"
        }
        () if args.histogram.is_some() && args.sort.is_some() => {
            "--histogram has its own order; remove --sort or --histogram"
        }
        () if args.histogram.is_some() && readings => {
            "--histogram does not count the alternatives of a URL; remove --histogram, or remove --alternatives and \
             --hyphen=both"
        }
        () if args.count && args.sort.is_some() => {
            "--count prints its lines in the order of the input; remove --sort or --count"
        }
        () if args.count && args.max_count.is_some() => "--count counts every URL; remove --max-count or --count",
        () if args.files_with_matches
            && (args.with_filename || fields || args.unique || args.sort.is_some() || readings || args.unwrap) =>
        {
            "--files-with-matches prints only file names, in the order of the input; remove --files-with-matches, or \
             remove -H, -n, -b, -M, -u, --sort, --alternatives, --hyphen=both and --unwrap"
        }
        () if by_count && (args.json || table || is_context) => {
            "--sort=count prints a number before each line; remove --sort=count, or remove --json, --csv, --tsv, -A, \
             -B and -C"
        }
        () if by_count && readings => {
            "--sort=count does not count the alternatives of a URL; remove --sort=count, or remove --alternatives and \
             --hyphen=both"
        }
        () if args.byte_range.is_some() && args.has_several_files() => {
            "--byte-range needs a single file; name one file, or use --shard for several files"
        }
        () if args.state.is_some() && reads_stdin && !args.tee => {
            "--state does not work with standard input; name files, or remove --state"
        }
        () if args.state.is_some() && (args.max_count.is_some() || args.files_with_matches) => {
            "--state needs to read each file to its end; remove --state, or remove -m and -l"
        }
        () if args.state.is_some() && args.once => {
            "--state does not record Message-IDs, so --once cannot know the messages of earlier runs; remove --once or \
             --state"
        }
        () if args.state.is_some() && (args.output.is_some() || args.parquet().is_some() || args.report.is_some()) => {
            "--output, --parquet and --report overwrite their files, so the URLs of earlier --state runs would be \
             lost; remove these options, and append the output with >> FILE"
        }
        () if args.state.is_some() && args.byte_range.is_some() => {
            "--state needs to read each file to its end; remove --byte-range or --state"
        }
        () if args.state.as_deref().is_some_and(is_stdin) => {
            "--state needs the name of a file, as in --state urls.state"
        }
        () if args.shard.is_some() && reads_stdin => {
            "--shard selects files, and standard input is not a file; name files, or remove --shard"
        }
        () if args.mail_only && args.format != args::AUTO => {
            "--mail-only selects files by their detected format, but --format turns detection off; remove --mail-only \
             or --format"
        }
        () if args.no_twins && args.html == args::Html::No => {
            "--no-twins compares text parts with HTML parts, but --html=no skips HTML parts; remove --no-twins or \
             --html=no"
        }
        () if args.since.zip(args.until).is_some_and(|(since, until)| since > until) => {
            "--since is after --until; swap the dates"
        }
        () if args.hits.is_some() && !args.tee => "--hits needs --tee; add --tee, or use `> FILE` instead",
        () if args.add_header && !args.tee => "--add-header needs --tee; add --tee",
        () if args.add_header && ![args::AUTO, "message"].contains(&args.format.as_str()) => {
            "--add-header always reads its input as one message; remove --format or --add-header"
        }
        () if args.add_header && args.rejects => "--add-header adds only valid URLs; remove --rejects or --add-header",
        () if args.base.is_some() => "--base needs --check, as in urlspool --check --base BASE URL...",
        () if args.json && args.with_filename => "--json already prints the file name; remove -H or --json",
        () if args.json && fields => {
            "--json already prints the line, the offset and the Message-ID; remove --json, or remove -n, -b and -M"
        }
        () if args.json && args.unwrap => "--json already prints the target; remove --unwrap or --json",
        () if table && args.unwrap => "--csv, --tsv and --parquet have a column for the target; remove --unwrap",
        () if args.unwrap && (args.count || args.histogram.is_some() || args.report.is_some()) => {
            "--unwrap works only if the output is a list of URLs; remove --unwrap, or remove --count, --histogram and \
             --report"
        }
        () if args.unwrap && args.rejects => {
            "--rejects prints text that is not a URL, and such text has no target; remove --unwrap or --rejects"
        }
        () if args.json && args.null => "--json cannot end lines with NUL; remove --null or --json",
        () if args.json && args.alternatives => {
            "--json already prints the alternatives; remove --alternatives or --json"
        }
        () if args.json && both => "--json already prints the alternatives; remove --hyphen=both or --json",
        () if args.count && fields => {
            "--count prints one line per file, not per URL; remove --count, or remove -n, -b and -M"
        }
        () if args.count && args.unique => {
            "--count counts every occurrence of a URL; to count each URL once, use urlspool -u ... | wc -l"
        }
        () if args.count && readings => {
            "--count does not count the alternatives of a URL; remove --count, or remove --alternatives and \
             --hyphen=both"
        }
        () if args.rejects && readings => {
            "--rejects prints text that is not a URL, and such text has no alternatives; remove --rejects, or remove \
             --alternatives and --hyphen=both"
        }
        () if args.rejects && !args.strict && (!args.host.is_empty() || !args.tier.is_empty()) => {
            "--rejects prints text that is not a URL, and such text has no host or tier; remove --rejects, or remove \
             --host and --tier"
        }
        () if args.strict && !args.rejects && !args.tier.is_empty() && !args.tier.contains(&Tier::Rfc1738) => {
            "--strict prints only URLs of the tier rfc1738; remove --strict or --tier"
        }
        () if is_attribute && args.html == args::Html::No => "--form=href needs HTML parts; remove --html=no or --form",
        () if is_attribute && args.headers == args::Headers::Only => {
            "--form=href needs HTML parts; remove --headers=only or --form"
        }
        () if args.files_from.len() + args.files0_from.len() > 1 => {
            "more than one list of files; join the lists, as in `cat LIST... | urlspool --files-from -`"
        }
        () if list.is_some_and(|(file, _)| is_stdin(file)) && args.paths.iter().any(|path| is_stdin(path)) => {
            "standard input cannot be both the mail and the list of files; remove one `-`"
        }
        () => return None,
    })
}
