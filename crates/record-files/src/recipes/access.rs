//! Access: the jq path of a field. A field gets a path only if no step of it can fail for any
//! record, so that filters need no guards and stay readable.

use raw_json::quote;

use crate::schema::node::{Counts, Node, Step};
use crate::schema::{ROOT, Schema};

/// The objects that recipes query, and their location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Base {
    /// The node of the objects.
    pub(super) at: usize,
    /// The start of a filter that runs on each record, which selects the objects.
    pub(super) stream: &'static str,
    /// The start of a filter that runs on the array of all records, which selects the objects.
    pub(super) slurped: &'static str,
}

impl Base {
    /// Returns the objects that recipes query: the records; or only the records that are objects;
    /// or, if all records are arrays, their elements.
    pub(super) fn of(schema: &Schema) -> Self {
        let root = schema.root().counts;
        if root.object == root.all() {
            return Self { at: ROOT, stream: "", slurped: "" };
        }
        let items = schema.items(ROOT).filter(|_| root.array == root.all());
        match items {
            Some(at) if schema.node(at).counts.object == schema.node(at).counts.all() => {
                Self { at, stream: ".[] | ", slurped: "map(.[]) | " }
            }
            Some(at) if schema.node(at).counts.object > 0 => {
                Self { at, stream: ".[] | objects | ", slurped: "map(.[] | objects) | " }
            }
            _ => Self { at: ROOT, stream: "objects | ", slurped: "map(objects) | " },
        }
    }
}

/// The path from an object of the base to a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Access {
    /// The jq path, such as `.flights[]?.origin`.
    pub(super) path: String,
    /// True if the path may give several values or none.
    pub(super) many: bool,
}

/// Returns the path to the field at node `at`. `None` if a value on the path has another type than
/// the path needs, or if the field is not within the base.
pub(super) fn access(schema: &Schema, base: Base, at: usize) -> Option<Access> {
    let trail = schema.trail(at);
    let within = match base.at {
        ROOT => trail.as_slice(),
        base => trail.strip_prefix(&[base])?,
    };
    let (mut path, mut many) = (String::new(), false);
    let mut from = base.at;
    for &step in within {
        let holds = schema.node(from).counts;
        let only = |wanted: fn(&Counts) -> u64| wanted(&holds) + holds.null == holds.all();
        match &schema.node(step).step {
            Step::Key(key) if from == base.at || only(|counts| counts.object) => {
                push_key(&mut path, key);
            }
            Step::Items if only(|counts| counts.array) => {
                path.push_str(if path.is_empty() { ".[]?" } else { "[]?" });
                many = true;
            }
            Step::Key(_) | Step::Items | Step::Root => return None,
        }
        from = step;
    }
    Some(Access { path, many })
}

fn push_key(path: &mut String, key: &str) {
    if is_identifier(key) {
        path.push('.');
        path.push_str(key);
        return;
    }
    if path.is_empty() {
        path.push('.');
    }
    path.push('[');
    path.push_str(&quote(key));
    path.push(']');
}

fn is_identifier(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// Returns the source of an object member: `title`, or `"a b": .["a b"]`.
pub(super) fn member(label: &str, path: &str) -> String {
    let short = is_identifier(label) && !is_keyword(label);
    if short && path.strip_prefix('.') == Some(label) {
        return label.to_owned();
    }
    let key = if short { label.to_owned() } else { quote(label) };
    // Paths contain no comma or pipe, which would end the value.
    format!("{key}: {path}")
}

/// Returns true for words of the jq language. Older versions of jq reject them as keys.
fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 22] = [
        "__loc__", "and", "as", "catch", "def", "elif", "else", "end", "false", "foreach", "if",
        "import", "include", "label", "module", "not", "null", "or", "reduce", "then", "true",
        "try",
    ];
    WORDS.contains(&word)
}

impl Node {
    /// Returns true if it has scalars, and no objects or arrays.
    pub(super) fn is_scalar(&self) -> bool {
        self.counts.object + self.counts.array == 0 && self.counts.scalars() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::infer;

    fn paths(records: &[&str]) -> Vec<Option<String>> {
        let schema = infer(records.iter().copied());
        let base = Base::of(&schema);
        schema
            .paths()
            .iter()
            .map(|field| access(&schema, base, field.node).map(|access| access.path))
            .collect()
    }

    #[test]
    fn odd_keys_are_quoted() {
        let record = r#"{"a b":1,"x":{"a.b":2,"'; rm -rf /":3},"$__loc__":4,"":5,"é\n":6}"#;
        let found: Vec<String> = paths(&[record]).into_iter().flatten().collect();
        assert_eq!(
            found,
            [
                ".[\"a b\"]",
                ".x[\"a.b\"]",
                ".x[\"'; rm -rf /\"]",
                ".[\"$__loc__\"]",
                ".[\"\"]",
                ".[\"é\\n\"]",
            ]
        );
    }

    #[test]
    fn a_step_that_could_fail_is_not_offered() {
        let found = paths(&[r#"{"a":{"b":1},"c":[{"d":1}]}"#, r#"{"a":"text","c":null}"#]);
        // a itself, a.b, c, c.d
        assert_eq!(found[1], None);
        assert_eq!(found[3].as_deref(), Some(".c[]?.d"));
    }

    #[test]
    fn keywords_are_not_short_members() {
        assert_eq!(member("id", ".id"), "id");
        assert_eq!(member("and", ".and"), "\"and\": .and");
        assert_eq!(member("a.b", ".a.b"), "\"a.b\": .a.b");
    }
}
