//! Parses the user name, password, host and port of a URL: `login` and `hostport` of RFC 1738 section 3.1, and
//! `authority` of RFC 3986 section 3.2.

use memchr::{memchr, memrchr};

use super::class::{AT, Class, QUESTION, SLASH, USER, XCHAR};
use super::component::Component;
use super::parser::Parser;
use super::{ParseError, ParseErrorKind, Tier, host};

/// Describes what a scheme allows between `//` and the path.
pub(super) struct Rules {
    /// The tier of a URL with a user name: [`Tier::Rfc1738`] if RFC 1738 allows a user name for the scheme, and a wider
    /// tier otherwise.
    pub(super) login: Tier,
    /// Whether the host may be empty if a path follows, as in `file:///path`.
    pub(super) hostless: bool,
    /// Whether RFC 1738 allows a port for the scheme.
    pub(super) port: bool,
}

/// The rules for schemes with `login`: a host, and optionally a user name, a password and a port.
pub(super) const LOGIN: Rules = Rules { login: Tier::Rfc1738, hostless: false, port: true };
/// The rules for schemes with `hostport`: a host, and optionally a port. Only RFC 3986 allows a user name in URLs of
/// these schemes.
pub(super) const HOSTPORT: Rules = Rules { login: Tier::Rfc3986, hostless: false, port: true };

impl Parser<'_, '_> {
    /// Parses the `//`, the authority and the slash after the authority. Returns the offset of the path, or `None` if
    /// the URL has no path. If RFC 1738 requires a path, `missing` is the error that a strict parse returns for a URL
    /// without a path. If the path is optional, `missing` is `None`. RFC 3986 also allows a `?` and a search directly
    /// after the authority, as in `gopher://host?x`.
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

    /// Parses the authority that begins at `from`, after the `//`. Returns the offset at which the authority ends.
    #[inline]
    pub(super) fn authority(&mut self, from: usize, rules: &Rules) -> Result<usize, ParseError> {
        // Fast path: nearly every authority is only a host name.
        if let Some(name) = host::hostname(&self.text[from..self.end]) {
            let end = from + name.length;
            let alone = match self.byte(end) {
                None | Some(b'/') => true,
                Some(b'?') => rules.login != Tier::Rfc1738,
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
            // A user name of RFC 1738 can contain a `?`. If an `@` follows before the next slash, the `?` is part of
            // the user name. Otherwise the `?` begins a query, which only RFC 3986 allows here.
            let slash = self.find(end, SLASH);
            if let Some(length) = memrchr(b'@', &self.text[end..slash]) {
                end = self.find(end + length, SLASH | QUESTION);
            }
        }
        let mut start = from;
        if let Some(length) = memrchr(b'@', &self.text[from..end]) {
            start = self.userinfo(from, from + length, rules.login)?;
        }
        self.hostport(start, end, from, rules)?;
        Ok(end)
    }

    /// Parses the user name and password before the last `@`, which is at `at`. Returns the offset of the host.
    ///
    /// Only the last `@` ends the password, because the password of anonymous ftp is often a mail address with an
    /// unencoded `@`. Each earlier `@` should be encoded, so the URL gets [`Tier::Relaxed`].
    fn userinfo(&mut self, from: usize, at: usize, tier: Tier) -> Result<usize, ParseError> {
        if tier != Tier::Rfc1738 {
            self.depart(tier, ParseErrorKind::UserInfo, from);
        }
        if let Some(early) = memchr(b'@', &self.text[from..at]) {
            self.depart(Tier::Relaxed, ParseErrorKind::UserInfo, from + early);
            self.url.needs_encoding = true;
        }
        self.login(from, at, USER | AT, ParseErrorKind::UserInfo)
    }

    /// Parses `user[:password]@`. `at` is the offset of the `@`. Returns the offset of the host.
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

    /// Parses the host and port in `start..end`. `from` is the start of the authority, which is before `start` if the
    /// URL has a user name.
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

    /// Parses a host that is not a `hostname`: an empty host, a number, an IP literal, or a `reg-name`. Returns the
    /// offset at which the host ends: the colon before the port, or `end` if there is no port.
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

    /// Parses the IP literal in brackets that begins at `start` (RFC 3986 3.2.2). Returns the offset after the `]`.
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

    /// Parses the port `start..end`. `empty` is the tier of a URL whose port is empty, as in `http://host:/`.
    fn port(&mut self, start: usize, end: usize, empty: Tier) -> Result<(), ParseError> {
        let mut value = 0_u32;
        for at in start..end {
            let byte = self.text[at];
            if !byte.is_ascii_digit() {
                return Err(ParseError::new(ParseErrorKind::Port, at));
            }
            // 65,536 means "too large". Without this limit, a port with many digits would overflow the `u32`.
            value = (value * 10 + u32::from(byte - b'0')).min(65_536);
        }
        let Ok(value) = u16::try_from(value) else {
            return Err(ParseError::new(ParseErrorKind::PortRange, start));
        };
        if start < end {
            self.url.port = Some(value);
        } else if empty != Tier::Rfc1738 {
            self.depart(empty, ParseErrorKind::Port, start);
        }
        self.push(Component::Port, start, end);
        Ok(())
    }

    /// Parses the authority of a URL of [`Grammar::Generic`](super::Grammar::Generic), and splits it as RFC 3986 does.
    /// RFC 1738 allows every `xchar` after the colon of such a URL, so the user name, password and host can contain
    /// every `xchar`. Returns the offset at which the authority ends.
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
        // The host can be empty only if the whole authority is empty: `scheme:///path`.
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
