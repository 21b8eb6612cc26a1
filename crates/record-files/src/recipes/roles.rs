//! Roles: the fields that are titles, categories, numbers, dates and so on. A role is a guess from
//! the name and the values. A filter on the field works even if the guess is wrong: only fields
//! that jq reaches without an error have roles.

use super::access::{Access, Base, access};
use crate::line::one_line;
use crate::schema::node::Node;
use crate::schema::{FieldSummary, Schema};

/// A field that a recipe can use.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecipeField<'a> {
    pub(super) summary: &'a FieldSummary,
    pub(super) path: &'a str,
    pub(super) node: &'a Node,
    /// The node of the field, or of its elements if its values are arrays.
    pub(super) within: &'a Node,
    many: bool,
    rank: i64,
    /// The number of objects that could have the field.
    holders: u64,
}

/// The fields that jq reaches, in the order of the schema.
pub(super) struct RecipeFields {
    fields: Vec<(FieldSummary, Access)>,
}

impl RecipeFields {
    pub(super) fn of(schema: &Schema, base: Base) -> Self {
        let usable = |field: FieldSummary| {
            let access = access(schema, base, field.node)?;
            (!access.path.is_empty() && field.path.len() <= 120).then_some((field, access))
        };
        Self { fields: schema.paths().into_iter().filter_map(usable).collect() }
    }

    pub(super) fn all<'a>(&'a self, schema: &'a Schema) -> Vec<RecipeField<'a>> {
        let field = |(rank, (summary, access)): (usize, &'a (FieldSummary, Access))| {
            let node = schema.node(summary.node);
            let within = schema.items(summary.node).map_or(node, |items| schema.node(items));
            RecipeField {
                summary,
                path: &access.path,
                node,
                within,
                many: access.many,
                rank: i64::try_from(rank).unwrap_or(i64::MAX),
                holders: schema.node(node.parent).counts.object,
            }
        };
        self.fields.iter().enumerate().map(field).collect()
    }
}

impl RecipeField<'_> {
    /// Returns its dotted path.
    pub(super) fn label(&self) -> &str {
        &self.summary.path
    }

    /// Returns its dotted path on one line, for a sentence.
    pub(super) fn label_line(&self) -> String {
        one_line(self.label())
    }

    fn last(&self) -> String {
        let name = self.label().rsplit('.').next().unwrap_or_default();
        name.to_ascii_lowercase()
    }

    /// Returns true if each record has at most one value, and it is a scalar.
    pub(super) fn single(&self) -> bool {
        !self.many && self.node.is_scalar()
    }

    fn only_strings(&self) -> bool {
        self.single() && self.node.counts.string == self.node.counts.scalars()
    }

    fn distinct(&self) -> u64 {
        self.node.values.distinct()
    }

    fn nearly_unique(&self) -> bool {
        let scalars = self.node.counts.scalars();
        !self.node.values.exact() || (scalars > 1 && self.distinct() * 10 >= scalars * 9)
    }

    /// Returns true if it is null or missing in some record.
    pub(super) fn has_gaps(&self) -> bool {
        !self.many && self.node.may_be_null(self.holders)
    }

    /// Returns true if its values are arrays of scalars, or null.
    pub(super) fn list(&self) -> bool {
        !self.many
            && self.node.counts.array > 0
            && self.node.counts.array + self.node.counts.null == self.node.counts.all()
            && self.within.is_scalar()
    }

    /// Returns true if it is within arrays and its values are scalars.
    pub(super) fn inner(&self) -> bool {
        self.many && self.node.is_scalar() && self.node.values.first().is_some()
    }

    /// Returns true if some values repeat.
    pub(super) fn repeats(&self) -> bool {
        self.node.values.exact() && self.distinct() < self.node.counts.scalars()
    }

    fn depth(&self) -> i64 {
        i64::try_from(self.label().matches('.').count()).unwrap_or(i64::MAX)
    }

    /// Returns a score for the name: up to 80 if it is one of `words`, the first of which scores
    /// highest; 40 if it ends with one of them; otherwise 0.
    fn named(&self, words: &[&str]) -> i64 {
        let name = self.last();
        let exact = words.iter().position(|word| name == *word);
        let ending = || words.iter().any(|word| name.ends_with(word));
        match exact {
            Some(at) => 80 - i64::try_from(at).unwrap_or(0) * 2,
            None if ending() => 40,
            None => 0,
        }
    }

    fn id_like(&self) -> bool {
        let name = self.label().rsplit('.').next().unwrap_or_default();
        let lower = name.to_ascii_lowercase();
        ["id", "uuid", "guid", "_key", "sha", "hash"].iter().any(|end| lower == *end)
            || ["_id", "-id", ".id", "Id", "ID", "uuid"].iter().any(|end| name.ends_with(end))
            || self.summary.format == Some("uuid")
    }

    /// Returns true if the field has few distinct values, which repeat.
    pub(super) fn category(&self) -> bool {
        let values = &self.node.values;
        self.single()
            && self.node.counts.number == 0
            && values.complete()
            && (2..=50).contains(&values.distinct())
            && self.node.counts.scalars() >= 2 * values.distinct()
            && self.node.texts.longest <= 64
    }

    /// Returns true if the values are numbers that differ.
    pub(super) fn numeric(&self) -> bool {
        let counts = self.node.counts;
        self.single()
            && counts.numbers() == counts.scalars()
            && self.node.numbers.upper_quarter().is_some()
            && self.distinct() > 1
    }

    pub(super) fn dated(&self) -> bool {
        self.only_strings() && self.node.texts.dates.is_some()
    }

    fn mean_bytes(&self) -> u64 {
        self.node.texts.bytes / self.node.counts.string.max(1)
    }
}

/// Returns the fields with a score, the best first.
fn best<'a>(
    fields: &[RecipeField<'a>],
    score: impl Fn(&RecipeField<'a>) -> Option<i64>,
) -> Vec<RecipeField<'a>> {
    let worth = |field: &RecipeField<'a>| Some((score(field)? - 12 * field.depth(), *field));
    let mut ranked: Vec<(i64, RecipeField<'a>)> = fields.iter().filter_map(worth).collect();
    ranked.sort_by_key(|(score, field)| (-score, field.rank));
    ranked.into_iter().map(|(_, field)| field).collect()
}

const TITLES: [&str; 9] =
    ["title", "name", "subject", "displayname", "headline", "summary", "label", "place", "path"];
const CATEGORIES: [&str; 12] = [
    "namespace",
    "category",
    "type",
    "kind",
    "status",
    "state",
    "memory_type",
    "group",
    "area",
    "severity",
    "priority",
    "language",
];
const DATES: [&str; 8] =
    ["created", "created_at", "date", "createdat", "timestamp", "time", "updated_at", "modified"];

pub(super) fn ids<'a>(fields: &[RecipeField<'a>]) -> Vec<RecipeField<'a>> {
    best(fields, |field| {
        let named = field.named(&["id", "uuid", "_id", "key", "number", "code"]);
        (field.single() && field.nearly_unique() && (field.id_like() || named > 0))
            .then(|| named + i64::from(field.id_like()) * 30)
    })
}

pub(super) fn titles<'a>(fields: &[RecipeField<'a>]) -> Vec<RecipeField<'a>> {
    best(fields, |field| {
        let texts = &field.node.texts;
        let short = texts.longest <= 300 && field.mean_bytes() <= 120;
        let plain = field.summary.format.is_none() && !field.dated() && !field.id_like();
        let own = !field.category() || field.named(&TITLES) > 0;
        (field.only_strings() && short && plain && own && texts.example.is_some())
            .then(|| field.named(&TITLES) + i64::from(field.nearly_unique()) * 10)
    })
}

pub(super) fn categories<'a>(fields: &[RecipeField<'a>]) -> Vec<RecipeField<'a>> {
    best(fields, |field| {
        let strings = i64::from(field.node.counts.string > 0) * 30;
        let few = i64::from(field.distinct() <= 20) * 10;
        let whole = i64::from(!field.has_gaps()) * 10;
        field.category().then(|| strings + few + whole + field.named(&CATEGORIES) / 2)
    })
}

pub(super) fn numbers<'a>(fields: &[RecipeField<'a>]) -> Vec<RecipeField<'a>> {
    const CODES: [&str; 7] = ["number", "code", "year", "time", "updated", "tz", "version"];
    best(fields, |field| {
        let code = field.id_like() || field.named(&CODES) > 0;
        let whole = i64::from(!field.has_gaps()) * 10;
        field.numeric().then(|| whole - i64::from(code) * 40)
    })
}

pub(super) fn dates<'a>(fields: &[RecipeField<'a>]) -> Vec<RecipeField<'a>> {
    best(fields, |field| field.dated().then(|| field.named(&DATES)))
}

/// Returns the fields with long texts, the longest on average first.
pub(super) fn texts<'a>(fields: &[RecipeField<'a>]) -> Vec<RecipeField<'a>> {
    best(fields, |field| {
        let length = i64::try_from(field.mean_bytes()).unwrap_or(i64::MAX).min(100_000);
        let text = field.only_strings() && field.summary.format.is_none();
        (text && length >= 40 && field.node.texts.example.is_some()).then_some(length)
    })
}
