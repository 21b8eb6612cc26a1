//! The endpoint: the checked URL and key of the model. It implements the configuration of
//! `async-openai`; the library's own reads environment variables and panics on a key with a
//! newline.

use async_openai::config::Config;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use super::error::ModelError;

/// Maximum length of a word of an endpoint that is quoted, in bytes.
const MAX_WORD_BYTES: usize = 64;

/// The URL and headers of calls.
#[derive(Clone)]
pub(super) struct Endpoint {
    /// http or https, no credentials, no query, no slash at the end.
    base: Url,
    /// Visible ASCII only; empty for none.
    key: SecretString,
    headers: HeaderMap,
}

impl Endpoint {
    /// Checks the URL and the key.
    ///
    /// # Errors
    ///
    /// Returns [`ModelError::BadSettings`], which quotes neither.
    pub(super) fn new(base: &str, key: Option<&SecretString>) -> Result<Endpoint, ModelError> {
        let base = checked_base(base)?;
        let key = key.map(|key| key.expose_secret().trim()).unwrap_or_default();
        let mut headers = HeaderMap::new();
        if !key.is_empty() {
            headers.insert(AUTHORIZATION, bearer(key)?);
        }
        Ok(Endpoint { base, key: key.into(), headers })
    }

    /// Returns true for an encrypted connection.
    pub(super) fn is_https(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Returns true for OpenAI's servers, which do not accept `max_tokens`.
    pub(super) fn is_openai(&self) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        ["openai.com", "openai.azure.com"].iter().any(|own| {
            host.strip_suffix(own).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
        })
    }

    /// Returns a word of the endpoint if an error may quote it: short, of `a-z 0-9 _ . -` only,
    /// and no part of the key.
    pub(super) fn word(&self, text: &str) -> Option<String> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.-".contains(&b);
        let key = self.key.expose_secret();
        let of_key = !key.is_empty() && (text.contains(key) || key.contains(text));
        let fits = !text.is_empty() && text.len() <= MAX_WORD_BYTES && text.bytes().all(plain);
        (fits && !of_key).then(|| text.to_owned())
    }
}

impl Config for Endpoint {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.api_base())
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        // A URL without a path has one slash.
        self.base.as_str().trim_end_matches('/')
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

/// Returns the URL for logs: scheme, host, port and path.
pub(super) fn without_secrets(base: &str) -> String {
    match Url::parse(base.trim()) {
        Ok(url) if url.has_host() => {
            format!("{}{}", url.origin().ascii_serialization(), url.path())
        }
        _ => "no URL".to_owned(),
    }
}

fn checked_base(base: &str) -> Result<Url, ModelError> {
    let refused = |found: String| ModelError::BadSettings {
        what: "base_url",
        found,
        accepted: "an http or https URL without credentials, query and fragment",
    };
    // An invalid URL is not quoted: it could be the key.
    let url = Url::parse(base.trim()).map_err(|error| refused(format!("no URL ({error})")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused(format!("of the scheme \"{}\"", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused("a URL with credentials".to_owned()));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused("a URL with a query or a fragment".to_owned()));
    }
    Ok(url)
}

fn bearer(key: &str) -> Result<HeaderValue, ModelError> {
    let refused = |found: String| ModelError::BadSettings {
        what: "api_key",
        found,
        accepted: "visible ASCII characters without white space",
    };
    if let Some(at) = key.chars().position(|c| !c.is_ascii_graphic()) {
        return Err(refused(format!("unusable from its character {} on", at + 1)));
    }
    let header = HeaderValue::try_from(format!("Bearer {key}"));
    let mut header = header.map_err(|_| refused("no header value".to_owned()))?;
    header.set_sensitive(true);
    Ok(header)
}
