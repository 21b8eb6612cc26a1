//! Compaction: the text that replaces a tool result when it moves to a file. Pure: texts
//! in, texts out.

pub mod call;
mod evidence;
mod fit;
pub mod preview;
pub mod preview_settings;
pub mod reference;
