//! Tables, as databases return them: rows as arrays of values, and the names of the columns in
//! another member.

use std::collections::HashSet;

use raw_json::{self as raw, Fields, quote};

use super::criteria::MIN_RECORDS;
use crate::layout::{Region, Shape};

/// Members with one of these words in their key have precedence as the names of the columns.
const NAMES: [&str; 4] = ["column", "field", "header", "name"];
/// The key of a column's name if a column is an object.
const NAME: &str = "name";

/// Returns the rows in `rows`, a member of an object with these fields. Returns `None` unless each
/// row is an array with one value for each of the columns that another member names.
pub(super) fn table<'a>(rows: &'a str, fields: &Fields<'a>) -> Option<Region<'a>> {
    let is_array = |value: &str| value.starts_with('[');
    if !is_array(rows) || !rows[1..].trim_start().starts_with('[') {
        return None;
    }
    let records: Vec<&str> = raw::each_element(rows).collect();
    if records.len() < MIN_RECORDS || !records.iter().all(|row| is_array(row)) {
        return None;
    }
    let width = raw::each_element(records[0]).count();
    if width == 0 || !records.iter().all(|row| raw::each_element(row).count() == width) {
        return None;
    }
    let names = fields.iter().filter(|(_, value)| is_array(value) && !std::ptr::eq(*value, rows));
    let mut names: Vec<(bool, Vec<String>)> = names
        .filter_map(|(key, value)| {
            let key = key.to_lowercase();
            let named = NAMES.iter().any(|name| key.contains(name)) && !key.contains("type");
            Some((named, column_names(value, width)?))
        })
        .collect();
    let at = names.iter().position(|(named, _)| *named).or((!names.is_empty()).then_some(0))?;
    let columns = unique(names.swap_remove(at).1);
    Some(Region { shape: Shape::Rows, text: rows, records, columns })
}

/// Returns the names in an array of `width` strings or objects with a name.
fn column_names(array: &str, width: usize) -> Option<Vec<String>> {
    let name = |element: &str| {
        let text = if element.starts_with('{') {
            raw::each_member(element).find(|(key, _)| key.text() == NAME)?.1
        } else {
            element
        };
        raw::is_string(text).then(|| raw::unescape(text).text.into_owned())
    };
    let names: Option<Vec<String>> = raw::each_element(array).take(width + 1).map(name).collect();
    names.filter(|names| names.len() == width)
}

/// Returns the names as literals; appends a number to a name that occurred before.
fn unique(names: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let literal = |name: String| {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !seen.contains(name));
        let free = free.unwrap_or(name);
        let literal = quote(&free);
        seen.insert(free);
        literal
    };
    names.into_iter().map(literal).collect()
}
