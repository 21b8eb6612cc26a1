//! Materials: texts as files of records.

use std::sync::Arc;

use quick_cache::sync::Cache;

use context_store::Stem;

/// A text as a file of records.
#[derive(Debug, Clone)]
pub(crate) struct Material {
    pub(crate) stem: Stem,
    pub(crate) hash: blake3::Hash,
    /// The file's length.
    pub(crate) bytes: u64,
}

/// A cache by content and tool: the file of records of a text, or `None` for other texts.
pub(crate) type Materials = Cache<blake3::Hash, Option<Arc<Material>>>;
