//! The call that returns a part of a file, by the best retrieval tool that the agent has.
//! References and notes name only tools that it has.

use std::ops::Range;

use raw_json::{self as raw, quote};

use crate::params::{Field, Member, ParamError, Shape, Words, words};

/// A retrieval tool: it returns offloaded text to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ReloadTool {
    /// `read_file`.
    ReadFile,
    /// `grep`.
    Grep,
    /// `lro_extract`.
    LroExtract,
    /// `read_tool_result`.
    ReadToolResult,
    /// A shell on the same files.
    Shell,
}

words!(ReloadTool {
    "read_file" = ReadFile,
    "grep" = Grep,
    "lro_extract" = LroExtract,
    "read_tool_result" = ReadToolResult,
    "shell" = Shell,
});

/// The tools that an agent has, each with the agent's name for it: an MCP client may have
/// `read_file` as `mcp__unburden__read_file`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct ReloadTools(Vec<(ReloadTool, String)>);

/// Longest name of a tool, in bytes.
const NAME_BYTES: usize = 128;

impl ReloadTools {
    /// Returns these tools under their own names.
    pub(crate) fn of(tools: &[ReloadTool]) -> ReloadTools {
        let named = |tool: &ReloadTool| {
            let name = ReloadTool::MEANINGS.iter().find(|(_, known)| known == tool);
            name.map(|(name, _)| (*tool, (*name).to_owned()))
        };
        ReloadTools(tools.iter().filter_map(named).collect())
    }

    /// Keywords of the JSON Schema: a list of tools, or an object that maps each tool to the
    /// agent's name for it.
    pub(crate) const SCHEMA: &str = r##"{"type": ["array", "object", "null"],
        "properties": {
            "read_file": {"$ref": "#/components/schemas/ToolName"},
            "grep": {"$ref": "#/components/schemas/ToolName"},
            "lro_extract": {"$ref": "#/components/schemas/ToolName"},
            "read_tool_result": {"$ref": "#/components/schemas/ToolName"},
            "shell": {"$ref": "#/components/schemas/ToolName"}
        },
        "additionalProperties": false}"##;

    /// Returns true if the agent has `tool`.
    pub(crate) fn has(&self, tool: ReloadTool) -> bool {
        self.name(tool).is_some()
    }

    /// Returns the agent's name for `tool`, or `None` if the agent does not have it.
    pub(crate) fn name(&self, tool: ReloadTool) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == tool).map(|(_, name)| name.as_str())
    }
}

impl Member<'_> for ReloadTools {
    const SHAPE: Shape = Shape::Words;
    const WORDS: &'static [&'static str] = ReloadTool::WORDS;

    fn parse(json: &str, field: &Field) -> Result<ReloadTools, ParamError> {
        if !json.starts_with('{') {
            return Vec::parse(json, field).map(|tools| ReloadTools::of(&tools));
        }
        let accepted = "a list of tools, or an object from \"read_file\", \"grep\", \
                        \"lro_extract\", \"read_tool_result\" and \"shell\" to the name that the \
                        agent has for each: letters, digits, _ - . : /, at most 128";
        let refused = || field.invalid(json, accepted);
        let members = raw::fields(json).map_err(|_| refused())?;
        let named = |(tool, name): &(std::borrow::Cow<'_, str>, &str)| {
            let tool = ReloadTool::MEANINGS.iter().find(|(word, _)| word == tool)?.1;
            let name = raw::is_string(name).then(|| raw::unescape(name).text)?;
            is_name(&name).then(|| (tool, name.into_owned()))
        };
        let named: Option<Vec<_>> = members.iter().map(named).collect();
        named.map(ReloadTools).ok_or_else(refused)
    }
}

/// Returns true if a reference can contain this name unambiguously.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte);
    (1..=NAME_BYTES).contains(&name.len()) && name.bytes().all(plain)
}

/// The exact call that returns a part of a file, by the best tool there is.
pub(crate) fn call(tools: &ReloadTools, path: &str, part: &FilePart) -> Option<String> {
    let quoted = quote(path);
    if let Some(name) = tools.name(ReloadTool::ReadFile) {
        let range = match part {
            FilePart::Lines(lines) => {
                format!("start_line={}, limit={}", lines.start + 1, lines.end - lines.start)
            }
            FilePart::Bytes(bytes) => {
                format!("byte_offset={}, byte_limit={}", bytes.start, bytes.end - bytes.start)
            }
        };
        return Some(format!("{name}(absolute_path={quoted}, {range})"));
    }
    if let Some(name) = tools.name(ReloadTool::ReadToolResult) {
        let lines = match part {
            FilePart::Lines(lines) => format!("{}-{}", lines.start + 1, lines.end),
            FilePart::Bytes(_) => "all".to_owned(),
        };
        return Some(format!("{name}(result_id={quoted}, lines=\"{lines}\")"));
    }
    let sheet = path.replace('\'', r"'\''");
    match part {
        FilePart::Lines(lines) if tools.has(ReloadTool::Shell) => {
            Some(format!("sed -n '{},{}p' '{sheet}'", lines.start + 1, lines.end))
        }
        FilePart::Bytes(bytes) if tools.has(ReloadTool::Shell) => Some(format!(
            "tail -c +{} '{sheet}' | head -c {}",
            bytes.start + 1,
            bytes.end - bytes.start
        )),
        FilePart::Lines(_) | FilePart::Bytes(_) => {
            tools.name(ReloadTool::Grep).map(|name| format!("{name}(pattern=\"…\", path={quoted})"))
        }
    }
}

/// A part of a file, counted from 0; the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FilePart {
    /// Whole lines.
    Lines(Range<u64>),
    /// Bytes.
    Bytes(Range<u64>),
}
