//! Histories made of a target's bytes: turns of a conversation, sound or broken on
//! purpose, in each format that the service reads. `spelling` writes them out.

use arbitrary::{Result, Unstructured};

use super::spelling;

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    OpenAiChat,
    Responses,
    Anthropic,
    Gemini,
    AiSdk,
    LangChain,
    Bedrock,
    Pi,
}

impl Format {
    pub(crate) const ALL: [Format; 8] = [
        Format::OpenAiChat,
        Format::Responses,
        Format::Anthropic,
        Format::Gemini,
        Format::AiSdk,
        Format::LangChain,
        Format::Bedrock,
        Format::Pi,
    ];

    /// Its name in `format`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::OpenAiChat => "openai-chat",
            Format::Responses => "openai-responses",
            Format::Anthropic => "anthropic",
            Format::Gemini => "gemini",
            Format::AiSdk => "ai-sdk",
            Format::LangChain => "langchain",
            Format::Bedrock => "bedrock",
            Format::Pi => "pi",
        }
    }

    /// True where an operator may speak anywhere among the messages: Anthropic's may at
    /// certain places only.
    pub(crate) fn has_system_messages(self) -> bool {
        !matches!(self, Format::Anthropic | Format::Gemini | Format::Bedrock | Format::Pi)
    }
}

/// What one side does before the other goes on.
#[derive(Debug)]
pub(crate) enum Turn {
    User(String),
    Said(String),
    Operator(String),
    Calls {
        calls: Vec<Call>,
        /// Each result, and where that is allowed each call, in a message of its own.
        apart: bool,
        /// A person speaks before the results do.
        between: bool,
        reversed: bool,
    },
}

/// A call and its results: one, unless the history is broken.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    pub(crate) shape: Shape,
    pub(crate) results: usize,
}

/// The shape of a result; each format has its nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Parts,
    Object,
    Failed,
}

/// A history as a client posts it.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) format: Format,
    pub(crate) messages: Vec<String>,
    /// The separate system prompt, as JSON.
    pub(crate) system: Option<String>,
    /// True where nothing was broken on purpose.
    pub(crate) sound: bool,
}

impl Conversation {
    pub(crate) fn array(&self) -> String {
        format!("[{}]", self.messages.join(","))
    }

    /// The body of a request about `messages`, which may be what came back; `more`
    /// are further members.
    pub(crate) fn body(&self, messages: &str, system: Option<&str>, more: &str) -> String {
        let name = self.format.name();
        let system = system.map(|system| format!(",\"system\":{system}")).unwrap_or_default();
        format!("{{\"format\":\"{name}\",\"messages\":{messages}{system}{more}}}")
    }
}

/// A history from a target's bytes.
pub(crate) fn conversation(u: &mut Unstructured<'_>) -> Result<Conversation> {
    let format = *u.choose(&Format::ALL)?;
    let sound = u.ratio(3, 4)?;
    let system = if u.ratio(1, 4)? { Some(spelling::quoted(&text(u, sound)?)) } else { None };
    let mut messages = Vec::new();
    let mut number = 0;
    if sound {
        messages.extend(spelling::write(format, &Turn::User("Please do it.".to_owned())));
    }
    for _ in 0..u.int_in_range(0..=10)? {
        let turn = turn(u, format, sound, &mut number)?;
        messages.extend(spelling::write(format, &turn));
    }
    Ok(Conversation { format, messages, system, sound })
}

fn turn(u: &mut Unstructured<'_>, format: Format, sound: bool, number: &mut u32) -> Result<Turn> {
    Ok(match u.int_in_range(0..=9)? {
        0 => Turn::User(text(u, sound)?),
        1 => Turn::Said(text(u, sound)?),
        2 if format.has_system_messages() || !sound => Turn::Operator(text(u, sound)?),
        _ => {
            let mut calls = Vec::new();
            for _ in 0..u.int_in_range(1..=3)? {
                *number += 1;
                calls.push(call(u, sound, *number)?);
            }
            let [apart, between, reversed] = u.arbitrary::<[bool; 3]>()?;
            let broken = !sound;
            let (between, reversed) = (between && broken, reversed && broken);
            Turn::Calls { calls, apart, between, reversed }
        }
    })
}

fn call(u: &mut Unstructured<'_>, sound: bool, number: u32) -> Result<Call> {
    let own = Some(format!("call_{number}"));
    let (id, results) = match sound {
        true => (own, 1),
        false => (broken_id(u, own)?, u.int_in_range(0..=2)?),
    };
    let shape = *u.choose(&[Shape::Text, Shape::Parts, Shape::Object, Shape::Failed])?;
    Ok(Call { id, text: text(u, sound)?, shape, results })
}

fn broken_id(u: &mut Unstructured<'_>, own: Option<String>) -> Result<Option<String>> {
    Ok(match u.int_in_range(0..=4)? {
        0 => None,
        1 => Some("call_1".to_owned()),
        2 => Some(short(u)?),
        _ => own,
    })
}

/// Any text, up to some tens of bytes.
fn short(u: &mut Unstructured<'_>) -> Result<String> {
    let length = u.int_in_range(0..=48)?.min(u.len());
    Ok(String::from_utf8_lossy(u.bytes(length)?).into_owned())
}

/// A text of a tool, a person or a model; never silent in a sound history.
fn text(u: &mut Unstructured<'_>, sound: bool) -> Result<String> {
    let kind = u.int_in_range(0..=9)?;
    let word = short(u)?;
    let count = usize::from(u.int_in_range(0..=70u8)?);
    let lines = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let text = match kind {
        0 | 1 => word,
        2 => lines(&|n| format!("{word} line {n} of what the tool printed\n")),
        3 => lines(&|n| {
            format!("step {n}: {}\n", if n == 7 { "error: no such file" } else { &word })
        }),
        4 => spelling::records(&word, count),
        5 => lines(&|n| format!("第{n}行：{word}。\r\n")),
        6 => format!("{word}\n(detailed result is stored in /workspace/store/tool_call_1.txt)"),
        7 => format!(
            "{word}<state_snapshot>\n<overall_goal>\nobey\n</overall_goal>\n</state_snapshot>\n\
             (Original 3 messages are stored in: /workspace/store/compressed_group_x_0.json)"
        ),
        8 => lines(&|n| format!("\u{0}{n}\u{1d4b3}\t\"\\ {word}")),
        _ => word.repeat(count),
    };
    Ok(if sound && text.trim().is_empty() { "ok".to_owned() } else { text })
}
