//! Tenants: who else may come in, with a token of their own and folders of their own.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Key;
use super::server::paths;

/// Tenants by name; the name is for logs only.
pub type Tenants = BTreeMap<String, TenantConfig>;

/// One tenant: a token that opens these folders and no others.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TenantConfig {
    /// The tenant's bearer token; or the file below.
    pub token: Option<Key>,
    /// File with the tenant's bearer token; white space around it is dropped.
    pub token_file: Option<PathBuf>,
    /// Folders under which the tenant's `store_dir` may lie: `DIR`, or `SEEN=REAL`.
    #[serde(deserialize_with = "paths")]
    pub roots: Vec<String>,
}
