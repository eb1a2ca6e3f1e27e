//! A page about an archive, to be looked at in a browser: `--report`.
//!
//! One file that loads nothing from anywhere: the figures as JSON, a script that shows them, and Chart.js, which draws
//! (`chart.umd.min.js`, MIT: `chart.LICENSE.md`).

mod data;
mod draft;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use urlspool::{File, Hit, Note, Reject, Unit};

use self::data::Data;
use self::draft::Draft;
use super::harmless::Harmless;
use super::print::{Page, Printer};
use super::select::Refused;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const CHARTS: &str = include_str!("chart.umd.min.js");

/// Counts, and writes the page when all is counted.
pub(crate) struct Report {
    path: PathBuf,
    draft: Draft,
    title: String,
    data: Data,
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
        Ok(Report { path: path.into(), draft: Draft::new(path, mark.as_bytes())?, title, data: Data::default() })
    }
}

/// What one worker counted.
#[derive(Default)]
pub(crate) struct Counted(Data);

impl Page for Counted {
    fn hit(&mut self, hit: &Hit<'_>) {
        self.0.hit(hit);
    }

    /// A place counts once, however it is read.
    fn reading(&mut self, _: &Hit<'_>, _: &[u8]) {}

    /// Rejects are counted whether they are listed or not.
    fn refused(&mut self, _: &Refused<'_>) {}

    fn reject(&mut self, reject: &Reject<'_>) {
        self.0.reject(reject);
    }

    fn note(&mut self, file: Option<&File>, note: &Note) {
        self.0.note(file, note);
    }

    fn unit(&mut self, _: Option<&File>, unit: &Unit) {
        self.0.unit(unit);
    }

    fn end(&mut self, _: &File) {
        self.0.end();
    }

    fn size(&self) -> usize {
        0
    }
}

impl Printer for Report {
    type Page = Counted;

    fn page(&self) -> Counted {
        Counted::default()
    }

    fn print(&mut self, page: &mut Counted, _: &mut dyn Write) -> io::Result<()> {
        self.data.take(std::mem::take(&mut page.0));
        Ok(())
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        let data = std::mem::take(&mut self.data).json(&self.title);
        self.draft.finish(page(&self.title, &data.to_string()).as_bytes())
    }

    fn target(&self) -> String {
        Harmless::path(&self.path).to_string()
    }
}

/// The page.
fn page(title: &str, data: &str) -> String {
    // Within a script nothing is escaped, and only `<` could end it; in JSON it is one of many ways to write that.
    let data = data.replace('<', "\\u003c");
    // A browser's tools would look for the map of the source.
    let charts = CHARTS.split("//# sourceMappingURL").next().unwrap_or_default();
    let title: String = title
        .chars()
        .map(|c| match c {
            '&' => "&amp;".into(),
            '<' => "&lt;".into(),
            c => c.to_string(),
        })
        .collect();
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
