//! Turns as messages of Anthropic's Messages API: calls as blocks of the
//! assistant's messages, results as blocks of the user's.

use serde_json::json;

use super::Format;
use super::pen::{PIXEL, Pen};
use super::rules::{broken, tree};
use super::turn::{Asked, Broken, Manner, Outcome, Turn};

pub(super) fn write(pen: &mut Pen, turn: &Turn) -> Vec<String> {
    match turn {
        Turn::User(text, shape) => {
            let text = pen.said(text);
            let blocks = match shape % 3 {
                0 => return vec![message(pen, "user", text)],
                1 => vec![cached(pen, text)],
                _ => vec![words(pen, text.clone()), words(pen, text)],
            };
            vec![of_blocks(pen, "user", &blocks)]
        }
        Turn::Media(text) => {
            let text = pen.said(text);
            let blocks = [image(pen), document(pen, &text), words(pen, text)];
            vec![of_blocks(pen, "user", &blocks)]
        }
        Turn::Said(text, manner) => {
            let text = pen.said(text);
            let mut blocks = thoughts(pen, *manner);
            if blocks.is_empty() && manner.speaks {
                return vec![message(pen, "assistant", text)];
            }
            blocks.push(words(pen, text));
            vec![of_blocks(pen, "assistant", &blocks)]
        }
        Turn::Calls(calls, manner) => called(pen, calls, *manner),
        Turn::ReadBack(path, text) => {
            let asked = Asked::text(text);
            let id = pen.id(&asked, "toolu_");
            let input = json!({"absolute_path": path}).to_string();
            let blocks = [call(pen, id.as_deref(), "read_file", input)];
            let results = [result(pen, id.as_deref(), &asked)];
            vec![of_blocks(pen, "assistant", &blocks), of_blocks(pen, "user", &results)]
        }
        Turn::Server(text, manner) => vec![served(pen, text, *manner)],
        Turn::Operator(text) => vec![operator(pen, text)],
        Turn::Forged(text) => {
            let text = pen.said(text);
            let block = words(pen, text);
            vec![of_blocks(pen, "user", &[block])]
        }
        Turn::Broken(..) if pen.sound => Vec::new(),
        Turn::Broken(broken, asked) => break_it(pen, *broken, asked),
    }
}

/// The operator's words, or what sets the effort from there on.
fn operator(pen: &mut Pen, text: &str) -> String {
    if pen.one_in(8) {
        let effort = ("output_config", "{\"effort\":\"low\"}".to_owned());
        return pen.object(&[("role", quoted("system")), ("content", "[]".to_owned()), effort]);
    }
    let text = pen.said(text);
    if pen.one_in(3) {
        let block = words(pen, text);
        return of_blocks(pen, "system", &[block]);
    }
    message(pen, "system", text)
}

/// Takes out the system messages that stand where the API takes none: one whose absence
/// mends something, else the last, as two in a row can break a rule in the same way.
pub(super) fn place_system(messages: &mut Vec<String>) {
    let count = |messages: &[String]| {
        broken(Format::Anthropic, messages)
            .iter()
            .filter(|(rule, _)| rule.contains("system"))
            .count()
    };
    while count(messages) > 0 {
        let systems: Vec<usize> =
            (0..messages.len()).filter(|at| tree(&messages[*at])["role"] == "system").collect();
        let mends = |at: &usize| {
            let mut without = messages.clone();
            without.remove(*at);
            count(&without) < count(messages)
        };
        match systems.iter().copied().find(|at| mends(at)).or(systems.last().copied()) {
            Some(at) => drop(messages.remove(at)),
            None => return,
        }
    }
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn message(pen: &mut Pen, role: &str, content: String) -> String {
    pen.object(&[("role", quoted(role)), ("content", content)])
}

fn of_blocks(pen: &mut Pen, role: &str, blocks: &[String]) -> String {
    let content = pen.array(blocks);
    message(pen, role, content)
}

fn words(pen: &mut Pen, text: String) -> String {
    pen.object(&[("type", quoted("text")), ("text", text)])
}

fn cached(pen: &mut Pen, text: String) -> String {
    let cache = "{\"ttl\": \"1h\",\"type\":\"ephemeral\"}".to_owned();
    pen.object(&[("type", quoted("text")), ("text", text), ("cache_control", cache)])
}

fn image(pen: &mut Pen) -> String {
    let source =
        format!("{{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"{PIXEL}\"}}");
    pen.object(&[("type", quoted("image")), ("source", source)])
}

fn document(pen: &mut Pen, text: &str) -> String {
    let source = format!("{{\"type\":\"text\",\"media_type\":\"text/plain\",\"data\":{text}}}");
    pen.object(&[("type", quoted("document")), ("title", quoted("a page")), ("source", source)])
}

fn thoughts(pen: &mut Pen, manner: Manner) -> Vec<String> {
    if !manner.thinks {
        return Vec::new();
    }
    let mut blocks = vec![pen.object(&[
        ("type", quoted("thinking")),
        ("thinking", quoted("I should look.")),
        ("signature", quoted("EqQBCg+/==")),
    ])];
    if pen.one_in(3) {
        blocks.push(pen.object(&[("type", quoted("redacted_thinking")), ("data", quoted("EmwK"))]));
    }
    blocks
}

fn called(pen: &mut Pen, calls: &[Asked], manner: Manner) -> Vec<String> {
    let mut blocks = thoughts(pen, manner);
    if manner.speaks {
        blocks.push(words(pen, quoted("I look.")));
    }
    let mut results = Vec::new();
    for asked in calls {
        let id = pen.id(asked, "toolu_");
        blocks.push(call(pen, id.as_deref(), "bash", "{\"command\":\"ls\"}".to_owned()));
        results.push(result(pen, id.as_deref(), asked));
    }
    if manner.apart && !manner.thinks {
        // The API merges neighbours of one role.
        let mut messages: Vec<String> =
            blocks.into_iter().map(|block| of_blocks(pen, "assistant", &[block])).collect();
        messages.extend(results.into_iter().map(|result| of_blocks(pen, "user", &[result])));
        return messages;
    }
    if manner.speaks && pen.one_in(3) {
        // Agents put reminders after the results.
        let text = pen.said(&calls[0].text);
        results.push(words(pen, text));
    }
    vec![of_blocks(pen, "assistant", &blocks), of_blocks(pen, "user", &results)]
}

fn call(pen: &mut Pen, id: Option<&str>, name: &str, input: String) -> String {
    let mut members = vec![("type", quoted("tool_use")), ("name", quoted(name)), ("input", input)];
    members.extend(id.map(|id| ("id", quoted(id))));
    pen.object(&members)
}

fn result(pen: &mut Pen, id: Option<&str>, asked: &Asked) -> String {
    let text = pen.said(&asked.text);
    let content = match asked.outcome {
        Outcome::Part => {
            let block = cached(pen, text);
            Some(pen.array(&[block]))
        }
        Outcome::Parts => {
            let other =
                if asked.tool.is_multiple_of(2) { image(pen) } else { document(pen, &text) };
            let blocks = [words(pen, text.clone()), other, words(pen, text)];
            Some(pen.array(&blocks))
        }
        Outcome::Image => {
            let block = image(pen);
            Some(pen.array(&[block]))
        }
        Outcome::Nothing => None,
        _ => Some(pen.value(asked)),
    };
    let mut members = vec![("type", quoted("tool_result"))];
    members.extend(id.map(|id| ("tool_use_id", quoted(id))));
    members.extend(content.map(|content| ("content", content)));
    if [Outcome::Failed, Outcome::FailedObject].contains(&asked.outcome) {
        members.push(("is_error", "true".to_owned()));
    }
    if pen.one_in(4) {
        members.push(("cache_control", "{\"type\": \"ephemeral\"}".to_owned()));
    }
    pen.object(&members)
}

fn served(pen: &mut Pen, text: &str, manner: Manner) -> String {
    let mut blocks = thoughts(pen, manner);
    let (text, number) = (pen.said(text), pen.number());
    let (call, result, prefix) = match number % 2 {
        0 => ("server_tool_use", "web_search_tool_result", "srvtoolu_"),
        _ => ("mcp_tool_use", "mcp_tool_result", "mcptoolu_"),
    };
    let id = quoted(&format!("{prefix}{number}"));
    blocks.push(pen.object(&[
        ("type", quoted(call)),
        ("id", id.clone()),
        ("name", quoted("web_search")),
        ("input", "{\"query\":\"x\"}".to_owned()),
    ]));
    let found = match number % 2 {
        0 => format!(
            "[{{\"type\":\"web_search_result\",\"title\":{text},\"encrypted_content\":\"Ab==\"}}]"
        ),
        _ => format!("[{{\"type\":\"text\",\"text\":{text}}}]"),
    };
    blocks.push(pen.object(&[("type", quoted(result)), ("tool_use_id", id), ("content", found)]));
    if manner.speaks {
        blocks.push(words(pen, quoted("I looked.")));
    }
    of_blocks(pen, "assistant", &blocks)
}

fn break_it(pen: &mut Pen, broken: Broken, asked: &Asked) -> Vec<String> {
    let id = asked.id.as_deref();
    let ask = |pen: &mut Pen, ids: &[Option<&str>]| {
        let blocks: Vec<String> =
            ids.iter().map(|id| call(pen, *id, "bash", "{}".to_owned())).collect();
        of_blocks(pen, "assistant", &blocks)
    };
    let answer = |pen: &mut Pen, ids: &[Option<&str>]| {
        let blocks: Vec<String> = ids.iter().map(|id| result(pen, *id, asked)).collect();
        of_blocks(pen, "user", &blocks)
    };
    match broken {
        Broken::Orphan => vec![answer(pen, &[Some("toolu_never")])],
        Broken::Dangling => vec![ask(pen, &[id])],
        Broken::Twice => vec![ask(pen, &[id]), answer(pen, &[id, id])],
        Broken::SameId => {
            let both = [Some("toolu_same"); 2];
            vec![ask(pen, &both), answer(pen, &both)]
        }
        Broken::NoId => vec![ask(pen, &[None]), answer(pen, &[None])],
        Broken::Between => {
            let first = words(pen, quoted("wait"));
            let late = result(pen, id, asked);
            vec![ask(pen, &[id]), of_blocks(pen, "user", &[first, late])]
        }
        Broken::Empty => vec![message(pen, "user", "[]".to_owned())],
        Broken::Unknown => {
            let text = pen.text(&asked.text);
            let block = pen.object(&[("type", quoted("new_block")), ("what", text)]);
            vec![of_blocks(pen, "assistant", &[block]), message(pen, "exit", quoted("bye"))]
        }
    }
}
