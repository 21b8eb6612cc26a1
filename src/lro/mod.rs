//! Large results: arrays of records leave the context as files of one record a
//! line, and questions are asked of those (`lro-spec-1600`). Pure: texts in, texts
//! out. Finding records and rebuilding their text: [`records`], [`file`]; what is
//! known of them: [`schema`], [`recipes`]; what is said of them: [`descriptor`],
//! [`note`], [`guidance`]; questions: [`query`].

mod descend;
pub mod descriptor;
mod escape;
pub mod estimate;
pub mod file;
mod gaps;
pub mod guidance;
pub mod header;
mod layout;
pub mod note;
mod number;
mod passage;
pub mod profile;
pub mod query;
pub mod recipe;
pub mod recipes;
pub mod records;
pub mod schema;
mod shape;
mod sink;
pub mod source;
pub mod summary;
mod token;
mod words;
mod wrap;
