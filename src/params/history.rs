//! The members that requests with a history have in common.

use chat_history::{History, HistoryError};
use raw_json as raw;

use super::{Field, Json, Member, ParamError, Params, Shape, invalid, request};

request! {
    /// A history.
    pub(crate) struct HistoryMembers<'a> {
        /// The whole history, oldest message first.
        messages: Json<'a> {
            accepted: "an array of messages, oldest first",
            schema: r##"{"type": "array", "items": {"$ref": "#/components/schemas/Message"}}"##,
        },
        /// Format of the messages.
        ///
        /// `auto` detects the format.
        format: Option<String> {
            unit: "name",
            words: &[
                "auto", "openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk",
                "langchain", "bedrock", "pi",
            ],
        } = "auto",
    }
}

request! {
    /// The members of a provider's request next to its messages.
    pub(crate) struct Beside<'a> {
        /// Tool definitions in the provider's format; their tokens count.
        tools: Option<Json<'a>>,
        /// The system prompt of a provider that sends it separately from the messages.
        ///
        /// A string, a list of text blocks or of strings, or an object with `parts`. If no system
        /// message can hold the snapshots, they are added here, and the answer returns the result
        /// as `system`. Also accepted as `instructions`, `systemInstruction` or
        /// `system_instruction`; send only one of them.
        system: SystemPrompt<'a>,
    }
}

/// The separate system prompt, under any name that a provider gives it.
pub(crate) struct SystemPrompt<'a>(pub Option<Json<'a>>);

impl<'a> Member<'a> for SystemPrompt<'a> {
    const SHAPE: Shape = Shape::Json;
    const REQUIRED: bool = false;

    fn parse(json: &'a str, _: &Field) -> Result<Self, ParamError> {
        Ok(SystemPrompt(Some(json)))
    }

    fn read(params: &Params<'a>, _: &Field) -> Result<Self, ParamError> {
        params.system().map(SystemPrompt)
    }
}

/// The reason why a request has no history.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HistoryOrParam {
    /// A field is missing or of the wrong type.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The messages cannot be parsed.
    #[error(transparent)]
    History(#[from] HistoryError),
}

impl<'a> Params<'a> {
    /// Parses the history in `messages`, in the dialect that `format` names.
    pub(crate) fn history(&self) -> Result<History<'a>, HistoryOrParam> {
        let HistoryMembers { messages: array, format } = HistoryMembers::from_params(self)?;
        let format = format.as_deref().unwrap_or("auto");
        let messages = match &self.messages {
            Some(messages) => messages.clone(),
            None => raw::elements(array)
                .map_err(|_| HistoryError::NotAnArray { found: raw::kind(array) })?,
        };
        Ok(History::from_elements(array, messages, format, self.system()?)?)
    }

    /// Returns the separate system prompt, under any name that a provider gives it.
    pub(crate) fn system(&self) -> Result<Option<&'a str>, ParamError> {
        let names = ["system", "instructions", "systemInstruction", "system_instruction"];
        let mut given = names.into_iter().filter_map(|name| Some((name, self.raw(name)?)));
        let Some((name, system)) = given.next() else { return Ok(None) };
        if !system.starts_with(['"', '[', '{']) {
            let accepted = "a string, an array of texts or text blocks, or an object with `parts`";
            return Err(invalid(name, raw::kind(system), accepted));
        }
        match given.next() {
            None => Ok(Some(system)),
            Some((name, _)) => {
                Err(invalid(name, "given together with another name of it", "one system prompt"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_prompt_is_one_text_list_or_object() {
        let system = |body: &str| {
            let params = Params::parse(body.as_bytes()).unwrap();
            params.system().map(|system| system.map(str::to_owned)).map_err(|e| e.to_string())
        };
        for given in ["\"x\"", "[\"x\"]", "{\"parts\":[]}"] {
            assert_eq!(system(&format!("{{\"system\":{given}}}")), Ok(Some(given.to_owned())));
        }
        assert_eq!(system("{\"system\":null}"), Ok(None));
        for given in ["4", "true"] {
            let refused = system(&format!("{{\"instructions\":{given}}}")).unwrap_err();
            assert!(
                refused.contains("instructions") && refused.contains("text blocks"),
                "{refused}"
            );
        }
        let twice = system("{\"system\":\"a\",\"instructions\":\"b\"}").unwrap_err();
        assert!(twice.contains("together with another name"), "{twice}");
    }
}
