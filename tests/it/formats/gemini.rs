//! Turns as contents of the Gemini API, in either spelling.

use serde_json::json;

use super::pen::{PIXEL, Pen};
use super::turn::{Asked, Broken, Manner, Outcome, Turn};

/// How the members are spelled.
pub(super) struct Spelling {
    call: &'static str,
    response: &'static str,
    signature: &'static str,
    data: &'static str,
    mime: &'static str,
    code: &'static str,
    ran: &'static str,
}

pub(super) const CAMEL: &Spelling = &Spelling {
    call: "functionCall",
    response: "functionResponse",
    signature: "thoughtSignature",
    data: "inlineData",
    mime: "mimeType",
    code: "executableCode",
    ran: "codeExecutionResult",
};
pub(super) const SNAKE: &Spelling = &Spelling {
    call: "function_call",
    response: "function_response",
    signature: "thought_signature",
    data: "inline_data",
    mime: "mime_type",
    code: "executable_code",
    ran: "code_execution_result",
};

pub(super) fn write(pen: &mut Pen, turn: &Turn, spelling: &Spelling) -> Vec<String> {
    match turn {
        Turn::User(text, shape) => {
            let text = pen.said(text);
            let parts = match shape % 3 {
                0 | 1 => vec![words(pen, text)],
                _ => vec![words(pen, text.clone()), words(pen, text)],
            };
            vec![content(pen, "user", &parts)]
        }
        Turn::Media(text) => {
            let text = pen.said(text);
            let parts = [image(pen, spelling), words(pen, text)];
            vec![content(pen, "user", &parts)]
        }
        Turn::Said(text, manner) => {
            let text = pen.said(text);
            let mut parts = thoughts(pen, *manner);
            parts.push(words(pen, text));
            vec![content(pen, "model", &parts)]
        }
        Turn::Calls(calls, manner) => called(pen, calls, *manner, spelling),
        Turn::ReadBack(path, text) => {
            let asked = Asked::text(text);
            let args = json!({"absolute_path": path}).to_string();
            let parts = [call(pen, None, "read_file", args, true, spelling)];
            let results = [response(pen, None, "read_file", &asked, spelling)];
            vec![content(pen, "model", &parts), content(pen, "user", &results)]
        }
        Turn::Server(text, manner) => vec![served(pen, text, *manner, spelling)],
        // There are no system messages among the contents.
        Turn::Operator(_) if pen.sound => Vec::new(),
        Turn::Operator(text) => {
            let text = pen.said(text);
            let part = words(pen, text);
            vec![content(pen, "system", &[part])]
        }
        Turn::Forged(text) => {
            let text = pen.said(text);
            let part = words(pen, text);
            vec![content(pen, "user", &[part])]
        }
        Turn::Broken(..) if pen.sound => Vec::new(),
        Turn::Broken(broken, asked) => break_it(pen, *broken, asked, spelling),
    }
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn content(pen: &mut Pen, role: &str, parts: &[String]) -> String {
    let parts = pen.array(parts);
    pen.object(&[("role", quoted(role)), ("parts", parts)])
}

fn words(pen: &mut Pen, text: String) -> String {
    pen.object(&[("text", text)])
}

fn image(pen: &mut Pen, spelling: &Spelling) -> String {
    let data = format!("{{\"{}\":\"image/png\",\"data\":\"{PIXEL}\"}}", spelling.mime);
    pen.object(&[(spelling.data, data)])
}

fn thoughts(pen: &mut Pen, manner: Manner) -> Vec<String> {
    let thought = [("text", quoted("I should look.")), ("thought", "true".to_owned())];
    if manner.thinks { vec![pen.object(&thought)] } else { Vec::new() }
}

fn called(pen: &mut Pen, calls: &[Asked], manner: Manner, spelling: &Spelling) -> Vec<String> {
    let mut parts = thoughts(pen, manner);
    if manner.speaks {
        parts.push(words(pen, quoted("I look.")));
    }
    let mut results = Vec::new();
    for (at, asked) in calls.iter().enumerate() {
        // Ids are optional, and pairs then go by name and order.
        let id = pen.id(asked, "call_").filter(|_| asked.tool % 2 == 0);
        let name = ["bash", "grep"][usize::from(asked.tool / 2 % 2)];
        parts.push(call(
            pen,
            id.as_deref(),
            name,
            "{\"command\":\"ls\"}".to_owned(),
            at == 0,
            spelling,
        ));
        results.push(response(pen, id.as_deref(), name, asked, spelling));
    }
    let role = if pen.one_in(3) { "function" } else { "user" };
    if manner.apart && !pen.sound {
        let mut contents = vec![content(pen, "model", &parts)];
        contents.extend(results.into_iter().map(|result| content(pen, role, &[result])));
        return contents;
    }
    vec![content(pen, "model", &parts), content(pen, role, &results)]
}

/// A call; models that sign put their signature on the first of several.
fn call(
    pen: &mut Pen,
    id: Option<&str>,
    name: &str,
    args: String,
    first: bool,
    spelling: &Spelling,
) -> String {
    let mut members = vec![("name", quoted(name)), ("args", args)];
    members.extend(id.map(|id| ("id", quoted(id))));
    let call = pen.object(&members);
    let mut part = vec![(spelling.call, call)];
    if first && pen.signs {
        part.push((spelling.signature, quoted("CpcBAb+/==")));
    }
    pen.object(&part)
}

fn response(
    pen: &mut Pen,
    id: Option<&str>,
    name: &str,
    asked: &Asked,
    spelling: &Spelling,
) -> String {
    let text = pen.said(&asked.text);
    let mut beside = Vec::new();
    let value = match asked.outcome {
        Outcome::Text => format!("{{\"result\":{text}}}"),
        Outcome::Part => format!("{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}"),
        Outcome::Parts => {
            beside.push(image(pen, spelling));
            format!("{{\"output\" : {text}}}")
        }
        Outcome::Image => {
            beside.push(image(pen, spelling));
            "{}".to_owned()
        }
        Outcome::Object => pen.value(asked),
        Outcome::Records => format!("{{\"total\":1e2,\"items\":{}}}", pen.value(asked)),
        Outcome::Failed => format!("{{\"error\":{text}}}"),
        Outcome::FailedObject => format!("{{\"error\":{}}}", pen.value(asked)),
        Outcome::Beside => {
            format!("{{\"exit\":0, \"stdout\":{text},\"stderr\":{text},\"stdout\":{text}}}")
        }
        Outcome::Lone => format!("{{\"output\":{}}}", pen.value(asked)),
        Outcome::Nothing => "{}".to_owned(),
    };
    let mut members = vec![("name", quoted(name)), ("response", value)];
    members.extend(id.map(|id| ("id", quoted(id))));
    if !beside.is_empty() {
        members.push(("parts", pen.array(&beside)));
    }
    let response = pen.object(&members);
    pen.object(&[(spelling.response, response)])
}

fn served(pen: &mut Pen, text: &str, manner: Manner, spelling: &Spelling) -> String {
    let mut parts = thoughts(pen, manner);
    let text = pen.said(text);
    let code = "{\"language\":\"PYTHON\",\"code\":\"print(1)\"}".to_owned();
    parts.push(pen.object(&[(spelling.code, code)]));
    let ran = format!("{{\"outcome\":\"OUTCOME_OK\",\"output\":{text}}}");
    parts.push(pen.object(&[(spelling.ran, ran)]));
    content(pen, "model", &parts)
}

fn break_it(pen: &mut Pen, broken: Broken, asked: &Asked, spelling: &Spelling) -> Vec<String> {
    let id = asked.id.as_deref();
    let ask = |pen: &mut Pen, ids: &[Option<&str>]| {
        let parts: Vec<String> =
            ids.iter().map(|id| call(pen, *id, "bash", "{}".to_owned(), false, spelling)).collect();
        content(pen, "model", &parts)
    };
    let answer = |pen: &mut Pen, ids: &[Option<&str>]| {
        let parts: Vec<String> =
            ids.iter().map(|id| response(pen, *id, "bash", asked, spelling)).collect();
        content(pen, "user", &parts)
    };
    match broken {
        Broken::Orphan => vec![answer(pen, &[Some("never")])],
        Broken::Dangling => vec![ask(pen, &[id])],
        Broken::Twice => vec![ask(pen, &[id]), answer(pen, &[id, id])],
        Broken::SameId => {
            let both = [Some("same"); 2];
            vec![ask(pen, &both), answer(pen, &both)]
        }
        Broken::NoId => vec![ask(pen, &[id]), answer(pen, &[None])],
        Broken::Between => {
            let wait = words(pen, quoted("wait"));
            vec![ask(pen, &[id]), content(pen, "user", &[wait]), answer(pen, &[id])]
        }
        Broken::Empty => vec!["{\"role\":\"model\",\"parts\":[]}".to_owned()],
        Broken::Unknown => {
            let text = pen.text(&asked.text);
            let part = pen.object(&[("newThing", text.clone())]);
            let bare = format!("{{\"parts\":{text}}}");
            vec![
                content(pen, "model", &[part]),
                bare,
                "{\"parts\":{\"text\":\"alone\"}}".to_owned(),
            ]
        }
    }
}
