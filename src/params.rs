//! Parameters: the members of a request object, declared once ([`Field`]) and read one by one. If a
//! framework's request has a member that no operation reads, a warning names it, so that callers of
//! a newer or an older version keep working. In a tool call, which a model writes, such a member is
//! an error ([`checked`]).

mod call;
mod field;
mod history;
mod member;

use std::cell::RefCell;
use std::collections::BTreeSet;

pub(crate) use call::{Elsewhere, checked, unquoted};
use chat_history::outline::outline;
pub(crate) use field::{Blank, Field, Shape};
pub(crate) use history::{Beside, HistoryMembers, HistoryOrParam, SystemPrompt};
pub(crate) use member::{Json, Member, Words};
pub(crate) use member::{request, words};
use raw_json::{self as raw, Fields};

/// Keywords of the JSON Schema of a path.
pub(crate) const PATH: &str = r#"{"minLength": 1, "maxLength": 4096,
    "not": {"type": "string", "pattern": "[\\x00-\\x1f\\x7f-\\x9f]"}}"#;
/// Maximum number of unknown members to name.
const UNKNOWN: usize = 20;

/// The reason why a request could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamError {
    /// The bytes are not UTF-8.
    #[error("the body is not UTF-8 from byte {position} on; accepted is JSON in UTF-8")]
    NotUtf8 {
        /// The offset of the first invalid byte.
        position: usize,
    },
    /// The bytes are not JSON.
    #[error("the body is not readable JSON: {reason}")]
    NotJson {
        /// The parser's message, with line and column.
        reason: String,
    },
    /// The body is JSON, but not an object.
    #[error("the body is {found}; accepted is a JSON object")]
    NotAnObject {
        /// Its kind.
        found: &'static str,
    },
    /// A required field is absent.
    #[error("{field} is missing; accepted is {accepted}")]
    Missing {
        /// The field.
        field: &'static str,
        /// The accepted value.
        accepted: String,
    },
    /// A tool call has a member that the tool does not have.
    #[error("\"{field}\" is not a member of this request; accepted are {accepted}{advice}")]
    Unknown {
        /// The member.
        field: String,
        /// The accepted members.
        accepted: String,
        /// The request to send instead, if the meaning is clear.
        advice: String,
    },
    /// A known field has an invalid value.
    #[error("{field} is {found}; accepted is {accepted}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// The value that was found, at most 60 characters of it.
        found: String,
        /// The accepted value.
        accepted: String,
    },
}

impl ParamError {
    /// Returns the field concerned, if there is one.
    pub(crate) fn field(&self) -> Option<&str> {
        match self {
            ParamError::Unknown { field, .. } => Some(field),
            ParamError::Missing { field, .. } | ParamError::Invalid { field, .. } => Some(field),
            ParamError::NotUtf8 { .. }
            | ParamError::NotJson { .. }
            | ParamError::NotAnObject { .. } => None,
        }
    }
}

/// The members of a request.
pub(crate) struct Params<'a> {
    fields: Fields<'a>,
    messages: Option<Vec<&'a str>>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Params<'a> {
    /// Splits a body into its members.
    pub(crate) fn parse(body: &'a [u8]) -> Result<Params<'a>, ParamError> {
        let body = std::str::from_utf8(body)
            .map_err(|error| ParamError::NotUtf8 { position: error.valid_up_to() })?;
        let (fields, messages) = raw::fields_and_elements(body, "messages").map_err(|error| {
            if error.is_data() {
                ParamError::NotAnObject { found: raw::kind(body) }
            } else {
                ParamError::NotJson { reason: error.to_string() }
            }
        })?;
        Ok(Params { fields, messages, asked: RefCell::default() })
    }

    /// Like [`Params::parse`], for a body whose messages will all be parsed or are known: does not
    /// check them. If one of them turns out to be invalid, [`Params::parse`] reports the error.
    pub(crate) fn outline(body: &'a [u8]) -> Result<Params<'a>, ParamError> {
        let Some((fields, messages)) = outline(body) else { return Params::parse(body) };
        Ok(Params { fields, messages: Some(messages), asked: RefCell::default() })
    }

    /// Returns every member except `messages`, in order.
    pub(crate) fn fields(&self) -> &Fields<'a> {
        &self.fields
    }

    /// Returns a member as raw JSON, and records that it was read; null counts as absent.
    pub(crate) fn raw(&self, name: &'static str) -> Option<&'a str> {
        self.asked.borrow_mut().insert(name);
        raw::field(&self.fields, name).filter(|value| *value != "null")
    }

    /// Returns a warning for each of the first members that nothing has read.
    pub(crate) fn unknown_warnings(&self) -> Vec<String> {
        let warn = |name: &String| format!("unknown field \"{name}\" was ignored");
        self.unknown().iter().map(warn).collect()
    }

    /// Returns the first members that nothing has read, in order.
    pub(crate) fn unknown(&self) -> Vec<String> {
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

/// Returns the error for a field with an invalid value.
pub(crate) fn invalid(field: &'static str, found: &str, accepted: &str) -> ParamError {
    let short: String = found.chars().take(60).collect();
    let found = if short.len() < found.len() {
        format!("{} of {} bytes", raw::kind(found), found.len())
    } else {
        short
    };
    ParamError::Invalid { field, found, accepted: accepted.to_owned() }
}
