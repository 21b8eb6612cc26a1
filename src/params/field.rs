//! The declaration of a request's member. The parser, the flags of `offload`, the schemas of
//! `openapi.yaml` and the settings of the clients are derived from it.

use raw_json as raw;

use super::{ParamError, invalid};

/// The JSON values that a member accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A whole number from [`Field::min`] to [`Field::max`].
    Whole,
    /// A number from 0 to 1.
    Fraction,
    /// true or false.
    Flag,
    /// One of [`Field::words`].
    Word,
    /// A list of [`Field::words`].
    Words,
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// Any value.
    Json,
}

impl Shape {
    /// Returns the shape of a list of such values.
    pub(super) const fn list(self) -> Shape {
        match self {
            Shape::Word => Shape::Words,
            Shape::Text => Shape::Texts,
            _ => Shape::Json,
        }
    }
}

/// The handling of a string that contains only white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blank {
    /// Accepts it like any other string.
    Accepted,
    /// Treats it like an absent member.
    Absent,
    /// Rejects it with an error.
    Refused,
}

/// The declaration of a member.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// Its name.
    pub name: &'static str,
    /// Other names that callers give it, for the error of an unknown member.
    pub aka: &'static [&'static str],
    /// Its description: a first sentence, and after an empty line the details.
    pub about: &'static str,
    /// The JSON values that it accepts.
    pub shape: Shape,
    /// True if a request without it is an error.
    #[cfg_attr(not(test), expect(dead_code, reason = "the contract is written from it"))]
    pub required: bool,
    /// The value of an absent member, JSON.
    pub default: Option<&'static str>,
    /// The meaning of an absent member, in words, if `default` cannot express it.
    pub absent: &'static str,
    /// The words that it accepts.
    pub words: &'static [&'static str],
    /// The unit of a number, or the kind of a text.
    pub unit: &'static str,
    /// The minimum of a number.
    pub min: u64,
    /// The maximum of a number, or the maximum number of characters of a string.
    pub max: u64,
    /// How a string of white space is read.
    pub blank: Blank,
    /// The accepted value, as errors name it for an absent, blank or too long string.
    pub accepted: &'static str,
    /// The accepted value, as errors name it for another type.
    pub typed: &'static str,
    /// Further keywords of its JSON Schema: members of an object, JSON.
    pub schema: &'static str,
}

impl Field {
    /// Returns its description as paragraphs.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let lines: Vec<&str> = self.about.lines().map(str::trim).collect();
        lines.split(|line| line.is_empty()).map(|lines| lines.join(" ")).collect()
    }

    /// Returns the value of an absent member, for people; `None` if it has no value and no meaning.
    pub(crate) fn default_in_words(&self) -> Option<String> {
        let named = (!self.absent.is_empty()).then(|| self.absent.to_owned());
        named.or_else(|| self.default.map(|json| json.replace(['[', ']', '"'], "")))
    }

    /// Returns the accepted words, as errors list them.
    pub(super) fn listed_words(&self) -> String {
        self.words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
    }

    /// Returns the meaning of a value that is one of the accepted words.
    pub(crate) fn meaning<T: Copy>(
        &self,
        json: &str,
        meanings: &[(&'static str, T)],
    ) -> Result<T, ParamError> {
        let text = raw::is_string(json).then(|| raw::unescape(json).text);
        text.and_then(|text| {
            let is_meant = |word: &str| word == text && self.words.contains(&word);
            meanings.iter().find(|(word, _)| is_meant(word)).map(|(_, meaning)| *meaning)
        })
        .ok_or_else(|| self.invalid(json, &self.listed_words()))
    }

    /// Returns the error for a value that it does not accept.
    pub(crate) fn invalid(&self, found: &str, accepted: &str) -> ParamError {
        invalid(self.name, found, accepted)
    }
}
