//! Descriptors of real records. Skipped without `../shared`.

use raw_json as raw;
use record_files::recipes::{self, Detail, Profile};
use record_files::schema::infer;
use serde_json::Value;
use token_count::Tokenizer;

use super::summary::Summary;
use super::{Richness, guidance, note};
use crate::compaction::call::{ReloadTool, ReloadTools};
use crate::descriptor;
use crate::tests::skips::shared_entries;

/// Returns the records of every shared corpus, at most the first 3,000 of each.
fn corpora() -> Vec<(String, Vec<String>)> {
    let folders = ["records", "lro"].into_iter().filter_map(shared_entries);
    let mut corpora = Vec::new();
    for path in folders.flatten() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.ends_with(".json") || name.starts_with("tasks") {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let Ok(elements) = raw::elements(&text) else { continue };
        corpora.push((name, elements.iter().take(3_000).map(|one| raw::canonical(one)).collect()));
    }
    corpora
}

#[test]
fn a_leaner_descriptor_is_smaller_and_a_pointer_is_short() {
    let path = "/tmp/cache/lro-search-01JDA2X3Y4Z5A6B7C8D9E0F1G2.jsonl";
    for (name, records) in corpora() {
        let schema = infer(records.iter().map(String::as_str));
        let all = recipes::candidates(Profile::General, Detail::Full, &schema);
        let good = vec![true; all.len()];
        let ten = recipes::ten(all, &good);
        let summary = Summary::new(&schema, "search", Some("full"), 32_000, None);
        let tools = ReloadTools::of(&[ReloadTool::LroExtract, ReloadTool::Shell]);
        let statements = recipes::statements(&schema);
        let offer = descriptor::calls::Offer {
            path,
            tools: &tools,
            schema: &schema,
            recipes: &ten,
            statements: &statements,
        };
        let shell = guidance::shell(&guidance::Facts {
            profile: Profile::General,
            tokens: 32_000,
            detail: "full",
            offer,
        });
        let facts = descriptor::Facts {
            profile: Profile::General,
            summary: &summary,
            offer,
            schema_bytes: 2_200,
            guidance: &shell,
            around: Some(r#"{"total":500}"#),
        };
        let sizes = Richness::ALL.map(|richness| {
            let text = descriptor::render(&facts, richness);
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value["file_path"], path);
            text.chars().count().div_ceil(4)
        });
        assert!(sizes[0] > sizes[1] && sizes[0] > sizes[2], "{name}: {sizes:?}");
        assert!(sizes[3] > sizes[4], "{name}: {sizes:?}");
        let full = Tokenizer::O200kBase.count(&descriptor::render(&facts, Richness::Full));
        assert!(full <= 800 || !name.starts_with("corpus"), "{name}: {full} tokens");
        assert!(sizes[4] <= 130, "{name}: {sizes:?}");
        let said = note::note(
            &note::NoteFacts { tokens: 32_000, bytes: 129_006, around: None, offer },
            Richness::Pointer,
        );
        assert!(said.contains(path) && said.len() < 1_200, "{name}: {said}");
    }
}
