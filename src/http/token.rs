//! The bearer token: one word that every request but the probes must carry.

use std::path::Path;

use axum::extract::{Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;

use super::{Door, error};

/// A token, kept as its hash only, so that neither a log nor a dump shows it.
#[derive(Clone, Copy)]
pub struct Token(blake3::Hash);

impl Token {
    /// Reads a token file; white space around the token does not count.
    pub fn read(path: &Path) -> std::io::Result<Token> {
        let text = std::fs::read_to_string(path)?;
        let token = text.trim();
        if token.is_empty() {
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "the file is empty"));
        }
        Ok(Token::new(token))
    }

    /// A token from its text.
    pub fn new(token: &str) -> Token {
        Token(blake3::hash(token.as_bytes()))
    }

    /// Compares in constant time, as `blake3::Hash` does.
    fn matches(&self, given: &str) -> bool {
        self.0 == blake3::hash(given.as_bytes())
    }
}

/// Lets a request pass that carries the token, or all where none is set.
pub(super) async fn require(State(door): State<Door>, request: Request, next: Next) -> Response {
    let Some(token) = &door.token else { return next.run(request).await };
    let given = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, given)| given.trim());
    match given {
        Some(given) if token.matches(given) => next.run(request).await,
        _ => error::unauthorized(),
    }
}
