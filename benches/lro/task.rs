//! A task: a question with structured fields, and its fixed translations to calls of
//! `lro_extract`, which do not use the answer.

use serde::Deserialize;
use serde_json::{Value, json};

/// Asks how many of these ids exist.
#[derive(Deserialize)]
pub(crate) struct Lookup {
    pub(crate) ids: Vec<String>,
    pub(crate) answer: u64,
}

/// Asks how many records have this namespace and priority, and mention this product.
#[derive(Deserialize)]
pub(crate) struct Filter {
    pub(crate) namespace: String,
    pub(crate) op: String,
    pub(crate) priority: u64,
    pub(crate) product: String,
    pub(crate) answer: u64,
}

/// The tasks of one corpus.
#[derive(Deserialize)]
pub(crate) struct Tasks {
    pub(crate) id_lookup: Vec<Lookup>,
    pub(crate) aggregate_filter: Vec<Filter>,
}

/// The parameters of `lro_extract` that answer a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Ids,
    Where,
    JqSlurp,
    JqEach,
}

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Ids => "ids",
            Way::Where => "where + count",
            Way::JqSlurp => "jq, slurp",
            Way::JqEach => "jq, ids listed",
        }
    }
}

impl Lookup {
    pub(crate) const WAYS: [Way; 3] = [Way::Ids, Way::Where, Way::JqSlurp];

    /// Returns the call's arguments.
    pub(crate) fn call(&self, way: Way, path: &str) -> String {
        let ids = &self.ids;
        match way {
            Way::Ids => json!({"file_path": path, "ids": ids}),
            Way::Where => {
                let is_one = json!({"field": "id", "op": "in", "value": ids});
                json!({"file_path": path, "where": is_one, "count": true})
            }
            Way::JqSlurp | Way::JqEach => {
                let filter = "$ids - ($ids - map(.id)) | length";
                json!({"file_path": path, "query": filter, "slurp": true, "params": {"ids": ids}})
            }
        }
        .to_string()
    }
}

impl Filter {
    pub(crate) const WAYS: [Way; 3] = [Way::Where, Way::JqSlurp, Way::JqEach];

    /// Returns the call's arguments.
    pub(crate) fn call(&self, way: Way, path: &str) -> String {
        match way {
            Way::Where | Way::Ids => {
                json!({"file_path": path, "where": self.condition(), "count": true})
            }
            Way::JqSlurp => {
                let filter = format!("map({}) | length", self.select());
                json!({"file_path": path, "query": filter, "slurp": true})
            }
            Way::JqEach => {
                let filter = format!("{} | .id", self.select());
                json!({"file_path": path, "query": filter})
            }
        }
        .to_string()
    }

    pub(crate) fn condition(&self) -> Value {
        json!({"all": [
            {"field": "namespace", "op": "=", "value": self.namespace},
            {"field": "priority", "op": self.op, "value": self.priority},
            {"field": "content", "op": "contains", "value": self.product},
        ]})
    }

    /// Returns the condition as a jq filter.
    pub(crate) fn select(&self) -> String {
        let Filter { namespace, op, priority, product, .. } = self;
        let product = product.to_lowercase();
        format!(
            "select(.namespace == \"{namespace}\" and .priority {op} {priority} \
             and (.content | ascii_downcase | contains(\"{product}\")))"
        )
    }
}

/// Returns the number in an answer.
pub(crate) fn number(said: &str, way: Way) -> Option<u64> {
    let first = |text: &str| {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let digits =
            text[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - start);
        text[start..start + digits].parse().ok()
    };
    match way {
        Way::Ids | Way::Where | Way::JqSlurp => first(said),
        // One id a line; a line in brackets says that there are more.
        Way::JqEach if said.ends_with(']') => None,
        Way::JqEach => Some(said.lines().filter(|line| line.starts_with('"')).count() as u64),
    }
}
