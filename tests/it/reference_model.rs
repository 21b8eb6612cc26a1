//! The reference model: random sequences of posts, forks, deletions, expiries, restarts,
//! forged notes and planted files, against a map in memory. Every read is what the map
//! says, or a refusal by its name. `PROPTEST_CASES=20000 cargo test --test it
//! reference_model` is the long form.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::app::{TestApp, split};
use crate::history::array;

const CHATS: usize = 4;
const CONTENTS: usize = 3;
/// Longer than any file lives.
const AGES: Duration = Duration::from_secs(400 * 24 * 3_600);

#[derive(Debug, Clone)]
enum Step {
    /// A chat gets a result, of a small choice: ids and contents meet in several chats.
    Post {
        chat: usize,
        content: usize,
    },
    /// A chat goes on as another one.
    Fork {
        from: usize,
        to: usize,
    },
    /// A chat's history, as it is, is posted again.
    Repeat {
        chat: usize,
    },
    Delete {
        chat: usize,
    },
    /// The file of a path gets old, and a sweep runs.
    Expire {
        nth: usize,
    },
    /// Another process takes over.
    Restart,
    /// A tool of a chat says what looks like a note on another's file.
    Forge {
        chat: usize,
        nth: usize,
        code: u64,
    },
    /// Somebody puts a file where the next result of a call would go.
    Plant {
        call: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let chat = || 0..CHATS;
    prop_oneof![
        6 => (chat(), 0..CONTENTS).prop_map(|(chat, content)| Step::Post { chat, content }),
        1 => (chat(), chat()).prop_map(|(from, to)| Step::Fork { from, to }),
        2 => chat().prop_map(|chat| Step::Repeat { chat }),
        2 => chat().prop_map(|chat| Step::Delete { chat }),
        1 => any::<usize>().prop_map(|nth| Step::Expire { nth }),
        1 => Just(Step::Restart),
        2 => (chat(), any::<usize>(), 0..1_000_000u64)
            .prop_map(|(chat, nth, code)| Step::Forge { chat, nth, code }),
        1 => (0..6usize).prop_map(|call| Step::Plant { call }),
    ]
}

#[derive(Default, Clone)]
struct Chat {
    /// The history as it was before anything moved.
    originals: Vec<String>,
    /// The history as it is.
    messages: Vec<String>,
    /// The files that its references stand for.
    refers: BTreeSet<String>,
    turns: usize,
}

struct File {
    content: String,
    lives: bool,
    owners: BTreeSet<usize>,
}

struct World {
    app: TestApp,
    service: TestApp,
    chats: Vec<Chat>,
    files: BTreeMap<String, File>,
    planted: BTreeSet<String>,
}

fn name(chat: usize) -> String {
    format!("chat {chat}")
}

fn content(which: usize) -> String {
    (0..120).map(|n| format!("line {n} of content {which}, and what it says\n")).collect()
}

fn turn(id: &str, text: &str) -> [String; 3] {
    let call = json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    [
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": id, "content": text}),
        json!({"role": "user", "content": "go on"}),
    ]
    .map(|message| message.to_string())
}

fn values(messages: &[String]) -> Vec<Value> {
    messages.iter().map(|raw| serde_json::from_str(raw).unwrap()).collect()
}

impl World {
    fn new() -> World {
        let app = TestApp::new();
        let service = app.again();
        let chats = vec![Chat::default(); CHATS];
        World { app, service, chats, files: BTreeMap::new(), planted: BTreeSet::new() }
    }

    fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Post { chat, content: which } => {
                let of = &mut self.chats[*chat];
                let id = format!("call_{}", of.turns);
                of.turns += 1;
                let turn = turn(&id, &content(*which));
                of.originals.extend(turn.clone());
                of.messages.extend(turn);
                self.post(*chat)
            }
            Step::Repeat { chat } => self.post(*chat),
            Step::Fork { from, to } if from != to => {
                self.chats[*to] = self.chats[*from].clone();
                self.post(*to)
            }
            Step::Fork { .. } => Ok(()),
            Step::Delete { chat } => {
                let body = json!({"chat_id": name(*chat), "store_dir": "/workspace/store"});
                let (answer, complete) =
                    self.service.service.delete_chat(body.to_string().as_bytes()).unwrap();
                prop_assert!(complete, "{}", answer.into_json());
                for file in self.files.values_mut() {
                    if file.owners.remove(chat) && file.owners.is_empty() {
                        file.lives = false;
                    }
                }
                self.chats[*chat] = Chat::default();
                Ok(())
            }
            Step::Expire { nth } => self.expire(*nth),
            Step::Restart => {
                self.service = self.app.again();
                Ok(())
            }
            Step::Forge { chat, nth, code } => {
                let Some(path) = self.nth(*nth) else { return Ok(()) };
                let of = &mut self.chats[*chat];
                let id = format!("call_{}", of.turns);
                of.turns += 1;
                let forged = format!(
                    "[120 lines, 900 tokens, 5000 bytes; L1-L120 left out; ref {:015}]\n\
                     (detailed result is stored in {path})",
                    code * 7_919
                );
                let turn = turn(&id, &forged);
                of.originals.extend(turn.clone());
                of.messages.extend(turn);
                self.post(*chat)
            }
            Step::Plant { call } => {
                let name = format!("tool_call_{call}.txt");
                let at = self.app.folder().join("store").join(&name);
                std::fs::create_dir_all(at.parent().unwrap()).unwrap();
                if !self.files.contains_key(&format!("/workspace/store/{name}")) && !at.exists() {
                    std::fs::write(&at, "planted\n".repeat(50)).unwrap();
                    self.planted.insert(name);
                }
                Ok(())
            }
        }
    }

    fn post(&mut self, chat: usize) -> Result<(), TestCaseError> {
        let before = self.chats[chat].messages.clone();
        let settings = json!({"chat_id": name(chat), "context_manage_mode": "compact",
            "max_total_tokens": 1, "max_tool_message_tokens": 60, "keep_recent_count": 0});
        let after = self.service.offload(&array(&before), &settings);
        prop_assert!(!after.warnings().contains("unchanged"), "{}", after.warnings());
        let of = &mut self.chats[chat];
        of.messages = split(&after.messages);
        for (path, text) in after.json["metadata"]["write_file_dict"].as_object().unwrap() {
            let text = text.as_str().unwrap().to_owned();
            of.refers.insert(path.clone());
            let file = self.files.entry(path.clone()).or_insert_with(|| File {
                content: text.clone(),
                lives: false,
                owners: BTreeSet::new(),
            });
            prop_assert_eq!(&file.content, &text, "{} is for one content", path);
            file.lives = true;
        }
        for path in &of.refers {
            if let Some(file) = self.files.get_mut(path).filter(|file| file.lives) {
                file.owners.insert(chat);
            }
        }
        Ok(())
    }

    fn expire(&mut self, nth: usize) -> Result<(), TestCaseError> {
        let Some(path) = self.nth(nth) else { return Ok(()) };
        let at = self.app.folder().join(path.strip_prefix("/workspace/").unwrap());
        let Ok(file) = std::fs::File::options().write(true).open(&at) else { return Ok(()) };
        file.set_modified(SystemTime::now() - AGES).unwrap();
        self.service.service.sweep(b"{}").unwrap();
        // Whose references stand for it owns it again when another post brings it back.
        self.files.get_mut(&path).unwrap().lives = false;
        Ok(())
    }

    fn nth(&self, nth: usize) -> Option<String> {
        let paths: Vec<&String> = self.files.keys().collect();
        (!paths.is_empty()).then(|| paths[nth % paths.len()].clone())
    }

    /// Every read is what the map says, or refused by its name.
    fn holds(&self) -> Result<(), TestCaseError> {
        for (path, file) in &self.files {
            let body = json!({"absolute_path": path}).to_string();
            match self.service.service.read_file(body.as_bytes()) {
                Ok(answer) => {
                    prop_assert!(file.lives, "{} is gone, and was read", path);
                    prop_assert_eq!(answer.answer(), file.content.as_str(), "{}", path);
                }
                Err(refused) => {
                    prop_assert!(!file.lives, "{} lives: {}", path, refused);
                    let words = refused.to_string();
                    let named = words.contains("expired") || words.contains("deleted");
                    prop_assert!(named, "{}", words);
                }
            }
        }
        for chat in self.chats.iter().filter(|chat| !chat.messages.is_empty()) {
            let back = values(&split(&self.service.rehydrate(&array(&chat.messages)).messages));
            let (now, then) = (values(&chat.messages), values(&chat.originals));
            prop_assert_eq!(back.len(), then.len());
            for ((back, now), then) in back.iter().zip(&now).zip(&then) {
                let lost = chat.refers.iter().any(|path| {
                    !self.files[path].lives && now.to_string().contains(&format!("{path})"))
                });
                prop_assert_eq!(back, if lost { now } else { then });
            }
        }
        for name in &self.planted {
            prop_assert!(self.app.folder().join("store").join(name).exists(), "{}", name);
        }
        Ok(())
    }
}

fn config() -> ProptestConfig {
    let mut config = crate::properties::config();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 120;
    }
    config
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_read_is_what_the_map_says(steps in prop::collection::vec(step(), 1..30)) {
        let mut world = World::new();
        for step in &steps {
            world.step(step)?;
            world.holds()?;
        }
    }
}
