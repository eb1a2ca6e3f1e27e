//! Tests `check`.

use crate::world::World;

#[test]
fn components_are_drawn_below_the_url() {
    let world = World::new("check");
    world.run("check http://me:pw@host.example:8080/~a/b?#d").prints(
        0,
        "\
http://me:pw@host.example:8080/~a/b?#d
       ^ not allowed by RFC 1738: user name or password not allowed here at offset 7 (RFC 1738 3.1)
http                                    scheme
       me                               user
          pw                            password
             host.example               host
                          8080          port
                               ~a/b     path
                                        search (empty)
                                     d  fragment
  tier          relaxed
  warning       password
  warning       port-not-default
",
    );
    world.run("check ftp://host/a/b/c;type=i prospero://host/x;k=v").prints(
        0,
        "\
ftp://host/a/b/c;type=i
ftp                      scheme
      host               host
           a             cwd
             b           cwd
               c         name
                      i  typecode
  tier          rfc1738
prospero://host/x;k=v
prospero               scheme
           host        host
                x      hsoname
                  k    field
                    v  field_value
  tier          rfc1738
",
    );
    // The lines below the URL are aligned by characters, not by bytes. If the URL is long, urlspool prints a list
    // instead of aligned lines.
    world.run("check http://host/\u{fc}?b").prints(
        0,
        "\
http://host/\u{fc}?b
            ^ not allowed by RFC 1738: character must be encoded at offset 12 (RFC 1738 2.2)
http             scheme
       host      host
            \u{fc}    path
              b  search
  tier          iri
",
    );
    let long = format!("http://www.example.org/{}", "long/".repeat(12));
    world.run(&format!("check {long}?")).prints(
        0,
        &format!(
            "{long}?\n  scheme        http\n  host          www.example.org\n  path          {}\n  search        \
             (empty)\n  tier          rfc1738\n",
            "long/".repeat(12)
        ),
    );
}

#[test]
fn a_pasted_wrapper_gets_a_hint() {
    let world = World::new("check-wrapper");
    for pasted in ["<URL:http://a.example/>", "<url:http://a.example/", "<http://a.example/>", "URL:http://a.example/"]
    {
        let run = world.run(&format!("check {pasted}"));
        let text = String::from_utf8(run.stdout).unwrap();
        // The texts that begin with `<` are not URLs. The last text is a valid URL, because `URL` can be a scheme.
        assert_eq!(run.status, Some(i32::from(pasted.starts_with('<'))), "{pasted}");
        assert!(
            text.ends_with("  the wrapper is not part of the URL; use urlspool check 'http://a.example/'\n"),
            "{text}"
        );
    }
    assert!(!String::from_utf8(world.run("check <URL:>").stdout).unwrap().contains("wrapper"));
}

#[test]
fn a_caret_marks_the_wrong_byte() {
    let world = World::new("caret");
    let long = format!("http://{}@host:99999/", "a".repeat(70_000));
    let run = world.run(&format!("check {long}"));
    assert!(run.status == Some(1) && run.stdout.len() > long.len(), "{:?}", run.status);
    world.run("check http://host:99999/").prints(
        1,
        "\
http://host:99999/
            ^ port above 65535 at offset 12 (RFC 793 3.1)
",
    );
    world.run("check http: ").prints(
        1,
        "\
http:
     ^ nothing after the scheme at offset 5 (RFC 1738 2.1)
",
    );
    // The caret is aligned by characters, not by bytes. Control characters are escaped.
    world.run("check http://host/\u{fc}<").prints(
        1,
        "\
http://host/\u{fc}<
             ^ character must be encoded at offset 14 (RFC 1738 2.2)
",
    );
    world.run("check http://host/\x1b\x1b").prints(
        1,
        "\
http://host/\\u{1b}\\u{1b}
            ^ character must be encoded at offset 12 (RFC 1738 2.2)
",
    );
}

#[test]
fn the_status_says_whether_all_are_valid() {
    let world = World::new("check-status");
    assert_eq!(world.run("check http://a/ http://b/").status, Some(0));
    assert_eq!(world.run("check http://a/ http:///").status, Some(1));
    assert_eq!(world.run("check --tier rfc1738 http://a/").status, Some(0));
    assert_eq!(world.run("check --tier rfc1738 http://a/~b").status, Some(1));
    assert_eq!(world.run("check --tier rfc1738,relaxed http://a/~b").status, Some(0));
    assert_eq!(world.run("check --tier iri http://a/~b").status, Some(1));
    world
        .run("check --json --tier iri http://a/")
        .prints(1, "{\"url\":\"http://a/\",\"url_bytes\":null,\"valid\":false,\"reason\":\"tier\",\"offset\":0}\n");
}

#[test]
fn urls_are_read_from_standard_input() {
    let world = World::new("check-stdin");
    let valid = |arguments: &str, input: &[u8], status: i32| -> Vec<(String, bool)> {
        let run = world.run_with(&format!("check --json {arguments}"), input);
        assert_eq!(run.status, Some(status), "{arguments}");
        let objects = run.json();
        objects.iter().map(|o| (o["url"].as_str().unwrap().to_owned(), o["valid"].as_bool().unwrap())).collect()
    };
    let pair = |url: &str, valid| (url.to_owned(), valid);
    let input = b"http://a/\r\n\n  \nhttp:///\n-\nhttp://b/ c";
    let want = [pair("http://a/", true), pair("http:///", false), pair("-", false), pair("http://b/ c", false)];
    assert_eq!(valid("-", input, 1), want);
    let want = [pair("http://x/", true), pair("http://a/", true), pair("http://y/", true)];
    assert_eq!(valid("http://x/ - http://y/", b"http://a/\n", 0), want);
    assert_eq!(valid("-", b"", 0), []);
    assert_eq!(valid("--base http://a/b -", b"c\n", 0), [pair("http://a/c", true)]);
}

#[test]
fn json_has_the_names_of_the_components() {
    let world = World::new("check-json");
    let table = [
        (
            "http://me:pw@host.example:8080/~a?b#c",
            r#"{"url":"http://me:pw@host.example:8080/~a?b#c","valid":true,"tier":"relaxed","scheme":"http","user":"me","password":"pw","host":"host.example","port":"8080","path":"~a","search":"b","fragment":"c","target":null,"targets":null,"warnings":["password","port-not-default"]}"#,
        ),
        (
            "FTP://@h/a//n;type=a",
            r#"{"url":"FTP://@h/a//n;type=a","valid":true,"tier":"rfc1738","scheme":"ftp","user":"","host":"h","cwd":["a",""],"name":"n","typecode":"a","fragment":null,"target":null,"targets":null,"warnings":null}"#,
        ),
        (
            "gopher://h/1s%09q%09%2B",
            r#"{"url":"gopher://h/1s%09q%09%2B","valid":true,"tier":"rfc1738","scheme":"gopher","host":"h","gophertype":"1","selector":"s","gopher_search":"q","gopher_plus":"%2B","fragment":null,"target":null,"targets":null,"warnings":null}"#,
        ),
        (
            "mailto:a@b",
            r#"{"url":"mailto:a@b","valid":true,"tier":"rfc1738","scheme":"mailto","addr_spec":"a@b","fragment":null,"target":null,"targets":null,"warnings":null}"#,
        ),
        (
            "news:a.b",
            r#"{"url":"news:a.b","valid":true,"tier":"rfc1738","scheme":"news","newsgroup":"a.b","fragment":null,"target":null,"targets":null,"warnings":null}"#,
        ),
        (
            "news:1@b",
            r#"{"url":"news:1@b","valid":true,"tier":"rfc1738","scheme":"news","message_id":"1@b","fragment":null,"target":null,"targets":null,"warnings":null}"#,
        ),
        (
            "nntp://h/g/7",
            r#"{"url":"nntp://h/g/7","valid":true,"tier":"rfc1738","scheme":"nntp","host":"h","newsgroup":"g","article":"7","fragment":null,"target":null,"targets":null,"warnings":null}"#,
        ),
        (
            "wais://h/d/t/p",
            r#"{"url":"wais://h/d/t/p","valid":true,"tier":"rfc1738","scheme":"wais","host":"h","database":"d","wtype":"t","wpath":"p","fragment":null,"target":null,"targets":null,"warnings":null}"#,
        ),
        (
            "prospero://h/x;a=1;b=",
            r#"{"url":"prospero://h/x;a=1;b=","valid":true,"tier":"rfc1738","scheme":"prospero","host":"h","hsoname":"x","fields":[["a","1"],["b",""]],"fragment":null,"target":null,"targets":null,"warnings":null}"#,
        ),
        ("http:///x", r#"{"url":"http:///x","url_bytes":null,"valid":false,"reason":"empty-host","offset":7}"#),
    ];
    for (url, object) in table {
        let status = i32::from(object.contains(r#""valid":false"#));
        world.run(&format!("check --json {url}")).prints(status, &format!("{object}\n"));
    }
    world.run("check --json --tier rfc1738 http://h/~a").prints(
        1,
        "{\"url\":\"http://h/~a\",\"url_bytes\":null,\"valid\":false,\"reason\":\"character\",\"offset\":9}\n",
    );
}

#[cfg(unix)]
#[test]
fn bytes_that_are_not_utf8_are_base64_in_json() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new("check-bytes");
    let url = std::ffi::OsStr::from_bytes(b"http://h/\xff");
    let child = world.command([std::ffi::OsStr::new("check"), "--json".as_ref(), url]).spawn().unwrap();
    let run = crate::world::finish(child);
    run.prints(
        1,
        "{\"url\":\"http://h/\u{fffd}\",\"url_bytes\":\"aHR0cDovL2gv/w==\",\"valid\":false,\"reason\":\"character\",\"offset\":9}\n",
    );
}

#[test]
fn references_are_resolved_against_the_base() {
    let world = World::new("check-base");
    let urls = |arguments: &str| -> Vec<String> {
        let hits = world.run(&format!("check --json --base http://host/a/b?q {arguments}")).json();
        hits.iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        urls("c ../d /e //f/g ftp://f/"),
        ["http://host/a/c", "http://host/d", "http://host/e", "http://f/g", "ftp://f/"]
    );
    world.run("check ../d").prints(
        1,
        "\
../d
  ^ no scheme at offset 2 (RFC 1738 2.1); to resolve a relative reference, use --base
",
    );
    world.run("check --base http://host/a http:b").prints(
        1,
        "\
http:b
     ^ no // after the scheme at offset 5 (RFC 1738 3.1)
",
    );
    world.run("check --json --base http://host/a ///b").prints(
        1,
        "{\"url\":\"http:///b\",\"url_bytes\":null,\"valid\":false,\"reason\":\"empty-host\",\"offset\":7}\n",
    );
}
