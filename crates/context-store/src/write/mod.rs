//! Writing: from a content to a published and recorded file; also records references to files.

pub(crate) mod claim;
pub(crate) mod claiming;
pub(crate) mod confirmed;
pub(crate) mod deletion_watch;
pub(crate) mod name_search;
pub(crate) mod opened;
pub(crate) mod references;
pub(crate) mod reserve;
pub(crate) mod writer;
