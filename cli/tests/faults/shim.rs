//! Runs the command with `tests/faults/shim.c` preloaded.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use crate::support;
use crate::world::{Run, World, finish_within};

/// A longer run has hung.
const PATIENCE: Duration = Duration::from_secs(30);

/// The file that the shim logs calls to, in the folder above that of the run.
const LOG: &str = "calls";

/// The compiled shim. `None` if there is no C compiler.
static SHIM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let shim = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults.so");
    let source = support::root().join("tests/faults/shim.c");
    let options = ["-O1", "-shared", "-fPIC", "-o"];
    match Command::new("cc").args(options).arg(&shim).arg(source).arg("-ldl").status() {
        Ok(status) => {
            assert!(status.success(), "the shim cannot be compiled");
            Some(shim)
        }
        Err(_) => None,
    }
});

/// Whether there is a C compiler. If not, prints that the test is skipped.
pub(super) fn is_here() -> bool {
    if SHIM.is_none() {
        eprintln!("skipped: no C compiler (cc)");
    }
    SHIM.is_some()
}

/// A disturbance of calls.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// The calls that count, separated by commas.
    pub(super) calls: &'static str,
    /// Counts only calls with this descriptor; `+` means all from 3 on.
    pub(super) descriptor: Option<&'static str>,
    /// The name of an error, or what the shim does instead.
    pub(super) kind: &'static str,
    /// The number of the first disturbed call, from 1 on. 0 disturbs none.
    pub(super) at: usize,
    /// How many calls are disturbed; 0 means all from then on.
    pub(super) times: usize,
    /// Every how many calls one is disturbed.
    pub(super) step: usize,
    /// The file that changes instead.
    pub(super) file: &'static str,
}

impl Fault {
    /// Counts all calls, and disturbs none.
    pub(super) const NONE: Fault = Fault { calls: ALL, descriptor: None, kind: "", at: 0, times: 1, step: 1, file: "" };

    /// Returns how many calls of an undisturbed run count.
    pub(super) fn count(&self, calls: &[Call]) -> usize {
        calls.iter().filter(|call| self.counts(call)).count()
    }

    fn counts(&self, call: &Call) -> bool {
        let is_on = |on: &str| match (on, call.place.parse::<u32>()) {
            ("+", Ok(number)) => number > 2,
            (on, _) => call.place == on,
        };
        self.calls.split(',').any(|name| name == call.name) && self.descriptor.is_none_or(is_on)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { calls, descriptor, kind, at, times, step, .. } = self;
        write!(f, "{kind} from call {at} of {calls} on {descriptor:?}, times {times}, step {step}")
    }
}

/// Every call that the shim knows.
pub(super) const ALL: &str = "read,write,create,open,opendir,readdir,stat,readlink,realpath,getcwd,seek,sync,truncate,\
                              chmod,lock,rename,unlink,poll,close,duplicate,thread";

/// A call that was counted.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) name: String,
    /// Its descriptor or path. -1 if it has neither.
    pub(super) place: String,
    pub(super) is_disturbed: bool,
}

/// What happened in a run.
#[derive(Debug)]
pub(super) struct Outcome {
    /// `None` if the command did not end.
    pub(super) run: Option<Run>,
    /// Whether the command read its standard input to the end.
    pub(super) is_input_read: bool,
    /// The calls that count, in their order.
    pub(super) calls: Vec<Call>,
}

impl Outcome {
    /// The first disturbed call.
    pub(super) fn disturbed(&self) -> Option<&Call> {
        self.calls.iter().find(|call| call.is_disturbed)
    }

    /// Whether a call with this name and descriptor was disturbed.
    pub(super) fn has_disturbed(&self, name: &str, place: &str) -> bool {
        self.calls.iter().any(|call| call.is_disturbed && call.name == name && call.place == place)
    }
}

/// Runs the command with these arguments, separated by blanks, and with `input` on standard input.
pub(super) fn run(world: &World, arguments: &str, input: &[u8], fault: &Fault) -> Outcome {
    let mut command = world.command(arguments.split_whitespace());
    let shim = SHIM.as_deref().expect("the caller checks that there is a shim");
    let log = world.dir().with_extension(LOG);
    let _ = fs::remove_file(&log);
    command
        .env("LD_PRELOAD", shim)
        .env("FAULT_LOG", &log)
        .env("FAULT_CALLS", fault.calls)
        .env("FAULT_KIND", fault.kind);
    for (name, number) in [("FAULT_AT", fault.at), ("FAULT_TIMES", fault.times), ("FAULT_STEP", fault.step)] {
        command.env(name, number.to_string());
    }
    if let Some(descriptor) = fault.descriptor {
        command.env("FAULT_FD", descriptor);
    }
    if !fault.file.is_empty() {
        command.env("FAULT_FILE", fault.file);
    }
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = thread::spawn(move || stdin.write_all(&input).is_ok());
    let run = finish_within(child, PATIENCE);
    let is_input_read = feeder.join().unwrap();
    let text = fs::read(&log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let calls = text.lines().map(|line| {
        let (line, is_disturbed) = line.strip_suffix(" !").map_or((line, false), |line| (line, true));
        let (name, place) = line.split_once(' ').unwrap_or((line, ""));
        Call { name: name.into(), place: place.into(), is_disturbed }
    });
    Outcome { run, is_input_read, calls: calls.collect() }
}
