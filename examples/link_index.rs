//! Maintains an index of the links in mail and news, in SQLite.
//!
//!     cargo run --example link_index -- DATABASE add PATH...
//!     cargo run --example link_index -- DATABASE find URL|HOST
//!
//! `add` reads each file that is new or has changed since the last run. If PATH is a directory, `add` checks all files
//! in it. Deleted files are removed from the index. For a URL, `find` prints where this URL or an equivalent URL was
//! posted. For a host, `find` prints the URLs of the host and its subdomains.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use std::{env, error::Error, fs, io};

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use urlspool::{Extractor, Hit, Url};

const SCHEMA: &str = "
    PRAGMA foreign_keys = ON;
    CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY, size INTEGER, changed INTEGER);
    CREATE TABLE IF NOT EXISTS link (
        url TEXT NOT NULL, normal TEXT NOT NULL, host TEXT,
        file TEXT NOT NULL REFERENCES file ON DELETE CASCADE, offset INTEGER NOT NULL, message_id TEXT, date TEXT
    );
    CREATE INDEX IF NOT EXISTS link_normal ON link (normal);
    CREATE INDEX IF NOT EXISTS link_host ON link (host);
    CREATE INDEX IF NOT EXISTS link_file ON link (file);";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    match &arguments[..] {
        [database, command, paths @ ..] if command.to_str() == Some("add") => add(&mut open(database)?, paths.to_vec()),
        [database, command, query] if command.to_str() == Some("find") => find(&open(database)?, &name(query)),
        _ => Err("usage: link_index DATABASE add PATH... or link_index DATABASE find URL|HOST".into()),
    }
}

fn open(database: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(database)?;
    connection.execute_batch(SCHEMA).map(|()| connection)
}

/// Indexes all changed files in one transaction. An interrupted run leaves the index unchanged.
fn add(connection: &mut Connection, paths: Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    let index = connection.transaction()?;
    let old: Vec<String> =
        index.prepare("SELECT name FROM file")?.query_map([], |r| r.get(0))?.collect::<Result<_, _>>()?;
    for gone in old.iter().filter(|file| !Path::new(file).exists()) {
        index.execute("DELETE FROM file WHERE name = ?1", [gone])?;
    }
    let changed = changed_files(&index, paths)?;
    let (files, mut links) = (changed.len(), 0);
    for hit in Extractor::new().set("count-lines", "false")?.paths(changed) {
        match hit {
            Ok(hit) => links += insert(&index, &hit)?,
            Err(error) => {
                eprintln!("{error}"); // With the size -1, the next run reads this file again.
                index.execute("UPDATE file SET size = -1 WHERE name = ?1", [name(error.path())])?;
            }
        }
    }
    index.commit()?;
    println!("{files} files read, {links} links added");
    Ok(())
}

/// Returns the files that are new or have changed. Removes the old links of these files from the index.
fn changed_files(index: &Transaction<'_>, mut paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut changed = Vec::new();
    while let Some(path) = paths.pop() {
        let data = fs::metadata(&path).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        if data.is_dir() {
            for entry in fs::read_dir(&path)? {
                let entry = entry?;
                // A Maildir's `tmp` has messages that are still being written.
                if !entry.file_type()?.is_symlink() && entry.file_name() != "tmp" {
                    paths.push(entry.path());
                }
            }
            continue;
        }
        let time = data.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (name, now) = (name(&path), (data.len() as i64, time.as_nanos() as i64));
        let mut known = index.prepare_cached("SELECT size, changed FROM file WHERE name = ?1")?;
        if known.query_row([&name], |row| Ok((row.get(0)?, row.get(1)?))).optional()? != Some(now) {
            index.execute("REPLACE INTO file VALUES (?1, ?2, ?3)", params![name, now.0, now.1])?;
            changed.push(path);
        }
    }
    changed.sort();
    Ok(changed)
}

/// Adds one link.
fn insert(index: &Transaction<'_>, hit: &Hit) -> Result<usize, rusqlite::Error> {
    let url = hit.url();
    let host = url.host().filter(|host| !host.is_empty()).map(str::to_lowercase);
    let (file, offset) = (name(hit.file()), hit.offset() as i64);
    let id = hit.message_id().map(String::from_utf8_lossy);
    let mut statement = index.prepare_cached("INSERT INTO link VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    statement.execute(params![url.as_str(), url.normalized(), host, file, offset, id, hit.date()])
}

/// Prints each link that matches `query`, the oldest first. For each link, prints its date, its file, its offset in the
/// file, and its URL.
fn find(index: &Connection, query: &str) -> Result<(), Box<dyn Error>> {
    let (condition, value) = match Url::parse(query) {
        Ok(url) => ("normal = ?1", url.normalized()),
        Err(_) => ("(host = ?1 OR substr(host, -length(?1) - 1) = '.' || ?1)", query.to_lowercase()),
    };
    let sql = format!("SELECT coalesce(date, '-'), file, offset, url FROM link WHERE {condition} ORDER BY 1, 2, 3");
    let mut statement = index.prepare(&sql)?;
    let mut rows = statement.query([value])?;
    while let Some(row) = rows.next()? {
        let (date, file, offset, url): (String, String, i64, String) = row.try_into()?;
        println!("{date}\t{file}:{offset}\t{url}");
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
