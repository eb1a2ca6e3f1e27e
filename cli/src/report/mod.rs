//! `report`: an HTML page with statistics of an archive.
//!
//! The page is a single file that loads nothing from the network. It contains the data as JSON, and a script that shows
//! the data as tables and charts.

mod axis;
mod data;

use std::io;

use crate::args::{Given, Wrong};
use crate::atomic_file::AtomicFile;
use crate::escaped::Escaped;
use crate::find::{self, input::is_stdin};
use crate::print::{Output, Printer};
use crate::tally::Tally;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The maximum number of inputs that the page lists.
const INPUTS: usize = 1000;

/// Returns the printer of the page.
pub(crate) fn printer(given: &Given) -> Result<Printer, Wrong> {
    let Some(path) = given.path("output").filter(|file| !is_stdin(file)) else {
        return Err("report needs the name of a file for the page, as in urlspool report -o page.html PATH".into());
    };
    let mut inputs: Vec<_> = given.paths().map(|path| Escaped::path(path).to_string()).collect();
    let title = match &inputs[..] {
        [] if given.has("files-from") => "a list of files".into(),
        [] => "standard input".into(),
        [first, second, third, _, ..] => format!("{first}, {second}, {third} and {} more", inputs.len() - 3),
        names => names.join(", "),
    };
    inputs.truncate(INPUTS);
    let options = given.described(&["output", "threads", "verbose"]);
    // The user gets an error about the file before the search, and not at the end of a long search.
    let mark = TEMPLATE.split("{{").next().unwrap_or_default();
    let file = AtomicFile::new(path, mark.as_bytes()).map_err(|error| find::not_written(path, "report", &error))?;
    let report = Report { file, about: About { title, inputs, options } };
    Ok(Printer::new(Output::Report(report), false))
}

/// The input and the options of the run.
#[derive(Default)]
pub(crate) struct About {
    title: String,
    /// The first paths on the command line.
    inputs: Vec<String>,
    /// The command-line options that the report shows.
    options: Vec<String>,
}

/// The report that will be written at the end of the run.
pub(crate) struct Report {
    pub(crate) file: AtomicFile,
    about: About,
}

impl Report {
    pub(crate) fn write(&self, tally: &Tally) -> io::Result<()> {
        let data = data::json(tally, &self.about);
        self.file.finish(page(&self.about.title, &data.to_string()).as_bytes())
    }
}

/// Fills in the template. Returns the HTML of the page.
fn page(title: &str, data: &str) -> String {
    // The data is in a script element, and `</script` in a URL would end this element. HTML has no escapes in a script
    // element, so `<` is written as a JSON escape.
    let data = data.replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let pieces = [("{{title}}", &*title), ("{{style}}", STYLE), ("{{data}}", &data), ("{{script}}", SCRIPT)];
    let mut page = String::new();
    let mut rest = TEMPLATE;
    // Text from mail can contain `{{script}}`, which must not be replaced. So do not use `str::replace` on the page.
    // Instead, search for each placeholder only in the rest of the template.
    for (placeholder, piece) in pieces {
        let (before, after) = rest.split_once(placeholder).expect("the template has the placeholders in this order");
        page += before;
        page += piece;
        rest = after;
    }
    page + rest
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use std::{
        io::Write as _,
        process::{Command, Stdio},
    };

    #[cfg(target_os = "linux")]
    use data_encoding::{BASE64, HEXLOWER};

    use super::page;

    #[test]
    fn nothing_from_the_archive_becomes_a_tag() {
        let page = page("a<b>&{{data}}", "[\"</script><script>alert(1)\"]");
        assert!(page.contains("<title>URLs in a&lt;b>&amp;{{data}}</title>"));
        assert!(page.contains("[\"\\u003c/script>\\u003cscript>alert(1)\"]"));
    }

    /// The browser runs only the script and applies only the style whose hashes are in the policy.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_policy_has_the_hashes_of_script_and_style() {
        let page = page("", "");
        for name in ["script", "style"] {
            let (_, rest) = page.split_once(&format!("<{name}>")).expect("the element");
            let (text, _) = rest.split_once(&format!("</{name}>")).expect("its end");
            let mut child = Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
            let sum = HEXLOWER.decode(&child.wait_with_output().unwrap().stdout[..64]).unwrap();
            let policy = format!("{name}-src 'sha256-{}'", BASE64.encode(&sum));
            assert!(page.contains(&policy), "the template should have {policy}");
        }
        assert!(!page.contains("unsafe-"));
    }
}
