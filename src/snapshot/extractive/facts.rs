//! Facts: short results nearly whole, significant lines of long ones, sentences that state
//! a finding, and the best of the remaining prose.

use std::collections::HashMap;

use chat_history::message::Role;

use super::call_record::readable;
use super::input::Input;
use super::item::{Item, NEW, specific};
use super::rank::rank;
use crate::snapshot::text::markers::{is_error, is_finding, is_output, is_setting, is_status};
use crate::snapshot::text::sentences::{cut, masked, sentences_of_line};
use crate::snapshot::transcript::TranscriptMessage;

/// A result of so many bytes and lines is kept whole.
const SHORT: (usize, usize) = (400, 12);
/// Up to this many bytes every line of a result may say something.
const MEDIUM: usize = 4_000;
/// Lines taken of one result.
const LINES: usize = 12;
/// Longest shown line, in characters.
const LINE: usize = 300;
/// Sentences of prose that are ranked.
const RANKED: usize = 400;
/// From so many repeats on a line is chatter.
const CHATTER: u32 = 3;

/// A fact of less worth is left out even if there is room.
const MIN_WORTH: u32 = 12;

/// Something that may be kept, before its worth is known.
struct Fact {
    source: String,
    text: String,
    base: u32,
    order: usize,
}

/// The facts of a transcript.
pub(super) fn facts(input: &Input<'_>) -> Vec<Item> {
    let mut found = Vec::new();
    let mut prose = Vec::new();
    let names = names(input);
    for message in input.messages {
        for (at, result) in message.results.iter().enumerate() {
            let name = names.get(&(message.index, at)).cloned();
            let name = name.unwrap_or_else(|| format!("#{} tool", message.index));
            of_output(message.index, &name, &result.text, &mut found);
        }
        for text in &message.texts {
            match message.role {
                Role::Assistant => of_speech(message, text, true, &mut found, &mut prose),
                Role::User if is_output(text) => {
                    of_output(message.index, &format!("#{} user", message.index), text, &mut found);
                }
                Role::User => of_speech(message, text, false, &mut found, &mut prose),
                Role::Tool => {
                    of_output(message.index, &format!("#{} tool", message.index), text, &mut found);
                }
                Role::System | Role::MidSystem | Role::Other => {}
            }
        }
    }
    prose.drain(..prose.len().saturating_sub(RANKED));
    let texts: Vec<&str> = prose.iter().map(|fact| fact.text.as_str()).collect();
    let scores = rank(&texts);
    for (mut fact, score) in prose.into_iter().zip(scores) {
        fact.base += score / 5;
        found.push(fact);
    }
    found.sort_by_key(|fact| fact.order);
    items(found)
}

/// Under which name each result, by message and place in it, is quoted.
fn names(input: &Input<'_>) -> HashMap<(usize, usize), String> {
    let mut names = HashMap::new();
    for call in &input.calls {
        if let Some((index, place, _)) = call.result {
            let about = call.about(60);
            // Brackets end a source.
            let about = if about.contains(['[', ']']) { String::new() } else { about };
            let name = format!("#{index} {} {about}", call.tool);
            names.insert((index, place), name.trim_end().to_owned());
        }
    }
    names
}

/// Facts of a tool's output: a short one whole, of a long one its significant lines.
fn of_output(index: usize, source: &str, text: &str, found: &mut Vec<Fact>) {
    let text = readable(text);
    let mut add = |text: String, base: u32| {
        let order = (index << 20) + found.len().min(0xF_FFFF);
        found.push(Fact { source: source.to_owned(), text, base, order });
    };
    let lines: Vec<&str> =
        text.lines().map(str::trim_end).filter(|line| line.trim_start().len() > 3).collect();
    if text.len() <= SHORT.0 && lines.len() <= SHORT.1 {
        let says = text.len() > 24 || text.bytes().any(|byte| byte.is_ascii_digit());
        if says && !lines.is_empty() {
            let text = text.trim();
            add(text.to_owned(), if is_error(text) { 62 } else { 56 });
        }
        return;
    }
    for (worth, at) in significant(&lines, text.len() <= MEDIUM) {
        add(cut(lines[at], LINE), worth);
    }
}

/// The lines of an output that say most, with their worth, in their order. Of a `medium`
/// output every line may say something.
fn significant(lines: &[&str], medium: bool) -> Vec<(u32, usize)> {
    let mut worth = worth_of_lines(lines, medium);
    worth.sort_by_key(|(base, at)| (std::cmp::Reverse(*base), *at));
    // Of what remains the specific lines win.
    worth.truncate(LINES * 8);
    for (worth, at) in &mut worth {
        *worth += specific(&cut(lines[*at], LINE)) / 2;
    }
    worth.sort_by_key(|(worth, at)| (std::cmp::Reverse(*worth), *at));
    worth.truncate(LINES);
    worth.sort_by_key(|(_, at)| *at);
    worth
}

/// The worth of each line that has any, by its kind.
fn worth_of_lines(lines: &[&str], medium: bool) -> Vec<(u32, usize)> {
    let mut times: HashMap<u64, u32> = HashMap::new();
    let keys: Vec<u64> = lines.iter().map(|line| masked(line.trim_start())).collect();
    for key in &keys {
        *times.entry(*key).or_default() += 1;
    }
    // Where most lines are alike, those that are not say most.
    let repetitive = lines.len() > 20 && times.len() * 2 < lines.len();
    let mut worth = Vec::new();
    let mut errors = 0;
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.len() <= LINE * 40) {
        let edge = at == 0 || at + 1 == lines.len();
        let mut base = if times[&keys[at]] > CHATTER {
            0
        } else if is_error(line) {
            errors += 1;
            // The first errors of a log say more than its hundredth.
            if errors <= 20 { 58 } else { 30 }
        } else if repetitive {
            48
        } else if is_status(line) || (medium && is_setting(line)) {
            40
        } else if medium {
            24
        } else if edge {
            20
        } else {
            0
        };
        if base > 0 && (repetitive || medium) && is_finding(line) {
            base += 10;
        }
        if base > 0 {
            worth.push((base, at));
        }
    }
    worth
}

/// Facts of what a person or the model said; sentences without a mark go to `prose`.
fn of_speech(
    message: &TranscriptMessage<'_>,
    text: &str,
    model: bool,
    found: &mut Vec<Fact>,
    prose: &mut Vec<Fact>,
) {
    let speaker = if model { "assistant" } else { "user" };
    let mut fenced = false;
    for (line_number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        for sentence in sentences_of_line(line).filter(|s| (12..600).contains(&s.len())) {
            let finding = is_finding(sentence);
            // The user's words have sections of their own: here only what names artifacts.
            if !model && !finding && specific(sentence) < 10 {
                continue;
            }
            let base = match (model, finding) {
                (true, true) => 50,
                (true, false) => 14,
                (false, true) => 30,
                (false, false) => 10,
            };
            let source = format!("#{} {speaker}", message.index);
            let order = (message.index << 20) + line_number;
            let fact = Fact { source, text: sentence.to_owned(), base, order };
            let list = if base == 14 { &mut *prose } else { &mut *found };
            list.push(fact);
            if prose.len() > RANKED * 8 {
                prose.drain(..RANKED * 4);
            }
        }
    }
}

/// The facts with their worth: what is specific more, what is often said less,
/// what was said again later not at all.
fn items(found: Vec<Fact>) -> Vec<Item> {
    let mut times: HashMap<u64, u32> = HashMap::new();
    let keys: Vec<u64> = found.iter().map(|fact| masked(&fact.text)).collect();
    for key in &keys {
        *times.entry(*key).or_default() += 1;
    }
    let total = found.len().max(1);
    let mut exact: HashMap<String, ()> = HashMap::new();
    let mut alike: HashMap<u64, u32> = HashMap::new();
    let mut items = Vec::new();
    for (at, fact) in found.into_iter().enumerate().rev() {
        let newer = alike.entry(keys[at]).or_default();
        *newer += 1;
        if *newer > CHATTER || exact.insert(fact.text.clone(), ()).is_some() {
            continue;
        }
        let recent = u32::try_from(at * 8 / total).unwrap_or(0);
        let long = u32::try_from(fact.text.len() / 150).unwrap_or(0);
        let mut worth = fact.base + specific(&fact.text) + recent;
        worth = worth.saturating_sub(long);
        if times[&keys[at]] >= CHATTER {
            worth = worth.saturating_sub(25);
        }
        if *newer > 1 {
            worth = worth.saturating_sub(15);
        }
        // Chatter is worth no token.
        if worth < MIN_WORTH {
            continue;
        }
        items.push(Item { source: fact.source, text: fact.text, worth, order: NEW + at });
    }
    items
}
