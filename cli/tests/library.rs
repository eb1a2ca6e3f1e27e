//! Checks that the iterators of the library find the same URLs as the command.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use urlspool::{Error, ErrorKind, Extractor, Hit};

use crate::world::{Run, World};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(name).canonicalize().unwrap()
}

/// Returns the JSON output of the command for the whole corpus.
fn printed(world: &World, options: &str) -> Vec<String> {
    let Run { status, stdout, .. } = world.run(&format!("{options} --json {}", corpus("").display()));
    assert_eq!(status, Some(0));
    String::from_utf8(stdout).unwrap().lines().map(str::to_owned).collect()
}

fn json(hit: Result<Hit, Error>) -> String {
    serde_json::to_string(&hit.unwrap()).unwrap()
}

#[test]
fn the_iterator_returns_the_objects_of_json() {
    let world = World::new("library-json");
    let defanged = Extractor::new().set("defanged", "true").unwrap();
    for (extractor, options) in [(Extractor::new(), ""), (defanged, "--defanged")] {
        let want = printed(&world, options);
        assert!(want.len() > 1000, "{}", want.len());
        for threads in [1, 3] {
            let got: Vec<_> = extractor.clone().threads(threads).paths([corpus("")]).map(json).collect();
            assert_eq!(got.len(), want.len(), "{options}, {threads} threads");
            for (got, want) in got.iter().zip(&want) {
                assert_eq!(got, want, "{options}, {threads} threads");
            }
        }
    }
}

#[test]
fn a_stream_returns_the_hits_of_its_file() {
    for entry in fs::read_dir(corpus("mbox")).unwrap() {
        let path = entry.unwrap().path();
        let want: Vec<_> = Extractor::new().open(&path).unwrap().map(json).collect();
        let stream = Extractor::new().read(File::open(&path).unwrap()).name(&path);
        assert_eq!(stream.map(json).collect::<Vec<_>>(), want, "{}", path.display());
    }
}

#[test]
fn messages_return_the_hits_of_the_iterator() {
    let hits: Vec<_> = Extractor::new().paths([corpus("")]).map(Result::unwrap).collect();
    let mut messages = 0;
    let mut of_messages = Vec::new();
    let mut end = (PathBuf::new(), None, 0);
    for message in Extractor::new().paths([corpus("")]).messages() {
        let message = message.unwrap();
        let range = message.range();
        let (file, member) = message.input().map(|input| (input.name(), input.member().map(<[u8]>::to_vec))).unwrap();
        let is_same_file = (end.0.as_path(), &end.1) == (file, &member);
        assert!(!is_same_file || end.2 <= range.start, "{}: {range:?}", file.display());
        for hit in message.hits() {
            assert!(range.start <= hit.offset() && hit.offset() + hit.length() <= range.end, "{hit:?}");
            assert_eq!(hit.message_id().map(String::from_utf8_lossy).as_deref(), message.message_id().as_deref());
            assert_eq!((hit.message(), hit.timestamp()), (message.number(), message.timestamp()));
            for piece in hit.pieces() {
                assert!(range.start <= piece.start && piece.start < piece.end && piece.end <= range.end, "{hit:?}");
            }
        }
        end = (file.to_path_buf(), member, range.end);
        of_messages.extend(message.hits().to_vec());
        messages += 1;
    }
    assert!(messages > 100, "{messages}");
    assert_eq!(of_messages, hits.into_iter().filter(|hit| hit.message().is_some()).collect::<Vec<_>>());
}

#[test]
fn the_hits_of_parts_are_in_their_text() {
    let (mut in_parts, mut in_bodies) = (0, 0);
    for message in Extractor::new().paths([corpus("")]).messages() {
        let message = message.unwrap();
        let in_body = |hit: &&Hit| hit.header().is_none() && hit.element().is_none() && hit.exact();
        in_bodies += message.hits().iter().filter(in_body).count();
        message.parts(|part| {
            if part.is_html() {
                in_bodies -= message.hits().iter().filter(in_body).filter(|hit| hit.part() == part.section()).count();
            }
            for (hit, pieces) in part.hits() {
                assert_eq!(hit.part(), part.section());
                let text: Vec<u8> = pieces.iter().flat_map(|piece| part.text()[piece.clone()].to_vec()).collect();
                let is_same = text == hit.url().as_bytes() || hit.alternatives().iter().any(|other| other.url == text);
                assert!(is_same, "{}: {hit:?}", String::from_utf8_lossy(&text));
                let stored = part.stored(pieces[0].start..pieces[pieces.len() - 1].end);
                assert_eq!(stored, hit.offset()..hit.offset() + hit.length(), "{hit:?}");
                in_parts += usize::from(hit.exact());
            }
        });
    }
    // A URL that was changed to the text that a program or writer meant is not in the text of its part.
    assert!(
        in_parts <= in_bodies && in_bodies - in_parts < in_bodies / 10,
        "{in_parts} in parts, {in_bodies} in bodies"
    );
}

#[test]
fn the_pieces_of_a_plain_message_make_up_its_url() {
    let mut rejoined = 0;
    for entry in fs::read_dir(corpus("mail")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        for hit in Extractor::new().message(&bytes).iter().filter(|hit| hit.rejoined() && hit.exact()) {
            let piece = |piece: std::ops::Range<u64>| &bytes[piece.start as usize..piece.end as usize];
            let text: Vec<u8> = hit.pieces().into_iter().map(piece).collect::<Vec<_>>().concat();
            // If urlspool has decoded a transfer encoding or removed a hyphen, the bytes in the file differ from the
            // URL.
            if text == hit.url().as_bytes() {
                assert!(hit.pieces().len() > 1, "{}: {hit:?}", path.display());
                rejoined += 1;
            }
        }
    }
    assert!(rejoined > 10, "{rejoined}");
}

#[test]
fn an_input_that_is_not_read_to_its_end_is_an_error() {
    let world = World::new("library-errors").file("a.txt", "http://a.example/\n").file("z.txt", "http://z.example/\n");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, "http://b.example/\n".repeat(10_000).as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let world = world.file("b.txt.gz", &gzip[..gzip.len() / 2]).file("c.7z", b"7z\xBC\xAF\x27\x1C");
    for threads in [1, 2] {
        let paths = ["a.txt", "missing", "b.txt.gz", "c.7z", "z.txt"].map(|name| world.path(name));
        let found: Vec<_> = Extractor::new().threads(threads).paths(paths).collect();
        let kinds: Vec<_> = found.iter().filter_map(|found| found.as_ref().err()).map(Error::kind).collect();
        assert_eq!(kinds, [ErrorKind::Open, ErrorKind::Incomplete, ErrorKind::Unsupported], "{threads}");
        assert!(found.first().unwrap().is_ok() && found.last().unwrap().is_ok() && found.len() > 100, "{threads}");
        // `collect` stops at the first error.
        let all = Extractor::new().paths([world.path("b.txt.gz")]).collect::<Result<Vec<Hit>, _>>();
        assert_eq!(all.unwrap_err().kind(), ErrorKind::Incomplete);
        let mut messages = Extractor::new().paths([world.path("b.txt.gz")]).messages();
        assert_eq!(messages.next().unwrap().unwrap_err().kind(), ErrorKind::Incomplete);
    }
    assert_eq!(Extractor::new().open(world.path("missing")).unwrap_err().kind(), ErrorKind::Open);
}

#[test]
fn an_iterator_that_is_dropped_ends_its_threads() {
    let world = World::new("library-drop").file("many", "http://a.example/\n".repeat(200_000));
    for taken in [0, 1, 5000] {
        let mut hits = Extractor::new().threads(3).paths(vec![world.path("many"); 20]);
        assert_eq!(hits.by_ref().take(taken).count(), taken);
    }
}
