//! Mistakes that are habits of other commands, or slips of a shell: what to do about them, in place of clap's own words.

use std::ffi::OsString;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Options of grep(1), rg(1), urlscan(1), lynx(1) and find(1) that are none here, and what has their place.
const FOREIGN_FLAGS: &[(&str, &str)] = &[
    ("-r -R --recursive", "directories are always walked"),
    ("-i -y --ignore-case -S --smart-case", "names are matched in any mix of case"),
    (
        "-e -E -F -G -P -w -x -f --regexp --fixed-strings --word-regexp --regex --file",
        "the grammar says what a URL is; choose by --scheme and --host, or with urlspool PATH | grep PATTERN",
    ),
    ("--invert-match", "--host '*,!www.*' leaves hosts out, and --rejects lists what is no URL"),
    (
        "-l --files-with-matches --list-files",
        "URLs are listed anyway; the files that have some, with urlspool -Hc PATH | grep -v ':0$'",
    ),
    (
        "-L --files-without-match",
        "--follow goes through symbolic links; the files without URLs, with urlspool -Hc PATH | grep ':0$'",
    ),
    ("-U --multiline", "URLs that are broken over lines are put together anyway"),
    ("-A -B --after-context --before-context", "-C NUM prints the lines before and behind"),
    (
        "-1 -2 -3 -4 -5 -6 -7 -8 -9 --max-count",
        "-C NUM prints lines of context; the first URLs, with urlspool PATH | head -n NUM",
    ),
    ("-o --output --only-matching", "URLs alone are printed anyway; into a file with > FILE"),
    ("-q --quiet --silent", "the exit status tells, with > /dev/null"),
    ("-s --no-messages", "what is told goes to standard error, and away with 2> /dev/null"),
    ("-I --no-filename -N --no-line-number", "names and lines are printed with -H and -n only"),
    ("-a -t --text --type --binary-files", "what a file is, its content says; or you, with --format"),
    ("-z -Z --search-zip", "what is compressed is read anyway; -0 ends lines with NUL"),
    (
        "-g --glob --include --exclude --exclude-dir -d --max-depth -maxdepth -name -iname -type -print0",
        "choose files with find DIR -name '*.mbox' -print0 | urlspool --files0-from -",
    ),
    ("--hidden --no-ignore", "hidden files are read if named: find DIR -print0 | urlspool --files0-from -"),
    ("--dedup --dedupe --uniq", "-u prints each URL once"),
    ("--line-buffered", "what comes slowly through a pipe is told message by message anyway"),
    ("-? --usage", "-h has every option on a page, --help what each does"),
    ("-version", "--version, or -V, says which one this is"),
    #[cfg(not(feature = "parquet"))]
    ("--parquet", "this build cannot write Parquet: build one with cargo install urlspool-cli --features parquet"),
    ("--no-browser --compact -dump --dump -listonly -nonumbers", "URLs are listed anyway, one per line"),
];

/// What to do about an error of clap's over these arguments, where there is more to say than clap can know.
pub(crate) fn advice(error: &Error, arguments: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(named)) = error.get(ContextKind::InvalidArg) else { return None };
    match (error.kind(), named.as_str()) {
        (ErrorKind::UnknownArgument, _) => {
            // Of `-listonly` clap names the first letter that it does not know.
            let letter = named.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
            let has_it = |word: &&str| {
                let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
                letters.zip(letter).is_some_and(|(letters, letter)| letters.contains(letter))
            };
            let words = arguments.iter().filter_map(|argument| argument.to_str()).take_while(|word| *word != "--");
            let known = |option: &str| {
                FOREIGN_FLAGS.iter().find(|(options, _)| options.split(' ').any(|known| known == option))
            };
            words
                .filter(has_it)
                .chain([named.as_str()])
                .find_map(|option| known(option).map(|(_, instead)| format!("there is no {option} here: {instead}")))
        }
        (ErrorKind::InvalidValue, "[PATH]...") => {
            Some("an argument is empty: leave it out, or look at the variable that it came from".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory;

    use super::{FOREIGN_FLAGS, advice};
    use crate::args::Args;

    /// Each is none here, and is answered by its own row, whatever stands before and behind it.
    #[test]
    fn habits_are_no_options() {
        for (options, instead) in FOREIGN_FLAGS {
            for option in options.split(' ') {
                let arguments = ["urlspool", "-n", option, "a", "--", "-r"].map(Into::into);
                let error = Args::command().try_get_matches_from(&arguments).expect_err(option);
                assert_eq!(advice(&error, &arguments), Some(format!("there is no {option} here: {instead}")));
            }
        }
    }

    /// What stands beside an option that nobody knows is not blamed for it: it may be a value.
    #[test]
    fn others_are_not_blamed() {
        for line in ["-C -1 --bogus", "--bogus -r", "-K -r", "--bogus -- -r"] {
            let arguments: Vec<OsString> = ["urlspool"].into_iter().chain(line.split(' ')).map(Into::into).collect();
            let error = Args::command().try_get_matches_from(&arguments).expect_err(line);
            assert_eq!(advice(&error, &arguments), None, "{line}");
        }
    }
}
