//! The state of the task: the plan, statements about its steps, the model's last words, and failed
//! calls that were not repaired.

use std::collections::{HashMap, HashSet};

use raw_json::{elements, field, fields, unescape};

use super::call_record::CallRecord;
use super::facts::spoken;
use super::input::Input;
use super::item::{Item, points};
use super::outcome::status;
use super::said::telling;
use super::terms::Terms;
use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::markers::{
    heads_steps, is_checkbox, is_numbered, is_progress, looks_like_output,
};
use crate::snapshot::text::sentences::{cut, masked, sentences, sentences_of_line};
use crate::snapshot::text::wrappers::Speaker;

/// Maximum number of shown steps.
const STEPS: usize = 30;
/// Tokens of the budget per shown step.
const STEP: u64 = 60;
/// Number of messages to search for plans and progress, newest first.
const LOOK_BACK: usize = 400;
/// Maximum number of content words in a text that only tells the agent to go on.
const GO_ON: usize = 2;

/// Returns the items for the state of the task.
pub(super) fn state(input: &Input<'_>, terms: &Terms, budget: u64) -> Vec<Item> {
    let mut items = Vec::new();
    let of_user = || input.of(Speaker::User).rev().take(LOOK_BACK);
    let of_user = || of_user().find_map(|(_, text)| steps(text, is_numbered, 3, |_| true));
    // The user's steps are among the directives as well, so they are not in the core.
    let plan = plan(input).map(|plan| (plan, true)).or_else(|| Some((of_user()?, false)));
    if let Some((plan, core)) = plan {
        let plan = open_first(&plan, usize::try_from(budget / STEP).unwrap_or(STEPS).max(4));
        let worth = if core { 70 } else { 10 };
        let item = Item::new(format!("{}\n{plan}", input.labels.plan), points(worth), 0);
        items.push(Item { core, ..item });
    }
    progress(input, terms, &mut items);
    if let Some(said) = input.last_said() {
        let mut parts = telling(&said.text);
        // Questions are shown with their answers.
        let asked = input.asked_in(said.index);
        parts.retain(|part| !asked.contains(part));
        // `Perfect!` says nothing, and `We need to:` says nothing without the list that it heads.
        let says = |part: &&str| content_words(part).len() > 1 && !part.ends_with([':', '：']);
        if parts.iter().any(says) {
            parts.retain(says);
        }
        let (first, last) = (0, parts.len().saturating_sub(1));
        for (at, part) in parts.iter().enumerate() {
            let mut item = spoken(part, 14, said.index, terms);
            // The first and the last sentence belong to the core.
            (item.core, item.base) = match at {
                _ if at == last => (true, points(62)),
                _ if at == first => (true, points(60)),
                _ => (false, item.base),
            };
            let text = format!("{} {part}", input.labels.last_said);
            let order = Item::new(String::new(), 0, (2 << 20) + at).order;
            items.push(Item { text, order, ..item });
        }
    }
    for (at, call) in open_failures(input).into_iter().enumerate() {
        let status = status(call, &input.labels);
        let text = format!("{} {} {} -> {status}", input.labels.open, call.tool, call.about(80));
        let late = 12_u32.saturating_sub(u32::try_from(at).unwrap_or(12));
        items.push(Item::new(text, points(6 + late), (3 << 20) + call.index));
    }
    items
}

/// Returns the agent's latest plan: from a tool that maintains one, a list with checkboxes, or
/// numbered steps.
fn plan(input: &Input<'_>) -> Option<String> {
    let tools = input.calls.iter().rev().take(LOOK_BACK);
    let kept = tools.filter(|call| is_planner(call.tool)).find_map(|call| {
        let list =
            call.argument(&["todos", "plan", "tasks", "items", "steps", "todo_list", "task_list"])?;
        todo_list(list)
            .or_else(|| steps(list, is_checkbox, 2, |_| true))
            .or_else(|| steps(list, is_numbered, 2, |_| true))
    });
    let said = || input.of(Speaker::Agent).rev().take(LOOK_BACK).map(|(_, text)| text);
    let boxes = || said().find_map(|text: &str| steps(text, is_checkbox, 2, |_| true));
    // Any list may be numbered, so the line above it must announce steps.
    kept.or_else(boxes).or_else(|| said().find_map(|text| steps(text, is_numbered, 3, heads_steps)))
}

/// Returns a plan of at most `most` lines. Removes completed steps first, from the top, then the
/// last lines.
fn open_first(plan: &str, most: usize) -> String {
    let mut lines: Vec<&str> = plan.lines().collect();
    let mut over = lines.len().saturating_sub(most);
    lines.retain(|line| {
        let gives_way = over > 0 && (line.contains("[x]") || line.contains('✅'));
        over -= usize::from(gives_way);
        !gives_way
    });
    lines.truncate(most);
    lines.join("\n")
}

fn is_planner(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    ["todo", "plan", "task_tracker", "checklist"].iter().any(|word| tool.contains(word))
}

/// Returns the last run of at least `min_steps` lines that are steps, if the sentence above it
/// satisfies `heads`.
fn steps(
    text: &str,
    is_step: fn(&str) -> bool,
    min_steps: usize,
    heads: fn(&str) -> bool,
) -> Option<String> {
    if text.len() > 200_000 {
        return None;
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut best: Option<Vec<&str>> = None;
    let mut above = "";
    for run in lines.chunk_by(|a, b| is_step(a) == is_step(b)) {
        let heading = sentences_of_line(above).last().unwrap_or_default();
        if run.len() >= min_steps && is_step(run[0]) && heads(heading) {
            best = Some(run.to_vec());
        }
        above = run.last().copied().unwrap_or_default();
    }
    let shown: Vec<String> = best?.into_iter().take(STEPS).map(|line| cut(line, 160)).collect();
    Some(shown.join("\n"))
}

/// Renders a list of objects with a text and a status as lines with checkboxes.
fn todo_list(list: &str) -> Option<String> {
    let mut lines = Vec::new();
    for entry in elements(list).ok()?.into_iter().take(STEPS) {
        let members = fields(entry).ok()?;
        let text = ["content", "step", "title", "task", "description", "text", "name"]
            .iter()
            .find_map(|name| field(&members, name))?;
        let status = field(&members, "status").map(|status| unescape(status).text);
        let status = status.map(|status| status.to_lowercase().replace(['-', ' '], "_"));
        let mark = match status.as_deref() {
            Some("completed" | "done" | "complete" | "finished" | "closed") => "[x]".to_owned(),
            Some("in_progress" | "doing" | "active" | "started") => "[>]".to_owned(),
            None | Some("pending" | "open" | "todo" | "to_do" | "not_started" | "") => {
                "[ ]".to_owned()
            }
            // Such as `cancelled`.
            Some(other) => format!("[-] {}:", cut(other, 40)),
        };
        lines.push(format!("{mark} {}", cut(&unescape(text).text, 160)));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Adds the latest three statements of the model about steps. Ignores the first half of the
/// messages: a step that was next then is probably done.
fn progress(input: &Input<'_>, terms: &Terms, items: &mut Vec<Item>) {
    let texts = input.of(Speaker::Agent).rev().take(LOOK_BACK);
    let texts = texts.take_while(|(index, _)| input.lateness(*index, 4) >= 2);
    let mut seen = HashMap::new();
    let mut found = 0;
    for (index, text) in texts.filter(|(_, text)| text.len() < 100_000 && !looks_like_output(text))
    {
        for sentence in
            sentences(text).into_iter().rev().filter(|s| s.len() < 300 && is_progress(s))
        {
            let alike = seen.entry(masked(sentence)).or_insert(0);
            *alike += 1;
            if *alike > 2
                || found >= 3
                || is_checkbox(sentence)
                || is_numbered(sentence)
                || input.asked_in(index).contains(sentence)
                || sentence.ends_with(':')
            {
                continue;
            }
            let named = terms.of_text(sentence, index);
            let text = sentence.trim_start_matches(['-', '*', '•', ' ']).to_owned();
            let item = Item::new(text, points(8 - found), (1 << 20) + index);
            items.push(Item { terms: named, ..item });
            found += 1;
        }
        if found >= 3 {
            return;
        }
    }
}

/// Returns failed calls that no later call repaired, newest first. Omits calls that the user
/// declined, and calls that failed before the user's last text that says more than `go on`, because
/// the user knew about them.
pub(super) fn open_failures<'a>(input: &'a Input<'a>) -> Vec<&'a CallRecord<'a>> {
    let mut seen = HashSet::new();
    let calls = input.calls.iter().zip(&input.resolved).rev().take(LOOK_BACK);
    let says_more = |(_, text): &(usize, &str)| content_words(text).len() > GO_ON;
    let answered = input.of(Speaker::User).rfind(says_more).map_or(0, |(index, _)| index);
    let open = calls.filter(|(call, resolved)| {
        let is_settled = **resolved || call.index < answered;
        !is_settled && call.failed && !call.reads() && !call.is_declined()
    });
    open.map(|(call, _)| call)
        .filter(|call| seen.insert((call.tool, call.about(80))))
        .take(8)
        .collect()
}
