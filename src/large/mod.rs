//! Large results: one result in; the result itself back where it is small, a
//! descriptor of the file it went to where it is large (`lro-spec-1600`).

mod describe;
mod fallback;
mod material;
mod place;
mod request;
mod run;

pub use place::Written;
pub use request::{Given, Request};
pub use run::{Large, LargeError, Outcome, Settings, Turns};
