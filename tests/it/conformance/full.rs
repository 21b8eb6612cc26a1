//! Level 3 (Full): fallback, events, configuration and extraction.

use serde_json::{Value, json};
use unburden::config::Config;

use super::template;
use crate::app::TestApp;
use crate::asking::{lines, memories};
use crate::served::Served;

/// A folder that no file can be written to, whoever asks: its name is a file's.
fn app_with_a_taken_folder() -> TestApp {
    let app = TestApp::new();
    std::fs::write(app.folder().join("taken"), "a file").unwrap();
    app
}

/// lro-spec-1600 and lro-spec-6400-mif, "Error Handling":
/// > If the temporary file write fails (disk full, permission denied, etc.), implementations
/// > MUST fall back to returning an inline truncated result:
///
/// > Truncate the result set to fit within threshold_tokens.
///
/// > Include a warning in the response indicating that LRO failed and results are truncated.
///
/// > Implementations MUST NOT fail the entire operation due to an LRO write failure. The
/// > offloading is an optimization; the operation itself succeeded.
#[test]
fn a_failed_write_gives_what_fits_and_a_warning() {
    let app = app_with_a_taken_folder();
    let records = memories(300, "full");
    let all: Vec<Value> = serde_json::from_str(&records).unwrap();
    for folder in ["/workspace/taken", "/workspace/taken/below"] {
        for (threshold, least) in [(1_600, 10), (400, 2), (1, 0), (0, 0)] {
            let settings = json!({"output_dir": folder, "threshold_tokens": threshold});
            let said = app.offload_records(&records, &settings);
            assert_eq!(said.get("offload")["offloaded"], false);
            let results = said.raw("results").unwrap();
            let kept = said.get("results").as_array().unwrap().clone();
            assert!(kept.len() >= least && kept.len() < all.len(), "{threshold}: {}", kept.len());
            assert_eq!(kept[..], all[..kept.len()], "from the start, whole records");
            assert!(results.len() <= threshold * 4 + 2, "{threshold}: {}", results.len());
            let warnings = said.warnings();
            for word in ["large result offloading failed", "truncated", "of 300 records"] {
                assert!(warnings.contains(word) && said.answer.contains(word), "{}", said.answer);
            }
        }
    }
    assert_eq!(std::fs::read(app.folder().join("taken")).unwrap(), b"a file");
}

/// The same of a text: it is cut at a line, and on no half of a character.
#[test]
fn a_failed_write_of_a_text_gives_its_start() {
    let app = app_with_a_taken_folder();
    let settings = json!({"output_dir": "/workspace/taken", "threshold_tokens": 500});
    for text in ["a line of a log\n".repeat(900), "é".repeat(9_000), "春".repeat(9_000)] {
        let said = app.offload_text(&text, &settings);
        let kept = said.get("results").as_str().unwrap().to_owned();
        assert!(text.starts_with(&kept) && !kept.is_empty());
        assert!(kept.chars().count() <= 2_000, "{}", kept.len());
        assert!(!text.contains('\n') || kept.ends_with('\n'));
        assert!(said.warnings().contains("bytes are left out"), "{}", said.warnings());
    }
}

/// lro-spec-1600, "Error Handling" and "Cleanup and Lifecycle":
/// > Emit an OffloadWriteFailed event with the error details.
///
/// > Emits OffloadFileExpired events for observability
///
/// lro-spec-1600, "Conformance":
/// > MUST implement LRO with threshold detection, JSONL output, full jq recipe library,
/// > custodial cleanup, error fallback to inline truncation, and observability events.
///
/// lro-spec-6400-mif:
/// > MUST implement LRO with threshold detection, JSONL output, full jq recipe library,
/// > custodial cleanup, and error fallback.
#[test]
fn events_are_logged_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(folder.path().join("taken"), "").unwrap();
    let old = out.join("atlatl-recall-01JDA2X3Y4Z5A6B7C8D9E0F1G2.jsonl");
    std::fs::write(&old, "{\"type\":\"lro_header\",\"count\":0}\n").unwrap();
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(7_200);
    std::fs::File::options().append(true).open(&old).unwrap().set_modified(then).unwrap();

    let output = out.display().to_string();
    let served = Served::start(folder, &[("ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR", &output)]);
    let results: Value = serde_json::from_str(&memories(200, "full")).unwrap();
    let body = json!({"operation": "list", "output_dir": "./taken", "results": results});
    let (status, answer) = served.post("/offload_result", &body);
    assert_eq!((status, &answer["success"]), (200, &json!(true)));
    let metrics = served.wait_for("/metrics", "unburden_offload_file_expired_total 1");
    assert!(metrics.contains("unburden_offload_write_failed_total 1"), "{metrics}");
    assert!(!old.exists());
    let log = served.stop();
    let line = |word: &str| log.lines().find(|line| line.contains(word)).unwrap().to_owned();
    assert!(line("OffloadWriteFailed").contains("taken"), "{log}");
    assert!(line("OffloadFileExpired").contains("atlatl-recall-01JDA2X3"), "{log}");
}

/// lro-spec-1600, "Configuration":
/// > LRO configuration lives under the [prompt.offload] section:
///
/// > prompt.offload.enabledbooltrueEnable or disable LRO
///
/// > prompt.offload.threshold_tokensu321600Token threshold for activation
///
/// > prompt.offload.ttl_secondsu643600Seconds before file cleanup
///
/// > prompt.offload.output_dirString"" (system temp)Directory for JSONL files
#[test]
fn the_configuration_has_the_keys_and_defaults_of_the_specification() {
    let offload = Config::default().prompt.offload;
    assert!(offload.enabled);
    assert_eq!((offload.threshold_tokens, offload.ttl_seconds), (1_600, 3_600));
    assert_eq!(offload.output_dir, "");
    let folder = tempfile::tempdir().unwrap();
    let section = "[prompt.offload]\nenabled = true\nthreshold_tokens = 77\nttl_seconds = 90\n\
                   output_dir = \"./files\"\n";
    std::fs::write(folder.path().join("unburden.toml"), section).unwrap();
    let file = folder.path().join("unburden.toml").display().to_string();
    let served = Served::with_flags(folder, &[], &["--config", &file]);
    offloads_as_configured(&served, 77, 90, "/files/lro-list-");
}

/// lro-spec-1600, "Configuration":
/// > Environment variable mapping follows the standard convention:
///
/// > prompt.offload.enabledATLATL_PROMPT__OFFLOAD__ENABLED
///
/// > prompt.offload.threshold_tokensATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS
///
/// > prompt.offload.ttl_secondsATLATL_PROMPT__OFFLOAD__TTL_SECONDS
///
/// > prompt.offload.output_dirATLATL_PROMPT__OFFLOAD__OUTPUT_DIR
#[test]
fn the_environment_configures_under_both_prefixes() {
    for prefix in ["ATLATL", "UNBURDEN"] {
        let name = |key: &str| format!("{prefix}_PROMPT__OFFLOAD__{key}");
        let names = ["ENABLED", "THRESHOLD_TOKENS", "TTL_SECONDS", "OUTPUT_DIR"].map(name);
        let values = ["true", "88", "91", "./elsewhere"];
        let pairs: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(values).collect();
        let served = Served::start(tempfile::tempdir().unwrap(), &pairs);
        offloads_as_configured(&served, 88, 91, "/elsewhere/lro-list-");
        let served = Served::start(tempfile::tempdir().unwrap(), &[(&names[0], "false")]);
        let results: Value = serde_json::from_str(&memories(200, "full")).unwrap();
        let body = json!({"operation": "list", "results": results});
        assert_eq!(served.post("/offload_result", &body).1["metadata"]["results"], results);
    }
}

fn offloads_as_configured(served: &Served, threshold: usize, ttl: u64, start: &str) {
    for (tokens, offloaded) in [(threshold, false), (5_000, true)] {
        let record = "x".repeat(tokens * 4 - 4);
        let body = json!({"operation": "list", "results": [record], "ttl_seconds": null});
        let (status, answer) = served.post("/offload_result", &body);
        let metadata = &answer["metadata"];
        assert_eq!((status, &metadata["offload"]["offloaded"]), (200, &json!(offloaded)));
        if offloaded {
            assert_eq!(metadata["file"]["ttl_seconds"], ttl);
            let path = metadata["offload"]["file_path"].as_str().unwrap();
            assert!(path.contains(start), "{path}");
        } else {
            assert_eq!(metadata["offload"]["threshold_tokens"], threshold);
        }
    }
}

/// lro-spec-1600, "Remote transports":
/// > When LRO is disabled, the standard inline response path applies: results are returned
/// > directly in the tool response, subject to the MCP tool’s limit parameter and token
/// > budgeting.
#[test]
fn switched_off_everything_is_inline() {
    let app = TestApp::with(|config| config.prompt.offload.enabled = false);
    let records = memories(500, "full");
    let said = app.offload_records(&records, &json!({"threshold_tokens": 0}));
    assert!(said.inline());
    assert_eq!(said.raw("results"), Some(records.as_str()));
    assert_eq!(app.files(), []);
}

/// lro-spec-1600, "Native extraction":
/// > When an implementation provides native extraction, the tool MUST generate its own guidance
/// > prompt that directs the LLM to the extraction MCP tool rather than to shell-based jq
/// > commands. Implementations SHOULD use the following template:
///
/// > Normative: The guidance prompt is generated by the tool itself: the implementation that
/// > provides lro_extract owns the prompt content. This ensures the guidance accurately reflects
/// > the tool’s actual parameter interface, available recipes, and any implementation-specific
/// > extensions.
#[test]
fn guidance_for_the_extraction_tool_is_the_template_and_works() {
    let app = TestApp::new();
    for detail in ["light", "medium"] {
        let settings = json!({"operation": "recall", "profile": "mif", "detail": detail});
        let said = app.offload_records(&memories(200, detail), &settings);
        let guidance = said.get("offload")["guidance"].as_str().unwrap().to_owned();
        assert!(!guidance.contains("jq recipes") && !guidance.contains("tail -n"), "{guidance}");
        // Its examples have values of this file where those of the template would give nothing.
        let others = |text: &str| -> Vec<String> {
            let example = |line: &&str| line.contains("keyword") || line.contains("Custom filter");
            text.lines().filter(|line| !example(line)).map(str::to_owned).collect()
        };
        if let Some(expected) = template("lro-spec-1600.txt", 1, &said, detail) {
            assert_eq!(others(&guidance), others(&expected));
        }
        for call in guidance.lines().filter_map(|line| line.split_once(", ")?.1.strip_suffix(')')) {
            let question = call.split(", ").map(|part| part.split_once('=').unwrap());
            let question: serde_json::Map<_, _> = question
                .map(|(name, value)| (name.to_owned(), serde_json::from_str(value).unwrap()))
                .collect();
            let found = app.extract(&said.path(), &Value::Object(question));
            assert!(found.get("count").as_u64() > Some(0), "{call}");
        }
    }
    // Its examples can be followed to the letter.
    let said = app.offload_records(
        &memories(200, "medium"),
        &json!({"operation": "recall", "profile": "mif", "detail": "medium"}),
    );
    let path = said.path();
    for (question, count) in [
        (json!({"recipe": 1}), 200),
        (json!({"recipe": 2, "params": {"namespace": "_semantic"}}), 100),
        (json!({"recipe": 3, "params": {"keyword": "fact 19"}}), 11),
        (json!({"query": "select(.confidence > 0.8)"}), 40),
    ] {
        assert_eq!(app.extract(&path, &question).get("count"), count, "{question}");
    }
}

/// lro-spec-1600, "Native extraction":
/// > Reads the JSONL file from local storage, skipping the header line.
///
/// > Applies the requested recipe or custom jq filter against the memory lines.
///
/// > Returns the filtered result set as the tool response.
///
/// > Standard recipe number (1-10) to execute. Mutually exclusive with query.
///
/// > A jq filter expression for custom extraction. Mutually exclusive with recipe.
#[test]
fn extraction_asks_the_records_and_never_the_header() {
    let app = TestApp::new();
    let settings = json!({"operation": "recall", "profile": "mif", "detail": "full"});
    let path = app.offload_records(&memories(90, "full"), &settings).path();
    let said = app.extract(&path, &json!({"query": ".type"}));
    assert_eq!(said.get("count"), 90, "the header has a type, no record has one");
    let all = said.get("records");
    assert!(all.as_array().unwrap().iter().all(Value::is_null));
    let said = app.extract(&path, &json!({"query": "length", "slurp": true}));
    assert_eq!(said.answer, "90");
    let refusal = app.extract_refusal(&path, &json!({"recipe": 1, "query": "."}));
    assert!(refusal.contains("recipe") && refusal.contains("query"), "{refusal}");
    for number in [json!(0), json!(11), json!("one"), json!(1.5)] {
        let refusal = app.extract_refusal(&path, &json!({"recipe": number}));
        assert!(refusal.contains("recipe"), "{refusal}");
    }
    for number in 1..=10 {
        assert!(!app.extract(&path, &json!({"recipe": number})).answer.contains("lro_header"));
    }
}

/// lro-spec-1600, "Native extraction":
/// > Substitution parameters for parameterized recipes (e.g., {"namespace": "_semantic",
/// > "keyword": "caching", "tag": "architecture"}).
///
/// > The params object allows the LLM to parameterize standard recipes without string
/// > interpolation in shell commands, eliminating a class of injection errors.
#[test]
fn parameters_are_values_and_never_code() {
    let app = TestApp::new();
    let settings = json!({"operation": "recall", "profile": "mif", "detail": "full"});
    let path = app.offload_records(&memories(90, "full"), &settings).path();
    for (recipe, params, count) in [
        (2, json!({"namespace": "_episodic"}), 23),
        (3, json!({"keyword": "CACHING"}), 90),
        (5, json!({"memory_type": "procedural"}), 30),
        (7, json!({"tag": "architecture"}), 90),
        (7, json!({"tag": "x\")) | env | (\""}), 0),
        (2, json!({"namespace": "\") or true or (\""}), 0),
        (10, json!({"pattern": "service 3 "}), 13),
    ] {
        let said = app.extract(&path, &json!({"recipe": recipe, "params": params}));
        assert_eq!(said.get("count"), count, "{recipe} {params}");
    }
    let refusal = app.extract_refusal(&path, &json!({"recipe": 2, "params": {"keyword": "x"}}));
    assert!(refusal.contains("namespace"), "names what it takes: {refusal}");
}

/// lro-spec-1600, "Native extraction":
/// > No shell dependency. The LLM does not need access to bash, jq, or tail.
///
/// lro-spec-1600, "Clients without a shell":
/// > The summary field provides the result count, top namespaces, score range, and detail level.
#[test]
fn without_any_tool_the_summary_still_answers() {
    let app = TestApp::new();
    let settings = json!({"operation": "recall", "profile": "mif", "detail": "full",
        "reload_tools": [], "score_field": "provenance.confidence"});
    let said = app.offload_records(&memories(200, "full"), &settings);
    let offload = said.get("offload");
    assert_eq!(offload["summary"]["count"], 200);
    assert_eq!(offload["summary"]["score_range"], json!([0.05, 0.95]));
    assert!(!offload["guidance"].as_str().unwrap().contains("lro_extract"));
    let content = app.content(&said.path());
    assert_eq!(lines(&content).1.len(), 200);
}
