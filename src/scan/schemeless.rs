//! Finds addresses without a scheme, such as `www.example.org/x` (RULES.md, section 7).

use alloc::vec::Vec;
use core::ops::{ControlFlow, Range};

use super::bare::{self, Brackets};
use super::candidate::{Candidate, Extra, Form, Reason};
use super::emphasis::EmphasisState;
use super::has;
use super::quote::{line_end, line_start};
use super::trim::trim;
use crate::trigger::{Dots, SERVERS, TriggerSlice};
use crate::url::Url;
use crate::url::suffix_labels;

/// The maximum length of a line, in bytes. Addresses in longer lines are not found.
const MAX_LINE: usize = 8 << 10;

/// Top-level domains in which every name is an address, and which are often in upper case.
const GENERIC: &[u8] = b" com net org edu gov mil int info biz ";

/// Top-level domains that are mostly file extensions or parts of programs.
const EXTENSIONS: &[u8] =
    b" pl sh py rs md so zip mov app cc ps mk am pm ml la do st tf ms bz as mo mg ax pub doc docs bar box \
    cab map bb target java sql tm gl tab win bat cpa prof ad dot foo web ";

/// The first labels of newsgroups.
const HIERARCHIES: &[u8] =
    b" comp sci rec alt soc misc talk news humanities gnu gmane list bit biz clari de uk fr k12 ";

/// The first labels of hosts that are no addresses for people.
const MACHINES: &[u8] = b" mx smtp mail imap pop pop3 nntp relay ns ns1 ns2 ns3 mx1 mx2 ";

/// Words before `at`, after which a host is an address and no part of a mail address.
const PROSE: &[u8] = b" available found find site sites website archive archived page pages online located hosted is are was be it \
    mirrored answers documents documentation visit look here directly obtained home homepage us them stored information \
    retrieval accessible ftp web account book there live resides placed forum faq faqs list slack download downloaded \
    register registered see more details read posted published up out also one back this that or sale copies copy files \
    file software code data server store shop instructions described listed searchable ";

/// Words directly before a host that is an address.
const STRONG_CUES: &[u8] = b" visit visiting website site url homepage address ";

/// Words directly before a host that is an address, if its last label is that of most hosts.
const CUES: &[u8] = b" see on web www ftp gopher wais page to out from via location at in including ";

/// Words directly after a host that is an address.
const FOLLOWING: &[u8] = b" page pages site website ";

/// Words directly before a host that is a machine.
const NO_CUES: &[u8] = b" by host helo ehlo import ns mx cname ptr ";

/// Headers in which people write addresses. `www` addresses are found in all headers.
const HUMAN: &[u8] =
    b" subject organization organisation comments summary keywords x-url x-homepage x-home-page x-www ";

/// The beginnings of the names of headers that mail servers write, which are also in quoted mail. Their hosts are no
/// addresses, even if they begin with `www.`.
const TRACES: &[&[u8]] = &[
    b"received",
    b"message-i",
    b"path:",
    b"nntp",
    b"dkim",
    b"return-path",
    b"delivered",
    b"in-reply",
    b"sender:",
    b"reporting-mta",
    b"remote-mta",
    b"authentication",
    b"arc-",
    b"xref",
    b"diagnostic",
    b"final-rec",
    b"original-rec",
    b"x-received",
    b"x-auth",
    b"x-antiabuse",
    b"x-trace",
    b"x-originating",
];

/// The beginnings of other lines whose hosts are addresses only if they begin with `www.`: headers for machines, and
/// lines of diffs.
const MARKED: &[&[u8]] =
    &[b"references", b"list-", b"x-", b"newsgroups", b"diff ", b"--- ", b"+++ ", b"*** ", b"index: "];

fn begins_with(line: &[u8], starts: &[&[u8]]) -> bool {
    starts.iter().any(|start| line.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)))
}

/// Whether mail servers write the header `name`.
fn is_trace(name: &[u8]) -> bool {
    begins_with(&[name, b":"].concat(), TRACES)
}

/// Returns the dots of the addresses whose forms are in `forms`.
pub(crate) fn dots_of(forms: &[bool; Form::ALL.len()]) -> Dots {
    match [Form::Www, Form::Path, Form::Domain].map(|form| forms[form as usize]) {
        [_, _, true] => Dots::Hosts,
        [false, false, false] => Dots::None,
        _ => Dots::Paths,
    }
}

/// Finds the addresses without a scheme between the URLs of a text. Takes linear time.
pub(crate) struct Addresses<'h> {
    text: &'h [u8],
    /// Only addresses that begin in this range are found.
    starts: Range<usize>,
    /// The name of the header field, if the text is its value.
    header: Option<&'h [u8]>,
    /// The forms that are found.
    forms: &'h [bool; Form::ALL.len()],
    /// Which dots are searched for.
    dots: Dots,
    /// The dots of the text, if they are known.
    index: Option<TriggerSlice<'h>>,
    /// The offset at which the search continues.
    at: usize,
    /// The end of the last URL.
    taken: usize,
    /// The opening marks of emphasis before the address.
    marks: EmphasisState,
}

impl<'h> Addresses<'h> {
    /// Finds the addresses of the `forms` that begin in the range `starts` of `text`. Returns `None` if no form in
    /// `forms` lacks a scheme. `index` has the dots, if they are known. `header` is the name of the header field, if the
    /// text is its value.
    pub(crate) fn new(
        text: &'h [u8],
        starts: Range<usize>,
        forms: &'h [bool; Form::ALL.len()],
        index: Option<TriggerSlice<'h>>,
        header: Option<&'h [u8]>,
    ) -> Option<Self> {
        let dots = dots_of(forms);
        let new = || Addresses {
            text,
            at: starts.start,
            starts,
            header,
            forms,
            dots,
            index,
            taken: 0,
            marks: EmphasisState::default(),
        };
        (dots != Dots::None).then(new)
    }

    /// Calls `visit` with each address before `url`: the range of the next URL, or the end of the text.
    pub(crate) fn before(
        &mut self,
        url: Range<usize>,
        mut visit: impl FnMut(Candidate<'h>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while let Some(address) = self.next(url.start) {
            visit(address)?;
        }
        (self.at, self.taken) = (self.at.max(url.end), self.taken.max(url.end));
        ControlFlow::Continue(())
    }

    /// Returns the next address before `end`.
    fn next(&mut self, end: usize) -> Option<Candidate<'h>> {
        while self.at < end {
            let dot = match &mut self.index {
                Some(index) => index.next_dot(self.text, self.at..end),
                None => self.dots.first(self.text, self.at..end),
            };
            let Some(dot) = dot else {
                self.at = end;
                break;
            };
            let run = run(self.text, self.taken, dot);
            self.at = run.end;
            let is_own =
                run.start == self.taken && self.taken > 0 || run.end > end || !self.starts.contains(&run.start);
            if is_own || run.len() > 253 {
                continue;
            }
            if let Some(address) = Address::at(self.text, run, self.header, &mut self.marks)
                && self.forms[address.form as usize]
                && let Some(candidate) = address.candidate(self.text)
            {
                self.at = self.at.max(candidate.span().end);
                return Some(candidate);
            }
        }
        None
    }
}

/// Returns all addresses in `text` outside the ranges in `taken`.
pub(crate) fn outside<'h>(text: &'h [u8], taken: &[Range<usize>], header: Option<&'h [u8]>) -> Vec<Candidate<'h>> {
    let mut found = Vec::new();
    let Some(mut addresses) = Addresses::new(text, 0..text.len(), &[true; Form::ALL.len()], None, header) else {
        return found;
    };
    for range in taken.iter().cloned().chain(core::iter::once(text.len()..text.len())) {
        let _ = addresses.before(range, |address| {
            found.push(address);
            ControlFlow::Continue(())
        });
    }
    found
}

/// Returns the letters, digits, hyphens and dots around the dot at `dot`, at or after the offset `from`.
fn run(text: &[u8], from: usize, dot: usize) -> Range<usize> {
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    let (mut start, mut end) = (dot, dot + 1);
    while let Some(&byte) = text.get(end) {
        match byte {
            0x80.. => match bare::host_letter(&text[end..], text[end - 1]) {
                Some(bytes) => end += bytes,
                None => break,
            },
            _ if is_host(byte) => end += 1,
            _ => break,
        }
    }
    while let Some(&byte) = text[from..start].last() {
        let before = &text[from..start];
        // The length of the character before `start`.
        let length = before.iter().rev().take(4).position(|byte| byte & 0xC0 != 0x80).map_or(1, |tail| tail + 1);
        let first = start - length;
        let goes_on = if byte.is_ascii() {
            is_host(byte)
        } else {
            bare::host_letter(&text[first..], text[start]) == Some(length)
        };
        if !goes_on {
            break;
        }
        start = first;
    }
    start..end
}

/// An address: the ranges of its host and its path, and its form.
struct Address {
    host: Range<usize>,
    end: usize,
    form: Form,
}

impl Address {
    /// Returns the address whose host is in `run`, a run of letters, digits, hyphens and dots.
    fn at(text: &[u8], run: Range<usize>, header: Option<&[u8]>, marks: &mut EmphasisState) -> Option<Address> {
        let host = host(text, run)?;
        let line = line_start(text, host.start).unwrap_or(host.start)..line_end(text, host.start, MAX_LINE);
        let place = Place {
            above: &text[..line.start],
            before: &text[line.start..host.start],
            after: &text[host.end..line.end.max(host.end)],
        };
        let name = &text[host.clone()];
        let labels: Vec<_> = name.split(|byte| *byte == b'.').collect();
        let first = labels[0].trim_ascii_end();
        let digits = first.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let server = &first[..first.len() - digits];
        let is_server = SERVERS.iter().any(|known| known.eq_ignore_ascii_case(server)) && labels.len() > 2;
        let (port, has_path) = place.path(is_server);
        // `web2.example.org` is often the name of a machine.
        let is_web = is_server && (digits == 0 || has_path || server.eq_ignore_ascii_case(SERVERS[0]));
        if place.is_rest() || !place.is_possible(is_web, has_path) {
            return None;
        }
        let form = match () {
            () if place.is_trace_line() || header.is_some_and(is_trace) => return None,
            () if place.is_author(header) && place.is_mail(false) => return None,
            () if is_web => Form::Www,
            () if !place.is_for_people(header, name, &labels, has_path) => return None,
            () if has_path => Form::Path,
            () if place.is_meant(&labels) => Form::Domain,
            () => return None,
        };
        // The path is read last, because it can be long.
        let end = if has_path {
            let end = bare::extent(text, host.start, host.end + port, Brackets::default()).end;
            trim(text, host.start, b"", host.start..end, marks).max(host.end)
        } else {
            host.end + port
        };
        let path = &text[host.end..end];
        if path.is_empty() && !place.may_end_host() || form == Form::Path && is_no_path(path) {
            return None;
        }
        Some(Address { host, end, form })
    }

    /// Returns the address as a URL with the scheme that it would have.
    fn candidate<'h>(&self, text: &'h [u8]) -> Option<Candidate<'h>> {
        let (host, path) = (&text[self.host.clone()], &text[self.host.end..self.end]);
        let is_ftp = host.len() > 3 && host[..3].eq_ignore_ascii_case(b"ftp");
        let colon = path.strip_prefix(b":").filter(|path| !path.first().is_some_and(u8::is_ascii_digit));
        let scheme: &[u8] = match () {
            () if is_ftp || colon.is_some() => b"ftp://",
            () if host.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"gopher.")) => b"gopher://",
            () => b"http://",
        };
        let path = colon.unwrap_or(path);
        let slash: &[u8] = if colon.is_some() && !path.starts_with(b"/") { b"/" } else { b"" };
        let url = [scheme, host, slash, path].concat();
        Url::parse(&url).ok()?;
        let extra = Extra { joined: url, doubt: Some(Reason::Schemeless), ..Extra::default() };
        Some(Candidate { extra: Some(extra.into()), ..Candidate::new(text, self.form, self.host.start..self.end) })
    }
}

/// Returns the host in a run of letters, digits, hyphens and dots. A word glued to `www.` and the beginning of the next
/// sentence are no parts of the host.
fn host(text: &[u8], run: Range<usize>) -> Option<Range<usize>> {
    let (mut start, mut end) = (run.start, run.end);
    while end > start && matches!(text[end - 1], b'.' | b'-') {
        end -= 1;
    }
    let glued = (start + 1..end).rev().find(|at| {
        text[*at..end].len() > 6
            && text[*at..*at + 4].eq_ignore_ascii_case(b"www.")
            && memchr::memchr(b'.', &text[*at + 4..end]).is_some()
    });
    start = glued.unwrap_or(start);
    while start < end && matches!(text[start], b'-' | b'.') {
        start += 1;
    }
    loop {
        let name = str::from_utf8(&text[start..end]).ok()?;
        let (before, top) = name.rsplit_once('.')?;
        let count = name.split('.').count();
        let is_capital = top.starts_with(|c: char| c.is_ascii_uppercase());
        let is_sentence =
            is_capital && top[1..].bytes().all(|byte| byte.is_ascii_lowercase()) && !has(GENERIC, top.as_bytes());
        let suffix = suffix_labels(name);
        if count > 2 && is_capital && (suffix == 0 || is_sentence) {
            end = start + before.len();
            continue;
        }
        let is_lower = top.bytes().all(|byte| !byte.is_ascii_uppercase());
        let is_upper = top.bytes().all(|byte| !byte.is_ascii_lowercase());
        let is_generic = has(GENERIC, top.as_bytes())
            && (is_upper || is_sentence || is_capital && top[1..].bytes().all(|byte| byte.is_ascii_lowercase()));
        let is_capitals = is_upper && count > 2 && (suffix > 1 || name.bytes().all(|byte| !byte.is_ascii_lowercase()));
        let is_host = suffix > 0
            && count > suffix
            && name.split('.').all(|label| !label.is_empty() && !label.ends_with('-') && !label.starts_with('-'));
        return (is_host && (is_lower || is_generic || is_capitals)).then_some(start..end);
    }
}

/// Whether `path` is the name of another host, as in `python.org/zope.org`, or a path of a local file.
fn is_no_path(path: &[u8]) -> bool {
    let other = path[1..].rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let is_name = memchr::memchr3(b'/', b'?', b'#', &path[1..]).is_none() && other.len() + 1 < path.len();
    is_name && has(GENERIC, other) || [&b"/var/"[..], b"/etc/", b"/tmp/"].iter().any(|local| path.starts_with(local))
}

/// The text around a host, on its line.
struct Place<'h> {
    /// The text before the line.
    above: &'h [u8],
    before: &'h [u8],
    after: &'h [u8],
}

impl Place<'_> {
    /// Returns the length of the port after the host, or of the colon of an old address of ftp, which is `host:/path` or
    /// `host:a/b`. Also returns whether a path follows.
    fn path(&self, is_web: bool) -> (usize, bool) {
        let rest = self.after;
        let port = match rest {
            [b':', rest @ ..] => 1 + rest.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count(),
            _ => 0,
        };
        match rest.get(port) {
            Some(b'/') if port != 1 || !self.is_after(b"at") => (port, true),
            Some(b'?' | b'#') if is_web && rest.get(port + 1).is_some_and(u8::is_ascii_alphanumeric) => (port, true),
            Some(first) if port == 1 && first.is_ascii_alphanumeric() && !self.is_after(b"at") => {
                let name = rest[1..].iter().take_while(|b| b.is_ascii_alphanumeric() || b"._-".contains(b)).count();
                if rest.get(1 + name) == Some(&b'/') { (1, true) } else { (0, false) }
            }
            _ if port > 1 => (port, false),
            _ => (0, false),
        }
    }

    /// Returns the word before the host, and the word before that word. The words can be on the line before.
    fn words(&self) -> (&[u8], &[u8]) {
        let end = self.above.len().saturating_sub(1);
        let above = line_start(self.above, end).map_or(&[][..], |start| &self.above[start..end]);
        let (rest, word) = last_word(self.before);
        let (rest, word) = if word.is_empty() { last_word(above) } else { (rest, word) };
        let (_, earlier) = last_word(rest);
        (word, if earlier.is_empty() { last_word(above).1 } else { earlier })
    }

    fn is_after(&self, word: &[u8]) -> bool {
        self.words().0.eq_ignore_ascii_case(word)
    }

    /// The line up to the host, without quote marks.
    fn unquoted(&self) -> &[u8] {
        let quoted = self.before.iter().position(|byte| !b">|:}] \t".contains(byte)).unwrap_or(self.before.len());
        &self.before[quoted..]
    }

    /// Whether the line, without quote marks, is a header field that a mail server wrote.
    fn is_trace_line(&self) -> bool {
        let line = self.unquoted();
        let is_field = memchr::memchr(b':', line).is_some_and(|colon| !line[..colon].contains(&b' '));
        is_field && begins_with(line, TRACES)
    }

    /// Whether the text names an author, as `From: joe at example.org` does in a list archive.
    fn is_author(&self, header: Option<&[u8]>) -> bool {
        header.is_some_and(|name| name.eq_ignore_ascii_case(b"From")) || self.begins_like(&[b"from:"])
    }

    /// Whether a dot or an `at` in brackets is directly before the host.
    fn is_after_mark(&self) -> bool {
        let inner = &self.before[..self.before.len() - 1];
        inner.len() > 1
            && [&b"."[..], b"dot", b"at", b"@"].iter().any(|mark| {
                let start = inner.len().checked_sub(mark.len() + 1);
                start.is_some_and(|start| {
                    b"[({".contains(&inner[start]) && inner[start + 1..].eq_ignore_ascii_case(mark)
                })
            })
    }

    /// Whether the host can be the rest of a host that was cut at a hyphen, at the end of the line before.
    fn is_rest(&self) -> bool {
        let above = self.above.strip_suffix(b"\n").map(|above| above.strip_suffix(b"\r").unwrap_or(above));
        let Some(cut) = above.and_then(|above| above.strip_suffix(b"-")) else { return false };
        let start = cut.iter().rposition(u8::is_ascii_whitespace).map_or(0, |blank| blank + 1);
        self.unquoted().is_empty() && memchr::memchr(b'.', &cut[start..]).is_some()
    }

    /// Whether the line, without quote marks, begins like one of `starts`.
    fn begins_like(&self, starts: &[&[u8]]) -> bool {
        begins_with(self.unquoted(), starts)
    }

    /// Whether the bytes around the host allow an address.
    fn is_possible(&self, is_web: bool, has_path: bool) -> bool {
        let (mut before, after) = (self.before, self.after);
        let dashes = before.iter().rev().take_while(|byte| **byte == b'-').count();
        if dashes > 0 {
            before = &before[..before.len() - dashes];
            if !before.last().is_none_or(u8::is_ascii_whitespace) {
                return false;
            }
        }
        let is_key = || has(b" web site website www url ftp gopher w home homepage address ", key(before));
        match before.last() {
            Some(b'@' | b'\\' | b'/' | b'%' | b'$' | b'&' | b'=' | b'#' | b'~' | b'+' | b'!' | b'_' | b'^') => false,
            // `evil[.]example.org`, `joe[at]example.org`.
            Some(b']' | b')' | b'}') if self.is_after_mark() => false,
            Some(b'.') => is_web,
            Some(byte) if byte.is_ascii_alphanumeric() => is_web,
            Some(b':') if !is_web && !has_path && !key(before).is_empty() => is_key(),
            _ => !matches!(after, [b'@', ..]) && !matches!(after, [b'!', next, ..] if next.is_ascii_alphanumeric()),
        }
    }

    /// Whether a host without a path can end where it ends.
    fn may_end_host(&self) -> bool {
        !matches!(
            self.after,
            [b'(' | b'[' | b'@' | b'%' | b'\\' | b'$' | b'+' | b'&' | b'=' | b'#' | b'~' | b'_', ..]
                | [b':', b':', ..]
                | [b'-', b'>', ..]
                | [b'.', b'*', ..]
        )
    }

    /// Whether a host that does not begin with `www.` is an address that people may open.
    fn is_for_people(&self, header: Option<&[u8]>, name: &[u8], labels: &[&[u8]], has_path: bool) -> bool {
        let top = labels[labels.len() - 1];
        let (before, after) = (self.before, self.after);
        let lower = name.to_ascii_lowercase();
        let is_example = [&b"example.com"[..], b"example.net", b"example.org"]
            .iter()
            .any(|known| lower.strip_suffix(*known).is_some_and(|rest| rest.is_empty() || rest.ends_with(b".")));
        // A service such as `bit.ly/x` is no newsgroup.
        let is_short = has_path && labels.len() == 2;
        let is_group =
            !is_short && has(HIERARCHIES, labels[0]) && (!has(GENERIC, top) || top.eq_ignore_ascii_case(b"info"));
        let is_mixed = |label: &&[u8]| label.iter().any(u8::is_ascii_uppercase) && label.iter().any(u8::is_ascii_digit);
        let brackets = after.iter().position(|byte| !b" \t([".contains(byte)).unwrap_or(after.len());
        let rest = &after[brackets..];
        let is_number = rest.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
        let is_address = is_number > 0
            && rest.get(is_number) == Some(&b'.')
            && rest.get(is_number + 1).is_some_and(u8::is_ascii_digit);
        header.is_none_or(|header| has(HUMAN, header))
            && !self.begins_like(MARKED)
            && !is_example
            && !labels[..labels.len() - 1].iter().all(|label| label.iter().all(u8::is_ascii_digit))
            && !has(EXTENSIONS, top)
            && !is_group
            && !labels.iter().any(is_mixed)
            && !has(MACHINES, labels[0])
            && (has_path || !is_address)
            && (has_path || after.first() != Some(&b'>') || memchr::memchr(b'<', before).is_some())
            && (has_path || !matches!(before.trim_ascii_end(), [.., b'=', b'"' | b'\'']))
            && !self.is_mail(has_path)
            && (has_path || !self.is_named_as_machine())
    }

    /// Whether the host is part of a mail address such as `joe at example.org`.
    fn is_mail(&self, has_path: bool) -> bool {
        let is_at = |word: &[u8]| {
            let inner = word.trim_ascii();
            [&b"at"[..], b"<at", b"(at)", b"[at]", b"@", b"{at}"].iter().any(|at| inner.eq_ignore_ascii_case(at))
        };
        let (at, word) = self.words();
        if is_at(at) {
            let is_prose = word.last().is_some_and(|last| b"),.:;!?".contains(last))
                || has(PROSE, word.strip_prefix(b"\"").unwrap_or(word));
            return !(is_prose || has_path && self.after.first() != Some(&b':'));
        }
        // `joe.smith at host`.
        let rest = self.after.trim_ascii_start();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        let Some((at, rest)) = rest.split_at_checked(3).filter(|_| !has_path) else { return false };
        let host = &rest[..rest.iter().take_while(is_part).count()];
        at.eq_ignore_ascii_case(b"at ") && host.strip_suffix(b".").unwrap_or(host).contains(&b'.')
    }

    fn is_named_as_machine(&self) -> bool {
        let (word, earlier) = self.words();
        let after = self.after.trim_ascii_start();
        has(NO_CUES, word)
            || word.starts_with(b"--")
            || word.eq_ignore_ascii_case(b"to") && has(b" talking connection connected ", earlier)
            || word.eq_ignore_ascii_case(b"from")
                && (after.starts_with(b"(") || after.starts_with(b"[") || earlier.eq_ignore_ascii_case(b"coming"))
            || after.starts_with(b"=>")
            || after.starts_with(b"= ")
            || after.first() == Some(&b'(') && memchr::memmem::find(after, b") writes").is_some()
    }

    /// Whether the text sends the reader to a host without a path: a word such as `visit` is before it, or the host is
    /// alone on its line.
    fn is_meant(&self, labels: &[&[u8]]) -> bool {
        let top = labels[labels.len() - 1];
        let is_lead = |text: &[u8]| text.iter().all(|byte| b">|: \t*".contains(byte));
        let is_trusted = has(GENERIC, top) || top.len() == 2 && labels.len() > 2;
        let after = self.after.trim_ascii();
        let is_alone = is_lead(self.before)
            && (after.iter().all(|b| b" *|.,!".contains(b)) || after.starts_with(b"|") || after.starts_with(b"- "));
        let word = self.words().0;
        let next = || after.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        // Names of modules such as `twisted.web` have the form of a host, too.
        let is_common = has(GENERIC, top) || top.len() == 2;
        has(STRONG_CUES, word)
            || is_common && (has(CUES, word) || self.after.starts_with(b" ") && has(FOLLOWING, next()))
            || is_trusted && (is_alone || after.starts_with(b"<http"))
    }
}

/// Returns the last word of `text`, and the text before it. Marks such as `>` and `:` after the word are ignored. Of a
/// longer word, returns the last 256 bytes, because a long line can have a host every few bytes.
fn last_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = &text[..text.iter().rposition(|b| !b" \t\r>|*:-".contains(b)).map_or(0, |last| last + 1)];
    let from = text.len().saturating_sub(256);
    text.split_at(text[from..].iter().rposition(u8::is_ascii_whitespace).map_or(from, |blank| from + blank + 1))
}

/// Returns the word before the colon at the end of `before`.
fn key(before: &[u8]) -> &[u8] {
    let text = before.strip_suffix(b":").unwrap_or_default();
    &text[text.len() - text.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count()..]
}

#[cfg(test)]
#[cfg(feature = "domain")]
mod tests {
    use core::ops::{ControlFlow, Range};

    use super::{Addresses, outside};
    use crate::scan::{Candidate, Form};

    /// The texts of `corpus/schemeless.toml`, and the addresses in each of them.
    fn rows() -> Vec<(String, String)> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/schemeless.toml");
        let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        let rows = table["case"].as_array().unwrap().iter().flat_map(|case| case["rows"].as_array().unwrap());
        rows.map(|row| (row[0].as_str().unwrap().to_owned(), row[1].as_str().unwrap().to_owned())).collect()
    }

    /// The URLs with a scheme in `text`.
    fn urls(text: &str) -> Vec<Range<usize>> {
        crate::Scanner::new().find_iter(text).map(|candidate| candidate.span()).collect()
    }

    fn shown(found: &[Candidate<'_>]) -> String {
        let shown = |a: &Candidate<'_>| format!("{} {}", a.form(), String::from_utf8_lossy(a.text()));
        found.iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    /// Returns the addresses of all forms that begin in `starts`.
    fn within(text: &str, starts: Range<usize>) -> Vec<Candidate<'_>> {
        let mut found = Vec::new();
        let mut addresses = Addresses::new(text.as_bytes(), starts, &[true; Form::ALL.len()], None, None)
            .expect("forms without a scheme");
        for url in urls(text).into_iter().chain(core::iter::once(text.len()..text.len())) {
            let _ = addresses.before(url, |address| {
                found.push(address);
                ControlFlow::Continue(())
            });
        }
        found
    }

    #[test]
    fn addresses_of_the_table() {
        let mut wrong = String::new();
        for (text, want) in rows() {
            let got = shown(&outside(text.as_bytes(), &urls(&text), None));
            if got != want {
                wrong += &format!("{text:?}: {got:?}, not {want:?}\n");
            }
        }
        assert!(wrong.is_empty(), "\n{wrong}");
    }

    /// Neither the line ends nor other paragraphs change what is found, nor does a search in two parts.
    #[test]
    fn texts_around_an_address_and_windows_do_not_matter() {
        for (text, want) in rows() {
            let crlf = text.replace('\n', "\r\n");
            let all = format!("Words before.\n\n{text}\n\nWords after.\n");
            for text in [&crlf, &all] {
                assert_eq!(shown(&outside(text.as_bytes(), &urls(text), None)), want, "{text:?}");
            }
            let spans = |starts| within(&text, starts).iter().map(Candidate::span).collect::<Vec<_>>();
            let whole = spans(0..text.len());
            // Long texts are cut after white space.
            for at in (1..text.len()).filter(|at| text.as_bytes()[at - 1].is_ascii_whitespace()) {
                assert_eq!([spans(0..at), spans(at..text.len())].concat(), whole, "{text:?} at {at}");
            }
        }
    }

    /// In a message, the addresses are found with the index of the dots.
    #[test]
    fn messages_have_the_same_addresses() {
        let extractor = crate::Extractor::new().set("form", "+www,path,domain").unwrap();
        for (text, want) in rows() {
            let hits = extractor.message(&format!("Subject: x\n\n{text}\n"));
            let forms = [Form::Www, Form::Path, Form::Domain];
            let hits = hits.iter().filter(|hit| forms.contains(&hit.form()));
            let got: Vec<_> = hits.map(|hit| format!("{} {}", hit.form(), hit.url())).collect();
            assert_eq!(got.join(" "), want, "{text:?}");
        }
    }

    #[test]
    fn a_host_has_at_most_253_bytes() {
        for (host, want) in [("b.", 1), ("bb.", 0)].map(|(first, want)| ([first, &"a.".repeat(122)].concat(), want)) {
            let text = format!("see {host}foo.org/x");
            assert_eq!(outside(text.as_bytes(), &[], None).len(), want, "{}", host.len());
        }
    }

    #[test]
    fn addresses_and_their_forms() {
        let table: &[(&str, &str)] = &[
            ("See www.example.org/a_(b). Or", "www http://www.example.org/a_(b)"),
            ("Free.www.foo.com and surwww.foo.com.Please", "www http://www.foo.com www http://www.foo.com"),
            ("ftp.foo.com:/pub/x, gopher.foo.com", "www ftp://ftp.foo.com/pub/x www gopher://gopher.foo.com"),
            ("the file prep.foo.edu:pub/gnu/ and foo.org/x!", "path ftp://prep.foo.edu/pub/gnu/ path http://foo.org/x"),
            ("the archive at foo.org/x", "path http://foo.org/x"),
            ("visit foo.org, or\n  foo.co.uk\n", "domain http://foo.org domain http://foo.co.uk"),
            ("it is available at ftp.foo.org", "www ftp://ftp.foo.org"),
            ("joe at foo.org, joe.doe@foo.org, foo.org@example.net", ""),
            ("use setup.py, foo.md, confidential.My and i.MX or CBRJ.PK", ""),
            ("in twisted.web, on comp.lang, from os.path import", ""),
            ("diff a/foo.org/x\n--- foo.org/x\nReceived: from foo.org/x", ""),
            ("> Received: from www.foo.org\nX-Info: www.foo.org", "www http://www.foo.org"),
            (
                "Received your parcel, see www.foo.org\nDelivered by www.foo.org",
                "www http://www.foo.org www http://www.foo.org",
            ),
            ("host foo.org [192.0.2.1], foo.org says", ""),
            ("visit foo.org [192.0.2.1], visit foo.org 12:5", "domain http://foo.org"),
            ("x=foo.org/a $foo.org/b foo.example/c example.com/d", ""),
            ("foo.org/bar.com, foo.org/var/spool/x, foo.web/Bar", ""),
            ("foo.org/ foo.org/bar.html", "path http://foo.org/ path http://foo.org/bar.html"),
            ("http://foo.org/ www.foo.org", "www http://www.foo.org"),
            (
                "“www.foo.com/x”, «foo.org/y» or www.foo.com/z—",
                "www http://www.foo.com/x path http://foo.org/y www http://www.foo.com/z",
            ),
            ("見てwww.foo.jp/xください。「foo.jp/y」", "www http://www.foo.jp/x path http://foo.jp/y"),
            ("foo.de/ä, mü.de/x", "path http://foo.de/ä path http://mü.de/x"),
            ("see[.]foo.org/x, joe[at]foo.org/x, [1]www.foo.org", "www http://www.foo.org"),
            ("www.foo.org?x#y, ftp.foo.org:a/b-*", "www http://www.foo.org?x#y www ftp://ftp.foo.org/a/b-*"),
            ("see www.foo-\nbar.org/x", ""),
            ("From: joe at www.foo.org\n> From: joe at www.foo.org", ""),
            ("joe--www.foo.org, see --www.foo.org", "www http://www.foo.org"),
            ("archive:www.foo.org, mirror:foo.org/x", "www http://www.foo.org path http://foo.org/x"),
            ("The list is run by\nfoo.org", ""),
            // The letters can belong to the URL before them.
            ("http://foo.org/a_(b)に日本.jp/x", ""),
        ];
        for (text, want) in table {
            let taken: Vec<_> = crate::Scanner::new().find_iter(text).map(|candidate| candidate.span()).collect();
            let got = outside(text.as_bytes(), &taken, None);
            let got: Vec<_> =
                got.iter().map(|a| format!("{} {}", a.form(), String::from_utf8_lossy(a.text()))).collect();
            assert_eq!(got.join(" "), *want, "{text}");
        }
    }

    #[test]
    fn headers_for_machines_have_no_addresses() {
        let table = [
            ("Subject", 2),
            ("Organization", 2),
            ("Message-ID", 0),
            ("X-URL", 2),
            ("X-WWW", 2),
            ("X-Mailer", 1),
            ("X", 1),
            ("Received", 0),
            ("Path", 0),
            ("DKIM-Signature", 0),
        ];
        for (header, want) in table {
            let found = outside(b"foo.org/x www.foo.org", &[], Some(header.as_bytes()));
            assert_eq!(found.len(), want, "{header}");
        }
        for (header, want) in [("From", 0), ("from", 0), ("To", 1)] {
            let found = outside(b"joe at www.foo.org", &[], Some(header.as_bytes()));
            assert_eq!(found.len(), want, "{header}");
        }
    }
}
