//! Large results become files and descriptors.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, WAIT, WAYS, Way, descriptor, lines, moved, text};

fn records(count: usize) -> Vec<String> {
    let record = |n| {
        format!(r#"{{"id":{n},"price":1.10,"big":12345678901234567890123,"name":"n\u00e9 {n}"}}"#)
    };
    (0..count).map(record).collect()
}

fn path(descriptor: &Value) -> String {
    descriptor["file_path"].as_str().unwrap().to_owned()
}

/// lro-spec-1600, "Remote Transport Proxy":
/// > Normative: A local LRO proxy MUST implement threshold detection and JSONL
/// > materialization as defined in this specification.
///
/// > The proxy MUST NOT alter the memory data received from the remote server; it acts as a
/// > transparent pass-through with local file materialization.
#[test]
fn records_become_lines_as_they_were_spelled_and_a_descriptor() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        let result = client.result(1, "records", &json!({"n": 150}));
        let said = descriptor(&result);
        assert_eq!(said["summary"]["count"], 150);
        assert_eq!(said["summary"]["operation"], "records");
        assert_eq!(said["fields"]["id"], "integer 0-149");
        let stored = std::fs::read_to_string(path(&said)).unwrap();
        let (header, rest) = stored.split_once('\n').unwrap();
        let header: Value = serde_json::from_str(header).unwrap();
        assert_eq!(header["query"], r#"{"n":150}"#, "the arguments of the call");
        assert_eq!(rest.lines().collect::<Vec<_>>(), records(150));
        // Asked and read back, by the tools that the guidance names.
        let question = json!({"file_path": path(&said), "count": true,
            "where": {"field": "id", "op": "<", "value": 7}});
        let found = client.result(2, "lro_extract", &question);
        assert_eq!(text(&found), "7 of 150 records match.");
        let back = client.result(3, "read_tool_result", &json!({"result_id": path(&said)}));
        assert_eq!(text(&back), records(150).join("\n") + "\n", "{way:?}");
    }
}

#[test]
fn guidance_calls_the_tools_as_this_client_has_them() {
    let mut client = Client::new(Way::Child, &[], &["names=lro_extract"]);
    let said = descriptor(&client.result(1, "records", &json!({})));
    let guidance = said["guidance"].as_str().unwrap();
    assert!(guidance.contains("unburden_lro_extract(file_path="), "{guidance}");
    assert!(!guidance.contains(" lro_extract("), "{guidance}");
}

#[test]
fn structured_content_that_repeats_the_text_becomes_the_same_descriptor() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        let result = client.result(1, "both", &json!({}));
        assert_eq!(result["structuredContent"], descriptor(&result));
        assert_eq!(client.files().len(), 1);
    }
}

#[test]
fn structured_content_that_says_something_else_leaves_by_itself() {
    let mut client = Client::new(Way::Child, &[], &[]);
    let answer = client.call(1, "structured", &json!({}));
    let kept = r#"{"jsonrpc":"2.0", "id":1,"result":{"content":[{"type":"text","text":"400 rows"}],"structuredContent":{"offloaded":true,"#;
    assert!(answer.starts_with(kept), "{answer:.300}");
    assert!(answer.ends_with(r#"},"isError":false,"x":1.10},"extra":[ 1.0 ]}"#), "the rest stays");
    let result: Value = serde_json::from_str(&answer).unwrap();
    let stored = std::fs::read_to_string(path(&result["result"]["structuredContent"])).unwrap();
    assert_eq!(stored.lines().skip(1).collect::<Vec<_>>(), records(400));
    let small = client.call(2, "structured", &json!({"n": 3}));
    assert!(small.contains(r#""structuredContent":{"rows":[{"id":0,"price":1.10"#), "{small}");
}

#[test]
fn resources_and_errors_leave_as_what_they_are() {
    let mut client = Client::new(Way::Child, &[], &[]);
    let resource = client.result(1, "resource", &json!({}));
    let block = &resource["content"][0];
    assert_eq!((&block["type"], &block["resource"]["uri"]), (&json!("resource"), &json!("a:b")));
    assert!(moved(block["resource"]["text"].as_str().unwrap()).is_some());
    let failed = client.result(2, "wrong", &json!({}));
    assert_eq!(failed["isError"], true);
    descriptor(&failed);
}

#[test]
fn denied_tools_and_those_that_are_not_allowed_pass() {
    let whole = |client: &mut Client, id| {
        let result = client.result(id, "text", &json!({}));
        text(&result) == lines(400)
    };
    let mut denied = Client::new(Way::Child, &["--deny", "text"], &[]);
    assert!(whole(&mut denied, 1));
    descriptor(&denied.result(2, "records", &json!({})));
    let mut allowed = Client::new(Way::Child, &["--allow", "records"], &[]);
    assert!(whole(&mut allowed, 1));
    descriptor(&allowed.result(2, "records", &json!({})));
    let mut high = Client::new(Way::Child, &["--threshold", "1000000"], &[]);
    assert!(whole(&mut high, 1));
    let mut low = Client::new(Way::Child, &["--threshold", "2000"], &[]);
    assert!(!whole(&mut low, 1));
}

#[test]
fn what_cannot_be_written_passes_as_it_came() {
    let mut client = Client::new(Way::Child, &[], &[]);
    let taken = client.folder.path().join("files");
    std::fs::remove_dir(&taken).unwrap();
    std::fs::write(&taken, "a file where the folder should be").unwrap();
    let result = client.result(1, "text", &json!({}));
    assert_eq!(text(&result), lines(400));
    let said = client.stderr();
    assert_eq!(said.matches("a large result was not offloaded").count(), 1, "{said}");
}

#[test]
fn ten_megabytes_are_no_trouble() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        let result = client.result(1, "big", &json!({}));
        let said = descriptor(&result);
        let stored = std::fs::read_to_string(path(&said)).unwrap();
        assert!(stored == lines(200_000), "the text as it was");
        let peak = client.peak_megabytes();
        println!("{way:?}: {} MB of text, {peak} MB at most", lines(200_000).len() / 1_000_000);
        assert!(peak < 400, "{peak} MB");
    }
}

/// None is answered before all fifty are there. Each fifth of them is large.
#[test]
fn fifty_calls_run_beside_one_another() {
    let arguments = |id: u64| {
        if id.is_multiple_of(5) {
            json!({"seconds": 0, "together": 50, "n": 300 + id})
        } else {
            json!({"seconds": 0, "together": 50, "say": format!("call {id}")})
        }
    };
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        for id in 0..50u64 {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": "slow", "arguments": arguments(id)}});
            client.send(&call.to_string());
        }
        for id in 0..50u64 {
            let answer: Value = serde_json::from_str(&client.answer(&id.to_string())).unwrap();
            if id.is_multiple_of(5) {
                let said = descriptor(&answer["result"]);
                let preview = said["preview"].as_str().unwrap();
                assert!(preview.contains(&format!("[{} lines, ", 300 + id)), "{preview}");
            } else {
                assert_eq!(text(&answer["result"]), format!("call {id}"));
            }
        }
        assert_eq!(client.files().len(), 10);
    }
}

/// lro-spec-1600, "Remote Transport Proxy":
/// > Custodial cleanup of locally materialized files follows the same TTL and cleanup rules
/// > defined in Cleanup and Lifecycle.
#[test]
fn files_expire_and_say_what_made_them() {
    let mut client = Client::start(Way::Child, &[], &[], |command| {
        command.env("UNBURDEN_STORE__SWEEP_SECONDS", "1");
        command.env("UNBURDEN_PROMPT__OFFLOAD__TTL_SECONDS", "2");
    });
    let first = client.initialize();
    client.answer(&first);
    let said = descriptor(&client.result(1, "text", &json!({"n": 400})));
    let over = Instant::now() + WAIT;
    while !client.files().is_empty() {
        assert!(Instant::now() < over, "it did not expire within {WAIT:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let gone = client.result(2, "read_file", &json!({"absolute_path": path(&said)}));
    assert_eq!(gone["isError"], true);
    assert!(text(&gone).contains("text("), "{gone}");
}

#[test]
fn a_descriptor_shows_no_secret_where_the_operator_says_so() {
    let own = "q7Zr2KfX9mWc4TnB6vYh1JpL8sDg3GdRk5Vt";
    let token = ["gh", "p_", own].concat();
    let say = format!("using {token}\n{}", "a quiet line of the log\n".repeat(900));
    for (flags, shown) in [(&[][..], true), (&["--redact"][..], false)] {
        let mut client = Client::new(Way::Child, flags, &[]);
        let said = descriptor(&client.result(1, "slow", &json!({"say": say, "seconds": 0})));
        let preview = said["preview"].as_str().unwrap();
        assert_eq!((preview.contains(own), said.to_string().contains(own)), (shown, shown));
        assert_eq!(preview.contains("[redacted: github-token]"), !shown, "{preview}");
        assert!(std::fs::read_to_string(path(&said)).unwrap().contains(own));
    }
}

/// Some servers return a list with one text block an item: the items are one result. Blocks that
/// are no records of one list are results of their own.
#[test]
fn blocks_are_one_result_only_if_they_are_its_records() {
    let array = |key: &str, count: usize| {
        let of = |n| format!(r#"{{"{key}":{n},"state":"a word that takes some room"}}"#);
        format!("[{}]", (0..count).map(of).collect::<Vec<_>>().join(","))
    };
    let object = |key: &str, count| format!(r#"{{"{key}s":{}}}"#, array(key, count));
    let small = || r#"{"error":"rate limited"}"#.to_owned();
    let mut client = Client::new(Way::Child, &[], &["names=blocks"]);
    let mut id = 0;
    let mut blocks = |texts: &[String]| {
        id += 1;
        let result = client.result(id, "blocks", &json!({"texts": texts}));
        result["content"].as_array().unwrap().clone()
    };
    let described =
        |block: &Value| -> Value { serde_json::from_str(block["text"].as_str().unwrap()).unwrap() };
    for (texts, counts) in [
        (vec![array("order", 900), array("invoice", 400)], vec![Some(900), Some(400)]),
        (vec![array("order", 900), array("order", 900)], vec![Some(900), Some(900)]),
        (vec![object("order", 900), object("invoice", 300)], vec![Some(900), Some(300)]),
        (vec![small(), array("order", 900)], vec![None, Some(900)]),
        (vec![small(), object("order", 900)], vec![None, Some(900)]),
        (vec![small(), small(), small(), object("order", 900)], vec![None, None, None, Some(900)]),
        ((0..900).map(|n| format!("{{\"order\":{n}}}")).collect(), vec![Some(900)]),
        ((0..4_000).map(|n| n.to_string()).collect(), vec![Some(4_000)]),
    ] {
        let content = blocks(&texts);
        assert_eq!(content.len(), counts.len(), "{content:?}");
        for ((block, text), count) in content.iter().zip(&texts).zip(counts) {
            match count {
                Some(count) => assert_eq!(described(block)["summary"]["count"], count, "{block}"),
                None => assert_eq!(block["text"], *text),
            }
        }
    }
}
