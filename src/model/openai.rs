//! The client: retries until a call gives a completion, the call budget is used up, or the
//! deadline passes. The library itself does not retry.
//!
//! A call is retried after a broken connection, its own timeout, 408, 409, 429 and 5xx, unless
//! the account is out of quota. The delays are 200 ms, then 400 ms, or what `Retry-After` asks
//! for; a delay beyond the deadline is not started.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_openai::middleware::HttpRequestFactory;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout_at};

use super::call_budget::CallBudget;
use super::completion::Completion;
use super::endpoint::Endpoint;
use super::error::ModelError;
use super::prompt::{Prompt, Speaker};
use super::reply;
use super::settings::Settings;
use super::transport::{self, CallError};

/// Delay before the first retry; it doubles with each.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(200);
/// Calls made, by `outcome`.
const MODEL_CALLS: &str = "unburden_model_calls_total";
/// The same messages should give the same summary, as far as a model allows.
const TEMPERATURE: f64 = 0.0;
/// Highest accepted concurrency.
const MAX_CONCURRENCY: usize = 1024;
/// Maximum timeout that the settings accept.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// A client of one endpoint, one for the process: [`Settings::concurrency`] limits its calls in
/// flight.
///
/// It owns a runtime with one thread, so that callers on plain threads need none. It may be
/// dropped anywhere, including async code; calls started by [`Client::block_on`] do not outlive
/// it.
pub(crate) struct Client {
    settings: Settings,
    endpoint: Endpoint,
    api: async_openai::Client<Endpoint>,
    permits: Semaphore,
    /// True if the model accepts no temperature, like reasoning models.
    fixed_temperature: AtomicBool,
    /// `None` only while being dropped.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Client {
    /// Shows the settings without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Client {
    /// Checks the settings and prepares connections; makes no call.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::BadSettings`] for an invalid setting, [`ModelError::CannotStart`]
    /// if the system lacks something.
    pub(crate) fn new(settings: Settings) -> Result<Client, ModelError> {
        check_settings(&settings)?;
        let endpoint = Endpoint::new(&settings.base_url, settings.api_key.as_ref())?;
        let http = transport::client(&endpoint)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("unburden-model")
            .enable_all()
            .build()
            .map_err(|error| ModelError::CannotStart { reason: error.to_string() })?;
        Ok(Client {
            permits: Semaphore::new(settings.concurrency),
            fixed_temperature: AtomicBool::new(false),
            api: api(http, &endpoint),
            runtime: Some(runtime),
            endpoint,
            settings,
        })
    }

    /// Returns the settings.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the deadline of a snapshot that starts now.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.settings.timeout
    }

    /// Returns the call budget of one snapshot.
    pub(crate) fn calls(&self) -> CallBudget {
        CallBudget::new(self.settings.tries)
    }

    /// Runs a future on the client's own runtime. For threads that may block: plain ones,
    /// rayon's, or those of `spawn_blocking`.
    ///
    /// # Panics
    ///
    /// Panics if called from async code.
    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        let runtime = self.runtime.as_ref().expect("it is taken only when the client is dropped");
        runtime.block_on(future)
    }

    /// Requests a completion by `deadline`. Takes each HTTP call from `calls`. Dropping the
    /// future cancels the call.
    ///
    /// Runs on any tokio runtime with I/O and time.
    ///
    /// # Errors
    ///
    /// Returns the last call's [`ModelError`]. A truncated, filtered or refused completion is
    /// not an error, see [`Completion::finished`].
    pub(crate) async fn complete(
        &self,
        prompt: &Prompt,
        deadline: Instant,
        calls: &mut CallBudget,
    ) -> Result<Completion, ModelError> {
        let (started, made_before) = (Instant::now(), calls.made());
        let mut body = Body::new(&self.settings, &self.endpoint, prompt);
        if self.fixed_temperature.load(Ordering::Relaxed) {
            body.temperature = None;
        }
        let mut wait = FIRST_RETRY_DELAY;
        loop {
            let before = calls.made();
            let answer = self.call(&body, deadline, calls).await;
            if calls.made() > before {
                let outcome = if answer.is_ok() { "completed" } else { "failed" };
                metrics::counter!(MODEL_CALLS, "outcome" => outcome).increment(1);
            }
            let error = match answer {
                Ok(completion) => return Ok(completion),
                Err(CallError::Model(error)) => error,
                Err(CallError::Timeout) => ModelError::Timeout {
                    waited: started.elapsed(),
                    calls: calls.made() - made_before,
                },
            };
            if refuses_a_parameter(&error) && calls.left() > 0 && body.temperature.take().is_some()
            {
                self.fixed_temperature.store(true, Ordering::Relaxed);
                continue;
            }
            if !error.is_transient() || calls.left() == 0 {
                return Err(error);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let mut pause = wait;
            if let ModelError::Status { status, retry_after: Some(retry_after), .. } = error {
                if retry_after >= left {
                    return Err(ModelError::RetryTooLate { status, retry_after, left });
                }
                pause = pause.max(retry_after);
            }
            if pause >= left {
                return Err(error);
            }
            sleep(pause).await;
            wait *= 2;
        }
    }

    /// Makes one call, including the wait for a permit.
    async fn call(
        &self,
        body: &Body<'_>,
        deadline: Instant,
        calls: &mut CallBudget,
    ) -> Result<Completion, CallError> {
        if calls.left() == 0 {
            return Err(CallError::Model(ModelError::NoCallsLeft));
        }
        let turn = timeout_at(deadline.into(), self.permits.acquire()).await;
        let _seat = turn.map_err(|_| CallError::Timeout)?;
        let now = Instant::now();
        if now >= deadline {
            return Err(CallError::Timeout);
        }
        calls.take();
        let until = deadline.min(now + self.settings.try_timeout);
        let chat = self.api.chat();
        // Raw JSON, which the library always accepts: with a type of its own it would reject odd
        // answers, and log them.
        let answer = chat.create_byot::<_, Box<RawValue>>(body);
        let answer = timeout_at(until.into(), answer).await.map_err(|_| CallError::Timeout)?;
        let json = answer.map_err(transport::model_error)?;
        Ok(reply::completion(json.get(), &self.endpoint)?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A plain drop would wait for the runtime's threads, which async code must not.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Returns true for an error that may be about the temperature, which reasoning models reject.
fn refuses_a_parameter(error: &ModelError) -> bool {
    let ModelError::Status { status: 400 | 422, code: Some(code), .. } = error else {
        return false;
    };
    code.contains("unsupported") || code.contains("parameter")
}

/// Builds the library's client over our transport.
fn api(http: reqwest::Client, endpoint: &Endpoint) -> async_openai::Client<Endpoint> {
    let service = {
        let (http, endpoint) = (http.clone(), endpoint.clone());
        tower::service_fn(move |request: HttpRequestFactory| {
            let (http, endpoint) = (http.clone(), endpoint.clone());
            async move { transport::call(&http, &endpoint, request).await }
        })
    };
    // `Client::with_config` would build an HTTP client of its own, and panic without root
    // certificates.
    async_openai::Client::build(http, endpoint.clone()).with_http_service(service)
}

fn check_settings(settings: &Settings) -> Result<(), ModelError> {
    let refused = |what, found, accepted| Err(ModelError::BadSettings { what, found, accepted });
    if settings.model.trim().is_empty() {
        return refused("name", "empty".to_owned(), "the name of a model");
    }
    if settings.context_window == 0 {
        return refused("context_window", "0".to_owned(), "a number of tokens from 1 on");
    }
    if settings.max_output_tokens == Some(0) {
        return refused("max_output_tokens", "0".to_owned(), "a number of tokens from 1 on");
    }
    for (what, time) in [("timeout", settings.timeout), ("try_timeout", settings.try_timeout)] {
        if time.is_zero() || time > MAX_TIMEOUT {
            let found = format!("{} s", time.as_secs());
            return refused(what, found, "a time above 0 s, at most 24 hours");
        }
    }
    if !(1..=MAX_CONCURRENCY).contains(&settings.concurrency) {
        return refused("concurrency", settings.concurrency.to_string(), "a number from 1 to 1024");
    }
    if !(1..=CallBudget::MAX).contains(&settings.tries) {
        return refused("tries", settings.tries.to_string(), "a number from 1 to 3");
    }
    Ok(())
}

/// The request's body.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    stream: bool,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

impl<'a> Body<'a> {
    fn new(settings: &'a Settings, endpoint: &Endpoint, prompt: &'a Prompt) -> Body<'a> {
        let system = Message { role: "system", content: &prompt.system };
        let turns = prompt.turns.iter().map(|turn| Message {
            role: match turn.speaker {
                Speaker::User => "user",
                Speaker::Assistant => "assistant",
            },
            content: &turn.text,
        });
        let system = Some(system).filter(|system| !system.content.is_empty());
        let limit = settings.max_output_tokens.or(prompt.max_tokens);
        Body {
            model: settings.model.trim(),
            messages: system.into_iter().chain(turns).collect(),
            max_tokens: limit.filter(|_| !endpoint.is_openai()),
            max_completion_tokens: limit.filter(|_| endpoint.is_openai()),
            temperature: Some(TEMPERATURE),
            stream: false,
        }
    }
}
