//! Tests which texts are identifiers.

use super::{Identifier, IdentifierKind, canonical, identifiers};

fn named(text: &str) -> Vec<(IdentifierKind, &str)> {
    identifiers(text).iter().map(|found| (found.kind, found.text)).collect()
}

#[test]
fn paths_are_found_and_either_or_is_not() {
    use IdentifierKind::Path;
    let text = "See src/auth/logic.ts:12:5, Cargo.toml. and/or 0/50 ./run, /etc/hosts; \
                C:\\Users\\net\\a.txt app.config.json console.log(x) </div> Makefile 读取src/a.rs文件 \
                docs/报告.md e.g. session.isValid node:fs";
    let paths: Vec<&str> =
        named(text).into_iter().filter(|found| found.0 == Path).map(|found| found.1).collect();
    assert_eq!(
        paths,
        [
            "src/auth/logic.ts",
            "Cargo.toml",
            "./run",
            "/etc/hosts",
            "C:\\Users\\net\\a.txt",
            "app.config.json",
            "Makefile",
            "src/a.rs",
            "docs/报告.md"
        ]
    );
}

#[test]
fn marks_behind_a_path_are_not_part_of_it() {
    for text in ["in a_9.txt.\\ then", "a_9.txt\\", "a_9.txt...", "a_9.txt.\\\u{fffd}"] {
        assert_eq!(named(text), [(IdentifierKind::Path, "a_9.txt")], "{text}");
    }
    assert_eq!(named("C:\\logs\\"), [(IdentifierKind::Path, "C:\\logs")]);
}

#[test]
fn a_path_in_angle_brackets_is_a_path_and_a_tag_is_none() {
    for (text, path) in [
        ("see <./store/tool_call_9.txt>.", "./store/tool_call_9.txt"),
        ("<src/a.rs>", "src/a.rs"),
        ("</etc/passwd>", "/etc/passwd"),
        ("</secret.txt", "/secret.txt"),
    ] {
        assert_eq!(named(text), [(IdentifierKind::Path, path)], "{text}");
    }
    for text in ["</div>", "<br/>", "a </state_snapshot> b", "</ns:tag>"] {
        assert!(named(text).iter().all(|found| found.0 != IdentifierKind::Path), "{text}");
    }
}

#[test]
fn ids_numbers_and_addresses() {
    use IdentifierKind::{Id, Number, Url};
    assert_eq!(
        named(
            "BUG-123 BUG-B PID-9876-CONFLICT T-800 call_ab12 7d589fc deadbeef 4500ms 1,234.50 \
             123 2024 01ARZ3NDEKTSV4RRFFQ69G5FAV 1.13.3 550e8400-e29b-41d4-a716-446655440000 \
             (https://a.example/b_(c)?d=1,2). mia_li_3668 snake_case long-term HAT137 a@b.example"
        ),
        [
            (Id, "BUG-123"),
            (Id, "BUG-B"),
            (Id, "PID-9876-CONFLICT"),
            (Id, "T-800"),
            (Id, "call_ab12"),
            (Id, "7d589fc"),
            (Number, "4500"),
            (Number, "1,234.50"),
            (Number, "2024"),
            (Id, "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
            (Id, "1.13.3"),
            (Id, "550e8400-e29b-41d4-a716-446655440000"),
            (Url, "https://a.example/b_(c)?d=1,2"),
            (Id, "mia_li_3668"),
            (Id, "HAT137"),
            (Id, "a@b.example"),
        ]
    );
}

#[test]
fn quotations_count_once() {
    use IdentifierKind::{Path, Quoted};
    assert_eq!(
        named(
            "\"Missing token\" and `src/a.rs`, “four words” 「引用文字」 {\"a\":\"x\"}\n```rust\nlet x = \"open\n"
        ),
        [
            (Quoted, "Missing token"),
            (Path, "src/a.rs"),
            (Quoted, "four words"),
            (Quoted, "引用文字")
        ]
    );
}

#[test]
fn spellings_of_one_thing_are_one() {
    let same = |kind, a, b| {
        assert_eq!(
            canonical(&Identifier { kind, text: a }),
            canonical(&Identifier { kind, text: b })
        );
    };
    same(IdentifierKind::Number, "1,234.50", "1234.5");
    same(IdentifierKind::Number, "1_000", "1000");
    same(IdentifierKind::Path, "./src\\a.rs", "src/a.rs");
    same(IdentifierKind::Id, "7D589FC", "7d589fc");
}

/// A megabyte of marks that open a name and never close it. If the scan were not linear, this test
/// would not end.
#[test]
fn hostile_text_is_survived() {
    for unit in ["“", "`", "\"a", "「x", "/", "\\", "a.", "1,", "http://(", "é文/", "\u{fffd}-"]
    {
        let text = unit.repeat(1_000_000 / unit.len());
        assert!(identifiers(&text).len() <= text.len(), "{unit:?}");
    }
}
