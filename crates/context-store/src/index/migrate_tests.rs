//! A manifest of an earlier version moves into the index, whole, whatever happens.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::testing::{START, Shop, after, ended_of, name, shop, start};
use crate::{Chat, Run, Stem, delete_chat, find_results};

fn made(name: &str, content: &str, id: &str, chat: Option<&str>) -> String {
    let chat = chat.map_or(String::new(), |chat| format!(",\"chat\":\"{}\"", Chat::of(chat)));
    format!(
        "{{\"name\":\"{name}\",\"blake3\":\"{}\",\"bytes\":{},\"created_at\":\"\",\
         \"created_unix\":{START},\"ttl_seconds\":null,\"tool\":\"t\",\"call_id\":\"{id}\",\
         \"arguments\":\"words of {id}\"{chat}}}\n",
        blake3::hash(content.as_bytes()).to_hex(),
        content.len(),
    )
}

fn ended(name: &str, at: u64, with: &str) -> String {
    format!("{{\"expired\":\"{name}\",\"at\":\"\",\"at_unix\":{at}{with}}}\n")
}

fn mentioned(name: &str, chat: &str) -> String {
    format!("{{\"chat\":\"{}\",\"file\":\"{name}\"}}\n", Chat::of(chat))
}

fn put(shop: &Shop, lines: &str) {
    std::fs::write(shop.path(MANIFEST), lines).unwrap();
    std::fs::set_permissions(shop.path(MANIFEST), PermissionsExt::from_mode(0o600)).unwrap();
}

const LRO: &str = "lro-search-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl";

fn lines() -> String {
    [
        made("tool_call_1.txt", "one", "1", Some("a")),
        made("tool_call_2.txt", "two", "2", Some("a")),
        mentioned("tool_call_2.txt", "b"),
        "{\"torn\n".to_owned(),
        made(LRO, "records", "call of records", Some("a")),
        made("tool_call_gone.txt", "gone", "gone", Some("a")),
        ended("tool_call_gone.txt", START + 100, ""),
        ended("tool_call_deleted.txt", START + 100, ",\"with\":\"chat\""),
        made("tool_call_again.txt", "again", "again", Some("b")),
        ended("tool_call_again.txt", START + 100, ""),
        made("tool_call_again.txt", "again", "again", Some("a")),
        ended("compressed_group_c_7.json", START + 100, ""),
        made("tool_call_3.txt", "three", "3", None),
        mentioned("tool_call_never.txt", "a"),
    ]
    .concat()
}

fn shop_of_before() -> Shop {
    let shop = shop();
    for (name, content) in [
        ("tool_call_1.txt", "one"),
        ("tool_call_2.txt", "two"),
        (LRO, "records"),
        ("tool_call_again.txt", "again"),
        ("tool_call_3.txt", "three"),
    ] {
        shop.plant(name, content, after(200));
    }
    put(&shop, &lines());
    shop
}

fn check(shop: &Shop) {
    assert!(!shop.has(MANIFEST));
    let record = |text: &str| shop.record(&name(text)).unwrap();
    assert_eq!(record("tool_call_1.txt").origin.chat, Some(Chat::of("a")));
    assert_eq!(record("tool_call_1.txt").ended, None);
    let gone = ended_of(&shop.at("tool_call_gone.txt")).unwrap();
    assert_eq!(gone.ended, Some((after(100), End::Expired)));
    assert_eq!(gone.call.arguments.as_deref(), Some("words of gone"));
    let deleted = ended_of(&shop.at("tool_call_deleted.txt")).unwrap();
    assert_eq!(deleted.ended, Some((after(100), End::ChatDeleted)));
    assert_eq!(record("tool_call_again.txt").ended, None, "it is there again");
    assert_eq!(ended_of(&shop.at("tool_call_never.txt")), None);
    assert_eq!(find_results(shop.store.folder(), "call of records").unwrap().len(), 1);
    // Numbers and names stay taken.
    let group = shop.write(Stem::of_group("c", 0), "new");
    assert_eq!(group.as_str(), "compressed_group_c_8.json");
    for id in ["gone", "deleted"] {
        assert_ne!(shop.write_call(id, "other").as_str(), format!("tool_call_{id}.txt"));
    }
    let delete = |chat| {
        let deletion = delete_chat(&shop.roots, None, Chat::of(chat), after(300), Run::Real);
        let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
        (
            deletion.deleted.iter().map(|file| name(&file.path)).collect::<Vec<_>>(),
            deletion.kept.iter().map(|file| name(&file.path)).collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        delete("a"),
        (
            vec![LRO.to_owned(), "tool_call_1.txt".to_owned()],
            vec!["tool_call_2.txt".to_owned(), "tool_call_again.txt".to_owned()]
        )
    );
    assert_eq!(delete("b").0, ["tool_call_2.txt", "tool_call_again.txt"]);
    assert!(shop.has("tool_call_3.txt"), "whose it is nobody knows");
}

#[test]
fn a_sweep_moves_the_manifest_into_the_index() {
    let shop = shop_of_before();
    let swept = shop.sweep(after(200));
    assert!(swept.errors.is_empty() && swept.expired.is_empty(), "{swept:?}");
    check(&shop);
    assert_eq!(migrate(&shop.folder()).unwrap(), Migrated::Nothing);
}

#[test]
fn a_crash_after_any_line_is_finished_by_the_next_time() {
    let all = lines();
    for cut in 0..all.lines().count() {
        let shop = shop_of_before();
        let index = shop.index();
        let migration = Migration { folder: &shop.open(), index: &index };
        for line in all.lines().take(cut) {
            if let Some(line) = Line::parse(line.as_bytes()) {
                migration.take(line).unwrap();
            }
        }
        assert_eq!(migrate(&shop.folder()).unwrap(), Migrated::Done);
        check(&shop);
    }
}

#[test]
fn a_deletion_moves_it_first_and_a_dry_run_says_so() {
    let shop = shop_of_before();
    let delete = |run| delete_chat(&shop.roots, None, Chat::of("a"), after(300), run);
    let dry = delete(Run::Dry);
    assert!(dry.errors[0].reason.contains("earlier version") && shop.has(MANIFEST), "{dry:?}");
    assert_eq!(delete(Run::Real).deleted.len(), 2);
    assert!(!shop.has(MANIFEST));
}

#[test]
fn a_manifest_that_is_not_plainly_ours_is_left_alone() {
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("target");
    let lines = made("tool_call_1.txt", "one", "1", Some("a"));
    type Plant<'a> = &'a dyn Fn(&Shop);
    let plants: [Plant<'_>; 4] = [
        &|shop| symlink(&target, shop.path(MANIFEST)).unwrap(),
        &|shop| std::fs::hard_link(&target, shop.path(MANIFEST)).unwrap(),
        &|shop| {
            put(shop, &lines);
            std::fs::set_permissions(shop.path(MANIFEST), PermissionsExt::from_mode(0o622))
                .unwrap();
        },
        &|shop| std::fs::create_dir(shop.path(MANIFEST)).unwrap(),
    ];
    for (n, plant) in plants.iter().enumerate() {
        std::fs::write(&target, &lines).unwrap();
        std::fs::set_permissions(&target, PermissionsExt::from_mode(0o600)).unwrap();
        let shop = shop();
        let own = shop.plant("tool_call_1.txt", "one", start());
        plant(&shop);
        assert_eq!(migrate(&shop.folder()).unwrap(), Migrated::Foreign, "{n}");
        let swept = shop.sweep(after(9_000));
        assert!(swept.expired.is_empty() && swept.errors.len() == 1, "{n}: {swept:?}");
        assert!(shop.has(own.as_str()) && shop.has(MANIFEST), "{n}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), lines, "{n}");
        std::fs::remove_file(&target).unwrap();
    }
}
