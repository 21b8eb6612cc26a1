//! The table of an offload, for a terminal.

use std::cmp::Reverse;
use std::fmt::Display;
use std::path::Path;

use console::{StyledObject, style};

use super::page::{fold, shorten};
use crate::envelope::counted;
use crate::pipeline::{
    Action, GroupReport, Offloaded, Outcome, Report, Request, SnapshotReport, SnapshotSource,
};
use crate::service::nothing_written;

/// Maximum number of rows of the table; the report holds all.
const MAX_ROWS: usize = 15;
/// Maximum number of columns of a tool's name.
const TOOL_COLUMNS: usize = 20;

/// Returns the table: a row for each moved text, the largest first, and the total, or the reason
/// why nothing was done. Lines have at most `width` columns, unless a single word has more.
pub(super) fn offload_table(offloaded: &Offloaded, request: &Request<'_>, width: usize) -> String {
    let (report, dry) = (&offloaded.report, request.settings.dry_run);
    let mut moved: Vec<&Action> = report.actions.iter().filter(|a| a.action.moved()).collect();
    moved.sort_by_key(|action| Reverse(action.tokens_before.saturating_sub(action.tokens_after)));
    let mut lines = Vec::new();
    if !moved.is_empty() {
        lines.extend(rows(&moved[..moved.len().min(MAX_ROWS)], width));
    }
    if moved.len() > MAX_ROWS {
        lines.push(format!("         … and {} more", moved.len() - MAX_ROWS));
    }
    if let Some(snapshot) = &report.snapshot {
        lines.extend(
            snapshot
                .groups
                .iter()
                .map(|group| fold(&snapshot_row(snapshot, group, dry), width, "  ")),
        );
    }
    lines.push(fold(&total_row(report, moved.len(), dry), width, "  "));
    if report.outcome == Outcome::Unchanged {
        lines.push(fold(&nothing_written(report, request), width, "  "));
    }
    lines.push(format!("counted by {}", report.tokenizer));
    for warning in &report.warnings {
        lines.push(
            coloured("note:").yellow().to_string() + &fold(&format!(" {warning}"), width - 5, "  "),
        );
    }
    lines.join("\n")
}

/// Returns the header and a line for each action.
fn rows(actions: &[&Action], width: usize) -> Vec<String> {
    let tool_of = |action: &Action| shorten(action.tool.as_deref().unwrap_or("-"), TOOL_COLUMNS);
    let widest = |least: &str, cell: &dyn Fn(&Action) -> String| {
        let cells = actions.iter().map(|action| cell(action).chars().count());
        cells.chain([least.len()]).max().unwrap_or_default()
    };
    let tools = widest("tool", &tool_of);
    let before = widest("before", &|action| with_separators(action.tokens_before));
    let after = widest("after", &|action| with_separators(action.tokens_after));
    let left = width.saturating_sub(7 + 2 + tools + 1 + before + 1 + after + 2);
    let header =
        format!("message  {:<tools$} {:>before$} {:>after$}  file", "tool", "before", "after");
    let row = |action: &&Action| {
        let file = action.path.as_deref().map_or("-", name_of);
        format!(
            "{:>7}  {:<tools$} {:>before$} {:>after$}  {}",
            action.index,
            tool_of(action),
            with_separators(action.tokens_before),
            with_separators(action.tokens_after),
            shorten(file, left)
        )
    };
    let header = coloured(header).bold().to_string();
    [header].into_iter().chain(actions.iter().map(row)).collect()
}

/// Returns what a group of messages became.
fn snapshot_row(snapshot: &SnapshotReport, group: &GroupReport, dry: bool) -> String {
    let become_snapshot = if dry { "would become" } else { "became" };
    let writer = match (snapshot.source, &snapshot.model) {
        (SnapshotSource::Llm, Some(model)) => format!("by {model}"),
        (SnapshotSource::Llm, None) => "by the model".to_owned(),
        (SnapshotSource::Extractive, _) => "by the built-in summariser".to_owned(),
    };
    format!(
        "messages {}-{} {become_snapshot} a snapshot {writer}: {} -> {} tokens; originals in {}",
        group.first,
        group.last,
        with_separators(group.tokens_before),
        with_separators(group.tokens_after),
        name_of(&group.path)
    )
}

fn total_row(report: &Report, moved: usize, dry: bool) -> String {
    let (before, after) = (report.tokens_before, report.tokens_after);
    let saved = (before.saturating_sub(after) * 100).checked_div(before).unwrap_or(0);
    let mut parts = vec![format!(
        "{} messages, {} tokens -> {} ({})",
        report.messages_before,
        with_separators(before),
        with_separators(after),
        coloured(format!("{saved} % less")).green().bold()
    )];
    if moved > 0 {
        let moves = if dry { "would move" } else { "moved" };
        parts.push(format!("{} {moves}", counted(moved, "result")));
    }
    if let Some(snapshot) = &report.snapshot {
        let verb = match (dry, snapshot.reused) {
            (_, true) => "reused",
            (true, false) => "would be written",
            (false, false) => "written",
        };
        parts.push(format!("{} {verb}", counted(snapshot.groups.len(), "snapshot")));
    }
    parts.join(", ")
}

/// Returns commands for reading the originals back.
pub(super) fn next_steps(offloaded: &Offloaded, store_dir: &str) -> String {
    let report = &offloaded.report;
    let moved = report.actions.iter().find_map(|action| action.path.as_deref());
    let group = || report.snapshot.as_ref()?.groups.first().map(|group| &*group.path);
    let read = moved
        .or_else(group)
        .map(|path| format!("Read an original back:\n  unburden read {path} --limit 20\n"));
    format!(
        "\n{}Search all of them:\n  unburden grep error {store_dir} --limit 10",
        read.unwrap_or_default()
    )
}

/// Returns the last part of a path. Every file of a call is in its store.
fn name_of(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// Returns a text that is coloured if standard error is a terminal with colours.
fn coloured<D: Display>(text: D) -> StyledObject<D> {
    style(text).for_stderr()
}

/// Formats 1234567 as 1,234,567.
pub(super) fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
