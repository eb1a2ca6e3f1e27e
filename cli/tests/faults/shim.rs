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

/// A run of the command that takes longer than this counts as a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// The extension of the log file, in which the shim lists the calls. The log file is beside the folder of the run.
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

/// Returns whether there is a C compiler. Without a C compiler, prints that the test is skipped.
pub(super) fn is_here() -> bool {
    if SHIM.is_none() {
        eprintln!("skipped: no C compiler (cc)");
    }
    SHIM.is_some()
}

/// A fault: which system calls the shim disturbs, and how.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// The names of the system calls that the shim counts, separated by commas.
    pub(super) calls: &'static str,
    /// If set, the shim counts only calls with this descriptor. `+` means descriptor 3 and all higher descriptors.
    pub(super) descriptor: Option<&'static str>,
    /// The name of the error that the call returns, or another action: `short`, `kill`, `shrink`, `grow`, `replace` or
    /// `remove`.
    pub(super) kind: &'static str,
    /// The number of the first disturbed call, counted from 1. With 0, no call is disturbed.
    pub(super) at: usize,
    /// How many calls are disturbed. 0 means all calls from `at` on.
    pub(super) times: usize,
    /// How far apart the disturbed calls are: with 1 every call from `at` on is disturbed, and with 2 every second
    /// call.
    pub(super) step: usize,
    /// The file that changes before the call. Used only with `shrink`, `grow`, `replace` and `remove`.
    pub(super) file: &'static str,
}

impl Fault {
    /// Disturbs no call. All calls are counted.
    pub(super) const NONE: Fault = Fault { calls: ALL, descriptor: None, kind: "", at: 0, times: 1, step: 1, file: "" };

    /// Returns how many of `calls` match the names and the descriptor of this fault.
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

/// The names of all calls that the shim can disturb.
pub(super) const ALL: &str = "read,write,create,open,opendir,readdir,stat,readlink,realpath,getcwd,seek,sync,truncate,\
                              chmod,lock,rename,unlink,poll,close,duplicate,thread";

/// A system call that the shim counted.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) name: String,
    /// The descriptor or the path of the call, or `-1` if the call has no descriptor and no path.
    pub(super) place: String,
    pub(super) is_disturbed: bool,
}

/// The result of a run with the shim.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The status and the output. `None` if the command hung.
    pub(super) run: Option<Run>,
    /// Whether the command read its standard input to the end.
    pub(super) is_input_read: bool,
    /// The counted calls, in order.
    pub(super) calls: Vec<Call>,
}

impl Outcome {
    /// Returns the first disturbed call.
    pub(super) fn disturbed(&self) -> Option<&Call> {
        self.calls.iter().find(|call| call.is_disturbed)
    }

    /// Returns whether a call with this name and this descriptor or path was disturbed.
    pub(super) fn has_disturbed(&self, name: &str, place: &str) -> bool {
        self.calls.iter().any(|call| call.is_disturbed && call.name == name && call.place == place)
    }
}

/// Runs the command with `arguments`, which are separated by blanks, and with `input` on standard input.
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
