//! Level 1 (Basic): threshold detection and JSONL output.

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::asking::{lines, memories, tight};

/// Records of `count` × 40 characters and so a known number of tokens.
fn records(tokens: usize) -> String {
    // `["…"]` of exactly 4 characters a token.
    format!("[\"{}\"]", "x".repeat(tokens * 4 - 4))
}

/// lro-spec-1600 and lro-spec-6400-mif, "Threshold Detection":
/// > If estimated_tokens > threshold_tokens, offload to JSONL and return an OffloadResponse.
///
/// > If estimated_tokens <= threshold_tokens, return results inline as usual.
///
/// > Default: 1600 tokens. Configurable via [prompt.offload] config section.
///
/// > The threshold check occurs after the operation completes but before formatting the
/// > response. Implementations MUST:
#[test]
fn above_the_threshold_a_file_and_up_to_it_inline() {
    let app = TestApp::new();
    let two = |tokens| format!("[{},1]", &records(tokens)[1..records(tokens).len() - 1]);
    for (text, inline) in [(records(1_600), true), (records(1_601), false)] {
        let said = app.offload_records(&text, &json!({}));
        assert_eq!(said.inline(), inline, "{}", said.get("offload"));
    }
    let said = app.offload_records(&two(1_600), &json!({}));
    assert!(!said.inline(), "two characters more than 1600 tokens are more");
    let said = app.offload_records(&records(50), &json!({"threshold_tokens": 49}));
    assert!(!said.inline());
    let said = app.offload_records(&records(5_000), &json!({"threshold_tokens": 5_000}));
    assert_eq!(said.get("offload")["estimated_tokens"], 5_000);
    assert!(said.inline());
}

/// lro-spec-6400-mif, "Threshold Detection":
/// > Default: 6400 tokens. Configurable via [prompt.offload] config section.
#[test]
fn the_other_memory_profile_has_a_higher_threshold() {
    let app = TestApp::new();
    for (tokens, inline) in [(6_400, true), (6_401, false)] {
        let said = app.offload_records(&records(tokens), &json!({"profile": "mif-6400"}));
        assert_eq!(said.inline(), inline, "{tokens}");
        let said = app.offload_records(&records(tokens), &json!({"profile": "mif"}));
        assert!(!said.inline(), "{tokens}");
    }
}

/// lro-spec-1600, "Threshold Detection":
/// > Token estimation MUST use the same heuristic defined in Prompt Integration: tokens ~
/// > characters / 4 for Latin-script content, with model-specific tokenizers RECOMMENDED for
/// > CJK or mixed-script content.
///
/// lro-spec-6400-mif:
/// > Token estimation MUST use the same heuristic defined in Prompt Integration (Context Window
/// > Budgeting): tokens ≈ characters / 4 for Latin-script content, with model-specific
/// > tokenizers RECOMMENDED for CJK or mixed-script content.
#[test]
fn tokens_are_characters_by_four_and_counted_where_that_is_wrong() {
    let app = TestApp::new();
    let estimate = |text: &str| {
        let said = app.offload_text(text, &json!({"threshold_tokens": 100_000}));
        said.get("offload")["estimated_tokens"].as_u64().unwrap()
    };
    assert_eq!(estimate(&"abcd".repeat(100)), 100);
    assert_eq!(estimate("abcde"), 2, "rounded up");
    // Characters, not bytes: é has two.
    assert_eq!(estimate(&"é".repeat(400)), 100);
    let chinese = estimate(&"春眠不覺曉，處處聞啼鳥。".repeat(50));
    assert!(chinese > 12 * 50 / 2, "{chinese}: about a token a character");
}

/// lro-spec-1600, "Threshold Detection":
/// > Normative: The threshold is evaluated against the total result set, not individual
/// > memories. A single large memory below the threshold is returned inline; many small
/// > memories exceeding the threshold collectively are offloaded.
#[test]
fn the_threshold_is_that_of_the_whole_result() {
    let app = TestApp::new();
    let one = json!([{"id": 1, "content": "x".repeat(6_000)}]).to_string();
    assert!(app.offload_records(&one, &json!({})).inline());
    let many: Vec<Value> = (0..500).map(|n| json!({"id": n, "c": "yes"})).collect();
    assert!(!app.offload_records(&Value::from(many).to_string(), &json!({})).inline());
}

/// lro-spec-1600, "Threshold Detection":
/// > The JSONL file MUST serialize memories at the detail level specified in the original tool
/// > call. If the caller requests detail: "light", the offloaded file contains Light-detail
/// > records. If no detail level is specified, the tool’s default applies (light for
/// > recall_memories, medium for inject_context).
#[test]
fn the_file_names_the_level_of_detail_and_holds_the_records_at_it() {
    let app = TestApp::new();
    for (operation, detail, expected) in [
        ("recall", Some("light"), "light"),
        ("recall", Some("medium"), "medium"),
        ("recall", Some("full"), "full"),
        ("recall_memories", None, "light"),
        ("inject_context", None, "medium"),
    ] {
        let records = memories(60, expected);
        let mut settings = json!({"operation": operation, "profile": "mif"});
        if let Some(detail) = detail {
            settings["detail"] = json!(detail);
        }
        let said = app.offload_records(&records, &settings);
        assert_eq!(said.get("offload")["summary"]["detail"], expected);
        let content = app.content(&said.path());
        let (header, found) = lines(&content);
        assert_eq!(header["detail"], expected);
        assert_eq!(format!("[{}]", found.join(",")), records);
    }
}

/// lro-spec-1600, "JSONL File Format":
/// > The first line is a metadata header conforming to OffloadHeader:
///
/// > Each file consists of a header line followed by one MIF memory object per line.
///
/// > Each subsequent line is a complete MIF Memory object serialized as JSON, including all
/// > fields present at the requested detail level:
#[test]
fn a_header_and_then_one_record_a_line() {
    let app = TestApp::new();
    for profile in ["general", "mif", "mif-6400"] {
        let records = memories(200, "full");
        let said = app.offload_records(
            &records,
            &json!({"operation": "recall", "query": "cache \"keys\"\n", "detail": "full",
                    "profile": profile}),
        );
        let content = app.content(&said.path());
        assert!(content.ends_with('\n') && !content.contains('\r'));
        let (header, found) = lines(&content);
        assert_eq!(header["type"], "lro_header");
        assert_eq!(header["operation"], "recall");
        assert_eq!(header["query"], "cache \"keys\"\n");
        assert_eq!(header["count"], 200);
        assert_eq!(header["detail"], "full");
        assert!(!header["schema_version"].as_str().unwrap().is_empty());
        let estimated = (records.len() as u64).div_ceil(4);
        assert_eq!(header["estimated_tokens"], estimated);
        let timestamp = header["timestamp"].as_str().unwrap();
        assert!(
            timestamp.len() == 20 && timestamp.ends_with('Z') && &timestamp[10..11] == "T",
            "ISO 8601: {timestamp}"
        );
        assert_eq!(found.len(), 200);
        assert_eq!(format!("[{}]", found.join(",")), tight(&records));
    }
}

/// lro-spec-1600, `OffloadHeader`:
/// > The query string (if applicable).
#[test]
fn a_header_without_a_query_says_null() {
    let app = TestApp::new();
    let said = app.offload_records(&memories(100, "full"), &json!({}));
    let content = app.content(&said.path());
    assert_eq!(lines(&content).0["query"], Value::Null);
    assert!(lines(&content).0.as_object().unwrap().contains_key("query"));
}

/// lro-spec-1600 and lro-spec-6400-mif, "File Naming":
/// > Files MUST be written to a configurable output directory using the following naming
/// > convention:
///
/// > {output_dir}/atlatl-{operation}-{ulid}.jsonl
///
/// > {ulid} is a ULID providing both uniqueness and temporal ordering
#[test]
fn a_file_is_named_by_profile_operation_and_a_ulid() {
    let app = TestApp::new();
    for operation in ["recall", "search", "inject", "list"] {
        let mut names = Vec::new();
        for (profile, prefix) in [("mif", "atlatl"), ("mif-6400", "atlatl"), ("general", "lro")] {
            let said = app.offload_records(
                &memories(200, "full"),
                &json!({"operation": operation, "profile": profile, "output_dir": "/workspace/out"}),
            );
            let path = said.path();
            let start = format!("/workspace/out/{prefix}-{operation}-");
            let ulid = path.strip_prefix(&start).and_then(|rest| rest.strip_suffix(".jsonl"));
            let ulid: ulid::Ulid = ulid.unwrap_or_else(|| panic!("{path}")).parse().unwrap();
            assert!(ulid.timestamp_ms() > 1_700_000_000_000, "{path}: the time of its making");
            assert!(app.real(&path).is_file());
            names.push(path);
        }
        names.dedup();
        assert_eq!(names.len(), 3, "unique");
    }
}

/// lro-spec-1600, "Conformance":
/// > If implemented, MUST support threshold detection and JSONL output. Descriptor contains
/// > file reference and summary statistics.
///
/// lro-spec-6400-mif:
/// > | Level 1 | MAY implement LRO. If implemented, MUST support threshold detection and JSONL
/// > output. |
#[test]
fn a_descriptor_has_the_file_and_a_summary() {
    let app = TestApp::new();
    let records = memories(120, "full");
    let said = app.offload_records(
        &records,
        &json!({"operation": "recall", "profile": "mif", "detail": "full",
                "score_field": "provenance.confidence"}),
    );
    let offload = said.get("offload");
    assert_eq!(serde_json::from_str::<Value>(&said.answer).unwrap(), offload);
    assert_eq!(offload["offloaded"], true);
    let summary = &offload["summary"];
    assert_eq!(summary["count"], 120);
    assert_eq!(summary["operation"], "recall");
    assert_eq!(summary["estimated_tokens"], (records.len() as u64).div_ceil(4));
    assert_eq!(summary["score_range"], json!([0.05, 0.95]));
    let mut spaces = summary["top_namespaces"].as_array().unwrap().clone();
    spaces.sort_by_key(Value::to_string);
    let all = ["_episodic/events", "_procedural", "_semantic/decisions", "_semantic/knowledge"];
    assert_eq!(spaces, all);
}

/// lro-spec-1600, `OffloadSummary`:
/// > /// Top namespaces represented (up to 5).
///
/// > /// Score range (min, max) if applicable.
#[test]
fn a_summary_names_five_namespaces_and_no_score_that_is_not_there() {
    let app = TestApp::new();
    let records: Vec<Value> = (0..300)
        .map(|n: u32| json!({"id": n, "namespace": format!("space {}", n.isqrt()), "title": "x"}))
        .collect();
    let said = app.offload_records(&Value::from(records).to_string(), &json!({"profile": "mif"}));
    let summary = &said.get("offload")["summary"];
    // The most frequent first: space 16 has 33 records, space 15 has 31.
    let top = json!(["space 16", "space 15", "space 14", "space 13", "space 12"]);
    assert_eq!(summary["top_namespaces"], top);
    assert!(summary.as_object().unwrap().contains_key("score_range"));
    assert_eq!(summary["score_range"], Value::Null);
}

/// lro-spec-1600:
/// > Normative: The LRO interceptor MUST NOT alter the service layer’s return types or
/// > interfaces.
///
/// > The interceptor operates on the serialized MCP tool response, not on the Rust types.
#[test]
fn any_serialised_result_is_taken_as_it_is() {
    let app = TestApp::new();
    // What is small leaves byte for byte, whatever it is.
    for results in ["[]", "[ 1, 2.50,\n 1e400 ]", "[{\"a\":1,\"a\":2}]", "[\"\\ud800\"]"] {
        let said = app.offload_records(results, &json!({}));
        assert_eq!(said.raw("results"), Some(results));
        assert_eq!(said.answer, results);
    }
    let said = app.offload_text("no JSON at all", &json!({}));
    assert_eq!(said.get("results"), "no JSON at all");
}
