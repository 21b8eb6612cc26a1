//! The specification, as one binary. Read it in this order:
//!
//! - `cases`: a behaviour is a file in `tests/cases`; its snapshot shows messages,
//!   files and report.
//! - `properties`: the invariants of the product over generated histories.
//! - `histories`: the same over real ones, where `../shared` is there.
//! - `offload`, `reload`, `rehydrate`, `tokens`, `store`: what cases cannot say.
//! - `http`, `cli`, `socket`: the doors.
//! - `docs`: README, `openapi.yaml`, example configuration, floors.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    reason = "a test fails by a panic, its numbers are small, and what it skips it says"
)]

mod app;
mod history;

mod cases;
mod cli;
mod docs;
mod histories;
mod http;
mod offload;
mod properties;
mod read_back;
mod reload;
mod socket;
mod store;
mod tokens;
