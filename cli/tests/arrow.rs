//! Tests `--arrow` by its messages. The Python tests compare the rows with those of `--parquet`, and
//! `tests/data_tools.py` reads them with other programs.

use crate::world::World;

/// Returns the table type of each message of a stream, and the length of its body. Fails if the stream has no end mark.
fn messages(mut stream: &[u8]) -> Vec<(u8, usize)> {
    let number = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut messages = Vec::new();
    loop {
        assert_eq!(stream[..4], [0xff; 4]);
        let size = number(stream, 4);
        if size == 0 {
            assert_eq!(stream.len(), 8);
            return messages;
        }
        assert_eq!(size % 8, 0);
        // The head is a FlatBuffers table: an offset to it, and from it an offset back to the places of its fields.
        let head = &stream[8..8 + size];
        let table = number(head, 0);
        let places = table - number(head, table);
        let place = |field: usize| {
            table + usize::from(u16::from_le_bytes([head[places + 4 + 2 * field], head[places + 5 + 2 * field]]))
        };
        let body = number(head, place(3));
        assert_eq!(body % 8, 0);
        messages.push((head[place(1)], body));
        stream = &stream[8 + size + body..];
    }
}

const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;

#[test]
fn a_stream_has_a_schema_its_batches_and_an_end() {
    let world = World::with_box("arrow");
    let batch = |options: &str| match &messages(&world.run(&format!("--arrow {options} box")).stdout)[..] {
        [(SCHEMA, 0), (RECORD_BATCH, size)] => *size,
        other => panic!("{options}: {other:?}"),
    };
    assert!(batch("") > batch("-m1") && batch("-m1") > batch("-m1 --fields url"));
    assert!(batch("-u --sort --fields url") > 100);
    assert_eq!(messages(&world.run("--arrow --scheme irc box").stdout), [(SCHEMA, 0)]);
    world.run("--arrow -o urls box").prints(0, "");
    assert_eq!(messages(&std::fs::read(world.path("urls")).unwrap()).len(), 2);
}

#[test]
fn batches_do_not_depend_on_the_threads() {
    let message =
        |n: usize| format!("From a@b Mon Jan  1 00:00:00 2001\nSubject: {n}\n\n{}\n", "http://a.example/ ".repeat(9));
    let world = World::new("arrow-threads").file("large", (0..4_000).map(message).collect::<String>());
    let stream = world.run("--arrow -j1 large").stdout;
    assert!(messages(&stream).len() > 3, "{:?}", messages(&stream));
    for options in ["-j2", "-j5"] {
        assert!(world.run(&format!("--arrow {options} large")).stdout == stream, "{options}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_an_error() {
    let world = World::with_box("arrow-full");
    world.run("--arrow -o /dev/full box").complains("No space left on device");
    world
        .run("--arrow --state state box")
        .complains("each --state run would append another; remove --state or --arrow");
}
