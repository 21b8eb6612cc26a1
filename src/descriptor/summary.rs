//! The summary at the start of a descriptor (`OffloadSummary` of the specifications).

use raw_json as raw;
use serde::{Deserialize, Serialize};

use record_files::schema::Schema;

/// Maximum number of namespaces of a summary (`lro-spec-1600`).
const MAX_NAMESPACES: usize = 5;

/// The summary of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// The number of records.
    pub count: u64,
    /// Estimated tokens that offloading saves.
    pub estimated_tokens: u64,
    /// The operation that was performed.
    pub operation: String,
    /// The most frequent namespaces, at most 5.
    pub top_namespaces: Vec<String>,
    /// The minimum and maximum score.
    pub score_range: Option<(f64, f64)>,
    /// The level of detail; `lro-spec-6400-mif` has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Summary {
    /// Returns the summary of records with that schema. Scores are the numbers at `score_field`, a
    /// dotted path.
    pub(crate) fn new(
        schema: &Schema,
        operation: &str,
        detail: Option<&str>,
        estimated_tokens: u64,
        score_field: Option<&str>,
    ) -> Self {
        Self {
            count: schema.records(),
            estimated_tokens,
            operation: operation.to_owned(),
            top_namespaces: top_namespaces(schema),
            score_range: score_field.and_then(|field| score_range(schema, field)),
            detail: detail.map(str::to_owned),
        }
    }

    /// Returns the summary of a text with that many lines.
    pub(crate) fn of_text(
        lines: u64,
        operation: &str,
        detail: Option<&str>,
        estimated_tokens: u64,
    ) -> Self {
        Self {
            count: lines,
            estimated_tokens,
            operation: operation.to_owned(),
            top_namespaces: Vec::new(),
            score_range: None,
            detail: detail.map(str::to_owned),
        }
    }
}

/// Returns the most frequent values of the field `namespace`, at most 5; empty if there is no
/// such field, or if it has more than 10,000 values.
fn top_namespaces(schema: &Schema) -> Vec<String> {
    let fields = schema.paths();
    let Some(field) = fields.iter().find(|field| field.path == "namespace") else {
        return Vec::new();
    };
    field
        .top
        .iter()
        .filter(|top| raw::is_string(&top.literal))
        .take(MAX_NAMESPACES)
        .map(|top| raw::unescape(&top.literal).text.into_owned())
        .collect()
}

/// Returns the minimum and maximum number of a field; `None` if it has no numbers, or if they are
/// too large for a float.
pub(crate) fn score_range(schema: &Schema, field: &str) -> Option<(f64, f64)> {
    let fields = schema.paths();
    let (min, max) = fields.iter().find(|known| known.path == field)?.numbers.as_ref()?;
    let (min, max) = (min.parse::<f64>().ok()?, max.parse::<f64>().ok()?);
    (min.is_finite() && max.is_finite()).then_some((min, max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record_files::schema::infer;

    #[test]
    fn it_names_the_five_most_frequent_namespaces() {
        let records: Vec<String> = (0..21)
            .map(|n: u32| format!(r#"{{"namespace":"n{}","score":{}.5}}"#, n.isqrt(), n))
            .collect();
        let schema = infer(records.iter().map(String::as_str));
        let summary = Summary::new(&schema, "recall", Some("full"), 9, Some("score"));
        assert_eq!(
            serde_json::to_string(&summary).expect("plain data"),
            r#"{"count":21,"estimated_tokens":9,"operation":"recall","top_namespaces":["n3","n2","n4","n1","n0"],"score_range":[0.5,20.5],"detail":"full"}"#
        );
    }

    #[test]
    fn without_namespaces_and_scores_it_says_so() {
        let schema = infer(["{\"a\":1e400}", "3"].into_iter());
        let summary = Summary::new(&schema, "list", None, 0, Some("a"));
        assert_eq!((summary.top_namespaces.len(), summary.score_range), (0, None));
        assert_eq!(score_range(&schema, "b"), None);
    }
}
