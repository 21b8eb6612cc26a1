//! The model: a client of one OpenAI-compatible chat completions endpoint. It turns a
//! conversation into a completion or an error, before a deadline and in at most
//! [`CallBudget::MAX`] HTTP calls.
//!
//! `transport` makes the HTTP calls, `reply` parses answers, `endpoint` holds the address, and
//! [`Client`] retries. Servers that only resemble OpenAI work: an answer is read member by
//! member, and oddities are no error unless there is no text.
//!
//! No error, `Debug` output or log line holds a part of the conversation or the key. The key
//! goes to the configured address only; redirects are not followed.
//!
//! **TLS.** rustls with the *ring* provider, so the binary needs no system library and links
//! statically. Root certificates are the system's: with an `https` base URL an image needs a CA
//! bundle (`/etc/ssl/certs`, or `SSL_CERT_FILE` / `SSL_CERT_DIR`), and without one
//! [`Client::new`] returns [`ModelError::CannotStart`]. An `http` base URL needs none.
//!
//! **Proxies.** `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` apply to an `https` base URL: the
//! proxy sees the host's name and no byte of the call. An `http` base URL is always called
//! directly, because a proxy would read the key.

mod call_budget;
mod completion;
mod endpoint;
mod error;
mod openai;
mod prompt;
mod reply;
mod settings;
mod transport;

pub(crate) use call_budget::CallBudget;
pub(crate) use completion::{Completion, Finish};
pub(crate) use error::ModelError;
pub(crate) use openai::Client;
pub(crate) use prompt::{Prompt, Speaker, Turn};
pub(crate) use settings::Settings;

#[cfg(test)]
mod tests;
