//! Comparisons of times by their spelling: blanks and other notations among the values, numbers
//! next to texts, several zones or units. Such a comparison is told if it holds in other rows than
//! the comparison of the times themselves.

use std::ops::Range;

use crate::letter_order::TextKind;
use crate::moments::{FORM, MOMENT};
use crate::notes::facts::{Facts, Read, literal, plain};
use crate::notes::values::Subject;
use crate::sql::statement::Statement;

/// The most rows that are compared, and those that tell whether values are times.
const MAX_ROWS: usize = 100_000;
const SAMPLE: usize = 1_000;

/// The years 1990 to 2100 in seconds: numbers on both sides are times of these rather than sums.
const RECENT: &str = "BETWEEN 631152000 AND 4102444800";

/// A comparison of two expressions over one row.
struct Order<'s> {
    statement: &'s Statement,
    /// The place of its operator.
    operator: usize,
    /// True for `NOT BETWEEN`.
    negated: bool,
    /// The expression on the left, then one, or the two of BETWEEN.
    sides: Vec<&'s str>,
    bytes: Range<usize>,
}

/// Returns the notes, each with the place of the operator.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<(usize, String)> {
    let statement = facts.statement();
    let orders = (1..statement.tokens.len()).filter_map(|at| Order::at(statement, at));
    orders.filter_map(|order| Some((order.operator, of_order(facts, &order)??))).collect()
}

/// Returns true for a comparison of times, in bytes of the statement, that holds in the same rows
/// as that of their texts.
pub(crate) fn holds_alike(facts: &Facts<'_>, comparison: &Range<usize>) -> bool {
    let statement = facts.statement();
    let is_in = |at: &usize| comparison.contains(&statement.tokens[*at].range.start);
    let mut orders = (1..statement.tokens.len()).filter(is_in);
    orders
        .find_map(|at| Order::at(statement, at))
        .is_some_and(|order| of_order(facts, &order) == Some(None))
}

impl<'s> Order<'s> {
    fn at(statement: &'s Statement, operator: usize) -> Option<Self> {
        let is_between = statement.is(operator, "between");
        if !is_between && !statement.is_any(operator, &["<", "<=", ">", ">="]) {
            return None;
        }
        let negated = statement.is(operator - 1, "not");
        let mut sides = vec![statement.expression_before(operator - usize::from(negated))?];

        sides.push(statement.expression_at(operator + 1)?);
        if is_between {
            let and = sides[1].end;
            statement.is(and, "and").then_some(())?;
            sides.push(statement.expression_at(and + 1)?);
        }
        let places = sides[0].start..sides[sides.len() - 1].end;
        let is_scalar = sides.iter().all(|side| statement.is_scalar(side.clone()));
        let text = |side: Range<usize>| statement.text(side);
        (statement.has_columns(places.clone()) && is_scalar).then(|| Self {
            statement,
            operator,
            negated,
            sides: sides.into_iter().map(text).collect(),
            bytes: statement.bytes(places),
        })
    }

    /// Returns the comparison with each side as `side` writes it.
    fn with(&self, side: &dyn Fn(usize) -> String) -> String {
        let not = if self.negated { "NOT " } else { "" };
        let operator = self.statement.word(self.operator);
        let sides: Vec<String> = (1..self.sides.len()).map(side).collect();
        format!("{} {not}{operator} {}", side(0), sides.join(" AND "))
    }

    /// Returns what `of` gives for each side, separated by `between`.
    fn each(&self, of: &dyn Fn(usize) -> String, between: &str) -> String {
        (0..self.sides.len()).map(of).collect::<Vec<_>>().join(between)
    }

    /// Returns true if the whole of a month or a year is meant, not its start.
    fn is_span(&self) -> bool {
        let is_long = |side: &&str| {
            let text = side.trim_matches('\'');
            text.len() < 8 && date_text::span(text).is_some()
        };
        let starts = [">=", "<"].iter().any(|start| self.statement.is(self.operator, start));
        !starts && self.sides[1..].iter().any(is_long)
    }

    /// Returns a side as the texts of SQLite's own form, which are in order.
    fn datetime(&self, at: usize) -> String {
        let side = self.sides[at];
        let is_call = side.to_lowercase().starts_with("datetime(");
        if is_call { side.to_owned() } else { format!("datetime({side})") }
    }
}

/// Returns the note on a comparison of times, or Some(None) if it is as it should be; None if it is
/// no comparison of times in several spellings.
#[expect(clippy::option_option, reason = "the inner one is the note, the outer one the judgement")]
fn of_order(facts: &Facts<'_>, order: &Order<'_>) -> Option<Option<String>> {
    let (with, from) = (order.statement.with(), facts.from(order.operator)?);
    if order.is_span() {
        return None;
    }
    if let Some((read, values)) = constants(facts, order) {
        let of_dates = read.profile.is_date().then_some(TextKind::Times);
        let reads_all = |kind: TextKind| values.iter().all(|value| kind.reads(value));
        // The column is in their order, unless that of letters is the same.
        if read.column.order.or(of_dates).is_some_and(reads_all) {
            return Some(None);
        }
    }
    let of_dates = has_dates(facts, order, &from)?;
    let select = |at| format!("{0} AS v{at}, {MOMENT}({0}) AS m{at}", order.sides[at]);
    let select = order.each(&select, ", ");
    let spelled = order.with(&|at| order.sides[at].to_owned());
    let rows = format!("(SELECT {spelled} AS t, {select} {from} LIMIT {MAX_ROWS})");
    let timed = order.with(&|at| format!("m{at}"));
    let values = order.each(&|at| format!("trim(v{at}) <> ''"), " AND ");
    let is_time = if of_dates { "IS NOT NULL" } else { RECENT };
    let times = order.each(&|at| format!("m{at} {is_time}"), " AND ");
    let [rows_count, by_text, by_time, other, values, times] = facts.db.counts(&format!(
        "{with}SELECT count(*), sum(t), sum({timed}), sum(coalesce(t, 0) <> coalesce({timed}, 0)), \
         sum({values}), sum({times}) FROM {rows}"
    ))?;
    if times == 0 || times * 2 < values {
        return None;
    }
    // Next to other values, a blank or a word is as it should be if the rows are.
    let which = if other == 0 { "GLOB '*[0-9]*'" } else { "IS NOT NULL" };
    let unread = (0..order.sides.len()).find_map(|at| {
        let of = format!("FROM {rows} WHERE v{at} {which} AND m{at} IS NULL");
        let unread = facts.db.row(&format!("{with}SELECT count(*), v{at} {of}"))?;
        let [count, one] = unread.as_slice() else { return None };
        let (count, name) = (plain(count), order.sides[at]);
        (count != "0")
            .then(|| format!("{count} values of {name} are not dates, such as {}", literal(one)))
    });
    if other == 0 {
        return Some(unread.map(|unread| format!("{unread}, and are compared as text")));
    }
    let shown: String = order.statement.sql[order.bytes.clone()].chars().take(80).collect();
    Some(Some(format!(
        "{shown} compares how times are spelled: it holds in {by_text} of {rows_count} rows, and \
         between the times in {by_time}: compare {}{}",
        order.with(&|at| order.datetime(at)),
        unread.map_or_else(String::new, |unread| format!("; {unread}"))
    )))
}

/// Returns true if a side has dates, and false if the sides have numbers of several units. Returns
/// `None` if it is neither.
fn has_dates(facts: &Facts<'_>, order: &Order<'_>, from: &str) -> Option<bool> {
    let forms = order.each(&|at| format!("coalesce({FORM}({}), '')", order.sides[at]), ", ");
    let forms = facts.db.rows(&format!(
        "{}SELECT DISTINCT * FROM (SELECT {forms} {from} LIMIT {SAMPLE}) LIMIT 50",
        order.statement.with()
    ))?;
    let is_date = |row: &Vec<_>| row.iter().map(plain).any(|form| form == "dates");
    let has_units = |row: &Vec<_>| {
        let units: Vec<String> = row.iter().map(plain).collect();
        units.iter().all(|unit| unit.ends_with("1970"))
            && units.iter().any(|unit| *unit != units[0])
    };
    let of_dates = forms.iter().any(is_date);
    (of_dates || forms.iter().any(has_units)).then_some(of_dates)
}

/// Returns the note on ordered times among which other values stand as text.
pub(crate) fn of_no_times(of: &Subject<'_>) -> Option<String> {
    let counts = format!(
        "count(it), sum({MOMENT}(it) IS NOT NULL), sum({FORM}(it) = 'dates'), \
         sum(trim(it) <> '')"
    );
    let [all, times, dates, values] = of.counts(&counts)?;
    if dates == 0 || times == all || times * 2 < values {
        return None;
    }
    let one = format!("WHERE {MOMENT}(it) IS NULL AND it IS NOT NULL LIMIT 1");
    let one = literal(of.row("it", &one)?.first()?);
    let (name, other) = (&of.name, all - times);
    Some(format!(
        "{other} of {all} values of {name} are not dates, such as {one}, and sort among the dates \
         as text: WHERE datetime({name}) IS NOT NULL leaves them out"
    ))
}

/// Returns the column on the left, with the values of the constants that it is compared with.
fn constants<'f>(facts: &Facts<'f>, order: &Order<'_>) -> Option<(Read<'f>, Vec<String>)> {
    let statement = order.statement;
    let start = order.bytes.start..order.bytes.start + order.sides[0].len();
    let read = facts.column(&facts.chain(&start)?)?;
    let value = |side: &&str| {
        let is_constant = Statement::new((*side).to_owned()).chains().is_empty();
        let row = || facts.db.row(&format!("{}SELECT {side}", statement.with()));
        is_constant.then(row)??.first().map(plain)
    };
    Some((read, order.sides[1..].iter().map(value).collect::<Option<_>>()?))
}
