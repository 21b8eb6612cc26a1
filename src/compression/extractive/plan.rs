//! How far things are: the plan, what was said of its steps, what the model said
//! last, and what failed and never succeeded.

use std::collections::HashMap;

use chat_history::message::Role;
use chat_history::raw::{elements, field, fields, unescape};

use super::Source;
use super::item::{Item, NEW};
use super::ledger::Action;
use crate::compression::directives::spoken;
use crate::compression::markers::{is_checkbox, is_numbered, is_output, is_progress};
use crate::compression::sentences::{cut, masked, sentences};

/// Steps of a plan that are shown.
const STEPS: usize = 30;
/// Messages whose plans and progress are looked for, newest first.
const LOOK_BACK: usize = 400;

/// The state of the task.
pub(super) fn state(source: &Source<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    if let Some(plan) = plan(source) {
        let mut item = Item::new(format!("{}\n{plan}", source.labels.plan), 80, 0);
        item.order = NEW;
        items.push(item);
    }
    progress(source, &mut items);
    let last = source.messages.iter().rev().filter(|message| message.role == Role::Assistant);
    let last =
        last.flat_map(|message| message.texts.iter().rev()).find(|text| !text.trim().is_empty());
    if let Some(text) = last {
        let parts = sentences(text);
        let parts = parts.iter().filter(|part| part.len() < 600);
        // How it begins and how it ends.
        let parts: Vec<&&str> = parts.collect();
        let ends = parts.len().saturating_sub(2).max(1.min(parts.len()));
        let shown = parts.first().into_iter().chain(&parts[ends..]);
        for (at, part) in shown.enumerate() {
            let text = format!("{} {part}", source.labels.last_said);
            items.push(Item::new(text, 70 - u32::try_from(at).unwrap_or(0), (2 << 20) + at));
        }
    }
    for (at, action) in open(source).into_iter().enumerate() {
        let about = action.about(80);
        let text = format!(
            "{} {} {about} -> {}",
            source.labels.open,
            action.tool,
            action.status(&source.labels)
        );
        items.push(Item::new(
            text,
            66 - u32::try_from(at.min(20)).unwrap_or(20),
            (3 << 20) + action.index,
        ));
    }
    items
}

/// The latest plan: of a tool that keeps one, a list with boxes, or numbered steps.
fn plan(source: &Source<'_>) -> Option<String> {
    let tools = source.actions.iter().rev().take(LOOK_BACK);
    let kept = tools.filter(|action| is_planner(action.tool)).find_map(|action| {
        let list = action.argument(&[
            "todos",
            "plan",
            "tasks",
            "items",
            "steps",
            "todo_list",
            "task_list",
        ])?;
        todo_list(list)
            .or_else(|| steps(list, is_checkbox, 2))
            .or_else(|| steps(list, is_numbered, 2))
    });
    let model = || {
        let said =
            source.messages.iter().rev().take(LOOK_BACK).filter(|m| m.role == Role::Assistant);
        said.flat_map(|message| &message.texts).map(AsRef::as_ref)
    };
    let users: Vec<&str> = spoken(source.messages).collect();
    kept.or_else(|| model().find_map(|text: &str| steps(text, is_checkbox, 2)))
        .or_else(|| {
            model().filter(|text| is_progress(text)).find_map(|text| steps(text, is_numbered, 3))
        })
        .or_else(|| users.iter().rev().take(LOOK_BACK).find_map(|text| steps(text, is_numbered, 3)))
}

fn is_planner(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["todo", "plan", "task_tracker", "checklist"].iter().any(|word| tool.contains(word))
}

/// The last run of lines that are steps, if it has at least `least`.
fn steps(text: &str, is_step: fn(&str) -> bool, least: usize) -> Option<String> {
    if text.len() > 200_000 {
        return None;
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut best: Option<Vec<&str>> = None;
    for run in lines.chunk_by(|a, b| is_step(a) == is_step(b)) {
        if run.len() >= least && is_step(run[0]) {
            best = Some(run.to_vec());
        }
    }
    let shown: Vec<String> = best?.into_iter().take(STEPS).map(|line| cut(line, 160)).collect();
    Some(shown.join("\n"))
}

/// A list of objects with a text and a status, as lines with boxes.
fn todo_list(list: &str) -> Option<String> {
    let mut lines = Vec::new();
    for entry in elements(list).ok()?.into_iter().take(STEPS) {
        let members = fields(entry).ok()?;
        let text = ["content", "step", "title", "task", "description", "text", "name"]
            .iter()
            .find_map(|name| field(&members, name))?;
        let status = field(&members, "status").map(|status| unescape(status).text);
        let mark = match status.as_deref() {
            Some("completed" | "done" | "complete") => "[x]",
            Some("in_progress" | "doing" | "active") => "[>]",
            _ => "[ ]",
        };
        lines.push(format!("{mark} {}", cut(&unescape(text).text, 160)));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What the model said about steps, the latest three.
fn progress(source: &Source<'_>, items: &mut Vec<Item>) {
    let said = source.messages.iter().rev().take(LOOK_BACK).filter(|m| m.role == Role::Assistant);
    let texts =
        said.flat_map(|message| message.texts.iter().map(move |text| (message.index, text)));
    let mut seen = HashMap::new();
    let mut found = 0;
    for (index, text) in texts.filter(|(_, text)| text.len() < 100_000 && !is_output(text)) {
        for sentence in
            sentences(text).into_iter().rev().filter(|s| s.len() < 300 && is_progress(s))
        {
            let alike = seen.entry(masked(sentence)).or_insert(0);
            *alike += 1;
            if *alike > 2 || found >= 3 || is_checkbox(sentence) || is_numbered(sentence) {
                continue;
            }
            items.push(Item::new(sentence.to_owned(), 62 - found, (1 << 20) + index));
            found += 1;
        }
        if found >= 3 {
            return;
        }
    }
}

/// Calls whose last outcome is a failure, newest first.
fn open<'a>(source: &'a Source<'a>) -> Vec<&'a Action<'a>> {
    let mut last: HashMap<(&str, String), ()> = HashMap::new();
    let mut open = Vec::new();
    for action in source.actions.iter().rev().take(LOOK_BACK) {
        let first = last.insert((action.tool, action.about(80)), ()).is_none();
        if first && action.failed() && open.len() < 8 {
            open.push(action);
        }
    }
    open
}
