//! The index of a store's folder, in its private folder: a record for each name that was ever
//! assigned, and empty markers that lead from a chat, a call or a day to its names.
//!
//! Each operation reads only the records that it needs. Records of live files are not synced:
//! losing one in a power cut costs a call or a check, never data. The end of a file is synced
//! before the file is deleted.

pub(crate) mod batches;
pub(crate) mod chat_markers;
pub(crate) mod ends;
pub(crate) mod folder_index;
pub(crate) mod markers;
pub(crate) mod records;
