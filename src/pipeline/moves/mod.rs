//! Moves: which texts may move, what they already are, what they become, and what stays of
//! them in their messages.

pub(crate) mod item;
pub(crate) mod make;
pub(crate) mod plan;
pub(crate) mod records;
pub(crate) mod render;
pub(crate) mod reserve;
mod state;
