//! The transport: one HTTP call, in place of the transport of `async-openai`. The library logs
//! the body of every answer that it cannot parse, and such a body may quote the conversation;
//! so it gets only complete 2xx answers that are JSON and within the size limit. Everything
//! else becomes an error here.
//!
//! Each call uses a new connection: a client that retries by itself, or finds a kept connection
//! closed, would make calls that are not counted.

use std::error::Error;
use std::time::{Duration, SystemTime};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Request, Response};
use serde_json::value::RawValue;

use super::endpoint::Endpoint;
use super::error::ModelError;
use super::reply;

/// Maximum length of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of bytes to read of an error's body.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// Maximum wait for an error's body: the status is enough.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum length of an error text, in characters.
const MAX_REASON_CHARS: usize = 200;

/// Errors of one call.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    /// The call timed out.
    #[error("no answer in time")]
    Timeout,
    /// Any other error.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl From<CallError> for OpenAIError {
    fn from(failed: CallError) -> OpenAIError {
        OpenAIError::Boxed(Box::new(failed))
    }
}

/// Returns the cause of the library's error. The library's texts are not passed on: some hold the
/// answer's body.
pub(super) fn model_error(error: OpenAIError) -> CallError {
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<CallError>() {
            Ok(failed) => *failed,
            Err(_) => CallError::Model(ModelError::NotJson),
        },
        OpenAIError::Reqwest(error) => transport_error(error),
        _ => CallError::Model(ModelError::NotJson),
    }
}

/// Creates an HTTP client for the endpoint.
///
/// # Errors
///
/// Returns [`ModelError::CannotStart`], such as for an https endpoint without root
/// certificates.
pub(super) fn client(endpoint: &Endpoint) -> Result<reqwest::Client, ModelError> {
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("unburden/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECT_TIMEOUT);
    if !endpoint.is_https() {
        // Plain HTTP needs no certificates, and a proxy would read the key.
        builder = builder.no_proxy().tls_certs_only([]);
    }
    builder.build().map_err(|error| ModelError::CannotStart { reason: reason(error) })
}

/// Makes one call. Returns a 200 whose body is in memory and is JSON.
pub(super) async fn call(
    http: &reqwest::Client,
    endpoint: &Endpoint,
    request: HttpRequestFactory,
) -> Result<Response, CallError> {
    let request: Request = request.build().await.map_err(model_error)?;
    let mut response = http.execute(request).await.map_err(transport_error)?;
    if !response.status().is_success() {
        return Err(CallError::Model(status_error(response, endpoint).await));
    }
    let body = body(&mut response, MAX_ANSWER_BYTES).await?;
    match serde_json::from_slice::<&RawValue>(&body) {
        Ok(_) => Ok(http::Response::new(body).into()),
        Err(_) => Err(CallError::Model(ModelError::NotJson)),
    }
}

/// Reads the body up to the limit.
async fn body(response: &mut Response, limit: usize) -> Result<Vec<u8>, CallError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(transport_error)? {
        if body.len() + chunk.len() > limit {
            return Err(CallError::Model(ModelError::TooLarge { limit }));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

async fn status_error(mut response: Response, endpoint: &Endpoint) -> ModelError {
    let status = response.status().as_u16();
    let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let retry_after = header.and_then(parse_retry_after);
    let body = tokio::time::timeout(ERROR_BODY_TIMEOUT, body(&mut response, MAX_ERROR_BYTES)).await;
    let body = body.ok().and_then(Result::ok).and_then(|body| String::from_utf8(body).ok());
    let code = body.and_then(|body| reply::code(&body, endpoint));
    ModelError::Status { status, code, retry_after }
}

/// Parses `Retry-After`: seconds, with a fraction as some servers send it, or an HTTP date.
fn parse_retry_after(header: &str) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        // The conversion fails only for a number too large for a duration.
        let forever = Duration::MAX;
        return (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(forever));
    }
    let date = httpdate::parse_http_date(header).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

fn transport_error(error: reqwest::Error) -> CallError {
    if error.is_timeout() {
        return CallError::Timeout;
    }
    CallError::Model(ModelError::Unreachable { reason: reason(error) })
}

/// Returns an error and its causes on one line, without the URL.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        reason.push_str(": ");
        reason.push_str(&source.to_string());
        next = source.source();
    }
    // A certificate's names are the server's text.
    reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_REASON_CHARS).collect()
}
