//! `--report`: a page about an archive, for a browser.
//!
//! The page is one file that loads nothing else. It has the figures as JSON, a script that shows them, and Chart.js, which
//! draws (`chart.umd.min.js`, MIT: `chart.LICENSE.md`).

pub(crate) mod atomic_file;
mod data;

use std::io;
use std::path::{Path, PathBuf};

use self::atomic_file::AtomicFile;
use crate::escaped::Escaped;
use crate::tally::Tally;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const CHARTS: &str = include_str!("chart.umd.min.js");

/// A report that is not written yet.
pub(crate) struct Report {
    path: PathBuf,
    file: AtomicFile,
    title: String,
}

impl Report {
    /// A report with this title, to be written to `path`.
    ///
    /// # Errors
    ///
    /// If `path` has a file that is not a report, or if no file can be created there. The
    /// caller learns this before a long run.
    pub(crate) fn new(path: &Path, title: String) -> io::Result<Report> {
        let mark = PAGE.split("{{").next().unwrap_or_default();
        Ok(Report { path: path.into(), file: AtomicFile::new(path, mark.as_bytes())?, title })
    }

    /// Writes the page.
    pub(crate) fn write(&self, tally: &Tally) -> io::Result<()> {
        let data = data::json(tally, &self.title);
        self.file.finish(page(&self.title, &data.to_string()).as_bytes())
    }

    /// The path, for messages.
    pub(crate) fn target(&self) -> String {
        Escaped::path(&self.path).to_string()
    }
}

/// Builds the page.
fn page(title: &str, data: &str) -> String {
    // A script element has no escapes, and only `<` could end it. JSON has an escape for it.
    let data = data.replace('<', "\\u003c");
    // Without the link, the tools of a browser do not look for the source map.
    let charts = CHARTS.split("//# sourceMappingURL").next().unwrap_or_default();
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let pieces = [
        ("{{title}}", &*title),
        ("{{style}}", STYLE),
        ("{{charts}}", charts),
        ("{{data}}", &data),
        ("{{script}}", SCRIPT),
    ];
    let mut page = String::new();
    let mut rest = PAGE;
    // One mark after the other, so that inserted text is not searched.
    for (mark, piece) in pieces {
        let (before, after) = rest.split_once(mark).expect("the page has its marks in this order");
        page += before;
        page += piece;
        rest = after;
    }
    page + rest
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn text_from_the_archive_does_not_become_a_tag() {
        let page = page("a<b>&{{data}}", "[\"</script><script>alert(1)\"]");
        assert!(page.contains("<title>URLs in a&lt;b>&amp;{{data}}</title>"));
        assert!(page.contains("[\"\\u003c/script>\\u003cscript>alert(1)\"]"));
    }
}
