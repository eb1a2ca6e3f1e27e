//! `login`, `hostport`: RFC 1738 section 3.1, and the authority of RFC 3986 section 3.2.

use memchr::{memchr, memrchr};

use super::class::{AT, Class, QUESTION, SLASH, USER, XCHAR};
use super::component::Component;
use super::parser::Parser;
use super::{ParseError, ParseErrorKind, Tier, host};

/// The parts that a scheme's production has between `//` and the path.
pub(super) struct Rules {
    /// The tier of a URL with a user name: [`Tier::Rfc1738`] if the production has `login`.
    pub(super) login: Tier,
    /// Whether the host may be empty if a path follows.
    pub(super) hostless: bool,
    /// Whether the production has `hostport`, not only `host`.
    pub(super) port: bool,
}

/// `login`.
pub(super) const LOGIN: Rules = Rules { login: Tier::Rfc1738, hostless: false, port: true };
/// `hostport`. RFC 3986 adds a user name.
pub(super) const HOSTPORT: Rules = Rules { login: Tier::Rfc3986, hostless: false, port: true };

impl Parser<'_, '_> {
    /// Parses the `//`, the authority and the slash after it. Returns where the path begins. If there is none, a strict
    /// parse reports `missing`. A `?` can follow the authority too, but only in RFC 3986.
    #[inline]
    pub(super) fn server(
        &mut self,
        from: usize,
        rules: &Rules,
        missing: Option<ParseErrorKind>,
    ) -> Result<Option<usize>, ParseError> {
        let from = self.slashes(from)?;
        let at = self.authority(from, rules)?;
        match self.byte(at) {
            None => {}
            Some(b'?') => {
                self.depart(Tier::Rfc3986, ParseErrorKind::Path, at);
                self.search(at, XCHAR)?;
            }
            Some(_) => {
                self.path_begins(at + 1);
                return Ok(Some(at + 1));
            }
        }
        if let Some(kind) = missing {
            self.depart(Tier::Rfc3986, kind, at);
        }
        Ok(None)
    }

    /// Parses the authority that begins at `from`, after the `//`. Returns its end.
    #[inline]
    pub(super) fn authority(&mut self, from: usize, rules: &Rules) -> Result<usize, ParseError> {
        // Nearly every authority is only a host name. One pass checks that.
        if let Some(name) = host::hostname(&self.text[from..self.end]) {
            let end = from + name.length;
            let alone = match self.byte(end) {
                None | Some(b'/') => true,
                Some(b'?') => rules.login > Tier::Rfc1738,
                Some(_) => false,
            };
            if alone {
                self.push(Component::Host, from, end);
                self.url.has_odd_host = name.has_double_hyphen;
                return Ok(end);
            }
        }
        self.full_authority(from, rules)
    }

    /// Parses an authority with a user name, a port, or an unusual host.
    fn full_authority(&mut self, from: usize, rules: &Rules) -> Result<usize, ParseError> {
        let mut end = self.find(from, SLASH | QUESTION);
        if rules.login == Tier::Rfc1738 && self.byte(end) == Some(b'?') {
            // `user` may have a `?`. If an `@` follows before the slash, the `?` is part of it. Otherwise it begins the
            // query of RFC 3986.
            let slash = self.find(end, SLASH);
            if memchr(b'@', &self.text[end..slash]).is_some() {
                end = slash;
            }
        }
        let mut start = from;
        if let Some(length) = memrchr(b'@', &self.text[from..end]) {
            start = self.userinfo(from, from + length, rules.login)?;
        }
        self.hostport(start, end, from, rules)?;
        Ok(end)
    }

    /// Parses the user name and password before the last `@`, which is at `at`. Returns the host's start.
    ///
    /// It is the last one, because unencoded mail addresses as passwords of anonymous ftp were common. An `@` before it
    /// costs [`Tier::Relaxed`], like any other character that should be encoded.
    fn userinfo(&mut self, from: usize, at: usize, tier: Tier) -> Result<usize, ParseError> {
        if tier > Tier::Rfc1738 {
            self.depart(tier, ParseErrorKind::UserInfo, from);
        }
        if let Some(early) = memchr(b'@', &self.text[from..at]) {
            self.depart(Tier::Relaxed, ParseErrorKind::UserInfo, from + early);
            self.url.needs_encoding = true;
        }
        self.login(from, at, USER | AT, ParseErrorKind::UserInfo)
    }

    /// Parses `user[:password]@`, whose `@` is at `at`. Returns where the host begins.
    fn login(&mut self, from: usize, at: usize, allowed: Class, kind: ParseErrorKind) -> Result<usize, ParseError> {
        let colon = memchr(b':', &self.text[from..at]).map_or(at, |length| from + length);
        self.check(Component::User, from, colon, allowed, kind)?;
        self.push(Component::User, from, colon);
        if colon < at {
            self.check(Component::Password, colon + 1, at, allowed, kind)?;
            self.push(Component::Password, colon + 1, at);
        }
        Ok(at + 1)
    }

    /// Parses the host and port `start..end` of the authority that began at `from`.
    fn hostport(&mut self, start: usize, end: usize, from: usize, rules: &Rules) -> Result<(), ParseError> {
        let text = &self.text[start..end];
        let host_end = match host::hostname(text) {
            Some(name) => start + name.length,
            None => self.odd_host(start, end, rules.hostless && from == end)?,
        };
        self.push(Component::Host, start, host_end);
        if host_end < end {
            if !rules.port {
                self.depart(Tier::Rfc3986, ParseErrorKind::Port, host_end);
            }
            self.port(host_end + 1, end, Tier::Rfc3986)?;
        }
        Ok(())
    }

    /// Parses a host that is not a `hostname`: empty, a number, an IP literal, or a `reg-name`. Returns its end, which
    /// is `end` or the offset of the port's colon.
    fn odd_host(&mut self, start: usize, end: usize, hostless: bool) -> Result<usize, ParseError> {
        if self.text[start..end].first() == Some(&b'[') {
            return self.literal(start, end);
        }
        let stop = memchr(b':', &self.text[start..end]).map_or(end, |length| start + length);
        if start == stop {
            return if hostless && self.byte(end) == Some(b'/') {
                Ok(end)
            } else {
                Err(ParseError::new(ParseErrorKind::EmptyHost, start))
            };
        }
        match host::judge(&self.text[start..stop]) {
            Ok(None) => {}
            Ok(Some((tier, kind, at))) => self.depart(tier, kind, start + at),
            Err((kind, at)) => return Err(ParseError::new(kind, start + at)),
        }
        Ok(stop)
    }

    /// Parses the IP literal in brackets that begins at `start` (RFC 3986 3.2.2). Returns its end.
    fn literal(&mut self, start: usize, end: usize) -> Result<usize, ParseError> {
        let fail = |at| Err(ParseError::new(ParseErrorKind::HostCharacter, at));
        let Some(length) = memchr(b']', &self.text[start..end]) else { return fail(start) };
        let close = start + length;
        if host::literal(&self.text[start + 1..close]).is_none() {
            return fail(start);
        }
        if close + 1 < end && self.text[close + 1] != b':' {
            return fail(close + 1);
        }
        self.depart(Tier::Rfc3986, ParseErrorKind::HostCharacter, start);
        Ok(close + 1)
    }

    /// Parses the port `start..end`. An empty one, which RFC 3986 has (`*DIGIT`), costs `empty`.
    fn port(&mut self, start: usize, end: usize, empty: Tier) -> Result<(), ParseError> {
        let mut value = 0_u32;
        for at in start..end {
            let byte = self.text[at];
            if !byte.is_ascii_digit() {
                return Err(ParseError::new(ParseErrorKind::Port, at));
            }
            // The value saturates above the range, so that any number of digits is harmless.
            value = (value * 10 + u32::from(byte - b'0')).min(65_536);
        }
        let Ok(value) = u16::try_from(value) else {
            return Err(ParseError::new(ParseErrorKind::PortRange, start));
        };
        if start < end {
            self.url.port = Some(value);
        } else if empty > Tier::Rfc1738 {
            self.depart(empty, ParseErrorKind::Port, start);
        }
        self.push(Component::Port, start, end);
        Ok(())
    }

    /// Parses the authority of a scheme whose only rule is `*xchar`. It is split like in RFC 3986, but any `xchar`
    /// keeps [`Tier::Rfc1738`]. Returns its end.
    pub(super) fn loose_authority(&mut self, from: usize) -> Result<usize, ParseError> {
        let end = self.find(from, SLASH | QUESTION);
        let mut start = from;
        if let Some(length) = memrchr(b'@', &self.text[from..end]) {
            let at = from + length;
            self.url.needs_encoding |= memchr(b'@', &self.text[from..at]).is_some();
            start = self.login(from, at, XCHAR, ParseErrorKind::Character)?;
        }
        let stop = if self.byte(start) == Some(b'[') && start < end {
            self.literal(start, end)?
        } else {
            let stop = memchr(b':', &self.text[start..end]).map_or(end, |length| start + length);
            self.check(Component::Host, start, stop, XCHAR, ParseErrorKind::Character)?;
            stop
        };
        // A host is empty only in `scheme:///path`, whose authority is empty.
        if start == stop && !(from == end && self.byte(end) == Some(b'/')) {
            return Err(ParseError::new(ParseErrorKind::EmptyHost, start));
        }
        self.push(Component::Host, start, stop);
        if stop < end {
            self.port(stop + 1, end, Tier::Rfc1738)?;
        }
        Ok(end)
    }
}
