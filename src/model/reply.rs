//! Parser of an endpoint's answer: a completion or an error. Members are looked up in the raw
//! JSON: compatible servers omit members, change their types or repeat them, and a parsed tree
//! of a hostile answer would take many times its size.
//!
//! ```json
//! {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "…"}}]}
//! ```

use raw_json::{self as raw, Fields};

use super::completion::{Completion, Finish};
use super::endpoint::Endpoint;
use super::error::ModelError;

/// Reads the first choice of a 2xx answer.
///
/// # Errors
///
/// Returns [`ModelError::NoText`], or [`ModelError::Status`] for an `error` in place of the
/// choices, as gateways send it after a 200.
pub(super) fn completion(json: &str, endpoint: &Endpoint) -> Result<Completion, ModelError> {
    let reply = raw::fields(json).unwrap_or_default();
    let Some(choice) = first_choice(&reply) else { return Err(no_choice(&reply, endpoint)) };
    let message = object(&choice, "message").unwrap_or_default();
    let content = raw::field(&message, "content").map(content).unwrap_or_default();
    if content.refused || raw::field(&message, "refusal").is_some_and(has_text) {
        return Ok(Completion { text: content.text, finished: Finish::Refused });
    }
    let finished = finish(raw::field(&choice, "finish_reason"), endpoint);
    if content.text.trim().is_empty() {
        return Err(ModelError::NoText { finished: Some(finished) });
    }
    Ok(Completion { text: content.text, finished })
}

/// Returns the error's `code`, or its `type`.
pub(super) fn code(json: &str, endpoint: &Endpoint) -> Option<String> {
    let reply = raw::fields(json).ok()?;
    // Some servers put the error's members at the top level.
    let error = object(&reply, "error").unwrap_or(reply);
    // A number repeats the status.
    let text = |name| raw::field(&error, name).filter(|value| raw::is_string(value));
    let word = |name| endpoint.word(&raw::unescape(text(name)?).text);
    let (code, kind) = (word("code"), word("type"));
    // `insufficient_quota` decides about retries, wherever it is.
    let decides = |word: &String| word == "insufficient_quota";
    kind.clone().filter(decides).or(code).or(kind)
}

fn first_choice<'a>(reply: &Fields<'a>) -> Option<Fields<'a>> {
    let choices = raw::elements(raw::field(reply, "choices")?).ok()?;
    raw::fields(choices.first()?).ok()
}

fn no_choice(reply: &Fields<'_>, endpoint: &Endpoint) -> ModelError {
    let Some(error) = object(reply, "error") else { return ModelError::NoText { finished: None } };
    let code = raw::field(&error, "code");
    let status = code.and_then(scalar).and_then(|code| code.parse().ok());
    ModelError::Status {
        status: status.filter(|status| (400..600).contains(status)).unwrap_or(200),
        code: raw::field(reply, "error").and_then(|error| self::code(error, endpoint)),
        retry_after: None,
    }
}

fn finish(reason: Option<&str>, endpoint: &Endpoint) -> Finish {
    let reason = reason.and_then(scalar).unwrap_or_default().trim().to_ascii_lowercase();
    match reason.as_str() {
        "" | "stop" | "eos" | "eos_token" | "end_turn" | "stop_sequence" => Finish::Stop,
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => Finish::Length,
        "content_filter" => Finish::Filtered,
        "refusal" => Finish::Refused,
        other => Finish::Other(endpoint.word(other).unwrap_or_else(|| "unnamed".to_owned())),
    }
}

/// The content of a message.
#[derive(Default)]
struct Content {
    text: String,
    refused: bool,
}

/// Reads a string, or an array of strings and parts; anything else is empty.
fn content(content: &str) -> Content {
    if raw::is_string(content) {
        return Content { text: raw::unescape(content).text.into_owned(), refused: false };
    }
    let mut read = Content::default();
    for part in raw::elements(content).unwrap_or_default() {
        if raw::is_string(part) {
            read.text.push_str(&raw::unescape(part).text);
            continue;
        }
        let part = raw::fields(part).unwrap_or_default();
        let kind = raw::field(&part, "type").and_then(scalar);
        match kind.as_deref() {
            None | Some("text" | "output_text") => {
                let text = raw::field(&part, "text").filter(|text| raw::is_string(text));
                read.text.push_str(&raw::unescape(text.unwrap_or_default()).text);
            }
            Some("refusal") => read.refused = true,
            // Reasoning, images and other parts.
            Some(_) => {}
        }
    }
    read
}

fn object<'a>(fields: &Fields<'a>, name: &str) -> Option<Fields<'a>> {
    raw::fields(raw::field(fields, name)?).ok()
}

/// Returns the text of a string or a number.
fn scalar(raw: &str) -> Option<String> {
    if raw::is_string(raw) {
        return Some(raw::unescape(raw).text.into_owned());
    }
    raw.starts_with(|c: char| c.is_ascii_digit()).then(|| raw.to_owned())
}

fn has_text(refusal: &str) -> bool {
    scalar(refusal).is_some_and(|text| !text.trim().is_empty())
}
