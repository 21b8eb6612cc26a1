//! The question of `lro_extract`, as a request spells it.

use std::borrow::Cow;

use chat_history::raw;

use crate::params::{ParamError, Params, invalid};
use record_files::query::{Query, QueryError};

/// One question.
pub enum ExtractQuery<'a> {
    /// `where`, `ids`, and the members that may accompany them.
    Query(Box<Query>),
    /// `query`.
    Jq(JqFilter<'a>),
    /// `recipe`.
    Recipe(RecipeCall<'a>),
}

/// A jq filter with its variables.
pub struct JqFilter<'a> {
    /// In jq's language.
    pub filter: Cow<'a, str>,
    /// `$name` and JSON text.
    pub vars: Vec<(String, String)>,
    /// All records as one array.
    pub slurp: bool,
    /// Outputs left out at the start.
    pub offset: u64,
    /// Most outputs.
    pub limit: Option<u64>,
}

/// One of the file's recipes.
pub struct RecipeCall<'a> {
    /// From 1 to 10.
    pub number: u64,
    /// Values for its parameters, raw JSON.
    pub params: Vec<(Cow<'a, str>, &'a str)>,
    /// Outputs left out at the start.
    pub offset: u64,
    /// Most outputs.
    pub limit: Option<u64>,
}

/// The errors of a query that cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub enum ExtractQueryError {
    /// A field of the request.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The condition, or a member next to it.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// The members of which exactly one is given.
const ONE_OF: &str = "exactly one of recipe (1 to 10), query (a jq filter) and where (a condition, \
                      perhaps with ids), or ids, select, count, group_by or sort_by over all records";
/// Members that ask of every record where no condition is given.
const BESIDE: [&str; 4] = ["select", "count", "group_by", "sort_by"];

impl<'a> ExtractQuery<'a> {
    /// Reads a request body.
    pub fn read(params: &Params<'a>) -> Result<ExtractQuery<'a>, ExtractQueryError> {
        let given: Vec<&'static str> = ["recipe", "query", "where", "ids"]
            .into_iter()
            .filter(|name| params.raw(name).is_some())
            .collect();
        let beside = BESIDE.iter().filter(|name| params.raw(name).is_some()).count();
        params.raw("id_field");
        match given.as_slice() {
            ["query"] => Ok(ExtractQuery::Jq(JqFilter {
                filter: params.string("query")?.unwrap_or_default(),
                vars: variables(params)?
                    .into_iter()
                    .map(|(name, value)| (name.into_owned(), value.to_owned()))
                    .collect(),
                slurp: params.flag("slurp")?.unwrap_or(false),
                offset: params.whole("offset", 0)?.unwrap_or(0),
                limit: params.whole("limit", 0)?.filter(|limit| *limit > 0),
            })),
            ["recipe"] => Ok(ExtractQuery::Recipe(RecipeCall {
                number: recipe(params)?,
                params: variables(params)?,
                offset: params.whole("offset", 0)?.unwrap_or(0),
                limit: params.whole("limit", 0)?.filter(|limit| *limit > 0),
            })),
            // The members are checked by the query; that they are known is said here.
            ["where" | "ids"] | ["where", "ids"] => {
                Ok(ExtractQuery::Query(Box::new(query(params)?)))
            }
            [] if beside > 0 => Ok(ExtractQuery::Query(Box::new(query(params)?))),
            [] => Err(ParamError::Missing { field: "where", accepted: ONE_OF.to_owned() }.into()),
            [first, rest @ ..] => {
                Err(invalid(first, &format!("given beside {}", rest.join(", ")), ONE_OF).into())
            }
        }
    }
}

impl ExtractQuery<'_> {
    /// Returns a warning for each member without effect in this query.
    pub fn without_effect(&self, params: &Params<'_>) -> Vec<String> {
        let (idle, beside): (&[&'static str], &str) = match self {
            ExtractQuery::Query(_) => (&["slurp", "params"], "where and ids"),
            ExtractQuery::Jq(_) => {
                (&["select", "count", "group_by", "sort_by", "id_field"], "query")
            }
            ExtractQuery::Recipe(_) => {
                (&["select", "count", "group_by", "sort_by", "id_field", "slurp"], "recipe")
            }
        };
        let given = idle.iter().filter(|name| params.raw(name).is_some());
        given.map(|name| format!("\"{name}\" has no effect beside {beside}")).collect()
    }
}

fn query(params: &Params<'_>) -> Result<Query, QueryError> {
    for name in ["limit", "offset"] {
        params.raw(name);
    }
    Query::parse(params.fields())
}

fn recipe(params: &Params<'_>) -> Result<u64, ParamError> {
    let number = params.whole("recipe", 1)?.unwrap_or(1);
    if number > 10 {
        return Err(invalid("recipe", &number.to_string(), "a whole number from 1 to 10"));
    }
    Ok(number)
}

/// `params`: an object of values for variables.
fn variables<'a>(params: &Params<'a>) -> Result<Vec<(Cow<'a, str>, &'a str)>, ParamError> {
    let Some(object) = params.raw("params") else { return Ok(Vec::new()) };
    raw::fields(object)
        .map_err(|_| invalid("params", object, "an object of values, such as {\"keyword\": \"x\"}"))
}
