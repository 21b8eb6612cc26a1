//! Any path at any door that takes one, over a folder with links that lead out of
//! it: no byte from outside comes back, nothing is written there, and whether
//! something lies there makes no difference to the answer.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use unburden::envelope::Answer;
use unburden::service::Failure;

use super::place::{Place, folder};

/// What stands in the files outside.
const CANARY: &str = "canary-0f3a9c";

/// Words that stand for folders whose names are not known before: the root as the
/// system knows it, and the folder outside.
const WORDS: [&str; 2] = ["$ROOT", "$OUT"];

struct Walled {
    place: Place,
    outside: TempDir,
    root: String,
}

thread_local! {
    static WALLED: Walled = Walled::new();
}

pub(crate) fn run(data: &[u8]) {
    WALLED.with(|walled| {
        let text = String::from_utf8_lossy(data);
        let out = walled.outside.path().display().to_string();
        let path = text.replace(WORDS[0], &walled.root).replace(WORDS[1], &out);
        for (name, body) in doors(&path) {
            walled.asks(name, &body);
        }
        walled.writes(&path);
        walled.is_untouched();
    });
}

/// A body for every door that reads what a path names.
fn doors(path: &str) -> Vec<(&'static str, Value)> {
    let message = json!({"role": "tool", "tool_call_id": "call_1", "content":
        format!("[9 lines]\n(detailed result is stored in {path})")});
    let call =
        json!({"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let asked = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let snapshot = format!(
        "<state_snapshot>\n<overall_goal>\n-\n</overall_goal>\n<active_constraints>\n-\n\
         </active_constraints>\n<key_knowledge>\n-\n</key_knowledge>\n<artifact_trail>\n-\n\
         </artifact_trail>\n<recent_actions>\n-\n</recent_actions>\n<task_state>\n-\n\
         </task_state>\n</state_snapshot>\n(Original 1 messages are stored in: \
         {path}/compressed_group_c_0.json)"
    );
    vec![
        ("read_file", json!({"absolute_path": path})),
        ("read_file", json!({"absolute_path": path, "byte_offset": 0, "byte_limit": 64})),
        ("grep", json!({"pattern": ".", "path": path})),
        ("grep", json!({"pattern": ".", "path": "/workspace", "glob": path})),
        ("read_tool_result", json!({"result_id": path})),
        ("read_tool_result", json!({"result_id": "call_1", "store_dir": path})),
        ("lro_extract", json!({"file_path": path, "where": {"field": "id", "op": "exists"}})),
        ("rehydrate", json!({"messages": [asked, message]})),
        ("rehydrate", json!({"messages": [{"role": "system", "content": snapshot}]})),
        ("verify", json!({"store_dir": path})),
    ]
}

impl Walled {
    fn new() -> Walled {
        let place = Place::with(|config, _| config.reload.grep_deadline_ms = 500);
        let outside = folder();
        let files = ["secret.txt", "tool_call_1.txt", "compressed_group_c_0.json", "r.jsonl"];
        for name in files {
            let text = format!("[{{\"role\":\"user\",\"content\":\"{CANARY}\"}}]");
            fs::write(outside.path().join(name), text).expect("a folder for temporary files");
        }
        let root = place.path("");
        plant(&root, outside.path()).expect("a folder for temporary files");
        let root = root.display().to_string().trim_end_matches('/').to_owned();
        Walled { place, outside, root }
    }

    fn asks(&self, door: &str, body: &Value) {
        let service = &self.place.service;
        let bytes = body.to_string().into_bytes();
        let answer = match door {
            "read_file" => service.read_file(&bytes),
            "grep" => service.grep(&bytes),
            "read_tool_result" => service.read_tool_result(&bytes),
            "lro_extract" => service.lro_extract(&bytes),
            "verify" => service.verify(&bytes).map(|(answer, _)| answer),
            _ => service.rehydrate(&bytes),
        };
        let said = told(answer.map(Answer::into_json));
        assert!(!said.contains(CANARY), "{door} brought a byte from outside: {body} {said}");
    }

    /// Offloads into the path: whatever comes of it, it is under the root.
    fn writes(&self, path: &str) {
        let call = json!({"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let body = json!({
            "messages": [
                {"role": "assistant", "content": null, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "call_1", "content": "a line of it\n".repeat(30)},
            ],
            "store_dir": path, "max_total_tokens": 0, "max_tool_message_tokens": 0,
            "keep_recent_count": 0,
        });
        let bytes = body.to_string().into_bytes();
        let said = told(self.place.service.offload(&bytes).map(Answer::into_json));
        assert!(!said.contains(CANARY), "{path:?}: {said}");
    }

    fn is_untouched(&self) {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.outside.path()).expect("it is there").flatten() {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            assert!(text.contains(CANARY), "{:?} was changed", entry.file_name());
            names.push(entry.file_name());
        }
        assert_eq!(names.len(), 4, "something was written outside: {names:?}");
    }
}

fn told(answer: Result<String, Failure>) -> String {
    answer.unwrap_or_else(|failure| format!("{failure} {failure:?}"))
}

/// Files, folders, and links of every kind that lead out.
fn plant(root: &Path, outside: &Path) -> std::io::Result<()> {
    fs::create_dir_all(root.join("store/deep"))?;
    fs::write(root.join("store/tool_call_2.txt"), "inside\n")?;
    fs::write(root.join("store/..name..txt"), "a legal name\n")?;
    symlink(outside, root.join("out"))?;
    symlink(outside.join("secret.txt"), root.join("store/tool_call_1.txt"))?;
    symlink(outside.join("compressed_group_c_0.json"), root.join("compressed_group_c_0.json"))?;
    symlink("../../../../../../../../../../", root.join("store/deep/up"))?;
    symlink("loop", root.join("loop"))?;
    symlink("store", root.join("inside"))
}
