//! Tenants with tokens and folders of their own.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::key::Key;
use super::server::colon_list;

/// A tenant: a token that gives access to these folders only.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TenantConfig {
    /// The tenant's bearer token; or the file below.
    pub token: Option<Key>,
    /// File with the tenant's bearer token; white space around it is dropped.
    pub token_file: Option<PathBuf>,
    /// Folders under which the tenant's `store_dir` may lie: `DIR`, or `SEEN=REAL`.
    #[serde(deserialize_with = "colon_list")]
    pub roots: Vec<String>,
}
