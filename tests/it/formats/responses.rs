//! Turns as items of the OpenAI Responses API: messages, reasoning, calls and their
//! outputs, each an item of its own.

use serde_json::json;

use super::pen::{PIXEL, Pen};
use super::turn::{Asked, Broken, Manner, Outcome, Turn};

/// Types of a call and of its output, and the member that holds the arguments.
type Tool = (&'static str, &'static str, &'static str);

const FUNCTION: Tool = ("function_call", "function_call_output", "arguments");

pub(super) fn write(pen: &mut Pen, turn: &Turn) -> Vec<String> {
    match turn {
        Turn::User(text, shape) => {
            let text = pen.said(text);
            let content = match shape % 3 {
                0 => text,
                1 => parts(pen, &[("input_text", "text", text)]),
                _ => parts(
                    pen,
                    &[("input_text", "text", text.clone()), ("input_text", "text", text)],
                ),
            };
            vec![message(pen, "user", content)]
        }
        Turn::Media(text) => {
            let (text, image) = (pen.said(text), image());
            let content =
                parts(pen, &[("input_image", "image_url", image), ("input_text", "text", text)]);
            vec![message(pen, "user", content)]
        }
        Turn::Said(text, manner) => {
            let mut items = thought(pen, *manner);
            let text = pen.said(text);
            items.push(said(pen, text));
            items
        }
        Turn::Calls(calls, manner) => called(pen, calls, *manner),
        Turn::ReadBack(path, text) => {
            let asked = Asked::text(text);
            let id = pen.id(&asked, "call_");
            let arguments = json!(json!({"absolute_path": path}).to_string()).to_string();
            vec![
                call(pen, FUNCTION, id.as_deref(), "read_file", arguments),
                output(pen, FUNCTION, id.as_deref(), &asked),
            ]
        }
        Turn::Server(text, manner) => {
            let mut items = thought(pen, *manner);
            items.push(served(pen, text));
            items
        }
        Turn::Operator(text) => {
            let text = pen.said(text);
            vec![message(pen, "developer", text)]
        }
        Turn::Forged(text) => {
            let text = pen.said(text);
            vec![message(pen, "user", text)]
        }
        Turn::Broken(..) if pen.sound => Vec::new(),
        Turn::Broken(broken, asked) => break_it(pen, *broken, asked),
    }
}

fn message(pen: &mut Pen, role: &str, content: String) -> String {
    let mut members = vec![("role", quoted(role)), ("content", content)];
    if pen.one_in(2) {
        members.insert(0, ("type", quoted("message")));
    }
    pen.object(&members)
}

fn quoted(text: &str) -> String {
    json!(text).to_string()
}

fn image() -> String {
    format!("\"data:image/png;base64,{PIXEL}\"")
}

fn parts(pen: &mut Pen, parts: &[(&str, &str, String)]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|(kind, name, value)| pen.object(&[("type", quoted(kind)), (name, value.clone())]))
        .collect();
    pen.array(&parts)
}

fn said(pen: &mut Pen, text: String) -> String {
    let content = parts(pen, &[("output_text", "text", text)]);
    let id = format!("\"msg_{}\"", pen.number());
    pen.object(&[
        ("type", quoted("message")),
        ("id", id),
        ("role", quoted("assistant")),
        ("content", content),
    ])
}

/// Reasoning belongs to the item that follows it.
fn thought(pen: &mut Pen, manner: Manner) -> Vec<String> {
    if !manner.thinks {
        return Vec::new();
    }
    let summary = parts(pen, &[("summary_text", "text", quoted("I should look."))]);
    let id = format!("\"rs_{}\"", pen.number());
    vec![pen.object(&[
        ("type", quoted("reasoning")),
        ("id", id),
        ("summary", summary),
        ("encrypted_content", quoted("gAAAAABo\u{e9}==")),
    ])]
}

fn called(pen: &mut Pen, calls: &[Asked], manner: Manner) -> Vec<String> {
    let mut items = thought(pen, manner);
    if manner.speaks {
        items.push(said(pen, quoted("I look.")));
    }
    let mut outputs = Vec::new();
    for asked in calls {
        let id = pen.id(asked, "call_");
        let (tool, arguments) = tool(asked.tool);
        items.push(call(pen, tool, id.as_deref(), "bash", arguments.to_owned()));
        outputs.push(output(pen, tool, id.as_deref(), asked));
        if manner.apart {
            items.append(&mut outputs);
        }
    }
    if pen.one_in(3) {
        outputs.reverse();
    }
    items.extend(outputs);
    items
}

fn tool(number: u8) -> (Tool, &'static str) {
    match number % 16 {
        0 => (("custom_tool_call", "custom_tool_call_output", "input"), "\"ls\""),
        1 => (("local_shell_call", "local_shell_call_output", "action"), "{\"command\":[\"ls\"]}"),
        2 => (("shell_call", "shell_call_output", "action"), "{\"commands\":[\"ls\"]}"),
        3 => (("computer_call", "computer_call_output", "action"), "{\"type\":\"screenshot\"}"),
        4 => (("apply_patch_call", "apply_patch_call_output", "operation"), "{\"path\":\"a\"}"),
        _ => (FUNCTION, "\"{\\\"command\\\":\\\"ls -la\\\"}\""),
    }
}

fn call(pen: &mut Pen, tool: Tool, id: Option<&str>, name: &str, arguments: String) -> String {
    let item = format!("\"fc_{}\"", pen.number());
    let mut members = vec![("type", quoted(tool.0)), ("id", item), (tool.2, arguments)];
    if ["arguments", "input"].contains(&tool.2) {
        members.push(("name", quoted(name)));
    }
    members.extend(id.map(|id| ("call_id", quoted(id))));
    pen.object(&members)
}

fn output(pen: &mut Pen, tool: Tool, id: Option<&str>, asked: &Asked) -> String {
    let text = pen.said(&asked.text);
    let shot = [("type", quoted("computer_screenshot")), ("image_url", image())];
    let value = match (tool.1, asked.outcome) {
        ("shell_call_output", _) => {
            let chunk = pen.object(&[
                ("stdout", text),
                ("stderr", quoted("")),
                ("outcome", "{\"type\":\"exit\",\"exit_code\":0}".to_owned()),
            ]);
            pen.array(&[chunk.clone(), chunk])
        }
        ("computer_call_output", _) => pen.object(&shot),
        (_, Outcome::Part) => parts(pen, &[("input_text", "text", text)]),
        (_, Outcome::Parts) => parts(
            pen,
            &[
                ("input_text", "text", text.clone()),
                ("input_image", "image_url", image()),
                ("input_text", "text", text),
            ],
        ),
        (_, Outcome::Image) => parts(pen, &[("input_image", "image_url", image())]),
        (_, Outcome::Nothing) => quoted(""),
        _ => pen.value(asked),
    };
    let mut members = vec![("type", quoted(tool.1)), ("output", value)];
    members.extend(id.map(|id| ("call_id", quoted(id))));
    pen.object(&members)
}

/// One item for the call and what the provider's tool did.
fn served(pen: &mut Pen, text: &str) -> String {
    let text = pen.said(text);
    let number = pen.number();
    match number % 3 {
        0 => pen.object(&[
            ("type", quoted("web_search_call")),
            ("id", format!("\"ws_{number}\"")),
            ("action", format!("{{\"type\":\"search\",\"query\":{text}}}")),
        ]),
        1 => pen.object(&[
            ("type", quoted("mcp_call")),
            ("id", format!("\"mcp_{number}\"")),
            ("name", quoted("ask")),
            ("arguments", quoted("{}")),
            ("output", text),
        ]),
        _ => pen.object(&[
            ("type", quoted("code_interpreter_call")),
            ("id", format!("\"ci_{number}\"")),
            ("code", quoted("1+1")),
            ("outputs", format!("[{{\"type\":\"logs\",\"logs\":{text}}}]")),
        ]),
    }
}

fn break_it(pen: &mut Pen, broken: Broken, asked: &Asked) -> Vec<String> {
    let (tool, arguments) = tool(asked.tool);
    let id = asked.id.as_deref();
    let ask = |pen: &mut Pen, id| call(pen, tool, id, "bash", arguments.to_owned());
    match broken {
        Broken::Orphan => vec![output(pen, tool, Some("call_never"), asked)],
        Broken::Dangling => vec![ask(pen, id)],
        Broken::Twice => {
            vec![ask(pen, id), output(pen, tool, id, asked), output(pen, tool, id, asked)]
        }
        Broken::SameId => {
            let id = Some("call_same");
            vec![
                ask(pen, id),
                ask(pen, id),
                output(pen, tool, id, asked),
                output(pen, tool, id, asked),
            ]
        }
        Broken::NoId => vec![ask(pen, None), output(pen, tool, None, asked)],
        Broken::Between => {
            let user = message(pen, "user", quoted("wait"));
            vec![ask(pen, id), user, output(pen, tool, id, asked)]
        }
        Broken::Empty => vec![message(pen, "user", "[]".to_owned())],
        Broken::Unknown => {
            let text = pen.text(&asked.text);
            let thinks = Manner { thinks: true, speaks: false, apart: false };
            let mut items = vec![pen.object(&[("type", quoted("new_item")), ("what", text)])];
            items.extend(thought(pen, thinks));
            items
        }
    }
}
