//! A content filter in async Rust. It receives messages over TCP and returns a verdict on each message.
//!
//!     cargo run --example async_filter -- 127.0.0.1:4711 [DOMAIN...]
//!
//! A client sends the length of a message in bytes, as a decimal number on a line, and then the message. The response
//! is one line: `accept`, `reject URL`, or `defer` and the reason. The response is `reject` if one of the links leads
//! to a blocked domain, or if the text or the user name of a link looks like another host. After the response, the
//! client can send the next message on the same connection, unless the message was too large. The search runs in
//! separate threads, so that it does not delay other connections.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, error::Error, io, thread};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use urlspool::{Event, Extractor, Sink, Url, Warning};

/// The largest message, in bytes. The server has at most one message of each client in memory.
const MAX_MESSAGE: usize = 4 << 20;
const MAX_CLIENTS: usize = 64;
/// The maximum time for a client to send the line with the length. The client has the same time again to send the
/// message.
const SEND_LIMIT: Duration = Duration::from_secs(300);
/// The maximum time of a search.
const SEARCH_LIMIT: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let address = arguments.next().ok_or("usage: async_filter ADDRESS [DOMAIN...]")?;
    let blocked: Arc<[String]> = arguments.map(|domain| domain.to_ascii_lowercase()).collect();
    let threads = thread::available_parallelism()?.get();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(threads).build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        println!("listening on {}", listener.local_addr()?);
        let slots = Arc::new(Semaphore::new(MAX_CLIENTS));
        loop {
            // While `MAX_CLIENTS` clients are connected, the server accepts no other connection. This limits the memory
            // and the number of open sockets that the server needs.
            let slot = Arc::clone(&slots).acquire_owned().await?;
            let (stream, client) = listener.accept().await?;
            let blocked = Arc::clone(&blocked);
            tokio::spawn(async move {
                if let Err(error) = serve(stream, blocked).await {
                    eprintln!("{client}: {error}");
                }
                drop(slot);
            });
        }
    })
}

/// Reads messages from one connection until the connection ends, and sends a verdict on each message.
async fn serve(stream: TcpStream, blocked: Arc<[String]>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if timeout(SEND_LIMIT, (&mut stream).take(20).read_line(&mut line)).await?? == 0 {
            return Ok(());
        }
        let length = line.trim_end().parse().map_err(|_| io::Error::other("the length is not a number"))?;
        if length > MAX_MESSAGE {
            // Close the connection, because otherwise the server would have to read this message to find the next one.
            return stream.write_all(b"defer message too large\n").await;
        }
        let mut message = vec![0; length];
        timeout(SEND_LIMIT, stream.read_exact(&mut message)).await??;
        let blocked = Arc::clone(&blocked);
        let verdict = spawn_blocking(move || verdict(&message, &blocked, SEARCH_LIMIT)).await;
        // If the search panics, the message is not lost: after the response `defer`, the client can send the message
        // again later.
        let verdict = verdict.unwrap_or_else(|_| "defer internal error".into());
        stream.write_all(format!("{verdict}\n").as_bytes()).await?;
    }
}

/// Returns the verdict on a message.
pub fn verdict(message: &[u8], blocked: &[String], limit: Duration) -> String {
    let mut links = Links { blocked, end: Instant::now() + limit, verdict: None };
    let _ = Extractor::new().set("count-lines", "false").expect("a flag").message_into(message, &mut links);
    links.verdict.unwrap_or_else(|| "accept".into())
}

/// Checks each link as soon as the search finds it. The search ends at the first bad link or at the time limit.
struct Links<'a> {
    blocked: &'a [String],
    end: Instant,
    /// The reason why the search ended early.
    verdict: Option<String>,
}

impl Sink for Links<'_> {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Hit(hit) => {
                let url = hit.url();
                let deceives = |warning| matches!(warning, Warning::ShownAsOtherHost | Warning::UserinfoLooksLikeHost);
                let is_bad = hit.warnings().any(deceives)
                    || self.is_blocked(url)
                    || url.targets().iter().any(|target| self.is_blocked(target));
                self.verdict = is_bad.then(|| format!("reject {url}"));
            }
            Event::Check if Instant::now() >= self.end => self.verdict = Some("defer time limit".into()),
            _ => {}
        }
        if self.verdict.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl Links<'_> {
    /// Returns whether the host is a blocked domain or one of its subdomains.
    fn is_blocked(&self, url: &Url<'_>) -> bool {
        let Some(host) = url.host() else { return false };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let is_below = |sub: &str| sub.is_empty() || sub.ends_with('.');
        self.blocked.iter().any(|domain| host.strip_suffix(&**domain).is_some_and(is_below))
    }
}
