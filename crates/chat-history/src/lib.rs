//! Reads and changes the message histories of LLM agents as raw bytes.
//!
//! A history is the ordered messages of one conversation, kept as posted. Parsing borrows; nothing
//! is copied, so a message that is not chosen for a change stays byte for byte the same, with key
//! order, number spelling, escapes and unknown fields.
//!
//! A [`dialect::Dialect`], one for each wire format, parses a message into a
//! [`message::MessageView`]: texts, calls and results, each with its place in the bytes. A
//! [`splice::Edit`] replaces a text there.
//!
//! ```
//! use chat_history::History;
//! use chat_history::message::SlotKind;
//! use chat_history::splice::splice;
//!
//! let posted = r#"[{"role": "tool", "tool_call_id": "call_1", "content": "a long\nlog", "n": 1.0}]"#;
//! let history = History::parse(posted, "auto")?;
//! assert_eq!(history.dialect().name(), "openai-chat");
//!
//! let view = history.view(0)?;
//! let result = &view.results[0];
//! assert_eq!(result.call_id.as_deref(), Some("call_1"));
//!
//! let edits = result.slots[0].replaced(history.start_of(0), "\"moved\"", SlotKind::String);
//! assert_eq!(
//!     splice(history.array(), &edits),
//!     r#"[{"role": "tool", "tool_call_id": "call_1", "content": "moved", "n": 1.0}]"#
//! );
//! # Ok::<(), chat_history::HistoryError>(())
//! ```

pub mod dialect;
mod error;
pub mod footprint;
mod gather;
mod history;
pub mod message;
pub mod outline;
pub mod repair;
pub mod service_messages;
pub mod slot;
pub mod splice;
mod superseded;
pub mod system_prompt;

pub use error::HistoryError;
pub use history::History;
