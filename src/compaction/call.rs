//! The call that gives a part of a file back, worded for the best tool that the
//! agent has. References and notes name only such tools.

use std::ops::Range;

use crate::history::splice::quote;
use crate::params::{ParamError, Params};

/// A tool by which an agent reads back what left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReloadTool {
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

const TOOLS: [(&str, ReloadTool); 5] = [
    ("read_file", ReloadTool::ReadFile),
    ("grep", ReloadTool::Grep),
    ("lro_extract", ReloadTool::LroExtract),
    ("read_tool_result", ReloadTool::ReadToolResult),
    ("shell", ReloadTool::Shell),
];

impl ReloadTool {
    /// The member `reload_tools` of a request; every tool where it is absent.
    pub fn read(params: &Params<'_>) -> Result<Vec<ReloadTool>, ParamError> {
        let all = || TOOLS.iter().map(|(_, tool)| *tool).collect();
        Ok(params.words("reload_tools", &TOOLS)?.unwrap_or_else(all))
    }
}

/// The exact call that returns a part of a file, by the best tool there is.
pub fn call(tools: &[ReloadTool], path: &str, part: &Part) -> Option<String> {
    let has = |tool| tools.contains(&tool);
    let quoted = quote(path);
    if has(ReloadTool::ReadFile) {
        let (offset, limit) = match part {
            Part::Lines(lines) => ("offset", "limit").map_range(lines),
            Part::Bytes(bytes) => ("byte_offset", "byte_limit").map_range(bytes),
        };
        return Some(format!("read_file(absolute_path={quoted}, {offset}, {limit})"));
    }
    let sheet = path.replace('\'', r"'\''");
    match part {
        Part::Lines(lines) if has(ReloadTool::ReadToolResult) => Some(format!(
            "read_tool_result(result_id={quoted}, lines=\"{}-{}\")",
            lines.start + 1,
            lines.end
        )),
        Part::Bytes(_) if has(ReloadTool::ReadToolResult) => {
            Some(format!("read_tool_result(result_id={quoted}, lines=\"all\")"))
        }
        Part::Lines(lines) if has(ReloadTool::Shell) => {
            Some(format!("sed -n '{},{}p' '{sheet}'", lines.start + 1, lines.end))
        }
        Part::Bytes(bytes) if has(ReloadTool::Shell) => Some(format!(
            "tail -c +{} '{sheet}' | head -c {}",
            bytes.start + 1,
            bytes.end - bytes.start
        )),
        _ if has(ReloadTool::Grep) => Some(format!("grep(pattern=\"…\", path={quoted})")),
        Part::Lines(_) | Part::Bytes(_) => None,
    }
}

/// A part of a file, counted from 0, end excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Whole lines.
    Lines(Range<u64>),
    /// Bytes.
    Bytes(Range<u64>),
}

trait MapRange {
    fn map_range(self, range: &Range<u64>) -> (String, String);
}

impl MapRange for (&str, &str) {
    fn map_range(self, range: &Range<u64>) -> (String, String) {
        (format!("{}={}", self.0, range.start), format!("{}={}", self.1, range.end - range.start))
    }
}
