//! Queries: questions about records in a file, for agents that should not have
//! to compose a jq program. A [`Query`] is read from the members of a request,
//! [`run`] asks it of the lines of a file, and [`answer`] words the outcome for
//! a model.
//!
//! A record stays the text it is: one pass checks it and finds the few values
//! that the query names, and what an answer shows of it are its own bytes.

pub mod answer;
mod compare;
mod condition;
mod error;
mod group;
mod ids;
mod nearest;
mod operation;
mod part;
mod path;
mod pattern;
mod request;
mod run;
mod scan;
mod sort;
mod value;
mod wanted;

pub use error::QueryError;
pub use group::Group;
pub use request::Query;
pub use run::{Outcome, run};
