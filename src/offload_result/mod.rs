//! Offloads one result (`/offload_result`): a small one is returned unchanged; a large one
//! is written to a file, and a descriptor of the file is returned (`lro-spec-1600`).

mod describe;
mod described_records;
mod fallback;
mod request;
mod result_file;
mod run;

pub use request::{GivenResult, Request, RequestMembers};
pub use result_file::StoredFile;
pub use run::{OffloadResultError, Outcome, ResultOffloader, Settings, StripedLocks};
