//! `/lro_extract`: questions about the records of a file, and that every answer is
//! right, bounded, and says how to go on.

use serde_json::{Value, json};

use crate::app::{TestApp, split};
use crate::asking::{Said, memories, memory};
use crate::history::array;
use crate::skips::shared;

/// So many memories, offloaded; the path of their file.
fn offloaded(app: &TestApp, count: usize) -> String {
    app.offload_records(&memories(count, "full"), &json!({"threshold_tokens": 100})).path()
}

fn ids(said: &Said) -> Vec<String> {
    let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
    said.get("records").as_array().unwrap().iter().map(id).collect()
}

#[test]
fn a_condition() {
    let app = TestApp::new();
    let path = offloaded(&app, 120);
    let matching = |test: &dyn Fn(usize, &Value) -> bool| {
        (0..120).filter(|n| test(*n, &memory(*n))).count() as u64
    };
    for (condition, expected) in [
        (json!({"namespace": "_procedural"}), matching(&|n, _| n % 4 == 3)),
        (json!({"field": "namespace", "op": "starts_with", "value": "_semantic"}), 60),
        (
            json!({"field": "content", "op": "contains", "value": "SERVICE 3"}),
            matching(&|n, _| n % 7 == 3),
        ),
        (json!({"field": "provenance.confidence", "op": ">", "value": 0.5}), 60),
        (json!({"field": "provenance.confidence", "op": ">=", "value": 0.55}), 60),
        (json!({"field": "tags", "op": "=", "value": "TAG"}), 60),
        (json!({"field": "title", "op": "matches", "value": "fact \\d$"}), 10),
        (json!({"field": "id", "op": "in", "value": ["mem-0003", "mem-0004", "no"]}), 2),
        (json!({"field": "entities", "op": "exists", "value": true}), 120),
        (
            json!({"all": [{"field": "memory_type", "op": "=", "value": "semantic"},
                {"any": [{"field": "id", "op": "<", "value": "mem-0010"},
                         {"not": {"field": "id", "op": "<", "value": "mem-0110"}}]}]}),
            matching(&|n, _| n % 3 == 0 && !(10..110).contains(&n)),
        ),
        (json!({"not": {"field": "status", "op": "=", "value": "active"}}), 0),
    ] {
        let said = app.extract(&path, &json!({"where": condition, "count": true}));
        assert_eq!(said.get("count"), expected, "{condition}");
        assert_eq!(said.get("records_total"), 120);
        assert!(said.answer.starts_with(&format!("{expected} of 120 ")), "{}", said.answer);
        assert_eq!(said.raw("records"), None, "a count lists nothing");
    }
}

#[test]
fn an_offset_beyond_all_outputs_has_no_answer() {
    let app = TestApp::new();
    let path = offloaded(&app, 3);
    let said = app.extract(&path, &json!({"query": ".id", "offset": u64::MAX}));
    assert_eq!(said.get("records"), json!([]));
}

#[test]
fn what_stands_beside_a_condition() {
    let app = TestApp::new();
    let path = offloaded(&app, 120);
    let said = app.extract(
        &path,
        &json!({"where": {"namespace": "_procedural"}, "select": ["id", "provenance.confidence"],
                "sort_by": "-provenance.confidence,id", "limit": 2}),
    );
    assert_eq!(
        said.raw("records").unwrap(),
        r#"[{"id":"mem-0019","provenance.confidence":0.95},{"id":"mem-0039","provenance.confidence":0.95}]"#
    );
    assert_eq!((said.get("count"), said.get("next_offset")), (json!(30), json!(2)));
    let said = app.extract(&path, &json!({"group_by": "namespace"}));
    let groups = said.get("groups");
    assert_eq!(groups.as_array().unwrap().len(), 4);
    assert!(groups.as_array().unwrap().iter().all(|group| group["count"] == 30), "{groups}");
    let said = app.extract(
        &path,
        &json!({"group_by": "memory_type", "where": {"field": "id", "op": "<", "value": "mem-0003"}}),
    );
    assert_eq!(said.get("groups").as_array().unwrap().len(), 3);
    let said = app.extract(&path, &json!({"count": true}));
    assert_eq!(said.get("count"), 120);
    let said = app.extract(&path, &json!({"select": ["id"], "limit": 3}));
    assert_eq!(ids(&said), ["mem-0000", "mem-0001", "mem-0002"]);
}

#[test]
fn which_of_many_ids_exist() {
    let app = TestApp::new();
    let path = offloaded(&app, 120);
    let said =
        app.extract(&path, &json!({"ids": ["mem-0001", "mem-9999", "mem-0119", "mem-0001"]}));
    assert_eq!(said.get("present"), json!(["mem-0001", "mem-0119"]));
    assert_eq!(said.get("absent"), json!(["mem-9999"]));
    assert!(said.answer.contains("2 of 3 ids are present") && said.answer.contains("mem-9999"));
    let said = app.extract(
        &path,
        &json!({"ids": ["Caching, fact 7"], "id_field": "title", "select": ["id"]}),
    );
    assert_eq!(ids(&said), ["mem-0007"]);
}

#[test]
fn a_filter_of_jq() {
    let app = TestApp::new();
    let path = offloaded(&app, 120);
    for (question, answer) in [
        (json!({"query": "select(.id == \"mem-0005\") | .title"}), "\"Caching, fact 5\""),
        (json!({"query": "length", "slurp": true}), "120"),
        (
            json!({"query": "map(select(.namespace | startswith($p))) | length", "slurp": true,
                "params": {"p": "_semantic"}}),
            "60",
        ),
        (json!({"query": "select(false)"}), "The filter gave no output."),
    ] {
        assert_eq!(app.extract(&path, &question).answer, answer, "{question}");
    }
    let said = app.extract(&path, &json!({"query": ".id", "limit": 2, "offset": 3}));
    assert_eq!(said.raw("records"), Some(r#"["mem-0003","mem-0004"]"#));
    assert_eq!((said.get("count"), said.get("next_offset")), (json!(120), json!(5)));
}

/// A filter for the whole set gets it, and the first line says so.
#[test]
fn a_filter_of_the_whole_set() {
    let app = TestApp::new();
    let path = offloaded(&app, 120);
    for (question, last) in [
        (json!({"query": "length"}), "120"),
        (json!({"query": "map(select(.id == \"mem-0005\")) | length"}), "1"),
        (json!({"query": "[.[] | .id] | .[length/2]"}), "\"mem-0060\""),
        (json!({"query": format!("jq 'length' {path}")}), "120"),
    ] {
        let said = app.extract(&path, &question);
        let lines: Vec<&str> = said.answer.lines().collect();
        assert!(lines[0].contains("array of all 120 records"), "{}", said.answer);
        assert!(lines[0].contains("`slurp: false`"), "{}", said.answer);
        assert_eq!(lines.last(), Some(&last), "{question}");
        assert!(said.get("notes").to_string().contains("array of all"), "{}", said.envelope);
    }
    let each = app.extract(&path, &json!({"query": "length", "slurp": false, "limit": 1}));
    assert!(!each.answer.starts_with("Note"), "{}", each.answer);
    let wrong = app.extract_refusal(&path, &json!({"query": "map(.id)", "slurp": false}));
    assert!(wrong.contains("slurp: true"), "{wrong}");
}

/// The command of a recipe is run with its flags.
#[test]
fn a_shell_command() {
    let app = TestApp::new();
    let path = offloaded(&app, 120);
    let command = format!("tail -n +2 {path} | jq -r '.id' | head -2");
    let said = app.extract(&path, &json!({"query": command}));
    assert!(said.answer.starts_with("Note: of the shell command"), "{}", said.answer);
    assert!(said.answer.contains("\nmem-0000\nmem-0001\n[2 of 120 shown"), "{}", said.answer);
    let inputs = json!({"query": "jq -n '[inputs.id] | length' \"$FILE\""});
    assert!(app.extract(&path, &inputs).answer.ends_with("\n120"));
    for (question, word) in [
        (json!({"query": "jq '.id' /etc/passwd"}), "another file, `/etc/passwd`"),
        (json!({"query": "jq '.id' | sort | uniq -c"}), "group_by"),
        (json!({"query": "jq -s length", "slurp": false}), "-s"),
    ] {
        let refusal = app.extract_refusal(&path, &question);
        assert!(refusal.contains(word), "{question}: {refusal}");
    }
}

/// The elements of an array that is the only output are paged as outputs are.
#[test]
fn a_page_of_one_array() {
    let app = TestApp::new();
    let path = offloaded(&app, 120);
    let all = json!({"query": "map(.id)", "slurp": true, "limit": 3, "offset": 4});
    let said = app.extract(&path, &all);
    assert_eq!(said.raw("records"), Some(r#"["mem-0004","mem-0005","mem-0006"]"#));
    assert_eq!((said.get("count"), said.get("next_offset")), (json!(120), json!(7)));
    assert!(said.answer.contains("[3 of 120 shown; offset=7 for more]"), "{}", said.answer);
    let last = json!({"query": "map(.id)", "slurp": true, "offset": 118});
    let said = app.extract(&path, &last);
    assert_eq!((said.get("count"), said.get("next_offset")), (json!(120), json!(null)));
    // One that does not fit, without a page asked for.
    let said = app.extract(&path, &json!({"query": ".", "slurp": true, "max_tokens": 700}));
    assert_eq!(said.get("count"), 120);
    assert!(said.get("next_offset").as_u64() > Some(1), "{}", said.envelope);
    let whole = app.extract(&path, &json!({"query": "map(.id)", "slurp": true}));
    assert!(whole.answer.starts_with("[\"mem-0000\""), "{}", whole.answer);
}

/// Answers that were wrong without a word.
#[test]
fn a_condition_is_read_as_it_is_meant() {
    let app = TestApp::new();
    let records: Vec<Value> = (0..60)
        .map(|n| {
            json!({"key": format!("K-{n}"), "ios_version": format!("{}.{}.1", n % 15, n % 2),
                "created": format!("2025-0{}-14T{:02}:30:00Z", 4 + n % 3, n % 24),
                "priority": n % 5, "due": if n % 4 == 0 { json!(null) } else { json!(n) },
                "events": [{"status": "delivered", "location": "Oslo"},
                    {"status": if n < 7 { "delivered" } else { "lost" }, "location": "Rome"}]})
        })
        .collect();
    let path = app.offload_records(&Value::from(records).to_string(), &json!({})).path();
    for (condition, expected, note) in [
        (
            json!({"events.status": "delivered", "events.location": "Rome"}),
            7,
            "met by one element of events",
        ),
        (json!({"ios_version": {">=": "13"}}), 8, "as versions"),
        (json!({"field": "created", "op": "<=", "value": "2025-05-14"}), 40, "as dates"),
        (json!({"created": "2025-05-14"}), 20, "as dates"),
        (json!({"created": "May 2025"}), 20, "as dates"),
        (json!({"field": "priority", "op": ">=", "value": "4"}), 12, "read as a number"),
        (json!({"priority": {"$gte": 4}}), 12, ""),
        (json!({"field": "due", "op": "exists"}), 60, ""),
        (json!({"field": "due", "op": "is_null"}), 15, ""),
        (json!({"events.location": "oslo"}), 0, "\"Oslo\" (60)"),
    ] {
        let said = app.extract(&path, &json!({"where": condition, "count": true}));
        assert_eq!(said.get("count"), expected, "{condition}: {}", said.answer);
        assert!(said.answer.contains(note), "{condition}: {}", said.answer);
    }
    let said = app.extract(&path, &json!({"ids": ["K-1", "K-9", "k-2"], "where": {"priority": 1}}));
    assert!(
        said.answer.starts_with(
            "1 of 3 ids is present and meets the condition. Present, but not meeting it: K-9. \
             Absent: k-2."
        ),
        "{}",
        said.answer
    );
    assert!(said.answer.contains("the ids are values of key"), "{}", said.answer);
    assert!(said.answer.contains("near \"k-2\": \"K-2\""), "{}", said.answer);
    let said = app.extract(&path, &json!({"sort_by": "-due", "limit": 1}));
    assert!(said.answer.contains("15 records without due come last"), "{}", said.answer);
}

#[test]
fn exactly_one_question_at_a_time() {
    let app = TestApp::new();
    let path = offloaded(&app, 50);
    let parts = [
        ("recipe", json!(1)),
        ("query", json!(".")),
        ("where", json!({"id": "x"})),
        ("ids", json!(["x"])),
    ];
    for (at, (name, value)) in parts.iter().enumerate() {
        for (other, given) in &parts[at + 1..] {
            let mut question = json!({});
            question[*name] = value.clone();
            question[*other] = given.clone();
            if (*name, *other) == ("where", "ids") {
                // Which of these ids meet the condition: one question.
                continue;
            }
            let refusal = app.extract_refusal(&path, &question);
            assert!(refusal.contains(name) && refusal.contains(other), "{refusal}");
            assert!(refusal.contains("exactly one of"), "{refusal}");
        }
    }
    let refusal = app.extract_refusal(&path, &json!({}));
    for (name, _) in parts {
        assert!(refusal.contains(name), "{refusal}");
    }
}

#[test]
fn mistakes_are_answered_with_what_was_meant() {
    let app = TestApp::new();
    let path = offloaded(&app, 50);
    for (question, words) in [
        (json!({"where": {"namespce": "x"}}), vec!["namespce", "nearest", "namespace"]),
        (json!({"where": {"confidence": 1}}), vec!["provenance.confidence"]),
        (json!({"group_by": "memorytype"}), vec!["memory_type"]),
        (json!({"select": ["titel"]}), vec!["title"]),
        (json!({"ids": ["x"], "id_field": "uuid"}), vec!["uuid", "accepted"]),
        (json!({"where": {"field": "id", "op": "like", "value": "x"}}), vec!["like", "contains"]),
        (json!({"where": {"provenance.confidence": "high"}}), vec!["numbers such as", "\"high\""]),
        (json!({"where": "status = 'active' or not id"}), vec!["{\"sql\": \"SELECT * FROM"]),
        (json!({"query": ".", "count": true}), vec!["count", "without effect", "length"]),
        (json!({"where": {"id": "x"}, "id_field": "id"}), vec!["id_field", "without effect"]),
        (json!({"recipe": 1, "slurp": true}), vec!["slurp", "without effect"]),
        (json!({"count": true, "limit": 5}), vec!["limit", "no effect", "leave one"]),
        (json!({"count": true, "filter": "status=active"}), vec!["\"where\": \"status=active\""]),
        (
            json!({"where": {"field": "id", "op": "matches", "value": "("}}),
            vec!["regular expression", "character"],
        ),
        (json!({"where": 7}), vec!["where", "accepted"]),
        (json!({"query": "select(.id == "}), vec!["character", "^"]),
        (json!({"query": ".id | slect(.)"}), vec!["slect", "nearest", "select", "character"]),
        (json!({"query": ".id.x"}), vec!["record 0"]),
        (json!({"query": 7}), vec!["query", "string"]),
        (json!({"query": ".", "params": 7}), vec!["params", "object"]),
        (json!({"recipe": 11}), vec!["recipe", "1 to 10"]),
        (
            json!({"query": ".id == $word", "params": {"wor": 1, "word": 2}}),
            vec!["\"wor\", which the filter does not use", "$wor"],
        ),
        (
            json!({"query": ".[] | $a / (.id | length - 8)", "params": {"a": 1}}),
            vec!["divi", "zero"],
        ),
        (json!({"where": {"id": "x"}, "limit": -1}), vec!["limit", "whole number"]),
        (json!({"query": ".", "max_tokens": -1}), vec!["max_tokens"]),
    ] {
        let refusal = app.extract_refusal(&path, &question);
        for word in words {
            assert!(refusal.contains(word), "{question}: {word}: {refusal}");
        }
        assert!(refusal.len() < 1_000, "{refusal}");
    }
}

#[test]
fn paging_reaches_every_record_exactly_once() {
    let app = TestApp::new();
    let path = offloaded(&app, 120);
    let expected: Vec<String> = (0..120).map(|n| format!("mem-{n:04}")).collect();
    for (question, max_tokens) in [
        (json!({"select": ["id"]}), 60),
        (json!({"where": {"field": "id", "op": "exists", "value": true}}), 700),
        (json!({"query": "{id}"}), 60),
        (json!({"query": "."}), 700),
        (json!({"recipe": 4}), 150),
    ] {
        let (mut found, mut offset, mut pages) = (Vec::new(), json!(0), 0);
        while !offset.is_null() {
            let mut page = question.clone();
            page["offset"] = offset.clone();
            page["max_tokens"] = json!(max_tokens);
            let said = app.extract(&path, &page);
            assert!(said.answer.len() < max_tokens * 8, "{}", said.answer.len());
            found.extend(ids(&said));
            let next = said.get("next_offset");
            assert_eq!(next.is_null(), said.get("truncated") == false, "{}", said.envelope);
            assert!(next.is_null() || next.as_u64() > offset.as_u64(), "{next}");
            assert!(next.is_null() || said.answer.contains(&format!("offset={next}")));
            offset = next;
            pages += 1;
        }
        assert_eq!(found, expected, "{question}");
        assert!(pages > 5, "{question}: {pages}");
    }
}

#[test]
fn a_record_that_is_larger_than_any_answer_is_gone_past() {
    let app = TestApp::new();
    let records: Vec<Value> = (0..9)
        .map(|n| json!({"id": n, "text": "word ".repeat(if n == 4 { 9_000 } else { 3 })}))
        .collect();
    let path = app.offload_records(&Value::from(records).to_string(), &json!({})).path();
    for question in [json!({"select": ["id", "text"]}), json!({"query": "."})] {
        let (mut found, mut offset) = (Vec::new(), json!(0));
        while !offset.is_null() {
            let mut page = question.clone();
            page["offset"] = offset.clone();
            page["max_tokens"] = json!(300);
            let said = app.extract(&path, &page);
            assert!(said.answer.len() < 3_000);
            let records = said.get("records");
            found.extend(records.as_array().into_iter().flatten().map(|r| r["id"].clone()));
            offset = said.get("next_offset");
        }
        assert_eq!(Value::from(found), json!([0, 1, 2, 3, 5, 6, 7, 8]), "{question}");
    }
}

#[test]
fn an_answer_is_bounded_without_being_asked_to() {
    let app = TestApp::new();
    let path = offloaded(&app, 3_000);
    for question in [
        json!({"select": ["id", "content"]}),
        json!({"query": "."}),
        json!({"query": ".", "slurp": true}),
        json!({"group_by": "id"}),
        json!({"recipe": 4}),
        json!({"query": "[range(100000000)]"}),
        json!({"query": "repeat(1)"}),
    ] {
        let body = {
            let mut body = question.clone();
            body["file_path"] = json!(path);
            body.to_string()
        };
        let envelope = match app.service.lro_extract(body.as_bytes()) {
            Ok(answer) => answer.into_json(),
            Err(error) => error.to_string(),
        };
        assert!(envelope.len() < 200_000, "{question}: {}", envelope.len());
    }
}

#[tokio::test]
async fn files_that_cannot_be_asked() {
    let app = TestApp::new();
    let there = offloaded(&app, 50);
    std::fs::create_dir(app.folder().join("folder")).unwrap();
    std::fs::write(app.folder().join("words.txt"), "no records at all\n").unwrap();
    std::fs::write(app.folder().join("bytes.bin"), [0xff, 0xfe, 0]).unwrap();
    std::fs::write(app.folder().join("cut.jsonl"), &app.content(&there)[..2_000]).unwrap();
    let ask = async |path: &str| {
        let body = json!({"file_path": path, "count": true}).to_string();
        let reply = app.post("/lro_extract", body).await;
        let error = reply.json["metadata"]["error"].clone();
        let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        (reply.status.as_u16(), text("code"), text("message").replace(path, "PATH"))
    };
    let (status, code, missing) =
        ask("/workspace/lro/lro-x-01JDA2X3Y4Z5A6B7C8D9E0F1G2.jsonl").await;
    assert_eq!((status, code.as_str()), (404, "file_not_found"), "{missing}");
    for outside in ["/etc/passwd", "/workspace/../etc/passwd", "/etc/no-such-file"] {
        assert_eq!(ask(outside).await, (404, code.clone(), missing.clone()), "{outside}");
    }
    let (status, _, message) = ask("/workspace/words.txt").await;
    assert!(
        status == 422 && message.contains("holds no records") && message.contains("read_file"),
        "{message}"
    );
    std::fs::write(app.folder().join("nan.json"), "[{\"n\": NaN}]").unwrap();
    let (_, code, message) = ask("/workspace/nan.json").await;
    let damage = "its JSON is damaged (expected value at line 1 column 8)";
    assert!(code == "no_records" && message.contains(damage), "{message}");
    let (status, _, message) = ask("/workspace/bytes.bin").await;
    assert!(status == 422 && message.contains("text"), "{status} {message}");
    let (status, _, message) = ask("/workspace/folder").await;
    assert!(status == 422, "{status} {message}");
    let (status, code, message) = ask("/workspace/cut.jsonl").await;
    assert_eq!((status, code.as_str()), (422, "records_damaged"), "{message}");
    assert!(message.contains("50"), "says how many there should be: {message}");
}

/// The lines of a file that are whole are read, and the answer names the others.
#[tokio::test]
async fn damaged_lines_are_named_next_to_what_is_read() {
    let app = TestApp::new();
    let good: String = (0..9).map(|n| format!("{{\"n\":{n}}}\n")).collect();
    for (file, text, count, note) in [
        ("cut.jsonl", format!("{good}{{\"n\":"), 9, "line 10 is damaged"),
        ("nan.json", format!("{{\"n\":NaN}}\n{good}"), 9, "line 1 is damaged"),
        ("array.json", format!("[{}", "{\"n\":1},\n".repeat(9) + "{\"n\":"), 9, "element 10 is"),
        ("mid.log", format!("{good}{{\"n\":\n{{\"n\":NaN}}\n{good}"), 18, "lines 10, 11 are"),
    ] {
        std::fs::write(app.folder().join(file), &text).unwrap();
        let body = json!({"file_path": format!("/workspace/{file}"), "count": true}).to_string();
        let reply = app.post("/lro_extract", body).await;
        assert_eq!(reply.status.as_u16(), 200, "{file}: {}", reply.json);
        let answer = reply.json.to_string();
        assert!(answer.contains(&format!(":{count}")) && answer.contains(note), "{answer}");
    }
}

/// A file that was not made for its records may hold more than they are.
#[test]
fn what_a_file_holds_beside_its_records_is_noted() {
    let app = TestApp::new();
    let rows = |from: usize, to: usize| {
        let rows: Vec<String> = (from..to).map(|n| format!("{{\"n\":{n}}}")).collect();
        format!("[{}]", rows.join(","))
    };
    let text = format!("{}\n{}", rows(0, 90), rows(90, 140));
    std::fs::write(app.folder().join("pages.json"), text).unwrap();
    for question in [
        json!({"sql": "SELECT count(*) FROM records"}),
        json!({"query": "length"}),
        json!({"where": {"n": {">=": 0}}, "count": true}),
        json!({"recipe": 1}),
    ] {
        let said = app.extract("/workspace/pages.json", &question);
        let note = "with an array of 50 elements)\"}, which is not part of these records";
        assert!(said.answer.contains(note), "{question}: {}", said.answer);
    }
}

/// A wrapper may hold two arrays, and one record of an array a long array.
#[test]
fn where_the_records_of_a_file_are_is_noted() {
    let app = TestApp::new();
    for (name, text, expected) in [
        (
            "two.json",
            r#"{"warnings":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20],"items":[5,6]}"#,
            Some("of warnings; the file also holds {\"items\":[5,6]}"),
        ),
        (
            "one.json",
            r#"[{"a":1,"k":[{"z":0},{"z":1},{"z":2}]}]"#,
            Some("of [0].k; the file also holds {\"a\":1}"),
        ),
        (
            "three.json",
            r#"[{"a":1,"k":[{"z":"0000000000"},{"z":"1000000000"},{"z":"2000000000"},{"z":"3000000000"}]},{"a":2},{"a":3}]"#,
            None,
        ),
        (
            "page.json",
            r#"{"data":{"total":2,"rows":[{"a":1},{"a":2}]},"kinds":["x","y"],"next":null}"#,
            Some(
                "of data.rows; the file also holds {\"kinds\":[\"x\",\"y\"],\"next\":null,\"total\":2}",
            ),
        ),
        ("one.jsonl", "{\"a\":1,\"k\":[{\"z\":0},{\"z\":1},{\"z\":2}]}\n", None),
    ] {
        std::fs::write(app.folder().join(name), text).unwrap();
        let said = app.extract(&format!("/workspace/{name}"), &json!({"query": "length"}));
        let note = said.answer.lines().find(|line| line.contains("the records are the elements"));
        match expected {
            Some(expected) => {
                assert!(note.unwrap_or_default().contains(expected), "{}", said.answer);
            }
            None => assert_eq!(note, None, "{name}"),
        }
    }
}

/// The values of a recipe's parameters have the types of its defaults, or are read as such.
#[test]
fn parameters_of_a_recipe_have_a_type() {
    let app = TestApp::new();
    let path = offloaded(&app, 60);
    let header: Value = serde_json::from_str(app.content(&path).lines().next().unwrap()).unwrap();
    let recipes = header["recipes"].as_array().unwrap();
    let mut refused = 0;
    for (at, recipe) in recipes.iter().enumerate() {
        for param in recipe["params"].as_array().into_iter().flatten() {
            let name = param["name"].as_str().unwrap();
            let default: Value = serde_json::from_str(param["value"].as_str().unwrap()).unwrap();
            let ask = |value: &Value| json!({"recipe": at + 1, "params": {name: value}});
            let (spelled, unfit) = match &default {
                Value::Number(number) => (json!(number.to_string()), json!("no number")),
                Value::String(_) => (json!(7), json!([7])),
                _ => (default.clone(), json!({"a": 1})),
            };
            let direct = app.extract(&path, &ask(&default));
            if default.is_number() {
                assert_eq!(app.extract(&path, &ask(&spelled)).answer, direct.answer);
            } else {
                app.extract(&path, &ask(&spelled));
            }
            let refusal = app.extract_refusal(&path, &ask(&unfit));
            assert!(refusal.contains(&format!("the parameter \"{name}\"")), "{refusal}");
            assert!(refusal.contains("accepted is"), "{refusal}");
            refused += 1;
        }
    }
    assert!(refused > 3, "{recipes:?}");
}

#[test]
fn an_offset_that_skips_nothing_is_told() {
    let app = TestApp::new();
    let path = offloaded(&app, 60);
    let said = app.extract(&path, &json!({"query": "length", "offset": 2}));
    assert!(
        said.answer.contains("offset has no effect: the filter gave one value"),
        "{}",
        said.answer
    );
}

#[tokio::test]
async fn an_expired_file_names_the_call_that_made_it() {
    let app = TestApp::new();
    let settings = json!({"operation": "recall", "query": "all about caching"});
    let path = app.offload_records(&memories(100, "full"), &settings).path();
    app.age(&path, 4_000);
    app.sweep(&json!({}));
    let body = json!({"file_path": path, "count": true}).to_string();
    let reply = app.post("/lro_extract", body).await;
    assert_eq!(reply.status.as_u16(), 410, "{}", reply.text);
    let message = reply.json["answer"].as_str().unwrap();
    assert!(message.contains("recall({\"query\":\"all about caching\"})"), "{message}");
    assert!(message.contains("expired"), "{message}");
}

#[test]
fn records_in_any_stored_result_can_be_asked() {
    let app = TestApp::new();
    let message =
        json!({"role": "tool", "tool_call_id": "call_1", "content": memories(80, "full")});
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "list", "arguments": "{}"}}]});
    let history = array(&[
        call.to_string(),
        message.to_string(),
        json!({"role": "user", "content": "go"}).to_string(),
    ]);
    let after = app.offload(&history, &json!({"max_total_tokens": 1, "materialize": false}));
    assert!(split(&after.messages)[1].contains("tool_call_1.txt"), "{}", after.messages);
    let path = "/workspace/store/tool_call_1.txt";
    let said = app.extract(path, &json!({"where": {"namespace": "_procedural"}, "count": true}));
    assert_eq!(said.get("count"), 20);
    assert_eq!(app.extract(path, &json!({"query": "length", "slurp": true})).answer, "80");
    assert_eq!(app.extract(path, &json!({"recipe": 1})).get("count"), 80);
}

/// The tasks of `../shared/lro`: every one by `where`, by jq, and by ids. Where
/// they are absent the test says so and passes.
#[test]
fn every_shared_task_is_answered_right() {
    let Some(folder) = shared("lro") else { return };
    let read = |name: String| std::fs::read_to_string(folder.join(name)).unwrap();
    let app = TestApp::new();
    for n in [50, 200, 500] {
        let corpus = read(format!("corpus_n{n}.json"));
        let tasks: Value = serde_json::from_str(&read(format!("tasks_n{n}.json"))).unwrap();
        let settings = json!({"operation": "recall", "profile": "mif", "detail": "full"});
        let path = app.offload_records(&corpus, &settings).path();
        for task in tasks["aggregate_filter"].as_array().unwrap() {
            let condition = json!({"all": [
                {"field": "namespace", "op": "=", "value": task["namespace"]},
                {"field": "priority", "op": task["op"], "value": task["priority"]},
                {"field": "content", "op": "contains", "value": task["product"]}]});
            let said = app.extract(
                &path,
                &json!({"where": condition, "select": ["id"], "max_tokens": 90_000}),
            );
            assert_eq!(said.get("count"), task["answer"], "{task}");
            let (mut found, expected) = (ids(&said), &task["matching_ids"]);
            found.sort();
            assert_eq!(json!(found), *expected, "{task}");
            let op = if task["op"] == "=" { "==" } else { task["op"].as_str().unwrap() };
            let filter = format!(
                "map(select(.namespace == $n and .priority {op} $p and (.content | ascii_downcase | contains($t | ascii_downcase)))) | length"
            );
            let params =
                json!({"n": task["namespace"], "p": task["priority"], "t": task["product"]});
            let said =
                app.extract(&path, &json!({"query": filter, "slurp": true, "params": params}));
            assert_eq!(said.answer, task["answer"].to_string(), "{task}");
        }
        for task in tasks["id_lookup"].as_array().unwrap() {
            let said = app.extract(&path, &json!({"ids": task["ids"]}));
            for list in ["present", "absent"] {
                let mut found: Vec<String> = serde_json::from_value(said.get(list)).unwrap();
                found.sort();
                assert_eq!(json!(found), task[list], "{task}");
            }
            assert_eq!(
                said.get("present").as_array().map(Vec::len).map(|n| json!(n)),
                Some(task["answer"].clone())
            );
        }
    }
}
