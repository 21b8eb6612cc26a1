//! Generated histories of every format except `openai-chat`: turns of a
//! conversation, whoever's they are ([`turn`]), written out as each format spells
//! them ([`pen`], and a module a format). Each message is JSON text, not a tree.
//! What must hold of them is read apart from the product: which rules of their
//! provider they break ([`rules`]), and where their texts stand ([`holes`]).

mod ai_sdk;
mod anthropic;
mod gemini;
pub(crate) mod holes;
mod langchain;
mod pen;
mod responses;
pub(crate) mod rules;
mod turn;

use pen::Pen;
use proptest::prelude::*;
use proptest::sample::select;
use raw_json::{field, fields};
use serde_json::Value;
use turn::{Turn, system, turns};

use crate::app::{Offloaded, TestApp};
use crate::history::array;

/// A format, and which of its spellings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Responses,
    Anthropic,
    Gemini,
    /// As the Python SDK dumps it: `function_call`.
    GeminiSnake,
    AiSdk,
    /// `model_dump`: `{"type", …}`.
    LangChainFlat,
    /// `messages_to_dict`: `{"type", "data"}`.
    LangChainData,
    /// `dumpd`: `{"lc", "id", "kwargs"}`.
    LangChainConstructor,
}

pub(crate) const FORMATS: [Format; 8] = [
    Format::Responses,
    Format::Anthropic,
    Format::Gemini,
    Format::GeminiSnake,
    Format::AiSdk,
    Format::LangChainFlat,
    Format::LangChainData,
    Format::LangChainConstructor,
];

impl Format {
    /// Its name in `format`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Responses => "openai-responses",
            Format::Anthropic => "anthropic",
            Format::Gemini | Format::GeminiSnake => "gemini",
            Format::AiSdk => "ai-sdk",
            Format::LangChainFlat | Format::LangChainData | Format::LangChainConstructor => {
                "langchain"
            }
        }
    }
}

/// A history as a client posts it.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub(crate) format: Format,
    pub(crate) messages: Vec<String>,
    /// The separate system prompt, as JSON.
    pub(crate) system: Option<String>,
    /// True where the request names the format.
    pub(crate) named: bool,
    /// True where nothing was broken on purpose.
    pub(crate) sound: bool,
    /// True where some message has a call.
    pub(crate) calls: bool,
}

/// What came back: the answer, and the system prompt that the client has now.
pub(crate) struct Answered {
    pub(crate) after: Offloaded,
    pub(crate) system: Option<String>,
}

impl Posted {
    pub(crate) fn array(&self) -> String {
        array(&self.messages)
    }

    /// The same conversation with other messages and another system prompt.
    pub(crate) fn with(&self, messages: Vec<String>, system: Option<String>) -> Posted {
        Posted { messages, system, ..self.clone() }
    }

    /// The body of a request about `messages`, which may be what came back.
    fn body(&self, messages: &str, system: Option<&str>, settings: &Value) -> String {
        let mut members = vec![format!("\"messages\":{messages}")];
        members.extend(system.map(|system| format!("\"system\":{system}")));
        if self.named {
            members.push(format!("\"format\":\"{}\"", self.format.name()));
        }
        let settings = settings.as_object().into_iter().flatten();
        members.extend(settings.map(|(name, value)| format!("\"{name}\":{value}")));
        format!("{{{}}}", members.join(","))
    }

    /// Offloads the history.
    pub(crate) fn offload(&self, app: &TestApp, settings: &Value) -> Answered {
        self.offload_as(app, &self.array(), self.system.as_deref(), settings)
    }

    /// Offloads what became of the history.
    pub(crate) fn offload_as(
        &self,
        app: &TestApp,
        messages: &str,
        system: Option<&str>,
        settings: &Value,
    ) -> Answered {
        let mut all = settings.clone();
        all["store_dir"] = "/workspace/store".into();
        let body = self.body(messages, system, &all);
        let answer = app.service.offload(body.as_bytes()).unwrap().into_json();
        Answered { system: system_of(&answer, system), after: Offloaded::read(&answer) }
    }

    /// Puts back what became of the history: the messages and the system prompt.
    pub(crate) fn rehydrate(
        &self,
        app: &TestApp,
        messages: &str,
        system: Option<&str>,
    ) -> (String, Option<String>) {
        let named = Posted { named: true, ..self.clone() };
        let body = named.body(messages, system, &Value::Null);
        let answer = app.service.rehydrate(body.as_bytes()).unwrap().into_json();
        let system = system_of(&answer, system);
        (Offloaded::read(&answer).messages, system)
    }

    /// Tokens: all, and those of each message.
    pub(crate) fn count(
        &self,
        app: &TestApp,
        messages: &str,
        system: Option<&str>,
    ) -> (u64, Vec<u64>) {
        let named = Posted { named: true, ..self.clone() };
        let body = named.body(messages, system, &Value::Null);
        let answer = app.service.count_tokens(body.as_bytes()).unwrap().into_json();
        let answer = Offloaded::read(&answer).json;
        let each = answer["metadata"]["tokens_by_message"].clone();
        (answer["metadata"]["tokens"].as_u64().unwrap(), serde_json::from_value(each).unwrap())
    }

    /// What the service says a provider would reject: rule and id.
    pub(crate) fn validate(&self, app: &TestApp, messages: &str) -> Vec<rules::Broken> {
        let named = Posted { named: true, ..self.clone() };
        let body = named.body(messages, None, &Value::Null);
        let answer = app.service.validate(body.as_bytes()).unwrap().0.into_json();
        let problems = Offloaded::read(&answer).json["metadata"]["problems"].clone();
        let problem = |problem: &Value| {
            (problem["rule"].as_str().unwrap().to_owned(), problem["id"].to_string())
        };
        problems.as_array().unwrap().iter().map(problem).collect()
    }
}

/// The system prompt of an answer; the one that was sent where it has none.
fn system_of(answer: &str, sent: Option<&str>) -> Option<String> {
    let members = fields(answer).unwrap();
    let system = field(&members, "system").filter(|system| *system != "null");
    system.or(sent).map(str::to_owned)
}

/// A turn as the format spells it.
fn write(pen: &mut Pen, format: Format, turn: &Turn) -> Vec<String> {
    match format {
        Format::Responses => responses::write(pen, turn),
        Format::Anthropic => anthropic::write(pen, turn),
        Format::Gemini => gemini::write(pen, turn, gemini::CAMEL),
        Format::GeminiSnake => gemini::write(pen, turn, gemini::SNAKE),
        Format::AiSdk => ai_sdk::write(pen, turn),
        Format::LangChainFlat => langchain::write(pen, turn, langchain::Shape::Flat),
        Format::LangChainData => langchain::write(pen, turn, langchain::Shape::Data),
        Format::LangChainConstructor => langchain::write(pen, turn, langchain::Shape::Constructor),
    }
}

/// A call that reads a file back, and what it brought.
pub(crate) fn read_back(format: Format, path: &str, text: &str) -> Vec<String> {
    let turn = Turn::ReadBack(path.to_owned(), text.to_owned());
    write(&mut Pen::new(0, false), format, &turn)
}

/// A history of any of the formats.
pub(crate) fn posted() -> impl Strategy<Value = Posted> {
    select(&FORMATS[..]).prop_flat_map(posted_in)
}

/// A history of one format.
pub(crate) fn posted_in(format: Format) -> impl Strategy<Value = Posted> {
    let seed = prop_oneof![1 => Just(0u64), 4 => any::<u64>()];
    let sound = prop_oneof![4 => Just(true), 1 => Just(false)];
    (turns(), system(), seed, any::<bool>(), sound).prop_map(
        move |(turns, system, seed, named, sound)| {
            let mut pen = Pen::new(seed, sound);
            let opening = Turn::User("Please help me with this task.".to_owned(), 0);
            let mut messages = Vec::new();
            let opens = sound.then_some(&opening);
            let mut calls = false;
            for turn in opens.into_iter().chain(&turns) {
                let written = write(&mut pen, format, turn);
                calls |= turn.has_calls(sound);
                messages.extend(written);
            }
            if sound && format == Format::Anthropic {
                anthropic::place_system(&mut messages);
            }
            let named = named || !calls;
            Posted { format, messages, system, named, sound, calls }
        },
    )
}
