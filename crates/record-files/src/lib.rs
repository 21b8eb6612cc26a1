//! Files of records: an array of records in a text becomes a JSONL file that answers
//! questions.
//!
//! [`records`] finds the records in a text, and [`file`] writes them, each value as it was
//! spelled, so that the file gives the text back byte for byte. [`schema`] infers the
//! fields, [`recipes`] proposes jq filters that fit them, and [`query`] answers conditions,
//! counts and groups. Everything is pure: texts in, texts out.
//!
//! ```
//! use record_files::query::{Query, answer, run};
//! use record_files::{records, schema};
//!
//! let text = r#"[{"id": "a", "size": 3}, {"id": "b", "size": 20}]"#;
//! let found = records::of_array(text).ok_or("no records")?;
//! assert_eq!(found.records().last(), Some(r#"{"id":"b","size":20}"#));
//! assert_eq!(schema::infer(found.records()).paths()[1].path, "size");
//!
//! let request = r#"{"where": {"field": "size", "op": ">", "value": 9}, "count": true}"#;
//! let query = Query::parse(&chat_history::raw::fields(request)?)?;
//! let outcome = run(&query, found.body(), &|| false)?;
//! let answer = answer::render(&outcome, &query, None, &|text| text.len() as u64);
//! assert_eq!(answer.text, "1 of 2 records matches.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod descend;
mod escape;
pub mod estimate;
pub mod file;
mod gaps;
pub mod header;
mod layout;
pub mod line;
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
mod token;
mod wrap;
