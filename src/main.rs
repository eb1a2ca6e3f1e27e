<<<<<<< HEAD
//! scratch
use std::io::Write;
use std::ops::ControlFlow;
use urlspool::*;
struct P(Vec<u8>, bool);
impl Sink for P {
    fn hit(&mut self, hit: &Hit<'_>) -> ControlFlow<()> {
        if self.1 {
            let o = hit.origin();
            write!(
                self.0,
                "{}\t{:?}\t{:?}\t{} {} {} {}\t",
                hit.is_rejoined() as u8,
                hit.form(),
                o.file().unwrap(),
                o.offset(),
                o.length(),
                o.is_exact(),
                o.part()
            )
            .unwrap();
        }
        self.0.extend_from_slice(hit.url().as_bytes());
        self.0.push(b'\n');
        ControlFlow::Continue(())
    }
    fn problem(&mut self, e: &Error) -> ControlFlow<()> {
        eprintln!("{e}");
        ControlFlow::Continue(())
    }
    fn note(&mut self, f: Option<&File>, e: &Note) -> ControlFlow<()> {
        if e.is_warning() {
            eprintln!("{:?} {e}", f.map(|f| f.name()));
        }
        ControlFlow::Continue(())
    }
}
struct C(bool);
impl Collect for C {
    type Part = P;
    fn part(&self) -> P {
        P(Vec::new(), self.0)
    }
    fn collect(&mut self, p: &mut P) -> std::io::Result<ControlFlow<()>> {
        std::io::stdout().lock().write_all(&p.0)?;
        p.0.clear();
        Ok(ControlFlow::Continue(()))
    }
}
fn main() {
    let mut threads = 1;
    let mut paths = Vec::new();
    let mut v = false;
    let mut a = std::env::args().skip(1);
    while let Some(x) = a.next() {
        if x == "-j" {
            threads = a.next().unwrap().parse().unwrap()
        } else if x == "-v" {
            v = true
        } else {
            paths.push(std::path::PathBuf::from(x))
        }
    }
    if paths.is_empty() {
        paths.push("-".into())
    }
    Extractor::builder().threads(threads).build().paths(paths, &mut C(v)).unwrap();
=======
//! `urlspool`: finds the URLs in mail and news archives.
#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(std::env::args_os()).into()
>>>>>>> cli
}
