//! scratch
use std::io::Write;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read(path).unwrap();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for c in urlspool::scan::Scanner::new().find_iter(&text) {
        let _ = out.write_all(c.text());
        let _ = out.write_all(b"\n");
    }
}
