//! Deleting a chat: its files and its words go, other chats keep what is theirs, and
//! whoever comes later is told what became of it.

use std::collections::BTreeSet;
use std::os::unix::fs::DirBuilderExt;
use std::process::{Command, Stdio};
use std::thread::ScopedJoinHandle;

use axum::body::Body;
use axum::http::Request;
use context_store::Chat;
use serde_json::{Value, json};

use crate::app::{Offloaded, Reply, TestApp, split};
use crate::history::array;

/// Turns of a chat, each with a result of its own; its word is in every place that a
/// text can have.
fn turns(chat: &str, range: std::ops::Range<usize>) -> Vec<String> {
    let word = format!("CANARY-{chat}");
    let mut messages = Vec::new();
    for n in range {
        let id = format!("call_{n}");
        let arguments = json!({"url": format!("https://example.org/{word}/{n}")}).to_string();
        let content = if n % 4 == 3 {
            let row = |r: usize| json!({"id": n * 1_000 + r, "owner": word, "state": "open"});
            Value::from_iter((0..60).map(row)).to_string()
        } else {
            let line =
                |l: usize| format!("{word} page {n} line {l}: the value is {}", n * 7_919 + l);
            (0..60).map(line).collect::<Vec<_>>().join("\n")
        };
        let call = json!({"id": id, "type": "function",
            "function": {"name": "read_page", "arguments": arguments}});
        messages.extend(
            [
                json!({"role": "user", "content": format!("{word}: what does page {n} say?")}),
                json!({"role": "assistant", "content": null, "tool_calls": [call]}),
                json!({"role": "tool", "tool_call_id": id, "content": content}),
                json!({"role": "assistant", "content": format!("{word}: page {n} lists values.")}),
            ]
            .map(|message| message.to_string()),
        );
    }
    messages
}

fn compact(app: &TestApp, messages: &[String], chat: Option<&str>) -> Offloaded {
    let mut settings = json!({"context_manage_mode": "compact", "max_total_tokens": 1,
        "max_tool_message_tokens": 200, "include_files": false});
    settings["chat_id"] = chat.into();
    let after = app.offload(&array(messages), &settings);
    assert_eq!(after.report()["outcome"], "compacted", "{}", after.report());
    after
}

fn compress(app: &TestApp, messages: &str, chat: &str) -> Offloaded {
    let settings = json!({"chat_id": chat, "context_manage_mode": "auto", "max_total_tokens": 500,
        "max_tool_message_tokens": 200, "compact_ratio_threshold": 0.0, "include_files": false});
    let after = app.offload(messages, &settings);
    let outcome = after.report()["outcome"].as_str().unwrap();
    assert!(outcome.ends_with("compressed"), "{}", after.report());
    after
}

/// A chat's name as one part of an address.
fn escaped(chat: &str) -> String {
    let byte = |b: u8| match b.is_ascii_alphanumeric() {
        true => char::from(b).to_string(),
        false => format!("%{b:02X}"),
    };
    chat.bytes().map(byte).collect()
}

async fn delete(app: &TestApp, chat: &str, query: &str) -> Reply {
    let address = format!("/chats/{}{query}", escaped(chat));
    app.send(Request::delete(address).body(Body::empty()).unwrap()).await
}

/// A deletion without an error.
async fn deleted(app: &TestApp, chat: &str) -> Value {
    let reply = delete(app, chat, "").await;
    assert_eq!(reply.status.as_u16(), 200, "{}", reply.text);
    assert_eq!(reply.json["metadata"]["errors"], json!([]), "{}", reply.text);
    assert_eq!(reply.json["metadata"]["complete"], true);
    reply.json["metadata"].clone()
}

fn paths(metadata: &Value, member: &str) -> BTreeSet<String> {
    let files = metadata[member].as_array().unwrap();
    files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

/// What the index says, but for its clock.
fn index(app: &TestApp) -> Vec<(String, Vec<u8>)> {
    let mut files = app.private_files();
    files.retain(|(name, _)| !name.ends_with("/clock"));
    files
}

/// Every file under the root, the index too, whose name or bytes hold a word.
fn holding(app: &TestApp, word: &str) -> Vec<String> {
    let files = app.files().into_iter().chain(index(app));
    let holds = |bytes: &[u8]| memchr::memmem::find(bytes, word.as_bytes()).is_some();
    let has = |(name, bytes): &(String, Vec<u8>)| holds(name.as_bytes()) || holds(bytes);
    files.filter(has).map(|(name, _)| name).collect()
}

/// Results, records, groups, lists and kept snapshots: all of them go, and none of
/// the chat's words stays on the disk.
#[tokio::test]
async fn nothing_of_a_chat_is_left_but_names() {
    let app = TestApp::new();
    let chat = "alice/1 é";
    let other = compact(&app, &turns("other", 0..4), Some("other"));
    let mut messages = turns("alice", 0..80);
    let first = compress(&app, &array(&messages), chat);
    messages = split(&first.messages);
    messages.extend(turns("alice", 80..160));
    let last = compress(&app, &array(&messages), chat);
    let files: BTreeSet<String> = app.files().into_iter().map(|(name, _)| name).collect();
    for kind in [
        "/tool_call_",
        "/lro-read_page-",
        "/compressed_group_alice_1___0.json",
        "/compressed_group_alice_1___1.json",
        "/compressed_files_alice_1__",
        "/.unburden-snapshot-",
    ] {
        assert!(files.iter().any(|name| name.contains(kind)), "no {kind} in {files:?}");
    }
    assert!(holding(&app, "CANARY-alice").len() > 160);

    let dry = delete(&app, chat, "?dry_run=true").await.json["metadata"].clone();
    assert_eq!(app.files().len(), files.len(), "a dry run deletes nothing");
    let metadata = deleted(&app, chat).await;
    assert_eq!((&dry["deleted"], &dry["dry_run"]), (&metadata["deleted"], &json!(true)));
    assert_eq!(metadata["kept"], json!([]));
    let gone = paths(&metadata, "deleted");
    assert_eq!(gone.len(), files.len() - 4, "all but the four results of the other chat");
    assert_eq!(holding(&app, "CANARY-alice"), Vec::<String>::new());
    assert_eq!(holding(&app, &Chat::of(chat).to_string()), Vec::<String>::new());
    assert_eq!(holding(&app, "CANARY-other").len(), 8, "four results and their records");
    let of_other = holding(&app, "CANARY-other");
    let records = index(&app).into_iter().filter(|(name, _)| name.ends_with(".json"));
    for (name, record) in records.filter(|(name, _)| !of_other.contains(name)) {
        let record: Value = serde_json::from_slice(&record).unwrap();
        let members = record.as_object().unwrap().keys();
        let members: BTreeSet<&str> = members.map(String::as_str).collect();
        assert_eq!(
            Vec::from_iter(members),
            ["blake3", "bytes", "created_at", "created_unix", "ended"],
            "{name}: what ended says no more"
        );
    }

    // What is gone is told from what never was, whichever way it is asked for.
    for path in &gone {
        let reply = app.post("/read_file", json!({"absolute_path": path}).to_string()).await;
        assert_eq!(reply.status.as_u16(), 410, "{}", reply.text);
        assert_eq!(reply.json["metadata"]["error"]["code"], "file_expired");
        let said = reply.json["answer"].as_str().unwrap();
        assert!(said.contains("was deleted with its chat at 20"), "{said}");
    }
    let never = json!({"absolute_path": "/workspace/store/tool_call_999.txt"}).to_string();
    assert_eq!(app.post("/read_file", never).await.status.as_u16(), 404);
    let id = app.post("/read_tool_result", r#"{"result_id": "call_80"}"#).await;
    assert_eq!(id.status.as_u16(), 410, "{}", id.text);

    // Again: nothing, and 200. A chat that never was: the same.
    for chat in [chat, "never was"] {
        let metadata = deleted(&app, chat).await;
        assert_eq!((&metadata["deleted"], &metadata["bytes_freed"]), (&json!([]), &json!(0)));
    }
    let back = app.rehydrate(&last.messages);
    assert!(!back.json["metadata"]["unresolved"].as_array().unwrap().is_empty());
    let back = app.rehydrate(&other.messages);
    assert_eq!(split(&back.messages), turns("other", 0..4), "the other chat lost nothing");
}

/// The same results under the same ids are one file.
#[tokio::test]
async fn a_file_of_two_chats_goes_with_the_last() {
    let app = TestApp::new();
    let messages = turns("both", 0..4);
    let a = compact(&app, &messages, Some("a"));
    let b = compact(&app, &messages, Some("b"));
    assert_eq!(a.messages, b.messages);
    let metadata = deleted(&app, "a").await;
    assert_eq!(metadata["deleted"], json!([]));
    assert_eq!(paths(&metadata, "kept").len(), 4);
    assert_eq!(metadata["kept"][0]["reason"], "shared");
    assert_eq!(split(&app.rehydrate(&b.messages).messages), messages);
    assert_eq!(holding(&app, "CANARY-both").len(), 4, "whose call it was is forgotten");
    // Nothing new for the one that stays, and nothing twice.
    let before = index(&app);
    assert_eq!(compact(&app, &messages, Some("b")).messages, b.messages);
    assert_eq!(compact(&app.again(), &messages, Some("b")).messages, b.messages);
    assert_eq!(index(&app), before);
    assert_eq!(paths(&deleted(&app, "b").await, "deleted").len(), 4);
    assert_eq!(app.files(), []);
}

/// A chat that goes on from another's compressed history has its files only through
/// references, the snapshot, and its group.
#[tokio::test]
async fn a_fork_keeps_what_it_refers_to() {
    let app = TestApp::new();
    let compacted = compact(&app, &turns("root", 0..60), Some("root"));
    let compressed = compress(&app, &compacted.messages, "root");
    let whole = app.rehydrate(&compressed.messages);
    assert_eq!(split(&whole.messages), turns("root", 0..60));
    // Far below every threshold, and right after the other chat in the same process.
    for chat in ["root", "fork"] {
        let below = app.offload(&compressed.messages, &json!({"chat_id": chat}));
        assert_eq!(below.report()["outcome"], "unchanged");
    }
    let metadata = deleted(&app, "root").await;
    let gone = paths(&metadata, "deleted");
    assert!(gone.iter().all(|path| path.contains(".unburden-snapshot-")), "{gone:?}");
    assert!(paths(&metadata, "kept").len() > 60, "{metadata}");
    assert_eq!(app.rehydrate(&compressed.messages).messages, whole.messages);
    // The fork is deleted: now all goes.
    deleted(&app, "fork").await;
    assert_eq!(app.files(), []);
}

/// Caches know what was; the files decide.
#[tokio::test]
async fn a_deleted_chat_that_is_posted_again_is_whole_again() {
    let app = TestApp::new();
    let messages = turns("back", 0..24);
    let first = compact(&app, &messages, Some("back"));
    let snapshot = compress(&app, &array(&messages), "back");
    let of_other_process = app.again();
    compact(&of_other_process, &messages, Some("back"));
    deleted(&app, "back").await;

    // The compacted history: its references stay as they are, and are told.
    let settings = json!({"chat_id": "back", "context_manage_mode": "compact",
        "max_total_tokens": 1, "max_tool_message_tokens": 20});
    let after = app.offload(&first.messages, &settings);
    assert_eq!(after.messages, first.messages);
    let why = after.report()["actions"].to_string();
    assert_eq!(why.matches("is a reference whose file is gone or changed").count(), 24, "{why}");
    let back = app.rehydrate(&first.messages);
    assert_eq!(back.json["metadata"]["unresolved"].as_array().unwrap().len(), 24);
    assert_eq!(app.files(), [], "nothing was written for it");

    // The original history: written again, under the same names, and readable.
    for service in [&of_other_process, &app] {
        let again = compact(service, &messages, Some("back"));
        assert_eq!(again.messages, first.messages);
        assert_eq!(split(&app.rehydrate(&again.messages).messages), messages);
        assert_eq!(paths(&deleted(&app, "back").await, "deleted").len(), 24);
    }
    // The same messages have the names that old histories know them by.
    let again = compress(&app, &array(&messages), "back");
    assert!(snapshot.messages.contains("compressed_group_back_0.json"));
    assert!(again.messages.contains("compressed_group_back_0.json"), "{}", again.messages);
    assert_eq!(split(&app.rehydrate(&again.messages).messages), messages);
}

#[tokio::test]
async fn results_of_no_chat_and_files_of_no_index_are_left_alone() {
    let app = TestApp::new();
    let rows: Vec<Value> = (0..200).map(|n| json!({"id": n, "state": "open"})).collect();
    let body = json!({"operation": "search", "results": rows, "threshold_tokens": 100,
        "output_dir": "/workspace/store"});
    let offloaded = app.post("/offload_result", body.to_string()).await;
    let file = offloaded.json["metadata"]["file"]["path"].as_str().unwrap().to_owned();
    let mut messages = turns("old", 0..2);
    messages.push(json!({"role": "user", "content": format!("Look into {file}")}).to_string());
    let after = compact(&app, &messages, Some("old"));
    // Who made the files is lost with their records.
    let records = app.folder().join("store/.unburden/names");
    std::fs::remove_dir_all(&records).unwrap();
    std::fs::DirBuilder::new().mode(0o700).create(&records).unwrap();
    assert_eq!(deleted(&app, "old").await["kept"], json!([]));
    // What its references stand for is noted from now on; whose it was stays unknown. A file
    // that words name is nobody's.
    app.again().offload(&after.messages, &json!({"chat_id": "old"}));
    let metadata = deleted(&app, "old").await;
    let kept: Vec<&Value> = metadata["kept"].as_array().unwrap().iter().collect();
    assert_eq!(kept.len(), 2, "{metadata}");
    assert!(kept.iter().all(|file| file["reason"] == "unknown_maker"), "{metadata}");
    assert_eq!(app.files().len(), 3);
    assert_eq!(holding(&app, &Chat::of("old").to_string()), Vec::<String>::new());
}

/// Without a `chat_id` the name is made from the beginning, and is the one in the
/// names of the chat's groups, from the first turn on.
#[tokio::test]
async fn a_chat_without_an_id_has_the_name_of_its_groups() {
    let app = TestApp::new();
    let (one, two) = (turns("one", 0..24), turns("two", 0..24));
    let system = json!({"role": "system", "content": "Be brief."}).to_string();
    let compacted = compact(&app, &[vec![system], one.clone()].concat(), None);
    compact(&app, &two, None);
    let settings = json!({"context_manage_mode": "compress", "max_total_tokens": 500});
    let compressed = app.offload(&compacted.messages, &settings);
    assert_eq!(compressed.report()["outcome"], "compressed");
    // A later turn of the compressed history is the same chat's.
    let mut later = split(&compressed.messages);
    later.extend(turns("one", 24..30));
    compact(&app, &later, None);
    let name = &blake3::hash(one[0].as_bytes()).to_hex()[..16];
    assert!(compressed.messages.contains(&format!("compressed_group_{name}_0.json")));
    let metadata = deleted(&app, name).await;
    assert_eq!(metadata["kept"], json!([]));
    assert!(paths(&metadata, "deleted").len() > 30, "{metadata}");
    assert_eq!(holding(&app, "CANARY-one"), Vec::<String>::new());
    assert_eq!(app.files().len(), 24, "the other chat's");
}

#[tokio::test]
async fn names_that_look_alike_are_different_chats() {
    let app = TestApp::new();
    let chats = ["a/b", "a_b", "a b", "ä", "a%2Fb", "..", "a?b#c", "a\u{0}b", "A_B"];
    for (n, chat) in chats.iter().enumerate() {
        compact(&app, &turns(&n.to_string(), n..n + 1), Some(chat));
    }
    for (n, chat) in chats.iter().enumerate() {
        let metadata = deleted(&app, chat).await;
        assert_eq!(paths(&metadata, "deleted").len(), 1, "{chat:?}: {metadata}");
        assert_eq!(app.files().len(), chats.len() - n - 1);
    }
}

#[tokio::test]
async fn the_door_says_what_it_accepts() {
    let app = TestApp::new();
    compact(&app, &turns("a", 0..1), Some("a"));
    let error = |reply: &Reply| {
        let error = &reply.json["metadata"]["error"];
        let word = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
        (reply.status.as_u16(), word("code"), word("field"))
    };
    let fails = |status, code: &str, field: &str| (status, code.to_owned(), field.to_owned());
    let send =
        async |address: &str| app.send(Request::delete(address).body(Body::empty()).unwrap()).await;
    for (address, fails) in [
        ("/chats/a?dry_run=maybe", fails(422, "field_invalid", "dry_run")),
        ("/chats/a?store_dir=/etc", fails(422, "path_outside_roots", "store_dir")),
        ("/chats/a?store_dir=", fails(422, "path_invalid", "store_dir")),
        ("/chats/a?store_dir=./store&store_dir=./other", fails(422, "field_invalid", "query")),
        ("/chats/a?dryRun=true", fails(422, "field_invalid", "query")),
        ("/chats/a?storedir=./store", fails(422, "field_invalid", "query")),
        ("/chats/%20", fails(422, "field_missing", "chat_id")),
        ("/chats/%FF", fails(422, "field_invalid", "chat_id")),
        ("/chats/", fails(404, "route_unknown", "")),
        ("/chats", fails(404, "route_unknown", "")),
    ] {
        assert_eq!(error(&send(address).await), fails, "{address}");
    }
    assert_eq!(app.get("/chats/a").await.status.as_u16(), 405);
    assert_eq!(app.files().len(), 1, "none of them deleted anything");
    // Another store that is not there.
    let elsewhere = send("/chats/a?store_dir=%2Fworkspace%2Fother&chat_id=b").await;
    assert_eq!(elsewhere.json["metadata"]["deleted"], json!([]));
    assert_eq!(app.files().len(), 1);
    let here = send("/chats/a?store_dir=./store/../store&dry_run=false").await;
    assert_eq!(here.status.as_u16(), 422, "a relative path is read against the working directory");
    let here = send("/chats/a?store_dir=%2Fworkspace%2Fstore%2F&dry_run=false&chat_id=b").await;
    assert_eq!(
        paths(&here.json["metadata"], "deleted").first().unwrap(),
        "/workspace/store/tool_call_0.txt"
    );
    let token = crate::app::send(
        app.router_with_token("a-token-of-this-test"),
        Request::delete("/chats/a").body(Body::empty()).unwrap(),
    );
    assert_eq!(token.await.status.as_u16(), 401);
}

/// While one chat is deleted over and over, another posts the same results: what it
/// is given can be read, then and afterwards.
#[test]
fn a_reference_outlives_the_deletion_of_other_chats() {
    let app = TestApp::new();
    let messages = turns("same", 0..6);
    let body = |chat: &str| json!({"chat_id": chat}).to_string();
    std::thread::scope(|scope| {
        let deleter = scope.spawn(|| {
            for round in 0..30 {
                let chat = format!("a{round}");
                app.again().offload(
                    &array(&messages),
                    &json!({"chat_id": chat,
                    "context_manage_mode": "compact", "max_total_tokens": 1,
                    "max_tool_message_tokens": 200}),
                );
                let (answer, whole) = app.service.delete_chat(body(&chat).as_bytes()).unwrap();
                assert!(whole, "{}", answer.answer());
            }
        });
        let mut moved = 0;
        for round in 0..30 {
            let chat = format!("b{round}");
            let after = app.offload(
                &array(&messages),
                &json!({"chat_id": chat,
                "context_manage_mode": "compact", "max_total_tokens": 1,
                "max_tool_message_tokens": 200}),
            );
            // A file that went in between costs this pass, never a reference.
            if after.report()["outcome"] == "compacted" {
                moved += 1;
                for _ in 0..2 {
                    assert_eq!(
                        split(&app.rehydrate(&after.messages).messages),
                        messages,
                        "{round}"
                    );
                }
            }
            app.service.delete_chat(body(&chat).as_bytes()).unwrap();
        }
        assert!(moved > 0);
        deleter.join().unwrap();
    });
    assert_eq!(app.files(), []);
}

fn unburden(arguments: &[&str], folder: &std::path::Path) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_unburden"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env_remove("UNBURDEN_STORE__ROOTS")
        .output()
        .unwrap();
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (text, output.status.code())
}

#[test]
fn the_command_line_deletes_a_chat() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (chat, range) in [("a", 0..2), ("b", 2..3)] {
        std::fs::write(at.join("h.json"), array(&turns(chat, range))).unwrap();
        let (text, code) = unburden(
            &[
                "offload",
                "h.json",
                "--max-total-tokens",
                "1",
                "--max-tool-message-tokens",
                "100",
                "--mode",
                "compact",
                "--chat-id",
                chat,
                "--output",
                "s.json",
            ],
            at,
        );
        assert_eq!(code, Some(0), "{text}");
    }
    let file = at.join("context_store/tool_call_0.txt");
    let root = at.display().to_string();
    let (text, code) = unburden(&["delete", "a", "--dry-run", "--root", &root], at);
    assert!(text.starts_with("Dry run: would delete 2 files of the chat ("), "{text}");
    assert!(code == Some(0) && file.exists());
    let (text, _) = unburden(&["delete", "a", "./nowhere", "--root", &root], at);
    assert!(text.starts_with("Deleted 0 files of the chat (0 bytes); 0 stay; 0 stores"), "{text}");
    let (text, code) = unburden(&["delete", "a", "./context_store", "--root", &root], at);
    assert!(text.starts_with("Deleted 2 files of the chat ("), "{text}");
    assert!(text.contains("\n./context_store/tool_call_1.txt (") && code == Some(0), "{text}");
    assert!(!file.exists() && at.join("context_store/tool_call_2.txt").exists());
    let (text, code) = unburden(&["delete", "a", "--json", "--root", &root], at);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["metadata"]["deleted"], code), (&json!([]), Some(0)));
    let (text, code) = unburden(&["read", "./context_store/tool_call_0.txt"], at);
    assert!(text.contains("was deleted with its chat at") && code == Some(2), "{text}");
    let (text, code) = unburden(&["delete", "b", "/", "--root", &root], at);
    assert!(text.contains("is outside the allowed roots") && code == Some(2), "{text}");
    let (text, _) = unburden(&["verify", "./context_store"], at);
    assert!(text.contains("Intact files: 1 ") && text.contains("expired: "), "{text}");
}

/// A post whose files go with its chat in the middle gets its messages back, and no failed check.
#[test]
fn a_post_may_lose_a_race_with_the_deletion_of_its_chat() {
    let app = TestApp::new();
    let messages = turns("same", 0..6);
    let settings = json!({"chat_id": "a", "context_manage_mode": "compact", "max_total_tokens": 1,
        "max_tool_message_tokens": 200});
    let posts = || {
        for _ in 0..60 {
            let after = app.again().offload(&array(&messages), &settings);
            let report = after.report();
            if report["outcome"] == "unchanged" {
                assert_eq!(split(&after.messages), messages);
                let why = report["warnings"].to_string();
                assert!(why.contains("a file of the answer was deleted meanwhile"), "{why}");
            }
        }
    };
    std::thread::scope(|scope| {
        let posting: Vec<_> = (0..3).map(|_| scope.spawn(posts)).collect();
        while !posting.iter().all(ScopedJoinHandle::is_finished) {
            app.service.delete_chat(br#"{"chat_id": "a"}"#).unwrap();
        }
    });
}

/// A chat that posts while it is deleted refers to its files again.
#[test]
fn each_file_that_stays_is_told_once() {
    let app = TestApp::new();
    let messages = turns("same", 0..6);
    compact(&app, &messages, Some("a"));
    compact(&app, &messages, Some("b"));
    let settings = json!({"chat_id": "a", "context_manage_mode": "compact", "max_total_tokens": 1,
        "max_tool_message_tokens": 200});
    let posts = || {
        (0..60).for_each(|_| _ = app.again().offload(&array(&messages), &settings));
    };
    std::thread::scope(|scope| {
        let posting: Vec<_> = (0..3).map(|_| scope.spawn(posts)).collect();
        while !posting.iter().all(ScopedJoinHandle::is_finished) {
            let (answer, _) = app.service.delete_chat(br#"{"chat_id": "a"}"#).unwrap();
            let (_, kept) = answer.answer().split_once("; ").unwrap();
            let kept: usize = kept.split(' ').next().unwrap().parse().unwrap();
            assert!(kept <= 6, "{}", answer.answer());
        }
    });
}
