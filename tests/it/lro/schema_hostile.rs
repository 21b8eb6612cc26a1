//! Schema and recipes of hostile records.

use record_files::recipes::{Detail, Profile};
use record_files::{recipes, schema};
use serde_json::Value;
use serde_json::value::RawValue;

use super::schema::in_a_shell;
use crate::asking::{shared_files, tight};
use crate::skips::shared;

/// Names that are special in a shell, jq or JSON, as JSON literals.
const NAMES: [&str; 19] = [
    r#"a\"b"#,
    "a.b",
    r"a\\b",
    "$__loc__",
    r"new\nline",
    "",
    "é漢",
    ".[]|empty",
    "'; rm -rf /tmp/never '",
    "__loc__",
    "and",
    "$value",
    r"\u0000",
    r"\\(1)",
    "a'b",
    "`id`",
    "$(id)",
    "label",
    "if",
];

/// Returns thirty objects with a member for each of these names.
fn objects(member: impl Fn(&str, usize) -> String) -> Vec<String> {
    let object = |n: usize| {
        let members: Vec<String> = NAMES.iter().map(|name| member(name, n)).collect();
        format!("{{{}}}", members.join(","))
    };
    (0..30).map(object).collect()
}

/// Sets of records, and whether a JSON parser and jq 1.6 accept all of them.
fn sets() -> Vec<(Vec<String>, bool)> {
    let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let numbers = ["9007199254740993", "123456789012345678901234567890", "1.10", "-0", "0"];
    let number = |n: &&str| format!(r#"{{"n":{n},"title":"x"}}"#);
    let name = |name: &&str| format!(r#"{{"{name}":"value of it","n":{}}}"#, name.len());
    vec![
        (NAMES.iter().map(name).collect(), true),
        (objects(|name, n| format!(r#""{name}":"{}""#, n % 3)), true),
        (objects(|name, n| format!(r#""{name}":{{"{name}":{n},"x":["{name}"]}}"#)), true),
        (
            texts(&[
                "1",
                "\"a\"",
                "null",
                "[1,[2]]",
                "{}",
                "true",
                r#"{"title":null,"status":"a"}"#,
                r#"{"title":["x"],"status":{"a":1}}"#,
                r#"{"title":"word here","status":"a"}"#,
                r#"{"title":5}"#,
            ]),
            true,
        ),
        (numbers.iter().map(number).collect(), true),
        (["1e400", "-1e400", "1e-400"].iter().map(number).collect(), false),
        ((0..2_000).map(|n| format!(r#"{{"key{n}":{n}}}"#)).collect(), true),
        ((0..10).map(|n| n.to_string()).collect(), true),
        (texts(&["[]", "[]"]), true),
        (texts(&["{}"]), true),
        ((0..9).map(|n| format!(r#"[{n},"a",{{"k":"v"}}]"#)).collect(), true),
        (
            texts(&[
                r#"{"a":[{"b":1},null,{"b":"x"}],"c":[[1],["y"]]}"#,
                r#"{"a":null,"c":[]}"#,
                r#"{"a":[],"c":null}"#,
            ]),
            true,
        ),
        (texts(&[r#"{"s":"\ud800","t":"\ud83d\ude00 smile face"}"#; 4]), false),
        (texts(&[&format!("{}1{}", "[".repeat(9_000), "]".repeat(9_000))]), false),
        (Vec::new(), true),
    ]
}

#[test]
fn recipes_and_schemas_stand_whatever_the_records_are() {
    let jq = super::system_jq(&["."], "1").is_some();
    let folder = tempfile::tempdir().unwrap();
    for (at, (records, plain)) in sets().iter().enumerate() {
        let schema = schema::infer(records.iter().map(String::as_str));
        let all = recipes::candidates(Profile::General, Detail::Full, &schema);
        assert!(all.len() >= 16, "{at}: {}", all.len());
        // The path is special in a shell, too.
        let file = folder.path().join(format!("it's $(id) {at}.jsonl"));
        let body: String = records.iter().map(|record| format!("{record}\n")).collect();
        std::fs::write(&file, format!("{{\"type\":\"lro_header\"}}\n{body}")).unwrap();
        for recipe in all.iter().filter(|_| jq && *plain) {
            if let Err(complaint) = in_a_shell(recipe, file.to_str().unwrap()) {
                panic!("set {at}: {complaint}");
            }
        }
        for budget in [100, 1_000, 1_000_000] {
            let text = schema.json_schema(budget);
            assert!(serde_json::from_str::<&RawValue>(&text).is_ok(), "{at}: {text}");
            if !plain {
                continue;
            }
            let value: Value = serde_json::from_str(&text).unwrap();
            let validator =
                jsonschema::options().should_validate_formats(true).build(&value).unwrap();
            for record in records {
                let record: Value = serde_json::from_str(record).unwrap();
                assert!(validator.is_valid(&record), "{at} {record} {text}");
            }
        }
    }
}

/// The tables of the memory profiles are exactly those of the specifications. Skipped without
/// `../shared`.
#[test]
fn the_tables_of_the_memory_profiles_are_those_of_the_specifications() {
    let schema = schema::infer(std::iter::empty());
    let Some(folder) = shared("seeds") else { return };
    let read = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        text.replace("{file}", "FILE")
    };
    let (mif, mif_6400) = (read("lro-spec-1600.txt"), read("lro-spec-6400-mif.txt"));
    for detail in [Detail::Light, Detail::Medium, Detail::Full] {
        let table = recipes::candidates(Profile::Mif, detail, &schema);
        assert_eq!(table.len(), 10);
        for (at, recipe) in table.iter().take(8).enumerate() {
            let row = format!("{}{}{}", at + 1, recipe.description, recipe.command("FILE"));
            assert!(mif.contains(&row), "{row}");
        }
    }
    let table = recipes::candidates(Profile::Mif6400, Detail::Full, &schema);
    assert_eq!(table.len(), 10);
    for (at, recipe) in table.iter().enumerate() {
        let row = format!("| {} | {} | {} |", at + 1, recipe.description, recipe.command("FILE"));
        assert!(mif_6400.contains(&row), "{row}");
    }
}

#[test]
fn the_tables_run_over_memories() {
    if super::system_jq(&["."], "1").is_none() {
        return;
    }
    let schema = schema::infer(std::iter::empty());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memories.jsonl");
    let corpora = shared_files("lro");
    let Some((_, text)) = corpora.iter().find(|(name, _)| name == "corpus_n50.json") else {
        return;
    };
    let elements = raw_json::elements(text).unwrap();
    let lines: Vec<String> = elements.iter().map(|element| tight(element)).collect();
    std::fs::write(&file, format!("{{}}\n{}\n", lines.join("\n"))).unwrap();
    for profile in [Profile::Mif, Profile::Mif6400] {
        for recipe in recipes::candidates(profile, Detail::Full, &schema) {
            in_a_shell(&recipe, file.to_str().unwrap()).unwrap();
        }
    }
}
