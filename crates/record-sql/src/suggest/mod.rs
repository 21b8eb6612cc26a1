//! Help for an invalid filter or statement.

pub mod excerpt;
pub mod nearest;
