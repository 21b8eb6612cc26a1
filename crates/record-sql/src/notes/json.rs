//! Columns that are an array in some records, and one element by itself in others.

use crate::notes::facts::{Facts, Read};
use crate::notes::values::Subject;
use crate::sql::comparison::Comparison;
use crate::sql::quoting::spelled;
use crate::sql::token::Kind;

/// The functions that take an array for its elements.
const OF_ELEMENTS: [&str; 2] = ["json_each", "json_array_length"];

/// Returns a column as an array in every record.
fn as_array(column: &str) -> String {
    format!(
        "iif(json_valid({column}), iif(json_type({column}) = 'object', \
         json_array(json({column})), {column}), json_array({column}))"
    )
}

/// Returns the columns whose elements the statement reads, each with the column as it is spelled.
fn of_elements<'r>(facts: &Facts<'r>) -> impl Iterator<Item = (Read<'r>, &'r str)> {
    let statement = facts.statement();
    statement.calls_of(&OF_ELEMENTS).filter_map(|at| {
        let argument = statement.argument(at)?;
        Some((facts.column_at(argument.clone())?, statement.text(argument)))
    })
}

/// Notes on objects next to arrays, whose keys are taken for elements.
pub(crate) fn notes(facts: &Facts<'_>) -> Vec<String> {
    let of_calls = of_elements(facts).filter_map(|(read, column)| {
        let (arrays, objects) = mixed(read)?;
        Some(format!(
            "{column} is an array in {arrays} records and one object in {objects}, whose keys are \
             taken for elements: {} is an array in all",
            as_array(column)
        ))
    });
    // A path through the object has no value where an array is.
    let paths = facts.reads().filter_map(|read| {
        let name = &read.column.name;
        let (parent, _) = name.split_once('.')?;
        let table = read.table;
        let column = table.column(parent)?;
        let profile = column.profile(&facts.sources[table.source])?;
        let parent = Read { column, profile, ..read };
        let (arrays, objects) = mixed(parent)?;
        Some(format!(
            "{} is null where {parent} is an array, in {arrays} records; in {objects} it is one \
             object: FROM {table}, json_each({}) AS e has the elements of all, with e.value",
            spelled(name),
            as_array(&spelled(&parent.column.name)),
            parent = spelled(&parent.column.name),
            table = spelled(&table.name),
        ))
    });
    let mut notes: Vec<String> = of_calls.collect();
    notes.extend(paths);
    notes.extend(of_parts(facts));
    notes
}

/// Equality with a value that is also an element of arrays, which are other records of the column.
pub(crate) fn of_elements_of_some(read: Read<'_>, comparison: &Comparison) -> Option<String> {
    if read.profile.arrays == 0 || !comparison.is_equality() || comparison.excludes() {
        return None;
    }
    let literals: Vec<&str> = comparison.literals.iter().map(|one| one.sql.as_str()).collect();
    let is_one = format!("IN ({})", literals.join(", "));
    let any = |column| {
        let array = as_array(column);
        format!("EXISTS (SELECT 1 FROM json_each({array}) AS e WHERE e.value {is_one})")
    };
    let counts = format!("sum(it {is_one}), sum({})", any("it"));
    let [whole, elements] = Subject::of(read).counts(&counts)?;

    let name = spelled(&read.column.name);
    (whole < elements).then(|| {
        format!(
            "{name} is an array in {} records, and {whole} records are met as a whole, {elements} \
             with elements: {}",
            read.profile.arrays,
            any(&name)
        )
    })
}

/// `instr` of an array finds parts of its elements, too.
fn of_parts(facts: &Facts<'_>) -> Option<String> {
    let statement = facts.statement();
    statement.calls_of(&["instr"]).find_map(|at| {
        let [column, part] = statement.arguments(at + 1).try_into().ok()?;
        let read = facts.column_at(column)?;
        let literal = statement.text(part.clone());
        let [part] = &statement.tokens[part] else { return None };
        if part.kind != Kind::Text || read.profile.arrays == 0 {
            return None;
        }

        let whole = |column: &str| {
            format!("EXISTS (SELECT 1 FROM json_each({column}) AS e WHERE e.value = {literal})")
        };
        let select = format!("sum(instr(it, {literal}) > 0), sum({})", whole("it"));
        let [matched, elements] = Subject::of(read).counts(&select)?;
        (matched != elements && elements > 0).then(|| {
            format!(
                "instr finds parts, too: {matched} records; {elements} have the element {literal}: \
                 {}",
                whole(&spelled(&read.column.name))
            )
        })
    })
}

/// Returns the records in which a column is an array, and those in which it is an object, if there
/// are both.
fn mixed(read: Read<'_>) -> Option<(u64, u64)> {
    let (arrays, containers) = (read.profile.arrays, read.profile.containers);
    (arrays > 0 && containers > arrays).then_some((arrays, containers - arrays))
}

/// Returns the advice for a statement that failed over a text that is no JSON: texts next to
/// arrays.
pub(crate) fn malformed(facts: &Facts<'_>) -> Option<String> {
    let is_mixed = |(read, _): &(Read<'_>, &str)| {
        read.profile.texts > 0 && read.profile.values() > read.profile.texts
    };
    let (read, column) = of_elements(facts).find(is_mixed)?;
    let (texts, arrays) = (read.profile.texts, read.profile.arrays);
    Some(format!(
        "{column} is text in {texts} records and an array in {arrays}: {} is an array in all",
        as_array(column)
    ))
}
