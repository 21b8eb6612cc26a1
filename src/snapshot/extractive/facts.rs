//! Facts: findings that the agent stated, and lines of results that matter, such as errors and
//! values that were used later.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::call_record::CallRecord;
use super::input::Input;
use super::item::{Item, LEAST, points};
use super::json_lines::json_lines;
use super::outcome::{checks_failed, reason, without_echo};
use super::plan::open_failures;
use super::replaced_lines::ReplacedLines;
use super::result_text::{headed_by, printed, readable, with_line};
use super::retractions::takes_back;
use super::said::{Said, telling};
use super::terms::{Terms, each_term};
use crate::snapshot::text::content_words::content_words;
use crate::snapshot::text::markers::{is_error, is_finding, is_setting, is_source_line, is_status};
use crate::snapshot::text::sentences::{cut, masked};
use crate::snapshot::text::wrappers::Speaker;

/// Maximum number of lines of one result.
const LINES: usize = 12;
/// Maximum number of lines that a change wrote.
const WRITTEN: usize = 6;
/// Number of lines at each end of a result that may state why a call failed.
const EDGE: usize = 2;
/// Maximum bytes of a short result.
const SHORT: usize = 600;
/// Maximum bytes and content words of a sentence without content.
const EMPTY_BYTES: usize = 40;
const EMPTY_WORDS: usize = 2;
/// Maximum bytes of an agent's text that may only announce its calls.
const ANNOUNCING: usize = 300;
/// Maximum bytes of a result whose lines of settings count.
const MEDIUM: usize = 4_000;
/// Maximum number of removed lines in a row of a diff.
const REPLACED: usize = 20;
/// Maximum characters of a shown line.
const LINE: usize = 300;
/// Number of errors of a result with full worth: the first ones of a log say more than later ones.
const ERRORS: usize = 20;
/// Number of newest failed calls whose reason belongs to the core.
const OPEN: usize = 3;
/// Number of repetitions up to which a line has full worth.
const CHATTER: u32 = 3;

/// Returns the facts of a transcript.
pub(super) fn facts(input: &Input<'_>, terms: &Terms) -> Vec<Item> {
    let mut items = Vec::new();
    let last = input.last_said().map(|said| said.index);
    let mut calls: HashMap<usize, Vec<&CallRecord<'_>>> = HashMap::new();
    for call in &input.calls {
        calls.entry(call.index).or_default().push(call);
    }
    for said in input.said {
        match said.speaker {
            // The last statement is in the task's state.
            Speaker::Agent if Some(said.index) == last => {}
            Speaker::Agent => {
                let calls = calls.get(&said.index).map_or(&[][..], Vec::as_slice);
                of_agent(said, calls, input, terms, &mut items);
            }
            Speaker::Tool => {
                let source = format!("#{} output", said.index);
                let (base, errors, form) = (0, 6, &|_: &str| false);
                let (failed, reads) = (false, false);
                let (index, open) = (said.index, false);
                let output = Output { index, base, errors, failed, open, reads, form };
                output.facts(&source, &said.text, terms, &mut items);
            }
            Speaker::User | Speaker::Operator | Speaker::Framework => {}
        }
    }
    of_calls(input, terms, &mut items);
    let mut seen = HashSet::new();
    let mut newest: Vec<Item> = items.into_iter().rev().collect();
    newest.retain(|item| seen.insert(xxh3_64(item.text.as_bytes())));
    newest.reverse();
    newest
}

/// Adds the findings that the agent states in a message with these calls.
fn of_agent(
    said: &Said<'_>,
    calls: &[&CallRecord<'_>],
    input: &Input<'_>,
    terms: &Terms,
    items: &mut Vec<Item>,
) {
    let source = format!("#{} assistant", said.index);
    let base = input.lateness(said.index, 4) + if said.reports { 6 } else { 0 };
    let asked = input.asked_in(said.index);
    let may_announce = said.text.len() <= ANNOUNCING;
    for text in telling(&said.text) {
        // A question is shown with its answer.
        if asked.contains(text) || (may_announce && announces(text, calls)) {
            continue;
        }
        items.push(Item { source: source.clone(), ..spoken(text, base, said.index, terms) });
    }
}

/// Returns true for a sentence that only announces calls: it names things, all of them are in the
/// calls of its message, and it states no finding.
fn announces(text: &str, calls: &[&CallRecord<'_>]) -> bool {
    let (mut names, mut is_told) = (false, !is_finding(text));
    each_term(text, |term| {
        names = true;
        is_told = is_told && calls.iter().any(|call| call.texts().any(|text| text.contains(term)));
    });
    names && is_told
}

/// Adds the facts of results, and lines that changes wrote.
fn of_calls(input: &Input<'_>, terms: &Terms, items: &mut Vec<Item>) {
    let odd = odd(&input.calls);
    let open: HashSet<usize> =
        open_failures(input).iter().take(OPEN).map(|call| call.index).collect();
    let forms = forms(&input.calls);
    let replaced = ReplacedLines::of(&input.calls);
    for (at, call) in input.calls.iter().enumerate() {
        let Some((index, _, result)) = call.result else { continue };
        let before = items.len();
        let source = call.source(index);
        let late = input.lateness(index, 20).saturating_sub(17);
        let failed = call.failed || checks_failed(call);
        let errors = match (failed, input.resolved[at]) {
            (true, false) => 16,
            (true, true) => 8,
            (false, _) => 5,
        };
        // A short refusal is a fact, whatever its words.
        let refuses = result.text.len() <= SHORT && (failed || odd[at]);
        let base = late + if refuses { errors.max(8) } else { 0 };
        // A refusal of one or two lines has no other content than its form.
        let is_bare = refuses && result.text.lines().take(3).count() < 3;
        let form = |line: &str| !is_bare && forms.contains(&(call.tool, label(line)));
        let reads = call.reads();
        let open = open.contains(&call.index);
        let output = Output { index, base, errors, failed, open, reads, form: &form };
        output.facts(&source, without_echo(call, result.text.trim_start()), terms, items);
        if !call.failed {
            written(call, input.lateness(index, 4), terms, items);
        }
        let is_gone = |item: &Item| replaced.holds(split_number(&item.text).1, call.index);
        let found = items.split_off(before);
        items.extend(found.into_iter().filter(|item| !is_gone(item)));
    }
}

/// Returns for each call whether its result is short and begins with words that less than half of
/// the tool's short results begin with.
fn odd(calls: &[CallRecord<'_>]) -> Vec<bool> {
    let shape = |call: &CallRecord<'_>| {
        let (_, _, result) = call.result.filter(|_| !call.reads())?;
        let words = result.text.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
        (result.text.len() <= SHORT).then(|| masked(&words))
    };
    let shapes: Vec<Option<u64>> = calls.iter().map(shape).collect();
    let mut times: HashMap<(&str, Option<u64>), usize> = HashMap::new();
    for (call, shape) in calls.iter().zip(&shapes).filter(|(_, shape)| shape.is_some()) {
        *times.entry((call.tool, *shape)).or_default() += 1;
        *times.entry((call.tool, None)).or_default() += 1;
    }
    let odd = |(call, shape): (&CallRecord<'_>, &Option<u64>)| {
        let times = |of: Option<u64>| times.get(&(call.tool, of)).copied().unwrap_or(0);
        shape.is_some() && times(None) > 2 && times(*shape) * 2 < times(None)
    };
    calls.iter().zip(&shapes).map(odd).collect()
}

/// Returns an item for a sentence of the agent; findings and decisions are worth most.
pub(super) fn spoken(text: &str, base: u32, index: usize, terms: &Terms) -> Item {
    let base = base + if is_finding(text) || takes_back(text) { 8 } else { 2 };
    // Words that name nothing are worth less, and a heading is worth nothing.
    let heads = text.ends_with([':', '：']) || text.starts_with('#');
    let found = if heads { Vec::new() } else { terms.of_text(text, index) };
    // `I found the issue!` says nothing specific.
    let is_empty = || {
        let is_short = text.len() <= EMPTY_BYTES && content_words(text).len() <= EMPTY_WORDS;
        is_short && !takes_back(text)
    };
    let says_nothing = heads || is_empty();
    let base = match found.is_empty() {
        true if says_nothing => 0,
        true => base / 2,
        false => base,
    };
    Item { terms: found, ..Item::new(text.to_owned(), points(base), index) }
}

/// Returns the labels of lines that more than a quarter of a tool's results have. They belong to
/// the tool's form and not to the content.
fn forms<'a>(calls: &'a [CallRecord<'_>]) -> HashSet<(&'a str, u64)> {
    let mut results: HashMap<&str, usize> = HashMap::new();
    let mut times: HashMap<(&str, u64), usize> = HashMap::new();
    for call in calls {
        let Some((_, _, result)) = call.result else { continue };
        *results.entry(call.tool).or_default() += 1;
        let beginning = &result.text[..result.text.floor_char_boundary(MEDIUM)];
        let labels: HashSet<u64> = beginning.lines().map(label).collect();
        for label in labels {
            *times.entry((call.tool, label)).or_default() += 1;
        }
    }
    let often =
        |((tool, _), times): &((&str, u64), usize)| *times > 2 && *times * 4 > results[tool];
    times.into_iter().filter(often).map(|(key, _)| key).collect()
}

/// Returns the hash of a line's label: the text before the first colon or equals sign, or its first
/// two words.
fn label(line: &str) -> u64 {
    let line = line.trim_start();
    let colon = line.find([':', '=']).filter(|at| *at < 40);
    let words = || line.match_indices(' ').nth(1).map_or(line.len(), |(at, _)| at);
    masked(&line[..colon.unwrap_or_else(words)])
}

/// The output of a call, and how its lines are scored.
struct Output<'f> {
    /// The message.
    index: usize,
    /// Points of each line.
    base: u32,
    /// Points of a line that states an error.
    errors: u32,
    /// True if the call failed: its result states the reason at one of its ends.
    failed: bool,
    /// True if the failure was not repaired, so that its reason belongs to the core.
    open: bool,
    /// True if the call only reads: errors in its result are not its own.
    reads: bool,
    /// Returns true for a line of the tool's form.
    form: &'f dyn Fn(&str) -> bool,
}

impl Output<'_> {
    /// Adds the lines with the highest worth.
    fn facts(&self, source: &str, text: &str, terms: &Terms, items: &mut Vec<Item>) {
        let text = readable(text);
        let text = printed(&text);
        let json = json_lines(text);
        let lines: Vec<&str> = match &json {
            Some(lines) => lines.iter().map(String::as_str).collect(),
            None => text.lines().map(str::trim_end).collect(),
        };
        let mut times: HashMap<u64, u32> = HashMap::new();
        let keys: Vec<u64> = lines.iter().map(|line| masked(line.trim_start())).collect();
        for key in &keys {
            *times.entry(*key).or_default() += 1;
        }
        let mut found: Vec<(u32, usize, Item)> = Vec::new();
        let mut errors = 0;
        let mut reason = self.open.then(|| reason(text)).flatten();
        let mut joined = None;
        for (at, line) in lines.iter().enumerate() {
            // Skip lines of a listing, which are in their file, lines that a diff replaces, and
            // lines that were joined to their heading.
            let is_fit = (4..=LINE * 40).contains(&line.trim().len());
            let is_old = is_listed(&lines, at) || is_replaced(&lines, at);
            if !is_fit || is_old || joined == Some(line.trim()) {
                continue;
            }
            let numbered = is_source_line(line);
            let mut base = self.base;
            if self.failed && (at < EDGE || at + EDGE >= lines.len()) {
                base += self.errors / 2;
            }
            if !self.reads && !numbered {
                if is_error(line) {
                    errors += 1;
                    base += if errors <= ERRORS { self.errors } else { self.errors / 4 };
                } else if is_status(line) {
                    base += 5;
                }
            }
            if text.len() <= MEDIUM && is_setting(line) {
                base += 4;
            }
            if times[&keys[at]] > CHATTER || (self.form)(line) {
                base /= 8;
            }
            let under = headed_by(&lines, at).filter(|_| is_error(line) && !self.reads);
            // The exception below makes the heading redundant.
            if under.is_some_and(is_error) && line.trim_start().starts_with("Traceback") {
                continue;
            }
            joined = under.or(joined);
            let shown = cut(&with_line(line, under), LINE);
            let named = if numbered { split_number(&shown).1 } else { &shown };
            let found_terms = terms.of_text(named, self.index);
            let item = Item::new(shown, points(base), self.index);
            let core = reason.take_if(|reason| *reason == line.trim()).is_some();
            let item = Item { source: source.to_owned(), terms: found_terms, core, ..item };
            let gain = if core { u32::MAX } else { item.gain_at_first() };
            if gain < LEAST {
                continue;
            }
            found.push((gain, at, item));
            if found.len() > LINES * 16 {
                keep_best(&mut found, LINES);
            }
        }
        keep_best(&mut found, LINES);
        found.sort_by_key(|(_, at, _)| *at);
        items.extend(found.into_iter().map(|(_, _, item)| item));
    }
}

fn keep_best(found: &mut Vec<(u32, usize, Item)>, most: usize) {
    found.sort_by_key(|(worth, at, _)| (std::cmp::Reverse(*worth), *at));
    found.truncate(most);
}

/// Splits a line into the number at its beginning and the rest.
fn split_number(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.split_at(line.len() - rest.len())
}

/// Returns true for a numbered line of a file whose neighbour has the next or the previous number.
/// A row of a table, which has more columns, does not count.
fn is_listed(lines: &[&str], at: usize) -> bool {
    let number = |at: usize| {
        let line = lines.get(at).filter(|line| is_source_line(line) && !is_row(line))?;
        split_number(line).0.parse::<u32>().ok()
    };
    let is_next =
        |a: Option<u32>, b: Option<u32>| a.zip(b).is_some_and(|(a, b)| a.checked_add(1) == Some(b));
    let own = number(at);
    is_next(own, number(at + 1))
        || at.checked_sub(1).is_some_and(|before| is_next(number(before), own))
}

/// Returns true for a removed line of a diff that has added lines in its place.
fn is_replaced(lines: &[&str], at: usize) -> bool {
    let mark = |line: &&str| split_number(line).1.trim_start().chars().next();
    let mut marks = lines[at..].iter().take(REPLACED).map(mark).skip_while(|m| *m == Some('-'));
    mark(&lines[at]) == Some('-') && marks.next() == Some(Some('+'))
}

fn is_row(line: &str) -> bool {
    line.matches(" | ").count() > 1
}

/// Adds lines that a change wrote and that were not there before.
fn written(call: &CallRecord<'_>, late: u32, terms: &Terms, items: &mut Vec<Item>) {
    let (added, removed) = call.change();
    let before: HashSet<&str> = removed.iter().flat_map(|t| t.lines()).map(str::trim).collect();
    let source = call.source(call.index);
    let lines = added.iter().flat_map(|text| text.lines()).map(str::trim);
    let new = lines.enumerate().filter(|(_, line)| line.len() > 8 && !before.contains(line));
    let item = |(at, line): (usize, &str)| {
        let named = terms.of_text(line, call.index);
        let item = Item::new(cut(line, LINE), points(3 + late), call.index);
        let item = Item { source: source.clone(), terms: named, ..item };
        (item.gain_at_first(), at, item)
    };
    let mut found: Vec<(u32, usize, Item)> = new.take(2_000).map(item).collect();
    keep_best(&mut found, WRITTEN);
    found.sort_by_key(|(_, at, _)| *at);
    items.extend(found.into_iter().map(|(_, _, item)| item));
}
