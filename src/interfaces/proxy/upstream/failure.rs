//! Error messages for HTTP failures: the server, what it answered, and what to do.

use std::borrow::Cow;

use reqwest::{StatusCode, Url};

use crate::interfaces::mcp::message::{Message, member, text};

/// Maximum length of a text of the server that is quoted, in characters.
const MAX_TEXT_CHARS: usize = 300;

/// A response with an error status.
pub(super) struct Refusal<'a> {
    /// The server's URL without secrets.
    pub(super) url: &'a str,
    pub(super) status: StatusCode,
    /// True if the request belonged to a session.
    pub(super) in_session: bool,
    /// True if credentials were sent.
    pub(super) authorized: bool,
    /// Target of a redirect.
    pub(super) location: Option<&'a str>,
    /// The beginning of the body.
    pub(super) body: &'a str,
}

impl Refusal<'_> {
    /// Returns the error message.
    pub(super) fn message(&self) -> String {
        let Refusal { url, status, .. } = self;
        let accepted = self.hint();
        let said =
            server_text(self.body).map(|said| format!("; it says: {said}")).unwrap_or_default();
        format!("{url} answered {status}{said}{accepted}")
    }

    fn hint(&self) -> String {
        match self.status.as_u16() {
            401 if !self.authorized => {
                "; accepted is a token, as in --header 'Authorization: Bearer TOKEN'".to_owned()
            }
            401 | 403 => {
                "; the credentials of --header are not sufficient, or have expired".to_owned()
            }
            404 if self.in_session => {
                "; the session has ended: the client has to begin a new one".to_owned()
            }
            404 | 405 => {
                "; accepted is the address of its MCP endpoint, often https://HOST/mcp".to_owned()
            }
            300..=399 => match self.location {
                Some(to) => format!("; redirects to other hosts are not followed: --url {to}"),
                None => "; redirects to other hosts are not followed".to_owned(),
            },
            _ => String::new(),
        }
    }
}

/// Returns the error message in the body, or the body itself if it is plain text.
fn server_text(body: &str) -> Option<String> {
    let message = Message::read(body).and_then(|answer| {
        let error = answer.member("error")?;
        text(error).or_else(|| text(member(error, "message")?)).map(Cow::into_owned)
    });
    let plain = || (!body.trim_start().starts_with(['<', '{'])).then(|| body.trim().to_owned());
    let said = message.or_else(plain).filter(|said| !said.is_empty())?;
    let clean = said.chars().map(|c| if c.is_control() { ' ' } else { c });
    Some(clean.take(MAX_TEXT_CHARS).collect())
}

/// Returns the URL without user, query and fragment, which may hold secrets.
pub(super) fn public_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.to_string()
}

/// Returns a transport error and its causes on one line, without the URL.
pub(super) fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut next = std::error::Error::source(&error);
    while let Some(source) = next {
        reason.push_str(": ");
        reason.push_str(&source.to_string());
        next = source.source();
    }
    reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(status: u16, body: &str) -> String {
        let status = StatusCode::from_u16(status).unwrap();
        let (url, location) = ("http://h/mcp", Some("https://h/mcp"));
        Refusal { url, status, in_session: true, authorized: false, location, body }.message()
    }

    #[test]
    fn a_refusal_says_what_would_be_accepted() {
        assert_eq!(
            message(401, r#"{"error":"invalid_token"}"#),
            "http://h/mcp answered 401 Unauthorized; it says: invalid_token; accepted is a token, \
             as in --header 'Authorization: Bearer TOKEN'"
        );
        assert!(message(404, "<html>").ends_with("the client has to begin a new one"));
        assert!(message(307, "").ends_with("not followed: --url https://h/mcp"));
        let own = message(500, r#"{"jsonrpc":"2.0","error":{"code":1,"message":"a\nb"}}"#);
        assert_eq!(own, "http://h/mcp answered 500 Internal Server Error; it says: a b");
    }

    #[test]
    fn no_secret_of_an_address_is_shown() {
        let url = Url::parse("https://me:secret@h:1/mcp?key=secret#x").unwrap();
        assert_eq!(public_url(&url), "https://h:1/mcp");
    }
}
