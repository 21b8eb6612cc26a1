//! Bearer tokens. A token selects a tenant; without tokens every request reaches the operator's
//! service.

/// A token, stored as its hash, so that neither logs nor dumps show it. Comparing
/// `blake3::Hash` takes constant time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token(blake3::Hash);

impl Token {
    /// Hashes a token.
    pub fn new(token: &str) -> Token {
        Token(blake3::hash(token.as_bytes()))
    }
}
