//! What is fuzzed. A target takes any bytes and panics where a promise of the
//! service does not hold; what it promises stands in its module.

mod conversation;
mod growth;
mod jq_protocol;
mod mcp_message;
mod names;
mod paging;
mod pairing;
mod paths;
mod place;
mod proxy_edit;
mod regex;
mod request_json;
mod spelling;
mod sql;

/// A target: its name, which is that of its folder of seeds, and its body.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// Every target.
pub(crate) const ALL: [Target; 12] = [
    ("request_json", request_json::run),
    ("pairing", pairing::run),
    ("growth", growth::run),
    ("names", names::run),
    ("paths", paths::run),
    ("paging", paging::run),
    ("regex", regex::run),
    ("jq_protocol", jq_protocol::run),
    ("sql", sql::run),
    ("model_reply", unburden::fuzz::model_reply),
    ("mcp_message", mcp_message::run),
    ("proxy_edit", proxy_edit::run),
];
