//! The client: makes calls until one gives a completion, the calls are used up,
//! or the deadline comes. The library repeats nothing by itself.
//!
//! A call is made again after a broken connection, a call's own timeout, 408,
//! 409, 429 and 5xx, unless the account is out of quota. Between two calls lie
//! 200 ms, then 400 ms, or what `Retry-After` asks for; a wait that would end
//! after the deadline is not begun.

use std::fmt;
use std::time::{Duration, Instant};

use async_openai::middleware::HttpRequestFactory;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout_at};

use super::endpoint::Endpoint;
use super::transport::{self, Failed};
use super::{Calls, Completion, ModelError, Prompt, Settings, Speaker, reply};

/// Wait after a first failure; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_millis(200);
/// Most calls at a time that can be set.
const MOST_CONCURRENCY: usize = 1024;
/// Longest time that can be set.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// A client of one endpoint, one for the process: its count of calls under way
/// is what [`Settings::concurrency`] bounds.
///
/// It owns a small runtime (one thread), so that callers on plain threads need
/// none. It may be dropped anywhere, async code included; calls under way that
/// were started by [`Client::block_on`] cannot outlive it.
pub struct Client {
    settings: Settings,
    endpoint: Endpoint,
    api: async_openai::Client<Endpoint>,
    seats: Semaphore,
    /// None only while the client is being dropped.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Client {
    /// The settings, without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Client {
    /// Checks the settings and prepares connections; calls nobody yet.
    ///
    /// # Errors
    ///
    /// [`ModelError::BadSettings`] names the setting and what it accepts;
    /// [`ModelError::CannotStart`] says what the system lacks.
    pub fn new(settings: Settings) -> Result<Client, ModelError> {
        check(&settings)?;
        let endpoint = Endpoint::new(&settings.base_url, settings.api_key.as_ref())?;
        let http = transport::client(&endpoint)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("unburden-model")
            .enable_all()
            .build()
            .map_err(|error| ModelError::CannotStart { reason: error.to_string() })?;
        Ok(Client {
            seats: Semaphore::new(settings.concurrency),
            api: api(http, &endpoint),
            runtime: Some(runtime),
            endpoint,
            settings,
        })
    }

    /// The settings it was built with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// When a snapshot that begins now must be done.
    pub fn deadline(&self) -> Instant {
        Instant::now() + self.settings.timeout
    }

    /// The HTTP calls that one snapshot may make.
    pub fn calls(&self) -> Calls {
        Calls::new(self.settings.tries)
    }

    /// Runs a future of this client on the client's own runtime and waits for
    /// it. For threads that may block: a plain one, one of rayon's, one of
    /// `spawn_blocking`.
    ///
    /// # Panics
    ///
    /// Where called from async code, whose thread must not block.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let runtime = self.runtime.as_ref().expect("it is taken only when the client is dropped");
        runtime.block_on(future)
    }

    /// Asks for a completion. Each HTTP call is taken from `calls`; the answer or
    /// the error is there by `deadline`. Dropping the future ends the call.
    ///
    /// Runs on any tokio runtime with I/O and time, as [`Client::block_on`] has it.
    ///
    /// # Errors
    ///
    /// What the last call failed with, see [`ModelError`]. A completion that was
    /// cut off, filtered or refused is no error, see [`Completion::finished`].
    pub async fn complete(
        &self,
        prompt: &Prompt,
        deadline: Instant,
        calls: &mut Calls,
    ) -> Result<Completion, ModelError> {
        let (started, made_before) = (Instant::now(), calls.made());
        let body = Body::new(&self.settings, &self.endpoint, prompt);
        let mut wait = FIRST_WAIT;
        loop {
            let error = match self.call(&body, deadline, calls).await {
                Ok(completion) => return Ok(completion),
                Err(Failed::Fact(error)) => error,
                Err(Failed::Slow) => ModelError::Timeout {
                    waited: started.elapsed(),
                    calls: calls.made() - made_before,
                },
            };
            if !error.passes() || calls.left() == 0 {
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

    /// One call, its turn included.
    async fn call(
        &self,
        body: &Body<'_>,
        deadline: Instant,
        calls: &mut Calls,
    ) -> Result<Completion, Failed> {
        if calls.left() == 0 {
            return Err(Failed::Fact(ModelError::NoCallsLeft));
        }
        let turn = timeout_at(deadline.into(), self.seats.acquire()).await;
        let _seat = turn.map_err(|_| Failed::Slow)?;
        let now = Instant::now();
        if now >= deadline {
            return Err(Failed::Slow);
        }
        calls.take();
        let until = deadline.min(now + self.settings.try_timeout);
        let chat = self.api.chat();
        // Raw JSON is what the library can always give: a type of its own would
        // refuse odd answers, and log them.
        let answer = chat.create_byot::<_, Box<RawValue>>(body);
        let answer = timeout_at(until.into(), answer).await.map_err(|_| Failed::Slow)?;
        let json = answer.map_err(transport::unwrapped)?;
        Ok(reply::completion(json.get(), &self.endpoint)?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A plain drop waits for the runtime's threads, which async code must not.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The library over our own transport.
fn api(http: reqwest::Client, endpoint: &Endpoint) -> async_openai::Client<Endpoint> {
    let service = {
        let (http, endpoint) = (http.clone(), endpoint.clone());
        tower::service_fn(move |request: HttpRequestFactory| {
            let (http, endpoint) = (http.clone(), endpoint.clone());
            async move { transport::call(&http, &endpoint, request).await }
        })
    };
    // `Client::with_config` would build an HTTP client of its own, and panic
    // where root certificates are missing.
    async_openai::Client::build(http, endpoint.clone()).with_http_service(service)
}

fn check(settings: &Settings) -> Result<(), ModelError> {
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
        if time.is_zero() || time > LONGEST {
            let found = format!("{} s", time.as_secs());
            return refused(what, found, "a time above 0 s, at most 24 hours");
        }
    }
    if !(1..=MOST_CONCURRENCY).contains(&settings.concurrency) {
        return refused("concurrency", settings.concurrency.to_string(), "a number from 1 to 1024");
    }
    if !(1..=Calls::MOST).contains(&settings.tries) {
        return refused("tries", settings.tries.to_string(), "a number from 1 to 3");
    }
    Ok(())
}

/// The request's body. It sets no temperature, which reasoning models refuse.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
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
        let limit = settings.max_output_tokens;
        Body {
            model: settings.model.trim(),
            messages: system.into_iter().chain(turns).collect(),
            max_tokens: limit.filter(|_| !endpoint.is_openai()),
            max_completion_tokens: limit.filter(|_| endpoint.is_openai()),
            stream: false,
        }
    }
}
