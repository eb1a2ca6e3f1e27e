//! Tests archives, compressed files, lists of paths, and skipped files.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::store::{self, bzip2, xz, zstd};
#[cfg(unix)]
use crate::world::finish;
use crate::world::{BOX, World};

fn files() -> [(String, Vec<u8>); 3] {
    let mail = |n: u8| format!("Subject: {n}\n\nhttp://{n}.example/\n").into_bytes();
    [("inbox/1".to_owned(), mail(1)), ("inbox/2".to_owned(), mail(2)), ("inbox/.mh_sequences".to_owned(), mail(3))]
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn members_are_printed_with_their_names() {
    let world = World::new("members").file("a.tar", store::tar(&files())).file("b", "http://b.example/");
    world.run("-Hn a.tar").prints(0, "a.tar!inbox/1\t3\thttp://1.example/\na.tar!inbox/2\t3\thttp://2.example/\n");
    let objects = world.run("--json a.tar b").json();
    let fields: Vec<_> =
        objects.iter().map(|o| (o["file"].as_str(), o.get("member").and_then(|m| m.as_str()))).collect();
    let want = [(Some("a.tar"), Some("inbox/1")), (Some("a.tar"), Some("inbox/2")), (Some("b"), None)];
    assert_eq!(fields, want);
    assert_eq!((objects[1]["offset"].as_u64(), objects[1]["message"].as_u64()), (Some(12), Some(1)));
    world
        .run_with("-H", &store::zip(&files(), true))
        .prints(0, "-!inbox/1\thttp://1.example/\n-!inbox/2\thttp://2.example/\n");
}

/// `count file` prints a line for each archive, and `count file,member` for each member with URLs.
#[test]
fn each_member_has_its_own_count() {
    let mail = |n: u8| format!("Subject: {n}\n\nhttp://{n}.example/\n").into_bytes();
    let three = [
        ("lists/a.mbox".to_owned(), BOX.repeat(2000).into_bytes()),
        ("lists/b\n.gz".to_owned(), gzip(BOX.as_bytes())),
        ("c".to_owned(), b"nothing".to_vec()),
        ("inner.zip".to_owned(), store::zip(&files(), true)),
    ];
    let world = World::new("count-members").file("a.tar", store::tar(&three)).file("b", mail(9));
    let world = world.file("z.tgz", gzip(&store::tar(&files()))).file("none.tar", store::tar(&files()[2..]));
    let members = "12000\ta.tar\tlists/a.mbox\n6\ta.tar\tlists/b\\n.gz\n1\ta.tar\tinner.zip!inbox/1\n\
                   1\ta.tar\tinner.zip!inbox/2\n";
    for threads in [1, 2, 8] {
        let run = |arguments: &str| world.run(&format!("count {arguments} -j{threads}"));
        run("file,member a.tar").prints(0, members);
        let more = "1\tz.tgz\tinbox/1\n1\tz.tgz\tinbox/2\n";
        let (most, least) = members.split_at(members.find("1\ta.tar\tinner").unwrap());
        run("file,member b a.tar b z.tgz").prints(0, &format!("{most}2\tb\t\n{least}{more}"));
        run("file b a.tar b z.tgz").prints(0, "12008\ta.tar\n2\tb\n2\tz.tgz\n");
        run("file,member none.tar").prints(1, "");
        run("file b").prints(0, "1\tb\n");
    }
    world.run_with("count file,member", &store::tar(&files())).prints(0, "1\t-\tinbox/1\n1\t-\tinbox/2\n");
}

#[test]
fn skipped_files_are_reported_only_with_v() {
    let world =
        World::new("left-out").file("d/a", "http://a.example/").file("d/.b", "").file("t.tar", store::tar(&files()));
    world.run("d").prints(0, "http://a.example/\n");
    let run = world.run("-v d t.tar");
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    let message: Vec<_> = message.lines().map(|line| line.strip_prefix("urlspool: ").unwrap()).collect();
    assert_eq!(
        message,
        [
            "d/.b: skipped: it is hidden",
            "d/a: read as text, detected by content (plain text)",
            "t.tar!inbox/1: read as message, detected by content (one mail message)",
            "t.tar!inbox/2: read as message, detected by content (one mail message)",
            "t.tar!inbox/.mh_sequences: skipped: it is hidden",
            "t.tar: read as archive, detected by content (each member is read as a file)",
        ]
    );
    assert_eq!(run.status, Some(0));
}

/// The hint for a plain file has a command with the name of the file. A compressed file or an archive must be unpacked
/// first, so the command in its hint has no file name.
#[test]
fn unsupported_files_get_a_hint_how_to_convert_them() {
    let text = b"\xFF\xFEh\0";
    let member = [("http://a.example/x".to_owned(), text.to_vec())];
    let world =
        World::new("packed").file("plain", text).file("x.gz", gzip(text)).file("x.zip", store::zip(&member, true));
    let table = [
        ("plain", "plain", "try `iconv -f utf-16 -t utf-8 plain | urlspool -`"),
        ("x.gz", "x.gz", "first unpack the file that contains it, and then run `iconv -f utf-16 -t utf-8` on it"),
        (
            "x.zip",
            "x.zip!http://a.example/x",
            "first unpack the file that contains it, and then run `iconv -f utf-16 -t utf-8` on it",
        ),
    ];
    for (file, name, hint) in table {
        let message = format!("urlspool: {name}: text in UTF-16 is not supported; {hint}\n");
        assert_eq!(String::from_utf8_lossy(&world.run(file).stderr), message);
    }
}

/// A member without a name can be anywhere in the archive, even first.
#[test]
fn a_member_without_a_name_is_read_and_reported() {
    let member = |name: &str| (name.to_owned(), format!("http://{name}x.example/\n").into_bytes());
    let within = [member("a"), member(""), member("b")];
    let first = [member(""), member("b")];
    // The warning has the offset at which the data of the member begins. In the tar archives, each member takes two
    // blocks of 512 bytes: one for the header, and one for the data.
    let table = [
        (
            store::tar(&within),
            "offset 1536: ",
            "a.x!a\thttp://ax.example/\na.x!\thttp://x.example/\na.x!b\thttp://bx.example/\n",
        ),
        (store::tar(&first), "offset 512: ", "a.x!\thttp://x.example/\na.x!b\thttp://bx.example/\n"),
        (
            gzip(&store::tar(&first)),
            "decompressed offset 512: ",
            "a.x!\thttp://x.example/\na.x!b\thttp://bx.example/\n",
        ),
        (store::zip(&first, true), "offset 30: ", "a.x!\thttp://x.example/\na.x!b\thttp://bx.example/\n"),
    ];
    for (archive, place, urls) in table {
        let run = World::new("nameless").file("a.x", archive).run("-H a.x");
        let message = format!("urlspool: a.x: {place}the member at this offset has no name, but was read\n");
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).into_owned()), (Some(0), message));
        assert_eq!(String::from_utf8_lossy(&run.stdout), urls);
    }
}

/// Volume labels are skipped. Two unusual kinds of members are read as files: members that began in another volume, and
/// members of an unknown type. Of a sparse file, only the stored data is read, not the holes.
#[test]
fn all_kinds_of_tar_members_are_read() {
    let member = |kind: u8, name: &str, bytes: &str| store::tar_member(kind, name, Some(bytes.as_bytes()));
    let last = member(b'0', "last", "http://last.example/");
    // A line of a pax header begins with the length of the line. This length counts the whole line: the digits, the
    // space, the text and the line break.
    let pax = |lines: &[&str]| -> String { lines.iter().map(|line| format!("{} {line}\n", line.len() + 4)).collect() };
    let sparse = pax(&["GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=a.mbox"]);
    // The map of a sparse file: 20 bytes of data at offset 4,096.
    let map = format!("1\n4096\n20\n{}http://a.example/one", "\0".repeat(512 - 10));
    let table = [
        ("a label", store::tar_member(b'V', "backup-1998-03", None), ""),
        ("a directory's names", member(b'D', "d/", "Yhttp://no.example/\0"), ""),
        ("a link", store::tar_member(b'2', "link", Some(b"")), ""),
        ("a volume's beginning", member(b'M', "big", "http://a.example/"), "t!big\thttp://a.example/\n"),
        ("an unknown kind", member(b'Q', "odd", "http://a.example/"), "t!odd\thttp://a.example/\n"),
        (
            "what Solaris says of the next",
            [member(b'X', "x", &pax(&["path=long-name"])), member(b'0', "a", "http://a.example/")].concat(),
            "t!long-name\thttp://a.example/\n",
        ),
        (
            "holes",
            [member(b'x', "x", &sparse), member(b'0', "GNUSparseFile.1/a.mbox", &map)].concat(),
            "t!a.mbox\thttp://a.example/one\n",
        ),
    ];
    for (what, members, urls) in table {
        let run = World::new("kinds").file("t", [members, last.clone(), vec![0; 1024]].concat()).run("-H t");
        assert_eq!(String::from_utf8_lossy(&run.stderr), "", "{what}");
        let want = format!("{urls}t!last\thttp://last.example/\n");
        assert_eq!((run.status, String::from_utf8_lossy(&run.stdout)), (Some(0), want.into()), "{what}");
    }
}

/// Two blocks of zeros end a tar archive. Another archive can follow in the same file.
#[test]
fn data_after_the_end_of_a_tar_archive_is_reported() {
    let member = |name: &str| store::tar_member(b'0', name, Some(format!("http://{name}.example/\n").as_bytes()));
    let (a, b) = (member("a"), member("b"));
    let end = [0; 1024];
    let after = |at: usize| format!("offset {at}: data after the end of the archive was not read\n");
    let damage = |at: usize| {
        let what = "the archive is damaged; everything before the damage and any members found after it were read";
        format!("offset {at}: {what}\n")
    };
    let truncation =
        |at: usize| format!("offset {at}: the archive is truncated; everything up to the end of the file was read\n");
    type Row<'r> = (&'r str, &'r [&'r [u8]], i32, &'r [&'r str], String);
    let table: &[Row<'_>] = &[
        ("another archive", &[&a, &end, &b, &end], 0, &["a", "b"], String::new()),
        ("another archive after a tape's last block", &[&a, &[0; 9216], &b, &end], 0, &["a", "b"], String::new()),
        ("another archive after a single block", &[&a, &end[..512], &b, &end], 0, &["a", "b"], String::new()),
        ("zeros that fill no block", &[&a, &end, &[0; 100]], 0, &["a"], String::new()),
        ("a line", &[&a, &end, b"junk\n"], 0, &["a"], after(2048)),
        ("a line after zeros", &[&a, &[0; 10_240], b"junk\n"], 0, &["a"], after(1024 + 10_240)),
        ("much text", &[&a, &end, &[b'x'; 2000]], 0, &["a"], after(2048)),
        ("a line after another archive", &[&a, &end, &b, &end, b"junk\n"], 0, &["a", "b"], after(4096)),
        ("text after a single block", &[&a, &end[..512], &[b'x'; 2000]], 2, &["a"], damage(1024)),
        ("a line after a single block", &[&a, &end[..512], b"junk\n"], 2, &["a"], truncation(1536)),
        ("text in place of the end", &[&a, &end, &b, &[b'x'; 2000]], 2, &["a", "b"], damage(3072)),
        ("text between two members", &[&a, &[b'x'; 1024], &b, &end], 2, &["a", "b"], damage(1024)),
    ];
    for (what, archive, status, urls, message) in table {
        let archive = archive.concat();
        let place = if message.is_empty() { "" } else { "urlspool: t: " };
        let urls: String = urls.iter().map(|name| format!("http://{name}.example/\n")).collect();
        let world = World::new("after-tar").file("t", &archive).file("t.gz", gzip(&archive));
        let run = world.run("t");
        assert_eq!(String::from_utf8_lossy(&run.stderr), format!("{place}{message}"), "{what}");
        assert_eq!((run.status, String::from_utf8_lossy(&run.stdout)), (Some(*status), (&urls).into()), "{what}");
        let packed = world.run("t.gz");
        assert_eq!((packed.status, String::from_utf8_lossy(&packed.stdout)), (Some(*status), urls.into()), "{what}");
    }
}

/// A decoder can return decoded text together with an error. urlspool must also search this text.
#[test]
fn everything_before_the_damage_is_read() {
    let text: String = (0..6000_u64)
        .map(|i| format!("http://a.example/{i:x}{:016x}\n", i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)))
        .collect();
    for (name, mut packed) in [("xz", xz(text.as_bytes())), ("zstd", zstd(text.as_bytes()))] {
        let at = packed.len() / 10 * 9;
        packed[at] ^= 0x55;
        let run = World::new("damaged-late").file("x", packed).run("x");
        let found = run.stdout.iter().filter(|&&b| b == b'\n').count();
        assert!(run.status == Some(2) && found > 3000, "{name}: {found} of 6000");
    }
    // If other files follow a large compressed file, one worker reads the file alone. The damage is in its first batch.
    let mut packed = gzip(BOX.as_bytes());
    let at = packed.len() - 6;
    packed[at] ^= 0x55;
    packed.resize(2 << 20, 0);
    let run = World::new("damaged-large").file("x", packed).file("y", BOX).run("x y");
    assert!(run.status == Some(2) && run.stderr.starts_with(b"urlspool: x: decompressed offset "), "{run:?}");
}

/// A zip archive declares how each member is compressed. urlspool reports a member whose first bytes do not match the
/// declared method.
#[test]
fn members_are_decompressed_by_the_method_that_the_archive_names() {
    let text = b"http://a.example/\n";
    let last = store::zip(&[("last".to_owned(), b"http://b.example/\n".to_vec())], false);
    for (method, packed) in [(12, bzip2(text)), (93, zstd(text)), (95, xz(text))] {
        let damaged = [&[packed[0] ^ 1], &packed[1..]].concat();
        let members = [("good", &packed), ("bad", &damaged)];
        let members = members.map(|(name, packed)| store::zip_member(name, method, packed)).concat();
        let run = World::new("methods").file("a.zip", [members, last.clone()].concat()).run("-H a.zip");
        let message = "urlspool: a.zip!bad: decompressed offset 0: the compressed data is damaged; everything before \
                       the damage was read, but may be partly wrong\n";
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).as_ref()), (Some(2), message), "{method}");
        let urls = "a.zip!good\thttp://a.example/\na.zip!last\thttp://b.example/\n";
        assert_eq!(String::from_utf8_lossy(&run.stdout), urls, "{method}");
    }
}

/// In a streamed zip archive, the size of a member is stored only after the data of the member. Another archive can
/// follow in the same file.
#[test]
fn zip_archives_that_were_written_to_a_pipe_are_read() {
    let member = |name: &str, method, flags, width| {
        let text = format!("http://{name}.example/\n");
        store::streamed_member(name, method, flags, text.as_bytes(), width)
    };
    let end = store::zip(&[], false);
    let last = store::zip(&[("z".to_owned(), b"http://z.example/\n".to_vec())], true);
    let three = [member("a", 0, 0, 4), member("b", 12, 0, 4), member("c", 0, 0, 4)].concat();
    let large = [member("a", 0, 0, 8), member("b", 95, 0, 8), member("c", 93, 0, 8)].concat();
    // The data of this stored member looks as if it ended earlier: it contains a complete data descriptor, and two
    // signatures of data descriptors with wrong values. The last bytes of the data are the beginning of a signature.
    let odd = [&member("a", 0, 0, 4)[..], b"PK\x07\x08PK\x07\x08\nhttp://b.example/\nPK\x07"].concat();
    let odd = [store::streamed_member("a", 0, 0, &odd[31..], 4), member("c", 0, 0, 4)].concat();
    let mut flipped = three.clone();
    flipped[three.len() - 19] ^= 1;
    let mut damaged = three.clone();
    damaged[three.iter().position(|&b| b == b'B').unwrap()] ^= 1;
    let closed = [
        member("s", 0, 1, 4),
        member("a", 0, 0, 4),
        member("t", 14, 0, 4),
        member("b", 95, 0, 4),
        member("c", 0, 0, 4),
    ];
    let closed = closed.concat();
    let comment = [&end[..20], &[3, 0], b"PK\x03"].concat();
    let record = |signature: &[u8; 4], size: usize| [&signature[..], &vec![0; size]].concat();
    let directory = [
        [&record(b"PK\x01\x02", 24)[..], &[1, 0, 2, 0, 1, 0], &[0; 12], b"axxc"].concat(),
        [&b"PK\x06\x06\x2C"[..], &[0; 7 + 44]].concat(),
        record(b"PK\x06\x07", 16),
        end.clone(),
    ]
    .concat();
    let (abc, abcz) = (&["a", "b", "c"][..], &["a", "b", "c", "z"][..]);
    let after = |at: usize| format!("offset {at}: data after the end of the archive was not read\n");
    let cut =
        |at: usize| format!("offset {at}: the archive is truncated; everything up to the end of the file was read\n");
    type Row<'r> = (&'r str, &'r [&'r [u8]], i32, &'r [&'r str], String);
    let table: &[Row<'_>] = &[
        ("in three ways", &[&three, &end], 0, abc, String::new()),
        ("with lengths of eight bytes", &[&large, &end], 0, abc, String::new()),
        ("with what ends a member in one", &[&odd, &end], 0, abc, String::new()),
        ("with another after it", &[&three, &end, &last], 0, abcz, String::new()),
        ("with another after its directory", &[&three, &directory, &last], 0, abcz, String::new()),
        ("with another after its comment", &[&three, &comment, &last], 0, abcz, String::new()),
        ("with another after zeros", &[&three, &end, &[0; 70_000], &last], 0, abcz, String::new()),
        ("with another in place of its end", &[&three, &last], 0, abcz, String::new()),
        ("with zeros after it", &[&three, &end, &[0; 512]], 0, abc, String::new()),
        ("with something after it", &[&three, &end, b"text"], 0, abc, after(three.len() + 22)),
        ("with three bytes after it", &[&three, &end, b"PK\x03"], 0, abc, after(three.len() + 22)),
        ("without an end", &[&three], 2, abc, cut(three.len())),
        ("cut in its directory", &[&three, &directory[..30]], 0, abc, String::new()),
    ];
    for (what, archive, status, urls, message) in table {
        let world = World::new("piped").file("a.zip", archive.concat());
        let message = if message.is_empty() { String::new() } else { format!("urlspool: a.zip: {message}") };
        let urls: String = urls.iter().map(|name| format!("http://{name}.example/\n")).collect();
        // With `--format text`, urlspool also reads members that it would otherwise skip as binary files.
        let run = world.run("--format text a.zip");
        assert_eq!(String::from_utf8_lossy(&run.stderr), message, "{what}");
        assert_eq!(String::from_utf8_lossy(&run.stdout), urls, "{what}");
        assert_eq!(run.status, Some(*status), "{what}");
        assert_eq!(world.run_with("--format text", &archive.concat()).stdout, run.stdout, "{what}");
    }
    let world = World::new("piped-damage")
        .file("flipped", [&flipped[..], &end].concat())
        .file("damaged", [&damaged[..], &end].concat())
        .file("cut", &three[..50])
        .file("closed", [&closed[..], &end].concat());
    let damage = "the compressed data is damaged; everything before the damage was read, but may be partly wrong\n";
    let closed = "s: cannot be opened: it is encrypted; unpack the archive with 7z first\nurlspool: closed!t: cannot be \
                  opened: it is compressed with LZMA; unpack the archive with 7z first\n";
    let table = [
        ("flipped", 3, format!("c: offset 18: {damage}")),
        // The member `b` is damaged, so urlspool does not know where the next member starts, and reads only `a`.
        ("damaged", 1, format!("b: decompressed offset 0: {damage}")),
        ("cut", 1, format!("a: {}", cut(19))),
        ("closed", 3, closed.to_owned()),
    ];
    for (file, urls, message) in table {
        let run = world.run(file);
        assert_eq!(String::from_utf8_lossy(&run.stderr), format!("urlspool: {file}!{message}"));
        assert_eq!(run.stdout.iter().filter(|&&b| b == b'\n').count(), urls, "{file}");
        assert_eq!(run.status, Some(2));
    }
}

/// If the first member of a zip archive is far from the start of the file or is in another file, the archive is
/// reported and not read.
#[test]
fn the_end_of_a_zip_archive_alone_is_reported() {
    let mut archive = store::zip(&files(), false);
    let end = archive.len() - 22;
    archive[end + 10] = 3;
    let url = "http://a.example/\n";
    let far = [b"MZ\x90\0", "word ".repeat(300_000).as_bytes(), &archive].concat();
    let part = [url.as_bytes(), &[0; 600], &archive[end..]].concat();
    let message = [b"Subject: a\n\n\0", &archive[..]].concat();
    let world = World::new("zip-end").file("far", &far).file("part", &part).file("message", message);
    let world = world.file("none", [&[0; 600], url.as_bytes()].concat());
    for (file, at) in [("far", far.len() - 22), ("part", part.len() - 22)] {
        let run = world.run(file);
        let message = format!(
            "urlspool: {file}: offset {at}: this is only the end of a zip archive, and no member was read; unpack the archive first, or join its parts\n"
        );
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).as_ref()), (Some(2), message.as_str()));
        assert_eq!(String::from_utf8_lossy(&run.stdout), "", "{file}");
    }
    let text = world.run("--format text part");
    assert_eq!((text.status, String::from_utf8_lossy(&text.stdout).as_ref()), (Some(2), url));
    world.run("message").prints(1, "");
    world.run("--format text none").prints(0, url);
}

/// A self-extracting archive is a program followed by an archive. The program and the archive are both read.
#[test]
fn a_zip_archive_after_other_bytes_is_read() {
    let url = "http://stub.example/";
    // The program contains the signature of an archive. The program is longer than the part of a file from which
    // urlspool detects the format.
    let program = format!("MZ\u{1}\0PK\u{3}\u{4}\0PK\u{5}\u{6}\0{}\n{url}\n", "\0word ".repeat(20_000));
    let junk = format!("\0{url}\n");
    let table =
        [program, format!("#!/bin/sh\n# {url}\nexec unzip $0\n"), junk, format!("HTTP/1.0 200\r\nX: {url}\r\n\r\n")];
    let urls =
        |name: &str| format!("{name}\t{url}\n{name}!inbox/1\thttp://1.example/\n{name}!inbox/2\thttp://2.example/\n");
    for (stub, streamed) in table.iter().zip([false, true, false, true]) {
        let archive = [stub.as_bytes(), &store::zip(&files(), streamed)].concat();
        let world = World::new("stub").file("x", &archive).file("x.gz", gzip(&archive));
        let world = world.file("t.tar", store::tar(&[("x".to_owned(), archive.clone())]));
        for (arguments, want) in [("x", "x"), ("--format text x", "x"), ("x.gz", "x.gz"), ("t.tar", "t.tar!x")] {
            world.run(&format!("-H {arguments}")).prints(0, &urls(want));
        }
        world.run_with("-H", &archive).prints(0, &urls("-"));
        world.run("count file,member x").prints(0, "1\tx\t\n1\tx\tinbox/1\n1\tx\tinbox/2\n");
        world
            .run("--fields offset,url x")
            .prints(0, &format!("{}\t{url}\n12\thttp://1.example/\n12\thttp://2.example/\n", stub.find(url).unwrap()));
        // The offset in the message counts from the start of the file, not from the start of the archive.
        let cut = world.file("cut", &archive[..stub.len() + 33]);
        let message = format!(
            "urlspool: cut: offset {}: the archive is truncated; everything up to the end of the file was read\n",
            stub.len() + 30
        );
        let run = cut.run("cut");
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).as_ref()), (Some(2), message.as_str()));
    }
    let attached = ["Subject: a\nContent-Type: application/zip\n\n".as_bytes(), &store::zip(&files(), false)].concat();
    let run = World::new("no-stub").file("m", attached).run("count file m");
    assert_eq!((run.status, run.stdout.as_slice()), (Some(0), &b"2\tm\n"[..]));
}

/// urlspool does not read text files in UTF-16, but prints a hint how to convert them. It reads the body of a message
/// in UTF-16 if the header declares this charset.
#[test]
fn utf_16_without_a_mark_gets_a_hint() {
    let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    let attached = b"Subject: a\nContent-Type: text/plain; charset=utf-16le\n\n";
    let world = World::new("wide")
        .file("little", little("See http://a.example/\r\n"))
        .file("big", big(BOX))
        .file("russian", little("Список рассылки переехал: http://a.example/\r\n"))
        .file("dash", little("See — http://a.example/\r\n"))
        .file("message", [&attached[..], &little("http://a.example/\n")].concat());
    let hint = |name: &str, order: &str| {
        format!(
            "urlspool: {name}: text in UTF-16 is not supported; try `iconv -f utf-16{order} -t utf-8 {name} | urlspool -`\n"
        )
    };
    world.run("little").complains(&hint("little", "le"));
    world.run("russian").complains(&hint("russian", "le"));
    world.run("dash").complains(&hint("dash", "le"));
    world.run("--format mbox big").complains(&hint("big", "be"));
    let piped = world.run_with("", &little("See http://a.example/\r\n"));
    piped.complains("try `(iconv -f utf-16le -t utf-8 | urlspool -)` instead of `urlspool`\n");
    world.run("message").prints(0, "http://a.example/\n");
}

/// An archive counts as a file, and each member that is read counts as another file. If the archive is compressed, its
/// members do not count as compressed.
#[test]
fn statistics_count_members_as_files() {
    let [one, two, hidden] = files();
    let mailbox = ("box.gz".to_owned(), gzip(BOX.as_bytes()));
    let archive = gzip(&store::tar(&[one, two, hidden, mailbox]));
    let world = World::new("counted-members").file("a.tgz", &archive);
    let run = world.run("count file,member --stats a.tgz");
    let want = "6\ta.tgz\tbox.gz\n1\ta.tgz\tinbox/1\n1\ta.tgz\tinbox/2\n";
    assert_eq!(String::from_utf8_lossy(&run.stdout), want);
    let message = String::from_utf8_lossy(&run.stderr).into_owned();
    let fields: Vec<_> = message.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(fields[0], "files 4 1 archive (gzip), 1 mbox (gzip), 2 message");
    assert_eq!(fields[1], "messages 4");
    let run = world.run("--csv --fields file,member,message a.tgz");
    let table = String::from_utf8_lossy(&run.stdout).into_owned();
    let rows: Vec<_> = table.lines().map(|line| line.split(',').collect::<Vec<_>>()).collect();
    assert_eq!(rows[..3], [["file", "member", "message"], ["a.tgz", "inbox/1", "1"], ["a.tgz", "inbox/2", "1"]]);
    assert_eq!(rows[rows.len() - 1], ["a.tgz", "box.gz", "2"]);
}

/// Only one error message is printed for all unreadable members of an archive, but `--stats` counts each of these
/// members.
#[test]
fn statistics_count_unreadable_files() {
    let members = [("a", 98), ("b", 0), ("c", 98), ("d", 14)];
    let zip = members.map(|(name, method)| store::zip_member(name, method, b"http://a.example/\n")).concat();
    let world = World::new("not-read").file("a.zip", zip).file("b", b"7z\xBC\xAF\x27\x1C").file("c", "");
    let table = [("a.zip", 3), ("a.zip gone a.zip", 7), ("b c", 1), ("c", 0)];
    for (paths, count) in table {
        let table = String::from_utf8(world.run(&format!("--stats {paths}")).stderr).unwrap();
        let message = table.lines().find_map(|line| line.strip_prefix("not read"));
        let want = format!("{count:>18}  files and members that could not be read");
        assert_eq!(message, (count > 0).then_some(want.as_str()), "{table}");
    }
}

/// In NNTP's wire format, a dot at the beginning of a line is doubled. The context must show a single dot.
#[test]
fn context_in_wire_format_has_single_dots() {
    let article = "Path: a!b\r\nNewsgroups: a.b\r\nSubject: x\r\nFrom: a\r\n\r\n..before\r\n..http://a.example/\r\n..behind\r\n.\r\n";
    let world = World::new("wire-context").file("a.tar", store::tar(&[("1".to_owned(), article.into())]));
    world.run("--fields context a.tar").prints(0, ".before\\r\\n.http://a.example/\\r\\n.behind\n");
}

#[cfg(unix)]
#[test]
fn links_are_followed_on_request() {
    let world = World::new("follow").file("d/a", "http://a.example/").file("e/b", "http://b.example/");
    std::os::unix::fs::symlink("../e", world.path("d/e")).unwrap();
    std::os::unix::fs::symlink("..", world.path("e/up")).unwrap();
    world.run("d").prints(0, "http://a.example/\n");
    world.run("--follow d").prints(0, "http://a.example/\nhttp://b.example/\n");
}

/// The error names the missing target of the link.
#[cfg(unix)]
#[test]
fn dangling_links_are_reported_with_their_target() {
    let world = World::new("dangling").file("d/a", "http://a.example/");
    std::os::unix::fs::symlink("../gone", world.path("d/b")).unwrap();
    let message = "urlspool: d/b: dangling symbolic link (points to ../gone)\n";
    for (arguments, urls) in [("--follow d", "http://a.example/\n"), ("d/b", ""), ("d/a d/b", "http://a.example/\n")] {
        let run = world.run(arguments);
        assert_eq!(String::from_utf8_lossy(&run.stdout), urls, "{arguments}");
        assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).as_ref()), (Some(2), message), "{arguments}");
    }
    world.run("d/b/c").complains("d/b/c: cannot be opened: No such file");
}

/// A user reported that urlspool read its own output file until the disk was full.
#[cfg(unix)]
#[test]
fn the_output_is_not_read() {
    let mail = "To: c\n\nhttp://a.example/ http://b.example/\n".repeat(3);
    let world = World::new("output").file("d/a.eml", mail).file("d/out.txt", "");
    for arguments in [["-H", "d"], ["-H", "d/out.txt"], ["--json", "d"]] {
        let out = std::fs::File::create(world.path("d/out.txt")).unwrap();
        let child = world.command(arguments).stdout(out).spawn().unwrap();
        let run = finish(child);
        // If the output file is named as an input, urlspool reports an error. If an input directory contains the output
        // file, urlspool skips the output file.
        let (status, message, lines) = match arguments[1] {
            "d" => (0, "", 6),
            _ => (2, "urlspool: d/out.txt: cannot be opened: it is the output of urlspool\n", 0),
        };
        let printed = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!((run.status, printed.as_str()), (Some(status), message), "{arguments:?}");
        let text = std::fs::read_to_string(world.path("d/out.txt")).unwrap();
        assert_eq!(text.lines().count(), lines, "{arguments:?}");
    }
}

/// Until a frame ends, the zstd decoder holds back the last decoded bytes, up to the size of its window. urlspool must
/// also search these bytes.
#[test]
fn truncated_zstd_is_read_as_far_as_it_was_decoded() {
    let mail: String =
        (0..40_000).map(|i| format!("From a Mon Mar  1 10:00:00 2004\nTo: {i}\n\nhttp://a.example/{i}\n\n")).collect();
    let packed = ruzstd::encoding::compress_to_vec(mail.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    let world = World::new("zstd").file("cut.zst", &packed[..packed.len() / 2]);
    let run = world.run("cut.zst");
    let found = run.stdout.iter().filter(|&&byte| byte == b'\n').count();
    assert!((15_000..25_000).contains(&found), "{found}");
    assert_eq!(run.status, Some(2));
}

#[test]
fn each_malformed_archive_is_reported_once() {
    let world = World::new("damaged-tar").file("a.tar", &store::tar(&files())[..520]);
    let run = world.run("-H a.tar");
    let message = "urlspool: a.tar!inbox/1: offset 8: the archive is truncated; everything up to the end of the file \
                   was read\n";
    assert_eq!((run.status, String::from_utf8_lossy(&run.stderr).as_ref()), (Some(2), message));
    let world = World::new("foreign").file("o.dbx", b"\xCF\xAD\x12\xFE");
    world.run("o.dbx").complains("convert it with `readdbx` first");
    let world = World::new("asked").file("a.mbox", "From a@b Mon Jan  1 00:00:00 2001\nTo: c\n\nhttp://a.example/\n");
    let message = "urlspool: a.mbox: offset 0: the file has no message in the requested format; it was read as plain \
                   text; to detect the format, remove --format\n";
    for options in ["--format rnews", "--format rnews -v", "--format babyl -v -j2"] {
        let run = world.run(&format!("{options} a.mbox"));
        assert_eq!((run.status, run.stdout.as_slice()), (Some(0), b"http://a.example/\n".as_slice()));
        assert_eq!(String::from_utf8_lossy(&run.stderr), message, "{options}");
    }
    let stats = world.run("--format rnews --stats a.mbox");
    assert!(String::from_utf8_lossy(&stats.stderr).contains("files                    1  1 text\n"), "{stats:?}");
    let rest = "the first.\n\nFrom a@b Mon Jan  1 00:00:00 2001\nTo: c\nContent-Type: text/html\n\n<a href=http://a.example/?a&amp;b>\n";
    let world = World::new("cut").file("cut.mbox", rest);
    let message = "urlspool: cut.mbox: offset 12: a mailbox begins here, after other text; the whole file was \
                   read as plain text; to read the messages of the mailbox, use --format mbox\n";
    for (options, url, message) in
        [("", "http://a.example/?a&amp;b\n", message), ("--format mbox", "http://a.example/?a&b\n", "")]
    {
        let run = world.run(&format!("{options} cut.mbox"));
        assert_eq!((run.status, String::from_utf8_lossy(&run.stdout).as_ref()), (Some(0), url));
        assert_eq!(String::from_utf8_lossy(&run.stderr), message, "{options}");
    }
}

/// If the list of paths arrives slowly, as from `tail -f`, the URLs of each file are printed before the next path
/// arrives.
#[test]
fn each_path_of_a_slow_list_is_read_at_once() {
    let world = World::new("feed").file("a", "http://a.example/").file("b", "http://b.example/");
    for threads in ["-j1", "-j2"] {
        let mut child = world.command([threads, "--files-from", "-"]).stdin(Stdio::piped()).spawn().unwrap();
        let (mut list, out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut out = BufReader::new(out);
        for name in ["a", "b", "a"] {
            // Some systems end lines in CR LF.
            list.write_all(format!("{name}\r\n").as_bytes()).unwrap();
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            assert_eq!(line, format!("http://{name}.example/\n"));
        }
        drop(list);
        assert!(child.wait().unwrap().success());
    }
    world.run_with("--files-from -", b"a\0\0b").prints(0, "http://a.example/\nhttp://b.example/\n");
}

/// If a file changes while it is read, the URLs that were already read are printed.
#[cfg(unix)]
#[test]
fn files_may_shrink_or_grow_while_they_are_read() {
    use std::fs::OpenOptions;
    let message = |n: usize| format!("From a@b Mon Jan  5 10:00:00 1998\nSubject: {n}\n\nhttp://{n}.example/\n\n");
    let mailbox: String = (0..100_000).map(message).collect();
    for (name, grow) in [("shrinks", false), ("grows", true)] {
        let world = World::new(name).file("box", &mailbox);
        let mut child = world.command(["-j2", "box"]).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, "http://0.example/\n");
        // The output has filled the pipe, so urlspool has not read the whole file yet.
        if grow {
            OpenOptions::new().append(true).open(world.path("box")).unwrap().write_all(message(7).as_bytes()).unwrap();
        } else {
            OpenOptions::new().write(true).open(world.path("box")).unwrap().set_len(10_000).unwrap();
        }
        let lines = out.lines().map(Result::unwrap).enumerate();
        let mut count = 1;
        for (i, line) in lines {
            // If the file shrinks, the last URL can be incomplete.
            assert!(line == format!("http://{}.example/", i + 1) || line == "http://7.example/" || !grow, "{line}");
            count += 1;
        }
        assert!(if grow { count >= 100_000 } else { (1..100_000).contains(&count) }, "{count}");
        assert!(child.wait().unwrap().success());
    }
}

/// A program that makes a tree of directories step by step can make paths that are too long for the system. urlspool
/// reads the rest of such a tree.
#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_too_long_is_reported() {
    let name = "d".repeat(250);
    let world = World::new("too-long").file("top/z", "http://z.example/\n");
    let steps = format!(
        "cd top; for i in $(seq 20); do mkdir {name}; cd {name}; echo http://a.example/$i > a; done 2>/dev/null"
    );
    let made = std::process::Command::new("sh").args(["-c", &steps]).current_dir(world.dir()).status().unwrap();
    assert!(made.success());
    let run = world.run("top");
    let lines = String::from_utf8_lossy(&run.stdout).lines().count();
    let message = String::from_utf8_lossy(&run.stderr).replace(&name, "D");
    let end = "D: cannot be listed: File name too long (os error 36); run urlspool in a directory closer to \
               the file, and give a shorter path\n";
    assert!(message.ends_with(end) && message.lines().count() == 1, "{message}");
    assert!(run.status == Some(2) && (14..20).contains(&lines), "{lines}");
    let removed = std::process::Command::new("rm").args(["-rf", "top"]).current_dir(world.dir()).status().unwrap();
    assert!(removed.success());
}
