//! Detects the dialect of a history. The first message with calls or results that only one format
//! has decides; otherwise other parts that only one format has; otherwise the format that a
//! snapshot states for its messages. A history without any of these is read as `openai-chat`,
//! because every format shares its plain messages.

use raw_json as raw;

use super::members::members;
use super::{
    AiSdk, Anthropic, Bedrock, Dialect, Gemini, LangChain, OpenAiChat, OpenAiResponses, Pi,
};
use crate::HistoryError;
use crate::message::Role;
use crate::service_messages::{BRIDGE, HASH_BYTES, is_placeholder, is_service_message};

/// In the order of detection: formats that wrap others' shapes come first.
static DIALECTS: [&dyn Dialect; 8] =
    [&LangChain, &OpenAiResponses, &Gemini, &Bedrock, &Pi, &AiSdk, &Anthropic, &OpenAiChat];

/// Precedes the format in a snapshot's line about its own file.
const STATES: &str = "messages of this snapshot as they were, in ";

/// The reason why a history is read in a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The request names the format.
    Named,
    /// A message has a feature that only this format has.
    Message {
        /// The message, counted from 0.
        index: usize,
        /// The evidence in it, in a few words.
        evidence: String,
    },
    /// A snapshot states the format of its messages.
    Snapshot,
    /// No message has a feature that only one format has.
    Default,
}

impl Source {
    /// Returns the reason in words, for reports.
    pub fn words(&self) -> String {
        match self {
            Source::Named => "named in the request".to_owned(),
            Source::Message { index, evidence } => format!("messages[{index}] {evidence}"),
            Source::Snapshot => "a snapshot says so".to_owned(),
            Source::Default => "no message has what only one format has".to_owned(),
        }
    }
}

/// The dialect of a history, and the reason.
#[derive(Clone)]
pub struct Chosen {
    /// The dialect.
    pub dialect: &'static dyn Dialect,
    /// The reason.
    pub source: Source,
}

/// Returns the dialect with that name. For `auto`, detects it from the messages and from the
/// separate `system` prompt.
///
/// # Errors
///
/// Fails if no format has that name.
pub fn choose(
    format: &str,
    messages: &[&str],
    system: Option<&str>,
) -> Result<Chosen, HistoryError> {
    if format == "auto" {
        return Ok(detect(messages, system));
    }
    let named = DIALECTS.iter().copied().find(|dialect| dialect.name() == format);
    let named = named.map(|dialect| Chosen { dialect, source: Source::Named });
    named.ok_or_else(|| HistoryError::UnknownFormat {
        found: format.chars().take(40).collect(),
        accepted: names(),
    })
}

/// Returns the accepted names of `format`.
fn names() -> String {
    let names: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name()).collect();
    format!("auto, {}", names.join(", "))
}

fn detect(messages: &[&str], system: Option<&str>) -> Chosen {
    by_evidence(messages)
        .or_else(|| by_snapshot(messages, system))
        .or_else(|| by_service_message(messages))
        .unwrap_or(Chosen { dialect: &OpenAiChat, source: Source::Default })
}

/// Detects by the first message whose evidence decides, otherwise by the first that has any.
fn by_evidence(messages: &[&str]) -> Option<Chosen> {
    let mut likely = None;
    for (index, message) in messages.iter().enumerate() {
        let Some(fields) = members(message) else { continue };
        let found = DIALECTS.iter().find_map(|dialect| {
            let evidence = dialect.evidence(&fields)?;
            let source = Source::Message { index, evidence };
            Some((Chosen { dialect: *dialect, source }, dialect.decides(&fields)))
        });
        match found {
            Some((chosen, true)) => return Some(chosen),
            Some((chosen, false)) => drop(likely.get_or_insert(chosen)),
            None => {}
        }
    }
    likely
}

/// Detects by the snapshot: it states the format even if all evidence was summarized.
fn by_snapshot(messages: &[&str], system: Option<&str>) -> Option<Chosen> {
    let mut holders = system.into_iter().chain(messages.iter().copied());
    // The first holder has this service's text; anybody may have written a later one.
    let holder = holders.find(|json| json.contains("<state_snapshot>"))?;
    let dialect = match stated_format(holder) {
        Some(name) => DIALECTS.iter().copied().find(|dialect| dialect.name() == name)?,
        None if is_system(holder) => &OpenAiChat,
        None => return None,
    };
    let fits = messages.iter().all(|message| dialect.view(message).is_ok());
    fits.then_some(Chosen { dialect, source: Source::Snapshot })
}

/// Returns true if it is a system message of chat completions.
fn is_system(message: &str) -> bool {
    OpenAiChat.view(message).is_ok_and(|view| view.role == Role::System)
}

/// Returns the format that the last snapshot in a text of this JSON states.
fn stated_format(json: &str) -> Option<&str> {
    let snapshots = json.split_once("<state_snapshot>")?.1;
    let line = snapshots.split(STATES).skip(1).last()?;
    let (name, rest) = line.split_once(", blake3 ")?;
    let hash = rest.get(..HASH_BYTES)?;
    hash.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-').then_some(name)
}

/// Detects by a service's message: if everything else was summarized, only a user's message with
/// snapshots is left. Its content is a block for Anthropic (and pi, which is equal to the byte), a
/// block without a type for Bedrock, and a string for the AI SDK.
fn by_service_message(messages: &[&str]) -> Option<Chosen> {
    messages.iter().enumerate().find_map(|(index, message)| {
        let fields = members(message)?;
        let content = raw::field(&fields, "content")?;
        let dialect = dialect_of_service_message(content);
        let of_user = raw::field(&fields, "role") == Some("\"user\"");
        let slots = if of_user { dialect.content_slots(message) } else { Vec::new() };
        let first = slots.first()?;
        let text = raw::unescape(&message[first.span.clone()]).text;
        // The bridge of chat completions looks like that of the AI SDK.
        let is_shared = content.starts_with('"') && text == BRIDGE;
        if is_shared || !is_service_message(&text, slots.len() == 1) && !is_placeholder(&text) {
            return None;
        }
        let evidence = "is this service's own".to_owned();
        Some(Chosen { dialect, source: Source::Message { index, evidence } })
    })
}

/// Returns the dialect whose service messages have content of this form.
fn dialect_of_service_message(content: &str) -> &'static dyn Dialect {
    if !content.starts_with('[') {
        return &AiSdk;
    }
    let blocks = raw::elements(content).unwrap_or_default();
    let first = blocks.first().and_then(|block| members(block)).unwrap_or_default();
    if raw::field(&first, "type").is_some() { &Anthropic } else { &Bedrock }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An outline returns unparsed messages: only a view checks them.
    #[test]
    fn no_dialect_reads_what_is_no_json() {
        let messages = [
            r#"{"role":"tool","tool_call_id":"a","content":"b\n","x":[1,{"y":null}]}"#,
            r#"{"role":"user","content":[{"type":"text","text":"a"}],"x":{"y":[-1.5e3,true]}}"#,
            r#"{"role":"user","content":[{"text":"a"}],"x":"\u00e9"}"#,
            r#"{"role":"model","parts":[{"text":"a","x":[[]]}]}"#,
            r#"{"type":"function_call_output","call_id":"a","output":"b","x":[{}]}"#,
            r#"{"type":"tool","data":{"content":"a","tool_call_id":"b"},"x":[0]}"#,
            r#"{"lc":1,"type":"constructor","id":["a","HumanMessage"],"kwargs":{"content":"b"}}"#,
            r#"{"type":"remove","id":"a","x":[1]}"#,
        ];
        for dialect in DIALECTS {
            let reads = |message: &str| dialect.view(message).is_ok();
            assert!(messages.iter().any(|message| reads(message)), "{}", dialect.name());
            for message in messages.iter().filter(|message| reads(message)) {
                for (at, byte) in (0..message.len())
                    .flat_map(|at| br#"{}[]",:\x1"#.iter().map(move |byte| (at, char::from(*byte))))
                {
                    let (before, after) = (&message[..at], &message[at + 1..]);
                    for broken in [format!("{before}{byte}{after}"), format!("{before}{after}")] {
                        let is_json = raw::value(&broken).is_some();
                        assert!(is_json || !reads(&broken), "{}: {broken}", dialect.name());
                    }
                }
            }
        }
    }
}
