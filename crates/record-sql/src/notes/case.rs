//! Texts that differ from a constant in letter case or blanks at their ends alone, where these
//! count.

use rusqlite::types::Value;

use crate::notes::facts::{Facts, Read, literal, plain};
use crate::notes::values::Subject;
use crate::sql::comparison::{Comparison, Literal};
use crate::sql::condition::lone_conditions;
use crate::sql::quoting;
use crate::sql::token::Kind;
use date_text::words::has_word;

/// The most texts of a list that a note repeats.
const MAX_LISTED: usize = 8;

/// Returns the note on texts that a comparison takes for others.
pub(crate) fn of_other_case(
    facts: &Facts<'_>,
    subject: &Subject<'_>,
    comparison: &Comparison,
) -> Option<String> {
    let mut literals = comparison.literals.iter().filter(|literal| literal.is_text());
    if comparison.is_equality() && (2..=MAX_LISTED).contains(&literals.clone().count()) {
        let texts: Vec<Literal> = literals.cloned().collect();
        return of_list(facts, subject, &texts);
    }
    literals.find_map(|literal| {
        let low = literal.sql.to_lowercase();
        let any_case = |of: &str| match comparison.operator.as_str() {
            "GLOB" => Some(format!("lower({of}) GLOB {low}")),
            "REGEXP" => {
                let any = quoting::text(&format!("(?i){}", literal.value));
                Some(format!("{of} REGEXP {any}"))
            }
            "LIKE" if !literal.value.contains(['%', '_']) => {
                Some(format!("trim({of}) LIKE {}", quoting::text(literal.value.trim())))
            }
            _ if comparison.is_equality() => Some(format!(
                "lower(trim({of})) = {}",
                quoting::text(&literal.value.trim().to_lowercase())
            )),
            _ => None,
        };
        let operator = if comparison.is_pattern() { &comparison.operator } else { "=" };
        let exact = format!("it {operator} {}", literal.sql);
        let (any, shown) = (any_case("it")?, any_case(&subject.name)?);
        of_texts(facts, subject, literal, [&exact, &any, &shown])
    })
}

/// Returns the note on texts that differ from one of a list.
fn of_list(facts: &Facts<'_>, subject: &Subject<'_>, texts: &[Literal]) -> Option<String> {
    let low = texts.iter().map(|text| quoting::text(&text.value.trim().to_lowercase()));
    let low = low.collect::<Vec<_>>().join(", ");
    let sql = texts.iter().map(|text| text.sql.as_str()).collect::<Vec<_>>().join(", ");
    let exact = format!("it IN ({sql})");
    let [any, shown] = ["it", &subject.name].map(|of| format!("lower(trim({of})) IN ({low})"));
    let word = texts.iter().find(|text| has_word(&text.value, true))?;
    of_texts(facts, subject, &Literal { sql, ..word.clone() }, [&exact, &any, &shown])
}

/// A text that `instr` finds in other letters alone, or nowhere.
pub(crate) fn of_parts(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    let lone = lone_conditions(statement);
    statement.calls_of(&["instr"]).find_map(|at| {
        let [text, part] = statement.arguments(at + 1).try_into().ok()?;
        let part = statement.literal(part)?;
        let of = Subject::at(facts, text)?;
        let (name, literal, low) = (&of.name, &part.sql, part.sql.to_lowercase());
        let exact = format!("instr(it, {literal}) > 0");
        let [any, shown] = ["it", name].map(|of| format!("instr(lower({of}), {low}) > 0"));
        let is_lone = lone.iter().any(|condition| condition.start == at);
        of_texts(facts, &of, &part, [&exact, &any, &shown]).or_else(|| {
            let is_absent = is_lone && of.has(&exact) == Some(false);
            is_absent.then(|| format!("no {name} has {literal}"))
        })
    })
}

/// Values that count as several, though they differ in letter case or blanks alone: in a count of
/// distinct values, and in groups.
pub(crate) fn of_distinct(facts: &Facts<'_>, read: Read<'_>) -> Option<String> {
    let statement = facts.statement();
    let is_counted = |at: usize| {
        let select = statement.select_around(at);
        let group = statement.clause_places(&select, "group");
        let start = at - if statement.is(at.checked_sub(1)?, ".") { 2 } else { 0 };
        let is_key = group.is_some_and(|places| places.contains(&at))
            && statement.is_any(start - 1, &["by", ","])
            && (at + 1 == statement.tokens.len()
                || !statement.is_any(at + 1, &["||", "->", "->>"]));
        Some(is_key || statement.is(start.checked_sub(1)?, "distinct"))
    };
    let mut named =
        (0..statement.tokens.len()).filter(|at| statement.is_name(*at, &read.column.name));
    if read.profile.texts == 0 || !named.any(|at| is_counted(at) == Some(true)) {
        return None;
    }
    let of = Subject::of(read);
    let plain = "lower(trim(it))";
    let counts = format!("count(DISTINCT it), count(DISTINCT {plain})");
    let [values, alike] = of.counts(&counts)?;
    (alike < values).then_some(())?;
    let group = format!("GROUP BY {plain} HAVING count(DISTINCT it) > 1 LIMIT 1");
    let pair = of.row("min(it), max(it)", &group)?;
    let [one, other] = pair.as_slice() else { return None };
    let (name, one, other) = (&of.name, literal(one), literal(other));
    Some(format!(
        "{name} has {values} values, some of which differ only in letter case or blanks, such as \
         {one} and {other}: lower(trim({name})) has {alike}"
    ))
}

/// Returns the note on texts of which a condition holds for letters of any case alone, if the
/// statement does not name them.
fn of_texts(
    facts: &Facts<'_>,
    of: &Subject<'_>,
    constant: &Literal,
    [exact, any, shown]: [&str; 3],
) -> Option<String> {
    let statement = facts.statement();
    let has_word =
        || has_word(&constant.value, exact.starts_with("it = ") || exact.starts_with("it IN "));
    let others = of.row("count(*), it", &format!("WHERE {any} AND NOT {exact}"))?;
    let [Value::Integer(count @ 1..), one] = others.as_slice() else { return None };
    let mut texts = statement.tokens.iter().filter(|token| token.kind == Kind::Text);
    let is_named = texts.any(|token| token.value(&statement.sql) == plain(one));
    (!is_named && (has_word() || of.has(exact) == Some(false))).then(|| {
        format!(
            "{count} values of {}, such as {}, differ from {} only in letter case or blanks: \
             {shown} holds for them, too",
            of.name,
            literal(one),
            constant.sql
        )
    })
}
