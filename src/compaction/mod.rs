//! Compaction: what stays of a tool result whose text moves to a file. Pure:
//! texts in, texts out.

pub mod call;
mod evidence;
mod fit;
pub mod preview;
pub mod reference;
pub mod spec;
