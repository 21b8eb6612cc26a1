//! The descriptor in each size.

use super::*;
use crate::compaction::call::{ReloadTool, ReloadTools};
use record_files::recipes::{Detail, Profile};
use record_files::{recipes, schema};

fn rendered(profile: Profile, richness: Richness) -> serde_json::Value {
    let records = [r#"{"id":"a","size":1e400}"#, r#"{"id":"b","size":2}"#];
    let schema = schema::infer(records.into_iter());
    let summary = Summary::new(&schema, "list", Some("full"), 12, None);
    let all = recipes::candidates(Profile::General, Detail::Full, &schema);
    let ten = recipes::ten(all, &[true; 64]);
    let facts = Facts {
        profile,
        summary: &summary,
        offer: Offer {
            path: "/s/lro-list-X.jsonl",
            tools: &ReloadTools::of(&[ReloadTool::LroExtract, ReloadTool::Shell]),
            schema: &schema,
            recipes: &ten,
            statements: &["SELECT 1".to_owned()],
        },
        schema_bytes: 2_000,
        guidance: "advice",
        around: Some(r#"{"total":2}"#),
    };
    let text = render(&facts, richness);
    assert!(!text.contains('\n'));
    // The descriptor keeps the spelling of a number beyond a float, which this parser rejects.
    serde_json::from_str(&text.replace("1e400", "3")).expect("a descriptor is JSON")
}

fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn a_full_one_of_memories_has_every_member_of_the_specification() {
    let full = rendered(Profile::Mif, Richness::Full);
    let expected =
        ["around", "file_path", "guidance", "jq_recipes", "line_schema", "offloaded", "summary"];
    assert_eq!(keys(&full), expected);
    assert_eq!(full["jq_recipes"].as_array().map(Vec::len), Some(10));
    assert_eq!(full["line_schema"]["properties"]["size"]["maximum"], 3);
}

#[test]
fn smaller_ones_leave_out_what_their_names_say() {
    let general = |richness| rendered(Profile::General, richness);
    let full = general(Richness::Full);
    assert_eq!(full["example"]["id"], "a");
    assert_eq!(full["fields"]["id"], "string");
    assert!(general(Richness::NoRecipes).get("jq_recipes").is_none());
    assert!(general(Richness::NoSchema).get("fields").is_none());
    let compact = general(Richness::Compact);
    assert_eq!(compact["calls"][1], r#"lro_extract(file_path=$FILE, sql="SELECT 1")"#);
    let pointer = general(Richness::Pointer);
    assert_eq!(keys(&pointer), ["around", "count", "fields", "file_path", "offloaded"]);
    assert!(pointer["fields"].as_str().is_some_and(|fields| fields.starts_with("id string")));
}
