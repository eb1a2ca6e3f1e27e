//! Checks that the tasks of a search together find the hits of the whole search, or report an error. Also checks that a
//! search of the beginning of a mailbox, and a search that continues there, together find the same hits.

use std::fs;
use std::ops::ControlFlow;

use urlspool::{DiagnosticKind, Event, Extractor, FromPaths, Hits, Position, Resume, Sink};

use super::archive::{formats, scratch};
use super::listener::same;

/// The member, the number of the message, the offset, the length and the URL of a hit.
type Row = (Option<Vec<u8>>, Option<u64>, u64, u64, Vec<u8>);

/// Input: three bytes, then a file. The three bytes choose the format, the size of the tasks, and where the beginning of
/// the file ends.
pub fn tasks(bytes: &[u8]) {
    let Some((&[format, size, cut], file)) = bytes.split_first_chunk() else { return };
    let format = formats().nth(usize::from(format)).unwrap_or("auto");
    let size = u64::from(size) * 8 + 1;
    let path = scratch("tasks");
    let search = || Extractor::new().set("format", format).unwrap().threads(1).paths([&path]);
    fs::write(&path, file).expect("a temporary file");
    let whole = Found::new(search());
    let mut parts = Found::default();
    for task in search().manifest(size, |_, _| {}) {
        match task {
            Ok(task) => parts = parts.then(Found::new(task.hits(1))),
            Err(_) => parts.is_odd = true,
        }
    }
    if !parts.is_odd {
        // Each task counts messages from its own start.
        let rows = |found: &Found| {
            found.rows.iter().map(|row| (row.0.clone(), row.2, row.3, row.4.clone())).collect::<Vec<_>>()
        };
        same(&format!("{format} in tasks of {size}"), &rows(&whole), &rows(&parts));
    }

    // A part of a file can seem to be in another format, and the end of a damaged file is unknown.
    if format == "auto" || whole.is_odd {
        return;
    }
    let resumed = |from, is_settled| search().resume(move |_| Resume::Read { from, is_settled });
    let at = file.len() * usize::from(cut) / 255;
    fs::write(&path, &file[..at]).expect("a temporary file");
    let mut first = Found::new(resumed(None, false));
    fs::write(&path, file).expect("a temporary file");
    // Without a position, the second search reads the whole file.
    if first.reached.is_none() {
        first.rows.clear();
    }
    let rest = Found::new(resumed(first.reached, true));
    let both = first.then(rest);
    if !both.is_odd {
        // The text between messages is not held back if it seems to be incomplete.
        let rows = |found: Found| found.rows.into_iter().filter(|row| row.1.is_some()).collect::<Vec<_>>();
        same(&format!("{format} continued at {at}"), &rows(whole), &rows(both));
    }
}

/// What a search found.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    reached: Option<Position>,
    /// Whether the file is damaged, or a message was read again because it has grown.
    is_odd: bool,
}

impl Found {
    fn new(hits: Hits<FromPaths>) -> Found {
        let mut found = Found::default();
        let _ = hits.each(&mut found);
        found
    }

    fn then(mut self, next: Found) -> Found {
        self.rows.extend(next.rows);
        Found { is_odd: self.is_odd || next.is_odd, ..self }
    }
}

impl Sink for Found {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) => {
                let url = hit.url().as_bytes().to_vec();
                self.rows.push((hit.member().map(<[u8]>::to_vec), hit.message(), hit.offset(), hit.length(), url));
            }
            Event::Reached { position, .. } => self.reached = Some(*position),
            Event::Error(_) => self.is_odd = true,
            Event::Diagnostic { diagnostic, .. } => self.is_odd |= diagnostic.kind() == DiagnosticKind::Grown,
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
