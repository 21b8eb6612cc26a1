//! Why a server over HTTP gave no answer, in one sentence: who, what, and what
//! would be accepted.

use std::borrow::Cow;

use reqwest::{StatusCode, Url};

use super::super::message::{Message, member, text};

/// Longest sentence of the server's own that is passed on, in characters.
const SAID: usize = 300;

/// A server's refusal.
pub(super) struct Refusal<'a> {
    /// The server, without what may be secret in its address.
    pub(super) url: &'a str,
    pub(super) status: StatusCode,
    /// True where the message belonged to a session.
    pub(super) in_session: bool,
    /// True where credentials were sent.
    pub(super) authorized: bool,
    /// Where it points to, for a redirect.
    pub(super) location: Option<&'a str>,
    /// How its body begins.
    pub(super) body: &'a str,
}

impl Refusal<'_> {
    /// The sentence.
    pub(super) fn sentence(&self) -> String {
        let Refusal { url, status, .. } = self;
        let accepted = self.accepted();
        let said = said(self.body).map(|said| format!("; it says: {said}")).unwrap_or_default();
        format!("{url} answered {status}{said}{accepted}")
    }

    fn accepted(&self) -> String {
        match self.status.as_u16() {
            401 if !self.authorized => {
                "; accepted is a token, as in --header 'Authorization: Bearer TOKEN'".to_owned()
            }
            401 | 403 => {
                "; the credentials of --header do not suffice, or are no longer valid".to_owned()
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

/// What the body says of itself: the message of an error, or a short text.
fn said(body: &str) -> Option<String> {
    let message = Message::read(body).and_then(|answer| {
        let error = answer.member("error")?;
        text(error).or_else(|| text(member(error, "message")?)).map(Cow::into_owned)
    });
    let plain = || (!body.trim_start().starts_with(['<', '{'])).then(|| body.trim().to_owned());
    let said = message.or_else(plain).filter(|said| !said.is_empty())?;
    let clean = said.chars().map(|c| if c.is_control() { ' ' } else { c });
    Some(clean.take(SAID).collect())
}

/// An address without user, query and fragment: they may hold secrets.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.to_string()
}

/// An error of the transport and what is behind it, in one line without address.
pub(super) fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut next = std::error::Error::source(&error);
    while let Some(source) = next {
        reason.push_str(": ");
        reason.push_str(&source.to_string());
        next = source.source();
    }
    reason.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SAID).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(status: u16, body: &str) -> String {
        let status = StatusCode::from_u16(status).unwrap();
        let (url, location) = ("http://h/mcp", Some("https://h/mcp"));
        Refusal { url, status, in_session: true, authorized: false, location, body }.sentence()
    }

    #[test]
    fn a_refusal_says_what_would_be_accepted() {
        assert_eq!(
            sentence(401, r#"{"error":"invalid_token"}"#),
            "http://h/mcp answered 401 Unauthorized; it says: invalid_token; accepted is a token, \
             as in --header 'Authorization: Bearer TOKEN'"
        );
        assert!(sentence(404, "<html>").ends_with("the client has to begin a new one"));
        assert!(sentence(307, "").ends_with("not followed: --url https://h/mcp"));
        let own = sentence(500, r#"{"jsonrpc":"2.0","error":{"code":1,"message":"a\nb"}}"#);
        assert_eq!(own, "http://h/mcp answered 500 Internal Server Error; it says: a b");
    }

    #[test]
    fn no_secret_of_an_address_is_shown() {
        let url = Url::parse("https://me:secret@h:1/mcp?key=secret#x").unwrap();
        assert_eq!(shown(&url), "https://h:1/mcp");
    }
}
