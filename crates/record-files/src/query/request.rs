//! The query, and how it is read from a request.

use raw_json::{self as raw, Fields};

use super::{
    condition::{Condition, Reading, Test},
    error::{QueryError, quoted},
    ids::Ids,
    json::path_set::PathSet,
    sort::SortKey,
};

const MAX_SELECTED: usize = 100;
const MAX_SORT_KEYS: usize = 8;
const NAMES: &str = "the dotted name of a field, or a list of them";

/// A question about records. It can be run many times (see [`run`](super::run())).
///
/// ```
/// use record_files::query::Query;
///
/// let request = raw_json::fields(r#"{"where": {"field": "size", "op": "gt"}}"#)?;
/// let error = Query::parse(&request).unwrap_err().to_string();
/// assert!(error.ends_with("did you mean `>`?"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) paths: PathSet,
    pub(super) tests: Vec<Test>,
    pub(super) condition: Option<Condition>,
    pub(super) select: Vec<Selected>,
    pub(super) group_by: Option<usize>,
    pub(super) sort_by: Vec<SortKey>,
    pub(super) ids: Option<Ids>,
    /// None for all.
    pub(super) limit: Option<usize>,
    pub(super) offset: usize,
    pub(super) shows: Shows,
}

/// The content of the answer, next to the number of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Nothing,
    Groups,
    Records,
}

/// A field of a projected record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Selected {
    pub(super) name: String,
    pub(super) path: usize,
}

impl Query {
    /// Reads `where`, `select`, `count`, `group_by`, `sort_by`, `limit`, `offset`, `ids` and
    /// `id_field` from the members of a request, and ignores other members. Null is the same
    /// as absent; so is a `limit` of 0. Without any of these members, all records match.
    ///
    /// The answer shows groups with `group_by`; only numbers with `count`, and with `ids`
    /// without `select`; else records. `sort_by` sorts records only.
    ///
    /// # Errors
    ///
    /// Fails if a member has an unaccepted type or value, or more parts than the limits.
    pub fn parse(members: &Fields<'_>) -> Result<Self, QueryError> {
        let member = |name| raw::field(members, name).map(str::trim_ascii).filter(|v| *v != "null");
        let mut reading = Reading::default();
        let condition = member("where").map(|raw| reading.condition(raw)).transpose()?;
        let group_by = match member("group_by") {
            Some(value) => {
                let name = name("group_by", value, "the dotted name of one field")?;
                Some(reading.path(&name, "group_by")?)
            }
            None => None,
        };
        let select = select(member("select"), &mut reading)?;
        let ids = match member("ids") {
            Some(value) => {
                let field = member("id_field").unwrap_or("\"id\"");
                let field = name("id_field", field, "the dotted name of one field")?;
                Some(Ids::read(value, reading.path(&field, "id_field")?)?)
            }
            None => None,
        };
        let count = flag("count", member("count"))?;
        let shows = match (&group_by, &ids) {
            (Some(_), _) => Shows::Groups,
            (None, Some(_)) if select.is_empty() => Shows::Nothing,
            (None, _) if count => Shows::Nothing,
            (None, _) => Shows::Records,
        };
        let sort_by = match member("sort_by").filter(|_| shows == Shows::Records) {
            Some(value) => sort_keys(value, &mut reading)?,
            None => Vec::new(),
        };
        Ok(Self {
            paths: PathSet::new(reading.paths),
            tests: reading.tests,
            condition,
            select,
            group_by,
            sort_by,
            ids,
            limit: number("limit", member("limit"))?.filter(|limit| *limit > 0),
            offset: number("offset", member("offset"))?.unwrap_or(0),
            shows,
        })
    }

    /// Returns the most groups or records that are needed, those before the page included.
    pub(super) fn room(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| limit.saturating_add(self.offset))
    }
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
        let (descending, field) = match name.strip_prefix('-') {
            Some(field) => (true, field),
            None => (false, name.as_str()),
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
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(value) => Err(bad(member, value, "true or false")),
    }
}

fn number(member: &str, value: Option<&str>) -> Result<Option<usize>, QueryError> {
    let Some(value) = value else { return Ok(None) };
    value.parse().map(Some).map_err(|_no_count| QueryError::BadMember {
        member: member.to_owned(),
        found: quoted(value),
        accepted: "a whole number from 0",
    })
}

fn bad(member: &str, value: &str, accepted: &'static str) -> QueryError {
    let (member, found) = (member.to_owned(), raw::kind(value).to_owned());
    QueryError::BadMember { member, found, accepted }
}
