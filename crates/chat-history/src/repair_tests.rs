//! Broken histories of the same shapes in every format: after a repair the provider's rules hold.

use serde_json::{Value, json};

use super::repair;
use crate::History;

/// A format: how it writes text of the user and of the model, calls and results.
struct Format {
    name: &'static str,
    user: fn(&str) -> Value,
    model: fn(&str) -> Value,
    calls: fn(&[&str]) -> Vec<Value>,
    results: fn(&[&str]) -> Vec<Value>,
}

fn each(ids: &[&str], value: impl Fn(&str) -> Value) -> Vec<Value> {
    ids.iter().map(|id| value(id)).collect()
}

const FORMATS: [Format; 8] = [
    Format {
        name: "openai-chat",
        user: |text| json!({"role": "user", "content": text}),
        model: |text| json!({"role": "assistant", "content": text}),
        calls: |ids| {
            let calls = each(
                ids,
                |id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}),
            );
            vec![json!({"role": "assistant", "content": null, "tool_calls": calls})]
        },
        results: |ids| {
            each(
                ids,
                |id| json!({"role": "tool", "tool_call_id": id, "content": format!("r {id}")}),
            )
        },
    },
    Format {
        name: "openai-responses",
        user: |text| json!({"type": "message", "role": "user", "content": text}),
        model: |text| {
            let content = json!([{"type": "output_text", "text": text}]);
            json!({"type": "message", "role": "assistant", "content": content})
        },
        calls: |ids| {
            each(
                ids,
                |id| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"}),
            )
        },
        results: |ids| {
            each(
                ids,
                |id| json!({"type": "function_call_output", "call_id": id, "output": format!("r {id}")}),
            )
        },
    },
    Format {
        name: "anthropic",
        user: |text| json!({"role": "user", "content": [{"type": "text", "text": text}]}),
        model: |text| json!({"role": "assistant", "content": [{"type": "text", "text": text}]}),
        calls: |ids| {
            let calls =
                each(ids, |id| json!({"type": "tool_use", "id": id, "name": "f", "input": {}}));
            vec![json!({"role": "assistant", "content": calls})]
        },
        results: |ids| {
            let results = each(
                ids,
                |id| json!({"type": "tool_result", "tool_use_id": id, "content": format!("r {id}")}),
            );
            vec![json!({"role": "user", "content": results})]
        },
    },
    Format {
        name: "bedrock",
        user: |text| json!({"role": "user", "content": [{"text": text}]}),
        model: |text| json!({"role": "assistant", "content": [{"text": text}]}),
        calls: |ids| {
            let calls =
                each(ids, |id| json!({"toolUse": {"toolUseId": id, "name": "f", "input": {}}}));
            vec![json!({"role": "assistant", "content": calls})]
        },
        results: |ids| {
            let results = each(
                ids,
                |id| json!({"toolResult": {"toolUseId": id, "content": [{"text": format!("r {id}")}]}}),
            );
            vec![json!({"role": "user", "content": results})]
        },
    },
    Format {
        name: "gemini",
        user: |text| json!({"role": "user", "parts": [{"text": text}]}),
        model: |text| json!({"role": "model", "parts": [{"text": text}]}),
        calls: |ids| {
            let calls = each(ids, |id| json!({"functionCall": {"id": id, "name": id, "args": {}}}));
            vec![json!({"role": "model", "parts": calls})]
        },
        results: |ids| {
            let results = each(ids, |id| {
                let output = json!({"output": format!("r {id}")});
                json!({"functionResponse": {"id": id, "name": id, "response": output}})
            });
            vec![json!({"role": "user", "parts": results})]
        },
    },
    Format {
        name: "ai-sdk",
        user: |text| json!({"role": "user", "content": text}),
        model: |text| json!({"role": "assistant", "content": [{"type": "text", "text": text}]}),
        calls: |ids| {
            let calls = each(
                ids,
                |id| json!({"type": "tool-call", "toolCallId": id, "toolName": "f", "input": {}}),
            );
            vec![json!({"role": "assistant", "content": calls})]
        },
        results: |ids| {
            let results = each(ids, |id| {
                let output = json!({"type": "text", "value": format!("r {id}")});
                json!({"type": "tool-result", "toolCallId": id, "toolName": "f", "output": output})
            });
            vec![json!({"role": "tool", "content": results})]
        },
    },
    Format {
        name: "langchain",
        user: |text| json!({"type": "human", "content": text}),
        model: |text| json!({"type": "ai", "content": text}),
        calls: |ids| {
            let calls =
                each(ids, |id| json!({"id": id, "name": "f", "args": {}, "type": "tool_call"}));
            vec![json!({"type": "ai", "content": "", "tool_calls": calls})]
        },
        results: |ids| {
            each(
                ids,
                |id| json!({"type": "tool", "tool_call_id": id, "name": "f", "content": format!("r {id}")}),
            )
        },
    },
    Format {
        name: "pi",
        user: |text| json!({"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1}),
        model: |text| pi_model(&json!([{"type": "text", "text": text}]), "stop"),
        calls: |ids| {
            let calls =
                each(ids, |id| json!({"type": "toolCall", "id": id, "name": "f", "arguments": {}}));
            vec![pi_model(&json!(calls), "toolUse")]
        },
        results: |ids| {
            each(ids, |id| {
                let content = json!([{"type": "text", "text": format!("r {id}")}]);
                json!({"role": "toolResult", "toolCallId": id, "toolName": "f", "content": content,
                    "isError": false, "timestamp": 1})
            })
        },
    },
];

fn pi_model(content: &Value, reason: &str) -> Value {
    json!({"role": "assistant", "content": content, "api": "openai-responses", "provider": "p",
        "model": "m", "usage": {}, "stopReason": reason, "timestamp": 1})
}

/// The shapes: `u` and `s` are texts of the user and of the model, `c` calls and `r` results,
/// followed by the ids.
const SHAPES: [(&str, &str); 18] = [
    ("late", "u cab rb s ra s u"),
    ("both late", "u cab s rab s u"),
    ("apart", "u cab ra u rb s u"),
    ("reversed", "u cab rb ra s u"),
    ("missing", "u cab rb s u"),
    ("none", "u cab u s u"),
    ("orphan", "u rz s u"),
    ("orphan first", "rz u s u"),
    ("two results", "u ca ra ra s u"),
    ("before its call", "u ra ca s u"),
    ("split", "u ca cb ra rb s u"),
    ("split, one message", "u ca cb rba s u"),
    ("split, late", "u ca cb rb s u ra s"),
    ("two turns late", "u ca s u cb rb ra s u"),
    ("one at the end", "u cab ra"),
    ("none at the end", "u ca"),
    ("behind the user", "u cab u rab s"),
    ("three apart", "u cabd rb u ra u rd s u"),
];

fn history(format: &Format, shape: &str) -> Vec<Value> {
    let mut messages = Vec::new();
    for (at, word) in shape.split(' ').enumerate() {
        let ids: Vec<String> = word[1..].chars().map(String::from).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        match &word[..1] {
            "u" => messages.push((format.user)(&format!("words {at}"))),
            "s" => messages.push((format.model)(&format!("words {at}"))),
            "c" => messages.extend((format.calls)(&ids)),
            _ => messages.extend((format.results)(&ids)),
        }
    }
    messages
}

fn rules(array: &str, format: &Format) -> Vec<&'static str> {
    let history = History::parse(array, format.name).unwrap();
    let views = history.views().unwrap();
    let problems = history.dialect().problems(&views.iter().collect::<Vec<_>>());
    problems.iter().map(|problem| problem.rule.name).collect()
}

#[test]
fn a_repaired_history_breaks_no_rule_and_loses_nothing() {
    for format in &FORMATS {
        for (name, shape) in SHAPES {
            let posted = json!(history(format, shape)).to_string();
            let repaired = repair(&History::parse(&posted, format.name).unwrap()).unwrap();
            let of = format!("{} {name}: {:?} {}", format.name, repaired.repairs, repaired.array);
            assert_eq!(rules(&repaired.array, format), [""; 0], "{of}");
            assert_eq!(repaired.repairs.is_empty(), rules(&posted, format).is_empty(), "{of}");
            // Each text occurs once; a result without a call does not occur, and of two results the
            // first does.
            for (at, word) in shape.split(' ').enumerate() {
                let words = format!("\"words {at}\"");
                assert_eq!(repaired.array.contains(&words), posted.contains(&words), "{of}");
                for id in word[1..].chars().filter(|_| word.starts_with('r')) {
                    let is_lost = shape.starts_with("u ra") || id == 'z';
                    let count = repaired.array.matches(&format!("\"r {id}\"")).count();
                    assert_eq!(count, usize::from(!is_lost), "{of}");
                }
            }
            let again = repair(&History::parse(&repaired.array, format.name).unwrap()).unwrap();
            assert_eq!((again.array, again.repairs), (repaired.array, Vec::new()), "{of}");
        }
    }
}

/// Results after other blocks of their message move before these; everything else keeps its bytes.
#[test]
fn results_behind_words_go_in_front_of_them() {
    let call =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}"#;
    let words = r#"{"type":"text", "text":"and"}"#;
    let result = r#"{"type":"tool_result","tool_use_id":"a","content": "r"}"#;
    let posted = format!(
        r#"[{{"role":"user","content":"go"}},{call},{{"role":"user", "content":[ {words}, {result} ]}}]"#
    );
    let repaired = repair(&History::parse(&posted, "anthropic").unwrap()).unwrap();
    let mended = format!(r#"{{"role":"user", "content":[ {result},{words} ]}}"#);
    assert!(repaired.array.ends_with(&format!("{mended}]")), "{}", repaired.array);
    assert_eq!(repaired.repairs.len(), 1);
    assert_eq!(repaired.repairs[0].rule, "results_not_first");
}
