//! The commands, one file each.

pub(super) mod completions;
pub(super) mod count;
pub(super) mod demo;
pub(super) mod extract;
pub(super) mod healthcheck;
pub(super) mod lifecycle;
pub(super) mod man;
pub(super) mod mcp;
pub(super) mod offload;
pub(super) mod proxy;
pub(super) mod reload;
pub(super) mod serve;
pub(super) mod validate;
