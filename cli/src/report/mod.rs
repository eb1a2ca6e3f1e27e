//! A page about an archive, to be looked at in a browser: `--report`.
//!
//! One file that loads nothing from anywhere: the figures as JSON, a script that shows them, and Chart.js, which draws
//! (`chart.umd.min.js`, MIT: `chart.LICENSE.md`).

mod data;

use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_file::AtomicFile;
use crate::escaped::Escaped;
use crate::tally::Tally;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const CHARTS: &str = include_str!("chart.umd.min.js");

/// The page to be, at its path.
pub(crate) struct Report {
    path: PathBuf,
    draft: AtomicFile,
    title: String,
}

impl Report {
    /// A report on what is called `title`, to be the file at `path`: that it cannot be is better known before the work than
    /// after.
    ///
    /// # Errors
    ///
    /// If there is a file of that name which is no report, or none can be made there.
    pub(crate) fn new(path: &Path, title: String) -> io::Result<Report> {
        let mark = PAGE.split("{{").next().unwrap_or_default();
        Ok(Report { path: path.into(), draft: AtomicFile::new(path, mark.as_bytes(), "report")?, title })
    }

    /// Writes the page.
    pub(crate) fn write(&self, tally: &Tally) -> io::Result<()> {
        let data = data::json(tally, &self.title);
        self.draft.finish(page(&self.title, &data.to_string()).as_bytes())
    }

    /// Its path, for people.
    pub(crate) fn target(&self) -> String {
        Escaped::path(&self.path).to_string()
    }
}

/// The page.
fn page(title: &str, data: &str) -> String {
    // Within a script nothing is escaped, and only `<` could end it; in JSON it is one of many ways to write that.
    let data = data.replace('<', "\\u003c");
    // A browser's tools would look for the map of the source.
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
    // Piece by piece, so that what is put in is not searched again.
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
    fn nothing_from_the_archive_becomes_a_tag() {
        let page = page("a<b>&{{data}}", "[\"</script><script>alert(1)\"]");
        assert!(page.contains("<title>URLs in a&lt;b>&amp;{{data}}</title>"));
        assert!(page.contains("[\"\\u003c/script>\\u003cscript>alert(1)\"]"));
    }
}
