//! The scenarios: command lines that the tests run with faults.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::shim::{Fault, Outcome, run};
use crate::archives::gzip;
use crate::support::store;
use crate::world::{BOX, World};

/// Which rules apply to a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    /// The rules for a run that prints a list of URLs.
    List,
    /// The rules for a mail filter.
    Tee,
    /// The rules for a run with `--state`, which prints only new URLs.
    State,
}

pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// The beginning of the name of the scenario's folder.
    pub(super) folder: &'static str,
    pub(super) arguments: &'static str,
    /// Standard input.
    pub(super) input: Vec<u8>,
    pub(super) rules: Rules,
    /// The file that the run writes, and its content before the run. If the content is empty, the file does not exist
    /// before the run.
    pub(super) target: Option<(&'static str, &'static [u8])>,
}

impl Scenario {
    pub(super) fn list(name: &'static str, arguments: &'static str) -> Scenario {
        Scenario { name, folder: "faults", arguments, input: Vec::new(), rules: Rules::List, target: None }
    }

    fn input(self, input: impl Into<Vec<u8>>) -> Scenario {
        Scenario { input: input.into(), ..self }
    }

    pub(super) fn rules(self, rules: Rules) -> Scenario {
        Scenario { rules, ..self }
    }

    fn target(self, name: &'static str, before: &'static [u8]) -> Scenario {
        Scenario { target: Some((name, before)), ..self }
    }

    /// Makes the folder for the scenario.
    pub(super) fn world(&self) -> World {
        let world = World::with_box(&format!("{}-{}/run", self.folder, self.name));
        let mail =
            |n: usize| format!("Subject: {n}\nMessage-ID: <{n}@e>\n\nhttp://{n}.example/ http://{n}.example/b\n");
        let world = (1..=2).fold(world, |world, n| world.file(format!("maildir/new/{n}.a.b"), mail(n)));
        let world = (3..=4).fold(world, |world, n| world.file(format!("maildir/cur/{n}.a.b:2,S"), mail(n)));
        fs::create_dir_all(world.path("maildir/tmp")).unwrap();
        let members = [("inbox/5".to_owned(), mail(5).into_bytes()), ("box".to_owned(), BOX.into())];
        let other =
            format!("{BOX}\nFrom d@e Wed Jan  7 10:00:00 1998\n\nhttp://new.example/\n\n").replace("bob", "zoe");
        let large: String = (0..300).map(|n| format!("line {n} with http://{n}.text.example/\n")).collect();
        let mail =
            |n| format!("From a@b Wed Jan  7 10:00:00 1998\n\n{n}: http://{n}.mail.example/\n{}\n", "x\n".repeat(9000));
        let world = world
            .file("mailbox", (0..60).map(mail).collect::<String>())
            .file("text", "See http://text.example/ and\nftp://text.example/\n")
            .file("box.gz", gzip(BOX.as_bytes()))
            .file("a.zip", store::zip(&members, false))
            .file("b.tgz", gzip(&store::tar(&members)))
            .file("large", large)
            .file("box.new", other);
        if self.name == "state-next" {
            // The first run reads the files `box` and `text` while they have only about half of their content. Then
            // both files grow.
            let (all, text) = (fs::read(world.path("box")).unwrap(), fs::read(world.path("text")).unwrap());
            fs::write(
                world.path("box"),
                BOX.split_inclusive("\n\nFrom ").next().unwrap().strip_suffix("From ").unwrap(),
            )
            .unwrap();
            fs::write(world.path("text"), "See http://text.example/ and\n").unwrap();
            settle(world.dir());
            world.run("-j1 -H --state first box maildir/new text");
            fs::OpenOptions::new().write(true).open(world.path("box")).unwrap().write_all(&all).unwrap();
            fs::OpenOptions::new().write(true).open(world.path("text")).unwrap().write_all(&text).unwrap();
        }
        settle(world.dir());
        world
    }

    /// Restores the files in `world`, and then runs the scenario there.
    pub(super) fn run(&self, world: &World, fault: &Fault) -> Outcome {
        self.reset(world);
        run(world, self.arguments, &self.input, fault)
    }

    /// Restores the state file and the output file, and removes the unfinished output files (`.part`) of earlier runs.
    fn reset(&self, world: &World) {
        for entry in fs::read_dir(world.dir()).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().as_encoded_bytes().ends_with(b".part") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        let _ = fs::remove_file(world.path("state"));
        if self.name == "state-next" {
            fs::copy(world.path("first"), world.path("state")).unwrap();
        }
        let Some((name, before)) = self.target else { return };
        let path = world.path(name);
        if before.is_empty() {
            let _ = fs::remove_file(path);
        } else {
            fs::write(path, before).unwrap();
        }
    }

    /// Returns the content of the file that the run writes. In a report, the time is replaced by a constant.
    pub(super) fn written(&self, world: &World) -> Vec<u8> {
        let mut bytes = self.target.and_then(|(name, _)| fs::read(world.path(name)).ok()).unwrap_or_default();
        let time = br#""made":"YYYY-MM-DD HH:MM UTC""#;
        if let Some(at) = bytes.windows(time.len()).position(|part| part.starts_with(&time[..8])) {
            bytes[at..][..time.len()].copy_from_slice(time);
        }
        bytes
    }
}

/// Sets the modification times of all files in a folder to one hour ago, so that `--state` treats the files as
/// complete.
pub(super) fn settle(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            settle(&path);
        } else {
            fs::File::open(path).unwrap().set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        }
    }
}

pub(super) fn scenarios() -> Vec<Scenario> {
    let long = format!("{BOX}{}", "and on and on, for more than the buffer of a pipe\n".repeat(4000));
    let short = BOX.split_once('\n').unwrap().1;
    vec![
        Scenario::list("plain", "-j1 -H box maildir text"),
        Scenario::list("json", "-j1 --json box maildir"),
        Scenario::list("threads", "-j2 -Hn maildir box text large"),
        // This mailbox is so large that urlspool divides it among the threads.
        Scenario::list("parts", "-j2 -Hn mailbox"),
        Scenario::list("compressed", "-j1 -Hn box.gz a.zip b.tgz"),
        Scenario::list("stdin", "-j1 -n").input(long.clone()),
        Scenario::list("listed", "-j1 -Hn --files-from -").input("text\nbox\nmaildir/new\n"),
        Scenario::list("sorted", "-j1 -u --sort --stats box maildir"),
        Scenario::list("output", "-j1 -Hn -o out box maildir").target("out", b"http://old.example/\n"),
        Scenario::list("tee", "tee --hits /dev/null").input(long.clone()).rules(Rules::Tee),
        Scenario::list("tee-hits", "tee --hits hits --json")
            .input(short)
            .rules(Rules::Tee)
            .target("hits", b"{\"a\":1}\n{"),
        Scenario::list("tee-header", "tee --add-header").input(short).rules(Rules::Tee),
        Scenario::list("report", "report -o page.html -j1 box maildir").target("page.html", old_report()),
        Scenario::list("state", "-j1 -H --state state box maildir text").rules(Rules::State),
        Scenario::list("state-next", "-j1 -H --state state box maildir text").rules(Rules::State),
        Scenario::list("state-threads", "-j2 -H --state state maildir box text large").rules(Rules::State),
        Scenario::list("parquet", "-j1 --parquet urls.parquet box maildir").target("urls.parquet", b"PAR1 old"),
    ]
}

/// Returns the bytes with which every report begins.
pub(super) fn old_report() -> &'static [u8] {
    include_str!("../../src/report/page.html").split("{{").next().unwrap().as_bytes()
}
