//! The query, and how it is read from a request.

use std::collections::BTreeSet;

use raw_json::{self as raw, Fields};

use super::{
    condition::{Condition, Reading, Shared, Test},
    error::{QueryError, quoted},
    ids::Ids,
    json::{path::Path, path_set::PathSet},
};

const MAX_SELECTED: usize = 100;
const MAX_SORT_KEYS: usize = 8;
/// The members of a request that are read.
const MEMBERS: [&str; 9] =
    ["where", "select", "count", "group_by", "sort_by", "limit", "offset", "ids", "id_field"];
/// Accepted for `group_by`.
const GROUP: &str = "the dotted name of one field; for several send \
                     {\"sql\": \"SELECT a, b, count(*) FROM records GROUP BY 1, 2\"}";
const NAME: &str = "the dotted name of one field";
const NAMES: &str = "the dotted name of a field, or a list of them";

/// A query on records. It can run many times (see [`run`](super::run())).
///
/// ```
/// use record_files::query::Query;
///
/// let request = raw_json::fields(r#"{"where": {"field": "size", "op": "exist"}}"#)?;
/// let error = Query::parse(&request).unwrap_err().to_string();
/// assert!(error.ends_with("did you mean `exists`?"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) paths: PathSet,
    pub(super) tests: Vec<Test>,
    pub(super) condition: Option<Condition>,
    /// The arrays that several comparisons traverse.
    pub(super) shared: Vec<Shared>,
    /// The paths with several comparisons that different elements may meet.
    pub(super) repeated: BTreeSet<usize>,
    /// The pairs of comparisons of which one always holds.
    pub(super) always: Vec<[usize; 2]>,
    pub(super) select: Vec<Selected>,
    pub(super) group_by: Option<usize>,
    pub(super) sort_by: Vec<SortKey>,
    pub(super) ids: Option<Ids>,
    /// `None` means all.
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
    pub(super) shows: Shows,
}

/// The content of the answer, besides the number of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Nothing,
    Groups,
    Records,
}

/// One field to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SortKey {
    /// The index in the paths of the query.
    pub(super) path: usize,
    pub(super) descending: bool,
}

/// A field of a projected record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selected {
    pub(super) name: String,
    pub(super) path: usize,
}

impl Query {
    /// Reads `where`, `select`, `count`, `group_by`, `sort_by`, `limit`, `offset`, `ids` and
    /// `id_field` from the members of a request, and ignores other members. Null and a `limit` of 0
    /// mean that the member is absent. Without any of these members, all records match.
    ///
    /// The answer shows groups with `group_by`; only numbers with `count`, and with `ids`
    /// without `select`; else records. `sort_by` sorts records only. Numbers and flags may be in
    /// strings.
    ///
    /// # Errors
    ///
    /// Fails if a member has an unaccepted type or value, or more parts than the limits, or if
    /// it would have no effect.
    pub fn parse(members: &Fields<'_>) -> Result<Self, QueryError> {
        given_once(members)?;
        let member = |name| raw::field(members, name).map(str::trim_ascii).filter(|v| *v != "null");
        let mut reading = Reading::default();
        let condition = member("where").map(|raw| reading.condition(raw)).transpose()?;
        let group_by = match member("group_by") {
            Some(value) => {
                let name = name("group_by", value, GROUP)?;
                Some(reading.path(&name, "group_by")?)
            }
            None => None,
        };
        let select = select(member("select"), &mut reading)?;
        let count = flag("count", member("count"))?;
        let shows = match (&group_by, member("ids")) {
            (Some(_), _) => Shows::Groups,
            (None, Some(_)) if select.is_empty() => Shows::Nothing,
            (None, _) if count => Shows::Nothing,
            (None, _) => Shows::Records,
        };
        let sort_by = match member("sort_by") {
            Some(value) => sort_keys(value, &mut reading)?,
            None => Vec::new(),
        };
        let limit = number("limit", member("limit"))?.filter(|limit| *limit > 0);
        let offset = number("offset", member("offset"))?.unwrap_or(0);
        let given = [
            ("select", !select.is_empty()),
            ("sort_by", !sort_by.is_empty()),
            ("limit", limit.is_some()),
            ("offset", offset > 0),
        ];
        let given = given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name);
        no_effect(given, shows, count)?;
        // The field of the ids has a path of its own, which can be replaced by a guess.
        let ids = match member("ids") {
            Some(value) => {
                let field = member("id_field");
                let name = name("id_field", field.unwrap_or("\"id\""), NAME)?;
                reading.paths.push(Path::parse(&name, "id_field")?);
                Some(Ids::read(value, reading.paths.len() - 1, field.is_none())?)
            }
            None => None,
        };
        Ok(Self {
            paths: PathSet::new(reading.paths),
            tests: reading.tests,
            condition,
            shared: reading.shared,
            repeated: reading.repeated,
            always: reading.always,
            select,
            group_by,
            sort_by,
            ids,
            limit,
            offset,
            shows,
        })
    }

    /// Returns true if each page shows consecutive records of the file, independent of the other
    /// records.
    pub fn is_page(&self) -> bool {
        let selects_all = match &self.condition {
            None => true,
            Some(condition) => matches!(condition, Condition::All(parts) if parts.is_empty()),
        };
        selects_all && self.shows == Shows::Records && self.sort_by.is_empty() && self.ids.is_none()
    }

    /// Returns the maximum number of records of a page; `None` for all.
    pub fn limit(&self) -> Option<usize> {
        self.limit
    }

    /// Returns the query with another field of ids.
    pub(super) fn with_id_field(&self, field: &str) -> Result<Self, QueryError> {
        let mut query = self.clone();
        let mut paths = query.paths.all().to_vec();
        if let Some(ids) = &mut query.ids {
            paths[ids.path] = Path::parse(field, "id_field")?;
            ids.is_default = false;
        }
        query.paths = PathSet::new(paths);
        Ok(query)
    }

    /// Returns the maximum number of groups or records that are needed, including those before the
    /// page.
    pub(super) fn room(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| limit.saturating_add(self.offset))
    }
}

/// Rejects duplicate members, of which JSON parsers drop the first.
fn given_once(members: &Fields<'_>) -> Result<(), QueryError> {
    let count = |name: &str| members.iter().filter(|(key, _)| key == name).count();
    match MEMBERS.into_iter().find(|name| count(name) > 1) {
        None => Ok(()),
        Some(name) => Err(QueryError::BadMember {
            member: name.to_owned(),
            found: "given twice".to_owned(),
            accepted: "one value; {\"all\": [{…}, {…}]} joins conditions",
        }),
    }
}

/// Rejects the first of the given members that would not change the answer.
fn no_effect(
    given: impl Iterator<Item = &'static str>,
    shows: Shows,
    count: bool,
) -> Result<(), QueryError> {
    let (idle, beside, instead): (&[&str], _, _) = match shows {
        Shows::Records => return Ok(()),
        Shows::Groups => (
            &["select", "sort_by"],
            "with group_by, which lists counts, the largest first",
            "leave it out, or send {\"sql\": \"SELECT …, count(*) FROM records GROUP BY …\"}",
        ),
        Shows::Nothing if count => (
            &["select", "sort_by", "limit", "offset"],
            "with count, which is one number over all records",
            "leave one of the two out",
        ),
        Shows::Nothing => (
            &["sort_by", "limit", "offset"],
            "with ids without select, which lists no records",
            "leave it out, or name the fields to show in select",
        ),
    };
    for member in given {
        if idle.contains(&member) {
            return Err(QueryError::NoEffect { member, beside, instead });
        }
    }
    Ok(())
}

fn select(value: Option<&str>, reading: &mut Reading) -> Result<Vec<Selected>, QueryError> {
    let mut select: Vec<Selected> = Vec::new();
    for name in names("select", value, MAX_SELECTED)? {
        let path = reading.path(&name, "select")?;
        if select.iter().all(|known| known.path != path) {
            let name = reading.paths[path].text.clone();
            let name = if name.is_empty() { ".".to_owned() } else { name };
            select.push(Selected { name, path });
        }
    }
    Ok(select)
}

fn sort_keys(value: &str, reading: &mut Reading) -> Result<Vec<SortKey>, QueryError> {
    let mut keys = Vec::new();
    for name in names("sort_by", Some(value), MAX_SORT_KEYS)? {
        let (descending, field) = match (name.strip_prefix('-'), name.rsplit_once(' ')) {
            (Some(field), _) => (true, field),
            (None, Some((field, order))) if order.eq_ignore_ascii_case("desc") => (true, field),
            (None, Some((field, order))) if order.eq_ignore_ascii_case("asc") => (false, field),
            _ => (false, name.as_str()),
        };
        keys.push(SortKey { path: reading.path(field, "sort_by")?, descending });
    }
    Ok(keys)
}

/// Reads names from one string, separated by commas, or from an array of strings.
fn names(member: &str, value: Option<&str>, limit: usize) -> Result<Vec<String>, QueryError> {
    let names: Vec<String> = match value {
        None => Vec::new(),
        Some(value) if raw::is_string(value) => {
            let text = raw::unescape(value).text;
            if text.trim_ascii_start().starts_with('[') && raw::elements(&text).is_ok() {
                return names(member, Some(&text), limit);
            }
            text.split(',').map(|name| name.trim().to_owned()).collect()
        }
        Some(value) => {
            let elements = raw::elements(value).map_err(|_no_array| bad(member, value, NAMES))?;
            let names = elements.into_iter().map(|element| name(member, element, NAMES));
            names.collect::<Result<_, _>>()?
        }
    };
    if names.len() > limit {
        let (member, found) = (member.to_owned(), names.len());
        return Err(QueryError::TooMany { member, found, what: "fields", limit });
    }
    Ok(names)
}

fn name(member: &str, value: &str, accepted: &'static str) -> Result<String, QueryError> {
    if !raw::is_string(value) {
        return Err(bad(member, value, accepted));
    }
    Ok(raw::unescape(value).text.into_owned())
}

fn flag(member: &str, value: Option<&str>) -> Result<bool, QueryError> {
    match value {
        None | Some("false" | "\"false\"") => Ok(false),
        Some("true" | "\"true\"") => Ok(true),
        Some(value) => Err(bad(member, value, "true or false")),
    }
}

fn number(member: &str, value: Option<&str>) -> Result<Option<usize>, QueryError> {
    let Some(value) = value else { return Ok(None) };
    value.trim_matches('"').trim().parse().map(Some).map_err(|_no_count| QueryError::BadMember {
        member: member.to_owned(),
        found: quoted(value),
        accepted: "a whole number from 0",
    })
}

fn bad(member: &str, value: &str, accepted: &'static str) -> QueryError {
    let (member, found) = (member.to_owned(), raw::kind(value).to_owned());
    QueryError::BadMember { member, found, accepted }
}
