//! Rows that mislead as a whole: columns from any record, joined rows that repeat a record,
//! fractions that are dropped, nulls at the start of an order.

use std::ops::Range;

use crate::notes::facts::{Facts, Read, literal, plain};
use crate::notes::numbers::ordered_values;
use crate::notes::partners::have_other_forms;
use crate::notes::values::Subject;
use crate::sql::bare::bare_columns;
use crate::sql::quoting::{self, spelled};
use crate::sql::statement::Statement;

/// The condition on the values of a column.
const NOT_NULL: &str = "WHERE it IS NOT NULL";

pub(crate) fn notes(facts: &Facts<'_>, nothing: bool) -> Vec<String> {
    let of = [
        of_bare(facts),
        of_counted(facts),
        of_mean(facts),
        of_repeated(facts),
        nothing.then(|| of_null_list(facts)).flatten(),
        of_join(facts, nothing),
        of_list(facts, nothing),
        of_first_nulls(facts),
        of_division(facts),
        of_limit(facts),
    ];
    of.into_iter().flatten().collect()
}

/// A column that is neither a key of its group nor in an aggregate, and differs within the group.
fn of_bare(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    let select = statement.main_select()?;
    let group = statement.clause_text(&select, "group");
    let end = ["where", "from"].into_iter().find_map(|word| statement.clause_places(&select, word));
    let rows = statement.text(select.start..end?.end);
    bare_columns(statement, &select).into_iter().find_map(|chain| {
        let name = &statement.sql[chain.range()];
        facts.column(&chain)?;
        let several = format!(
            "{}{rows} {} HAVING count(DISTINCT {name}) > 1 LIMIT 1",
            statement.with(),
            group.unwrap_or_default()
        );
        (facts.db.is_empty(&several) == Some(false)).then(|| match group {
            Some(_) => format!(
                "{name} differs within a group and is from any of its records: add it to GROUP \
                 BY, or take max({name}) or group_concat(DISTINCT {name})"
            ),
            None => {
                format!("{name} is from any record: GROUP BY {name} gives a row for each value")
            }
        })
    })
}

/// `count` of a condition counts the rows in which it is false, too.
fn of_counted(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.calls_of(&["count"]).find_map(|at| {
        let argument = statement.argument(at)?;
        if statement.is_any(argument.start, &["*", "distinct"]) {
            return None;
        }
        let condition = statement.text(argument.clone());
        let is_truth = format!("({condition}) IN (0, 1) AND typeof({condition}) = 'integer'");
        let [all, of_truth, met] = facts.db.counts(&format!(
            "{}SELECT count({condition}), sum({is_truth}), sum(({condition}) <> 0) {}",
            statement.with(),
            statement.rows_around(at)?
        ))?;
        let is_condition = match facts.chain(&statement.bytes(argument)) {
            Some(chain) => facts.column(&chain).is_some_and(|read| read.profile.booleans > 0),
            None => true,
        };

        (of_truth == all && met < all && is_condition).then(|| {
            format!(
                "count({condition}) is {all}, of the rows in which it is not null: \
                 sum({condition}) is {met}, of those in which it is true"
            )
        })
    })
}

/// `avg` of a condition, or of a CASE with one constant, leaves out the rows in which it is null.
fn of_mean(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.calls_of(&["avg"]).find_map(|at| {
        let argument = statement.argument(at)?;
        let is_case = statement.is_any(argument.start, &["case", "iif", "if"]);
        let of = Subject::at(facts, argument).filter(|of| of.column.is_none())?;
        let is_truth = match is_case {
            true => "it IN (0, 1, 100)",
            false => "it IN (0, 1) AND typeof(it) = 'integer'",
        };
        let counts = format!("count(*), count(it), sum({is_truth})");
        let [rows, values, truths] = of.counts(&counts)?;

        let name = &of.name;
        (values < rows && values == truths && values > 0).then(|| {
            format!(
                "avg({name}) leaves out {} of {rows} rows, in which it is null: \
                 avg(coalesce({name}, 0)) is of all",
                rows - values
            )
        })
    })
}

/// An aggregate of a column whose records a join repeats, or a count of joined rows of which the
/// condition is one on elements, or repeats the records of both tables.
fn of_repeated(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    let mut calls = statement.calls_of(&["sum", "avg", "total", "count"]);
    calls.find_map(|at| {
        let select = statement.select_around(at);
        let from = statement.clause_text(&select, "from")?;
        let argument = statement.argument(at)?;
        let joins = from.contains(',') || from.to_lowercase().contains("join");
        // A group may be the records that the join repeats.
        let is_grouped = statement.clause(&select, "group").is_some();
        if !joins || (is_grouped && !statement.is_any(at, &["sum", "total"])) {
            return None;
        }
        let tables = if statement.is(argument.start, "*") {
            counted_tables(statement, &select)?
        } else {
            let chain = facts.chain(&statement.bytes(argument))?;
            let read = facts.column(&chain)?;
            vec![match chain.parts.as_slice() {
                [alias, _] => alias.name.clone(),
                _ => table_in(facts, from, &read)?,
            }]
        };
        let all = statement.rows_around(at)?;
        let counts = tables.iter().map(|table| {
            let table = quoting::name(table);
            let counts = format!("count({table}.rowid), count(DISTINCT {table}.rowid)");
            facts.db.counts(&format!("{}SELECT {counts} {all}", statement.with()))
        });
        let counts: Vec<[i64; 2]> = counts.collect::<Option<_>>()?;
        let [rows, records] = counts.iter().copied().max_by_key(|[_, records]| *records)?;
        let call = statement.call_text(at);

        (records < rows).then(|| {
            format!(
                "the join gives {rows} rows of {records} records, so {call} takes some of them \
                 repeatedly: use EXISTS (SELECT …) in WHERE"
            )
        })
    })
}

/// Returns the tables whose rows a `count(*)` takes for records: the one whose elements WHERE has
/// a condition on, or both of two that are joined.
fn counted_tables(statement: &Statement, select: &Range<usize>) -> Option<Vec<String>> {
    let items = statement.tables_of(select)?;
    let [first, other] = items.as_slice() else { return None };
    if other.places.len() == 1 {
        // Rows of one table joined with itself are pairs.
        let is_pair = statement.is_name(first.places.start, &statement.value(other.places.start));
        return (!is_pair).then(|| vec![first.name.clone(), other.name.clone()]);
    }
    let mut places = statement.clause_places(select, "where")?;
    let is_element = |at| [&*other.name, "value"].iter().any(|name| statement.is_name(at, name));
    places.any(is_element).then(|| vec![first.name.clone()])
}

/// Returns the name that a FROM clause gives the table of a column.
fn table_in(facts: &Facts<'_>, from: &str, read: &Read<'_>) -> Option<String> {
    let clause = Statement::new(from.to_owned());
    let names = clause.tokens.iter().filter(|token| token.is_name());
    let column = quoting::name(&read.column.name);
    names.map(|token| token.value(from)).find(|name| {
        let table = quoting::name(name);
        let with = facts.statement().with();
        facts.db.prepares(&format!("{with}SELECT {table}.rowid, {table}.{column} {from}"))
    })
}

/// NOT IN over a list that contains null is never true.
fn of_null_list(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.places_of(&["in"]).find_map(|at| {
        let is_list = statement.is(at - 1, "not") && statement.is(at + 1, "(");
        if !is_list || !statement.is(at + 2, "select") {
            return None;
        }

        let inner = statement.text(at + 2..statement.closing(at + 1));
        let found = format!("WITH list(value) AS ({inner}) SELECT 1 FROM list WHERE value IS NULL");
        (facts.db.is_empty(&found) == Some(false)).then(|| {
            "NOT IN is never true, because its list contains null: add WHERE … IS NOT NULL in it"
                .to_owned()
        })
    })
}

/// A column that has no value of a list. Where the statement found something, it may be meant,
/// unless the values have another form.
fn of_list(facts: &Facts<'_>, nothing: bool) -> Option<String> {
    let statement = facts.statement();
    statement.places_of(&["in"]).find_map(|at| {
        if !statement.is(at + 1, "(") || !statement.is(at + 2, "select") {
            return None;
        }
        let end = at - usize::from(statement.is(at - 1, "not"));
        let read = facts.column_at(statement.expression_before(end)?)?;
        let list = statement.text(at + 1..statement.closing(at + 1) + 1);

        let of = Subject::of(read);
        let (is_any, one) = (of.has(&format!("it IN {list}")), of.example()?);

        let listed = facts.db.row(&format!("WITH list(value) AS {list} SELECT value FROM list"));
        let listed = listed.map_or_else(
            || "is empty".to_owned(),
            |row| format!("has values such as {}", literal(&row[0])),
        );
        let values = format!("WITH list(value) AS {list} SELECT DISTINCT value FROM list");
        let is_other = || have_other_forms(facts, [&of.query("DISTINCT it", NOT_NULL), &values]);
        let name = spelled(&read.column.name);
        (is_any == Some(false) && (nothing || is_other()))
            .then(|| format!("no {name} is in the list: {name} such as {one}, the list {listed}"))
    })
}

/// Nulls come first in an ascending order of which the first rows are taken.
fn of_first_nulls(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.places_of(&["order"]).filter(|at| takes_first(statement, *at)).find_map(|at| {
        let item = statement.expression_at(at + 2)?;
        let end = item.end + 2 * usize::from(statement.is(item.end, "collate"));
        let is_ascending = end >= statement.tokens.len()
            || statement.is_any(end, &[",", ")", "asc", "limit", "rows", "range"]);
        if !is_ascending || statement.is(end + 1, "nulls") {
            return None;
        }
        let of = ordered_values(facts, item)?;
        let [nulls] = of.counts("count(*) - count(it)")?;

        let name = &of.name;
        (nulls > 0).then(|| {
            format!(
                "{nulls} records in which {name} is null come first: ORDER BY {name} NULLS LAST"
            )
        })
    })
}

/// Returns true if a LIMIT or a function takes the first rows of the order at a place.
fn takes_first(statement: &Statement, at: usize) -> bool {
    const FIRST: [&str; 4] = ["row_number", "rank", "dense_rank", "first_value"];
    let over = statement.enclosing(at).and_then(|open| open.checked_sub(1));
    if let Some(over) = over.filter(|over| statement.is(*over, "over")) {
        let open = over.checked_sub(1).and_then(|close| statement.enclosing(close));
        return open.is_some_and(|open| open > 0 && statement.is_any(open - 1, &FIRST));
    }
    let select = statement.select_around(at);
    let has = |word| statement.clause(&select, word).is_some();
    statement.clause(&select, "order") == Some(at) && has("limit") && !has("group")
}

/// `/` between whole numbers drops the fraction.
fn of_division(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    let inside = ["date", "datetime", "time", "strftime", "cast"];
    let is_inside = |at: usize| {
        let mut calls = statement.calls_of(&inside);
        calls.any(|call| (call..statement.closing(call + 1)).contains(&at))
    };
    let is_text = statement.has_any(&["||"]);
    statement.places_of(&["/"]).find_map(|at| {
        if is_text || is_inside(at) {
            return None;
        }
        let [before, behind] = statement.sides(at)?;

        let is = |words: &'static [&str]| move |at: &usize| statement.is_any(*at, words);
        let sum = statement.outside(before.clone()).filter(is(&["+", "-"])).last();
        let left = sum.map_or(before.start, |sum| sum + 1)..before.end;
        let next = statement.outside(behind.clone()).find(is(&["+", "-", "*", "/", "%"]));
        // `n / 10 * 10` makes steps.
        let token = |at: usize| statement.tokens.get(at).map(|_| statement.word(at));
        let is_step = |next| statement.is(next, "*") && token(next - 1) == token(next + 1);

        if next.is_some_and(is_step) {
            return None;
        }
        let right = behind.start..next.unwrap_or(behind.end);
        let left = statement.text(left);
        let right = statement.text(right);
        let (with, from) = (statement.with(), facts.from(at)?);
        let types = format!(
            "{with}SELECT * FROM (SELECT typeof({left}) AS l, typeof({right}) AS r {from}) WHERE \
             'null' NOT IN (l, r) LIMIT 1"
        );
        let whole = facts.db.row(&types)?.iter().all(|kind| plain(kind) == "integer");
        whole.then(|| {
            format!("`/` between whole numbers drops the fraction: 1.0 * {left} / {right} keeps it")
        })
    })
}

/// A LIMIT of the one row of an aggregate.
fn of_limit(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.places_of(&["limit"]).find_map(|at| {
        let select = statement.select_around(at);
        let of = |word| statement.clause_places(&select, word);
        let (list, from) = (of("select")?, of("from")?);
        let limit = statement.word(at + 1).parse::<u64>().ok()?;
        let calls = statement.calls_of(&["sum", "avg", "total", "median", "min", "max"]);
        let is_one_row = calls.into_iter().any(|at| {
            list.contains(&at)
                && statement.arguments(at + 1).len() == 1
                && !statement.is_any(statement.closing(at + 1) + 1, &["over", "filter"])
                && statement.select_around(at) == select
        });
        if limit < 2 || !is_one_row || of("group").is_some() {
            return None;
        }
        let call = statement.text(list.start + 1..list.end);
        let rows = statement.text(from.start..select.end);
        let kept = statement.text(from.start..of("where").unwrap_or(from).end);
        let [rows_count] =
            facts.db.counts(&format!("{}SELECT count(*) {kept}", statement.with()))?;
        (u64::try_from(rows_count).ok()? > limit).then(|| {
            format!(
                "LIMIT {limit} is of the one row of all {rows_count}: SELECT {call} FROM (SELECT * \
                 {rows}) is of {limit} records"
            )
        })
    })
}

/// Columns that are joined, but never equal. Where the statement found something, it may be
/// meant, unless the values have another form.
fn of_join(facts: &Facts<'_>, nothing: bool) -> Option<String> {
    let statement = facts.statement();
    statement.places_of(&["=", "=="]).find_map(|at| {
        let [left, right] = statement.sides(at)?;
        let of = |side: &Range<usize>| Some(Subject::of(facts.column_at(side.clone())?));
        let all = |side: &Range<usize>| Some(of(side)?.query("DISTINCT it", NOT_NULL));
        let one = |side: &Range<usize>| {
            Some(format!("{} such as {}", statement.text(side.clone()), of(side)?.example()?))
        };
        let others = [all(&left)?, all(&right)?];
        let equal = statement.text(left.start..right.end);
        let (left_one, right_one) = (one(&left)?, one(&right)?);

        let (with, from) = (statement.with(), facts.from(at)?);
        let none = facts.db.is_empty(&format!("{with}SELECT 1 {from} WHERE {equal} LIMIT 1"));
        let none = none.or_else(|| share_no_value(facts, &left, &right));
        let is_meant = || !nothing && !have_other_forms(facts, [&others[0], &others[1]]);
        (none == Some(true) && !is_meant())
            .then(|| format!("{equal} is never true: {left_one}, {right_one}"))
    })
}

/// Returns true if two columns have no value in common. One of them may be of a SELECT around.
fn share_no_value(facts: &Facts<'_>, left: &Range<usize>, right: &Range<usize>) -> Option<bool> {
    let of = |side: &Range<usize>| {
        let read = facts.column_at(side.clone())?;
        Some((quoting::name(&read.table.name), quoting::name(&read.column.name)))
    };
    let ((one, a), (other, b)) = (of(left)?, of(right)?);
    let pairs = format!("SELECT 1 FROM {one} AS a JOIN {other} AS b ON a.{a} = b.{b} LIMIT 1");
    facts.db.is_empty(&pairs)
}
