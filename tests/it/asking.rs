//! The verbs of large results on a `TestApp`, their answers as raw JSON, and the
//! records that they are tried with.

use std::path::PathBuf;

use raw_json as raw;
use serde_json::{Value, json};
use unburden::envelope::Answer;

use crate::app::TestApp;
use crate::skips::shared_entries;
use crate::watched;

/// An answer: its text, and the members of its metadata as they were spelled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    /// The whole envelope.
    pub(crate) envelope: String,
    /// What a model reads.
    pub(crate) answer: String,
    metadata: Vec<(String, String)>,
}

impl Said {
    fn read(answer: Answer) -> Said {
        let envelope = answer.into_json();
        let members = raw::fields(&envelope).unwrap();
        let member = |name: &str| raw::field(&members, name).unwrap().to_owned();
        let (answer, metadata) = (member("answer"), member("metadata"));
        let metadata = raw::fields(&metadata)
            .unwrap()
            .into_iter()
            .map(|(name, value)| (name.into_owned(), value.to_owned()))
            .collect();
        let answer = raw::unescape(&answer).text.into_owned();
        Said { envelope, answer, metadata }
    }

    /// A member of the metadata as it was spelled.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.metadata.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The same as a tree; null where it is absent.
    pub(crate) fn get(&self, name: &str) -> Value {
        self.raw(name).map_or(Value::Null, |value| serde_json::from_str(value).unwrap())
    }

    /// The path of the file that a result went to.
    pub(crate) fn path(&self) -> String {
        let members = raw::fields(self.raw("offload").unwrap()).unwrap();
        assert_eq!(raw::field(&members, "offloaded"), Some("true"), "{}", self.envelope);
        raw::unescape(raw::field(&members, "file_path").unwrap()).text.into_owned()
    }

    /// True where the result stayed in the context.
    pub(crate) fn inline(&self) -> bool {
        self.get("offload")["offloaded"] == false
    }

    /// Every warning as one text.
    pub(crate) fn warnings(&self) -> String {
        self.get("report")["warnings"].to_string()
    }
}

impl TestApp {
    /// `/offload_result` with a body as it is; it must succeed.
    pub(crate) fn offload_result(&self, body: &str) -> Said {
        Said::read(posting(body, |body| self.service.offload_result(body).unwrap()))
    }

    /// Offloads records (a JSON array as text) to `/workspace/lro`.
    pub(crate) fn offload_records(&self, records: &str, settings: &Value) -> Said {
        self.offload_result(&large(&format!("\"results\":{records}"), settings))
    }

    /// Offloads a text.
    pub(crate) fn offload_text(&self, content: &str, settings: &Value) -> Said {
        self.offload_result(&large(&format!("\"content\":{}", json!(content)), settings))
    }

    /// What `/offload_result` says against a body.
    pub(crate) fn offload_refusal(&self, body: &str) -> String {
        posting(body, |body| self.service.offload_result(body).unwrap_err()).to_string()
    }

    /// `/lro_extract`; it must succeed.
    pub(crate) fn extract(&self, path: &str, question: &Value) -> Said {
        let body = about("file_path", path, question);
        Said::read(posting(&body, |body| self.service.lro_extract(body).unwrap()))
    }

    /// What `/lro_extract` says against a question.
    pub(crate) fn extract_refusal(&self, path: &str, question: &Value) -> String {
        let body = about("file_path", path, question);
        posting(&body, |body| self.service.lro_extract(body).unwrap_err()).to_string()
    }

    /// `/read_tool_result`; it must succeed.
    pub(crate) fn tool_result(&self, id: &str, settings: &Value) -> Said {
        let body = about("result_id", id, settings);
        Said::read(posting(&body, |body| self.service.read_tool_result(body).unwrap()))
    }

    /// What `/read_tool_result` says against a request.
    pub(crate) fn tool_result_refusal(&self, id: &str, settings: &Value) -> String {
        let body = about("result_id", id, settings);
        posting(&body, |body| self.service.read_tool_result(body).unwrap_err()).to_string()
    }

    /// Deletes what has expired; the answer's metadata.
    pub(crate) fn sweep(&self, body: &Value) -> Said {
        Said::read(self.service.sweep(body.to_string().as_bytes()).unwrap().0)
    }

    /// Where a path of an answer really is.
    pub(crate) fn real(&self, path: &str) -> PathBuf {
        self.folder().join(path.strip_prefix("/workspace/").unwrap())
    }

    /// The content of the file that an answer names.
    pub(crate) fn content(&self, path: &str) -> String {
        std::fs::read_to_string(self.real(path)).unwrap()
    }

    /// Makes a file as old as if nobody had asked for it so many seconds long.
    pub(crate) fn age(&self, path: &str, seconds: u64) {
        let file = std::fs::File::options().append(true).open(self.real(path)).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
        file.set_modified(then).unwrap();
    }
}

/// Asks with a body, watched.
fn posting<T>(body: &str, ask: impl FnOnce(&[u8]) -> T) -> T {
    watched::posting(body.as_bytes(), || ask(body.as_bytes()))
}

/// A request of `/offload_result` around a given part of it.
pub(crate) fn large(given: &str, settings: &Value) -> String {
    let mut all = json!({"operation": "search", "output_dir": "/workspace/lro"});
    for (name, value) in settings.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    let members = all.to_string();
    format!("{{{given},{}", &members[1..])
}

fn about(name: &str, value: &str, settings: &Value) -> String {
    let mut body = settings.clone();
    body[name] = json!(value);
    body.to_string()
}

/// The header and the records of a file.
pub(crate) fn lines(content: &str) -> (Value, Vec<&str>) {
    let (header, records) = content.split_once('\n').unwrap();
    (serde_json::from_str(header).unwrap(), records.split_terminator('\n').collect())
}

/// JSON without white space between its tokens and otherwise as it was spelled:
/// two texts that agree in it hold the same value, whatever a parser can hold.
pub(crate) fn tight(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut inside, mut escaped) = (false, false);
    for c in text.chars() {
        if inside {
            inside = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            inside = c == '"';
        }
        out.push(c);
    }
    out
}

/// A memory of the specifications' memory format, whole.
pub(crate) fn memory(n: usize) -> Value {
    let spaces = ["_semantic/decisions", "_episodic/events", "_semantic/knowledge", "_procedural"];
    let kinds = ["semantic", "episodic", "procedural"];
    json!({
        "id": format!("mem-{n:04}"), "memory_type": kinds[n % 3],
        "content": format!("The cache of service {} keeps its entries for {n} minutes.", n % 7),
        "created": format!("2024-{:02}-{:02}T08:00:00Z", n % 12 + 1, n % 28 + 1),
        "namespace": spaces[n % 4], "title": format!("Caching, fact {n}"),
        "tags": ["architecture", if n.is_multiple_of(2) { "TAG" } else { "other" }], "status": "active",
        "entities": (0..n % 3).map(|at| format!("entity {at}")).collect::<Vec<_>>(),
        "provenance": {"confidence": (n % 10 * 10 + 5) as f64 / 100.0, "trust_level": "verified"},
    })
}

/// So many memories as a JSON array, at one of the three levels of detail.
pub(crate) fn memories(count: usize, detail: &str) -> String {
    let of = |n: usize| {
        let mut memory = memory(n);
        let members = memory.as_object_mut().unwrap();
        if detail != "full" {
            let provenance = members.remove("provenance").unwrap();
            members.remove("entities");
            match detail {
                "medium" => members.insert("confidence".into(), provenance["confidence"].clone()),
                _ => members.remove("content"),
            };
        }
        memory
    };
    Value::Array((0..count).map(of).collect()).to_string()
}

/// The JSON files of a folder of `../shared`: name and text.
pub(crate) fn shared_files(name: &str) -> Vec<(String, String)> {
    let Some(mut paths) = shared_entries(name) else { return Vec::new() };
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    assert!(!paths.is_empty(), "../shared/{name} has no JSON");
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(read).collect()
}
