//! The table of an offload, for a terminal.

use std::cmp::Reverse;

use crate::pipeline::{Action, GroupReport, Offloaded, Report, SnapshotReport, SnapshotSource};

/// Most rows of the table; the report holds all.
const MAX_ROWS: usize = 15;

/// Returns a row for each moved text, the largest first, and the total.
pub(super) fn offload_table(offloaded: &Offloaded, dry: bool) -> String {
    let report = &offloaded.report;
    let mut moved: Vec<&Action> = report.actions.iter().filter(|a| a.action.moved()).collect();
    moved.sort_by_key(|action| Reverse(action.tokens_before.saturating_sub(action.tokens_after)));
    let mut lines = Vec::new();
    if !moved.is_empty() {
        lines
            .push(format!("{:>7}  {:<20} {:>9} {:>9}  file", "message", "tool", "before", "after"));
    }
    for action in moved.iter().take(MAX_ROWS) {
        let tool: String = action.tool.as_deref().unwrap_or("-").chars().take(20).collect();
        lines.push(format!(
            "{:>7}  {tool:<20} {:>9} {:>9}  {}",
            action.index,
            with_separators(action.tokens_before),
            with_separators(action.tokens_after),
            action.path.as_deref().unwrap_or("-")
        ));
    }
    if moved.len() > MAX_ROWS {
        lines.push(format!("         … and {} more", moved.len() - MAX_ROWS));
    }
    lines.extend(report.snapshot.as_ref().map(|snapshot| snapshot_rows(snapshot, dry)));
    lines.push(total_row(report, moved.len(), dry));
    lines.extend(report.warnings.iter().map(|warning| format!("note: {warning}")));
    lines.join("\n")
}

/// Returns a line for each compressed group.
fn snapshot_rows(snapshot: &SnapshotReport, dry: bool) -> String {
    let become_snapshot = if dry { "would become" } else { "became" };
    let writer = match (snapshot.source, &snapshot.model) {
        (SnapshotSource::Llm, Some(model)) => format!("by {model}"),
        (SnapshotSource::Llm, None) => "by the model".to_owned(),
        (SnapshotSource::Extractive, _) => "by the built-in summariser".to_owned(),
    };
    let line = |group: &GroupReport| {
        format!(
            "messages {}-{} {become_snapshot} a snapshot {writer}: {} -> {} tokens; originals in {}",
            group.first,
            group.last,
            with_separators(group.tokens_before),
            with_separators(group.tokens_after),
            group.path
        )
    };
    snapshot.groups.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn total_row(report: &Report, moved: usize, dry: bool) -> String {
    let (before, after) = (report.tokens_before, report.tokens_after);
    let saved = ((before - after) * 100).checked_div(before).unwrap_or(0);
    let moves = if dry { "would move" } else { "moved" };
    let what = match moved {
        0 => "nothing moved".to_owned(),
        1 => format!("1 result {moves}"),
        n => format!("{n} results {moves}"),
    };
    format!(
        "{} messages, {} tokens -> {} ({saved} % less), {what}; counted by {}",
        report.messages_before,
        with_separators(before),
        with_separators(after),
        report.tokenizer
    )
}

/// Returns commands for reading the results back.
pub(super) fn next_steps(offloaded: &Offloaded, store_dir: &str) -> String {
    let path = offloaded.report.actions.iter().find_map(|action| action.path.as_deref());
    format!(
        "\nRead a result back:   unburden read {} --limit 20\nSearch all of them:   unburden grep error {store_dir} --limit 10",
        path.unwrap_or(store_dir)
    )
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
