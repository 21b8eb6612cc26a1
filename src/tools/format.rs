//! Tool definitions in each provider's format, ready for a request's `tools`.

use std::str::FromStr;

use serde::Serialize;
use serde_json::value::RawValue;

use super::definition::{Definition, RETRIEVAL, all};

/// A provider's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolFormat {
    /// OpenAI's chat completions, and compatible APIs.
    OpenAi,
    /// OpenAI's Responses API.
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini: one tool with all functions. `parametersJsonSchema` accepts JSON Schema
    /// unchanged.
    Gemini,
    /// MCP's tool list.
    Mcp,
}

const FORMATS: [(&str, ToolFormat); 5] = [
    ("openai", ToolFormat::OpenAi),
    ("openai-responses", ToolFormat::OpenAiResponses),
    ("anthropic", ToolFormat::Anthropic),
    ("gemini", ToolFormat::Gemini),
    ("mcp", ToolFormat::Mcp),
];

/// An unknown format name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "format is {found:?}; accepted is \"openai\" (also \"openai-chat\"), \"openai-responses\", \
     \"anthropic\", \"gemini\" or \"mcp\""
)]
pub(crate) struct UnknownFormat {
    /// The name found.
    pub found: String,
}

impl FromStr for ToolFormat {
    type Err = UnknownFormat;

    fn from_str(word: &str) -> Result<ToolFormat, UnknownFormat> {
        let known = FORMATS.iter().find(|(name, _)| *name == word).map(|(_, format)| *format);
        let alias = (word == "openai-chat").then_some(ToolFormat::OpenAi);
        known.or(alias).ok_or_else(|| UnknownFormat { found: word.chars().take(60).collect() })
    }
}

#[derive(Serialize)]
struct Function<'a> {
    name: String,
    description: String,
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
    /// False: strict mode would require all arguments.
    strict: bool,
}

#[derive(Serialize)]
struct AnthropicTool<'a> {
    name: String,
    description: String,
    input_schema: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: String,
    description: String,
    parameters_json_schema: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declarations<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

/// A tool in MCP's tool list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct McpTool<'a> {
    name: &'a str,
    title: &'a str,
    description: String,
    input_schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a RawValue>,
    annotations: &'a RawValue,
}

impl ToolFormat {
    /// Returns the retrieval tools in this format, each with `prefix` before its name: a JSON
    /// array, the value of `tools` in a request.
    pub(crate) fn retrieval_tools(self, prefix: &str) -> String {
        let tools = all().iter().filter(|tool| RETRIEVAL.contains(&tool.name));
        let function = |tool: &'static Definition| Function {
            name: format!("{prefix}{}", tool.name),
            description: tool.description_with(prefix),
            parameters: tool.input_schema,
        };
        match self {
            ToolFormat::OpenAi => array(tools.map(|tool| Wrapped { function: function(tool) })),
            ToolFormat::OpenAiResponses => {
                array(tools.map(|tool| Flat { function: function(tool), strict: false }))
            }
            ToolFormat::Anthropic => array(tools.map(function).map(|tool| AnthropicTool {
                name: tool.name,
                description: tool.description,
                input_schema: tool.parameters,
            })),
            ToolFormat::Gemini => {
                let declaration = |tool: Function<'static>| Declaration {
                    name: tool.name,
                    description: tool.description,
                    parameters_json_schema: tool.parameters,
                };
                let function_declarations = tools.map(function).map(declaration).collect();
                array(std::iter::once(Declarations { function_declarations }))
            }
            ToolFormat::Mcp => {
                format!("[{}]", tools.map(|tool| tool.as_mcp(prefix)).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl Definition {
    /// Returns the definition in MCP's format as JSON, with `prefix` before its name.
    pub(crate) fn as_mcp(&self, prefix: &str) -> String {
        self.mcp(&format!("{prefix}{}", self.name), self.description_with(prefix))
    }

    /// Returns the definition in MCP's format under another name.
    pub(crate) fn as_mcp_named(&self, name: &str) -> String {
        self.mcp(name, self.description.clone())
    }

    fn mcp(&self, name: &str, description: String) -> String {
        json(&McpTool {
            name,
            title: self.title,
            description,
            input_schema: self.input_schema,
            output_schema: self.output_schema,
            annotations: self.annotations,
        })
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

    fn tools(format: ToolFormat) -> Vec<Value> {
        serde_json::from_str(&format.retrieval_tools("")).unwrap()
    }

    #[test]
    fn a_prefix_stands_before_every_name() {
        for (_, format) in FORMATS {
            let tools = format.retrieval_tools("my_");
            for name in RETRIEVAL {
                assert!(tools.contains(&format!("\"my_{name}\"")), "{tools}");
                assert!(!tools.contains(&format!("`{name}`")), "{tools}");
            }
            assert!(tools.contains("`my_read_file`"), "{tools}");
        }
    }

    #[test]
    fn every_form_has_the_four_tools_under_the_providers_members() {
        let places: [(ToolFormat, &str, &str); 4] = [
            (ToolFormat::OpenAi, "/function/name", "/function/parameters/properties"),
            (ToolFormat::OpenAiResponses, "/name", "/parameters/properties"),
            (ToolFormat::Anthropic, "/name", "/input_schema/properties"),
            (ToolFormat::Mcp, "/name", "/inputSchema/properties"),
        ];
        for (format, name, properties) in places {
            let tools = tools(format);
            let names: Vec<_> = tools.iter().map(|t| t.pointer(name).unwrap().clone()).collect();
            assert_eq!(names, RETRIEVAL);
            assert!(tools.iter().all(|t| t.pointer(properties).unwrap().is_object()), "{format:?}");
        }
        let gemini = tools(ToolFormat::Gemini);
        assert_eq!(gemini.len(), 1);
        let functions = gemini[0]["functionDeclarations"].as_array().unwrap();
        assert_eq!(functions.len(), 4);
        assert!(functions[2]["parametersJsonSchema"]["properties"]["where"].is_object());
    }

    #[test]
    fn a_form_that_is_none_says_what_is_taken() {
        let error = "cohere".parse::<ToolFormat>().unwrap_err().to_string();
        assert!(error.starts_with("format is \"cohere\"; accepted is \"openai\""), "{error}");
        assert_eq!("openai-chat".parse(), Ok(ToolFormat::OpenAi));
    }
}
