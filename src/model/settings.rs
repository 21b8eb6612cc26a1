//! Settings of the model's client.

use std::fmt;
use std::time::Duration;

use secrecy::SecretString;

use super::endpoint;

/// Settings of the client. [`Client::new`](super::Client::new) checks every value and reports
/// what it accepts.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Base URL, such as `https://api.openai.com/v1`, to which `/chat/completions` is added.
    /// http or https, without credentials, query or fragment.
    pub base_url: String,
    /// The key, sent as `Authorization: Bearer`. White space around it is dropped; an empty key
    /// sends no header.
    pub api_key: Option<SecretString>,
    /// The model's name at the endpoint.
    pub model: String,
    /// Maximum number of tokens of prompt and completion together. The client only carries it;
    /// callers keep to it.
    pub context_window: u64,
    /// Maximum length of a completion, in tokens; `None` leaves it to the endpoint. Sent as
    /// `max_completion_tokens` to OpenAI and as `max_tokens` elsewhere, since each side rejects or
    /// ignores the other's name.
    pub max_output_tokens: Option<u64>,
    /// Longest time for one snapshot, including retries and waits.
    pub timeout: Duration,
    /// Longest time for one call.
    pub try_timeout: Duration,
    /// Calls in flight over all threads; more wait.
    pub concurrency: usize,
    /// HTTP calls for one snapshot, 1 to [`CallBudget::MAX`](super::CallBudget::MAX).
    pub tries: u32,
}

impl fmt::Debug for Settings {
    /// Shows everything except the key and possible secrets in the base URL.
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
