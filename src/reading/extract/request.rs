//! The query of `lro_extract`, as a request states it.

use std::borrow::Cow;

use raw_json as raw;

use record_files::query::{Query, QueryError};

use super::command::Command;
use crate::params::{Elsewhere, Json, Member, PATH, ParamError, Params, invalid, request};

request! {
    /// `POST /lro_extract`. The members that have no part in a question are not read.
    pub(crate) struct Extract<'a> {
        /// Path of the file; absolute, or relative to the service's working directory.
        ///
        /// Limits: 4096 bytes, no control characters.
        file_path: String {
            aka: &["path", "file", "absolute_path", "filename"],
            accepted: "the path of a file of records, as a string",
            schema: PATH,
        },
        /// Condition that selects records.
        ///
        /// `{}` selects all records. Limits: 32 levels, 200 parts.
        r#where: Option<Json<'a>> {
            name: "where",
            aka: &["filter", "filters", "condition", "conditions", "predicate", "criteria"],
            schema: r##"{"oneOf": [{"$ref": "#/components/schemas/Condition"},
                {"type": "null"}]}"##,
        },
        /// The ids to look for.
        ///
        /// A number and a string with the same digits are the same id. With `select`, the answer
        /// also shows the records that were found.
        ids: Option<Json<'a>> {
            aka: &["id", "keys", "id_list", "lookup"],
            schema: r#"{"type": ["array", "null"], "maxItems": 10000,
                "items": {"type": ["string", "number"]}}"#,
        },
        /// With `ids`, the field that holds the id.
        id_field: String = "id",
        /// With `where` and `ids`, the fields to show of each record, in this order.
        ///
        /// A list, or one string with names separated by commas. A field that a record lacks is
        /// omitted. A path through an array returns an array.
        select: Option<Json<'a>> {
            aka: &["columns", "fields", "project", "projection", "return", "properties"],
            absent: "the whole record, as stored",
            schema: r#"{"type": ["string", "array", "null"], "maxItems": 100,
                "items": {"type": "string"}}"#,
        },
        /// With `where` and `ids`, whether to return only the number of records.
        count: bool { aka: &["count_only", "only_count", "total"] } = false,
        /// With `where` and `ids`, the field whose values group and count the records.
        ///
        /// The largest group is first. Each element of an array counts. A missing field counts as
        /// null.
        group_by: Option<String> { aka: &["group", "distinct", "unique", "facet"] },
        /// With `where` and `ids`, the fields that sort the records.
        ///
        /// A list, or one string with names separated by commas. Values sort in the order of jq;
        /// `-` before a name reverses it. Records with equal values keep the order of the file.
        sort_by: Option<Json<'a>> {
            aka: &["order_by", "sort", "order", "sorting"],
            absent: "the order of the file",
            schema: r#"{"type": ["string", "array", "null"], "maxItems": 8,
                "items": {"type": "string"}}"#,
        },
        /// Number of a recipe of the file.
        recipe: Option<u64> { min: 1, max: 10 },
        /// A jq filter of at most 16 KiB, or a shell command that runs `jq` on this file.
        ///
        /// For a command, the service runs its filter and honours `-r`, `-s`, `-n`, `--arg` and
        /// `| head -N`.
        query: Option<Cow<'a, str>> {
            aka: &["jq", "jq_filter", "expression"],
            schema: r#"{"maxLength": 16384}"#,
        },
        /// One SQL SELECT over the table `records`, in SQLite's dialect; at most 16 KiB.
        ///
        /// Columns are top-level fields, nested paths (`a.b` or `a_b`) and `record`. Arrays and
        /// objects are JSON text. `records('path')` is the table of another file.
        sql: Option<Cow<'a, str>> { schema: r#"{"maxLength": 16384}"# },
        /// Values of any type for the recipe or the filter, by name.
        ///
        /// With `recipe`, they replace the defaults of its parameters. With `query`, they are the
        /// variables of the filter. Names consist of ASCII letters, digits and `_`.
        params: Option<Json<'a>> {
            aka: &["args", "vars", "variables", "arguments"],
            schema: r#"{"type": ["object", "null"]}"#,
        },
        /// With `query`, whether the filter runs once on an array of all records (true) or on each.
        ///
        /// If absent, it runs on the array if the records are objects and the filter does not use
        /// its input as an object, such as `length`, `map(.x)`, `group_by(.x)`, `.[0]` or `.[]`.
        /// The answer says so.
        slurp: Option<bool> { absent: "decided by the use of the input in the filter" },
        /// Maximum number of records, groups or outputs; 0 means all.
        limit: u64 { aka: &["top", "first", "max_results", "max_records", "n", "size"] } = 0,
        /// Number of records, groups or outputs to skip.
        offset: u64 { aka: &["skip", "start", "from"] } = 0,
        /// Maximum size of `answer`, in tokens of `o200k_base`; 0 sets no limit.
        ///
        /// The first sentence is always included.
        max_tokens: Option<u64> { absent: "10000 (`reload.max_tokens`)" },
    }
}

/// Requests for what conditions cannot express.
pub(crate) const ELSEWHERE: &[Elsewhere] = &[(
    &[
        "aggregate",
        "aggregation",
        "aggregations",
        "aggs",
        "metrics",
        "sum",
        "avg",
        "average",
        "mean",
        "median",
        "percentile",
        "min",
        "max",
        "having",
        "join",
        "case",
    ],
    r#"{"sql": "SELECT status, avg(priority) FROM records GROUP BY status"} with your fields"#,
)];

/// One query.
pub(crate) enum ExtractQuery<'a> {
    /// `where`, `ids`, and the members that may accompany them.
    Query(Box<Query>),
    /// `query`.
    Jq(JqFilter<'a>),
    /// `recipe`.
    Recipe(RecipeCall<'a>),
    /// `sql`.
    Sql(SqlStatement<'a>),
}

/// An SQL statement.
pub(crate) struct SqlStatement<'a> {
    /// In SQLite's dialect.
    pub sql: Cow<'a, str>,
    /// The number of rows to skip.
    pub offset: u64,
    /// Maximum number of rows; `None` for all.
    pub limit: Option<u64>,
}

/// A jq filter with its variables.
pub(crate) struct JqFilter<'a> {
    /// In jq's language.
    pub filter: Cow<'a, str>,
    /// `$name` and JSON text.
    pub vars: Vec<(String, String)>,
    /// True for all records as one array; `None` to decide by the filter.
    pub slurp: Option<bool>,
    /// True to print strings without quotes.
    pub raw: bool,
    /// The number of outputs to skip.
    pub offset: u64,
    /// Maximum number of outputs; `None` for all.
    pub limit: Option<u64>,
    /// Describes the parts of a shell command that run.
    pub note: Option<String>,
}

/// One of the file's recipes.
pub(crate) struct RecipeCall<'a> {
    /// From 1 to 10.
    pub number: u64,
    /// Values for its parameters, raw JSON.
    pub params: Vec<(Cow<'a, str>, &'a str)>,
    /// The number of outputs to skip.
    pub offset: u64,
    /// Maximum number of outputs; `None` for all.
    pub limit: Option<u64>,
}

/// The errors of a query that cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExtractQueryError {
    /// A field of the request is invalid.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The condition is invalid, or a member next to it.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// The members of which a request has exactly one.
const ONE_OF: &str = "exactly one of sql (a SELECT), recipe (1 to 10), query (a jq filter) and where \
                      (a condition, perhaps with ids), or ids, select, count, group_by or sort_by over all records";
/// Members that query all records if no condition is given.
const BESIDE: [&str; 4] = ["select", "count", "group_by", "sort_by"];

impl<'a> ExtractQuery<'a> {
    /// Reads a request body.
    pub(crate) fn read(params: &Params<'a>) -> Result<ExtractQuery<'a>, ExtractQueryError> {
        let given: Vec<&'static str> = ["sql", "recipe", "query", "where", "ids"]
            .into_iter()
            .filter(|name| params.raw(name).is_some())
            .collect();
        let beside = BESIDE.iter().filter(|name| params.raw(name).is_some()).count();
        no_effect(params, &given)?;
        match given.as_slice() {
            ["sql"] => {
                alone(params)?;
                Ok(ExtractQuery::Sql(SqlStatement {
                    sql: Member::read(params, &Extract::sql)?,
                    offset: Member::read(params, &Extract::offset)?,
                    limit: limit(params)?,
                }))
            }
            ["query"] => Ok(ExtractQuery::Jq(jq_filter(params)?)),
            ["recipe"] => Ok(ExtractQuery::Recipe(RecipeCall {
                number: Member::read(params, &Extract::recipe)?,
                params: variables(params)?,
                offset: Member::read(params, &Extract::offset)?,
                limit: limit(params)?,
            })),
            // The query checks the values of these members.
            ["where" | "ids"] | ["where", "ids"] => {
                Ok(ExtractQuery::Query(Box::new(query(params)?)))
            }
            [] if beside > 0 => Ok(ExtractQuery::Query(Box::new(query(params)?))),
            [] => Err(ParamError::Missing { field: "where", accepted: ONE_OF.to_owned() }.into()),
            [first, rest @ ..] => {
                let found = format!("given together with {}", rest.join(", "));
                Err(invalid(first, &found, ONE_OF).into())
            }
        }
    }
}

/// Rejects a member that has no effect next to the given kind of query.
fn no_effect(params: &Params<'_>, given: &[&'static str]) -> Result<(), ParamError> {
    let (idle, beside, accepted): (&[&'static str], _, _) = match given {
        ["query"] => (
            &["select", "count", "group_by", "sort_by", "id_field"],
            "query",
            "params, slurp, limit, offset or max_tokens; jq itself counts, groups and sorts, such \
             as {\"query\": \"[.[] | select(…)] | length\"}, and where takes the rest",
        ),
        ["recipe"] => (
            &["select", "count", "group_by", "sort_by", "id_field", "slurp"],
            "recipe",
            "params, limit, offset or max_tokens; where takes the rest",
        ),
        ["sql"] => (&[], "sql", ""),
        _ if given.contains(&"ids") => (&["slurp", "params"], "ids", "these with query"),
        _ => (
            &["slurp", "params", "id_field"],
            "where",
            "slurp and params with query, and id_field with ids",
        ),
    };
    let is_given = |name: &&&'static str| params.raw(name).is_some_and(|value| value != "false");
    match idle.iter().find(is_given) {
        Some(member) => Err(invalid(member, &format!("without effect with {beside}"), accepted)),
        None => Ok(()),
    }
}

/// Rejects members that have no effect next to a statement, and names their counterparts in SQL.
fn alone(params: &Params<'_>) -> Result<(), ParamError> {
    for (member, instead) in [
        ("select", "columns after SELECT"),
        ("count", "SELECT count(*)"),
        ("group_by", "GROUP BY in the statement"),
        ("sort_by", "ORDER BY in the statement"),
        ("id_field", "WHERE id IN (…) in the statement"),
        ("slurp", "an aggregate over all records, such as sum(x)"),
        ("params", "the values in the statement"),
    ] {
        if params.raw(member).is_some() {
            return Err(invalid(member, "given together with sql", instead));
        }
    }
    Ok(())
}

/// Parses a filter, or the filter of a shell command.
fn jq_filter<'a>(params: &Params<'a>) -> Result<JqFilter<'a>, ParamError> {
    let text: Cow<'a, str> = Member::read(params, &Extract::query)?;
    let path = String::read(params, &Extract::file_path)?;
    let command = Command::read(&text, &path).map_err(|found| ParamError::Invalid {
        field: "query",
        found: format!("a shell command with {found}"),
        accepted: "the filter of jq by itself, such as select(.id == 7)".to_owned(),
    })?;
    let vars = variables(params)?.into_iter();
    let mut filter = JqFilter {
        filter: text,
        vars: vars.map(|(name, value)| (name.into_owned(), value.to_owned())).collect(),
        slurp: Member::read(params, &Extract::slurp)?,
        raw: false,
        offset: Member::read(params, &Extract::offset)?,
        limit: limit(params)?,
        note: None,
    };
    if let Some(command) = command {
        if command.slurp && filter.slurp == Some(false) {
            let found = "false with a command that has -s or -n";
            return Err(invalid("slurp", found, "slurp: true"));
        }
        filter.note = Some(command.note());
        filter.slurp = filter.slurp.or(command.slurp.then_some(true));
        filter.raw = command.raw;
        filter.limit = [filter.limit, command.limit].into_iter().flatten().min();
        filter.vars.extend(command.vars);
        filter.filter = Cow::Owned(command.filter);
    }
    let is_unused = |(name, _): &&(String, String)| !uses(&filter.filter, name);
    if let Some((name, _)) = filter.vars.iter().find(is_unused) {
        let accepted = format!("variables that the filter uses, as ${name} would be in it");
        let found = format!("\"{name}\", which the filter does not use");
        return Err(invalid("params", &found, &accepted));
    }
    Ok(filter)
}

/// Returns true if the filter uses the variable.
fn uses(filter: &str, name: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let variable = format!("${name}");
    filter.match_indices(&variable).any(|(at, _)| !goes_on(&filter[at + variable.len()..]))
}

fn query(params: &Params<'_>) -> Result<Query, QueryError> {
    for name in ["limit", "offset"] {
        params.raw(name);
    }
    Query::parse(params.fields())
}

/// Returns the maximum number of outputs, or `None` for all.
fn limit(params: &Params<'_>) -> Result<Option<u64>, ParamError> {
    Ok(Some(u64::read(params, &Extract::limit)?).filter(|limit| *limit > 0))
}

/// Parses `params`, an object of values for variables.
fn variables<'a>(params: &Params<'a>) -> Result<Vec<(Cow<'a, str>, &'a str)>, ParamError> {
    let Some(object) = params.raw("params") else { return Ok(Vec::new()) };
    raw::fields(object)
        .map_err(|_| invalid("params", object, "an object of values, such as {\"keyword\": \"x\"}"))
}
