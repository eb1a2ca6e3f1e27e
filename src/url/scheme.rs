//! The table of known schemes. Scheme names occur only in this file.
//!
//! The parser uses the grammar and the default port of a row. The scanner uses the rule for the start of a bare URL
//! (rule 2.1 in the [rules](crate::rules)). The command prints the table as its list of schemes.

named! {
    /// The grammar of the text after the colon of a scheme. Several schemes can share a grammar.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub(crate) enum Grammar {
        /// `ftpurl`, RFC 1738 section 3.2.
        Ftp = "ftp",
        /// `httpurl`, RFC 1738 section 3.3.
        Http = "http",
        /// `gopherurl`, RFC 1738 section 3.4, with the Gopher+ string.
        Gopher = "gopher",
        /// `mailtourl`, RFC 1738 section 3.5.
        Mailto = "mailto",
        /// `newsurl`, RFC 1738 section 3.6.
        News = "news",
        /// `nntpurl`, RFC 1738 section 3.7.
        Nntp = "nntp",
        /// `telneturl`, RFC 1738 section 3.8: a user name, password, host and port, but no path.
        Telnet = "telnet",
        /// `waisurl`, RFC 1738 section 3.9.
        Wais = "wais",
        /// `fileurl`, RFC 1738 section 3.10.
        File = "file",
        /// `prosperourl`, RFC 1738 section 3.11.
        Prospero = "prospero",
        /// `midaddress` or `cidaddress` of draft-www-uri-00: a message-id or content-id.
        MessageId = "message-id",
        /// `//login[/urlpath]`, RFC 1738 section 3.1.
        Internet = "internet",
        /// `genericurl`, RFC 1738 section 5: any sequence of `xchar` after the colon.
        Generic = "generic",
    }
}

/// The text that must follow the name of a scheme at the start of a bare URL (RULES.md 2.1). A bare URL is a URL
/// without brackets or quotes around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Start {
    /// `scheme://`.
    Slashes,
    /// An `@` after the colon (`mailto:`, `mid:`, `cid:`).
    Address,
    /// After the colon (`news:`): a newsgroup with a dot, a message-id with an `@`, or a `*`.
    Newsgroup,
    /// A namespace and a second colon (`urn:isbn:`).
    Namespace,
    /// A query directly after the colon (`magnet:?`).
    Query,
    /// `scheme://`, as for [`Slashes`](Self::Slashes). But most URLs of the scheme have no `//`, so the scanner finds
    /// them only in brackets or in HTML attributes.
    Wrapped,
    /// Like [`Wrapped`](Self::Wrapped), for the schemes of [`REGISTERED`].
    Registered,
}

impl Start {
    /// Whether a bare URL of the scheme can begin with the name and a colon, without slashes, as in `mailto:joe@host`.
    pub(crate) fn is_without_slashes(self) -> bool {
        !matches!(self, Start::Slashes | Start::Wrapped | Start::Registered)
    }
}

/// A row of the table: a scheme, its grammar, and its default port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scheme {
    /// The name, in lower case.
    pub(crate) name: &'static str,
    /// The grammar of the text after the colon.
    pub(crate) grammar: Grammar,
    /// The default port of the protocol. `None` if the protocol has no default port.
    pub(crate) port: Option<u16>,
    pub(crate) start: Start,
}

impl Scheme {
    fn what_follows(&self) -> &'static str {
        match self.start {
            Start::Slashes => "://",
            Start::Address => ": and an address with @",
            Start::Newsgroup => ": and a newsgroup or message-id",
            Start::Namespace => ": and a namespace",
            Start::Query => ": and a query",
            Start::Wrapped => ": in brackets or HTML only",
            Start::Registered => ": and more than a word, in brackets or HTML only",
        }
    }

    /// Whether the scheme is one of the "special" schemes of the WHATWG URL standard, section 4.2. Browsers parse URLs
    /// of special schemes like http URLs.
    #[cfg(feature = "mime")]
    pub(crate) fn is_special(&self) -> bool {
        matches!(self.name, "file" | "ftp" | "http" | "https" | "ws" | "wss")
    }
}

const fn row(name: &'static str, grammar: Grammar, port: Option<u16>, start: Start) -> Scheme {
    Scheme { name, grammar, port, start }
}

/// Returns the known schemes: the name, the default port of the protocol if there is one,
/// and a description of the text that must follow the name in a bare URL, such as `://` or `: and a query`.
///
/// The table has the schemes that RFC 1738 defines (section 3) or reserves (section 4), and `cid`, `mid`, `rlogin` and
/// `tn3270` from the drafts of this RFC. The table also has later schemes that occur in mail and news, from the
/// registry of RFC 7595 or from common use. The other names in the registry follow.
///
/// Some schemes have a default port, but their URLs need no host: `ldap:///dc=example`. The names of some schemes are
/// also common words before a colon (`tel: 555`, `info: see`). The scanner finds URLs of these schemes only in brackets
/// or in HTML, unless they begin with `scheme://`.
///
/// ```
/// assert!(urlspool::schemes().any(|row| row == ("gopher", Some(70), "://")));
/// ```
pub fn schemes() -> impl Iterator<Item = (&'static str, Option<u16>, &'static str)> {
    SCHEMES.iter().chain(&REGISTERED_ROWS).map(|row| (row.name, row.port, row.what_follows()))
}

pub(crate) static SCHEMES: [Scheme; 100] = [
    row("about", Grammar::Generic, None, Start::Wrapped),
    row("acap", Grammar::Internet, Some(674), Start::Slashes),
    row("afp", Grammar::Internet, Some(548), Start::Slashes),
    row("afs", Grammar::Internet, None, Start::Slashes),
    row("bzr", Grammar::Internet, Some(4155), Start::Slashes),
    row("bzr+ssh", Grammar::Internet, Some(22), Start::Slashes),
    row("callto", Grammar::Generic, None, Start::Wrapped),
    row("cid", Grammar::MessageId, None, Start::Address),
    row("cifs", Grammar::Internet, Some(445), Start::Slashes),
    row("cvs", Grammar::Internet, Some(2401), Start::Slashes),
    row("data", Grammar::Generic, None, Start::Wrapped),
    row("dict", Grammar::Internet, Some(2628), Start::Slashes),
    row("dns", Grammar::Generic, None, Start::Wrapped),
    row("doi", Grammar::Generic, None, Start::Wrapped),
    row("ed2k", Grammar::Generic, None, Start::Wrapped),
    row("feed", Grammar::Generic, None, Start::Slashes),
    row("file", Grammar::File, None, Start::Slashes),
    row("finger", Grammar::Internet, Some(79), Start::Slashes),
    row("fish", Grammar::Internet, Some(22), Start::Slashes),
    row("ftp", Grammar::Ftp, Some(21), Start::Slashes),
    row("ftps", Grammar::Ftp, Some(990), Start::Slashes),
    row("gemini", Grammar::Http, Some(1965), Start::Slashes),
    row("geo", Grammar::Generic, None, Start::Wrapped),
    row("git", Grammar::Internet, Some(9418), Start::Slashes),
    row("git+http", Grammar::Http, Some(80), Start::Slashes),
    row("git+https", Grammar::Http, Some(443), Start::Slashes),
    row("git+ssh", Grammar::Internet, Some(22), Start::Slashes),
    row("gopher", Grammar::Gopher, Some(70), Start::Slashes),
    row("gophers", Grammar::Gopher, Some(70), Start::Slashes),
    row("hdl", Grammar::Generic, None, Start::Wrapped),
    row("http", Grammar::Http, Some(80), Start::Slashes),
    row("https", Grammar::Http, Some(443), Start::Slashes),
    row("imap", Grammar::Internet, Some(143), Start::Slashes),
    row("imaps", Grammar::Internet, Some(993), Start::Slashes),
    row("info", Grammar::Generic, None, Start::Wrapped),
    row("ipfs", Grammar::Internet, None, Start::Slashes),
    row("ipns", Grammar::Internet, None, Start::Slashes),
    row("ipp", Grammar::Http, Some(631), Start::Slashes),
    row("ipps", Grammar::Http, Some(631), Start::Slashes),
    row("irc", Grammar::Internet, Some(6667), Start::Slashes),
    row("ircs", Grammar::Internet, Some(6697), Start::Slashes),
    row("javascript", Grammar::Generic, None, Start::Wrapped),
    row("ldap", Grammar::Generic, Some(389), Start::Slashes),
    row("ldapi", Grammar::Generic, None, Start::Slashes),
    row("ldaps", Grammar::Generic, Some(636), Start::Slashes),
    row("magnet", Grammar::Generic, None, Start::Query),
    row("mailserver", Grammar::Generic, None, Start::Wrapped),
    row("mailto", Grammar::Mailto, None, Start::Address),
    row("mid", Grammar::MessageId, None, Start::Address),
    row("mms", Grammar::Internet, Some(1755), Start::Slashes),
    row("mongodb", Grammar::Generic, Some(27017), Start::Slashes),
    row("news", Grammar::News, None, Start::Newsgroup),
    row("nfs", Grammar::Internet, Some(2049), Start::Slashes),
    row("nntp", Grammar::Nntp, Some(119), Start::Slashes),
    row("nntps", Grammar::Nntp, Some(563), Start::Slashes),
    row("opaquelocktoken", Grammar::Generic, None, Start::Wrapped),
    row("pnm", Grammar::Internet, Some(7070), Start::Slashes),
    row("pop", Grammar::Internet, Some(110), Start::Slashes),
    row("pop3", Grammar::Internet, Some(110), Start::Slashes),
    row("postgresql", Grammar::Generic, Some(5432), Start::Slashes),
    row("pres", Grammar::Generic, None, Start::Wrapped),
    row("prospero", Grammar::Prospero, Some(1525), Start::Slashes),
    row("rlogin", Grammar::Internet, Some(513), Start::Slashes),
    row("rsync", Grammar::Internet, Some(873), Start::Slashes),
    row("rtmp", Grammar::Internet, Some(1935), Start::Slashes),
    row("rtsp", Grammar::Internet, Some(554), Start::Slashes),
    row("rtspu", Grammar::Internet, Some(554), Start::Slashes),
    row("scp", Grammar::Internet, Some(22), Start::Slashes),
    row("sftp", Grammar::Ftp, Some(22), Start::Slashes),
    row("shttp", Grammar::Http, Some(80), Start::Slashes),
    row("sip", Grammar::Generic, Some(5060), Start::Address),
    row("sips", Grammar::Generic, Some(5061), Start::Address),
    row("skype", Grammar::Generic, None, Start::Wrapped),
    row("smb", Grammar::Internet, Some(445), Start::Slashes),
    row("sms", Grammar::Generic, None, Start::Wrapped),
    row("snews", Grammar::News, Some(563), Start::Newsgroup),
    row("ssh", Grammar::Internet, Some(22), Start::Slashes),
    row("svn", Grammar::Internet, Some(3690), Start::Slashes),
    row("svn+ssh", Grammar::Internet, Some(22), Start::Slashes),
    row("tag", Grammar::Generic, None, Start::Wrapped),
    row("tel", Grammar::Generic, None, Start::Wrapped),
    row("telnet", Grammar::Telnet, Some(23), Start::Slashes),
    row("telnets", Grammar::Telnet, Some(992), Start::Slashes),
    row("tftp", Grammar::Internet, Some(69), Start::Slashes),
    row("tn3270", Grammar::Telnet, Some(23), Start::Slashes),
    row("urn", Grammar::Generic, None, Start::Namespace),
    row("vemmi", Grammar::Internet, Some(575), Start::Slashes),
    row("view-source", Grammar::Generic, None, Start::Wrapped),
    row("vnc", Grammar::Internet, Some(5900), Start::Slashes),
    row("wais", Grammar::Wais, Some(210), Start::Slashes),
    row("webcal", Grammar::Http, Some(80), Start::Slashes),
    row("webcals", Grammar::Http, Some(443), Start::Slashes),
    row("whois++", Grammar::Internet, Some(63), Start::Slashes),
    row("ws", Grammar::Http, Some(80), Start::Slashes),
    row("wss", Grammar::Http, Some(443), Start::Slashes),
    row("xmpp", Grammar::Generic, None, Start::Address),
    row("ymsgr", Grammar::Generic, None, Start::Wrapped),
    row("z39.50", Grammar::Internet, Some(210), Start::Slashes),
    row("z39.50r", Grammar::Internet, Some(210), Start::Slashes),
    row("z39.50s", Grammar::Internet, Some(210), Start::Slashes),
];

/// The other names in the registry of RFC 7595: permanent, provisional and historical. Few of their URLs are in mail. So
/// a URL of such a scheme is found after `scheme://`, in HTML, and in `<scheme:...>` if it is more than a word.
#[rustfmt::skip]
pub(crate) const REGISTERED: [&str; 292] = [
    "aaa", "aaas", "acct", "acd", "acr", "adiumxtra", "adt", "aim", "amss", "android", "appdata", "apt", "ar", "ark",
    "at", "attachment", "aw", "barion", "bb", "beshare", "bitcoin", "bitcoincash", "blob", "bolo", "browserext",
    "cabal", "calculator", "cap", "cast", "casts", "chrome", "chrome-extension", "coap", "coap+tcp", "coap+ws", "coaps",
    "coaps+tcp", "coaps+ws", "com-eventbrite-attendee", "content", "content-type", "crid", "cstr", "dab", "dat", "dav",
    "dhttp", "diaspora", "did", "dis", "dlna-playcontainer", "dlna-playsingle", "dntp", "dpp", "drm", "drop", "dtmi",
    "dtn", "dvb", "dvx", "dweb", "eid", "elsi", "embedded", "ens", "ethereum", "example", "facetime", "fax",
    "feedready", "fido", "filesystem", "first-run-pen-experience", "fm", "fuchsia-pkg", "gg", "gitoid", "gizmoproject",
    "go", "graph", "grd", "gtalk", "h323", "ham", "hcap", "hcp", "hydrazone", "hyper", "iax", "icap", "icon", "im",
    "iotdisco", "ipn", "irc6", "iris", "iris.beep", "iris.lwz", "iris.xpc", "iris.xpcs", "isostore", "itms", "jabber",
    "jar", "jms", "keyparc", "lastfm", "lbry", "leaptofrogans", "lorawan", "lpa", "lvlt", "maps", "market", "matrix",
    "message", "microsoft.windows.camera", "microsoft.windows.camera.multipicker", "microsoft.windows.camera.picker",
    "modem", "moz", "ms-access", "ms-appinstaller", "ms-browser-extension", "ms-calculator", "ms-drive-to",
    "ms-enrollment", "ms-excel", "ms-eyecontrolspeech", "ms-gamebarservices", "ms-gamingoverlay", "ms-getoffice",
    "ms-help", "ms-infopath", "ms-inputapp", "ms-launchremotedesktop", "ms-lockscreencomponent-config",
    "ms-media-stream-id", "ms-meetnow", "ms-mixedrealitycapture", "ms-mobileplans", "ms-newsandinterests",
    "ms-officeapp", "ms-people", "ms-powerpoint", "ms-project", "ms-publisher", "ms-remotedesktop",
    "ms-remotedesktop-launch", "ms-restoretabcompanion", "ms-screenclip", "ms-screensketch", "ms-search",
    "ms-search-repair", "ms-secondary-screen-controller", "ms-secondary-screen-setup", "ms-settings",
    "ms-settings-airplanemode", "ms-settings-bluetooth", "ms-settings-camera", "ms-settings-cellular",
    "ms-settings-cloudstorage", "ms-settings-connectabledevices", "ms-settings-displays-topology",
    "ms-settings-emailandaccounts", "ms-settings-language", "ms-settings-location", "ms-settings-lock",
    "ms-settings-nfctransactions", "ms-settings-notifications", "ms-settings-power", "ms-settings-privacy",
    "ms-settings-proximity", "ms-settings-screenrotation", "ms-settings-wifi", "ms-settings-workplace", "ms-spd",
    "ms-stickers", "ms-sttoverlay", "ms-transit-to", "ms-useractivityset", "ms-virtualtouchpad", "ms-visio",
    "ms-walk-to", "ms-whiteboard", "ms-whiteboard-cmd", "ms-word", "msnim", "msrp", "msrps", "mss", "mt", "mtqp",
    "mumble", "mupdate", "mvn", "ni", "nih", "notes", "num", "ocf", "oid", "onenote", "onenote-cmd", "openpgp4fpr",
    "otpauth", "p1", "pack", "palm", "paparazzi", "payment", "payto", "pkcs11", "platform", "proxy", "psyc", "pttp",
    "pwid", "qb", "query", "quic-transport", "redis", "rediss", "reload", "res", "resource", "rmi", "rtmfp", "rtsps",
    "sarif", "secondlife", "secret-token", "service", "session", "sgn", "shc", "sieve", "simpleledger", "simplex",
    "smp", "smtp", "snmp", "soap.beep", "soap.beeps", "soldat", "spiffe", "spotify", "ssb", "starknet", "steam", "stun",
    "stuns", "submit", "swh", "swid", "swidpath", "taler", "teamspeak", "teliaeid", "things", "thismessage", "tip",
    "tool", "turn", "turns", "tv", "udp", "unreal", "upt", "ut2004", "uuid-in-package", "v-event", "ventrilo", "ves",
    "videotex", "vscode", "vscode-insiders", "vsls", "w3", "wcr", "web+ap", "web3", "wifi", "wpid", "wtai", "wyciwyg",
    "xcon", "xcon-userid", "xfire", "xmlrpc.beep", "xmlrpc.beeps", "xri",
];

/// The rows of [`REGISTERED`].
static REGISTERED_ROWS: [Scheme; REGISTERED.len()] = {
    let mut rows = [const { row("", Grammar::Generic, None, Start::Registered) }; REGISTERED.len()];
    let mut index = 0;
    while index < rows.len() {
        rows[index].name = REGISTERED[index];
        index += 1;
    }
    rows
};

/// The row of a scheme that is in no list, but that the user has named.
pub(crate) static UNLISTED: Scheme = row("", Grammar::Generic, None, Start::Slashes);

/// The size of the hash table. With a smaller table, the compiler would have to try more values for [`FACTOR`].
const SLOTS: usize = 1024;

/// For each [`slot`], the index in [`SCHEMES`] of the scheme whose name has this slot. Every URL needs a lookup, and a
/// hash table makes it fast.
static SLOT: [u8; SLOTS] = slots(FACTOR);

/// The factor with which [`slot`] gives each scheme name a slot of its own.
const FACTOR: u32 = {
    let mut factor = 0x9E37_79B1;
    while !tells_apart(factor) {
        factor += 2;
    }
    factor
};

/// Returns the slot of a name, which must not be empty. Ignores the case of letters.
const fn slot(name: &[u8], factor: u32) -> usize {
    (hash(name, factor) >> 22) as usize % SLOTS
}

const fn hash(name: &[u8], factor: u32) -> u32 {
    let ends = [name[0] | 0x20, name[name.len() / 2] | 0x20, name[name.len() - 1] | 0x20, name.len() as u8];
    u32::from_le_bytes(ends).wrapping_mul(factor)
}

/// A bit set of the hashes of [`REGISTERED`]. Most words before a colon are in no list, and one lookup finds this out.
static REGISTERED_HASHES: [u64; 128] = {
    let mut set = [0; 128];
    let mut index = 0;
    while index < REGISTERED.len() {
        let bit = hash(REGISTERED[index].as_bytes(), FACTOR) >> 19;
        set[bit as usize / 64] |= 1 << (bit % 64);
        index += 1;
    }
    set
};

const fn slots(factor: u32) -> [u8; SLOTS] {
    let mut slots = [0; SLOTS];
    let mut index = 0;
    while index < SCHEMES.len() {
        slots[slot(SCHEMES[index].name.as_bytes(), factor)] = index as u8;
        index += 1;
    }
    slots
}

const fn tells_apart(factor: u32) -> bool {
    let slots = slots(factor);
    let mut index = 0;
    while index < SCHEMES.len() {
        if slots[slot(SCHEMES[index].name.as_bytes(), factor)] as usize != index {
            return false;
        }
        index += 1;
    }
    true
}

/// Returns the row of the scheme `name`, ignoring case (RFC 1738, section 2.1). `None` if the table does not have the
/// scheme. Costs one hash table lookup and one comparison.
#[inline]
#[must_use]
pub(crate) fn find(name: &[u8]) -> Option<&'static Scheme> {
    if name.is_empty() {
        return None;
    }
    let row = &SCHEMES[usize::from(SLOT[slot(name, FACTOR)])];
    if is_same(name, row.name.as_bytes()) {
        return Some(row);
    }
    let bit = hash(name, FACTOR) >> 19;
    if REGISTERED_HASHES[bit as usize / 64] >> (bit % 64) & 1 == 0 { None } else { registered(name) }
}

/// Returns the row of the scheme `name` in [`REGISTERED`].
#[cold]
fn registered(name: &[u8]) -> Option<&'static Scheme> {
    let order = |row: &Scheme| row.name.bytes().cmp(name.iter().map(u8::to_ascii_lowercase));
    REGISTERED_ROWS.binary_search_by(order).ok().map(|index| &REGISTERED_ROWS[index])
}

/// Whether `name` equals `known`, ignoring case. `known` must be in lower case.
#[inline]
fn is_same(name: &[u8], known: &[u8]) -> bool {
    // Setting the bit 0x20 converts a letter to lower case. The function sets this bit only in those bytes of `name`
    // that are compared with letters of `known`. In `known`, only letters have the bit 0x40, and `known >> 1` moves the
    // bit 0x40 to the bit 0x20.
    let ends = (name.first_chunk(), name.last_chunk(), known.first_chunk(), known.last_chunk());
    name.len() == known.len()
        && match ends {
            (Some(first), Some(last), Some(known_first), Some(known_last)) if name.len() <= 8 => {
                let [first, last, known_first, known_last] =
                    [first, last, known_first, known_last].map(|four| u32::from_le_bytes(*four));
                let letters = |known: u32| known >> 1 & 0x2020_2020;
                first | letters(known_first) == known_first && last | letters(known_last) == known_last
            }
            _ => name.iter().zip(known).all(|(byte, known)| byte | known >> 1 & 0x20 == *known),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemes_are_sorted_and_found() {
        assert!(SCHEMES.is_sorted_by(|left, right| left.name < right.name) && REGISTERED.is_sorted());
        for row in SCHEMES.iter().chain(&REGISTERED_ROWS) {
            assert!(core::ptr::eq(find(row.name.as_bytes()).unwrap(), row));
            assert!(core::ptr::eq(find(row.name.to_ascii_uppercase().as_bytes()).unwrap(), row));
        }
    }

    #[test]
    fn names_that_differ_in_one_letter_are_other_names() {
        for row in &SCHEMES {
            for at in 0..row.name.len() {
                for letter in b'a'..=b'z' {
                    let mut name = row.name.as_bytes().to_vec();
                    name[at] = letter;
                    let is_found = find(&name).is_some_and(|found| core::ptr::eq(found, row));
                    assert_eq!(is_found, name == row.name.as_bytes(), "{}", name.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn scheme_names_are_in_lower_case() {
        let bytes = || SCHEMES.iter().flat_map(|row| row.name.bytes());
        assert!(bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.')));
    }

    #[test]
    fn unknown_names() {
        for name in ["", "x", "htt", "httpss", "{", "zzz", "3com", "\u{e9}", "URL", "pop\u{13}", "git\u{b}ssh", "\u{0}"]
        {
            assert!(find(name.as_bytes()).is_none(), "{name}");
        }
    }

    #[test]
    fn each_kind_of_scheme_needs_its_own_text_after_the_name() {
        for (name, want) in [
            ("http", "://"),
            ("mailto", ": and an address with @"),
            ("news", ": and a newsgroup or message-id"),
            ("urn", ": and a namespace"),
            ("magnet", ": and a query"),
            ("tel", ": in brackets or HTML only"),
        ] {
            assert_eq!(find(name.as_bytes()).unwrap().what_follows(), want, "{name}");
        }
    }

    #[test]
    fn the_default_ports_of_rfc_1738() {
        for (name, port) in [
            ("ftp", 21),
            ("http", 80),
            ("gopher", 70),
            ("nntp", 119),
            ("telnet", 23),
            ("wais", 210),
            ("prospero", 1525),
        ] {
            assert_eq!(find(name.as_bytes()).unwrap().port, Some(port), "{name}");
        }
    }

    #[test]
    fn schemes_without_a_host_do_not_start_by_slashes() {
        for row in &SCHEMES {
            if matches!(row.grammar, Grammar::Mailto | Grammar::News | Grammar::MessageId) {
                assert_ne!(row.start, Start::Slashes, "{}", row.name);
            }
        }
    }
}
