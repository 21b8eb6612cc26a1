//! A query as a request spells it.

use chat_history::raw::{self, Fields};

use super::{
    condition::{Condition, Reading, Test},
    error::{QueryError, quoted},
    ids::Ids,
    sort::SortKey,
    wanted::Wanted,
};

const SELECTED: usize = 100;
const SORT_KEYS: usize = 8;
const NAMES: &str = "the dotted name of a field, or a list of them";

/// A question about records, read and checked once; it can be run many times.
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) wanted: Wanted,
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

/// What the answer consists of beside the number of matches.
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
    /// Reads `where`, `select`, `count`, `group_by`, `sort_by`, `limit`,
    /// `offset`, `ids` and `id_field` from the members of a request and leaves
    /// the others alone; null counts as absent, and so does a `limit` of 0.
    /// Without any of them every record is the answer.
    ///
    /// With `group_by` groups are shown; with `count`, and with `ids` without
    /// `select`, nothing but numbers; else records. `sort_by` counts for records
    /// only.
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
            wanted: Wanted::new(reading.paths),
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

    /// How many groups or records may be needed: those before the page too.
    pub(super) fn room(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| limit.saturating_add(self.offset))
    }
}

fn select(value: Option<&str>, reading: &mut Reading) -> Result<Vec<Selected>, QueryError> {
    let mut select: Vec<Selected> = Vec::new();
    for name in names("select", value, SELECTED)? {
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
    for name in names("sort_by", Some(value), SORT_KEYS)? {
        let (descending, field) = match name.strip_prefix('-') {
            Some(field) => (true, field),
            None => (false, name.as_str()),
        };
        keys.push(SortKey { path: reading.path(field, "sort_by")?, descending });
    }
    Ok(keys)
}

/// One string, in which commas part names, or a list of strings, in which they
/// do not.
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
