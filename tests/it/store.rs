//! The store: names, modes, roots, and what lies outside of them.

use std::os::unix::fs::{MetadataExt, symlink};

use context_store::{RootSpec, Roots, Stem};
use proptest::prelude::*;
use serde_json::json;
use unburden::envelope::Answer;

use crate::app::{TestApp, request, split};
use crate::history::array;

fn history(id: &str) -> String {
    let text = "a line of a long result\n".repeat(900);
    array(&[
        json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}]})
        .to_string(),
        json!({"role": "tool", "tool_call_id": id, "content": text}).to_string(),
        json!({"role": "user", "content": "go on"}).to_string(),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// I16: a name is one component, short, and tells contents apart.
    #[test]
    fn names_are_safe_and_injective(
        first in ".{0,300}", second in ".{0,300}", one in ".*", other in ".*"
    ) {
        let (one, other) = (blake3::hash(one.as_bytes()), blake3::hash(other.as_bytes()));
        for id in [Some(first.as_str()), Some(second.as_str()), Some(""), None] {
            for hash in [one, other] {
                for name in Stem::of_call(id, &hash).names(&hash) {
                    let name = name.as_str();
                    prop_assert!(name.len() <= 128, "{name}");
                    prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b)));
                    prop_assert!(name.starts_with("tool_") && name.ends_with(".txt"));
                    prop_assert!(Stem::is_result_name(id, name), "{name}");
                }
            }
        }
        if one != other {
            // The second content under a name gets another.
            let stem = Stem::of_call(Some(&first), &one);
            let mine = stem.names(&one).nth(1);
            prop_assert_ne!(mine, stem.names(&other).nth(1));
        }
    }
}

#[test]
fn an_id_that_says_call_is_not_given_the_prefix_twice() {
    let hash = blake3::hash(b"x");
    let name = |id| Stem::of_call(id, &hash).names(&hash).next().unwrap().to_string();
    assert_eq!(name(Some("call_123")), "tool_call_123.txt");
    assert_eq!(name(Some("toolu_01")), "tool_call_toolu_01.txt");
    assert_eq!(name(Some("../a/b\0c")), "tool_call____a_b_c.txt");
    assert_eq!(name(None), "tool_call_".to_owned() + &hash.to_hex()[..16] + ".txt");
}

#[test]
fn files_are_private() {
    let app = TestApp::with(|_| {});
    app.offload(&history("call_1"), &json!({"max_total_tokens": 1, "store_dir": "/workspace/a/b"}));
    let mode = |path: &str| std::fs::metadata(app.folder().join(path)).unwrap().mode() & 0o777;
    assert_eq!(mode("a/b/tool_call_1.txt"), 0o600);
    assert_eq!((mode("a"), mode("a/b")), (0o700, 0o700));
}

#[test]
fn the_same_content_is_written_once_and_other_content_gets_another_name() {
    let app = TestApp::new();
    let first = app.offload(&history("call_1"), &json!({"max_total_tokens": 1}));
    assert_eq!(
        first.json["answer"],
        "Successfully created and wrote to new file: /workspace/store/tool_call_1.txt"
    );
    let repeat = app.again().offload(&history("call_1"), &json!({"max_total_tokens": 1}));
    assert_eq!(
        repeat.json["answer"],
        "File already holds this content: /workspace/store/tool_call_1.txt"
    );
    let other = history("call_1").replace("long result", "very long result");
    let other = app.offload(&other, &json!({"max_total_tokens": 1}));
    let answer = other.json["answer"].as_str().unwrap();
    assert!(answer.contains("/workspace/store/tool_call_1-"), "{answer}");
    assert_eq!(app.files().len(), 2);
}

/// Every way of spelling a path out of the roots, at the door that writes and at
/// the doors that read.
#[test]
fn nothing_outside_the_roots_is_written_or_read() {
    let app = TestApp::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.txt"), "CANARY").unwrap();
    std::fs::create_dir(app.folder().join("store")).unwrap();
    symlink(outside.path(), app.folder().join("store/link")).unwrap();
    symlink(outside.path().join("secret.txt"), app.folder().join("store/file.txt")).unwrap();
    let real = outside.path().display().to_string();
    let spellings = [
        "/etc".to_owned(),
        real.clone(),
        format!("/workspace/../{real}"),
        format!("/workspace/store/../../..{real}"),
        "/workspace/store/link".to_owned(),
        "/workspace/store/link/deeper".to_owned(),
        "/workspace/store/./link/".to_owned(),
        "..".to_owned(),
        "~".to_owned(),
        "file:///etc".to_owned(),
        "/proc/self/root/etc".to_owned(),
        "/workspacex".to_owned(),
    ];
    for spelling in &spellings {
        let body =
            request(&history("call_1"), &json!({"max_total_tokens": 1, "store_dir": spelling}));
        match app.service.offload(body.as_bytes()) {
            Ok(answer) => {
                assert_eq!(split(answer.messages()), split(&history("call_1")), "{spelling}");
            }
            Err(error) => assert!(error.to_string().contains("accepted"), "{spelling}: {error}"),
        }
        for path in [spelling.clone(), format!("{spelling}/secret.txt")] {
            let read = app.service.read_file(json!({"absolute_path": path}).to_string().as_bytes());
            assert!(read.is_err(), "{path}");
            let grep = json!({"pattern": "CANARY", "path": path}).to_string();
            let found = app.service.grep(grep.as_bytes()).map(Answer::into_json);
            assert!(!found.unwrap_or_default().contains("\"text\":\"CANARY"), "{path}");
        }
    }
    let read = app.service.read_file(br#"{"absolute_path": "/workspace/store/file.txt"}"#);
    assert!(read.is_err());
    let outside_files = std::fs::read_dir(outside.path()).unwrap().count();
    assert_eq!(outside_files, 1, "nothing was written outside");
}

#[test]
fn a_path_outside_is_answered_as_a_missing_one() {
    let app = TestApp::new();
    let error = |path: &str| {
        let body = json!({"absolute_path": path}).to_string();
        let error = app.service.read_file(body.as_bytes()).unwrap_err();
        error.to_string().replace(path, "PATH")
    };
    assert_eq!(error("/etc/passwd"), error("/workspace/store/none.txt"));
}

#[test]
fn hostile_ids_stay_inside() {
    let long = "x".repeat(64 * 1024);
    for id in
        ["../../../etc/cron.d/x", "a/b", "nul\0", "..", ".", long.as_str(), "CON", "%2e%2e", "é"]
    {
        let app = TestApp::new();
        let after = app.offload(&history(id), &json!({"max_total_tokens": 1}));
        assert_eq!(after.report()["outcome"], "compacted", "{id:?}");
        let files = app.files();
        assert_eq!(files.len(), 1);
        assert!(files[0].0.starts_with("store/tool_call_"), "{}", files[0].0);
        assert_eq!(split(&app.rehydrate(&after.messages).messages), split(&history(id)));
    }
}

#[test]
fn a_planted_link_or_fifo_is_never_followed_or_waited_for() {
    let app = TestApp::new();
    let store = app.folder().join("store");
    std::fs::create_dir(&store).unwrap();
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path().join("stolen.txt"), store.join("tool_call_1.txt")).unwrap();
    let fifo = store.join("tool_call_2.txt");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for id in ["call_1", "call_2"] {
        let after = app.offload(&history(id), &json!({"max_total_tokens": 1}));
        let text = &split(&after.messages)[1];
        assert!(text.contains(&format!("tool_{id}-")), "another name is taken: {text}");
        assert_eq!(split(&app.rehydrate(&after.messages).messages), split(&history(id)));
    }
    assert!(std::fs::read_dir(outside.path()).unwrap().next().is_none());
}

#[test]
fn a_root_may_be_seen_under_another_path() {
    let app = TestApp::new();
    let real = app.folder().display().to_string();
    for dir in ["/workspace/store", &format!("{real}/store")] {
        let after =
            app.offload(&history("call_1"), &json!({"max_total_tokens": 1, "store_dir": dir}));
        assert!(after.messages.contains(&format!("is stored in {dir}/tool_call_1.txt")));
    }
    assert_eq!(app.files().len(), 1);
}

#[test]
fn a_root_that_is_not_there_is_refused_at_the_start() {
    let error = Roots::open(&[RootSpec::parse("/no/such/root")]).unwrap_err().to_string();
    assert!(error.contains("/no/such/root"), "{error}");
}

/// A name is this service's only with the part of a hash that it would have given.
#[test]
fn a_minted_name_ends_in_digits_of_a_hash() {
    for (name, minted) in [
        ("tool_call_a.txt", true),
        ("tool_call_a-0123abcd.txt", true),
        ("tool_call_a-0123abcdef01.txt", true),
        ("tool_call_a-0123abcz.txt", false),
        ("tool_call_a-0123ABCD.txt", false),
        ("tool_call_a-0123abc.txt", false),
        ("tool_call_b-0123abcd.txt", false),
    ] {
        assert_eq!(Stem::is_result_name(Some("a"), name), minted, "{name}");
    }
}
