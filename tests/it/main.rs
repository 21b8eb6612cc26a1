//! The specification, as one binary that calls the service and its interfaces; tests of private
//! parts are next to them in `src`. Read it in this order:
//!
//! - `cases`: a behaviour is a file in `tests/cases`; its snapshot shows messages,
//!   files and report.
//! - `properties`: the invariants of the product over generated histories.
//! - `properties_formats`, `properties_repair`: the same over every other format
//!   (`formats` writes them), and what naming, finding and mending a format promises;
//!   `properties_wrapped`: what was read back, in the words of a host.
//! - `histories`: the same over real ones, where `../shared` is there (`skips` says where
//!   it is not).
//! - `offload`, `store`: what cases cannot say;
//!   `printed_calls`: every call that a reference prints, run; `sync_order`: what is on the
//!   disk before an answer; `thresholds`: what is met exactly.
//! - `conformance`: the specifications of large results, sentence by sentence;
//!   `large`, `large_real`, `extract`, `extract_around`, `extract_sql`, `tool_result`: as their users meet them;
//!   `lro`: their parts, compared with the system's jq; `lifecycle`: the lifetime of files;
//!   `deletion`: the files that are deleted with a chat.
//! - `http`, `mcp`, `cli`, `socket`: the interfaces; `proxy`: in front of a scripted server;
//!   `doors`: who is kept out, too slow, or one too many; `shared`: one service for several
//!   processes.
//! - `compress`, `properties_compression`, `retention`: snapshots by the built-in
//!   summariser.
//! - `turns`: histories that grow, over many posts.
//! - `placement`: where a snapshot goes in each format; `mid_system`: system messages
//!   among the turns, as Anthropic takes them.
//! - `summaries`: snapshots by a model, and every way in which it may fail.
//! - `seeds`: what fuzzing found, and the seeds it begins with, through the bodies of
//!   the targets in `fuzz/`; `soak`: the same bodies over random inputs, where asked.
//! - `canaries`: nothing of a body, and no secret, is in a log line or a metric;
//!   `watched` sees to that for every body that any test posts.
//! - `monitoring`: what operators see: log lines and metrics.
//! - `traces`: the spans that a collector gets.
//! - `footprint`: the memory of the process, at rest and after long histories.
//! - `redaction`, `redacted_names`: what is kept out of sight where the operator says so.
//! - `guide`: the examples of the guide, sent with curl to the real binary.
//! - `docs`: README, `openapi.yaml`, example configuration, floors.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    reason = "a test fails by a panic, its numbers are small, and what it skips it says"
)]

/// As in the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

mod app;
mod asking;
mod cpu_time;
mod history;
mod scenarios;
mod scripted;
mod served;
mod skips;
mod watched;

mod canaries;
mod cases;
mod cli;
mod compress;
mod compress_hostile;
mod conformance;
mod deletion;
mod docs;
mod doors;
mod extract;
mod extract_around;
mod extract_sql;
#[cfg(target_os = "linux")]
mod footprint;
mod forged;
mod formats;
mod found_again;
mod guide;
mod histories;
mod http;
mod large;
mod large_real;
mod lifecycle;
mod lro;
mod lro_hostile;
mod mcp;
mod mid_system;
mod monitoring;
mod names;
mod offload;
mod placement;
mod printed_calls;
mod properties;
mod properties_compression;
mod properties_formats;
mod properties_repair;
mod properties_wrapped;
mod proxy;
mod read_back;
mod record_texts;
mod redacted_names;
mod redaction;
mod reference_model;
mod retention;
mod seeds;
mod shared;
mod snapshot_room;
mod soak;
mod socket;
mod store;
mod summaries;
mod sync_order;
mod thresholds;
mod tool_result;
mod traces;
mod turns;
