//! Roles: which field is the records' title, category, number, date and so on.
//! A role is a guess by name and values; that a filter over the field works is
//! certain, since only fields that jq reaches without failing play one.

use super::access::{Access, Base, access};
use crate::line::one_line;
use crate::schema::node::Node;
use crate::schema::{FieldSummary, Schema};

/// A field that a recipe can use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) field: &'a FieldSummary,
    pub(super) path: &'a str,
    pub(super) node: &'a Node,
    /// The node's own values, or those of the arrays that stand in it.
    pub(super) within: &'a Node,
    many: bool,
    rank: i64,
    /// Objects that could have it.
    holders: u64,
}

/// The fields with their ways.
pub(super) struct Fields {
    fields: Vec<(FieldSummary, Access)>,
}

impl Fields {
    pub(super) fn of(schema: &Schema, base: Base) -> Self {
        let usable = |field: FieldSummary| {
            let access = access(schema, base, field.node)?;
            (!access.path.is_empty() && field.path.len() <= 120).then_some((field, access))
        };
        Self { fields: schema.paths().into_iter().filter_map(usable).collect() }
    }

    pub(super) fn parts<'a>(&'a self, schema: &'a Schema) -> Vec<Part<'a>> {
        let part = |(rank, (field, access)): (usize, &'a (FieldSummary, Access))| {
            let node = schema.node(field.node);
            let within = schema.items(field.node).map_or(node, |items| schema.node(items));
            Part {
                field,
                path: &access.path,
                node,
                within,
                many: access.many,
                rank: i64::try_from(rank).unwrap_or(i64::MAX),
                holders: schema.node(node.parent).counts.object,
            }
        };
        self.fields.iter().enumerate().map(part).collect()
    }
}

impl Part<'_> {
    /// What an agent calls it.
    pub(super) fn label(&self) -> &str {
        &self.field.path
    }

    /// Returns the same on one line, for a sentence.
    pub(super) fn said(&self) -> String {
        one_line(self.label())
    }

    fn last(&self) -> String {
        let name = self.label().rsplit('.').next().unwrap_or_default();
        name.to_ascii_lowercase()
    }

    /// One value, no object and no array, for each record.
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

    /// True where some record has no value in it.
    pub(super) fn has_gaps(&self) -> bool {
        !self.many && self.node.may_be_null(self.holders)
    }

    /// True where its values are arrays (or null) of scalars.
    pub(super) fn list(&self) -> bool {
        !self.many
            && self.node.counts.array > 0
            && self.node.counts.array + self.node.counts.null == self.node.counts.all()
            && self.within.is_scalar()
    }

    /// True where it stands within arrays and its values are scalars.
    pub(super) fn inner(&self) -> bool {
        self.many && self.node.is_scalar() && !self.node.values.top(1).is_empty()
    }

    fn depth(&self) -> i64 {
        i64::try_from(self.label().matches('.').count()).unwrap_or(i64::MAX)
    }

    /// How well the name fits one of these words, the first best.
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
            || self.field.format == Some("uuid")
    }

    /// A sort of thing: few values that repeat.
    pub(super) fn category(&self) -> bool {
        let values = &self.node.values;
        self.single()
            && self.node.counts.number == 0
            && values.complete()
            && (2..=50).contains(&values.distinct())
            && self.node.counts.scalars() >= 2 * values.distinct()
            && self.node.texts.longest <= 64
    }

    /// Numbers that differ and count or measure something.
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

/// The best part by a score; parts that score nothing play no role.
fn best<'a>(parts: &[Part<'a>], score: impl Fn(&Part<'a>) -> Option<i64>) -> Vec<Part<'a>> {
    let worth = |part: &Part<'a>| Some((score(part)? - 12 * part.depth(), *part));
    let mut ranked: Vec<(i64, Part<'a>)> = parts.iter().filter_map(worth).collect();
    ranked.sort_by_key(|(score, part)| (-score, part.rank));
    ranked.into_iter().map(|(_, part)| part).collect()
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

pub(super) fn ids<'a>(parts: &[Part<'a>]) -> Vec<Part<'a>> {
    best(parts, |part| {
        let named = part.named(&["id", "uuid", "_id", "key", "number", "code"]);
        (part.single() && part.nearly_unique() && (part.id_like() || named > 0))
            .then(|| named + i64::from(part.id_like()) * 30)
    })
}

pub(super) fn titles<'a>(parts: &[Part<'a>]) -> Vec<Part<'a>> {
    best(parts, |part| {
        let texts = &part.node.texts;
        let short = texts.longest <= 300 && part.mean_bytes() <= 120;
        let plain = part.field.format.is_none() && !part.dated() && !part.id_like();
        let own = !part.category() || part.named(&TITLES) > 0;
        (part.only_strings() && short && plain && own && texts.example.is_some())
            .then(|| part.named(&TITLES) + i64::from(part.nearly_unique()) * 10)
    })
}

pub(super) fn categories<'a>(parts: &[Part<'a>]) -> Vec<Part<'a>> {
    best(parts, |part| {
        let strings = i64::from(part.node.counts.string > 0) * 30;
        let few = i64::from(part.distinct() <= 20) * 10;
        let whole = i64::from(!part.has_gaps()) * 10;
        part.category().then(|| strings + few + whole + part.named(&CATEGORIES) / 2)
    })
}

pub(super) fn numbers<'a>(parts: &[Part<'a>]) -> Vec<Part<'a>> {
    const CODES: [&str; 7] = ["number", "code", "year", "time", "updated", "tz", "version"];
    best(parts, |part| {
        let code = part.id_like() || part.named(&CODES) > 0;
        let whole = i64::from(!part.has_gaps()) * 10;
        part.numeric().then(|| whole - i64::from(code) * 40)
    })
}

pub(super) fn dates<'a>(parts: &[Part<'a>]) -> Vec<Part<'a>> {
    best(parts, |part| part.dated().then(|| part.named(&DATES)))
}

/// Long texts, the longest on average first.
pub(super) fn texts<'a>(parts: &[Part<'a>]) -> Vec<Part<'a>> {
    best(parts, |part| {
        let length = i64::try_from(part.mean_bytes()).unwrap_or(i64::MAX).min(100_000);
        let text = part.only_strings() && part.field.format.is_none();
        (text && length >= 40 && part.node.texts.example.is_some()).then_some(length)
    })
}
