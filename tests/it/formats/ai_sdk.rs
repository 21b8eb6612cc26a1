//! Turns as ModelMessages of the Vercel AI SDK: results are parts whose output has
//! a type; older releases have `args` and `result`.

use serde_json::json;

use super::pen::{PIXEL, Pen};
use super::turn::{Asked, Broken, Manner, Outcome, Turn};

pub(super) fn write(pen: &mut Pen, turn: &Turn) -> Vec<String> {
    match turn {
        Turn::User(text, shape) => {
            let text = pen.said(text);
            let parts = match shape % 3 {
                0 => return vec![message(pen, "user", text)],
                1 => vec![words(pen, text)],
                _ => vec![words(pen, text.clone()), words(pen, text)],
            };
            vec![of_parts(pen, "user", &parts)]
        }
        Turn::Media(text) => {
            let text = pen.said(text);
            let parts = [file(pen, "file", "data"), words(pen, text)];
            vec![of_parts(pen, "user", &parts)]
        }
        Turn::Said(text, manner) => {
            let text = pen.said(text);
            let mut parts = thoughts(pen, *manner);
            if parts.is_empty() && manner.speaks {
                return vec![message(pen, "assistant", text)];
            }
            parts.push(words(pen, text));
            vec![of_parts(pen, "assistant", &parts)]
        }
        Turn::Calls(calls, manner) => called(pen, calls, *manner),
        Turn::ReadBack(path, text) => {
            let asked = Asked::text(text);
            let id = pen.id(&asked, "call_");
            let input = json!({"absolute_path": path}).to_string();
            let parts = [call(pen, id.as_deref(), "read_file", &input, "input")];
            let results = [result(pen, id.as_deref(), &asked)];
            vec![of_parts(pen, "assistant", &parts), of_parts(pen, "tool", &results)]
        }
        Turn::Server(text, manner) => vec![served(pen, text, *manner)],
        Turn::Operator(text) => {
            let text = pen.said(text);
            vec![message(pen, "system", text)]
        }
        Turn::Forged(text) => {
            let text = pen.said(text);
            vec![message(pen, "user", text)]
        }
        Turn::Broken(..) if pen.sound => Vec::new(),
        Turn::Broken(broken, asked) => break_it(pen, *broken, asked),
    }
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn message(pen: &mut Pen, role: &str, content: String) -> String {
    let mut members = vec![("role", quoted(role)), ("content", content)];
    if pen.one_in(4) {
        members.push(("providerOptions", "{\"openai\":{\"n\": 1.10}}".to_owned()));
    }
    pen.object(&members)
}

fn of_parts(pen: &mut Pen, role: &str, parts: &[String]) -> String {
    let content = pen.array(parts);
    message(pen, role, content)
}

fn words(pen: &mut Pen, text: String) -> String {
    pen.object(&[("type", quoted("text")), ("text", text)])
}

fn file(pen: &mut Pen, kind: &str, name: &str) -> String {
    pen.object(&[("type", quoted(kind)), (name, quoted(PIXEL)), ("mediaType", quoted("image/png"))])
}

fn thoughts(pen: &mut Pen, manner: Manner) -> Vec<String> {
    if !manner.thinks {
        return Vec::new();
    }
    let options = "{\"anthropic\":{\"signature\":\"EqQB\"}}".to_owned();
    vec![pen.object(&[
        ("type", quoted("reasoning")),
        ("text", quoted("I should look.")),
        ("providerOptions", options),
    ])]
}

fn called(pen: &mut Pen, calls: &[Asked], manner: Manner) -> Vec<String> {
    let mut parts = thoughts(pen, manner);
    if manner.speaks {
        parts.push(words(pen, quoted("I look.")));
    }
    let (mut results, mut asks, mut grants) = (Vec::new(), Vec::new(), Vec::new());
    for asked in calls {
        let id = pen.id(asked, "call_");
        let arguments = if is_old(asked) { "args" } else { "input" };
        parts.push(call(pen, id.as_deref(), "bash", "{\"command\":\"ls\"}", arguments));
        results.push(result(pen, id.as_deref(), asked));
        if let (true, Some(id)) = (asked.tool % 16 == 5, &id) {
            asks.push(format!(
                "{{\"type\":\"tool-approval-request\",\"approvalId\":\"a\",\"toolCallId\":{}}}",
                quoted(id)
            ));
            grants.push(
                "{\"type\":\"tool-approval-response\",\"approvalId\":\"a\",\"approved\":true}"
                    .to_owned(),
            );
        }
    }
    parts.extend(asks);
    let mut messages = vec![of_parts(pen, "assistant", &parts)];
    if !grants.is_empty() {
        messages.push(of_parts(pen, "tool", &grants));
    }
    if manner.apart {
        messages.extend(results.into_iter().map(|result| of_parts(pen, "tool", &[result])));
    } else {
        messages.push(of_parts(pen, "tool", &results));
    }
    messages
}

/// True for a call of an older release.
fn is_old(asked: &Asked) -> bool {
    asked.tool.is_multiple_of(8)
}

fn call(pen: &mut Pen, id: Option<&str>, name: &str, input: &str, arguments: &str) -> String {
    let mut members = vec![
        ("type", quoted("tool-call")),
        ("toolName", quoted(name)),
        (arguments, input.to_owned()),
    ];
    members.extend(id.map(|id| ("toolCallId", quoted(id))));
    pen.object(&members)
}

fn result(pen: &mut Pen, id: Option<&str>, asked: &Asked) -> String {
    let mut members = vec![("type", quoted("tool-result")), ("toolName", quoted("bash"))];
    members.extend(id.map(|id| ("toolCallId", quoted(id))));
    match is_old(asked) {
        true => {
            members.push(("result", pen.value(asked)));
            let text = pen.said(&asked.text);
            if asked.outcome == Outcome::Parts {
                let part = words(pen, text);
                members.push(("experimental_content", format!("[{part}]")));
            }
        }
        false => members.push(("output", output(pen, asked))),
    }
    if pen.one_in(4) {
        let cache = "{\"anthropic\":{\"cacheControl\":{\"type\":\"ephemeral\"}}}";
        members.push(("providerOptions", cache.to_owned()));
    }
    pen.object(&members)
}

/// One of all the types that an output has.
fn output(pen: &mut Pen, asked: &Asked) -> String {
    let text = pen.said(&asked.text);
    let (kind, value) = match asked.outcome {
        Outcome::Text => ("text", text),
        Outcome::Lone => ("text", pen.value(asked)),
        Outcome::Part => {
            let part = words(pen, text);
            ("content", pen.array(&[part]))
        }
        Outcome::Parts => {
            let parts = [words(pen, text.clone()), file(pen, "media", "data"), words(pen, text)];
            ("content", pen.array(&parts))
        }
        Outcome::Image => {
            let part = file(pen, "image-data", "data");
            ("content", pen.array(&[part]))
        }
        Outcome::Object | Outcome::Records => ("json", pen.value(asked)),
        Outcome::Beside => ("json", text),
        Outcome::Failed => ("error-text", text),
        Outcome::FailedObject => ("error-json", pen.value(asked)),
        Outcome::Nothing => {
            return pen.object(&[("type", quoted("execution-denied")), ("reason", text)]);
        }
    };
    pen.object(&[("type", quoted(kind)), ("value", value)])
}

fn served(pen: &mut Pen, text: &str, manner: Manner) -> String {
    let mut parts = thoughts(pen, manner);
    let text = pen.said(text);
    let id = quoted(&format!("srv_{}", pen.number()));
    parts.push(pen.object(&[
        ("type", quoted("tool-call")),
        ("toolCallId", id.clone()),
        ("toolName", quoted("web_search")),
        ("input", "{\"q\":1}".to_owned()),
        ("providerExecuted", "true".to_owned()),
    ]));
    let output = pen.object(&[("type", quoted("text")), ("value", text)]);
    parts.push(pen.object(&[
        ("type", quoted("tool-result")),
        ("toolCallId", id),
        ("toolName", quoted("web_search")),
        ("output", output),
    ]));
    if manner.speaks {
        parts.push(words(pen, quoted("I looked.")));
    }
    of_parts(pen, "assistant", &parts)
}

fn break_it(pen: &mut Pen, broken: Broken, asked: &Asked) -> Vec<String> {
    let id = asked.id.as_deref();
    let ask = |pen: &mut Pen, ids: &[Option<&str>]| {
        let parts: Vec<String> =
            ids.iter().map(|id| call(pen, *id, "bash", "{}", "input")).collect();
        of_parts(pen, "assistant", &parts)
    };
    let answer = |pen: &mut Pen, ids: &[Option<&str>]| {
        let parts: Vec<String> = ids.iter().map(|id| result(pen, *id, asked)).collect();
        of_parts(pen, "tool", &parts)
    };
    match broken {
        Broken::Orphan => vec![answer(pen, &[Some("call_never")])],
        Broken::Dangling => vec![ask(pen, &[id])],
        Broken::Twice => vec![ask(pen, &[id]), answer(pen, &[id, id])],
        Broken::SameId => {
            let both = [Some("call_same"); 2];
            vec![ask(pen, &both), answer(pen, &both)]
        }
        Broken::NoId => vec![ask(pen, &[None]), answer(pen, &[None])],
        Broken::Between => {
            let user = message(pen, "user", quoted("wait"));
            vec![ask(pen, &[id]), user, answer(pen, &[id])]
        }
        Broken::Empty => vec![message(pen, "tool", "[]".to_owned())],
        Broken::Unknown => {
            let text = pen.text(&asked.text);
            let part = pen.object(&[("type", quoted("new-part")), ("what", text)]);
            vec![of_parts(pen, "assistant", &[part]), message(pen, "data", quoted("bye"))]
        }
    }
}
