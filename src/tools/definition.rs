//! Tool definitions, one file per tool in `prompts/tools`.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::value::RawValue;

const FILES: [&str; 5] = [
    include_str!("../../prompts/tools/read_file.json"),
    include_str!("../../prompts/tools/grep.json"),
    include_str!("../../prompts/tools/lro_extract.json"),
    include_str!("../../prompts/tools/read_tool_result.json"),
    include_str!("../../prompts/tools/context_offload.json"),
];

/// The retrieval tools, in the order of their use.
pub(crate) const RETRIEVAL: [&str; 4] = ["read_file", "grep", "lro_extract", "read_tool_result"];

/// The tool that shrinks a history: for frameworks, rarely for models.
pub(crate) const CONTEXT_OFFLOAD: &str = "context_offload";

/// A tool definition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Definition {
    /// The tool's name.
    pub name: &'static str,
    /// The name shown to people.
    pub title: &'static str,
    /// When to use it and what it returns.
    pub description: String,
    /// MCP's annotations, such as `readOnlyHint`.
    #[serde(borrow)]
    pub annotations: &'static RawValue,
    /// JSON Schema of the arguments.
    #[serde(borrow)]
    pub input_schema: &'static RawValue,
    /// JSON Schema of the structured output, if there is any.
    #[serde(borrow)]
    pub output_schema: Option<&'static RawValue>,
}

impl Definition {
    /// Returns the description for a model that knows all tools with this prefix.
    pub(super) fn description_with(&self, prefix: &str) -> String {
        prefixed(&self.description, prefix)
    }
}

/// Returns a text in which each name of a tool in backticks has this prefix.
pub(crate) fn prefixed(text: &str, prefix: &str) -> String {
    all().iter().fold(text.to_owned(), |text, tool| {
        let name = tool.name;
        text.replace(&format!("`{name}`"), &format!("`{prefix}{name}`"))
    })
}

static DEFINITIONS: LazyLock<Vec<Definition>> = LazyLock::new(|| {
    let read = |text| serde_json::from_str(text).expect("a definition is built in and tested");
    FILES.iter().map(|file| read(one_line(file).leak())).collect()
});

/// Removes line breaks and indents between tokens: MCP messages are lines, and models pay for
/// spaces.
fn one_line(json: &str) -> String {
    let (mut inside, mut escaped) = (false, false);
    let keep = |c: &char| {
        let was_inside = inside;
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            _ => {}
        }
        was_inside || !c.is_ascii_whitespace()
    };
    json.chars().filter(keep).collect()
}

/// Returns all tools: the retrieval tools, then [`CONTEXT_OFFLOAD`].
pub(crate) fn all() -> &'static [Definition] {
    &DEFINITIONS
}

/// Returns the tool with this name after `prefix`.
pub(crate) fn find(name: &str, prefix: &str) -> Option<&'static Definition> {
    let name = name.strip_prefix(prefix)?;
    all().iter().find(|tool| tool.name == name)
}

/// Returns the request field `reload_tools` for a model that knows the retrieval tools with
/// this prefix.
pub(crate) fn reload_tools(prefix: &str) -> String {
    let named = RETRIEVAL.map(|name| format!("\"{name}\":\"{prefix}{name}\""));
    format!("{{{}}}", named.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_files() {
        let names: Vec<_> = all().iter().map(|tool| tool.name).collect();
        assert_eq!(names[..4], RETRIEVAL);
        assert_eq!(names[4], CONTEXT_OFFLOAD);
    }

    #[test]
    fn only_the_tool_that_writes_is_not_read_only() {
        for tool in all() {
            let reads = tool.annotations.get().contains(r#""readOnlyHint":true"#);
            assert_eq!(reads, RETRIEVAL.contains(&tool.name), "{}", tool.name);
        }
    }

    #[test]
    fn spaces_stay_in_strings_only() {
        assert_eq!(
            one_line("{ \"a b\" : [1,\n 2], \"\\\" \": \" \" }"),
            "{\"a b\":[1,2],\"\\\" \":\" \"}"
        );
        assert!(all().iter().all(|tool| !tool.as_mcp("").contains('\n')));
    }

    /// Models pay for each definition in every request.
    #[test]
    fn the_definitions_of_the_reload_tools_stay_small() {
        let count = |text: &str| token_count::Tokenizer::O200kBase.count(text);
        let tokens: u64 = all()[..4]
            .iter()
            .map(|tool| count(&tool.description) + count(tool.input_schema.get()))
            .sum();
        assert!(tokens < 1_800, "{tokens} tokens");
    }
}
