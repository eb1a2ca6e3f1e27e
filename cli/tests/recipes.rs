//! Runs the recipes of `docs/guide.md` with the programs that they use. The recipes search a test archive. The links
//! in this archive lead to a local web server.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::readme::blocks;
use crate::support::root;
use crate::world::World;

/// A recipe of the guide. `PORT` in `prints` and `makes` is replaced by the port of the local web server.
struct Recipe {
    title: &'static str,
    with: With,
    prints: &'static str,
    /// A file that the recipe writes, and its expected content.
    makes: Option<(&'static str, &'static str)>,
}

/// The programs that a recipe needs.
enum With {
    /// The real programs. The text is a command that fails if a program is not installed. If the command fails, the
    /// recipe is skipped.
    Programs(&'static str),
    /// The name of a program, and a script that runs in place of the program. The script checks its arguments and
    /// stores its input. A script is needed if the real program is not packaged in Debian or PyPI, or if it would
    /// connect to servers on the internet.
    StandIn(&'static str, &'static str),
}

const URLS: &str = "\
http://127.0.0.1:PORT/alive.html
http://127.0.0.1:PORT/gone.html#part
http://127.0.0.1:PORT/dead/{1,2}?a=[b]&c='d'
";

const RECIPES: [Recipe; 9] = [
    Recipe {
        title: "Find dead links and their messages",
        with: With::Programs("curl --version && awk 1 /dev/null"),
        prints: "\
404\tarchive.mbox\t7\tone@example.org\thttp://127.0.0.1:PORT/gone.html#part
404\tarchive.mbox\t13\ttwo@example.org\thttp://127.0.0.1:PORT/gone.html#part
404\tarchive.mbox\t14\ttwo@example.org\thttp://127.0.0.1:PORT/dead/{1,2}?a=[b]&c='d'
",
        makes: Some(("urls.txt", URLS)),
    },
    Recipe {
        title: "Count dead links by year",
        with: With::Programs("curl --version && sqlite3 --version"),
        prints: "2003\t3\t1\n2005\t2\t2\n",
        makes: None,
    },
    Recipe {
        title: "Put an archive into SQLite",
        with: With::Programs("sqlite3 --version"),
        prints: "127.0.0.1\t5\nftp.example.org\t1\n",
        makes: None,
    },
    Recipe {
        title: "Put an archive into DuckDB",
        with: With::Programs("python3 -c 'import duckdb'"),
        prints: "2003\t4\n2005\t2\n",
        makes: None,
    },
    Recipe {
        title: "Find phishing links",
        with: With::Programs("jq --version"),
        prints: "three@example.org\thttp://www.bank.example/\thttp://evil.example/login\n",
        makes: None,
    },
    Recipe {
        title: "Check links with lychee",
        with: With::StandIn(
            "lychee",
            "[ \"$*\" = '--no-progress --format json --output lychee.json urls.txt' ] && cp urls.txt lychee.json",
        ),
        prints: "",
        makes: Some(("lychee.json", URLS)),
    },
    Recipe {
        title: "Archive the pages with ArchiveBox",
        with: With::StandIn("archivebox", "[ \"$*\" = add ] && cat > added"),
        prints: "",
        makes: Some(("added", URLS)),
    },
    // notmuch and mu would need an index.
    Recipe {
        title: "Search the messages that notmuch finds",
        with: With::StandIn(
            "notmuch",
            "[ \"$*\" = 'search --output=files --duplicate=1 subject:tapes' ] && echo suspicious.mbox",
        ),
        prints: "2005-01-05T12:00:00Z\t\thttp://evil.example/login\n2005-01-05T12:00:00Z\t\thttp://www.bank.example/help\n\
            2005-01-05T12:00:00Z\t\thttp://www.bank.example/\n",
        makes: None,
    },
    Recipe {
        title: "Search the messages that mu finds",
        with: With::StandIn("mu", "[ \"$*\" = 'find --fields l subject:tapes' ] && echo archive.mbox"),
        prints: "http://127.0.0.1:PORT/alive.html\nhttp://127.0.0.1:PORT/gone.html#part\nftp://ftp.example.org/pub/\n\
            http://127.0.0.1:PORT/dead/{1,2}?a=[b]&c='d'\n",
        makes: None,
    },
];

/// A local web server. Its only page is `alive.html`.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    fn new(world: &World) -> Option<Server> {
        let mut process = Command::new("python3")
            .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory"])
            .arg(world.path("pages"))
            .arg("0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take()?).read_line(&mut line).unwrap();
        let port = line.split_whitespace().skip_while(|word| *word != "port").nth(1).expect("the server says its port");
        Some(Server { port: port.parse().unwrap(), process })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// Runs `script` in the folder of the test. urlspool and the scripts of [`With::StandIn`] are first in `PATH`.
fn run(world: &World, script: &str) -> (bool, String, String) {
    let command = Path::new(env!("CARGO_BIN_EXE_urlspool")).parent().unwrap();
    let path = format!("{}:{}:{}", command.display(), world.path("bin").display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(world.dir())
        .env("PATH", path)
        .env("no_proxy", "127.0.0.1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn recipes_of_the_guide_work() {
    let world = World::new("recipes").file("pages/alive.html", "alive").file("bin/keep", "");
    let Some(server) = Server::new(&world) else { return eprintln!("the recipes were not run: no python3") };
    let real = |text: &str| text.replace("PORT", &server.port.to_string());
    let archive = "\
From a Mon Jan  6 12:00:00 2003
Date: Mon, 6 Jan 2003 12:00:00 +0000
Message-ID: <one@example.org>

See http://127.0.0.1:PORT/alive.html and again
http://127.0.0.1:PORT/alive.html and
http://127.0.0.1:PORT/gone.html#part and ftp://ftp.example.org/pub/.

From b Wed Jan  5 12:00:00 2005
Date: Wed, 5 Jan 2005 12:00:00 +0000
Message-ID: <two@example.org>

<http://127.0.0.1:PORT/gone.html#part>,
<http://127.0.0.1:PORT/dead/{1,2}?a=[b]&c='d'>.
";
    let suspicious = "\
From c Wed Jan  5 12:00:00 2005
Message-ID: <three@example.org>
Content-Type: text/html

<a href=\"http://evil.example/login\">http://www.bank.example/</a> <a href=\"http://www.bank.example/help\">help</a>
";
    let world = world.file("archive.mbox", real(archive)).file("suspicious.mbox", suspicious);

    let guide = fs::read_to_string(root().join("docs/guide.md")).unwrap();
    let (_, section) = guide.split_once("\n## Recipes with other programs\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let shown: Vec<_> = section.split("\n### ").skip(1).map(|recipe| recipe.split_once('\n').unwrap()).collect();
    assert_eq!(shown.iter().map(|(title, _)| *title).collect::<Vec<_>>(), RECIPES.map(|recipe| recipe.title));

    for (recipe, (title, text)) in RECIPES.iter().zip(&shown) {
        let scripts = blocks(text, |line| line == "```bash", "```");
        assert_eq!(scripts.len(), 1, "{title}");
        match recipe.with {
            With::Programs(check) if !run(&world, check).0 => {
                eprintln!("{title}: skipped, because this fails: {check}");
                continue;
            }
            With::Programs(_) => {}
            With::StandIn(name, script) => {
                eprintln!("{title}: run with a stand-in for {name}");
                let path = world.path("bin").join(name);
                fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        let (is_success, stdout, stderr) = run(&world, scripts[0]);
        assert!(is_success, "{title}: {stderr}");
        assert_eq!((stdout, &*stderr), (real(recipe.prints), ""), "{title}");
        if let Some((file, want)) = recipe.makes {
            assert_eq!(fs::read_to_string(world.path(file)).unwrap(), real(want), "{title}: {file}");
        }
    }
}
