//! Reads and writes `.hits` files, which list the expected hits. `corpus/README.md` describes them.

use std::path::Path;

use super::record::{Event, Found, Message, text};

/// The index of the column `undo`, which lists how the URL is encoded in the mail file. The library does not report the
/// encoding, so [`render`] writes `?` instead.
const UNDO: usize = 7;

/// Returns the lines of a `.hits` file, for a comparison with the lines of [`render`]. Omits comments and blank lines,
/// and writes `?` in the column `undo` of each hit.
pub(crate) fn parse(name: &str, text: &str) -> Vec<String> {
    assert!(text.starts_with("# "), "{name}: must begin with a comment that describes the case");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let mut columns: Vec<_> = line.split('\t').collect();
            if columns[0] == "hit" {
                assert_eq!(columns.len(), 10, "{name}: {line}");
                columns[UNDO] = "?";
            }
            columns.join("\t")
        })
        .collect()
}

/// Returns the events as lines of a `.hits` file. Paths are relative to `root`.
pub(crate) fn render(events: &[Event], root: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut file = None;
    let mut message = Message::default();
    for event in events {
        match event {
            Event::Found(found) => {
                if found.file != file {
                    message = Message::default();
                    file.clone_from(&found.file);
                    let path = file.as_deref().unwrap_or(Path::new("-"));
                    lines.push(format!("file\t{}", path.strip_prefix(root).unwrap_or(path).display()));
                }
                if found.message != message {
                    message.clone_from(&found.message);
                    lines.push(heading(&message));
                }
                lines.push(line(found));
            }
            Event::Diagnostic { offset, name, .. } => lines.push(format!("note\t{offset}\t{name}")),
            Event::Problem(problem) => lines.push(format!("problem\t{problem}")),
            Event::End(_) => {}
        }
    }
    lines
}

fn heading(message: &Message) -> String {
    let bytes = |bytes: &Option<Vec<u8>>| bytes.as_deref().map_or_else(|| "-".to_owned(), text);
    let number = message.number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let date = message.date.as_deref().unwrap_or("-");
    let (id, groups, list) = (bytes(&message.id), bytes(&message.newsgroups), bytes(&message.list_id));
    format!("message\t{number}\t{id}\t{date}\t{groups}\t{list}")
}

fn line(found: &Found) -> String {
    let or_none = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
    let columns = [
        (if found.is_hit { "hit" } else { "reject" }).to_owned(),
        found.line.map_or_else(|| "-".to_owned(), |line| line.to_string()),
        found.offset.to_string(),
        found.length.to_string(),
        or_none(&found.part),
        or_none(&found.header),
        found.form.to_owned(),
        (if found.is_hit { "?" } else { "-" }).to_owned(),
        or_none(&found.flags),
        text(&found.url),
    ];
    columns.join("\t")
}
