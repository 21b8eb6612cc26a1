//! The request of `/offload_result`, parsed and checked once.

use std::borrow::Cow;

use raw_json as raw;
use redact::Redact;

use crate::compaction::call::ReloadTools;
use crate::descriptor::Richness;
use crate::params::{Blank, Json, PATH, ParamError, Params, invalid, request, words};
use record_files::recipes::Profile;

/// The result of a tool, as given in the request.
#[derive(Debug, Clone)]
pub(crate) enum GivenResult<'a> {
    /// `results`: an array, raw.
    Results(&'a str),
    /// `content`: a text, which is searched for records.
    Content(Cow<'a, str>),
}

words!(Profile { "general" = General, "mif" = Mif, "mif-6400" = Mif6400 });
words!(Richness {
    "full" = Full,
    "no_recipes" = NoRecipes,
    "no_schema" = NoSchema,
    "compact" = Compact,
    "pointer" = Pointer,
});

request! {
    /// `POST /offload_result`.
    pub(crate) struct RequestMembers<'a> {
        /// Name of the tool or operation that returned the result; a part of the file's name.
        operation: String {
            blank: Blank::Refused,
            max: 200,
            accepted: "the name of a tool or operation, as a string of 1 to 200 characters",
            schema: r#"{"minLength": 1}"#,
        },
        /// Selects the recipes, the file names and the threshold.
        ///
        /// `general` is for any records. `mif` and `mif-6400` are for memories in the MIF format
        /// and follow the two specifications of large result offloading (thresholds of 1600 and
        /// 6400 tokens).
        profile: Profile = "general",
        /// The level of detail of the records.
        ///
        /// With the profile `mif`: `light`, `medium` or `full`; the default is `medium` for
        /// operations that begin with `inject`, else `light`. With the other profiles: any word;
        /// the default is `full`.
        detail: Option<String> {
            blank: Blank::Absent,
            max: 200,
            accepted: "a word of up to 200 characters",
        },
        /// The question that the tool answered.
        ///
        /// The first 4096 characters are stored in the file's header, and are repeated in the
        /// error after the file expires.
        query: Option<String>,
        /// The records: an array with elements of any type.
        results: Option<Json<'a>> { schema: r#"{"type": ["array", "null"], "items": {}}"# },
        /// The text of a result; the service searches it for records.
        content: Option<Cow<'a, str>>,
        /// Maximum estimated tokens of a result that is returned inline.
        threshold_tokens: Option<u64> {
            absent: "1600 (`prompt.offload.threshold_tokens`); with the profile `mif-6400` at \
                     least 6400",
        },
        /// Lifetime of the file after it was last returned; at most ten years.
        ///
        /// A file that already exists keeps its lifetime, and a warning says so.
        ttl_seconds: Option<u64> {
            unit: "seconds",
            min: 1,
            max: 315_360_000,
            absent: "3600 (`prompt.offload.ttl_seconds`)",
        },
        /// The folder of the file, under an allowed root.
        ///
        /// The service creates the folder if it does not exist. Limits: 4096 bytes, no control
        /// characters.
        output_dir: Option<String> {
            absent: "`prompt.offload.output_dir`, else the system's folder for temporary files \
                     if it is allowed, else the first root",
            schema: PATH,
        },
        /// Level of detail of the descriptor.
        ///
        /// `full`: a summary, a short description of each field, an example, recipes and
        /// guidance; with the MIF profiles, the members of their specifications. `no_recipes`:
        /// `full` without recipes. `no_schema`: `full` without the fields or the schema.
        /// `compact`: the summary, the fields and two calls. `pointer`: path, count and fields.
        /// The descriptor of a text without records has a preview instead.
        descriptor: Richness = "full",
        /// Dotted path of the numeric field for `summary.score_range`.
        score_field: Option<String> { absent: "no range" },
        /// The retrieval tools that the agent has.
        ///
        /// A list, or an object that maps each tool to the agent's name for it. If the agent has
        /// `lro_extract`, the guidance explains it; else it explains `jq` in a shell.
        reload_tools: ReloadTools { schema: ReloadTools::SCHEMA }
            = ["read_file", "grep", "lro_extract", "read_tool_result", "shell"],
    }
}

/// A checked request.
pub(crate) struct Request<'a> {
    /// The members, without those that the other fields are made of.
    pub members: RequestMembers<'a>,
    /// The level of detail that the records were serialised at.
    pub detail: String,
    /// The result.
    pub given: GivenResult<'a>,
}

/// The levels of detail of the memory profiles.
const DETAILS: [&str; 3] = ["light", "medium", "full"];

impl<'a> Request<'a> {
    /// Reads a request body.
    pub(crate) fn read(params: &Params<'a>) -> Result<Request<'a>, ParamError> {
        let mut members = RequestMembers::from_params(params)?;
        Ok(Request {
            detail: detail(members.detail.take(), members.profile, &members.operation)?,
            given: given(members.results.take(), members.content.take())?,
            members,
        })
    }

    /// Redacts the words that name the file and describe it.
    pub(crate) fn shown_by(mut self, redact: Redact) -> Request<'a> {
        for word in [&mut self.members.operation, &mut self.detail] {
            *word = redact.word(word).into_owned();
        }
        self
    }
}

/// Returns the given detail, or the default of the operation.
fn detail(given: Option<String>, profile: Profile, operation: &str) -> Result<String, ParamError> {
    match given {
        Some(detail) if profile == Profile::Mif && !DETAILS.contains(&&*detail) => {
            Err(invalid("detail", &format!("{detail:?}"), "\"light\", \"medium\", \"full\""))
        }
        Some(detail) => Ok(detail),
        // The defaults of the memory tools (`lro-spec-1600`, "Threshold Detection").
        None if profile == Profile::Mif && operation.starts_with("inject") => Ok("medium".into()),
        None if profile == Profile::Mif => Ok("light".into()),
        None => Ok("full".into()),
    }
}

fn given<'a>(
    results: Option<Json<'a>>,
    content: Option<Cow<'a, str>>,
) -> Result<GivenResult<'a>, ParamError> {
    match (results, content) {
        (Some(_), Some(_)) => {
            Err(invalid("content", "given together with results", "either results or content"))
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
