//! Names of large results, formed and parsed.

use proptest::prelude::*;

use super::*;
use crate::names::file_name::{FileName, is_reference_target};
use crate::names::stem::Stem;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_name_is_safe_short_and_reads_back(
        word in ".{0,80}", time in 0u64..1 << 48, content in ".*", memory in any::<bool>()
    ) {
        let hash = blake3::hash(content.as_bytes());
        let prefix = if memory { LroPrefix::Atlatl } else { LroPrefix::Lro };
        let names: Vec<_> = Stem::of_lro(prefix, &word, time, &hash).names(&hash).take(3).collect();
        for name in &names {
            let text = name.as_str();
            prop_assert!(text.len() <= 128);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b)));
            let read = LroName::parse(text).unwrap();
            prop_assert_eq!(read.prefix, prefix);
            prop_assert!(!read.operation.is_empty());
            prop_assert_eq!(read.ulid.random(), identity_bits(&hash));
            prop_assert!(is_reference_target(text));
            let same = FileName::parse(text);
            prop_assert_eq!(same.as_ref(), Some(name));
        }
        prop_assert_eq!(LroName::parse(names[0].as_str()).unwrap().ulid.timestamp_ms(), time);
        prop_assert_ne!(&names[0], &names[1]);
    }
}

#[test]
fn a_name_depends_on_nothing_but_its_parts() {
    let hash = blake3::hash(b"records");
    let name = |operation| {
        Stem::of_lro(LroPrefix::Atlatl, operation, 0, &hash).names(&hash).next().unwrap()
    };
    let text = name("recall memories/all").to_string();
    assert!(text.starts_with("atlatl-recall_memories_all-0000000000"), "{text}");
    assert!(name("").as_str().starts_with("lro-result-".replace("lro", "atlatl").as_str()));
    assert_eq!(name("a-b"), name("a-b"));
    assert_eq!(LroName::parse(name("a-b").as_str()).unwrap().operation, "a-b");
}

#[test]
fn other_names_are_none() {
    for name in [
        "lro-x.jsonl",
        "lro--00000000000000000000000000.jsonl",
        "lro-x-8ZZZZZZZZZZZZZZZZZZZZZZZZZ.jsonl",
        "lro-x-0000000000000000000000000a.jsonl",
        "lro-x-00000000000000000000000000.json",
        "lr-x-00000000000000000000000000.jsonl",
        "lro-a/b-00000000000000000000000000.jsonl",
        "lro-é-00000000000000000000000000.jsonl",
    ] {
        assert_eq!(LroName::parse(name), None, "{name}");
    }
    assert!(LroName::parse("lro-x-00000000000000000000000000.jsonl").is_some());
}
