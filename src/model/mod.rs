//! The model: a client of one OpenAI-compatible chat completions endpoint. A
//! conversation goes in, a text or a fact about why there is none comes out,
//! before a deadline and in at most [`Calls::MOST`] HTTP calls.
//!
//! What goes over the wire is in `transport`, how an answer is read in `reply`,
//! where it goes in `endpoint`, and [`Client`] holds the loop over tries. Servers
//! that only resemble OpenAI work: an answer is read member by member, and what
//! is odd or missing is no error unless there is no text.
//!
//! The conversation and the key stay here: no error, no `Debug` and no log line
//! holds a part of them. A key goes to the configured address only; redirects
//! are not followed.
//!
//! **TLS.** rustls with the *ring* provider, so the binary needs no system
//! library and links statically. Root certificates are the system's: with an
//! `https` base URL an image needs a CA bundle (`/etc/ssl/certs`, as distroless
//! and `ca-certificates` bring it, or `SSL_CERT_FILE` / `SSL_CERT_DIR` naming
//! another), and without one [`Client::new`] gives [`ModelError::CannotStart`].
//! An `http` base URL needs none.
//!
//! **Proxies.** `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` are honoured with an
//! `https` base URL: the proxy sees the host's name and no byte of the call. An
//! `http` base URL is always called directly, because a proxy would read the key.

mod endpoint;
mod error;
mod openai;
mod reply;
mod transport;

pub use error::ModelError;
pub use openai::Client;
/// A text that neither `Debug` nor `Display` shows; `"key".to_owned().into()`.
pub use secrecy::SecretString;

use std::fmt;
use std::time::Duration;

/// Which model, where, and how long it may take. [`Client::new`] checks every
/// value and says what it accepts.
#[derive(Clone)]
pub struct Settings {
    /// Where the API begins, as in `https://api.openai.com/v1`;
    /// `/chat/completions` is added. http or https, without credentials, query
    /// or fragment.
    pub base_url: String,
    /// The key, sent as `Authorization: Bearer`. White space around it is
    /// dropped; where nothing is left, no such header is sent.
    pub api_key: Option<SecretString>,
    /// The model's name, as the endpoint spells it.
    pub model: String,
    /// What prompt and completion may have together, in tokens. The client only
    /// carries it: whoever builds prompts keeps to it.
    pub context_window: u64,
    /// Longest completion, in tokens; None leaves it to the endpoint. Sent as
    /// `max_completion_tokens` to OpenAI itself and as `max_tokens` elsewhere:
    /// each side refuses or ignores the other's name.
    pub max_output_tokens: Option<u64>,
    /// Longest time for one snapshot, all tries and waits included.
    pub timeout: Duration,
    /// Longest time for one call.
    pub try_timeout: Duration,
    /// Calls under way at a time, over all threads; more wait for their turn.
    pub concurrency: usize,
    /// HTTP calls for one snapshot, 1 to [`Calls::MOST`].
    pub tries: u32,
}

impl fmt::Debug for Settings {
    /// Everything but secrets: the key, and what of the base URL could be one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("base_url", &endpoint::without_secrets(&self.base_url))
            .field("api_key", &self.api_key)
            .field("model", &self.model)
            .field("context_window", &self.context_window)
            .field("max_output_tokens", &self.max_output_tokens)
            .field("timeout", &self.timeout)
            .field("try_timeout", &self.try_timeout)
            .field("concurrency", &self.concurrency)
            .field("tries", &self.tries)
            .finish()
    }
}

/// A plain conversation: what the model is told, then who said what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The system message; an empty one is not sent.
    pub system: String,
    /// The messages after it, in order.
    pub turns: Vec<Turn>,
}

/// One message of a [`Prompt`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
}

/// Who speaks in a [`Turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The side that asks.
    User,
    /// The model, in an earlier answer.
    Assistant,
}

/// What the model wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The text, never empty unless `finished` is [`Finish::Refused`]. Reasoning
    /// that the endpoint keeps apart is left out.
    pub text: String,
    /// Why it ends where it ends.
    pub finished: Finish,
}

/// Why a completion ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// The model was done, or the endpoint gave no reason.
    Stop,
    /// A limit of tokens cut it off.
    Length,
    /// The endpoint withheld the rest.
    Filtered,
    /// The model declined; what it wrote in place of an answer is dropped.
    Refused,
    /// Another reason, in the endpoint's word: lower case, at most 64 bytes,
    /// `unnamed` where it was no such word.
    Other(String),
}

/// How many HTTP calls may still be made for one snapshot. One value goes
/// through all [`Client::complete`] of that snapshot, so tries after a broken
/// connection and tries after a rejected text count together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    left: u32,
    made: u32,
}

impl Calls {
    /// Most HTTP calls for one snapshot.
    pub const MOST: u32 = 3;

    /// A budget of that many calls, at most [`Calls::MOST`].
    pub fn new(calls: u32) -> Calls {
        Calls { left: calls.min(Calls::MOST), made: 0 }
    }

    /// Calls that may still be made.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// Calls made so far.
    pub fn made(&self) -> u32 {
        self.made
    }

    /// Takes one call; false where none is left.
    fn take(&mut self) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        self.made += 1;
        true
    }
}
