//! The endpoint: the checked address and key of the model. It is the
//! configuration that `async-openai` asks for, in place of the library's own,
//! which reads environment variables and panics on a key with a newline.

use async_openai::config::Config;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use super::ModelError;

/// Longest word of an endpoint that is passed on, in bytes.
const WORD: usize = 64;

/// Where calls go, and what they carry to be let in.
#[derive(Clone)]
pub(super) struct Endpoint {
    /// http or https, no credentials, no query, no slash at the end.
    base: Url,
    /// Visible ASCII only; empty for none.
    key: SecretString,
    headers: HeaderMap,
}

impl Endpoint {
    /// Checks address and key.
    ///
    /// # Errors
    ///
    /// [`ModelError::BadSettings`], which quotes neither.
    pub(super) fn new(base: &str, key: Option<&SecretString>) -> Result<Endpoint, ModelError> {
        let base = checked_base(base)?;
        let key = key.map(|key| key.expose_secret().trim()).unwrap_or_default();
        let mut headers = HeaderMap::new();
        if !key.is_empty() {
            headers.insert(AUTHORIZATION, bearer(key)?);
        }
        Ok(Endpoint { base, key: key.into(), headers })
    }

    /// True where a connection is encrypted.
    pub(super) fn is_https(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// True for OpenAI's own servers, which have given up `max_tokens`.
    pub(super) fn is_openai(&self) -> bool {
        let host = self.base.host_str().unwrap_or_default();
        ["openai.com", "openai.azure.com"].iter().any(|own| {
            host.strip_suffix(own).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
        })
    }

    /// A word of the endpoint's that may stand in an error: short, of
    /// `a-z 0-9 _ . -` only, so that no sentence comes through, and no piece of
    /// the key, which an endpoint could send back.
    pub(super) fn word(&self, text: &str) -> Option<String> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_.-".contains(&b);
        let key = self.key.expose_secret();
        let of_key = !key.is_empty() && (text.contains(key) || key.contains(text));
        let fits = !text.is_empty() && text.len() <= WORD && text.bytes().all(plain);
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
        // A URL without a path is spelled with one slash.
        self.base.as_str().trim_end_matches('/')
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

/// The address as a log may show it: scheme, host, port and path.
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
    // What cannot be parsed is not quoted: it could be the key, in the wrong place.
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
