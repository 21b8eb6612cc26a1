//! Files of records: an array of records in a text becomes a JSONL file that answers
//! questions.
//!
//! [`find`] finds the records in a text, and [`file`](mod@file) writes them, each value as it
//! was spelled, so that the file rebuilds the text byte for byte. [`schema`] infers the
//! fields, [`recipes`] proposes jq filters that fit them, and [`query`] answers conditions,
//! counts and groups. All functions are pure: texts in, texts out.
//!
//! ```
//! use record_files::query::{Query, answer, run};
//! use record_files::{find, schema};
//!
//! let text = r#"[{"id": "a", "size": 3}, {"id": "b", "size": 20}]"#;
//! let found = find::records_of_array(text).ok_or("no records")?;
//! assert_eq!(found.records().last(), Some(r#"{"id":"b","size":20}"#));
//! assert_eq!(schema::infer(found.records()).paths()[1].path, "size");
//!
//! let request = r#"{"where": {"field": "size", "op": ">", "value": 9}, "count": true}"#;
//! let query = Query::parse(&raw_json::fields(request)?)?;
//! let outcome = run(&query, found.body(), &|| false)?;
//! let answer = answer::render(&outcome, &query, None, &|text| text.len() as u64);
//! assert_eq!(answer.text, "1 of 2 records matches.");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod estimate;
pub mod file;
pub mod find;
mod layout;
pub mod line;
mod number;
pub mod query;
pub mod recipes;
pub mod schema;
