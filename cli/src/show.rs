//! `show`: prints messages as they are stored, decoded, or as a mailbox.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use urlspool::{Extractor, Message, shared};

use crate::args::{Given, Wrong, values};
use crate::escaped::{Escaped, unescape};
use crate::find::input::{self, STDIN, is_stdin};
use crate::find::with_hint::ErrorWithHint;
use crate::status::{Status, print_message};

/// The maximum size of a message that can be printed.
const LARGEST: &str = "1G";

/// A message to print: message `number` of `file`.
struct Wanted {
    file: PathBuf,
    number: u64,
    /// Whether `file` is known to be one mailbox, and not an archive with several.
    is_exact: bool,
    /// The Message-ID of the message when the list was made, if the list has it.
    id: Option<String>,
}

impl Wanted {
    /// Parses a place such as `FILE:N`.
    fn at(place: &Path) -> Result<Wanted, Wrong> {
        let (file, number) = values::message(place, "message")?;
        if file.is_dir() {
            return Err(format!("{} is a directory; name one of the files in it", Escaped::path(&file)).into());
        }
        Ok(Wanted { file, number, is_exact: true, id: None })
    }

    /// Whether the message comes after `before` in the same file, so that one reading of the file finds both.
    fn follows(&self, before: &Wanted) -> bool {
        self.file == before.file && self.number > before.number
    }
}

pub(crate) fn run(given: &Given) -> Result<Status, Wrong> {
    // Only the boundaries of messages are needed, so parse as little as possible.
    let mut options = given.options()?;
    for (name, value) in [("in", "headers"), ("max-message", LARGEST)] {
        options.set(name, value).expect("a valid value");
    }
    let layout = match () {
        () if given.has("mbox") => mbox,
        () if given.has("decoded") => decoded,
        () => |message: &Message| message.stored().to_vec(),
    };
    let mut show = Show { extractor: Extractor::with(options), layout, status: Status::Nothing };
    let (ids, places): (Vec<_>, Vec<_>) = given.operands().map(Path::new).partition(|operand| id(operand).is_some());
    if !ids.is_empty() {
        if places.is_empty() || places.iter().any(|path| is_stdin(path)) {
            return Err("show needs the files to search, as in urlspool show '<id@host>' archive.mbox".into());
        }
        let ids = ids.into_iter().filter_map(id).collect();
        return Ok(show.by_id(ids, &places).break_value().unwrap_or(show.status));
    }
    let mut wanted = Vec::new();
    for place in places {
        if is_stdin(place) {
            show.list(&mut wanted)?;
            continue;
        }
        wanted.push(Wanted::at(place)?);
    }
    for of_file in wanted.chunk_by(|before, next| next.follows(before)) {
        if let ControlFlow::Break(status) = show.of_file(of_file) {
            return Ok(status);
        }
    }
    Ok(show.status)
}

/// Returns the Message-ID, if an operand is a Message-ID in angle brackets and not a file.
fn id(operand: &Path) -> Option<&str> {
    let id = operand.to_str()?.strip_prefix('<')?.strip_suffix('>')?;
    (!operand.exists()).then_some(id)
}

struct Show {
    extractor: Extractor,
    layout: fn(&Message) -> Vec<u8>,
    status: Status,
}

impl Show {
    fn print(&mut self, message: &Message) -> ControlFlow<Status> {
        if self.status == Status::Nothing {
            self.status = Status::Found;
        }
        self.status.after_output(&(self.layout)(message))
    }

    /// Prints why a message is not printed.
    fn fail(&mut self, why: impl std::fmt::Display) {
        print_message(why);
        self.status = Status::Failed;
    }

    /// Prints messages of one file. Their numbers ascend.
    fn of_file(&mut self, wanted: &[Wanted]) -> ControlFlow<Status> {
        let name = Escaped::path(&wanted[0].file);
        let (mut messages, mut left, mut has_failed) = (0, wanted, false);
        for message in self.extractor.paths([&wanted[0].file]).messages() {
            let [next, rest @ ..] = left else { break };
            match message {
                Ok(message) if !next.is_exact && message.input().is_some_and(|input| input.member().is_some()) => {
                    self.fail(format_args!(
                        "{name} is an archive; list its messages with --fields file,member,message"
                    ));
                    return ControlFlow::Continue(());
                }
                Ok(message) if message.number() == Some(next.number) => {
                    left = rest;
                    if next.id.is_some() && next.id != message.message_id() {
                        let number = next.number;
                        self.fail(format_args!("{name}: message {number} has another Message-ID than in the list"));
                        continue;
                    }
                    self.print(&message)?;
                }
                Ok(_) => {}
                Err(error) => {
                    has_failed = true;
                    self.fail(ErrorWithHint(&error));
                    continue;
                }
            }
            messages += 1;
        }
        let messages = match messages {
            0 => "no messages".to_owned(),
            1 => "1 message".to_owned(),
            many => format!("{many} messages"),
        };
        for Wanted { number, .. } in left.iter().filter(|_| !has_failed) {
            self.fail(format_args!("{name}: message {number} does not exist; the file has {messages}"));
        }
        ControlFlow::Continue(())
    }

    /// Prints the first message with each Message-ID.
    fn by_id(&mut self, mut ids: Vec<&str>, paths: &[&Path]) -> ControlFlow<Status> {
        for message in self.extractor.paths(paths).messages() {
            match message {
                Ok(message) => {
                    let found = message.message_id();
                    let count = ids.len();
                    ids.retain(|id| found.as_deref() != Some(id));
                    if ids.len() < count {
                        self.print(&message)?;
                    }
                    if ids.is_empty() {
                        break;
                    }
                }
                Err(error) => self.fail(ErrorWithHint(&error)),
            }
        }
        for id in ids {
            self.fail(format_args!("no message has the Message-ID <{}>", Escaped(id.as_bytes())));
        }
        ControlFlow::Continue(())
    }

    /// Adds the messages of a list on standard input: the lines of `--fields file,message`, `--fields
    /// file,member,message` or `--json`, or lines such as `FILE:N`. Several lines for one message count once. The
    /// messages of a file are adjacent and in ascending order, so that each file is read once.
    fn list(&mut self, wanted: &mut Vec<Wanted>) -> Result<(), Wrong> {
        let mut list = Vec::new();
        let read = input::open(Path::new(STDIN)).and_then(|mut reader| reader.read_to_end(&mut list));
        read.map_err(|error| format!("cannot read standard input: {error}"))?;
        let lines = list.strip_suffix(b"\n").unwrap_or(&list).split(|&byte| byte == b'\n');
        let (mut places, mut outside, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        let mut ranks = HashMap::new();
        for (line, number) in lines.zip(1..) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match listed(line.strip_suffix(b"\r").unwrap_or(line)) {
                Ok(Some(place)) => {
                    let next = ranks.len();
                    let rank = *ranks.entry(place.file.clone()).or_insert(next);
                    places.push((rank, place));
                }
                Ok(None) => outside.push(number),
                Err(Wrong(why)) => wrong.push(format!("list, line {number}: {why}")),
            }
        }
        places.sort_by_key(|(rank, place)| (*rank, place.number));
        places.dedup_by(|(rank, next), (kept_rank, kept)| {
            let is_same = (*rank, next.number) == (*kept_rank, kept.number);
            if is_same {
                kept.is_exact |= next.is_exact;
                kept.id = kept.id.take().or(next.id.take());
            }
            is_same
        });
        wanted.extend(places.into_iter().map(|(_, place)| place));
        // A list of another kind is wrong in every line.
        match &wrong[..] {
            [] => {}
            [why] => self.fail(why),
            [why, _] => self.fail(format_args!("{why} (and 1 more line)")),
            [why, others @ ..] => self.fail(format_args!("{why} (and {} more lines)", others.len())),
        }
        if let [first, ..] = outside[..] {
            let count = outside.len();
            print_message(format_args!("the list has URLs that are not in a message ({count}, first on line {first})"));
        }
        Ok(())
    }
}

/// Parses a line of a list. Returns `None` for a URL outside messages.
fn listed(line: &[u8]) -> Result<Option<Wanted>, Wrong> {
    const FIELDS: &str = "make the list with --json or --fields file,message";
    let mut id = None;
    let (file, member, number) = if line.starts_with(b"{") {
        let hit: serde_json::Value = serde_json::from_slice(line).map_err(|error| format!("{error}; {FIELDS}"))?;
        let text = |name: &str| hit.get(name)?.as_str();
        // Names that are not UTF-8 are also printed in base64.
        let bytes = |name: &str| match text(&format!("{name}_bytes")) {
            Some(coded) => data_encoding::BASE64.decode(coded.as_bytes()).ok(),
            None => Some(text(name)?.as_bytes().to_vec()),
        };
        id = text("message_id").map(str::to_owned);
        let Some((file, number)) = bytes("file").zip(hit.get("message")) else {
            return Err(format!("the fields file and message are not both there; {FIELDS}").into());
        };
        let number = number.as_u64().map_or(String::new(), |number| number.to_string());
        (file, bytes("member").unwrap_or_default(), number.into_bytes())
    } else {
        let mut cells = line.split(|&byte| byte == b'\t').map(unescape);
        match (cells.next(), cells.next(), cells.next(), cells.next()) {
            (Some(_), None, ..) => {
                let place = &shared::path(line);
                let wanted = Wanted::at(place)?;
                if wanted.file == **place && !wanted.file.is_file() && !line.contains(&b'!') {
                    return Err(format!("not a message such as FILE:N; {FIELDS}").into());
                }
                return Ok(Some(wanted));
            }
            (Some(file), Some(number), None, _) => (file?, Vec::new(), number?),
            (Some(file), Some(member), Some(number), None) => (file?, member?, number?),
            _ => return Err(format!("too many columns; {FIELDS}").into()),
        }
    };
    if number.is_empty() {
        return Ok(None);
    }
    let number = std::str::from_utf8(&number).ok().and_then(|number| number.parse().ok());
    let Some(number) = number else { return Err(format!("the last column is not a number; {FIELDS}").into()) };
    // A message of a public-inbox is REPOSITORY:ID. Another error is reported when the file is opened.
    let repository = memchr::memrchr(b':', &file).map_or(&file[..], |colon| &file[..colon]);
    if [&file[..], repository].iter().all(|name| matches!(shared::path(name).try_exists(), Ok(false))) {
        // A table has U+FFFD for bytes that are not UTF-8; JSON also has the bytes.
        let next = if !line.starts_with(b"{") && memchr::memmem::find(&file, "\u{FFFD}".as_bytes()).is_some() {
            "make the list with --json"
        } else {
            FIELDS
        };
        return Err(format!("{} is not a file in this directory; {next}", Escaped(&file)).into());
    }
    let is_exact = !member.is_empty();
    let file = if is_exact { [file, member].join(&b'!') } else { file };
    Ok(Some(Wanted { file: shared::path(&file).into(), number, is_exact, id }))
}

/// Returns the header fields and the text parts of a message, in UTF-8. A line break in an encoded word does not begin
/// another field.
fn decoded(message: &Message) -> Vec<u8> {
    let field = |(name, value): (Cow<'_, str>, String)| format!("{name}: {}\n", value.replace(['\r', '\n'], " "));
    let mut text: String = message.headers().map(field).collect();
    message.parts(|part| {
        text.push('\n');
        text += part.to_str().replace("\r\n", "\n").trim_end_matches('\n');
        text.push('\n');
    });
    text.into_bytes()
}

/// Returns a message as mboxrd: RFC 4155, with a `>` before each line that begins with `From ` or with `>` and `From `.
/// So a reader that removes one `>` gets the same bytes again.
fn mbox(message: &Message) -> Vec<u8> {
    let bytes = message.bytes();
    let is_mbox = message.input().is_some_and(|input| input.format() == "mbox");
    // The last blank line of a message in an mbox separates it from the next message.
    let separator = if bytes.ends_with(b"\r\n\r\n") { 2 } else { usize::from(bytes.ends_with(b"\n\n")) };
    let bytes = &bytes[..bytes.len() - if is_mbox { separator } else { 0 }];
    let mut mbox = format!("From {} {}\n", sender(message), asctime(message)).into_bytes();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line[line.iter().take_while(|&&byte| byte == b'>').count()..].starts_with(b"From ") {
            mbox.push(b'>');
        }
        mbox.extend_from_slice(line);
    }
    mbox.extend_from_slice(if bytes.ends_with(b"\n") { b"\n" } else { b"\n\n" });
    mbox
}

/// Returns the address in the From field, as in `Ann <a@b.example>` or `a@b.example (Ann)`. Without one, returns the name
/// of the mail system, as mail systems do for mail without a sender.
fn sender(message: &Message) -> String {
    let from = message.from().unwrap_or_default();
    let mut words = from.rsplit_once('<').map_or(&*from, |(_, rest)| rest).split(['>', '(', ' ']);
    let address = words.find(|word| word.contains('@')).unwrap_or_default();
    let is_address = !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_graphic());
    if is_address { address } else { "MAILER-DAEMON" }.to_owned()
}

/// Returns the date of a message as in `Mon Jan  5 10:00:00 1998`, in UTC. A message without a date gets the first
/// second of 1970, which no reader takes for a date.
fn asctime(message: &Message) -> String {
    let date = message.date().unwrap_or("1970-01-01T00:00:00Z");
    let day = message.timestamp().unwrap_or(0).div_euclid(24 * 3600);
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][day.rem_euclid(7) as usize];
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let number = |text: &str| text.parse::<usize>().unwrap_or(1);
    let (year, month, day) = (&date[..4], months[number(&date[5..7]) - 1], number(&date[8..10]));
    format!("{weekday} {month} {day:>2} {} {year}", &date[11..19])
}
