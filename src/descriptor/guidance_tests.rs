//! The guidance from each template.

use super::*;
use crate::compaction::call::{ReloadTool, ReloadTools};
use record_files::recipes::{Detail, Recipe};
use record_files::{recipes, schema};

fn facts<'a>(
    profile: Profile,
    schema: &'a Schema,
    recipes: &'a [Recipe],
    tools: &'a ReloadTools,
) -> Facts<'a> {
    let offer = Offer { path: "/t/{{count}}.jsonl", tools, schema, recipes, statements: &[] };
    Facts { profile, tokens: 1700, detail: "light", offer }
}

fn records() -> Schema {
    let line = |n: u32| format!(r#"{{"title":"Item number {n}","kind":"k{}"}}"#, n % 2);
    let lines: Vec<String> = (0..6).map(line).collect();
    schema::infer(lines.iter().map(String::as_str))
}

#[test]
fn every_placeholder_is_filled_and_data_is_not() {
    let schema = records();
    for profile in Profile::ALL {
        let ten = recipes::candidates(profile, Detail::Light, &schema);
        let tools = ReloadTools::of(&[ReloadTool::LroExtract]);
        let facts = facts(profile, &schema, &ten[..10], &tools);
        for text in [shell(&facts), extract(&facts, "lro_extract")] {
            let rest = text.replace("/t/{{count}}.jsonl", "");
            assert!(!rest.contains("{{"), "{text}");
            assert!(profile == Profile::General || rest.len() < text.len(), "{text}");
            assert!(text.contains("JSONL (6 ") && text.contains("~1700 tokens saved"), "{text}");
        }
    }
}

#[test]
fn the_general_wording_has_calls_for_this_file() {
    let schema = records();
    let ten = recipes::candidates(Profile::General, Detail::Light, &schema);
    let tools = ReloadTools::of(&[ReloadTool::LroExtract]);
    let text = extract(&facts(Profile::General, &schema, &ten[..10], &tools), "lro_extract");
    let call = r#"- lro_extract(file_path=$FILE, where={"field":"kind","op":"=","value":"k0"}, "#;
    assert!(text.contains(call) && text.contains("Available recipes: 1=list"), "{text}");
}

#[test]
fn an_example_of_a_specification_gives_something_on_this_file() {
    let lines = |space: &str, confidence: f64| {
        let line = format!(
            r#"{{"title":"Note","namespace":"{space}","provenance":{{"confidence":{confidence}}}}}"#
        );
        schema::infer([line.as_str()].into_iter())
    };
    let tools = ReloadTools::of(&[ReloadTool::LroExtract]);
    let said = |schema: &Schema| {
        let text = extract(&facts(Profile::Mif, schema, &[], &tools), "lro_extract");
        text.lines().skip(4).take(3).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let theirs = said(&lines("_semantic/a", 0.9));
    assert!(
        theirs.contains(r#"{"namespace": "_semantic"}"#) && theirs.contains("> 0.8"),
        "{theirs}"
    );
    assert!(theirs.contains(r#"{"keyword": "Note"}"#), "{theirs}");
    let ours = said(&lines("work", 0.4));
    assert!(ours.contains(r#"{"namespace": "work"}"#) && ours.contains("> 0.2"), "{ours}");
}

#[test]
fn the_page_of_the_prompts_lists_every_placeholder() {
    let readme = include_str!("../../prompts/README.md");
    let names = |text: &str| -> std::collections::BTreeSet<String> {
        let parts = text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
        parts.map(|(name, _)| name.to_owned()).collect()
    };
    for (row, templates) in [
        ("| `lro_guidance_extract.md`", vec![EXTRACT]),
        ("| `lro_guidance_shell.md`", vec![SHELL]),
        ("| `lro_guidance_mif_*.md`", vec![MIF_SHELL, MIF_EXTRACT]),
        ("| `lro_guidance_mif_6400_*.md`", vec![MIF_6400_SHELL, MIF_6400_EXTRACT]),
    ] {
        let listed = readme.lines().find(|line| line.starts_with(row)).unwrap();
        assert_eq!(names(listed), names(&templates.concat()), "{row}");
    }
}
