//! A service over a folder of its own, as every target has it. CallIndex see the
//! folder as `/workspace`, whatever it is really called.

use std::path::{Path, PathBuf};

use raw_json::{field, fields};
use serde_json::{Value, json};
use tempfile::TempDir;
use unburden::config::{Config, DurabilityConfig};
use unburden::envelope::Answer;
use unburden::service::Service;

/// In memory where there is such a folder: a target runs a thousand times a second.
const MEMORY: &str = "/dev/shm";

pub(crate) struct Place {
    pub(crate) service: Service,
    folder: TempDir,
}

/// An answer, taken apart; its messages and system prompt as the bytes that came.
pub(crate) struct Said {
    pub(crate) messages: String,
    pub(crate) system: Option<String>,
    pub(crate) metadata: Value,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place::with(|_, _| ())
    }

    /// A place whose configuration `change` has seen, with the folder.
    pub(crate) fn with(change: impl FnOnce(&mut Config, &Path)) -> Place {
        let folder = folder();
        let mut config = Config::default();
        config.store.roots = vec![format!("/workspace={}", folder.path().display())];
        config.store.durability = DurabilityConfig::Relaxed;
        // Small, since a target opens many services.
        config.cache.measured_bytes = 1 << 20;
        config.cache.replacement_bytes = 1 << 20;
        config.cache.files = 1_000;
        // No filter is run here: a process a time is too slow.
        config.extract.worker = "/nowhere/unburden".to_owned();
        change(&mut config, folder.path());
        let service = Service::open(&config).expect("the folder is there");
        Place { service, folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What a provider would reject of these messages: rule and id, sorted.
    pub(crate) fn problems(&self, format: &str, messages: &str) -> Vec<(String, String)> {
        let body = format!("{{\"format\":\"{format}\",\"messages\":{messages}}}");
        let (answer, _) = self.service.validate(body.as_bytes()).expect("messages of that format");
        let listed = Said::of(answer).metadata["problems"].take();
        let problem = |one: &Value| (one["rule"].to_string(), one["id"].to_string());
        let mut problems: Vec<_> = listed.as_array().into_iter().flatten().map(problem).collect();
        problems.sort_unstable();
        problems
    }

    /// What a file of the store holds, read as an agent reads it.
    pub(crate) fn read(&self, path: &str) -> String {
        let body = json!({"absolute_path": path}).to_string();
        let answer = self.service.read_file(body.as_bytes()).expect("a reference is readable");
        answer.answer().to_owned()
    }
}

impl Said {
    /// Reads an answer's envelope.
    ///
    /// # Panics
    ///
    /// Where it is no JSON: messages are copied into it as they came.
    pub(crate) fn of(answer: Answer) -> Said {
        let json = answer.into_json();
        let members = fields(&json).expect("an answer is JSON");
        let messages = field(&members, "messages").unwrap_or("[]").to_owned();
        let system = field(&members, "system").filter(|system| *system != "null");
        let metadata = field(&members, "metadata").map(tree).unwrap_or_default();
        Said { messages, system: system.map(str::to_owned), metadata }
    }

    pub(crate) fn report(&self) -> &Value {
        &self.metadata["report"]
    }

    /// A number of the report.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.report()[name].as_u64().expect("the report has this number")
    }
}

/// The metadata as a tree, without what no tree holds: numbers beyond a float, and
/// the system prompt, which is the caller's bytes.
fn tree(metadata: &str) -> Value {
    let mut all = json!({});
    for (name, raw) in fields(metadata).expect("metadata is an object") {
        all[name.as_ref()] = serde_json::from_str(raw).unwrap_or_default();
    }
    all
}

/// True where the service gave the messages back because something failed.
pub(crate) fn gave_up(said: &Said) -> bool {
    said.report()["warnings"].to_string().contains("are unchanged")
}

/// Each member of `some` is one of `all`, as often as it stands there; both sorted.
pub(crate) fn none_is_new<T: Ord>(some: &[T], all: &[T]) -> bool {
    let mut known = all.iter();
    some.iter().all(|one| known.by_ref().find(|known| *known >= one) == Some(one))
}

pub(crate) fn folder() -> TempDir {
    let memory = Path::new(MEMORY);
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder for temporary files")
}
