//! Offloads one result (`/offload_result`): a small one is returned unchanged; a large one
//! is written to a file, and a descriptor of the file is returned (`lro-spec-1600`).

mod describe;
mod described_records;
mod fallback;
mod request;
mod result_file;
mod run;

#[cfg(test)]
pub(crate) use request::RequestMembers;
pub(crate) use request::{GivenResult, Request};
pub(crate) use run::{OffloadResultError, Outcome, ResultOffloader, Settings};
