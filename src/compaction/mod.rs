//! Compaction: the text that replaces a tool result when it moves to a file. Pure: texts
//! in, texts out.

pub(crate) mod call;
mod evidence;
mod fit;
pub(crate) mod preview;
pub(crate) mod preview_settings;
pub(crate) mod reference;
pub(crate) mod wrapper;
