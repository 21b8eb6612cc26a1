//! A place: a service with its own folder, and two of its operations.

use serde_json::Value;
use unburden::config::{Config, DurabilityConfig};
use unburden::service::Service;

/// A service with its own folder.
pub(crate) struct Place {
    service: Service,
    folder: tempfile::TempDir,
}

/// A result that was written to a file.
pub(crate) struct Offloaded {
    /// The descriptor.
    pub(crate) descriptor: String,
    /// The path of the file for the agent.
    pub(crate) path: String,
}

/// Returns the settings of the product, with the release binary as jq's worker.
pub(crate) fn config(folder: &tempfile::TempDir, durability: DurabilityConfig) -> Config {
    let mut config = Config::default();
    config.store.roots = vec![format!("/lro={}", folder.path().display())];
    config.store.durability = durability;
    env!("CARGO_BIN_EXE_unburden").clone_into(&mut config.extract.worker);
    config
}

/// Returns a request of `/offload_result`; `query` distinguishes equal results.
pub(crate) fn body(results: &str, descriptor: &str, query: &str) -> Vec<u8> {
    format!(
        "{{\"operation\":\"recall\",\"profile\":\"mif\",\"detail\":\"full\",\"query\":\"{query}\",\
         \"output_dir\":\"/lro\",\"descriptor\":\"{descriptor}\",\"results\":{results}}}"
    )
    .into_bytes()
}

impl Place {
    pub(crate) fn new(durability: DurabilityConfig) -> Place {
        // Beside the crate: the system's temporary folder may be memory.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let service = Service::open(&config(&folder, durability)).expect("the folder is there");
        Place { service, folder }
    }

    pub(crate) fn offload(&self, body: &[u8]) -> Offloaded {
        let answer = self.service.offload_result(body).expect("the request is valid");
        let descriptor = answer.answer().to_owned();
        let known: Value = serde_json::from_str(&descriptor).expect("a descriptor is JSON");
        let path = known["file_path"].as_str().expect("a large result gets a file").to_owned();
        Offloaded { descriptor, path }
    }

    /// Calls `lro_extract` and returns the answer for the model.
    pub(crate) fn ask(&self, call: &str) -> String {
        let answer = self.service.lro_extract(call.as_bytes()).expect("the question is valid");
        answer.answer().to_owned()
    }

    /// Returns the real path of a file.
    pub(crate) fn real(&self, path: &str) -> std::path::PathBuf {
        let inside = path.strip_prefix("/lro/").unwrap_or(path);
        self.folder.path().join(inside)
    }
}
