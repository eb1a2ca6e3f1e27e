//! Tests mail in git repositories. If git is not installed, the tests fail.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::world::World;

/// Runs git in a folder with `input` on standard input. Returns its output.
#[track_caller]
fn git(dir: &Path, arguments: &str, input: &str) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "init.defaultBranch=master", "-c", "protocol.file.allow=always"]);
    git.args(arguments.split(' '))
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a message with the URL `http://NAME.example/`.
fn message(name: &str) -> String {
    format!("From: a@b\nMessage-ID: <{name}@b>\nSubject: x\n\nhttp://{name}.example/\n")
}

/// A commit, described by its change to the tree of files.
enum Step<'s> {
    /// Replaces all files with a single file, as each commit of public-inbox version 2 does.
    Only(&'s str, &'s str),
    Put(&'s str, &'s str),
    Delete(&'s str),
}

use Step::{Delete, Only, Put};

/// Makes a bare repository with one commit for each step. If the text of a step has no line break, the text is a name,
/// and the file contains the [`message`] with that name.
fn repository(world: &World, name: &str, steps: &[Step<'_>]) {
    git(world.dir(), &format!("init -q --bare {name}"), "");
    let mut stream = String::new();
    for (number, step) in steps.iter().enumerate() {
        writeln!(stream, "commit refs/heads/master\ncommitter a <a@b> {} +0000\ndata 1\nx", 1_000_000_000 + number)
            .unwrap();
        let (path, text) = match step {
            Only(path, text) => {
                stream.push_str("deleteall\n");
                (path, text)
            }
            Put(path, text) => (path, text),
            Delete(path) => {
                writeln!(stream, "D {path}\n").unwrap();
                continue;
            }
        };
        let text = if text.contains('\n') { (*text).to_owned() } else { message(text) };
        writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len()).unwrap();
    }
    git(&world.path(name), "fast-import --quiet", &stream);
}

/// Returns a path in the format of public-inbox version 1: a SHA-1 hash with a slash after two digits. Each digit of
/// the hash is `digit`.
fn path(digit: char) -> String {
    format!("{}/{}", digit.to_string().repeat(2), digit.to_string().repeat(38))
}

fn urls(names: &str) -> String {
    names.chars().map(|name| format!("http://{name}.example/\n")).collect()
}

/// Makes an inbox in the format of public-inbox version 2, with two epochs. In the first epoch, the message `b` is
/// removed, and `c` is removed and added again. In the second epoch, `a` is removed.
pub(crate) fn two_epochs(name: &str) -> World {
    let world = World::new(name).file("list/inbox.lock", "").file("list/all.git/HEAD", "ref: refs/heads/master\n");
    let steps = [
        Only("m", "a"),
        Only("m", "b"),
        Only("m", "c"),
        Only("d", "b"),
        Only("d", "c"),
        Only("m", "d"),
        Only("m", "c"),
    ];
    repository(&world, "list/git/0.git", &steps);
    repository(&world, "list/git/1.git", &[Only("m", "e"), Only("d", "a"), Only("m", "f"), Only("d", "f")]);
    git(world.dir(), "init -q --bare list/git/10.git", "");
    world
}

/// Adds a message to the second epoch of [`two_epochs`].
pub(crate) fn add_message(world: &World) {
    let text = message("g");
    let commit = "commit refs/heads/master\ncommitter a <a@b> 1100000000 +0000\ndata 1\nx\nfrom refs/heads/master^0\n";
    let stream = format!("{commit}M 100644 inline m\ndata {}\n{text}", text.len());
    git(&world.path("list/git/1.git"), "fast-import --quiet", &stream);
}

/// With `--state`, urlspool prints only the URLs of messages that are new or changed.
#[test]
fn night_after_night() {
    let world = World::new("inbox-state");
    repository(&world, "list/git/0.git", &[Only("m", "a"), Only("m", "b")]);
    world.run("--state s list").prints(0, &urls("ab"));
    world.run("--state s list").prints(1, "");
    repository(&world, "list/git/1.git", &[Only("m", "c"), Only("d", "a")]);
    world.run("--state s list").prints(0, &urls("c"));
    world.run("--state s -j4 .").prints(1, "");
}

#[test]
fn version_two() {
    let world = two_epochs("inbox-two");
    for threads in ["-j1", "-j4"] {
        for (inbox, want) in
            [("list", "dce"), ("list/git/0.git", "adc"), ("list/git/1.git", "e"), ("list/git/10.git", "")]
        {
            let status = i32::from(want.is_empty());
            world.run(&format!("{threads} {inbox}")).prints(status, &urls(want));
        }
        world.run(&format!("{threads} .")).prints(0, &urls("dce"));
    }
    let list = world.run("--fields file,message list").stdout;
    assert_eq!(world.run_with("show -", &list).stdout, ["d", "c", "e"].map(message).concat().as_bytes());
    // Collects the object ids of all messages that were added and not removed later.
    let mut newest = Vec::new();
    for row in git(&world.path("list/git/0.git"), "log --reverse --raw --no-abbrev --format=", "").lines() {
        match row.split([' ', '\t']).collect::<Vec<_>>()[..] {
            [.., id, "A" | "M", "m"] => newest.push(id.to_owned()),
            [.., id, "A" | "M", "d"] => newest.retain(|other| other != id),
            _ => {}
        }
    }
    let found = world.run("-H list/git/0.git").stdout;
    let found: Vec<_> =
        std::str::from_utf8(&found).unwrap().lines().map(|line| line.split([':', '\t']).nth(1).unwrap()).collect();
    assert_eq!(found, newest);
    let id =
        |name: &str, git_dir: &str| git(&world.path(git_dir), "hash-object --stdin", &message(name)).trim().to_owned();
    let want: String = [("d", "0"), ("c", "0"), ("e", "1")]
        .map(|(name, epoch)| {
            let repository = format!("list/git/{epoch}.git");
            let object = id(name, &repository);
            assert_eq!(git(&world.path(&repository), &format!("cat-file blob {object}"), ""), message(name));
            format!("{repository}:{object}\t5\t40\thttp://{name}.example/\n")
        })
        .concat();
    world.run("--fields file,line,offset,url list").prints(0, &want);
    let stats = String::from_utf8(world.run("--stats list").stderr).unwrap();
    assert!(stats.contains("files                    3  3 message\nmessages                 3\n"), "{stats}");
    let object = format!("list/git/0.git:{}", id("d", "list/git/0.git"));
    world.run(&object).prints(0, "http://d.example/\n");
    world.run(&format!("show {object}:1")).prints(0, &message("d"));
    let run = world.run(&format!("show {object}:2"));
    assert_eq!((run.status, run.stdout.len()), (Some(2), 0), "{run:?}");
    let missing = format!("list/git/0.git:{}", "0".repeat(40));
    world.run(&missing).complains(&format!("{missing}: cannot be opened: the object is missing"));
    world.run(&format!("list/git/9.git:{}", "0".repeat(40))).complains("cannot be opened: No such file");
    // Options that exclude files also apply to the epochs of an inbox.
    world.run("-g !1.git list").prints(0, &urls("adc"));
    let run = world.run("-g !*.git list");
    assert_eq!((run.status, run.stdout.len()), (Some(1), 0), "{run:?}");
    world.run("-g !1.git .").prints(0, &urls("adc"));
    world.run("count file list/git/1.git").prints(0, &format!("1\tlist/git/1.git:{}\n", id("e", "list/git/1.git")));
}

#[test]
fn version_one() {
    let world = World::new("inbox-one");
    let paths: Vec<_> = "abcde".chars().map(path).collect();
    let steps = [
        Put(&paths[0], "a"),
        Put(&paths[1], "b"),
        Put(&paths[2], "c"),
        Delete(&paths[1]),
        // One message is edited, and one is removed and added again.
        Put(&paths[0], "x"),
        Put(&paths[3], "d"),
        Delete(&paths[2]),
        Put(&paths[2], "c"),
        Put("ee/ee/eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "e"),
    ];
    repository(&world, "one.git", &steps);
    for threads in ["-j1", "-j4"] {
        world.run(&format!("{threads} one.git")).prints(0, &urls("xdce"));
    }
    let files = git(&world.path("one.git"), "ls-tree -r --name-only HEAD", "");
    assert_eq!(files.lines().count(), 4);
}

/// To recognize an inbox, urlspool reads only the first file names in a tree. So git ends before it has written all the
/// names.
#[test]
fn version_one_with_many_messages() {
    let world = World::new("inbox-many");
    let paths: Vec<_> = (0..2000).map(|number| format!("{:02x}/{number:038x}", number % 256)).collect();
    let steps: Vec<_> = paths.iter().map(|path| Put(path, "a")).collect();
    repository(&world, "many.git", &steps);
    world.run("many.git").prints(0, &urls(&"a".repeat(2000)));
}

#[test]
fn clones() {
    let world = two_epochs("inbox-clones");
    git(world.dir(), "clone -q --bare list/git/0.git bare", "");
    git(world.dir(), "clone -q --mirror list/git/0.git mirror.git", "");
    git(world.dir(), "clone -q list/git/0.git tree", "");
    for clone in ["bare", "mirror.git", "tree"] {
        world.run(clone).prints(0, &urls("adc"));
    }
    // The same messages are found if their objects are in a pack file.
    git(&world.path("bare"), "repack -adq", "");
    world.run("bare").prints(0, &urls("adc"));
}

#[test]
fn other_repositories() {
    let world = World::new("inbox-other").file("src/README", "http://readme.example/\n").file("src/box", message("z"));
    repository(&world, "src/other.git", &[Put("README", "see http://hidden.example/\n"), Put("aa/b", "a")]);
    git(&world.path("src"), "init -q", "");
    let hint = "urlspool: src/other.git: 1 git repository was skipped, because it is not a public-inbox; \
        to search the history, use `git -C REPOSITORY log -p | urlspool`\n";
    for (arguments, status, found) in
        [("src/other.git", 1, ""), ("src", 0, "http://readme.example/\nhttp://z.example/\n")]
    {
        let run = world.run(arguments);
        assert_eq!((run.status, String::from_utf8_lossy(&run.stdout).as_ref()), (Some(status), found), "{arguments}");
        assert_eq!(String::from_utf8_lossy(&run.stderr), hint);
    }
}

#[test]
fn damaged_objects() {
    for (number, threads) in ["-j1", "-j4"].into_iter().enumerate() {
        let world = two_epochs(&format!("inbox-damage-{number}"));
        let repository = world.path("list/git/0.git");
        let object = |name: &str| {
            let id = git(&repository, "hash-object --stdin", &message(name)).trim().to_owned();
            (repository.join("objects").join(&id[..2]).join(&id[2..]), id)
        };
        let ((missing, missing_id), (cut, cut_id)) = (object("d"), object("a"));
        std::fs::remove_file(missing).unwrap();
        let bytes = std::fs::read(&cut).unwrap();
        std::fs::remove_file(&cut).unwrap();
        std::fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
        let run = world.run(&format!("{threads} list/git/0.git"));
        let told = String::from_utf8(run.stderr).unwrap();
        assert_eq!((run.status, String::from_utf8(run.stdout).unwrap()), (Some(2), urls("c")), "{told}");
        let lines: Vec<_> = told.lines().collect();
        assert_eq!(lines.len(), 2, "{told}");
        assert!(lines[0].starts_with(&format!("urlspool: list/git/0.git:{cut_id}: cannot be ")), "{told}");
        let missing =
            format!("urlspool: list/git/0.git:{missing_id}: cannot be opened: the object is missing; run `git fsck`");
        assert!(lines[1].starts_with(&missing), "{told}");
        // A commit is missing, so the history cannot be read.
        let head = git(&repository, "rev-parse HEAD", "");
        std::fs::remove_file(repository.join("objects").join(&head[..2]).join(head[2..].trim())).unwrap();
        let run = world.run(&format!("{threads} list"));
        let told = String::from_utf8(run.stderr).unwrap();
        assert_eq!((run.status, String::from_utf8(run.stdout).unwrap()), (Some(2), urls("e")), "{told}");
        assert!(
            told.contains("list/git/0.git: cannot be read to its end: git rev-parse failed; run `git fsck`"),
            "{told}"
        );
    }
}

#[test]
fn without_git() {
    let world = two_epochs("inbox-without-git").file("box", message("z"));
    let run = crate::world::finish(world.command(["list", "box"]).env("PATH", world.path("nothing")).spawn().unwrap());
    assert_eq!((run.status, run.stdout.as_slice()), (Some(2), urls("z").as_bytes()));
    assert_eq!(
        String::from_utf8(run.stderr).unwrap(),
        "urlspool: list/git/0.git: cannot be opened: git is not installed; install it to read git repositories\n"
    );
}

/// No repository and no environment variable can make git run another program, write files, or use the network.
#[cfg(unix)]
#[test]
fn hostile_repositories() {
    use std::os::unix::fs::PermissionsExt;

    let world = two_epochs("inbox-hostile");
    let repository = world.path("list/git/0.git");
    let trap = world.path("trap");
    std::fs::write(&trap, format!("#!/bin/sh\ntouch {}\n", world.path("sprung").display())).unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let trap = trap.display();
    let config = format!(
        "\n[core]\n\tfsmonitor = {trap}\n\tpager = {trap}\n\tsshCommand = {trap}\n\teditor = {trap}\n\thooksPath = {dir}\n\
         \talternateRefsCommand = {trap}\n\taskPass = {trap}\n[alias]\n\trev-list = !{trap}\n\tcat-file = !{trap}\n\
         [diff]\n\texternal = {trap}\n[diff \"x\"]\n\tcommand = {trap}\n\ttextconv = {trap}\n[filter \"x\"]\n\tsmudge = {trap}\n\
         \tprocess = {trap}\n[gpg]\n\tprogram = {trap}\n[log]\n\tshowSignature = true\n[credential]\n\thelper = !{trap}\n\
         [extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n\turl = ext::{trap}\n\
         [protocol \"ext\"]\n\tallow = always\n[uploadpack]\n\tpackObjectsHook = {trap}\n",
        dir = world.dir().display(),
    );
    let mut file = std::fs::OpenOptions::new().append(true).open(repository.join("config")).unwrap();
    file.write_all(config.as_bytes()).unwrap();
    std::fs::write(repository.join("info/attributes"), "* diff=x filter=x\n").unwrap();
    // With this configuration, git itself would fetch a missing object from the network.
    let id = git(world.dir(), "hash-object --stdin", &message("d"));
    std::fs::remove_file(repository.join("objects").join(&id[..2]).join(id[2..].trim())).unwrap();
    let mut command = world.command(["list"]);
    command
        .env("GIT_DIR", "elsewhere")
        .env("GIT_EXTERNAL_DIFF", trap.to_string())
        .env("GIT_TRACE", world.path("traced"));
    let run = crate::world::finish(command.spawn().unwrap());
    let told = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status, String::from_utf8(run.stdout).unwrap()), (Some(2), urls("ce")), "{told}");
    assert!(told.contains("the object is missing"), "{told}");
    assert!(!world.path("sprung").exists() && !world.path("traced").exists());
}
