//! A few SQL statements over records of any kind, from their own fields: groups with an average,
//! the elements of an array, the newest records. They show how to query this file.

use super::access::Base;
use super::roles::{self, RecipeField, RecipeFields};
use crate::schema::node::Step;
use crate::schema::{ROOT, Schema};

/// Maximum number of rows of a statement.
const ROWS: u32 = 10;

/// Returns up to three statements in SQLite's dialect over a table `records`, the most useful
/// first. Names columns as `record-sql` does. Returns none for records that are not objects.
///
/// ```
/// use record_files::{recipes::statements, schema::infer};
///
/// let lines: Vec<String> =
///     (0..6).map(|n| format!(r#"{{"kind":"k{}","at":{{"size":{n}}}}}"#, n % 2)).collect();
/// let schema = infer(lines.iter().map(String::as_str));
/// assert_eq!(
///     statements(&schema)[0],
///     "SELECT kind, count(*) AS n, avg(at_size) AS mean FROM records GROUP BY 1 ORDER BY n DESC"
/// );
/// ```
pub fn statements(schema: &Schema) -> Vec<String> {
    let base = Base::of(schema);
    if base.at != ROOT || !base.stream.is_empty() {
        return Vec::new();
    }
    let reachable = RecipeFields::of(schema, base);
    let fields = reachable.all(schema);
    let columns = Columns { schema, fields: &fields };
    let (ids, titles) = (roles::ids(&fields), roles::titles(&fields));
    let (categories, numbers) = (roles::categories(&fields), roles::numbers(&fields));
    let dates = roles::dates(&fields);
    let category = categories.first();
    let number = numbers.iter().find(|field| category.is_none_or(|of| of.path != field.path));
    let title = titles.first().or(ids.first());
    let groups = category.and_then(|category| columns.groups(category, number));
    let inner = fields.iter().filter(|field| field.inner() && field.repeats());
    let elements = fields.iter().filter(|field| field.list()).chain(inner);
    let elements = elements.filter_map(|field| columns.elements(field)).next();
    let last = dates.first().or(number).and_then(|field| columns.last(title, category, field));
    [groups, elements, last].into_iter().flatten().collect()
}

/// Names fields as columns.
struct Columns<'a> {
    schema: &'a Schema,
    fields: &'a [RecipeField<'a>],
}

impl Columns<'_> {
    fn groups(
        &self,
        category: &RecipeField<'_>,
        number: Option<&RecipeField<'_>>,
    ) -> Option<String> {
        let by = self.name(category)?;
        let mean = number.and_then(|number| self.name(number));
        let mean = mean.map_or(String::new(), |name| format!(", avg({name}) AS mean"));
        Some(format!("SELECT {by}, count(*) AS n{mean} FROM records GROUP BY 1 ORDER BY n DESC"))
    }

    fn elements(&self, field: &RecipeField<'_>) -> Option<String> {
        let (array, within) = self.array(field)?;
        let value = match within.as_str() {
            "" => "value".to_owned(),
            path => format!("value->>'{path}' AS value"),
        };
        Some(format!(
            "SELECT {value}, count(*) AS n FROM records, json_each({array}) \
             GROUP BY 1 ORDER BY n DESC LIMIT {ROWS}"
        ))
    }

    fn last(
        &self,
        title: Option<&RecipeField<'_>>,
        category: Option<&RecipeField<'_>>,
        by: &RecipeField<'_>,
    ) -> Option<String> {
        let by = self.name(by)?;
        let shown = [title, category].into_iter().flatten().filter_map(|field| self.name(field));
        let mut shown: Vec<String> = shown.filter(|name| *name != by).collect();
        shown.push(by.clone());
        Some(format!("SELECT {} FROM records ORDER BY {by} DESC LIMIT {ROWS}", shown.join(", ")))
    }

    /// Returns the column of a field that is not within arrays.
    fn name(&self, field: &RecipeField<'_>) -> Option<String> {
        let keys = self.keys(field.summary.node);
        keys.iter().all(Option::is_some).then(|| self.column(keys.into_iter().flatten()))
    }

    /// Returns the column of the array that holds the values of a field, and the JSON path of the
    /// values within an element: empty, or a right operand of `->>`.
    fn array(&self, field: &RecipeField<'_>) -> Option<(String, String)> {
        let keys = self.keys(field.summary.node);
        let outer: Vec<&str> = keys.iter().map_while(|key| *key).collect();
        let inner = keys.get(outer.len() + 1..).unwrap_or_default();
        let inner: Option<Vec<&str>> = inner.iter().copied().collect();
        let within = match inner?.as_slice() {
            [] => String::new(),
            [key] if is_plain(key) => (*key).to_owned(),
            path if path.iter().all(|key| is_plain(key)) => format!("$.{}", path.join(".")),
            _ => return None,
        };
        Some((self.column(outer.into_iter()), within))
    }

    /// Returns the steps to a node: keys, and `None` for the elements of an array.
    fn keys(&self, node: usize) -> Vec<Option<&str>> {
        let step = |at: usize| match &self.schema.node(at).step {
            Step::Key(key) => Some(key.as_str()),
            Step::Items | Step::Root => None,
        };
        self.schema.trail(node).into_iter().map(step).collect()
    }

    /// Returns a column: `provenance_confidence` if no other field has that name, otherwise the
    /// dotted name in quotes.
    fn column<'k>(&self, keys: impl Iterator<Item = &'k str>) -> String {
        let keys: Vec<&str> = keys.collect();
        let joined = keys.join("_");
        let others = keys.len() > 1 && self.fields.iter().any(|field| field.label() == joined);
        let spelled = sql_name(&joined);
        if others || spelled != joined { in_quotes(&keys.join(".")) } else { spelled }
    }
}

/// Returns a column's name in SQL, in quotes if necessary.
pub(crate) fn sql_name(name: &str) -> String {
    if is_plain(name) && !is_keyword(name) { name.to_owned() } else { in_quotes(name) }
}

fn in_quotes(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns true for an SQLite keyword that cannot name a column without quotes
/// (<https://www.sqlite.org/lang_keywords.html>).
fn is_keyword(name: &str) -> bool {
    const WORDS: &str = "add all alter and as autoincrement between case check collate commit \
        constraint create current_date current_time current_timestamp default deferrable delete \
        distinct drop else escape exists false foreign from group having in index insert intersect \
        into is isnull join limit not notnull null on or order primary references returning select \
        set table then to transaction true union unique update using values when where";
    WORDS.split(' ').any(|word| name.eq_ignore_ascii_case(word))
}

fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::infer;

    fn of(record: impl Fn(u32) -> String) -> Vec<String> {
        let lines: Vec<String> = (0..6).map(record).collect();
        statements(&infer(lines.iter().map(String::as_str)))
    }

    #[test]
    fn elements_of_arrays_are_grouped() {
        let list = of(|n| format!(r#"{{"n":"{n}","tags":["a","b"]}}"#));
        assert!(list[0].starts_with("SELECT value, count(*) AS n FROM records, json_each(tags) "));
        let inner = of(|n| format!(r#"{{"n":"{n}","of":{{"legs":[{{"to":{{"x":"a"}}}}]}}}}"#));
        assert!(
            inner[0].starts_with("SELECT value->>'$.to.x' AS value, count(*) AS n"),
            "{inner:?}"
        );
        assert!(inner[0].contains("json_each(of_legs)"), "{inner:?}");
    }

    #[test]
    fn odd_and_ambiguous_names_are_quoted() {
        let odd = of(|n| format!(r#"{{"a \"b":"k{}","a":{{"x":{n}}},"a_x":"t{n}"}}"#, n % 2));
        assert!(
            odd[0].starts_with(r#"SELECT "a ""b", count(*) AS n, avg("a.x") AS mean"#),
            "{odd:?}"
        );
        let words = of(|n| format!(r#"{{"Group":"k{}","id":"t{n}"}}"#, n % 2));
        assert!(words[0].starts_with(r#"SELECT "Group", count(*)"#), "{words:?}");
    }

    #[test]
    fn records_that_are_no_objects_have_none() {
        assert!(of(|n| n.to_string()).is_empty());
        assert!(of(|n| format!("[{n}]")).is_empty());
    }
}
