//! Facts that may make the rows of a statement mislead: a value that no record has, a text that
//! is compared with a number, a date that is the start of its day.

mod aliases;
mod case;
mod compared;
mod constants;
mod containers;
pub(crate) mod dates;
pub(crate) mod facts;
mod joined;
pub(crate) mod json;
mod left_out;
mod letters;
mod mixed_types;
mod moments;
mod nulls;
mod numbers;
mod ordered;
mod partners;
mod paths;
mod rows;
mod spelling;
mod unlinked;
pub(crate) mod values;
pub(crate) mod written;

use crate::notes::compared::{of_comparison, shown, subject};
use crate::notes::facts::{Facts, Read, literal};
use crate::notes::values::Subject;
use crate::prepare::ROW_NUMBER;
use crate::sql::comparison::{Comparison, Literal, LiteralKind, comparisons};
use crate::sql::condition::lone_conditions;
use crate::sql::quoting::spelled;
use crate::sql::token::Kind;

/// The most notes.
const MAX_NOTES: usize = 5;

/// Returns at most five notes; `nothing` says that the statement found nothing.
pub(crate) fn notes(facts: &Facts<'_>, nothing: bool) -> Vec<String> {
    if nothing && facts.sources.first().is_some_and(|source| source.shape.records == 0) {
        return vec!["the file has no records".to_owned()];
    }
    let comparisons = comparisons(facts.statement());
    let (noted, mut notes): (Vec<usize>, Vec<String>) = moments::notes(facts).into_iter().unzip();
    let start = |at: &usize| facts.statement().tokens[*at].range.start;
    let others = comparisons
        .iter()
        .filter(|comparison| !noted.iter().any(|at| comparison.range.contains(&start(at))));
    notes.extend(others.filter_map(|comparison| of_comparison(facts, comparison)));
    notes.extend(constants::notes(facts));
    notes.extend(left_out::notes(facts));
    notes.extend(of_alternatives(facts, &comparisons));
    notes.extend(mixed_types::notes(facts, &comparisons, &noted));
    notes.extend(aliases::notes(facts));
    notes.extend(of_row_number(facts));
    notes.extend(of_numbers(facts));
    notes.extend(paths::notes(facts));
    notes.extend(json::notes(facts));
    notes.extend(containers::notes(facts));
    notes.extend(lone(facts));
    notes.extend(nulls::notes(facts));
    notes.extend(dates::notes(facts, &noted));
    notes.extend(numbers::notes(facts));
    notes.extend(joined::notes(facts));
    notes.extend(unlinked::notes(facts));
    notes.extend(partners::notes(facts));
    if nothing && notes.is_empty() {
        notes.extend(of_nothing(facts, &comparisons));
    }
    notes.extend(rows::notes(facts, nothing));
    notes.extend(facts.reads().filter_map(|read| of_column(facts, read)));
    notes.extend(facts.reads().filter_map(|read| of_case(facts, read)));
    notes.extend(facts.reads().filter_map(|read| of_normal_form(facts, read)));
    notes.extend(facts.reads().filter_map(|read| case::of_distinct(facts, read)));
    let mut seen = Vec::new();
    notes.retain(|note| {
        !seen.contains(note) && {
            seen.push(note.clone());
            true
        }
    });
    notes.truncate(MAX_NOTES);
    notes
}

fn of_column(facts: &Facts<'_>, read: Read<'_>) -> Option<String> {
    let (name, profile) = (spelled(&read.column.name), read.profile);
    if profile.large > 0 {
        return Some(format!(
            "{name} has numbers beyond 64 bits, which are text here: compare them in quotes"
        ));
    }
    spelling::note(facts, read)
}

/// `a != 'x' OR a != 'y'`, which holds for every value.
fn of_alternatives(facts: &Facts<'_>, comparisons: &[Comparison]) -> Option<String> {
    let sql = &facts.statement().sql;
    comparisons.windows(2).find_map(|pair| {
        let [one, other] = pair else { return None };
        let literal = |of: &Comparison| Some(of.literals.first()?.sql.clone());
        let is_one = |of: &Comparison| of.is_equality() && of.excludes() && of.literals.len() == 1;
        let between = sql.get(one.range.end..other.range.start)?.trim();
        let subject = &sql[one.subject.clone()];
        let holds = between.eq_ignore_ascii_case("or")
            && *subject == sql[other.subject.clone()]
            && is_one(one)
            && is_one(other)
            && literal(one) != literal(other);
        holds.then(|| {
            format!(
                "{} holds for every value: {subject} NOT IN ({}, {}) excludes both",
                &sql[one.range.start..other.range.end],
                literal(one).unwrap_or_default(),
                literal(other).unwrap_or_default()
            )
        })
    })
}

/// A number in an aggregate that is the name of a field, too, such as a year.
fn of_numbers(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.calls_of(&["sum", "avg", "total", "min", "max", "median"]).find_map(|at| {
        statement.tokens.get(at + 2).filter(|token| token.kind == Kind::Number)?;
        let number = statement.word(at + 2);

        let mut fields = facts.sources.iter().map(|source| &source.shape.fields);
        let is_field = fields.any(|fields| fields.find(number).is_some());
        is_field.then(|| format!("{number} is a number here; the column is {}", spelled(number)))
    })
}

/// The number of a row is no field.
fn of_row_number(facts: &Facts<'_>) -> Option<String> {
    let is_read = facts.prepared.reads.iter().any(|(_, column)| column == ROW_NUMBER);
    is_read.then(|| "rowid is not a field: it numbers the records of the file from 1".to_owned())
}

/// Two fields whose names differ only in case: the first one is the column.
fn of_case(facts: &Facts<'_>, read: Read<'_>) -> Option<String> {
    let name = &read.column.name;
    let fields = facts.sources[read.table.source].shape.fields.names();
    let other = fields.iter().find(|other| *other != name && other.eq_ignore_ascii_case(name))?;
    Some(format!(
        "{} is the field of exactly this case; the other one is record->>'$.{other}'",
        spelled(name)
    ))
}

/// Texts that are the same but for the normal form of Unicode, where they are compared or counted.
fn of_normal_form(facts: &Facts<'_>, read: Read<'_>) -> Option<String> {
    let statement = facts.statement();
    let is_compared = statement.has_any(&["where", "group", "distinct", "join"]);

    if read.profile.texts == 0 || !is_compared || statement.calls_of(&["nfc"]).next().is_some() {
        return None;
    }
    let of = Subject::of(read);
    let same = of.query("it", "");
    // A text of ASCII has one form.
    let twice = format!(
        "WHERE length(it) < octet_length(it) AND it <> nfc(it) AND nfc(it) IN ({same}) \
         LIMIT 1"
    );
    let one = of.row("it", &twice)?;
    let (name, one) = (spelled(&read.column.name), literal(one.first()?));
    Some(format!(
        "{name} has texts such as {one} in two normal forms of Unicode, which are not equal: \
         nfc({name}) is the same for both"
    ))
}

/// Texts where a condition is expected: no text is true.
fn lone(facts: &Facts<'_>) -> Vec<String> {
    let of = |places| {
        let of = Subject::at(facts, places)?;
        let [texts, all] = of.counts("sum(typeof(it) = 'text'), count(it)")?;

        let name = &of.name;
        if texts == 0 {
            return None;
        }
        if texts < all {
            return Some(format!(
                "{texts} values of {name} are text, which is true only where it begins with a \
                 number: compare it"
            ));
        }
        let any = Literal { sql: String::new(), value: String::new(), kind: LiteralKind::Text };
        let values = of.values(&any)?;
        Some(format!("{name} is text, which is not a condition: compare it; {values}"))
    };
    lone_conditions(facts.statement()).into_iter().filter_map(of).collect()
}

/// Why nothing was found: how many records meet each comparison.
fn of_nothing(facts: &Facts<'_>, comparisons: &[Comparison]) -> Option<String> {
    let mut met = Vec::new();
    let select = |of: &Comparison| facts.statement().select_around(of.place);
    let first = comparisons.first().map(select);
    for comparison in comparisons.iter().filter(|one| Some(select(one)) == first) {
        let column = comparison.column.as_ref().and_then(|column| facts.column(column));
        let Some(subject) = subject(facts, comparison, column) else { continue };
        // The subject in the place of the column, and the rest as it is.
        let sql = &facts.statement().sql;
        let (range, of) = (comparison.range.clone(), comparison.subject.clone());
        let mut condition = sql[range.clone()].to_owned();
        condition.replace_range(of.start - range.start..of.end - range.start, "it");
        let count = subject.query("count(*)", &format!("WHERE {condition}"));
        let Some([count]) = facts.db.counts(&count) else { continue };

        met.push(format!("{}: {count}", shown(facts, comparison)));
    }
    let together = "no record meets them together";
    (met.len() > 1)
        .then(|| format!("records that meet each condition: {}; {together}", met.join(", ")))
}
