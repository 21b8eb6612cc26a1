//! A name means one content for good, and the service writes in its roots only.

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::history::array;

/// A history with one large result of the call `call_1`.
fn history(word: &str) -> String {
    let content: String = (0..200).map(|line| format!("{word}, line {line}\n")).collect();
    let call = json!({"id": "call_1", "type": "function",
        "function": {"name": "read_page", "arguments": "{}"}});
    let messages = [
        json!({"role": "user", "content": "what does it say?"}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "call_1", "content": content}),
        json!({"role": "assistant", "content": "It lists lines."}),
    ];
    array(&messages.map(|message| message.to_string()))
}

/// Compacts a history of the chat; the path of its one file.
fn compacted(app: &TestApp, word: &str, chat: &str) -> String {
    let settings = json!({"chat_id": chat, "context_manage_mode": "compact",
        "max_total_tokens": 1, "max_tool_message_tokens": 100});
    let after = app.offload(&history(word), &settings);
    assert_eq!(after.report()["outcome"], "compacted", "{}", after.report());
    after.report()["actions"][0]["path"].as_str().unwrap().to_owned()
}

async fn read(app: &TestApp, path: &str) -> (u16, Value) {
    let reply = app.post("/read_file", json!({"absolute_path": path}).to_string()).await;
    (reply.status.as_u16(), reply.json)
}

#[tokio::test]
async fn a_deleted_name_never_means_another_text() {
    let app = TestApp::new();
    let first = compacted(&app, "alice's page", "alice");
    app.service.delete_chat(br#"{"chat_id": "alice"}"#).unwrap();
    for service in [&app, &app.again()] {
        let second = compacted(service, "bob's page", "bob");
        assert_ne!(first, second);
        assert_eq!(read(service, &second).await.0, 200);
        let (status, answer) = read(service, &first).await;
        assert_eq!(status, 410, "{answer}");
        assert!(!answer.to_string().contains("bob"), "{answer}");
    }
    // The same content may have its name again.
    assert_eq!(compacted(&app, "alice's page", "alice"), first);
    assert_eq!(read(&app, &first).await.0, 200);
}

#[tokio::test]
async fn an_expired_name_never_means_another_text() {
    let app = TestApp::new();
    let first = compacted(&app, "alice's page", "alice");
    let file = app.folder().join(first.strip_prefix("/workspace/").unwrap());
    let file = std::fs::File::options().write(true).open(file).unwrap();
    let days = std::time::Duration::from_hours(31 * 24);
    file.set_modified(std::time::SystemTime::now() - days).unwrap();
    app.service.sweep(b"{}").unwrap();
    assert_eq!(read(&app, &first).await.0, 410);
    assert_ne!(compacted(&app, "bob's page", "bob"), first);
    assert_eq!(read(&app, &first).await.0, 410);
}

/// A hard link at a name that the service writes to would let it write to a file
/// outside of its roots.
#[test]
fn a_hard_link_at_a_private_name_is_never_written_to() {
    let app = TestApp::new();
    let outside = tempfile::tempdir_in(app.folder().parent().unwrap()).unwrap();
    let target = outside.path().join("target");
    std::fs::write(&target, "outside\n").unwrap();
    let store = app.folder().join("store");
    std::fs::create_dir_all(&store).unwrap();
    std::fs::hard_link(&target, store.join(".unburden-files.jsonl")).unwrap();
    compacted(&app, "a page", "alice");
    app.service.sweep(b"{}").unwrap();
    app.service.delete_chat(br#"{"chat_id": "alice"}"#).unwrap();
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "outside\n");
}

/// The service's own files are missing to every tool, however they are spelled.
#[tokio::test]
async fn the_private_folder_is_missing_to_every_tool() {
    let app = TestApp::new();
    let path = compacted(&app, "a page", "alice");
    let store = app.folder().join("store");
    let name = path.rsplit('/').next().unwrap();
    let record = format!("names/{name}.json");
    assert!(store.join(".unburden").join(&record).exists());
    for (link, to) in [
        ("folder", ".unburden"),
        ("record.txt", format!(".unburden/{record}").as_str()),
        ("again", "folder"),
    ] {
        std::os::unix::fs::symlink(to, store.join(link)).unwrap();
    }
    for spelled in [
        format!(".unburden/{record}"),
        format!("./.unburden/./{record}"),
        format!("x/../.unburden/{record}"),
        format!("folder/{record}"),
        format!("again/{record}"),
        "record.txt".to_owned(),
        ".unburden".to_owned(),
        "folder".to_owned(),
        ".unburden/clock".to_owned(),
    ] {
        let path = format!("/workspace/store/{spelled}");
        let missing = "/workspace/store/missing.txt";
        let asked = |path: &str| {
            [
                ("/read_file", json!({"absolute_path": path})),
                ("/grep", json!({"pattern": "blake3", "path": path})),
                ("/lro_extract", json!({"file_path": path, "query": "."})),
                ("/read_tool_result", json!({"result_id": path})),
            ]
        };
        for ((route, body), (_, other)) in asked(&path).into_iter().zip(asked(missing)) {
            let reply = app.post(route, body.to_string()).await;
            let expected = app.post(route, other.to_string()).await;
            assert_eq!(reply.status, expected.status, "{route} {path}: {}", reply.text);
            assert_eq!(reply.text.replace(&path, missing), expected.text, "{route} {path}");
        }
    }
    let found = app.grep(&json!({"pattern": "blake3", "path": "/workspace"}));
    assert_eq!(found["metadata"]["matches"], json!([]), "a search passes it over");
    let settings = json!({"max_total_tokens": 1, "store_dir": "/workspace/store/.unburden"});
    let body = crate::app::request(&history("another page"), &settings);
    assert!(app.service.offload(body.as_bytes()).is_err(), "it is no store");
}
