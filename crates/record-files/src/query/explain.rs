//! Explains an answer: why no record matches, and how values were read.

use std::collections::BTreeSet;

use fair_share::on;
use raw_json::{self as raw, Kind};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::chunk::{CHUNK_BYTES, Chunk};
use super::condition::{Evaluator, Test};
use super::error::quoted;
use super::json::path::Hits;
use super::json::path_set::Record;
use super::plan::Plan;
use super::typed::{Facts, Strings};
use super::values::{Values, listed};
use super::watch::{asks_for_null, is_nothing, one_of};
use crate::recipes::sql_name;

/// Maximum number of comparisons that are examined.
const MAX_TESTS: usize = 8;
/// Maximum number of values that are listed.
const MAX_VALUES: usize = 5;

/// Explains why no record matches: returns the number of records that meet each comparison alone
/// and, for comparisons that no record meets, the values of the field. Reads all records once more.
pub(super) fn no_matches(
    plan: &Plan<'_>,
    lines: &str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<String> {
    let Some(alone) = Alone::of(plan, lines, stop) else { return Vec::new() };
    let tests = &plan.query.tests;
    let text = |test: &Test| test.comparison.text(&plan.query.paths.all()[test.path].name());
    let mut notes: Vec<String> = Vec::new();
    let mut met: Vec<String> = Vec::new();
    for (test, (count, values)) in tests.iter().zip(alone.counts.iter().zip(&alone.values)) {
        if *count > 0 {
            let verb = if met.is_empty() { "is met by" } else { "by" };
            met.push(format!("{} {verb} {count}", text(test)));
            continue;
        }
        let facts = alone.facts[test.path];
        let hint = hint(plan, test, facts, values);
        let note = format!("no record meets {}{hint}", text(test));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    if !met.is_empty() && tests.len() > 1 {
        notes.push(format!("alone, {}", met.join(", ")));
    }
    notes
}

/// If records match, explains the comparisons that no record meets, and lists the values of an `in`
/// that no record has. Reads all records once more if there are such comparisons or values.
pub(super) fn never_held(
    plan: &Plan<'_>,
    found: &Chunk<'_>,
    lines: &str,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<String> {
    let query = plan.query;
    let name = |test: &Test| query.paths.all()[test.path].name();
    let values = |test: &Test| Values::of(query, test.path, lines.lines(), &|| stop());
    let mut notes = Vec::new();
    let tests: Vec<&Test> = query.tests.iter().take(MAX_TESTS).collect();
    let is_doubted = |index: &usize| {
        let test = tests[*index];
        let is_of_nulls = || {
            let mut others = query.tests.iter().filter(|other| other.path == test.path);
            matches!(test.comparison.values(), [value] if is_nothing(value))
                && others.any(asks_for_null)
        };
        !found.held[*index] && !test.comparison.is_flag() && !is_of_nulls()
    };
    let doubted: Vec<usize> = (0..tests.len()).filter(is_doubted).collect();
    let alone = (found.matched > 0 && !doubted.is_empty()).then(|| Alone::of(plan, lines, stop));
    if let Some(alone) = alone.flatten() {
        // A matching record may have been accepted before this comparison was evaluated.
        for index in doubted.into_iter().filter(|index| !alone.held[*index]) {
            let test = tests[index];
            let text = test.comparison.text(&name(test));
            let text = text.replacen(" != ", " = ", 1).replacen(" not_", " ", 1);
            let hint = hint(plan, test, alone.facts[test.path], &alone.values[index]);
            notes.push(format!("no record meets {text}{hint}"));
        }
    }
    let is_plain = |index: usize| {
        let typed = &plan.typed[index];
        let is_text = matches!(typed.strings, Strings::Absent | Strings::Text);
        found.held[index] && is_text && !typed.needs_all
    };
    for (index, absent) in found.watch.unfound().filter(|(index, _)| is_plain(*index)) {
        let test = &query.tests[index];
        let (values, wanted) = (values(test), test.comparison.wanted());
        let missing = absent.iter().filter_map(|at| wanted.get(*at));
        let missing = missing.filter(|wanted| !values.all().any(|value| is_text(value, wanted)));
        for wanted in missing.take(MAX_VALUES) {
            let near = values.near(wanted, 3, false);
            let near = if near.is_empty() { values.top(3) } else { near };
            notes.push(format!(
                "no {} is {}; nearest: {}",
                name(test),
                quoted(wanted),
                listed(&near)
            ));
        }
    }
    notes
}

/// Returns true if a value is the string `wanted`, or is spelled so.
fn is_text(value: &str, wanted: &str) -> bool {
    if raw_json::is_string(value) {
        raw_json::unescape(value).text == wanted
    } else {
        value == wanted
    }
}

fn hint(plan: &Plan<'_>, test: &Test, facts: Facts, values: &Values<'_>) -> String {
    let field = plan.query.paths.all()[test.path].name();
    let wanted = test.comparison.wanted();
    let mut near: Vec<(&str, u64)> = Vec::new();
    for wanted in wanted.iter().take(MAX_VALUES) {
        near.extend(values.near(wanted, MAX_VALUES, false));
    }
    near.dedup();
    near.truncate(MAX_VALUES);
    let distinct = values.len();
    let holds = format!("; {field} holds {}", facts.name());
    if distinct == 0 {
        let inner = if facts.has(Kind::Object) { "; name a field in it, with a dot" } else { "" };
        return format!("{holds}{inner}");
    }
    if let Some((pattern, regex)) = test.comparison.in_any_case() {
        let meets =
            |value: &&str| raw::is_string(value) && regex.is_match(&raw::unescape(value).text);
        let count = values.all().filter(meets).count();
        if count > 0 {
            return format!("; {count} values of {field} match {}", raw_json::quote(&pattern));
        }
    }
    if test.comparison.operation.is_ordered() {
        let strings = facts.strings();
        // Compare by spelling, too, so that the note always names the same one of equal values.
        let least = values.all().min_by_key(|value| (strings.read(value), *value));
        let most = values.all().max_by_key(|value| (strings.read(value), *value));
        let (least, most) = (least.unwrap_or_default(), most.unwrap_or_default());
        return format!("{holds} from {least} to {most}");
    }
    if distinct <= MAX_VALUES {
        return format!("{holds}: {}", listed(&values.top(MAX_VALUES)));
    }
    if near.is_empty() {
        let top = listed(&values.top(MAX_VALUES));
        return format!("{holds}, {distinct} different values such as {top}");
    }
    format!("{holds}; nearest: {}", listed(&near))
}

/// The facts about each comparison, evaluated alone.
struct Alone<'a> {
    counts: Vec<u64>,
    /// For each comparison, whether it held for a record, ignoring its negation.
    held: Vec<bool>,
    values: Vec<Values<'a>>,
    facts: Vec<Facts>,
}

impl<'a> Alone<'a> {
    /// Reads all records. Returns `None` if there is no comparison, or if the time is over: counts
    /// for some of the records would mislead.
    fn of(plan: &Plan<'_>, lines: &'a str, stop: &(dyn Fn() -> bool + Sync)) -> Option<Self> {
        let tests = &plan.query.tests[..plan.query.tests.len().min(MAX_TESTS)];
        let parts: Vec<&str> = raw_json::parts(lines, CHUNK_BYTES).collect();
        let chunks: Vec<Alone<'_>> =
            on(|| parts.par_iter().map(|part| Alone::read(plan, tests, part, stop)).collect());
        let alone = chunks.into_iter().reduce(Alone::merge);
        alone.filter(|_| !tests.is_empty() && !stop())
    }

    fn read(
        plan: &Plan<'_>,
        tests: &[Test],
        lines: &'a str,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Self {
        let query = plan.query;
        let mut alone = Self {
            counts: vec![0; tests.len()],
            held: Vec::new(),
            values: tests.iter().map(|_| Values::default()).collect(),
            facts: Vec::new(),
        };
        let mut evaluator =
            Evaluator::new(&query.paths, &query.tests, &plan.typed, &query.shared, stop);
        let (mut record, mut hits) = (Record::default(), Hits::default());
        for (number, line) in lines.lines().enumerate() {
            if number % 256 == 255 && stop() {
                break;
            }
            if query.paths.read(line.trim_ascii(), &mut record).is_err() {
                continue;
            }
            for (index, test) in tests.iter().enumerate() {
                alone.counts[index] += u64::from(evaluator.test(index, &record));
                query.paths.find(test.path, &record, &mut hits);
                for value in &hits.values {
                    alone.values[index].add(value);
                    evaluator.facts[test.path].add_with_elements(value);
                }
            }
        }
        alone.facts = evaluator.facts;
        alone.held = evaluator.held;
        alone
    }

    fn merge(mut self, other: Self) -> Self {
        self.counts.iter_mut().zip(other.counts).for_each(|(a, b)| *a += b);
        self.held.iter_mut().zip(other.held).for_each(|(a, b)| *a |= b);
        self.values.iter_mut().zip(other.values).for_each(|(a, b)| a.merge(b));
        self.facts.iter_mut().zip(other.facts).for_each(|(a, b)| a.merge(b));
        self
    }
}

/// Returns a hint if the query requires two values of one element: to find them in two elements,
/// one of the conditions must be a `not`, which is evaluated separately.
fn of_several(plan: &Plan<'_>, path: usize) -> Option<String> {
    let is_value = |test: &&Test| {
        let comparison = &test.comparison;
        test.path == path && comparison.name() == "=" && !comparison.is_negated()
    };
    let mut values = plan.query.tests.iter().filter(is_value).map(|test| test.comparison.spelled());
    let first = values.next()?;
    let other = values.find(|other| *other != first)?;
    let field = raw::quote(&plan.query.paths.all()[path].name());
    Some(format!(
        "; for {first} and {other} in two elements: {{\"not\": {{\"field\": {field}, \"op\": \
         \"!=\", \"value\": {other}}}}} for one of them"
    ))
}

/// Returns notes on how values were read, and on where records without a comparable value are
/// sorted.
pub(super) fn readings(plan: &Plan<'_>, found: &Chunk<'_>) -> Vec<String> {
    let query = plan.query;
    let name = |path: usize| query.paths.all()[path].name();
    let is_typed = |test: &usize| query.tests[*test].comparison.operation.is_typed();
    let typed = (0..query.tests.len()).filter(is_typed);
    let notes: BTreeSet<String> = typed.flat_map(|test| of_test(plan, found, test)).collect();
    let mut notes: Vec<String> = notes.into_iter().collect();
    for (shared, _) in query.shared.iter().zip(&found.chosen).filter(|(_, chosen)| **chosen) {
        let fields: Vec<String> = shared.through.iter().map(|path| name(*path)).collect();
        let mut note = format!(
            "conditions on {} met by one element of {}",
            fields.join(" and "),
            name(shared.path)
        );
        note += &shared.through.iter().find_map(|path| of_several(plan, *path)).unwrap_or_default();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes.extend(query.repeated.iter().filter_map(|path| apart(plan, found, *path)));
    notes.extend(query.always.iter().filter_map(|pair| always(plan, found, *pair)));
    notes.extend((0..query.sort_by.len()).flat_map(|key| of_sort_key(plan, found, key)));
    notes
}

/// Returns the note on `!=` of two values, of which one always holds but for a list.
fn always(plan: &Plan<'_>, found: &Chunk<'_>, pair: [usize; 2]) -> Option<String> {
    let [one, other] = pair.map(|at| &plan.query.tests[at]);
    let field = plan.query.paths.all()[one.path].name();
    let both = [one.comparison.values(), other.comparison.values()].concat();
    (!found.facts[one.path].has(Kind::Array)).then(|| {
        format!(
            "{} or {} holds for every value: {} excludes both",
            one.comparison.text(&field),
            other.comparison.text(&field),
            one_of(&field, "not_in", &both)
        )
    })
}

/// Returns the notes on how the values of one comparison were read.
fn of_test(plan: &Plan<'_>, found: &Chunk<'_>, at: usize) -> impl Iterator<Item = String> {
    let (test, typed) = (&plan.query.tests[at], &plan.typed[at]);
    let (comparison, facts) = (&test.comparison, found.facts[test.path]);
    let field = plan.query.paths.all()[test.path].name();
    let ordered = comparison.operation.is_ordered();
    let is_list = ordered && facts.has(Kind::Array) && !plan.query.repeated.contains(&test.path);
    let list = is_list.then(|| {
        format!("{field} is a list: {} holds if it does for an element", comparison.name())
    });
    let compared = typed.compared().filter(|_| !comparison.is_negated());
    let others = compared.and_then(|(kinds, noun)| {
        let others = facts.others(&kinds)?;
        Some(format!("{field} holds {others}, too: only {noun} were compared"))
    });
    let doubt = || facts.doubt(&sql_name(&field));
    let reading = match typed.strings {
        Strings::Numbers => Some(format!("{field} compared as numbers{}", doubt())),
        Strings::Written(_) => {
            Some(format!("{field} compared as the numbers it spells{}", doubt()))
        }
        Strings::Versions => Some(format!("{field} compared as versions, part by part")),
        Strings::Dates => Some(format!("{field} compared as dates, a day as a whole, in UTC")),
        Strings::Text if ordered && facts.has(Kind::String) && typed.is_text() => {
            Some(format!("{field} compared as text, letter by letter"))
        }
        _ if typed.needs_all => Some(format!("{} read as {}", comparison.spelled(), typed.name())),
        _ => None,
    };
    [list, others, reading].into_iter().flatten()
}

/// Returns the notes on how records are sorted by one key.
fn of_sort_key(plan: &Plan<'_>, found: &Chunk<'_>, at: usize) -> impl Iterator<Item = String> {
    let (key, strings, missing) = (&plan.query.sort_by[at], &plan.sorted[at], found.missing[at]);
    let field = plan.query.paths.all()[key.path].name();
    let facts = found.facts[key.path];
    let is_list = found.entries.iter().any(|entry| entry.is_list(at));
    let list =
        is_list.then(|| format!("{field} is a list: sorted by its first element, then the next"));
    let doubt = || facts.doubt(&sql_name(&field));
    let reading = match strings {
        Strings::Numbers => Some(format!("{field} sorted as numbers{}", doubt())),
        Strings::Written(_) => Some(format!("{field} sorted as the numbers it spells{}", doubt())),
        Strings::Versions => Some(format!("{field} sorted as versions")),
        Strings::Text if facts.is_lettered() => {
            Some(format!("{field} sorted as text, letter by letter"))
        }
        Strings::Text => facts.words().map(|words| {
            let order = if key.descending { " DESC" } else { "" };
            let sql = format!("SELECT * FROM records ORDER BY {}{order}", sql_name(&field));
            format!(
                "{field} sorted as text, letter by letter; in the order of {}: {{\"sql\": {}}}",
                words.name,
                raw::quote(&sql)
            )
        }),
        _ => None,
    };
    let is_mixed = facts.has(Kind::String) && (!strings.are_typed() || *strings == Strings::Dates);
    let numbers = facts.others(&[Kind::String]).filter(|_| is_mixed);
    let text = if *strings == Strings::Dates { "dates" } else { "text" };
    let types = numbers.map(|numbers| {
        let (first, then) = if key.descending { (text, &*numbers) } else { (&*numbers, text) };
        format!("{field} holds several types: first {first}, then {then}")
    });
    let without = (missing > 0).then(|| {
        let place = if key.descending { "last" } else { "first" };
        let records = if missing == 1 { "record" } else { "records" };
        let is_blank = strings.are_typed() && facts.has_blanks;
        let blank = if is_blank { " or with a blank one" } else { "" };
        format!("{missing} {records} without {field}{blank} come {place}")
    });
    [list, reading, types, without].into_iter().flatten()
}

/// Returns a note if different elements of one array may meet the conditions on it.
fn apart(plan: &Plan<'_>, found: &Chunk<'_>, path: usize) -> Option<String> {
    if !found.facts[path].has(Kind::Array) {
        return None;
    }
    let field = plan.query.paths.all()[path].name();
    let tests = plan.query.tests.iter().filter(|test| test.path == path);
    let sql: Option<Vec<String>> =
        tests.map(|test| Some(format!("e.value {}", test.comparison.sql()?))).collect();
    let sql = sql.map_or_else(|| "…".to_owned(), |tests| tests.join(" AND "));
    let column = sql_name(&field);
    Some(format!(
        "conditions on {field} may be met by different elements; for one element send {{\"sql\": \
         {}}}",
        raw_json::quote(&format!(
            "SELECT count(*) FROM records, json_each({column}) AS e WHERE {sql}"
        ))
    ))
}

#[cfg(test)]
#[path = "explain_tests.rs"]
mod tests;
