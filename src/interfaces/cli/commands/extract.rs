//! `unburden extract`: queries a file of records, as over HTTP.

use std::collections::HashSet;

use raw_json::quote;
use serde_json::value::RawValue;

use crate::interfaces::cli::arguments::Extract;
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::input::{BodyMembers, list};
use crate::interfaces::cli::open::reader;
use crate::interfaces::cli::output::print_answer;

pub(crate) fn run(options: &Extract) -> Result<Exit, CliError> {
    let body = BodyMembers::default()
        .text("file_path", Some(&options.path))
        .text("query", options.query.as_deref())
        .text("sql", options.sql.as_deref())
        .json("where", condition(options.condition.as_deref())?)
        .number("recipe", options.recipe)
        .json("params", params(&options.param)?)
        .json("ids", list(&options.ids))
        .text("id_field", options.id_field.as_deref())
        .json("select", list(&options.select))
        .json("count", options.count.then(|| "true".to_owned()))
        .text("group_by", options.group_by.as_deref())
        .text("sort_by", options.sort_by.as_deref())
        .json("slurp", options.slurp.map(|slurp| slurp.to_string()))
        .number("limit", options.limit)
        .number("offset", options.offset)
        .number("max_tokens", options.answer.max_tokens)
        .body();
    let answer = reader(&options.answer.reach)?.lro_extract(body.as_bytes())?;
    print_answer(answer, options.answer.json)?;
    Ok(Exit::Success)
}

/// Returns `name=value` pairs as an object. Values that are JSON stay JSON.
fn params(pairs: &[String]) -> Result<Option<String>, CliError> {
    let mut names = HashSet::new();
    let mut members = Vec::new();
    for pair in pairs {
        let refused = |found: String| CliError::Input { what: format!("--param {pair}"), found };
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| refused("no \"=\" was found; accepted is NAME=VALUE".to_owned()))?;
        if !names.insert(name) {
            return Err(refused(format!("{name} was found twice; accepted is one value for each")));
        }
        let json = serde_json::from_str::<&RawValue>(value);
        let value = json.map_or_else(|_| quote(value), |json| json.get().to_owned());
        members.push(format!("{}:{value}", quote(name)));
    }
    Ok((!members.is_empty()).then(|| format!("{{{}}}", members.join(","))))
}

/// Returns a condition as JSON: a comparison in words, such as `priority > 3`, as a string.
fn condition(text: Option<&str>) -> Result<Option<String>, CliError> {
    let Some(text) = text else { return Ok(None) };
    match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => Ok(Some(text.to_owned())),
        Err(_) if !text.trim_start().starts_with(['{', '[', '"']) => Ok(Some(quote(text))),
        Err(error) => Err(CliError::Input {
            what: "--where".to_owned(),
            found: format!(
                "no JSON was found ({error}); accepted is a condition such as \
                 {{\"field\":\"priority\",\"op\":\">\",\"value\":3}}"
            ),
        }),
    }
}
