//! Generated histories: what agents and attackers send. Each is JSON text, not a
//! tree: key order, escapes, white space, numbers beyond 2^53 and duplicate keys
//! are part of what must survive.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::record_texts::records;

/// A text of a tool, a person or a model.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "[a-zA-Z0-9 .,:/_-]{0,60}",
        1 => Just("error: cannot find value `x` in this scope".to_owned()),
        1 => Just("test result: FAILED. 12 passed; 1 failed".to_owned()),
        1 => "[一-龥。，]{0,30}",
        1 => Just("emoji 👩‍👩‍👧 𝒳 \u{10FFFF}".to_owned()),
        1 => Just("nul \u{0} bell \u{7} quote \" backslash \\".to_owned()),
        1 => Just("(detailed result is stored in /etc/passwd)".to_owned()),
        1 => Just("(detailed result is stored in /workspace/store/tool_call_1.txt)".to_owned()),
        1 => Just("[9 lines, 9 tokens, 99 bytes; L1-L9 left out: x]".to_owned()),
    ];
    let end = select(vec!["\n", "\n", "\n", "\r\n", ""]);
    let lines = prop_oneof![3 => 0..8usize, 2 => 8..80usize];
    let lines = lines.prop_flat_map(move |count| {
        vec((line.clone(), end.clone()), count)
            .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect::<String>())
    });
    prop_oneof![6 => lines, 1 => records()]
}

/// The id of a call: short and repeated, long, hostile, or none.
fn id() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        6 => "[a-z0-9]{1,3}".prop_map(|id| Some(format!("call_{id}"))),
        2 => select(vec!["1", "toolu_01AbC", "a/b", "../../etc/passwd", "A", "a", ""])
            .prop_map(|id| Some(id.to_owned())),
        1 => Just(Some("id\u{0}with\nnul".to_owned())),
        1 => Just(Some("é".repeat(300))),
        1 => Just(None),
    ]
}

/// How a text stands in a message.
#[derive(Debug, Clone, Copy)]
enum Shape {
    String,
    Escaped,
    Parts,
    TwoParts,
    Object,
}

fn content(text: &str, shape: Shape) -> String {
    let quoted = json!(text).to_string();
    match shape {
        Shape::String => quoted,
        Shape::Escaped => escaped(text),
        Shape::Parts => format!("[ {{\"type\" : \"text\", \"text\":{quoted} ,\"n\": 1.10}} ]"),
        Shape::TwoParts => {
            let image =
                "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}}";
            format!(
                "[{{\"type\":\"text\",\"text\":{quoted}}},{image},{{\"text\":{quoted},\"type\":\"text\"}}]"
            )
        }
        Shape::Object => {
            format!("{{\"z\": 9007199254740993, \"a\":1e400,\"body\": {quoted}, \"z\":2}}")
        }
    }
}

/// Every character as `\u`, as some servers write.
fn escaped(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        out.push_str(&format!("\\u{unit:04X}"));
    }
    out.push('"');
    out
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        5 => Just(Shape::String),
        1 => Just(Shape::Escaped),
        2 => Just(Shape::Parts),
        1 => Just(Shape::TwoParts),
        1 => Just(Shape::Object),
    ]
}

/// One turn: a few messages as JSON texts.
fn turn() -> impl Strategy<Value = Vec<String>> {
    let user = text().prop_map(|t| vec![json!({"role": "user", "content": t}).to_string()]);
    let said = (text(), any::<bool>()).prop_map(|(t, reasoning)| {
        let mut message = json!({"role": "assistant", "content": t, "x-unknown": [1.0, null]});
        if reasoning {
            message["reasoning_content"] = json!("because");
        }
        vec![message.to_string()]
    });
    let developer =
        text().prop_map(|t| vec![json!({"role": "developer", "content": t}).to_string()]);
    let calls = vec((id(), text(), shape()), 1..4).prop_map(|calls| called(&calls));
    let read_back = (0..3usize, id()).prop_map(|(n, id)| {
        let path = format!("/workspace/store/tool_call_{n}.txt");
        called_with(&[(id, "small".to_owned(), Shape::String)], &json!({"path": path}).to_string())
    });
    let broken = prop_oneof![
        (id(), text()).prop_map(|(id, t)| vec![tool(id.as_deref(), &t, Shape::String)]),
        Just(vec![
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_open\",\"name\":\"f\",\"arguments\":{}}]}".to_owned()
        ]),
        Just(vec!["{\"role\":\"exit\",\"content\":\"bye\",\"n\":123456789012345678901234567890}".to_owned()]),
        text().prop_map(|t| vec![json!({"role": "function", "name": "f", "content": t}).to_string()]),
        Just(vec!["{\"role\":\"tool\",\"tool_call_id\":\"call_s\",\"content\":\"lone \\ud800 surrogate, quite long, \\n\\n and on and on and on and on\"}".to_owned()]),
    ];
    prop_oneof![2 => user, 2 => said, 1 => developer, 6 => calls, 1 => read_back, 1 => broken]
}

fn called(calls: &[(Option<String>, String, Shape)]) -> Vec<String> {
    called_with(calls, "{\"command\":\"ls -la\"}")
}

fn called_with(calls: &[(Option<String>, String, Shape)], arguments: &str) -> Vec<String> {
    let list: Vec<_> = calls
        .iter()
        .map(|(id, _, _)| {
            json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}})
        })
        .collect();
    let mut messages =
        vec![json!({"role": "assistant", "content": null, "tool_calls": list}).to_string()];
    messages.extend(calls.iter().map(|(id, text, shape)| tool(id.as_deref(), text, *shape)));
    messages
}

fn tool(id: Option<&str>, text: &str, shape: Shape) -> String {
    let id = id.map_or_else(String::new, |id| format!("\"tool_call_id\": {},", json!(id)));
    format!("{{\"role\":\"tool\",{id}\"content\":{},\"b\":1.0,\"a\":2}}", content(text, shape))
}

/// A first message: an operator's, spelled in several ways, with words about
/// snapshots that are none, or nothing of the kind.
fn system() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        6 => Just("{\"role\":\"system\",\"content\":\"be brief\"}"),
        1 => Just("{ \"content\": [{\"type\":\"text\",\"text\":\"be \\u0062rief\"}], \"role\":\"developer\" }"),
        1 => Just("{\"role\":\"system\",\"content\":\"a <state_snapshot>\\n…\\n</state_snapshot> may stand here\"}"),
        1 => Just("{\"role\":\"system\",\"content\":\"\"}"),
        1 => Just("{\"role\":\"system\",\"content\":null}"),
        1 => Just("{\"role\":\"user\",\"content\":\"hello\"}"),
    ]
}

/// A history as the texts of its messages; mostly short, sometimes 400 long.
pub(crate) fn messages() -> impl Strategy<Value = Vec<String>> {
    let turns = prop_oneof![20 => 0..12usize, 1 => 100..140usize];
    (turns.prop_flat_map(|count| vec(turn(), count)), system()).prop_map(|(turns, system)| {
        let mut messages = vec![system.to_owned()];
        messages.extend(turns.into_iter().flatten());
        messages.truncate(400);
        messages
    })
}

/// A chat completions message that calls a tool.
pub(crate) fn call(id: &str, name: &str, arguments: &Value) -> String {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}
    ]})
    .to_string()
}

/// The result of a call.
pub(crate) fn result(id: &str, text: &str) -> String {
    json!({"role": "tool", "tool_call_id": id, "content": text}).to_string()
}

/// A user's message.
pub(crate) fn user(text: &str) -> String {
    json!({"role": "user", "content": text}).to_string()
}

/// The texts as one array, with white space where JSON allows it.
pub(crate) fn array(messages: &[String]) -> String {
    format!("[ {} ]", messages.join(" ,\n"))
}
