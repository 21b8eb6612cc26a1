//! The guidance from each template.

use super::*;
use record_files::recipes::Detail;
use record_files::{recipes, schema};

fn facts<'a>(profile: Profile, schema: &'a Schema, recipes: &'a [Recipe]) -> Facts<'a> {
    Facts {
        profile,
        count: 3,
        tokens: 1700,
        path: "/t/{{count}}.jsonl",
        detail: "light",
        recipes,
        schema,
    }
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
        let facts = facts(profile, &schema, &ten[..10]);
        for text in [shell(&facts), extract(&facts, "lro_extract")] {
            let rest = text.replace("/t/{{count}}.jsonl", "");
            assert!(!rest.contains("{{") && rest.len() < text.len(), "{text}");
            assert!(text.contains("JSONL (3 ") && text.contains("~1700 tokens saved"), "{text}");
        }
    }
}

#[test]
fn the_general_wording_names_this_files_recipes() {
    let schema = records();
    let ten = recipes::candidates(Profile::General, Detail::Light, &schema);
    let facts = facts(Profile::General, &schema, &ten[..10]);
    let shell = shell(&facts);
    assert!(shell.contains("- Browse: recipe #1 (list title with kind)"), "{shell}");
    assert!(shell.contains("- Filter: recipe #2 (filter by kind) or #3"), "{shell}");
    let extract = extract(&facts, "mcp__unburden__lro_extract");
    assert!(extract.contains(r#"recipe=2, params={"value": "k0"})"#), "{extract}");
    assert!(
        extract.contains(r#"where={"field":"#) && extract.contains("Available recipes: 1=list")
    );
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
