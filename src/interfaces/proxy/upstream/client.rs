//! The HTTP client for one server: certificates, default headers, redirects.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{StatusCode, Url};

use super::super::handshake;
use super::failure::reason;

/// Timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Headers of every request. `Debug` hides their values.
#[derive(Clone, Default)]
pub(crate) struct Headers(HeaderMap);

impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

impl Headers {
    /// Parses `NAME: VALUE` lines.
    ///
    /// # Errors
    ///
    /// Returns [`HttpError::Header`] for the first invalid line.
    pub(crate) fn parse(lines: &[String]) -> Result<Headers, HttpError> {
        let mut headers = HeaderMap::new();
        for line in lines {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let bad = || HttpError::Header { name: name.chars().take(60).collect() };
            let known = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| bad())?;
            let mut value = HeaderValue::from_str(value.trim()).map_err(|_| bad())?;
            if value.is_empty() {
                return Err(bad());
            }
            value.set_sensitive(true);
            headers.append(known, value);
        }
        Ok(Headers(headers))
    }

    pub(super) fn into_map(self) -> HeaderMap {
        self.0
    }
}

/// Errors that keep the client from starting.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    /// The URL is invalid.
    #[error("--url is {found:?}; accepted is an address such as https://HOST/mcp")]
    Url {
        /// The text found.
        found: String,
    },
    /// A header is invalid.
    #[error("--header {name:?} is not a header; accepted is 'NAME: VALUE'")]
    Header {
        /// The header's name, truncated.
        name: String,
    },
    /// The client cannot start, such as without root certificates.
    #[error("the HTTP client cannot start: {reason}")]
    Client {
        /// The reason.
        reason: String,
    },
}

/// Creates a client for one server.
pub(super) fn client(url: &Url) -> Result<reqwest::Client, HttpError> {
    let mut builder = reqwest::Client::builder()
        .user_agent(handshake::VALUE)
        .redirect(Policy::custom(|attempt| {
            if should_follow(&attempt) { attempt.follow() } else { attempt.stop() }
        }))
        .connect_timeout(CONNECT_TIMEOUT);
    if url.scheme() == "http" {
        // Plain HTTP needs no certificates.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(url) {
        // A proxy would resolve loopback as its own machine.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| HttpError::Client { reason: reason(error) })
}

/// Follows a redirect only if it keeps the method and the origin: the headers may hold secrets.
fn should_follow(attempt: &Attempt<'_>) -> bool {
    let origin = attempt.previous().first();
    let same = origin.is_some_and(|origin| origin.origin() == attempt.url().origin());
    let keeps = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT];
    same && keeps.contains(&attempt.status()) && attempt.previous().len() < 5
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
