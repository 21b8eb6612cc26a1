//! Compaction: what stays of a tool result whose text moves to a file. Pure:
//! texts in, texts out.

pub mod preview;
pub mod reference;
