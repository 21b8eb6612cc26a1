//! Calls that query a file of records, with the best tool that the agent has. Each call returns
//! something on this file.

use raw_json::quote;

use super::words;
use crate::compaction::call::{ReloadTool, ReloadTools};
use record_files::recipes::{Purpose, Recipe};
use record_files::schema::Schema;

/// Placeholder for the path, which is shown once next to the calls.
pub(super) const FILE: &str = "$FILE";

/// A file of records, and the means to query it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offer<'a> {
    /// The file's path, as the agent sees it.
    pub path: &'a str,
    /// The tools that the agent has.
    pub tools: &'a ReloadTools,
    /// The schema of the records.
    pub schema: &'a Schema,
    /// The ten recipes; empty if none were tried.
    pub recipes: &'a [Recipe],
    /// Statements in SQL that were tried.
    pub statements: &'a [String],
}

impl<'a> Offer<'a> {
    /// Returns a call with the path in it. `None` if the agent has no tool for it.
    pub(super) fn first_call(&self) -> Option<String> {
        if let Some(name) = self.tools.name(ReloadTool::LroExtract) {
            let how = self.arguments().into_iter().next()?;
            return Some(format!("{name}(file_path={}, {how})", quote(self.path)));
        }
        let command = || Some(self.commands(1).first()?.command(self.path));
        self.reading_call().or_else(command)
    }

    /// Returns the best calls, at most `max`, with [`FILE`] for the path.
    pub(super) fn calls(&self, max: usize) -> Vec<String> {
        if let Some(name) = self.tools.name(ReloadTool::LroExtract) {
            let call = |how: String| format!("{name}(file_path={FILE}, {how})");
            return self.arguments().into_iter().take(max).map(call).collect();
        }
        if let Some(call) = self.reading_call() {
            return vec![call];
        }
        self.commands(max).into_iter().map(|recipe| recipe.command_with(FILE)).collect()
    }

    /// Returns up to `max` recipes for a shell, one of each purpose first; none without a shell.
    pub(super) fn commands(&self, max: usize) -> Vec<&'a Recipe> {
        if !self.tools.has(ReloadTool::Shell) {
            return Vec::new();
        }
        let purposes = [Purpose::Filter, Purpose::Analyze, Purpose::Browse];
        let first = |purpose| self.recipes.iter().position(|recipe| recipe.purpose() == purpose);
        let mut order: Vec<usize> = purposes.into_iter().filter_map(first).collect();
        let others: Vec<usize> = (0..self.recipes.len()).filter(|at| !order.contains(at)).collect();
        order.extend(others);
        order.truncate(max);
        order.into_iter().map(|at| &self.recipes[at]).collect()
    }

    /// Returns arguments of `lro_extract`: a condition that counts, then SQL.
    fn arguments(&self) -> Vec<String> {
        let example = words::example(self.schema);
        let count = example.map(|example| format!("where={}, count=true", example.condition));
        let sql = self.statements.iter().map(|statement| format!("sql={}", quote(statement)));
        let any = || std::iter::once("recipe=1".to_owned());
        let all: Vec<String> = count.into_iter().chain(sql).collect();
        if all.is_empty() { any().collect() } else { all }
    }

    fn reading_call(&self) -> Option<String> {
        let path = quote(self.path);
        let word = words::example(self.schema).and_then(|example| example.word);
        if let Some(name) = self.tools.name(ReloadTool::ReadToolResult) {
            let lines = word.map_or("first:20".to_owned(), |word| format!("grep:{word}"));
            return Some(format!("{name}(result_id={path}, lines=\"{lines}\")"));
        }
        if let Some(name) = self.tools.name(ReloadTool::ReadFile) {
            return Some(format!("{name}(absolute_path={path}, start_line=2, limit=20)"));
        }
        let name = self.tools.name(ReloadTool::Grep)?;
        Some(format!("{name}(pattern={}, path={path})", quote(word.as_deref().unwrap_or("…"))))
    }
}
