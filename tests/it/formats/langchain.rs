//! Turns as messages that LangChain dumps, in its three shapes.

use serde_json::json;

use super::pen::{PIXEL, Pen};
use super::turn::{Asked, Broken, Manner, Outcome, Turn};

/// How a message is wrapped.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    Flat,
    Data,
    Constructor,
}

pub(super) fn write(pen: &mut Pen, turn: &Turn, shape: Shape) -> Vec<String> {
    match turn {
        Turn::User(text, which) => {
            let text = pen.said(text);
            let content = match which % 3 {
                0 => text,
                1 => format!("[{text}]"),
                _ => parts(pen, &[("text", "text", text.clone()), ("text", "text", text)]),
            };
            vec![message(pen, shape, "human", vec![("content", content)])]
        }
        Turn::Media(text) => {
            let text = pen.said(text);
            let content =
                parts(pen, &[("image_url", "image_url", image()), ("text", "text", text)]);
            vec![message(pen, shape, "human", vec![("content", content)])]
        }
        Turn::Said(text, manner) => {
            let text = pen.said(text);
            vec![said(pen, shape, text, *manner, Vec::new())]
        }
        Turn::Calls(calls, manner) => called(pen, calls, *manner, shape),
        Turn::ReadBack(path, text) => {
            let asked = Asked::text(text);
            let id = pen.id(&asked, "call_");
            let args = json!({"absolute_path": path}).to_string();
            let calls = vec![call(pen, id.as_deref(), "read_file", args)];
            vec![asks(pen, shape, &calls), result(pen, shape, id.as_deref(), &asked)]
        }
        Turn::Server(text, manner) => vec![served(pen, shape, text, *manner)],
        Turn::Operator(text) => {
            let text = pen.said(text);
            vec![message(pen, shape, "system", vec![("content", text)])]
        }
        Turn::Forged(text) => {
            let text = pen.said(text);
            vec![message(pen, shape, "human", vec![("content", text)])]
        }
        Turn::Broken(..) if pen.sound => Vec::new(),
        Turn::Broken(broken, asked) => break_it(pen, *broken, asked, shape),
    }
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn image() -> String {
    format!("{{\"url\":\"data:image/png;base64,{PIXEL}\"}}")
}

fn parts(pen: &mut Pen, parts: &[(&str, &str, String)]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|(kind, name, value)| pen.object(&[("type", quoted(kind)), (name, value.clone())]))
        .collect();
    pen.array(&parts)
}

fn message(pen: &mut Pen, shape: Shape, kind: &str, mut members: Vec<(&str, String)>) -> String {
    let class = match kind {
        "human" => "HumanMessage",
        "ai" => "AIMessage",
        "system" => "SystemMessage",
        "tool" => "ToolMessage",
        _ => "ChatMessage",
    };
    if let Shape::Flat = shape {
        members.insert(0, ("type", quoted(kind)));
        return pen.object(&members);
    }
    let inner = pen.object(&members);
    match shape {
        Shape::Flat | Shape::Data => pen.object(&[("type", quoted(kind)), ("data", inner)]),
        Shape::Constructor => {
            let id = format!("[\"langchain\", \"schema\",\"messages\",\"{class}\"]");
            pen.object(&[
                ("lc", "1".to_owned()),
                ("type", quoted("constructor")),
                ("id", id),
                ("kwargs", inner),
            ])
        }
    }
}

/// What the model says, with further members.
fn said(
    pen: &mut Pen,
    shape: Shape,
    text: String,
    manner: Manner,
    more: Vec<(&str, String)>,
) -> String {
    let mut members = more;
    let content = match (manner.thinks, manner.apart) {
        (true, true) => {
            let thought = pen.object(&[
                ("type", quoted("thinking")),
                ("thinking", quoted("I should look.")),
                ("signature", quoted("EqQB")),
            ]);
            let text = pen.object(&[("type", quoted("text")), ("text", text)]);
            pen.array(&[thought, text])
        }
        (true, false) => {
            let kwargs = "{\"reasoning_content\":\"I should look.\"}".to_owned();
            members.push(("additional_kwargs", kwargs));
            text
        }
        _ => text,
    };
    members.push(("content", content));
    message(pen, shape, "ai", members)
}

fn called(pen: &mut Pen, calls: &[Asked], manner: Manner, shape: Shape) -> Vec<String> {
    let (mut list, mut results) = (Vec::new(), Vec::new());
    for asked in calls {
        let id = pen.id(asked, "call_");
        list.push(call(pen, id.as_deref(), "bash", "{\"command\":\"ls\"}".to_owned()));
        results.push(result(pen, shape, id.as_deref(), asked));
    }
    if pen.one_in(3) {
        results.reverse();
    }
    let text = if manner.speaks { "I look." } else { "" };
    let list = pen.array(&list);
    let mut messages = vec![said(pen, shape, quoted(text), manner, vec![("tool_calls", list)])];
    messages.extend(results);
    messages
}

fn asks(pen: &mut Pen, shape: Shape, calls: &[String]) -> String {
    let list = pen.array(calls);
    message(pen, shape, "ai", vec![("content", quoted("")), ("tool_calls", list)])
}

fn call(pen: &mut Pen, id: Option<&str>, name: &str, args: String) -> String {
    let id = id.map_or_else(|| "null".to_owned(), quoted);
    pen.object(&[("name", quoted(name)), ("args", args), ("id", id), ("type", quoted("tool_call"))])
}

fn result(pen: &mut Pen, shape: Shape, id: Option<&str>, asked: &Asked) -> String {
    let text = pen.said(&asked.text);
    let content = match asked.outcome {
        Outcome::Part => parts(pen, &[("text", "text", text)]),
        Outcome::Parts => {
            let part = pen.object(&[("type", quoted("image_url")), ("image_url", image())]);
            pen.array(&[text.clone(), part, text])
        }
        Outcome::Image => parts(pen, &[("image_url", "image_url", image())]),
        Outcome::Nothing => quoted(""),
        _ => pen.value(asked),
    };
    let mut members = vec![("content", content), ("name", quoted("bash"))];
    members.extend(id.map(|id| ("tool_call_id", quoted(id))));
    if asked.outcome == Outcome::Failed {
        members.push(("status", quoted("error")));
    }
    if asked.tool.is_multiple_of(8) {
        members.push(("artifact", "{\"raw\":[1.0,9007199254740993]}".to_owned()));
    }
    message(pen, shape, "tool", members)
}

fn served(pen: &mut Pen, shape: Shape, text: &str, manner: Manner) -> String {
    let text = pen.said(text);
    let id = quoted(&format!("srvtoolu_{}", pen.number()));
    let call = pen.object(&[
        ("type", quoted("server_tool_use")),
        ("id", id.clone()),
        ("name", quoted("web_search")),
        ("input", "{}".to_owned()),
    ]);
    let found = pen.object(&[
        ("type", quoted("web_search_tool_result")),
        ("tool_use_id", id),
        ("content", format!("[{{\"title\":{text}}}]")),
    ]);
    let mut blocks = vec![call, found];
    if manner.speaks {
        blocks.push(quoted("I looked."));
    }
    let content = pen.array(&blocks);
    message(pen, shape, "ai", vec![("content", content)])
}

fn break_it(pen: &mut Pen, broken: Broken, asked: &Asked, shape: Shape) -> Vec<String> {
    let id = asked.id.as_deref();
    let ask = |pen: &mut Pen, ids: &[Option<&str>]| {
        let calls: Vec<String> =
            ids.iter().map(|id| call(pen, *id, "bash", "{}".to_owned())).collect();
        asks(pen, shape, &calls)
    };
    match broken {
        Broken::Orphan => vec![result(pen, shape, Some("call_never"), asked)],
        Broken::Dangling => vec![ask(pen, &[id])],
        Broken::Twice => {
            vec![ask(pen, &[id]), result(pen, shape, id, asked), result(pen, shape, id, asked)]
        }
        Broken::SameId => {
            let id = Some("call_same");
            vec![ask(pen, &[id, id]), result(pen, shape, id, asked), result(pen, shape, id, asked)]
        }
        Broken::NoId => vec![ask(pen, &[None]), result(pen, shape, None, asked)],
        Broken::Between => {
            let user = message(pen, shape, "human", vec![("content", quoted("wait"))]);
            vec![ask(pen, &[id]), user, result(pen, shape, id, asked)]
        }
        Broken::Empty => vec![message(pen, shape, "ai", vec![("content", "[]".to_owned())])],
        Broken::Unknown => {
            let text = pen.text(&asked.text);
            let part = pen.object(&[("type", quoted("new_part")), ("what", text)]);
            let members = vec![("content", format!("[{part}]")), ("role", quoted("critic"))];
            vec![message(pen, shape, "chat", members)]
        }
    }
}
