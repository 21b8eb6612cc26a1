//! The HTTP client for one server: whom it trusts, what it sends along, where it
//! never goes.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{StatusCode, Url};

use super::super::declare;
use super::failure::reason;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Headers of every request; what they hold is never shown.
#[derive(Clone, Default)]
pub struct Headers(HeaderMap);

impl std::fmt::Debug for Headers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

impl Headers {
    /// Reads `NAME: VALUE` lines.
    ///
    /// # Errors
    ///
    /// The first line that is none.
    pub fn parse(lines: &[String]) -> Result<Headers, HttpError> {
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

/// Why a server over HTTP cannot be asked at all.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address is none.
    #[error("--url is {found:?}; accepted is an address such as https://HOST/mcp")]
    Url {
        /// What was given.
        found: String,
    },
    /// A header is none.
    #[error("--header {name:?} is no header; accepted is 'NAME: VALUE'")]
    Header {
        /// What stands where its name should.
        name: String,
    },
    /// The client cannot start, as without root certificates.
    #[error("the HTTP client cannot start: {reason}")]
    Client {
        /// Why.
        reason: String,
    },
}

/// A client for one server.
pub(super) fn client(url: &Url) -> Result<reqwest::Client, HttpError> {
    // The default of the process, which `reqwest` looks up. One that was set
    // before does as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder =
        reqwest::Client::builder()
            .user_agent(declare::VALUE)
            .redirect(Policy::custom(|attempt| {
                if follows(&attempt) { attempt.follow() } else { attempt.stop() }
            }))
            .connect_timeout(CONNECT);
    if url.scheme() == "http" {
        // No certificate is ever looked at, so none is loaded.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(url) {
        // Another machine's loopback is not this one's.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| HttpError::Client { reason: reason(error) })
}

/// A redirect keeps the message and goes to the same host only: the headers may
/// hold secrets.
fn follows(attempt: &Attempt<'_>) -> bool {
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
