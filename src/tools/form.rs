//! The definitions in the form that each provider takes as `tools`: ready to be
//! put into a request as they are.

use std::str::FromStr;

use serde::Serialize;
use serde_json::value::RawValue;

use super::definition::{Definition, RELOAD, every};

/// Whose form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// OpenAI's chat completions, and every API made like it.
    OpenAi,
    /// OpenAI's Responses API.
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini: one tool that holds the functions. `parametersJsonSchema` takes JSON
    /// Schema as it is.
    Gemini,
    /// What an MCP server lists.
    Mcp,
}

const FORMS: [(&str, Form); 5] = [
    ("openai", Form::OpenAi),
    ("openai-responses", Form::OpenAiResponses),
    ("anthropic", Form::Anthropic),
    ("gemini", Form::Gemini),
    ("mcp", Form::Mcp),
];

/// A form that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "format is {found:?}; accepted is \"openai\" (also \"openai-chat\"), \"openai-responses\", \
     \"anthropic\", \"gemini\" or \"mcp\""
)]
pub struct UnknownForm {
    /// What was asked for.
    pub found: String,
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(word: &str) -> Result<Form, UnknownForm> {
        let known = FORMS.iter().find(|(name, _)| *name == word).map(|(_, form)| *form);
        let alias = (word == "openai-chat").then_some(Form::OpenAi);
        known.or(alias).ok_or_else(|| UnknownForm { found: word.chars().take(60).collect() })
    }
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a RawValue,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "function")]
struct Wrapped<'a> {
    function: Function<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "function")]
struct Flat<'a> {
    #[serde(flatten)]
    function: Function<'a>,
    /// Optional arguments are left out, which strict mode forbids.
    strict: bool,
}

#[derive(Serialize)]
struct AnthropicTool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    parameters_json_schema: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declarations<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

/// A tool as an MCP server lists it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct McpTool<'a> {
    name: &'a str,
    title: &'a str,
    description: &'a str,
    input_schema: &'a RawValue,
    output_schema: &'a RawValue,
    annotations: &'a RawValue,
}

impl Form {
    /// The reload tools in this form: a JSON array, the value of `tools` in a
    /// request.
    pub fn reload_tools(self) -> String {
        let tools = every().iter().filter(|tool| RELOAD.contains(&tool.name));
        match self {
            Form::OpenAi => array(tools.map(|tool| Wrapped { function: function(tool) })),
            Form::OpenAiResponses => {
                array(tools.map(|tool| Flat { function: function(tool), strict: false }))
            }
            Form::Anthropic => array(tools.map(|tool| AnthropicTool {
                name: tool.name,
                description: &tool.description,
                input_schema: tool.input_schema,
            })),
            Form::Gemini => {
                let function_declarations = tools.map(declaration).collect();
                array(std::iter::once(Declarations { function_declarations }))
            }
            Form::Mcp => {
                format!("[{}]", tools.map(Definition::as_mcp).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl Definition {
    /// As an MCP server lists it, JSON.
    pub fn as_mcp(&self) -> String {
        self.as_mcp_named(self.name)
    }

    /// The same under another name.
    pub fn as_mcp_named(&self, name: &str) -> String {
        json(&McpTool {
            name,
            title: self.title,
            description: &self.description,
            input_schema: self.input_schema,
            output_schema: self.output_schema,
            annotations: self.annotations,
        })
    }
}

fn function(tool: &Definition) -> Function<'_> {
    Function { name: tool.name, description: &tool.description, parameters: tool.input_schema }
}

fn declaration(tool: &Definition) -> Declaration<'_> {
    Declaration {
        name: tool.name,
        description: &tool.description,
        parameters_json_schema: tool.input_schema,
    }
}

fn array<T: Serialize>(tools: impl Iterator<Item = T>) -> String {
    format!("[{}]", tools.map(|tool| json(&tool)).collect::<Vec<_>>().join(","))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and raw JSON serialise")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn tools(form: Form) -> Vec<Value> {
        serde_json::from_str(&form.reload_tools()).unwrap()
    }

    #[test]
    fn every_form_has_the_four_tools_under_the_providers_members() {
        let places: [(Form, &str, &str); 4] = [
            (Form::OpenAi, "/function/name", "/function/parameters/properties"),
            (Form::OpenAiResponses, "/name", "/parameters/properties"),
            (Form::Anthropic, "/name", "/input_schema/properties"),
            (Form::Mcp, "/name", "/inputSchema/properties"),
        ];
        for (form, name, properties) in places {
            let tools = tools(form);
            let names: Vec<_> = tools.iter().map(|t| t.pointer(name).unwrap().clone()).collect();
            assert_eq!(names, RELOAD);
            assert!(tools.iter().all(|t| t.pointer(properties).unwrap().is_object()), "{form:?}");
        }
        let gemini = tools(Form::Gemini);
        assert_eq!(gemini.len(), 1);
        let functions = gemini[0]["functionDeclarations"].as_array().unwrap();
        assert_eq!(functions.len(), 4);
        assert!(functions[2]["parametersJsonSchema"]["properties"]["where"].is_object());
    }

    #[test]
    fn a_form_that_is_none_says_what_is_taken() {
        let error = "cohere".parse::<Form>().unwrap_err().to_string();
        assert!(error.starts_with("format is \"cohere\"; accepted is \"openai\""), "{error}");
        assert_eq!("openai-chat".parse(), Ok(Form::OpenAi));
    }
}
