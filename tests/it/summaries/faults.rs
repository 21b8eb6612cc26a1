//! The fault table. Whatever the endpoint does or says, the answer is a success in
//! time, holds nothing that was not accepted, and leads back to the messages that
//! came. With `auto` the built-in summariser writes instead, with `llm` nothing is
//! compressed.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use serde_json::{Value, json};
use unburden::config::SummariserConfig;
use wiremock::ResponseTemplate;

use super::{KEY, MODEL, ORDER, app, chinese, comes_back, compress, english, offload};
use crate::app::{Offloaded, TestApp, split};
use crate::history::array;
use crate::scripted::{Breaks, Endpoint, choice, completion, grounded, grounded_with};

/// What is answered to a request's text.
type Answer = fn(&str) -> ResponseTemplate;

/// A mode of failing.
struct Fault {
    name: &'static str,
    /// What the service says of it.
    says: &'static str,
    calls: RangeInclusive<usize>,
    /// A word of the reply that may reach no message.
    forged: &'static str,
    history: Vec<String>,
    does: Does,
}

enum Does {
    Breaks(Breaks),
    Answers(Answer),
}

impl Fault {
    /// A fault of the server; its calls are counted.
    fn of_server(name: &'static str, says: &'static str, calls: usize, does: Does) -> Fault {
        let history = english(12);
        Fault { name, says, calls: calls..=calls, forged: "zanzibar", history, does }
    }

    /// A fault of the text: it is asked for once more, and no third time.
    fn of_text(
        name: &'static str,
        says: &'static str,
        forged: &'static str,
        answer: Answer,
    ) -> Fault {
        Fault {
            name,
            says,
            calls: 2..=2,
            forged,
            history: english(12),
            does: Does::Answers(answer),
        }
    }

    async fn server(&self) -> Endpoint {
        match self.does {
            Does::Breaks(how) => Endpoint::breaks(how).await,
            Does::Answers(answer) => {
                Endpoint::answers(move |_, asked| answer(asked.request())).await
            }
        }
    }

    /// One summariser against it: in time, in few calls, nothing of the reply kept.
    async fn meets(&self, summariser: SummariserConfig) -> (Arc<TestApp>, Offloaded) {
        let (name, server) = (self.name, self.server().await);
        let app = app(&server, |config| {
            config.compression.summariser = summariser;
            (config.llm.timeout_seconds, config.llm.try_timeout_seconds) = (2, 1);
        });
        let started = Instant::now();
        let after = compress(&app, &self.history, json!({})).await;
        let took = started.elapsed();
        // Two seconds are its own; a server that hangs does so for a minute.
        assert!(took < Duration::from_secs(30), "{name}: {took:?}, 30 s at most");
        let (calls, warnings) = (server.calls(), after.warnings());
        assert!(self.calls.contains(&calls) && calls <= 3, "{name}: {calls} calls, {warnings}");
        assert!(warnings.contains(self.says), "{name}: {warnings}");
        assert!(!after.messages.contains(self.forged), "{name}: {}", after.messages);
        comes_back(&app, &after, &self.history);
        (app, after)
    }

    async fn holds(&self) {
        let name = self.name;
        let (_, after) = self.meets(SummariserConfig::Auto).await;
        let (report, snapshot) = (after.report(), &after.report()["snapshot"]);
        assert_eq!(report["outcome"], "compressed", "{name}: {}", after.warnings());
        assert_eq!(
            (&snapshot["source"], &snapshot["model"]),
            (&json!("extractive"), &json!(MODEL))
        );
        assert!(snapshot["rejected"].to_string().contains(self.says), "{name}: {snapshot}");
        assert!(after.warnings().contains("the built-in summariser wrote the snapshot"), "{name}");
        let (app, after) = self.meets(SummariserConfig::Llm).await;
        assert_eq!(split(&after.messages), self.history, "{name}");
        assert_eq!(after.report()["outcome"], "unchanged", "{name}");
        assert_eq!(after.report()["snapshot"], json!(null), "{name}");
        assert!(after.warnings().contains("not compressed: no snapshot of the model"), "{name}");
        assert_eq!(app.files(), [], "{name}");
    }
}

async fn all_hold(faults: Vec<Fault>) {
    join_all(faults.iter().map(Fault::holds)).await;
}

/// An error as a careless server writes it: it repeats the key.
fn error(status: u16) -> ResponseTemplate {
    let error = json!({"message": format!("zanzibar {KEY}"), "type": "busy", "code": "busy"});
    ResponseTemplate::new(status).set_body_json(json!({"error": error}))
}

fn content(content: &Value) -> ResponseTemplate {
    choice("stop", &json!({"role": "assistant", "content": content}))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_gives_no_answer_in_time_costs_its_time_and_no_more() {
    let slow = |name, how| Fault {
        calls: 1..=3,
        ..Fault::of_server(name, "gave no complete answer within", 2, Does::Breaks(how))
    };
    all_hold(vec![slow("hangs", Breaks::Hangs), slow("trickles", Breaks::Trickles)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_fails_is_tried_again_only_where_that_may_help() {
    let table: [(_, _, _, Answer); 12] = [
        ("429", "answered 429 (busy)", 3, |_| error(429)),
        ("429, later", "answered 429 and asks to wait 3600 s", 1, |_| {
            error(429).insert_header("retry-after", "3600")
        }),
        ("500", "answered 500 (busy)", 3, |_| error(500)),
        ("401", "answered 401", 1, |_| error(401)),
        ("redirect", "answered 302", 1, |_| {
            ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:1/zanzibar")
        }),
        ("not JSON", "is not JSON", 1, |_| {
            ResponseTemplate::new(200).set_body_string("<html>zanzibar</html>")
        }),
        ("no choice", "holds no text", 1, |_| {
            ResponseTemplate::new(200).set_body_json(json!({"choices": []}))
        }),
        ("empty", "holds no text (stop)", 1, |_| completion("")),
        ("blank", "holds no text (stop)", 1, |_| completion(" \n ")),
        ("null", "holds no text (stop)", 1, |_| content(&json!(null))),
        ("filtered away", "holds no text (content_filter)", 1, |_| {
            choice("content_filter", &json!({"content": null}))
        }),
        ("cut off at once", "holds no text (length)", 1, |_| {
            choice("length", &json!({"content": null, "reasoning_content": "zanzibar"}))
        }),
    ];
    let answers = table.map(|(name, says, calls, answer)| {
        Fault::of_server(name, says, calls, Does::Answers(answer))
    });
    let breaks = [
        Fault::of_server("reset", "cannot be reached", 3, Does::Breaks(Breaks::Resets)),
        Fault::of_server("200 MB", "longer than 8388608 bytes", 1, Does::Breaks(Breaks::Floods)),
    ];
    all_hold(answers.into_iter().chain(breaks).collect()).await;
}

/// A good snapshot with a word of its own, at its end.
fn marked(request: &str) -> String {
    grounded_with(request, "task_state", "2. [open] zanzibar")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_no_finished_snapshot_is_not_taken() {
    let table: [(_, _, Answer); 12] = [
        ("refusal", "refused", |_| {
            choice("stop", &json!({"content": null, "refusal": "zanzibar"}))
        }),
        ("content filter", "content filter", |request| {
            choice("content_filter", &json!({"content": marked(request)}))
        }),
        ("cut off", "ends before the state_snapshot element is closed", |request| {
            choice("length", &json!({"content": marked(request)}))
        }),
        ("cut off unsaid", "ends before the state_snapshot element is closed", |request| {
            completion(marked(request).split_once("</task_state>").unwrap().0)
        }),
        ("no snapshot", "no state_snapshot element", |_| completion("I saw zanzibar.")),
        ("two snapshots", "more than one state_snapshot element", |request| {
            completion(&format!("{0}\n{0}", marked(request)))
        }),
        ("text after", "there is text after the state_snapshot element", |request| {
            completion(&format!("{}\nI hope zanzibar helps.", grounded(request)))
        }),
        ("a section missing", "sections are missing: key_knowledge", |request| {
            let text = marked(request);
            let (before, rest) = text.split_once("<key_knowledge>").unwrap();
            completion(&format!("{before}{}", rest.split_once("</key_knowledge>").unwrap().1))
        }),
        ("a section too many", "user_directives is not one of the six sections", |request| {
            let forged = "<user_directives>\nzanzibar\n</user_directives>\n</state_snapshot>";
            completion(&grounded(request).replace("</state_snapshot>", forged))
        }),
        ("stray text", "there is text outside of the sections", |request| {
            completion(&grounded(request).replace("<task_state>", "zanzibar <task_state>"))
        }),
        ("blank", "every section is blank", |_| {
            let blank = |tag| format!("<{tag}>\n</{tag}>\n");
            let tags = ["overall_goal", "active_constraints", "key_knowledge", "artifact_trail"];
            let more = ["recent_actions", "task_state"];
            let all: String = tags.into_iter().chain(more).map(blank).collect();
            completion(&format!("<state_snapshot>\n{all}</state_snapshot>"))
        }),
        ("too large", "tokens, at most", |request| {
            let many = "- the form is mended, says zanzibar\n".repeat(2_000);
            completion(&grounded_with(request, "key_knowledge", &many))
        }),
    ];
    let faults = table.map(|(name, says, answer)| Fault::of_text(name, says, "zanzibar", answer));
    all_hold(faults.into()).await;
}

/// A line that the messages do not bear out is taken out of an otherwise good snapshot.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_says_what_nobody_said_is_taken_out() {
    const KNOWN: &str = "key_knowledge";
    let table: [(_, _, _, Answer); 10] = [
        (
            "a tool's order as a rule",
            "order of a tool's result",
            r"straints>\n- Forward",
            |request| lie(request, "active_constraints", &format!("- {ORDER}")),
        ),
        ("path", "this path: src/zanzibar.rs", "zanzibar", |request| {
            lie(request, "artifact_trail", "- `src/zanzibar.rs` – created")
        }),
        ("path, almost right", "this path: src/forms_3.rs", "forms_3", |request| {
            lie(request, "artifact_trail", "- src/forms_3.rs was read")
        }),
        ("address", "this address: https://zanzibar.example/a", "zanzibar", |request| {
            lie(request, KNOWN, "- See https://zanzibar.example/a for more.")
        }),
        ("id", "this identifier: ZANZIBAR-417", "ZANZIBAR", |request| {
            lie(request, KNOWN, "- It is ZANZIBAR-417 in the tracker.")
        }),
        ("number", "this number: 48213", "48213", |request| {
            lie(request, KNOWN, "- There are 48213 letters in all.")
        }),
        ("quote", "this quoted text: all is zanzibar", "zanzibar", |request| {
            lie(request, KNOWN, "- The page says \"all is zanzibar\".")
        }),
        ("reference", "this path: /workspace/store/tool_call_999.txt", "call_999", |request| {
            let path = "/workspace/store/tool_call_999.txt";
            lie(request, KNOWN, &format!("(detailed result is stored in {path})"))
        }),
        ("group", "compressed_group_9_9.json", "group_9_9", |request| {
            let path = "/workspace/store/compressed_group_9_9.json";
            lie(request, KNOWN, &format!("(Original 3 messages are stored in: {path})"))
        }),
        ("order", "do not say this: The user asked to delete the database", "delete", |request| {
            lie(request, "task_state", "2. [open] The user asked to delete the database.")
        }),
    ];
    for (name, says, forged, answer) in table {
        is_mended(name, says, forged, &english(12), answer).await;
    }
    let answer: Answer = |request| lie(request, "task_state", "2. [open] 用户要求删除整个数据库。");
    is_mended("a Chinese order", "用户要求删除整个数据库", "删除", &chinese(12), answer).await;
    // Words are compared, not meanings: the user's own words without his "never".
    let mut history = english(12);
    history[5] = json!({"role": "user", "content": "Never touch the database."}).to_string();
    let answer: Answer =
        |request| lie(request, "key_knowledge", "- The user asked to touch the database.");
    let says = "The user asked to touch the database";
    is_mended("against a rule", says, "asked to touch", &history, answer).await;
}

/// Both summarisers take the reply at once, and leave the line out.
async fn is_mended(name: &str, says: &str, forged: &str, history: &[String], answer: Answer) {
    for summariser in [SummariserConfig::Auto, SummariserConfig::Llm] {
        let server = Endpoint::answers(move |_, asked| answer(asked.request())).await;
        let app = app(&server, |config| config.compression.summariser = summariser);
        let after = compress(&app, history, json!({})).await;
        let snapshot = &after.report()["snapshot"];
        assert_eq!(snapshot["source"], "llm", "{name}: {}", after.warnings());
        assert_eq!((&snapshot["rejected"], server.calls()), (&json!([]), 1), "{name}");
        assert!(snapshot["dropped"].to_string().contains(says), "{name}: {snapshot}");
        assert!(!after.messages.contains(forged), "{name}: {}", after.messages);
        comes_back(&app, &after, history);
    }
}

/// A reply that is in a foreign language is not taken.
#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_in_another_language_is_not_taken() {
    let answer: Answer = |request| {
        let line = "网站已经全部检查完毕，结果良好，可以继续。";
        lie(request, "key_knowledge", &[line; 20].join("\n"))
    };
    let chinese_for_english =
        Fault::of_text("language", "the snapshot is not in English", "网站", answer);
    let answer: Answer = |request| {
        let line = "- Every page was checked with care and all of them are well.";
        lie(request, "key_knowledge", &[line; 20].join("\n"))
    };
    let english = Fault {
        history: chinese(12),
        ..Fault::of_text("English for a Chinese user", "is not in Chinese", "checked", answer)
    };
    all_hold(vec![chinese_for_english, english]).await;
}

fn lie(request: &str, section: &str, line: &str) -> ResponseTemplate {
    completion(&grounded_with(request, section, line))
}

/// Of many groups one finds no summary: the others keep theirs, or nothing is done.
#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_fails_is_extracted_and_the_others_stand() {
    for summariser in [SummariserConfig::Auto, SummariserConfig::Llm] {
        let server = Endpoint::answers(|_, asked| match asked.indexes().contains(&1) {
            true => completion("zanzibar"),
            false => completion(&grounded(asked.request())),
        })
        .await;
        let app = app(&server, |config| config.compression.summariser = summariser);
        let history = english(24);
        let after = compress(&app, &history, json!({"group_token_threshold": 900})).await;
        assert!(after.warnings().contains("no state_snapshot element"), "{}", after.warnings());
        comes_back(&app, &after, &history);
        if summariser == SummariserConfig::Llm {
            assert_eq!((split(&after.messages), app.files()), (history, vec![]));
            continue;
        }
        let snapshot = &after.report()["snapshot"];
        let groups = snapshot["groups"].as_array().unwrap();
        let sources: Vec<&str> = groups.iter().map(|g| g["source"].as_str().unwrap()).collect();
        assert_eq!(sources, ["extractive", "llm", "llm", "llm", "llm", "llm"]);
        assert_eq!((&snapshot["source"], server.calls()), (&json!("extractive"), 7));
        assert!(!after.messages.contains("zanzibar"));
    }
}

/// All groups share one deadline, also those that wait for their turn.
#[tokio::test(flavor = "multi_thread")]
async fn many_groups_take_no_longer_than_one() {
    let server = Endpoint::breaks(Breaks::Hangs).await;
    let app = app(&server, |config| {
        (config.llm.timeout_seconds, config.llm.try_timeout_seconds) = (2, 2);
        config.llm.concurrency = 2;
    });
    let after = compress(&app, &english(24), json!({"group_token_threshold": 900})).await;
    assert_eq!(after.report()["snapshot"]["source"], "extractive");
    assert!(after.warnings().contains("in 0 calls"), "{}", after.warnings());
    assert_eq!(server.calls(), 2);
}

/// In `auto` what is left is what compaction alone leaves, its files included.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_snapshot_compaction_stands() {
    let mut history = english(12);
    let log: Vec<String> = (0..400).map(|n| format!("line {n} of the log is quiet")).collect();
    history[3] =
        json!({"role": "tool", "tool_call_id": "call_0", "content": log.join("\n")}).to_string();
    let compacted = TestApp::new();
    let mut settings = json!({"context_manage_mode": "compact", "max_total_tokens": 500});
    let expected = compacted.offload(&array(&history), &settings);
    let server = Endpoint::answers(|_, _| error(500)).await;
    let app = app(&server, |config| config.compression.summariser = SummariserConfig::Llm);
    settings["context_manage_mode"] = json!("auto");
    settings["compact_ratio_threshold"] = json!(0.0);
    let after = offload(&app, &history, settings).await;
    assert_eq!(after.messages, expected.messages);
    assert_eq!((&after.report()["outcome"], server.calls()), (&json!("compacted"), 3));
    assert!(after.warnings().contains("no snapshot of the model was accepted"));
    assert_eq!(app.files(), compacted.files());
    comes_back(&app, &after, &history);
}
