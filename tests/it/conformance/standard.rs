//! Level 2 (Standard): schema, recipes, guidance and cleanup.

use std::process::Command;

use serde_json::{Value, json};

use super::template;
use crate::app::TestApp;
use crate::asking::{Said, lines, memories};
use crate::skips::skipped;

fn recipes(said: &Said) -> Vec<(String, String)> {
    let offload = said.get("offload");
    let text = |recipe: &Value, name: &str| recipe[name].as_str().unwrap().to_owned();
    let recipes = offload["jq_recipes"].as_array().unwrap().iter();
    recipes.map(|recipe| (text(recipe, "description"), text(recipe, "command"))).collect()
}

fn offloaded(app: &TestApp, profile: &str, detail: &str) -> Said {
    let settings = json!({"operation": "recall", "profile": profile, "detail": detail,
        "threshold_tokens": 1_600});
    app.offload_records(&memories(150, detail), &settings)
}

/// lro-spec-1600, "Descriptor Paradox":
/// > Implementations MUST include all fields per the struct definition
///
/// lro-spec-1600, `OffloadResponse`:
/// > /// JSON Schema describing each memory line in the JSONL file.
///
/// lro-spec-1600, "Native extraction":
/// > Normative: The jq_recipes array MUST still be included in the OffloadResponse for
/// > interoperability with clients that prefer shell-based extraction.
#[test]
fn a_full_descriptor_has_every_field_and_a_schema_that_every_record_fits() {
    let app = TestApp::new();
    for detail in ["light", "medium", "full"] {
        let said = offloaded(&app, "mif", detail);
        let offload = said.get("offload");
        let mut names: Vec<&String> = offload.as_object().unwrap().keys().collect();
        names.sort();
        let all = ["file_path", "guidance", "jq_recipes", "line_schema", "offloaded", "summary"];
        assert_eq!(names, all);
        let summary: Vec<&str> =
            offload["summary"].as_object().unwrap().keys().map(String::as_str).collect();
        for name in
            ["count", "estimated_tokens", "operation", "top_namespaces", "score_range", "detail"]
        {
            assert!(summary.contains(&name), "{name}");
        }
        let schema = jsonschema::validator_for(&offload["line_schema"]).unwrap();
        let content = app.content(&said.path());
        for line in lines(&content).1 {
            assert!(schema.is_valid(&serde_json::from_str(line).unwrap()), "{line}");
        }
        assert!(!schema.is_valid(&json!({"id": [7]})), "a schema that says something");
    }
}

/// lro-spec-1600, "Standard jq Recipe Library":
/// > Implementations MUST include exactly 10 recipes in every OffloadResponse. Recipes 1-8 are
/// > universal and use only Light-level fields. Recipes 9-10 adapt based on the detail level of
/// > the offloaded data.
///
/// > Note: All recipes use tail -n +2 to skip the header line. The {file} placeholder MUST be
/// > replaced with the actual file path from OffloadResponse.file_path.
#[test]
fn the_ten_recipes_are_those_of_the_table() {
    let app = TestApp::new();
    for (detail, nine, ten) in [
        ("light", "[.[].namespace] | unique", "group_by(.memory_type)"),
        ("medium", "sort_by(-.confidence)", r#"select(.content | test("pattern"; "i"))"#),
        ("full", "sort_by(-.provenance.confidence)", r#"select(.content | test("pattern"; "i"))"#),
    ] {
        let said = offloaded(&app, "mif", detail);
        let file = said.path();
        let recipes = recipes(&said);
        assert_eq!(recipes.len(), 10);
        for (at, (description, command)) in [
            ("List titles with namespaces", "jq -r '[.title, .namespace] | @tsv'"),
            ("Filter by namespace prefix", r#"jq 'select(.namespace | startswith("_semantic"))'"#),
            ("Search titles by keyword", r#"jq 'select(.title | test("keyword"; "i"))'"#),
            ("Extract IDs and titles only", "jq '{id, title, namespace}'"),
            ("Filter by memory type", r#"jq 'select(.memory_type == "semantic")'"#),
            (
                "Count by namespace",
                "jq -s 'group_by(.namespace) | map({namespace: .[0].namespace, count: length})'",
            ),
            ("Filter by tag", r#"jq 'select(.tags | index("TAG"))'"#),
            ("Sort by created date", "jq -s 'sort_by(.created)'"),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(recipes[at].0, description);
            assert_eq!(recipes[at].1, format!("tail -n +2 {file} | {command}"));
        }
        assert!(recipes[8].1.contains(nine), "{}", recipes[8].1);
        assert!(recipes[9].1.contains(ten), "{}", recipes[9].1);
        assert!(recipes.iter().all(|(_, command)| !command.contains("{file}")));
    }
}

/// lro-spec-6400-mif, "Standard jq Recipe Library":
/// > Implementations MUST include the following recipes in every OffloadResponse:
///
/// > placeholder MUST be replaced with the actual file path fromOffloadResponse.file_path.
#[test]
fn the_other_memory_profile_has_its_own_ten() {
    let app = TestApp::new();
    let said = offloaded(&app, "mif-6400", "full");
    let file = said.path();
    let tail = |command: &str| format!("tail -n +2 {file} | jq {command}");
    let commands: Vec<String> = recipes(&said).into_iter().map(|(_, command)| command).collect();
    assert_eq!(
        commands,
        [
            tail("-r '[.title, .provenance.confidence] | @tsv'"),
            tail(r#"'select(.namespace | startswith("_semantic"))'"#),
            tail(r#"'select(.title | test("keyword"; "i"))'"#),
            tail("-s 'sort_by(-.provenance.confidence)'"),
            tail("'{id, title, namespace}'"),
            tail(r#"'select(.memory_type == "semantic")'"#),
            tail("'select(.entities | length > 0)'"),
            tail(
                "-s 'group_by(.namespace) | map({namespace: .[0].namespace, count: length}) | sort_by(-.count)'"
            ),
            tail("-s 'sort_by(-.provenance.confidence) | .[:10]'"),
            tail(r#"'select(.content | test("pattern"; "i"))'"#),
        ]
    );
}

/// lro-spec-1600, "Standard jq Recipe Library":
/// > Normative: Recipes MUST only reference fields that exist at the given detail level.
/// > Recipes MUST NOT reference .score (which is a SearchHit field, never serialized into
/// > JSONL). At Full detail, confidence MUST be accessed via .provenance.confidence; at Medium
/// > detail, via the flattened .confidence field.
///
/// > implementations targeting a range of model capabilities SHOULD include the full recipe
/// > library.
#[test]
fn recipes_name_only_fields_that_the_records_have() {
    let app = TestApp::new();
    for detail in ["light", "medium", "full"] {
        for profile in ["mif", "general"] {
            let said = offloaded(&app, profile, detail);
            let recipes = recipes(&said);
            assert_eq!(recipes.len(), if profile == "mif" { 10 } else { 2 });
            for (_, command) in &recipes {
                assert!(!command.contains(".score"), "{command}");
                assert_eq!(
                    command.contains(".provenance"),
                    command.contains(".provenance.") && detail == "full",
                    "{command}"
                );
                assert!(detail != "light" || !command.contains(".content"), "{command}");
            }
        }
        // Each runs over the records, and its result is what it promises.
        let said = offloaded(&app, "mif", detail);
        for number in 1..=10 {
            let answer =
                app.extract(&said.path(), &json!({"recipe": number, "max_tokens": 200_000}));
            let count = answer.get("count").as_u64().unwrap();
            let all = [1, 4].contains(&number);
            let one =
                [6, 8, 9, 10].contains(&number) && detail == "light" || [6, 8, 9].contains(&number);
            let expected = if all {
                150
            } else if one {
                1
            } else {
                count
            };
            assert_eq!(count, expected, "{detail} {number}");
        }
    }
}

/// The recipes of a descriptor do in a shell what they do here. Without jq or a
/// shell on this machine the test says so and passes.
#[test]
fn recipes_run_in_a_shell() {
    if Command::new("jq").arg("--version").output().is_err() {
        return skipped("there is no jq");
    }
    let app = TestApp::new();
    for (profile, detail) in
        [("mif", "light"), ("mif", "full"), ("mif-6400", "full"), ("general", "full")]
    {
        let said = offloaded(&app, profile, detail);
        let path = said.path();
        let content = app.content(&path);
        let header = lines(&content).0;
        let ten: Vec<_> = header["recipes"].as_array().unwrap().iter().collect();
        for (description, command) in recipes(&said) {
            let number = ten.iter().position(|recipe| recipe["description"] == *description);
            let number = number.expect("a recipe of the header");
            let real = app.real(&path).display().to_string();
            let command = command.replace(&path, &real).replace("| jq ", "| jq -c ");
            let shell = &mut Command::new("sh");
            let output = shell.args(["-c", &command]).env("FILE", &real).output().unwrap();
            assert!(
                output.status.success() && output.stderr.is_empty(),
                "{description}: {command}"
            );
            let shell = String::from_utf8(output.stdout).unwrap();
            let ours = app.extract(&path, &json!({"recipe": number + 1, "max_tokens": 200_000}));
            let answer = match ours.get("count").as_u64() {
                Some(0) => String::new(),
                _ => ours.answer.clone() + "\n",
            };
            assert_eq!(words(&answer), words(&shell), "{profile} {detail} {description}");
        }
    }
}

/// Each line as a value: jq writes `0.5` where the file has `0.50`, and keys as they come.
fn words(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| json!(line))).collect()
}

/// lro-spec-1600, "Guidance Prompt":
/// > The guidance field MUST contain a brief instruction block for the AI assistant.
/// > Implementations SHOULD use the following template:
///
/// > The guidance prompt SHOULD note the active detail level so the LLM can adjust its
/// > extraction strategy.
///
/// lro-spec-1600, "Clients without a shell":
/// > The server MUST NOT assume the client has shell access. The guidance prompt uses advisory
/// > language (“Use the jq recipes above”) rather than imperative language, so an LLM without
/// > shell tools can gracefully skip the extraction step without producing an error.
#[test]
fn guidance_for_a_shell_is_the_template() {
    let app = TestApp::new();
    for (profile, seed) in [("mif", "lro-spec-1600.txt"), ("mif-6400", "lro-spec-6400-mif.txt")] {
        let settings = json!({"operation": "recall", "profile": profile, "detail": "full",
            "reload_tools": ["shell"]});
        let said = app.offload_records(&memories(200, "full"), &settings);
        let offload = said.get("offload");
        let guidance = offload["guidance"].as_str().unwrap();
        let first = guidance.lines().next().unwrap();
        let tokens = offload["summary"]["estimated_tokens"].as_u64().unwrap();
        assert_eq!(
            first,
            format!("Results offloaded to JSONL (200 memories, ~{tokens} tokens saved).")
        );
        assert!(guidance.contains("Use the jq recipes above"), "{guidance}");
        assert!(!guidance.contains("lro_extract"), "{guidance}");
        assert_eq!(guidance.contains("Detail level: full"), profile == "mif");
        let Some(expected) = template(seed, 0, &said, "full") else { continue };
        assert_eq!(guidance, expected);
    }
}

/// lro-spec-1600, "Cleanup and Lifecycle":
/// > Offloaded JSONL files are ephemeral and MUST be cleaned up after their TTL expires.
///
/// > Default TTL: 3600 seconds (1 hour)
///
/// > Implementations MUST record created_at for each offloaded file
///
/// > Implementations SHOULD register an offload_cleanup custodial task that:
///
/// > Deletes files whose created_at + ttl has elapsed
///
/// > If implemented, MUST include the standard jq recipe library and custodial cleanup.
///
/// lro-spec-6400-mif, "TTL":
/// > prompt.offload.ttl_seconds - Implementations MUST record
#[test]
fn files_live_for_an_hour_and_are_then_deleted() {
    let app = TestApp::new();
    let said = offloaded(&app, "mif", "full");
    let path = said.path();
    assert_eq!(said.get("file")["ttl_seconds"], 3_600);
    let name = path.rsplit('/').next().unwrap();
    let record = app.folder().join(format!("lro/.unburden/names/{name}.json"));
    let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    let age = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let age = age - record["created_unix"].as_u64().unwrap();
    assert!(age < 600 && record["created_at"].as_str().unwrap().len() == 20, "{record}");
    let foreign = app.folder().join("lro/atlatl-notes.jsonl");
    std::fs::write(&foreign, "mine").unwrap();
    app.age(&path, 3_500);
    assert_eq!(app.sweep(&json!({})).get("expired"), json!([]));
    app.age(&path, 3_700);
    let swept = app.sweep(&json!({"dry_run": true}));
    assert_eq!(swept.get("expired")[0]["path"], path.as_str());
    assert!(app.real(&path).exists(), "a dry run deletes nothing");
    let swept = app.sweep(&json!({}));
    assert_eq!(swept.get("expired").as_array().unwrap().len(), 1);
    assert_eq!(swept.get("expired")[0]["path"], path.as_str());
    assert!(!app.real(&path).exists() && foreign.exists());
}

/// lro-spec-1600, "Cleanup and Lifecycle":
/// > Configurable via prompt.offload.ttl_seconds
///
/// > Scans the output_dir for files matching atlatl-*.jsonl
#[test]
fn a_file_lives_as_long_as_its_request_or_the_configuration_says() {
    let app = TestApp::with(|config| {
        config.prompt.offload.ttl_seconds = 60;
        config.prompt.offload.output_dir = "/workspace/out".to_owned();
    });
    let of = |count: usize, settings: &Value| {
        let given = format!("\"operation\":\"list\",\"results\":{}", memories(count, "full"));
        let members = settings.to_string();
        let end = if members == "{}" { "}".to_owned() } else { format!(",{}", &members[1..]) };
        app.offload_result(&format!("{{{given}{end}")).path()
    };
    let (short, long) = (of(100, &json!({})), of(101, &json!({"ttl_seconds": 86_400})));
    assert!(short.starts_with("/workspace/out/lro-list-"), "{short}");
    for path in [&short, &long] {
        app.age(path, 3_600);
    }
    let swept = app.sweep(&json!({}));
    assert_eq!(swept.get("expired").as_array().unwrap().len(), 1, "{}", swept.envelope);
    assert!(!app.real(&short).exists() && app.real(&long).exists());
}
