//! Scans a text that arrives in chunks. Only the window, a part of the text around the current position, is in memory.

use alloc::vec::Vec;

use super::{Candidate, Candidates, MAX_BARE, Scanner, bare};

/// A candidate depends on at most this number of bytes after its colon: a bare URL of [`MAX_BARE`] bytes, and the lines
/// on which it may continue.
const AHEAD: usize = MAX_BARE + (16 << 10);

/// A candidate depends on at most this number of bytes before its colon: two lines and a scheme.
const LOOKBACK: usize = 4 << 10;

/// A scanner for a text that arrives in chunks of any size. It finds the same candidates as [`Scanner::find_iter`]
/// finds in the whole text.
///
/// ```
/// use urlspool::scan::Scanner;
/// let mut found = Vec::new();
/// let mut stream = Scanner::new().stream();
/// for chunk in [&b"see <URL:ht"[..], b"tp://www.exa", b"mple.org/>"] {
///     stream.push(chunk, |offset, candidate| found.push((offset, candidate.text().to_vec())));
/// }
/// stream.finish(|offset, candidate| found.push((offset, candidate.text().to_vec())));
/// assert_eq!(found, [(9, b"http://www.example.org/".to_vec())]);
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    scanner: Scanner,
    /// The text that is not searched yet, and up to [`LOOKBACK`] bytes before it.
    window: Vec<u8>,
    /// The offset in the whole text at which the window starts.
    base: u64,
    /// The offset in the window at which the search continues.
    at: usize,
    /// Whether `at` is inside a URL of more than [`MAX_BARE`] bytes. The rest of such a URL is skipped.
    in_run: bool,
}

impl Stream {
    pub(super) fn new(scanner: Scanner) -> Self {
        Stream { scanner, window: Vec::new(), base: 0, at: 0, in_run: false }
    }

    /// Adds the next chunk of the text, and calls `found` for each candidate that later text cannot change. The first
    /// argument of `found` is the offset of the candidate in the whole text. Only a part of the text is in memory.
    /// Ranges such as [`Candidate::span`] count from the start of this part.
    ///
    /// The next 80 KiB of text can change a candidate, so the stream reports a candidate only after that text has
    /// arrived. It searches the text in steps of about 80 KiB. So if the text is shorter than 160 KiB, only
    /// [`finish`](Self::finish) reports candidates. If the whole text is in memory, use [`Scanner::find_iter`].
    ///
    /// The stream needs about 160 KiB of memory, plus twice the size of a chunk.
    pub fn push(&mut self, chunk: &[u8], mut found: impl FnMut(u64, &Candidate<'_>)) {
        self.window.extend_from_slice(chunk);
        // Search in large steps. Each step copies the rest of the window to the start of the window, so small steps
        // would be slow.
        if self.window.len() >= self.at + 2 * AHEAD {
            let decided = self.window.len() - AHEAD;
            self.scan(decided, &mut found);
            self.roll();
        }
    }

    /// Ends the text, and calls `found` for the remaining candidates as [`push`](Self::push) does.
    pub fn finish(mut self, mut found: impl FnMut(u64, &Candidate<'_>)) {
        self.scan(self.window.len(), &mut found);
    }

    /// Reports the candidates whose colon is before `end`.
    fn scan(&mut self, end: usize, found: &mut impl FnMut(u64, &Candidate<'_>)) {
        if self.in_run {
            self.at = bare::run(&self.window, self.at);
            self.in_run = self.at == self.window.len();
        }
        let mut candidates = Candidates { at: self.at, end, ..self.scanner.find_iter(&self.window) };
        let mut overlong = false;
        for candidate in &mut candidates {
            overlong = candidate.is_overlong();
            found(self.base + candidate.span().start as u64, &candidate);
        }
        self.at = candidates.at.max(end);
        self.in_run |= overlong && candidates.at == self.window.len();
        if self.in_run {
            // A residue such as `&gt;` ends the URL. The window may end inside such a residue, so the next search reads
            // the last bytes of the window again.
            self.at = self.at.saturating_sub(bare::MAX_RESIDUE - 1);
        }
    }

    /// Removes from the window the text that cannot affect later candidates.
    fn roll(&mut self) {
        let decided = self.at.saturating_sub(LOOKBACK);
        self.window.drain(..decided);
        self.base += decided as u64;
        self.at -= decided;
    }
}

#[cfg(test)]
mod tests {
    use super::Scanner;

    const TOKENS: &[&str] = &[
        "<URL:",
        "http://",
        "a.example/",
        "\n",
        "> ",
        ">",
        "-",
        "/b",
        ".",
        " ",
        "\n\n",
        "(",
        ")",
        "mailto:a@b.example",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "'",
        "*",
        "&gt;",
        "\u{e9}",
        "\u{6f22}.",
        "\u{1b}[1m",
    ];

    /// Returns a text of `count` random tokens. Some tokens are repeated, so that some URLs are overlong.
    fn text(seed: u64, count: usize) -> Vec<u8> {
        let mut state = seed;
        let mut text = Vec::new();
        for _ in 0..count {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let token = TOKENS[(state >> 40) as usize % TOKENS.len()];
            let repeat = if (state >> 20).is_multiple_of(5000) { 9000 } else { 1 };
            text.extend_from_slice(token.repeat(repeat).as_bytes());
        }
        text
    }

    #[test]
    fn chunks_may_end_anywhere() {
        for seed in 0..6 {
            let text = text(seed, 60_000);
            let scanner = Scanner::new();
            let want: Vec<_> = scanner.find_iter(&text).map(|c| (c.span().start as u64, c.text().to_vec())).collect();
            assert!(want.len() > 1000);
            for size in [997, 65_536, 1 << 20] {
                let mut got = Vec::new();
                let mut stream = scanner.stream();
                for chunk in text.chunks(size) {
                    stream.push(chunk, |offset, c| got.push((offset, c.text().to_vec())));
                }
                stream.finish(|offset, c| got.push((offset, c.text().to_vec())));
                assert!(got == want, "seed {seed}, chunks of {size}: {} and {}", got.len(), want.len());
            }
        }
    }

    /// Each URL contains its number, so a URL that is found twice or not at all changes the result.
    #[test]
    fn a_long_text_is_searched_in_steps() {
        let text: String = (0..250).map(|i| format!("{:1000} http://a.example/{i}\n", "")).collect();
        let want: Vec<_> = (0..250).map(|i| format!("http://a.example/{i}")).collect();
        let (mut got, mut stream) = (Vec::new(), Scanner::new().stream());
        for (i, chunk) in text.as_bytes().chunks(16 << 10).enumerate() {
            stream.push(chunk, |_, c| got.push(String::from_utf8_lossy(c.text()).into_owned()));
            assert!(stream.window.len() < 192 << 10);
            assert!(i > 8 || got.is_empty(), "a text of less than 160 KiB is searched at its end");
        }
        assert!(got.len() > 100);
        stream.finish(|_, c| got.push(String::from_utf8_lossy(c.text()).into_owned()));
        assert_eq!(got, want);
    }

    /// The run of URL characters is longer than the window. The URL in the run is not found, and the URL after it is.
    #[test]
    fn an_overlong_url_may_be_longer_than_the_window() {
        let text = format!("http://a.example/{} http://c.example/", "x".repeat(200 << 10) + "/http://b.example/");
        let (mut got, mut stream) = (Vec::new(), Scanner::new().stream());
        for chunk in text.as_bytes().chunks(64 << 10) {
            stream.push(chunk, |offset, c| got.push((offset, c.is_overlong())));
        }
        stream.finish(|offset, c| got.push((offset, c.is_overlong())));
        assert_eq!(got, [(0, true), (text.len() as u64 - 17, false)]);
    }
}
