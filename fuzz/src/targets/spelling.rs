//! Turns as each format spells them; the shapes are those that the providers'
//! own libraries send.

use serde_json::{Value, json};

use super::conversation::{Call, Format, Shape, Turn};

/// A JSON string of a text.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// An array of records, as a tool prints it.
pub(crate) fn records(word: &str, count: usize) -> String {
    let record = |n: usize| format!("{{\"id\": {n}, \"n\":1.10,\"name\":{}}}", quoted(word));
    format!("[{}]", (0..count).map(record).collect::<Vec<_>>().join(", "))
}

/// The messages of a turn.
pub(crate) fn write(format: Format, turn: &Turn) -> Vec<String> {
    let values = match turn {
        Turn::User(text) => vec![words(format, Side::User, text)],
        Turn::Said(text) => vec![words(format, Side::Model, text)],
        Turn::Operator(text) => vec![words(format, Side::Operator, text)],
        Turn::Calls { calls, apart, between, reversed } => {
            let asked = asked(format, calls, *apart);
            let mut answers: Vec<Value> =
                calls.iter().flat_map(|call| vec![answer(format, call); call.results]).collect();
            if *reversed {
                answers.reverse();
            }
            let wait = between.then(|| words(format, Side::User, "wait"));
            let answers = answered(format, answers, *apart);
            asked.into_iter().chain(wait).chain(answers).collect()
        }
    };
    values.iter().map(Value::to_string).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    User,
    Model,
    Operator,
}

fn words(format: Format, side: Side, text: &str) -> Value {
    let role = match (format, side) {
        (Format::Gemini, Side::Model) => "model",
        (Format::LangChain, Side::User) => "human",
        (Format::LangChain, Side::Model) => "ai",
        (_, Side::User) => "user",
        (_, Side::Model) => "assistant",
        (_, Side::Operator) => "system",
    };
    match (format, side) {
        (Format::Responses, Side::Model) => json!({
            "type": "message", "role": role, "content": [{"type": "output_text", "text": text}]
        }),
        (Format::Gemini, _) => json!({"role": role, "parts": [{"text": text}]}),
        (Format::Bedrock, _) => json!({"role": role, "content": [{"text": text}]}),
        (Format::LangChain, _) => json!({"type": role, "content": text}),
        (Format::Pi, Side::Model) => of_pi(&json!([{"type": "text", "text": text}]), "stop"),
        _ => json!({"role": role, "content": text}),
    }
}

/// A message of the model as pi keeps it.
fn of_pi(content: &Value, reason: &str) -> Value {
    json!({
        "role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m",
        "stopReason": reason
    })
}

/// An object without the members that are null.
fn some(mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    object
}

/// The model's messages with the calls.
fn asked(format: Format, calls: &[Call], apart: bool) -> Vec<Value> {
    let all: Vec<Value> = calls.iter().map(|call| ask(format, call)).collect();
    match format {
        Format::OpenAiChat => {
            vec![json!({"role": "assistant", "content": null, "tool_calls": all})]
        }
        Format::LangChain => vec![json!({"type": "ai", "content": "", "tool_calls": all})],
        Format::Responses => all,
        // The API merges neighbours of one role.
        Format::Anthropic if apart => {
            all.into_iter().map(|call| json!({"role": "assistant", "content": [call]})).collect()
        }
        Format::Anthropic | Format::AiSdk | Format::Bedrock => {
            vec![json!({"role": "assistant", "content": all})]
        }
        Format::Gemini => vec![json!({"role": "model", "parts": all})],
        Format::Pi => vec![of_pi(&Value::from(all), "toolUse")],
    }
}

fn ask(format: Format, call: &Call) -> Value {
    let (id, input) = (&call.id, json!({"command": "ls"}));
    some(match format {
        Format::OpenAiChat => json!({
            "id": id, "type": "function",
            "function": {"name": "bash", "arguments": input.to_string()}
        }),
        Format::Responses => json!({
            "type": "function_call", "call_id": id, "name": "bash", "arguments": input.to_string()
        }),
        Format::Anthropic => json!({"type": "tool_use", "id": id, "name": "bash", "input": input}),
        Format::Gemini => {
            json!({"functionCall": some(json!({"id": id, "name": "bash", "args": input}))})
        }
        Format::AiSdk => {
            json!({"type": "tool-call", "toolCallId": id, "toolName": "bash", "input": input})
        }
        Format::LangChain => json!({"type": "tool_call", "id": id, "name": "bash", "args": input}),
        Format::Bedrock => {
            json!({"toolUse": some(json!({"toolUseId": id, "name": "bash", "input": input}))})
        }
        Format::Pi => json!({"type": "toolCall", "id": id, "name": "bash", "arguments": input}),
    })
}

/// The messages with the results.
fn answered(format: Format, results: Vec<Value>, apart: bool) -> Vec<Value> {
    let (role, member) = match format {
        Format::OpenAiChat | Format::Responses | Format::LangChain | Format::Pi => return results,
        Format::Anthropic | Format::Bedrock => ("user", "content"),
        Format::AiSdk => ("tool", "content"),
        Format::Gemini => ("user", "parts"),
    };
    if results.is_empty() {
        return Vec::new();
    }
    // These two take the results of a turn in one message only.
    let together = matches!(format, Format::Gemini | Format::Bedrock);
    match apart && !together {
        true => results.into_iter().map(|one| json!({"role": role, member: [one]})).collect(),
        false => vec![json!({"role": role, member: results})],
    }
}

fn answer(format: Format, call: &Call) -> Value {
    let (id, text) = (&call.id, call.text.as_str());
    let failed = call.shape == Shape::Failed;
    let parts = json!([{"type": "text", "text": text}, {"type": "text", "text": "end"}]);
    let object = json!({"z": 1, "body": text, "list": [[]]});
    let plain = match call.shape {
        Shape::Parts => parts.clone(),
        Shape::Object => Value::from(object.to_string()),
        Shape::Text | Shape::Failed => Value::from(text),
    };
    some(match format {
        Format::OpenAiChat => json!({"role": "tool", "tool_call_id": id, "content": plain}),
        Format::LangChain => {
            json!({"type": "tool", "tool_call_id": id, "name": "bash", "content": plain})
        }
        Format::Responses => {
            let output = match call.shape {
                Shape::Parts => json!([{"type": "input_text", "text": text}]),
                _ => plain,
            };
            json!({"type": "function_call_output", "call_id": id, "output": output})
        }
        Format::Anthropic => json!({
            "type": "tool_result", "tool_use_id": id, "content": plain, "is_error": failed
        }),
        Format::Gemini => {
            let response =
                if call.shape == Shape::Object { object } else { json!({"result": text}) };
            let inner = some(json!({"id": id, "name": "bash", "response": response}));
            json!({"functionResponse": inner})
        }
        Format::AiSdk => {
            let output = match call.shape {
                Shape::Text => json!({"type": "text", "value": text}),
                Shape::Parts => json!({"type": "content", "value": parts}),
                Shape::Object => json!({"type": "json", "value": object}),
                Shape::Failed => json!({"type": "error-text", "value": text}),
            };
            json!({"type": "tool-result", "toolCallId": id, "toolName": "bash", "output": output})
        }
        Format::Bedrock => {
            let content = match call.shape {
                Shape::Object => json!([{"json": object}]),
                Shape::Parts => json!([{"text": text}, {"text": "end"}]),
                Shape::Text | Shape::Failed => json!([{"text": text}]),
            };
            let status = failed.then_some("error");
            let result = json!({"toolUseId": id, "content": content, "status": status});
            json!({"toolResult": some(result)})
        }
        Format::Pi => json!({
            "role": "toolResult", "toolCallId": id, "toolName": "bash",
            "content": if call.shape == Shape::Parts { parts } else { json!([{"type": "text", "text": text}]) },
            "isError": failed
        }),
    })
}
