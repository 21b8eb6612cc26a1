//! Facts that may make the rows of a statement mislead: a value that no record has, a text that
//! is compared with a number, a date that is the start of its day.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, params_from_iter};

use crate::prepare::Prepared;
use crate::records::column::Column;
use crate::records::profile::{Profile, Type, is_date};
use crate::records::source::Scanned;
use crate::records::table::Table;
use crate::sql::bare::bare_column;
use crate::sql::comparison::{Comparison, Literal, comparisons};
use crate::sql::quoting::{self, spelled};
use crate::sql::statement::Chain;
use crate::sql::token::Kind;
use crate::suggest::nearest::nearest;

/// The most notes.
const MAX_NOTES: usize = 5;

/// The most values that are listed, and that are compared with a literal.
const MAX_LISTED: usize = 6;
const MAX_COMPARED: usize = 5_000;

/// A run that gave its rows.
pub(crate) struct Facts<'r> {
    pub(crate) db: &'r Connection,
    pub(crate) sources: &'r [Scanned<'r>],
    pub(crate) prepared: &'r Prepared,
}

/// A column that the statement reads.
#[derive(Clone, Copy)]
struct Read<'r> {
    table: &'r Table,
    column: &'r Column,
    profile: &'r Profile,
}

/// Returns at most five notes; `nothing` says that the statement found nothing.
pub(crate) fn notes(facts: &Facts<'_>, nothing: bool) -> Vec<String> {
    let comparisons = comparisons(&facts.prepared.statement);
    let mut notes: Vec<String> =
        comparisons.iter().filter_map(|comparison| of_comparison(facts, comparison)).collect();
    notes.extend(bare_column(&facts.prepared.statement).map(|column| {
        format!("{column} is from any record: GROUP BY {column} gives a row for each value")
    }));
    if nothing && notes.is_empty() {
        notes.extend(of_nothing(facts, &comparisons));
    }
    notes.extend(facts.reads().filter_map(|read| of_column(facts, read)));
    notes.extend(facts.reads().filter_map(|read| of_case(facts, read)));
    notes.extend(of_division(facts));
    notes.dedup();
    notes.truncate(MAX_NOTES);
    notes
}

impl<'r> Facts<'r> {
    fn reads(&self) -> impl Iterator<Item = Read<'r>> {
        let (sources, prepared) = (self.sources, self.prepared);
        prepared.reads.iter().filter_map(move |(table, column)| {
            let table = prepared.tables.iter().find(|known| known.name == *table)?;
            let column = table.column(column)?;
            let profile = column.profile(&sources[table.source])?;
            Some(Read { table, column, profile })
        })
    }

    /// Returns the column of a comparison, if only one table has it.
    fn column(&self, comparison: &Comparison) -> Option<Read<'r>> {
        let name = &comparison.column.parts.last()?.name;
        let mut reads = self.reads().filter(|read| read.column.name.eq_ignore_ascii_case(name));
        let first = reads.next()?;
        reads.next().is_none().then_some(first)
    }
}

impl Read<'_> {
    /// Returns `SELECT … FROM` the table; `{}` in `select` is the column.
    fn query(&self, select: &str, rest: &str) -> String {
        let column = quoting::name(&self.column.name);
        let table = quoting::name(&self.table.name);
        format!("SELECT {select} FROM {table} {rest}").replace("{}", &column)
    }
}

fn of_column(facts: &Facts<'_>, read: Read<'_>) -> Option<String> {
    let (name, profile) = (spelled(&read.column.name), read.profile);
    if profile.large > 0 {
        return Some(format!(
            "{name} has numbers beyond 64 bits, which are text here: compare them in quotes"
        ));
    }
    let mixed = profile.kind() == Type::Mixed && profile.texts > 0 && profile.containers == 0;
    let statement = &facts.prepared.statement;
    let orders = ["order", "min", "max"]
        .iter()
        .any(|word| statement.tokens.iter().any(|token| token.is(&statement.sql, word)));
    let is_last = |chain: &Chain| {
        chain.parts.last().is_some_and(|part| part.name.eq_ignore_ascii_case(&read.column.name))
    };
    let named = statement.chains().iter().any(is_last);
    (mixed && orders && named)
        .then(|| format!("{name} has {}: text sorts after every number", profile.words()))
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

fn of_division(facts: &Facts<'_>) -> Option<String> {
    let statement = &facts.prepared.statement;
    let divides = statement.tokens.iter().any(|token| token.is(&statement.sql, "/"));
    let has = |wanted: &dyn Fn(&str) -> bool| {
        statement.tokens.iter().any(|token| wanted(&token.text(&statement.sql).to_lowercase()))
    };
    let real = statement
        .tokens
        .iter()
        .any(|token| token.kind == Kind::Number && token.text(&statement.sql).contains('.'));
    let fractions = has(&|word| matches!(word, "real" | "avg" | "total" | "julianday"));
    let columns = facts.reads().any(|read| read.profile.kind() == Type::Real);
    (divides && !real && !fractions && !columns)
        .then(|| "`/` between whole numbers drops the fraction; 1.0 * a / b keeps it".to_owned())
}

fn of_comparison(facts: &Facts<'_>, comparison: &Comparison) -> Option<String> {
    let read = facts.column(comparison)?;
    let name = spelled(&read.column.name);
    let profile = read.profile;
    if profile.values() == 0 {
        return Some(format!("{name} is null in every record"));
    }
    if profile.containers > 0 && profile.containers == profile.values() {
        return Some(of_container(&name, profile, comparison));
    }
    if profile.is_time()
        && let Some(note) = of_time(&name, profile, comparison)
    {
        return Some(note);
    }
    if comparison.is_order() && profile.texts > 0 {
        let number = |literal: &Literal| literal.value.parse::<f64>().is_ok();
        let numbers = comparison.literals.iter().any(number);
        if numbers && !matches!(profile.kind(), Type::Integer | Type::Real) {
            return Some(format!(
                "{name} has {}, and text is compared letter by letter ('9' > '13'): \
                 CAST({name} AS REAL) compares numbers",
                profile.words()
            ));
        }
    }
    let booleans = profile.booleans == profile.values();
    if booleans && comparison.literals.iter().any(|literal| literal.is_text) {
        return Some(format!("{name} is a boolean: compare with TRUE or FALSE, which are 1 and 0"));
    }
    comparison.is_equality().then(|| of_absent(facts, read, comparison)).flatten()
}

fn of_container(name: &str, profile: &Profile, comparison: &Comparison) -> String {
    let (what, how) = if profile.arrays > 0 {
        ("an array", "EXISTS (SELECT 1 FROM json_each({}) AS e WHERE e.value = …)")
    } else {
        ("an object", "{}->>'key' = …")
    };
    let literal = comparison.literals.first().map_or("…", |literal| literal.sql.as_str());
    let literal = if literal.len() > 60 { "…" } else { literal };
    let how = how.replace("{}", name).replace('…', literal);
    format!("{name} is {what} as JSON text; its values are met by {how}")
}

/// A bare date next to times is midnight.
fn of_time(name: &str, profile: &Profile, comparison: &Comparison) -> Option<String> {
    let is_bare = |literal: &&Literal| literal.is_text && is_date(literal.value.as_bytes());
    let literal = match comparison.operator.as_str() {
        // Here midnight is meant.
        ">=" | "<" => None,
        "BETWEEN" => comparison.literals.get(1).filter(is_bare),
        _ => comparison.literals.iter().find(is_bare),
    };
    if let Some(literal) = literal {
        let (date, operator) = (&literal.sql, &comparison.operator);
        let how = match operator.as_str() {
            "BETWEEN" => format!("date({name}) BETWEEN … AND {date}"),
            "IN" => format!("date({name}) IN (…)"),
            operator => format!("date({name}) {operator} {date}"),
        };
        return Some(format!(
            "{name} has times such as {}, and {date} is the start of its day; for the whole day: \
             {how}",
            quoting::text(&profile.example)
        ));
    }
    let starts = |literal: &&Literal| {
        let year = literal.value.get(..4).and_then(|year| year.parse::<u32>().ok());
        literal.is_text && year.is_none()
    };
    let pattern = matches!(comparison.operator.as_str(), "LIKE" | "GLOB" | "REGEXP");
    let literal = comparison.literals.iter().find(starts).filter(|_| !pattern)?;
    Some(format!(
        "{name} has times such as {}; {} is not one: write '2025-05-01' for a day, \
         strftime('%Y-%m', {name}) = '2025-05' for a month",
        quoting::text(&profile.example),
        quoting::text(&literal.value)
    ))
}

/// A literal that no record has.
fn of_absent(facts: &Facts<'_>, read: Read<'_>, comparison: &Comparison) -> Option<String> {
    let absent = comparison.literals.iter().find(|literal| {
        let found = read.query("1", &format!("WHERE {{}} = {} LIMIT 1", literal.sql));
        facts.db.prepare(&found).and_then(|mut found| found.exists([])).is_ok_and(|found| !found)
    })?;
    let name = spelled(&read.column.name);
    let shown: String = absent.sql.chars().take(60).collect();
    Some(format!("no record has {name} = {shown}; {}", values(facts, read, absent)?))
}

/// Returns the values of a column as a clause: all of a few, or the nearest ones.
fn values(facts: &Facts<'_>, read: Read<'_>, wanted: &Literal) -> Option<String> {
    let name = spelled(&read.column.name);
    if matches!(read.profile.kind(), Type::Integer | Type::Real) && read.profile.booleans == 0 {
        return range(facts, read);
    }
    let listed = read.query(
        "{}, count(*)",
        &format!("WHERE {{}} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MAX_COMPARED}"),
    );
    let mut statement = facts.db.prepare(&listed).ok()?;
    let row = |row: &rusqlite::Row<'_>| Ok((plain(row.get_ref(0)?), row.get::<_, i64>(1)?));
    let all: Vec<(String, i64)> =
        statement.query_map([], row).ok()?.collect::<Result<_, _>>().ok()?;
    let show = |(value, count): &(String, i64)| format!("{} ({count})", quoting::text(value));
    if all.len() <= MAX_LISTED {
        let all: Vec<String> = all.iter().map(show).collect();
        return Some(format!("{name} has {}", all.join(", ")));
    }
    let near = nearest(&wanted.value, all.iter().map(|(value, _)| value.as_str()), 3);
    let entry = |near: &&str| all.iter().find(|(value, _)| value == near).map(show);
    let near: Vec<String> = near.iter().filter_map(entry).collect();
    if near.is_empty() {
        let most: Vec<String> = all.iter().take(3).map(show).collect();
        return Some(format!("most frequent in {name}: {}", most.join(", ")));
    }
    Some(format!("nearest in {name}: {}", near.join(", ")))
}

/// Returns the smallest and the largest value of a column as a clause.
fn range(facts: &Facts<'_>, read: Read<'_>) -> Option<String> {
    let ends = read.query("min({}), max({})", "");
    let row = |row: &rusqlite::Row<'_>| Ok((plain(row.get_ref(0)?), plain(row.get_ref(1)?)));
    let (low, high) =
        facts.db.query_row(&ends, params_from_iter(std::iter::empty::<i64>()), row).ok()?;
    let (low, high) = if read.profile.kind() == Type::Text {
        (quoting::text(&low), quoting::text(&high))
    } else {
        (low, high)
    };
    Some(format!("{} goes from {low} to {high}", spelled(&read.column.name)))
}

fn plain(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
    }
}

/// Why nothing was found: a comparison that no record meets, or how many records meet each.
fn of_nothing(facts: &Facts<'_>, comparisons: &[Comparison]) -> Option<String> {
    if facts.sources.first().is_some_and(|source| source.shape.records == 0) {
        return Some("the file has no records".to_owned());
    }
    let sql = &facts.prepared.statement.sql;
    let mut met = Vec::new();
    for comparison in comparisons {
        let Some(read) = facts.column(comparison) else { continue };
        // The column without its alias, and the rest as it is.
        let column = comparison.column.range();
        let mut condition = sql[comparison.range.clone()].to_owned();
        let start = column.start - comparison.range.start;
        condition.replace_range(start..start + column.len(), &quoting::name(&read.column.name));
        let count = read.query("count(*)", &format!("WHERE {condition}"));
        let Ok(count) = facts.db.query_row(&count, [], |row| row.get::<_, i64>(0)) else {
            continue;
        };
        let shown: String = sql[comparison.range.clone()].chars().take(80).collect();
        if count == 0 {
            let about = comparison.literals.first().and_then(|literal| {
                if comparison.is_order() {
                    range(facts, read)
                } else {
                    values(facts, read, literal)
                }
            });
            return Some(format!("no record has {shown}; {}", about?));
        }
        met.push(format!("{shown}: {count}"));
    }
    let together = "no record meets them together";
    (met.len() > 1)
        .then(|| format!("records that meet each condition: {}; {together}", met.join(", ")))
}
