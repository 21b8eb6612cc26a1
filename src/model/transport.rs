//! The transport: one HTTP call, under `async-openai` and in place of its own.
//! The library logs the body of every answer that it cannot use, and such a body
//! may quote the conversation; so only a 2xx answer that is JSON, whole and not
//! too long gets through to it. Everything else ends here as a fact.
//!
//! A call is made once, on a connection of its own: a client that repeats calls
//! by itself, or finds out on a kept connection that the server has hung up,
//! would spend calls that nobody counted.

use std::error::Error;
use std::time::{Duration, SystemTime};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Request, Response};
use serde_json::value::RawValue;

use super::endpoint::Endpoint;
use super::{ModelError, reply};

/// Longest answer, in bytes.
const ANSWER: usize = 8 * 1024 * 1024;
/// Most that is read of an error's body, for its code, in bytes.
const ERROR_BODY: usize = 64 * 1024;
/// Longest wait for an error's body: the status alone says enough.
const ERROR_BODY_WAIT: Duration = Duration::from_secs(1);
/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest reason, in characters.
const REASON: usize = 200;

/// Why one call gave no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    /// Its time was over.
    #[error("no answer in time")]
    Slow,
    /// Anything else.
    #[error(transparent)]
    Fact(#[from] ModelError),
}

impl From<Failed> for OpenAIError {
    fn from(failed: Failed) -> OpenAIError {
        OpenAIError::Boxed(Box::new(failed))
    }
}

/// Finds the fact again behind the library's error. No text of the library's is
/// passed on: some of its errors hold the answer's body.
pub(super) fn unwrapped(error: OpenAIError) -> Failed {
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<Failed>() {
            Ok(failed) => *failed,
            Err(_) => Failed::Fact(ModelError::NotJson),
        },
        OpenAIError::Reqwest(error) => broken(error),
        _ => Failed::Fact(ModelError::NotJson),
    }
}

/// An HTTP client that goes to the endpoint and nowhere else.
///
/// # Errors
///
/// [`ModelError::CannotStart`], as where an https endpoint finds no root
/// certificates on the system.
pub(super) fn client(endpoint: &Endpoint) -> Result<reqwest::Client, ModelError> {
    // The default of the process, which `reqwest` looks up. One that was set
    // before does as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("unburden/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT);
    if !endpoint.is_https() {
        // No certificate is ever looked at, so none is loaded; and a proxy would
        // read the key.
        builder = builder.no_proxy().tls_certs_only([]);
    }
    builder.build().map_err(|error| ModelError::CannotStart { reason: reason(error) })
}

/// Makes one call.
///
/// Gives a 200 whose body is in memory and is JSON.
pub(super) async fn call(
    http: &reqwest::Client,
    endpoint: &Endpoint,
    request: HttpRequestFactory,
) -> Result<Response, Failed> {
    let request: Request = request.build().await.map_err(unwrapped)?;
    let mut response = http.execute(request).await.map_err(broken)?;
    if !response.status().is_success() {
        return Err(Failed::Fact(refused(response, endpoint).await));
    }
    let body = body(&mut response, ANSWER).await?;
    match serde_json::from_slice::<&RawValue>(&body) {
        Ok(_) => Ok(http::Response::new(body).into()),
        Err(_) => Err(Failed::Fact(ModelError::NotJson)),
    }
}

/// The body, as long as it keeps to the limit.
async fn body(response: &mut Response, limit: usize) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if body.len() + chunk.len() > limit {
            return Err(Failed::Fact(ModelError::TooLarge { limit }));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

async fn refused(mut response: Response, endpoint: &Endpoint) -> ModelError {
    let status = response.status().as_u16();
    let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let retry_after = header.and_then(wait);
    let body = tokio::time::timeout(ERROR_BODY_WAIT, body(&mut response, ERROR_BODY)).await;
    let body = body.ok().and_then(Result::ok).and_then(|body| String::from_utf8(body).ok());
    let code = body.and_then(|body| reply::code(&body, endpoint));
    ModelError::Status { status, code, retry_after }
}

/// `Retry-After`: seconds, with a fraction as some send it, or an HTTP date.
fn wait(header: &str) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        // Only a number too large for a duration remains: never.
        let forever = Duration::MAX;
        return (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(forever));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

fn broken(error: reqwest::Error) -> Failed {
    if error.is_timeout() {
        return Failed::Slow;
    }
    Failed::Fact(ModelError::Unreachable { reason: reason(error) })
}

/// An error and what is behind it, in one line and without the address.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        reason.push_str(": ");
        reason.push_str(&source.to_string());
        next = source.source();
    }
    // A certificate's names are the server's words.
    reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(REASON).collect()
}
