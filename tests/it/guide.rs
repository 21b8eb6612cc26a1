//! The guide's own examples, as its reader sends them: with curl, to the real
//! binary, under the paths that it names. Where it shows `…`, there stands text of
//! the size that it gives.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use token_count::Tokenizer;

use crate::scripted::{Endpoint, between, completion, grounded};
use crate::skips::skipped;

const KEY: &str = "sk-guide-0123456789";

/// The service of the guide: `/workspace` and `./cache_file/` are its folders.
struct Sidecar {
    child: Child,
    address: String,
    folder: tempfile::TempDir,
}

impl Sidecar {
    fn start(model: &Endpoint) -> Sidecar {
        let folder = tempfile::tempdir().unwrap();
        let roots = format!("/workspace={0}:{0}", folder.path().display());
        let mut child = Command::new(env!("CARGO_BIN_EXE_unburden"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .current_dir(folder.path())
            .env("UNBURDEN_STORE__ROOTS", roots)
            .env("UNBURDEN_LLM__BASE_URL", &model.base_url)
            .env("UNBURDEN_LLM__MODEL", "guide-model")
            .env("UNBURDEN_LLM__API_KEY", KEY)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Sidecar { child, address, folder }
    }

    /// `curl -X POST … -H "Content-Type: application/json" -d '…'`.
    fn curl(&self, path: &str, body: &Value) -> Value {
        let text = self.post(path, &body.to_string());
        assert!(!text.contains(KEY));
        serde_json::from_str(&text).unwrap()
    }

    fn post(&self, path: &str, body: &str) -> String {
        // Longer data than a command line may hold comes from standard input.
        let data = if body.len() < 100_000 { body } else { "@-" };
        let mut curl = Command::new("curl")
            .args(["-sS", "--noproxy", "*", "-X", "POST", &format!("{}{path}", self.address)])
            .args(["-H", "Content-Type: application/json", "-d", data])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        if data == "@-" {
            curl.stdin.as_mut().unwrap().write_all(body.as_bytes()).unwrap();
        }
        let output = curl.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    fn file(&self, path: &str) -> String {
        let name = path.strip_prefix("/workspace/").unwrap();
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a reader's session, where there is a curl to run it with.
async fn session(read: impl FnOnce(&Sidecar, &Endpoint) + Send + 'static) {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        return skipped("curl is not installed");
    }
    let model = Endpoint::answers(|_, asked| completion(&grounded(asked.request()))).await;
    let session = move || read(&Sidecar::start(&model), &model);
    tokio::task::spawn_blocking(session).await.unwrap();
}

/// Lines of a page, so many tokens long.
fn page(name: &str, tokens: u64) -> String {
    let count = |lines: usize| -> String {
        (0..lines)
            .map(|n| format!("{name}, line {n}: context management keeps agents able to work.\n"))
            .collect()
    };
    let per_line = Tokenizer::for_model(None).count(&count(100)) as f64 / 100.0;
    count((tokens as f64 / per_line) as usize)
}

/// A call as the guide writes it, and its result.
fn call(id: &str, name: &str, said: &str, result: &str) -> [Value; 2] {
    let calls = json!([{"id": id, "name": name, "arguments": {"query": "AI context management"}}]);
    [
        json!({"role": "assistant", "content": said, "tool_calls": calls}),
        json!({"role": "tool", "tool_call_id": id, "content": result}),
    ]
}

/// About 95,000 tokens, of which two results of 8,200 and 7,800 can be moved.
fn research() -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "system", "content": "You are a helpful assistant"}),
        json!({"role": "user", "content": "Search for AI papers"}),
    ];
    let (found, read) = (page("Found 20 papers", 8_200), page("Full webpage content", 7_800));
    messages.extend(call("call_123", "web_search", "I will search for papers", &found));
    messages.extend(call("call_456", "read_webpage", "I will read the first", &read));
    for n in 0..22 {
        let (note, said) =
            (page(&format!("Note {n}"), 1_800), page(&format!("Thought {n}"), 1_800));
        messages.extend(call(&format!("call_{n}"), "read_webpage", &said, &note));
    }
    messages
}

fn body(messages: &[Value], more: &Value) -> Value {
    let mut body = json!({
        "messages": messages,
        "context_manage_mode": "auto",
        "max_total_tokens": 20000,
        "max_tool_message_tokens": 2000,
        "keep_recent_count": 2,
        "store_dir": "/workspace/context_store",
        "chat_id": "my_chat_session"
    });
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

fn members(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

/// At least so large a share of the tokens is gone.
fn down_by(answer: &Value, share: f64) {
    let report = &answer["metadata"]["report"];
    let (before, after) = (report["tokens_before"].as_u64(), report["tokens_after"].as_u64());
    let (before, after) = (before.unwrap() as f64, after.unwrap() as f64);
    assert!(after <= before * (1.0 - share), "{before} → {after}");
}

/// The system message ends in a snapshot that the model wrote; its originals are
/// where it says.
fn ends_in_a_snapshot(sidecar: &Sidecar, answer: &Value, began: &str, group: &str) -> Value {
    let text = answer["messages"][0]["content"].as_str().unwrap();
    assert!(text.starts_with(&format!("{began}\n\n<state_snapshot>\n<overall_goal>")), "{text}");
    let goal = between(text, "<overall_goal>\n", "\n</overall_goal>");
    assert_eq!(goal, Some("Search for AI papers"));
    assert!(text.ends_with(&format!(" messages are stored in: {group})")), "{text}");
    let snapshot = &answer["metadata"]["report"]["snapshot"];
    assert_eq!((&snapshot["source"], &snapshot["model"]), (&json!("llm"), &json!("guide-model")));
    assert_eq!(answer["metadata"]["write_file_dict"][group], sidecar.file(group));
    serde_json::from_str(&sidecar.file(group)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn example_1_auto_moves_results_and_compresses_what_is_left() {
    session(|sidecar, model| {
        let messages = research();
        let of_example = json!({"keep_recent_count": 0, "chat_id": "research_session_001"});
        let answer = sidecar.curl("/context_offload", &body(&messages, &of_example));
        assert_eq!(members(&answer), ["answer", "messages", "metadata", "success"]);
        assert_eq!(answer["success"], true);
        let report = &answer["metadata"]["report"];
        assert_eq!(report["outcome"], "compacted_and_compressed", "{}", report["warnings"]);
        let before = report["tokens_before"].as_u64().unwrap();
        assert!((90_000..105_000).contains(&before), "{before}");
        down_by(&answer, 0.8);
        let group = "/workspace/context_store/compressed_group_research_session_001_0.json";
        let originals = ends_in_a_snapshot(sidecar, &answer, "You are a helpful assistant", group);
        assert_eq!(originals, json!(messages[1..]), "uncompacted");
        let said = answer["answer"].as_str().unwrap();
        for (id, at) in [("call_123", 3), ("call_456", 5)] {
            let path = format!("/workspace/context_store/tool_{id}.txt");
            let line = format!("Successfully created and wrote to new file: {path}");
            assert!(said.lines().any(|said| said == line), "{said}");
            assert_eq!(sidecar.file(&path), messages[at]["content"]);
            assert_eq!(answer["metadata"]["write_file_dict"][&path], messages[at]["content"]);
            assert!(answer["messages"][0]["content"].as_str().unwrap().contains(&path));
        }
        let back = sidecar.curl("/rehydrate", &json!({"messages": answer["messages"]}));
        assert_eq!(back["messages"], json!(messages));
        // None are recent: all but the system message is in its snapshot.
        assert_eq!(answer["messages"].as_array().unwrap().len(), 1);
        assert_eq!(model.calls(), 1);
        assert_eq!(model.asked()[0].authorization, format!("Bearer {KEY}"));
    })
    .await;
}

/// As the guide counts it: 35,000 tokens of older messages become 7,000 or fewer.
#[tokio::test(flavor = "multi_thread")]
async fn compress_leaves_the_newest_messages_and_a_snapshot() {
    session(|sidecar, model| {
        let messages = research();
        let answer = sidecar.curl(
            "/context_offload",
            &body(&messages, &json!({"context_manage_mode": "compress"})),
        );
        assert_eq!(answer["metadata"]["report"]["outcome"], "compressed");
        down_by(&answer, 0.8);
        let group = "/workspace/context_store/compressed_group_my_chat_session_0.json";
        let originals = ends_in_a_snapshot(sidecar, &answer, "You are a helpful assistant", group);
        let recent = messages.len() - 2;
        assert_eq!(originals, json!(messages[1..recent]));
        // Where the newest begin with the model, words of the service's stand before them.
        let bridge = "(The messages before this one are summarised in the system prompt.)";
        assert_eq!(answer["messages"][1], json!({"role": "user", "content": bridge}));
        assert_eq!(answer["messages"].as_array().unwrap()[2..], messages[recent..]);
        assert_eq!(model.calls(), 1);
    })
    .await;
}

/// Iterations of searching and reading, as in §1: nearly all of it are results.
fn iterations() -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "system", "content": "You are a research assistant"}),
        json!({"role": "user", "content": "Find recent AI papers on context management"}),
    ];
    let sizes = [3_500, 8_200, 4_100, 7_800];
    for (n, tokens) in sizes.into_iter().cycle().take(16).enumerate() {
        let result = page(&format!("Result {n}"), tokens);
        messages.extend(call(
            &format!("call_{n}"),
            "web_search",
            "I'll search for papers",
            &result,
        ));
    }
    messages
}

/// Compaction suffices there, in `auto` as well: the model is not asked.
#[tokio::test(flavor = "multi_thread")]
async fn compact_moves_large_results_and_can_be_undone_by_hand() {
    session(|sidecar, model| {
        let messages = iterations();
        for mode in ["compact", "auto"] {
            let answer = sidecar
                .curl("/context_offload", &body(&messages, &json!({"context_manage_mode": mode})));
            let report = &answer["metadata"]["report"];
            assert_eq!(report["outcome"], "compacted", "{}", report["warnings"]);
            down_by(&answer, 0.7);
            let after = answer["messages"].as_array().unwrap();
            let recent = messages.len() - 2;
            assert_eq!(after[recent..], messages[recent..]);
            for (n, moved) in after[..recent].iter().enumerate().skip(2) {
                if n % 2 == 0 {
                    assert_eq!(*moved, messages[n], "calls stay");
                    continue;
                }
                let id = moved["tool_call_id"].as_str().unwrap();
                let path = format!("/workspace/context_store/tool_{id}.txt");
                let text = moved["content"].as_str().unwrap();
                let line = format!("(detailed result is stored in {path})");
                assert!(text.starts_with("Result ") && text.ends_with(&line), "{text}");
                assert_eq!(sidecar.file(&path), messages[n]["content"]);
                assert_eq!(answer["metadata"]["write_file_dict"][&path], messages[n]["content"]);
            }
            let actions = report["actions"].as_array().unwrap();
            for action in actions.iter().filter(|action| action["action"] == "compact") {
                let tokens = |name: &str| action[name].as_f64().unwrap();
                let kept = tokens("tokens_after") / tokens("tokens_before");
                assert!(kept <= 0.1, "90 to 98 % go: {action}");
            }
        }
        assert_eq!(model.calls(), 0);
    })
    .await;
}

/// §3.2: where offloaded content is found, and read, with the guide's own bodies.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_offloaded_is_found_and_read() {
    session(|sidecar, _| {
        let mut messages = iterations();
        messages[3]["content"] = json!(format!("tool1 tool1\n{}", page("Result 0", 3_500)));
        let offload = json!({"context_manage_mode": "compact", "store_dir": "./cache_file/"});
        sidecar.curl("/context_offload", &body(&messages, &offload));
        let asked = r#"{
    "pattern": "tool",
    "path": "./cache_file/",
    "glob": "*.txt",
    "limit": 100
  }"#;
        let found: Value = serde_json::from_str(&sidecar.post("/grep", asked)).unwrap();
        let text = found["answer"].as_str().unwrap();
        let head =
            "Found 1 match for pattern \"tool\" in path \"./cache_file/\" (filter: \"*.txt\"):";
        assert!(text.starts_with(&format!("{head}\n---\nFile: ")), "{text}");
        assert!(text.contains("tool_call_0.txt\nL1: tool1 tool1"), "{text}");
        assert_eq!((&found["success"], &found["messages"]), (&json!(true), &json!([])));
        let asked = r#"{
    "absolute_path": "./cache_file/tool_call_0.txt"
  }"#;
        let read: Value = serde_json::from_str(&sidecar.post("/read_file", asked)).unwrap();
        assert_eq!(read["answer"], messages[3]["content"]);
        assert_eq!((&read["success"], &read["messages"]), (&json!(true), &json!([])));
        let page =
            json!({"absolute_path": "./cache_file/tool_call_0.txt", "offset": 0, "limit": 1});
        let page = sidecar.curl("/read_file", &page)["answer"].as_str().unwrap().to_owned();
        assert!(page.contains("tool1 tool1") && !page.contains("line 1:"), "{page}");
    })
    .await;
}
