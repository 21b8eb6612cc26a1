//! Parameters: the members of a request object, read one by one with a name, a
//! type and a range. What no one asked for is reported by name, not refused:
//! callers of a newer or an older version keep working.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use chat_history::outline::outline;
use chat_history::raw::{self, Fields};
use chat_history::{History, HistoryError};

/// Most unknown members that are named.
const UNKNOWN: usize = 20;

/// Why a request could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// The bytes are no UTF-8.
    #[error("the body is not UTF-8 from byte {position} on; accepted is JSON in UTF-8")]
    NotUtf8 {
        /// The first bad byte.
        position: usize,
    },
    /// The bytes are no JSON.
    #[error("the body is not readable JSON: {reason}")]
    NotJson {
        /// What the parser says, with line and column.
        reason: String,
    },
    /// The body is JSON, but no object.
    #[error("the body is {found}; accepted is a JSON object")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// A required field is absent.
    #[error("{field} is missing; accepted is {accepted}")]
    Missing {
        /// The field.
        field: &'static str,
        /// What it takes.
        accepted: String,
    },
    /// A known field holds what it cannot take.
    #[error("{field} is {found}; accepted is {accepted}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What stood there, at most 60 characters of it.
        found: String,
        /// What it takes.
        accepted: String,
    },
}

impl ParamError {
    /// The field concerned, where there is one.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            ParamError::Missing { field, .. } | ParamError::Invalid { field, .. } => Some(field),
            ParamError::NotUtf8 { .. }
            | ParamError::NotJson { .. }
            | ParamError::NotAnObject { .. } => None,
        }
    }
}

/// Why a request has no history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryOrParam {
    /// A field is missing or of the wrong type.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The messages cannot be read.
    #[error(transparent)]
    History(#[from] HistoryError),
}

/// The members of a request.
pub struct Params<'a> {
    fields: Fields<'a>,
    messages: Option<Vec<&'a str>>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Params<'a> {
    /// Splits a body into its members.
    pub fn parse(body: &'a [u8]) -> Result<Params<'a>, ParamError> {
        let body = std::str::from_utf8(body)
            .map_err(|error| ParamError::NotUtf8 { position: error.valid_up_to() })?;
        let (fields, messages) = raw::request(body).map_err(|error| {
            if error.is_data() {
                ParamError::NotAnObject { found: raw::kind(body) }
            } else {
                ParamError::NotJson { reason: error.to_string() }
            }
        })?;
        Ok(Params { fields, messages, asked: RefCell::default() })
    }

    /// The same for a body whose messages will all be read, or are known: they may be no
    /// JSON yet. Where one of them turns out to be none, [`Params::parse`] says what is
    /// wrong with the body.
    pub fn outline(body: &'a [u8]) -> Result<Params<'a>, ParamError> {
        let Some((fields, messages)) = outline(body) else { return Params::parse(body) };
        Ok(Params { fields, messages: Some(messages), asked: RefCell::default() })
    }

    /// The history in `messages`, in the dialect that `format` names.
    pub fn history(&self) -> Result<History<'a>, HistoryOrParam> {
        let array = self.required("messages", "an array of messages, oldest first")?;
        let format = self.string("format")?;
        let format = format.as_deref().unwrap_or("auto");
        let messages = match &self.messages {
            Some(messages) => messages.clone(),
            None => raw::elements(array)
                .map_err(|_| HistoryError::NotAnArray { found: raw::kind(array) })?,
        };
        Ok(History::of_elements(array, messages, format, self.system()?)?)
    }

    /// The system prompt beside the messages, under any name that a provider gives
    /// it.
    pub fn system(&self) -> Result<Option<&'a str>, ParamError> {
        let names = ["system", "instructions", "systemInstruction", "system_instruction"];
        let mut given = names.into_iter().filter_map(|name| Some((name, self.raw(name)?)));
        let Some((_, system)) = given.next() else { return Ok(None) };
        match given.next() {
            None => Ok(Some(system)),
            Some((name, _)) => {
                Err(invalid(name, "given beside another name of it", "one system prompt"))
            }
        }
    }

    /// Every member but `messages`, in order.
    pub fn fields(&self) -> &Fields<'a> {
        &self.fields
    }

    /// A member as raw JSON; null counts as absent.
    pub fn raw(&self, name: &'static str) -> Option<&'a str> {
        self.asked.borrow_mut().insert(name);
        raw::field(&self.fields, name).filter(|value| *value != "null")
    }

    /// A required member as raw JSON.
    pub fn required(&self, name: &'static str, accepted: &str) -> Result<&'a str, ParamError> {
        self.raw(name)
            .ok_or_else(|| ParamError::Missing { field: name, accepted: accepted.to_owned() })
    }

    /// A string.
    pub fn string(&self, name: &'static str) -> Result<Option<Cow<'a, str>>, ParamError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        if !raw::is_string(value) {
            return Err(invalid(name, value, "a string"));
        }
        Ok(Some(raw::unescape(value).text))
    }

    /// A whole number from `least` on.
    pub fn whole(&self, name: &'static str, least: u64) -> Result<Option<u64>, ParamError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        match serde_json::from_str::<u64>(value) {
            Ok(number) if number >= least => Ok(Some(number)),
            _ => Err(invalid(name, value, &format!("a whole number from {least} on"))),
        }
    }

    /// A number between two bounds.
    pub fn number(
        &self,
        name: &'static str,
        least: f64,
        most: f64,
    ) -> Result<Option<f64>, ParamError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        match serde_json::from_str::<f64>(value) {
            Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ => Err(invalid(name, value, &format!("a number from {least} to {most}"))),
        }
    }

    /// true or false.
    pub fn flag(&self, name: &'static str) -> Result<Option<bool>, ParamError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        match value {
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => Err(invalid(name, value, "true or false")),
        }
    }

    /// One of a few words.
    pub fn word<T: Copy>(
        &self,
        name: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, ParamError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        one_of(name, value, words).map(Some)
    }

    /// A list of a few words.
    pub fn words<T: Copy>(
        &self,
        name: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<Vec<T>>, ParamError> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        let Ok(items) = raw::elements(value) else {
            return Err(invalid(name, value, &format!("a list of {}", list(words))));
        };
        items.iter().map(|item| one_of(name, item, words)).collect::<Result<_, _>>().map(Some)
    }

    /// A warning for each of the first members that nobody asked for.
    pub fn unknown_warnings(&self) -> Vec<String> {
        let warn = |name: &String| format!("unknown field \"{name}\" was ignored");
        self.unknown().iter().map(warn).collect()
    }

    /// The first members that nobody asked for, in order.
    pub fn unknown(&self) -> Vec<String> {
        let asked = self.asked.borrow();
        let mut names: Vec<String> = Vec::new();
        for (name, _) in &self.fields {
            if !asked.contains(name.as_ref()) && !names.iter().any(|known| known == name) {
                names.push(name.chars().take(60).collect());
            }
            if names.len() == UNKNOWN {
                break;
            }
        }
        names
    }
}

fn one_of<T: Copy>(name: &'static str, value: &str, words: &[(&str, T)]) -> Result<T, ParamError> {
    let text = raw::is_string(value).then(|| raw::unescape(value).text);
    text.and_then(|text| words.iter().find(|(word, _)| *word == text))
        .map(|(_, meaning)| *meaning)
        .ok_or_else(|| invalid(name, value, &list(words)))
}

fn list<T>(words: &[(&str, T)]) -> String {
    words.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

/// A field that holds what it cannot take.
pub fn invalid(field: &'static str, found: &str, accepted: &str) -> ParamError {
    let short: String = found.chars().take(60).collect();
    let found = if short.len() < found.len() {
        format!("{} of {} bytes", raw::kind(found), found.len())
    } else {
        short
    };
    ParamError::Invalid { field, found, accepted: accepted.to_owned() }
}
