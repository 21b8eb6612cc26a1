//! Notes on comparisons with literals: values that no record has, and types that do not meet.

use rusqlite::types::Value;

use crate::notes::case::of_other_case;
use crate::notes::facts::{Facts, Read, literal, plain};
use crate::notes::json;
use crate::notes::letters::of_letters;
use crate::notes::moments;
use crate::notes::ordered::{never_true, of_alphabet, of_day, of_month, of_shape, of_time};
use crate::notes::values::Subject;
use crate::notes::written::{of_spellings, of_texts};
use crate::records::number::boolean;
use crate::records::profile::Type;
use crate::sql::comparison::{Comparison, Literal, LiteralKind};
use crate::sql::quoting::{self, spelled};

/// The most characters of a condition in a note.
const MAX_SHOWN: usize = 80;

/// Returns the note on a comparison, if its meaning may be another one than it looks.
pub(crate) fn of_comparison(facts: &Facts<'_>, comparison: &Comparison) -> Option<String> {
    let shown = shown(facts, comparison);
    if comparison.literals.iter().any(|literal| literal.kind == LiteralKind::Null) {
        let not = if comparison.excludes() { "IS NOT NULL" } else { "IS NULL" };
        let subject = &facts.statement().sql[comparison.subject.clone()];
        if comparison.operator == "IN" && !comparison.excludes() && comparison.literals.len() > 1 {
            return Some(format!("{shown} finds no null: ({shown} OR {subject} IS NULL) does"));
        }
        return Some(format!("{shown} is never true: {subject} {not} compares with null"));
    }
    let column = comparison.column.as_ref().and_then(|column| facts.column(column));
    let order = column.and_then(|read| read.column.order);
    if let Some(note) = never_true(facts, comparison, order) {
        return Some(format!("{shown} is never true: {note}"));
    }
    let subject = subject(facts, comparison, column)?;
    if let Some(note) = column.and_then(|read| of_zeros(read, comparison)) {
        return Some(note);
    }
    if let Some(read) = column
        && let Some(note) = of_types(facts, read, comparison)
    {
        return note;
    }
    of_value_types(&subject, comparison, column)
        .or_else(|| of_day(&subject, comparison))
        .or_else(|| of_alphabet(&subject, comparison).filter(|_| subject.order.is_none()))
        .or_else(|| of_month(&subject, comparison))
        .or_else(|| {
            of_shape(&subject, comparison)
                .filter(|_| !moments::holds_alike(facts, &comparison.range))
        })
        .or_else(|| of_order(facts, &subject, comparison))
        .or_else(|| of_spellings(facts, comparison, column))
        .or_else(|| of_other_type(&subject, comparison))
        .or_else(|| of_absent(facts, &subject, comparison, column))
        .or_else(|| of_wildcard(&subject, comparison))
        .or_else(|| of_other_case(facts, &subject, comparison))
}

/// A text with zeros before its number, where texts are read as numbers.
fn of_zeros(read: Read<'_>, comparison: &Comparison) -> Option<String> {
    let is_read =
        read.profile.numeric_texts > 0 && matches!(read.profile.kind(), Type::Integer | Type::Real);
    let has_zeros = |literal: &&Literal| {
        let digits = literal.value.strip_prefix('0').unwrap_or_default();
        literal.is_text() && digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let literal = comparison.literals.iter().find(has_zeros).filter(|_| is_read)?;
    let (name, field) = (spelled(&read.column.name), &read.column.name);
    Some(format!(
        "the texts of {name} are read as numbers, and so is {}: record->>'$.{field}' is the text",
        literal.sql
    ))
}

/// Returns a comparison as the statement spells it, at most 80 characters.
pub(crate) fn shown(facts: &Facts<'_>, comparison: &Comparison) -> String {
    facts.statement().sql[comparison.range.clone()].chars().take(MAX_SHOWN).collect()
}

/// Returns the left side of a comparison as a question to its rows.
pub(crate) fn subject<'r>(
    facts: &Facts<'r>,
    comparison: &Comparison,
    column: Option<Read<'r>>,
) -> Option<Subject<'r>> {
    if let Some(read) = column {
        return Some(Subject::of(read));
    }
    let statement = facts.statement();
    let name = statement.sql[comparison.subject.clone()].to_owned();
    let found = Subject::over(facts, name, facts.from(comparison.place)?);
    found.resolved(facts, &comparison.subject)
}

/// Notes that the types of a column alone decide; Some(None) if nothing more is to be asked.
#[expect(clippy::option_option, reason = "the inner one is the note, the outer one the end")]
fn of_types(facts: &Facts<'_>, read: Read<'_>, comparison: &Comparison) -> Option<Option<String>> {
    let name = spelled(&read.column.name);
    let profile = read.profile;
    if profile.values() == 0 {
        return Some(Some(format!("{name} is null in every record")));
    }
    if profile.containers > 0 && profile.containers == profile.values() {
        return Some(of_container(facts, read, comparison));
    }
    if let Some(note) = json::of_elements_of_some(read, comparison) {
        return Some(Some(note));
    }
    if profile.is_date()
        && let Some(note) = of_time(read, comparison)
    {
        return Some(Some(note));
    }
    if comparison.is_order() && profile.texts > 0 {
        let number = |literal: &Literal| literal.value.parse::<f64>().is_ok();
        let numbers = comparison.literals.iter().any(number);
        if numbers && !matches!(profile.kind(), Type::Integer | Type::Real) {
            return Some(of_texts(facts, read, comparison));
        }
    }
    if profile.is_boolean() && comparison.literals.iter().any(Literal::is_text) {
        return Some(Some(format!(
            "{name} is a boolean: compare with TRUE or FALSE, which are 1 and 0"
        )));
    }
    of_booleans(read, comparison).map(Some)
}

/// Booleans together with texts, of which an equality with one finds the values of one type alone.
fn of_booleans(read: Read<'_>, comparison: &Comparison) -> Option<String> {
    let profile = read.profile;
    let [literal] = comparison.literals.as_slice() else { return None };
    let number = boolean(&literal.value).filter(|_| comparison.is_equality())?;
    (profile.booleans > 0 && profile.texts > 0).then_some(())?;
    let subject = Subject::of(read);
    let not = if comparison.excludes() { "NOT " } else { "" };
    let word = literal.value.to_lowercase();
    let both = |of: &str| format!("lower({of}) {not}IN ('{number}', '{word}')");
    let range = format!("it {not}IN ({})", literal.sql);
    let [one, all] = subject.counts(&format!("sum({range}), sum({})", both("it")))?;

    let name = &subject.name;
    (one != all).then(|| {
        format!(
            "{name} is a boolean in {} records and text in {}, such as {}: {} finds {all}",
            profile.booleans,
            profile.texts,
            quoting::text(&profile.example),
            both(name)
        )
    })
}

/// Texts that are compared letter by letter where another order is meant.
pub(crate) fn of_order(
    facts: &Facts<'_>,
    subject: &Subject<'_>,
    comparison: &Comparison,
) -> Option<String> {
    let is_constant = |literal: &Literal| literal.kind == LiteralKind::Constant;
    if !comparison.is_order() || comparison.literals.iter().any(is_constant) {
        return None;
    }
    let literals: Vec<&str> = comparison.literals.iter().map(|l| l.value.as_str()).collect();
    let at = |places| Subject::at(facts, places);
    let own = facts.statement().places(&comparison.subject).and_then(at);
    of_letters(facts, own.as_ref().unwrap_or(subject), &literals)
}

/// Values that a literal spells, but of another type: no text is equal to a number.
fn of_other_type(subject: &Subject<'_>, comparison: &Comparison) -> Option<String> {
    let is_spelled = |literal: &Literal| {
        matches!(literal.kind, LiteralKind::Text | LiteralKind::Number)
            && literal.value.parse::<f64>().is_ok()
    };
    if !comparison.is_equality() || !comparison.literals.iter().all(is_spelled) {
        return None;
    }
    let all = |of: fn(&Literal) -> String| {
        comparison.literals.iter().map(of).collect::<Vec<_>>().join(", ")
    };
    let (same, texts) = (all(|l| l.sql.clone()), all(|l| format!("'{}'", l.value)));
    let is_other = format!("it NOT IN ({same}) AND CAST(it AS TEXT) IN ({texts})");
    let rows = subject.row("count(*), it, typeof(it)", &format!("WHERE {is_other}"))?;
    let [Value::Integer(count @ 1..), value, kind] = rows.as_slice() else { return None };
    let a_kind = if plain(kind) == "text" { "a text" } else { "a number" };
    let name = &subject.name;
    let not = if comparison.excludes() { "NOT " } else { "" };
    Some(format!(
        "in {count} rows {name} is {a_kind} that spells the same, such as {}, and text is never \
         equal to a number: CAST({name} AS TEXT) {not}IN ({texts}) compares the spelling",
        literal(value)
    ))
}

fn of_container(facts: &Facts<'_>, read: Read<'_>, comparison: &Comparison) -> Option<String> {
    let name = spelled(&read.column.name);
    let literal = comparison.literals.first()?;
    let of = Subject::of(read);
    let is_found = comparison.literals.len() == 1
        && of.has(&format!("it {} {}", comparison.operator, literal.sql)) == Some(true);

    // `!= '[]'` asks for elements.
    let is_whole = literal.value.is_empty() || literal.value.starts_with(['[', '{']);
    if comparison.is_equality() && is_found && (is_whole || !comparison.excludes()) {
        return None;
    }
    if comparison.operator == "LIKE" && is_found && read.profile.arrays > 0 {
        // Does the pattern find more than whole elements?
        let element = literal.value.trim_matches('%').trim_matches('"').replace('\'', "''");
        let whole = |of: &str| {
            format!("EXISTS (SELECT 1 FROM json_each({of}) AS e WHERE e.value = '{element}')")
        };
        let counts = format!("sum(it LIKE {}), sum({})", literal.sql, whole("it"));
        let [matched, elements] = of.counts(&counts)?;

        let whole = whole(&name);
        let paths = facts.sources[read.table.source].paths();
        let objects = paths.in_arrays.iter().any(|(array, _)| *array == read.column.name);
        if objects && elements == 0 {
            return Some(format!(
                "{name} is an array of objects as JSON text, and LIKE finds keys, too: EXISTS \
                 (SELECT 1 FROM json_each({name}) AS e WHERE e.value ->> 'key' LIKE {})",
                literal_of(comparison)
            ));
        }
        return (matched != elements && elements > 0).then(|| {
            format!(
                "LIKE finds parts, too: {matched} records; {elements} have the element \
                 '{element}': {whole}"
            )
        });
    }
    let literal =
        if literal.sql.len() > 60 || comparison.is_pattern() { "…" } else { &literal.sql };
    let (what, how) = if read.profile.arrays > 0 {
        let each =
            format!("EXISTS (SELECT 1 FROM json_each({name}) AS e WHERE e.value = {literal})");
        ("an array", each)
    } else {
        ("an object", format!("{name}->>'key' = {literal}"))
    };
    Some(format!("{name} is {what} as JSON text; its values are met by {how}"))
}

fn literal_of(comparison: &Comparison) -> &str {
    comparison.literals.first().map_or("", |literal| literal.sql.as_str())
}

/// Numbers next to text: text is greater than every number, and never equal to one.
fn of_value_types(
    subject: &Subject<'_>,
    comparison: &Comparison,
    column: Option<Read<'_>>,
) -> Option<String> {
    let literal = comparison.literals.first().filter(|_| comparison.is_order())?;
    let name = &subject.name;
    let is_number = literal.kind == LiteralKind::Number;
    let is_word = |literal: &Literal| literal.is_text() && literal.value.parse::<f64>().is_err();
    let kind = match column {
        Some(read) if read.profile.texts + read.profile.large == 0 => "number".to_owned(),
        Some(_) => return None,
        None => {
            let one = subject.row("typeof(it)", "WHERE it IS NOT NULL LIMIT 1")?;
            plain(one.first()?)
        }
    };
    if kind == "text" && is_number {
        return Some(format!(
            "{name} is text, and text is greater than every number: compare CAST({name} AS REAL)"
        ));
    }
    let is_text = if column.is_some() { is_word(literal) } else { literal.is_text() };
    if kind == "text" || !is_text {
        return None;
    }
    let how = subject.range()?;
    Some(format!(
        "{name} is a number, and every number is less than the text {}; {how}",
        literal.sql
    ))
}

/// A literal that no record has.
fn of_absent(
    facts: &Facts<'_>,
    subject: &Subject<'_>,
    comparison: &Comparison,
    column: Option<Read<'_>>,
) -> Option<String> {
    let (absent, condition) = if comparison.is_equality() {
        comparison.literals.iter().find_map(|literal| {
            let is = if comparison.operator == "IS" { "IS" } else { "=" };
            let condition = format!("{is} {}", literal.sql);
            (!subject.has(&format!("it {condition}"))?).then_some((literal, condition))
        })?
    } else {
        let literals: Vec<&str> = comparison.literals.iter().map(|l| l.sql.as_str()).collect();
        let condition = format!("{} {}", comparison.operator, literals.join(" AND "));
        let absent = comparison.literals.first()?;
        (!subject.has(&format!("it {condition}"))?).then_some((absent, condition))?
    };
    let name = &subject.name;
    let short: String = condition.chars().take(60).collect();
    if comparison.is_equality() && absent.is_text() {
        let same = |of: &str| format!("nfc({of}) = nfc({})", absent.sql);
        let [found] = subject.counts(&format!("sum({})", same("it")))?;

        if found != 0 {
            let same = same(name);
            return Some(format!(
                "no record has {name} {short} in this normal form of Unicode: {same} finds {found}"
            ));
        }
    }
    let nulls = column.map_or(0, |read| read.nulls());
    let is_nothing = ["", "null", "none", "nan", "n/a"];
    if nulls > 0 && is_nothing.contains(&absent.value.to_lowercase().as_str()) {
        if facts.statement().has_any(&["null", "isnull", "notnull"]) {
            return None;
        }
        return Some(format!(
            "no record has {name} {short}; it is null in {nulls} records: {name} IS NULL"
        ));
    }
    if column.is_none() && !subject.has("it IS NOT NULL")? {
        // A path that leads nowhere, or a date that SQLite cannot read, has a note of its own.
        let has_note = ["->", "json_extract", "date", "time", "julianday", "unixepoch"];
        let has_note = has_note.iter().any(|part| name.contains(part));
        return (!has_note).then(|| format!("{name} is null in every record"));
    }
    if comparison.is_order() {
        return Some(format!("no record has {name} {short}; {}", subject.range()?));
    }
    Some(match subject.values(absent) {
        Some(values) => format!("no record has {name} {short}; {values}"),
        None => format!("no record has {name} {short}"),
    })
}

/// `_` in LIKE is any character.
fn of_wildcard(subject: &Subject<'_>, comparison: &Comparison) -> Option<String> {
    let literal = comparison.literals.first().filter(|_| comparison.operator == "LIKE")?;
    let has_escapes = literal.value.contains('\\') || literal.sql != quoting::text(&literal.value);
    if !literal.is_text() || !literal.value.contains('_') || has_escapes {
        return None;
    }
    let exact = format!("{} ESCAPE '\\'", literal.sql.replace('_', "\\_"));
    let counts = format!("sum(it LIKE {}), sum(it LIKE {exact})", literal.sql);
    let [all, same] = subject.counts(&counts)?;

    // Where no value has the character itself, any character is meant.
    (all != same && same > 0).then(|| {
        format!(
            "in LIKE `_` is any character: {all} records match, {same} of them with `_` itself: \
             LIKE {exact}"
        )
    })
}
