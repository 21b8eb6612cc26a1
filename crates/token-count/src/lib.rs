//! Counts the tokens of a text as a model's own tokenizer does.
//!
//! A [`Tokenizer`] is chosen by a model's name. It counts plain text exactly for the two
//! vocabularies of OpenAI's models, and estimates the count for families whose vocabulary is not
//! public or not embedded. Counting is synchronous and linear in the text. Each thread has a cache
//! of pieces, and all threads share another one, so count on a small fixed pool of threads.
//!
//! ```
//! use token_count::Tokenizer;
//!
//! let tokenizer = Tokenizer::for_model(Some("gpt-4o"));
//! assert_eq!(tokenizer.name(), "o200k_base");
//! assert_eq!(tokenizer.count("hello world"), 2);
//! assert_eq!(tokenizer.count_up_to("hello world", 1), None);
//!
//! let estimated = Tokenizer::for_model(Some("us.anthropic.claude-opus-4"));
//! assert!(!estimated.is_exact());
//! ```
//!
//! The vocabularies come from `tiktoken-rs`. `build.rs` converts them to tables that are embedded
//! in the program and read in place.

mod backtrack;
mod char_class;
mod char_classes;
mod encoding;
mod estimate;
mod long_run;
mod merges;
mod model;
mod piece_cache;
mod scanner;
mod shared_pieces;
mod tables;
mod trie;
mod vocabulary;

pub use estimate::Family;

use encoding::Encoding;

/// A method to count the tokens of a text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tokenizer {
    /// The vocabulary of GPT-4o, GPT-4.1, GPT-5 and the o-series; exact.
    O200kBase,
    /// The vocabulary of GPT-4 and GPT-3.5; exact.
    Cl100kBase,
    /// An estimate, slightly high on average, for a family without an embedded vocabulary.
    Estimate(Family),
}

impl Tokenizer {
    /// Returns the tokenizer of a model, given its name as in requests.
    ///
    /// OpenAI names follow the table of `tiktoken-rs`; the retired GPT-3 vocabularies (r50k, p50k)
    /// are replaced by the nearest embedded one, cl100k. Other known families get an estimate. No
    /// name, an unknown name, or an OpenAI name newer than the table gives o200k. Accepts provider
    /// prefixes (`openai/gpt-4o`, `us.anthropic.claude-…`, `models/gemini-…`) and variant suffixes
    /// (`:free`, `@20250101`).
    pub fn for_model(model: Option<&str>) -> Tokenizer {
        model.and_then(model::tokenizer).unwrap_or(Tokenizer::O200kBase)
    }

    /// Returns true for a name that [`Tokenizer::for_model`] recognises.
    pub fn knows(model: &str) -> bool {
        model::tokenizer(model).is_some()
    }

    /// Returns the name that reports and metrics use.
    pub fn name(self) -> &'static str {
        match self {
            Tokenizer::O200kBase => "o200k_base",
            Tokenizer::Cl100kBase => "cl100k_base",
            Tokenizer::Estimate(family) => family.estimate_name(),
        }
    }

    /// Returns true if the counts equal those of the model's own tokenizer.
    pub fn is_exact(self) -> bool {
        !matches!(self, Tokenizer::Estimate(_))
    }

    /// Returns the number of tokens in `text`. Names of special tokens in the text, such as
    /// `<|endoftext|>`, count as ordinary text.
    pub fn count(self, text: &str) -> u64 {
        self.count_up_to(text, u64::MAX).expect("no text has more than u64::MAX tokens")
    }

    /// Returns the number of tokens in `text`, or `None` as soon as it is known to exceed `limit`.
    /// The limit bounds the work, not the length of the text.
    pub fn count_up_to(self, text: &str, limit: u64) -> Option<u64> {
        match self {
            Tokenizer::O200kBase => Encoding::o200k_base().count_up_to(text, limit),
            Tokenizer::Cl100kBase => Encoding::cl100k_base().count_up_to(text, limit),
            Tokenizer::Estimate(family) => estimate::count_up_to(family, text, limit),
        }
    }
}

/// Clears the caches of the pieces of counted texts. A thread's own cache is cleared when it counts
/// its next text.
pub fn forget() {
    encoding::forget();
}
