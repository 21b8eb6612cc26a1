//! The request of `/offload_result`: fields, defaults and ranges of `openapi.yaml`,
//! validated once here.

use std::borrow::Cow;

use chat_history::raw;
use redact::Redact;

use crate::compaction::call::ReloadTools;
use crate::descriptor::Richness;
use crate::params::{ParamError, Params, invalid};
use record_files::profile::Profile;

/// The result of a tool, as given in the request.
#[derive(Debug, Clone)]
pub enum GivenResult<'a> {
    /// `results`: an array, raw.
    Results(&'a str),
    /// `content`: a text, in which records are looked for.
    Content(Cow<'a, str>),
}

/// A parsed request.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The tool or operation; a part of the file's name.
    pub operation: String,
    /// The query of the tool, where the caller names it.
    pub query: Option<String>,
    /// The level of detail that the records were serialised at.
    pub detail: String,
    /// The result.
    pub given: GivenResult<'a>,
    /// Above this it is offloaded, in tokens; None leaves it to the configuration.
    pub threshold_tokens: Option<u64>,
    /// The lifetime of the file, in seconds; None leaves it to the configuration.
    pub ttl_seconds: Option<u64>,
    /// The folder of the file, as the caller spells it.
    pub output_dir: Option<String>,
    /// The profile of recipes and names.
    pub profile: Profile,
    /// The richness of the descriptor.
    pub descriptor: Richness,
    /// The field that `score_range` is taken from.
    pub score_field: Option<String>,
    /// The tools the agent has.
    pub reload_tools: ReloadTools,
}

/// The levels of detail of the memory profiles.
const DETAILS: [&str; 3] = ["light", "medium", "full"];
/// Longest operation and detail, in characters.
const WORD: usize = 200;

impl<'a> Request<'a> {
    /// Reads a request body.
    pub fn read(params: &Params<'a>) -> Result<Request<'a>, ParamError> {
        let operation = required_word(params, "operation")?;
        let profile =
            params.word("profile", &Profile::ALL.map(|p| (p.name(), p)))?.unwrap_or_default();
        let detail = detail(params, profile, &operation)?;
        let richness = Richness::ALL.map(|richness| (richness.name(), richness));
        Ok(Request {
            query: params.string("query")?.map(Cow::into_owned),
            given: given(params)?,
            threshold_tokens: params.whole("threshold_tokens", 0)?,
            ttl_seconds: ttl(params)?,
            output_dir: params.string("output_dir")?.map(Cow::into_owned),
            descriptor: params.word("descriptor", &richness)?.unwrap_or_default(),
            score_field: params.string("score_field")?.map(Cow::into_owned),
            reload_tools: ReloadTools::read(params)?,
            operation,
            detail,
            profile,
        })
    }

    /// The request with the words that name the file, and are told of it, as they may be shown.
    pub fn shown_by(mut self, redact: Redact) -> Request<'a> {
        for word in [&mut self.operation, &mut self.detail] {
            *word = redact.word(word).into_owned();
        }
        self
    }
}

/// Up to ten years: beyond that a file is not meant to be a large result.
fn ttl(params: &Params<'_>) -> Result<Option<u64>, ParamError> {
    const MOST: u64 = 10 * 365 * 24 * 3_600;
    match params.whole("ttl_seconds", 1)? {
        Some(seconds) if seconds > MOST => {
            let accepted = "a whole number of seconds from 1 to 315360000";
            Err(invalid("ttl_seconds", &seconds.to_string(), accepted))
        }
        seconds => Ok(seconds),
    }
}

fn required_word(params: &Params<'_>, field: &'static str) -> Result<String, ParamError> {
    let accepted = "the name of a tool or operation, as a string of 1 to 200 characters";
    let word = params
        .string(field)?
        .ok_or_else(|| ParamError::Missing { field, accepted: accepted.to_owned() })?;
    if word.trim().is_empty() || word.chars().count() > WORD {
        return Err(invalid(field, &format!("{word:?}"), accepted));
    }
    Ok(word.into_owned())
}

/// The given detail, or what the operation's own default would be.
fn detail(params: &Params<'_>, profile: Profile, operation: &str) -> Result<String, ParamError> {
    let given = params.string("detail")?.filter(|detail| !detail.trim().is_empty());
    match given {
        Some(detail) if profile == Profile::Mif && !DETAILS.contains(&&*detail) => {
            Err(invalid("detail", &format!("{detail:?}"), "\"light\", \"medium\", \"full\""))
        }
        Some(detail) if detail.chars().count() > WORD => {
            Err(invalid("detail", &format!("{detail:?}"), "a word of up to 200 characters"))
        }
        Some(detail) => Ok(detail.into_owned()),
        // The defaults of the memory tools (`lro-spec-1600`, "Threshold Detection").
        None if profile == Profile::Mif && operation.starts_with("inject") => Ok("medium".into()),
        None if profile == Profile::Mif => Ok("light".into()),
        None => Ok("full".into()),
    }
}

fn given<'a>(params: &Params<'a>) -> Result<GivenResult<'a>, ParamError> {
    let results = params.raw("results");
    let content = params.string("content")?;
    match (results, content) {
        (Some(_), Some(_)) => {
            Err(invalid("content", "given beside results", "either results or content"))
        }
        (Some(results), None) if raw::elements(results).is_err() => {
            Err(invalid("results", results, "an array"))
        }
        (Some(results), None) => Ok(GivenResult::Results(results)),
        (None, Some(content)) => Ok(GivenResult::Content(content)),
        (None, None) => Err(ParamError::Missing {
            field: "results",
            accepted: "an array of records, or the text of a result in content".to_owned(),
        }),
    }
}
