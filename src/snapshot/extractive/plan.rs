//! The state of the task: the plan, statements about its steps, the model's last words, and
//! calls that failed and never succeeded.

use std::collections::HashMap;

use chat_history::message::Role;
use raw_json::{elements, field, fields, unescape};

use super::call_record::CallRecord;
use super::input::Input;
use super::item::{Item, NEW};
use crate::snapshot::extractive::directives::spoken;
use crate::snapshot::text::markers::{is_checkbox, is_numbered, is_output, is_progress};
use crate::snapshot::text::sentences::{cut, masked, sentences};

/// Steps of a plan that are shown.
const STEPS: usize = 30;
/// Messages whose plans and progress are looked for, newest first.
const LOOK_BACK: usize = 400;

/// The state of the task.
pub(super) fn state(input: &Input<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    if let Some(plan) = plan(input) {
        let mut item = Item::new(format!("{}\n{plan}", input.labels.plan), 80, 0);
        item.order = NEW;
        items.push(item);
    }
    progress(input, &mut items);
    let last = input.messages.iter().rev().filter(|message| message.role == Role::Assistant);
    let last =
        last.flat_map(|message| message.texts.iter().rev()).find(|text| !text.trim().is_empty());
    if let Some(text) = last {
        let parts = sentences(text);
        let parts = parts.iter().filter(|part| part.len() < 600);
        // Its beginning and its end.
        let parts: Vec<&&str> = parts.collect();
        let ends = parts.len().saturating_sub(2).max(1.min(parts.len()));
        let shown = parts.first().into_iter().chain(&parts[ends..]);
        for (at, part) in shown.enumerate() {
            let text = format!("{} {part}", input.labels.last_said);
            items.push(Item::new(text, 70 - u32::try_from(at).unwrap_or(0), (2 << 20) + at));
        }
    }
    for (at, call) in unresolved_failures(input).into_iter().enumerate() {
        let about = call.about(80);
        let text = format!(
            "{} {} {about} -> {}",
            input.labels.open,
            call.tool,
            call.status(&input.labels)
        );
        items.push(Item::new(
            text,
            66 - u32::try_from(at.min(20)).unwrap_or(20),
            (3 << 20) + call.index,
        ));
    }
    items
}

/// The latest plan: of a tool that keeps one, a list with boxes, or numbered steps.
fn plan(input: &Input<'_>) -> Option<String> {
    let tools = input.calls.iter().rev().take(LOOK_BACK);
    let kept = tools.filter(|call| is_planner(call.tool)).find_map(|call| {
        let list =
            call.argument(&["todos", "plan", "tasks", "items", "steps", "todo_list", "task_list"])?;
        todo_list(list)
            .or_else(|| steps(list, is_checkbox, 2))
            .or_else(|| steps(list, is_numbered, 2))
    });
    let model = || {
        let said =
            input.messages.iter().rev().take(LOOK_BACK).filter(|m| m.role == Role::Assistant);
        said.flat_map(|message| &message.texts).map(AsRef::as_ref)
    };
    let users: Vec<&str> = spoken(input.messages).collect();
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

/// The last run of lines that are steps, if it has at least `min_steps`.
fn steps(text: &str, is_step: fn(&str) -> bool, min_steps: usize) -> Option<String> {
    if text.len() > 200_000 {
        return None;
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut best: Option<Vec<&str>> = None;
    for run in lines.chunk_by(|a, b| is_step(a) == is_step(b)) {
        if run.len() >= min_steps && is_step(run[0]) {
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

/// Adds the latest three statements of the model about steps.
fn progress(input: &Input<'_>, items: &mut Vec<Item>) {
    let said = input.messages.iter().rev().take(LOOK_BACK).filter(|m| m.role == Role::Assistant);
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
fn unresolved_failures<'a>(input: &'a Input<'a>) -> Vec<&'a CallRecord<'a>> {
    let mut last: HashMap<(&str, String), ()> = HashMap::new();
    let mut failures = Vec::new();
    for call in input.calls.iter().rev().take(LOOK_BACK) {
        let first = last.insert((call.tool, call.about(80)), ()).is_none();
        if first && call.failed() && failures.len() < 8 {
            failures.push(call);
        }
    }
    failures
}
