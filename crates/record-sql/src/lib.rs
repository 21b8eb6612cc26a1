//! One read-only SQL statement over JSON records, in SQLite's dialect.
//!
//! ```
//! use record_sql::{Limits, Query, Source, run};
//!
//! let lines = "{\"id\":1,\"tag\":\"a\"}\n{\"id\":2,\"tag\":\"a\"}\n";
//! let records = Source { names: vec!["records".into()], lines };
//! let query = Query::new("SELECT tag, count(*) AS n FROM records GROUP BY tag", vec![records]);
//! let outcome = run(&query, &Limits::default())?;
//! assert_eq!(outcome.columns, ["tag", "n"]);
//! assert_eq!(outcome.rows, [r#"["a",2]"#]);
//! # Ok::<(), record_sql::SqlError>(())
//! ```
//!
//! The statement is prepared against empty tables first. Then only the columns that it reads are
//! filled, from the text of the records, and it runs in memory.
//!
//! | to SQL | from the records |
//! |---|---|
//! | a table | `records`, and each further file that the statement names |
//! | a column | a top-level field; by name also a nested path (`a.b`, `a_b`) and `record` |
//! | INTEGER, REAL | numbers, texts that are all numbers, booleans (also as texts) as 1 and 0 |
//! | TEXT | texts; arrays and objects as JSON |
//!
//! Texts of a column are in the order of what they name, such as versions: see [`letter_order`].
//! The statement can only read: see `guard`. Time, memory and output are limited.

mod advice;
mod error;
pub mod excerpt;
mod failure;
mod functions;
pub mod letter_order;
mod limits;
mod moments;
mod notes;
mod outcome;
mod prepare;
mod records;
mod run;
mod sql;

pub use date_text::words::has_word;
pub use error::SqlError;
pub use limits::Limits;
pub use outcome::{Outcome, cut};
pub use records::source::Source;
pub use run::{Query, run};
pub use sql::statement::{NamedFile, named_files};
