//! Notes on texts in an order: days next to times, other notations, zones, words.

use rusqlite::types::Value;

use crate::letter_order::TextKind;
use crate::notes::facts::{Facts, Read, literal as value_literal};
use crate::notes::values::Subject;
use crate::records::profile::is_date;
use crate::sql::comparison::{Comparison, Literal, LiteralKind};
use crate::sql::quoting;

/// A constant that is null, or bounds of which the lower one is after the upper one.
pub(crate) fn never_true(
    facts: &Facts<'_>,
    comparison: &Comparison,
    order: Option<TextKind>,
) -> Option<String> {
    let is_null = |literal: &&Literal| {
        literal.kind == LiteralKind::Constant
            && facts.db.row(&format!("SELECT {}", literal.sql)) == Some(vec![Value::Null])
    };
    if comparison.is_order()
        && let Some(literal) = comparison.literals.iter().find(is_null)
    {
        return Some(format!("{} is null", literal.sql));
    }
    let [low, high] = comparison.literals.as_slice() else { return None };
    let collation = order.and_then(TextKind::collation).unwrap_or_else(|| "BINARY".to_owned());
    let behind = format!("SELECT {} > {} COLLATE {collation}", low.sql, high.sql);
    let is_behind = comparison.operator == "BETWEEN" && facts.db.counts(&behind)? == [1];
    is_behind.then(|| {
        if low.is_text() && low.value.len() != high.value.len() {
            // Such as `2025-3`, which the other order would not mend.
            return format!(
                "as text, letter by letter, {} comes after {}: spell both as the values are",
                low.sql, high.sql
            );
        }
        format!("BETWEEN takes the lower bound first: BETWEEN {} AND {}", high.sql, low.sql)
    })
}

/// A bare date next to times is midnight.
pub(crate) fn of_time(read: Read<'_>, comparison: &Comparison) -> Option<String> {
    let (subject, profile) = (Subject::of(read), read.profile);
    let name = &subject.name;
    let is_bare = |literal: &&Literal| literal.is_text() && is_date(literal.value.as_bytes());
    let literal = match comparison.operator.as_str() {
        // Here midnight is meant.
        ">=" | "<" => None,
        "BETWEEN" => comparison.literals.get(1).filter(is_bare),
        _ => comparison.literals.iter().find(is_bare),
    };
    // Of days and times, those of this day count.
    let time = |literal: &Literal| match profile.is_time() {
        true => Some(quoting::text(&profile.example)),
        false => {
            let same_day = format!("date(it) = {0} AND it <> {0}", literal.sql);
            let one = subject.row("it", &format!("WHERE {same_day} LIMIT 1"))?;
            Some(value_literal(one.first()?))
        }
    };
    if let Some(literal) = literal
        && let Some(time) = time(literal)
    {
        let (date, operator) = (&literal.sql, &comparison.operator);
        let how = match operator.as_str() {
            "BETWEEN" => format!("date({name}) BETWEEN … AND {date}"),
            "IN" => format!("date({name}) IN (…)"),
            operator => format!("date({name}) {operator} {date}"),
        };
        return Some(format!(
            "{name} has times such as {time}, and {date} is the start of its day; for the whole \
             day: {how}"
        ));
    }
    let starts = |literal: &&Literal| {
        let year = literal.value.get(..4).and_then(|year| year.parse::<u32>().ok());
        literal.is_text() && year.is_none()
    };
    profile.is_time().then_some(())?;
    let pattern = matches!(comparison.operator.as_str(), "LIKE" | "GLOB" | "REGEXP");
    let literal = comparison.literals.iter().find(starts).filter(|_| !pattern)?;
    Some(format!(
        "{name} has times such as {}; {} is not one: write '2025-05-01' for a day, \
         strftime('%Y-%m', {name}) = '2025-05' for a month",
        quoting::text(&profile.example),
        quoting::text(&literal.value)
    ))
}

/// A bare date next to `datetime(…)` is midnight.
pub(crate) fn of_day(subject: &Subject<'_>, comparison: &Comparison) -> Option<String> {
    let inner = subject.name.get(..9).filter(|start| start.eq_ignore_ascii_case("datetime("));
    let literal = match comparison.operator.as_str() {
        "<=" | ">" | "=" | "==" => comparison.literals.first()?,
        "BETWEEN" => comparison.literals.get(1)?,
        _ => return None,
    };
    let is_day = literal.is_text() && is_date(literal.value.as_bytes());
    inner.filter(|_| is_day)?;
    let (date, rest) = (&literal.sql, &subject.name[9..]);
    Some(format!("{date} is the start of its day; for the whole day compare date({rest}"))
}

/// A word of a few, in an order that is the alphabet's.
pub(crate) fn of_alphabet(subject: &Subject<'_>, comparison: &Comparison) -> Option<String> {
    let literal = comparison.literals.first().filter(|_| comparison.is_order())?;
    if !literal.is_text() || literal.value.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let words = subject.few()?;
    let is_one = words.contains(&literal.sql);
    is_one.then(|| {
        let (name, words) = (&subject.name, words.join(" < "));
        format!("{name} is compared letter by letter: {words}; name the values in {name} IN (…)")
    })
}

/// Text in an order next to a literal of another form, such as a date in another notation.
pub(crate) fn of_shape(subject: &Subject<'_>, comparison: &Comparison) -> Option<String> {
    let literal = comparison.literals.first().filter(|_| comparison.is_order())?;
    let value = match literal.kind {
        LiteralKind::Text => literal.value.clone(),
        // Such as a date function.
        LiteralKind::Constant => match subject.db.row(&format!("SELECT {}", literal.sql))?.pop()? {
            Value::Text(text) => text,
            _ => return None,
        },
        _ => return None,
    };
    if !value.starts_with(|c: char| c.is_ascii_digit()) || value.parse::<f64>().is_ok() {
        return None;
    }
    let pattern: String = value
        .chars()
        .map(|c| match c {
            '0'..='9' => "[0-9]".to_owned(),
            '*' | '?' | '[' => format!("[{c}]"),
            '\'' => "''".to_owned(),
            other => other.to_string(),
        })
        .collect();
    let length = value.chars().count();
    let like = format!(
        "it GLOB '{pattern}*' OR (length(it) < {length} AND '{}' GLOB \
         replace(replace(it, '*', '?'), '[', '?') || '*')",
        value.replace('\'', "''")
    );
    // A shorter text of the same form, such as a day next to a time.
    let short = format!(
        "length(it) < {length} AND length(it) > 9 AND substr(it, 5, 1) = substr({0}, 5, 1) \
         AND substr(it, 8, 1) = substr({0}, 8, 1) AND substr(it, 11, 1) IN \
         ('', substr({0}, 11, 1))",
        literal.sql
    );
    let none = |condition: &str| subject.has(condition) == Some(false);
    (none(&like) && none(&short)).then_some(())?;
    Some(format!(
        "{} has values such as {}, and {} has another form: text is compared letter by letter",
        subject.name,
        subject.example()?,
        literal.sql
    ))
}

/// A month or a year as the end of a span: its days are after it.
pub(crate) fn of_month(subject: &Subject<'_>, comparison: &Comparison) -> Option<String> {
    let literal = match comparison.operator.as_str() {
        "<=" | ">" => comparison.literals.first()?,
        "BETWEEN" => comparison.literals.get(1)?,
        _ => return None,
    };
    let value = &literal.value;
    let is_part = matches!(value.len(), 4 | 7)
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let inside = format!("it LIKE '{value}-%'");
    let found = literal.is_text() && is_part && subject.has(&inside) == Some(true);

    let (name, length) = (&subject.name, value.len());
    found.then(|| {
        format!(
            "{} is before its own days, as text; substr({name}, 1, {length}) {} compares the whole",
            literal.sql, comparison.operator
        )
    })
}
