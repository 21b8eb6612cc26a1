//! The tenants of the configuration, with their tokens and services.

use std::path::Path;

use super::error::CliError;
use crate::config::{Config, Key};
use crate::interfaces::http::{TenantEntry, Token};
use crate::service::{Tenant, open_all};

/// Minimum length of a token, in characters, because nothing slows down guessing.
const MIN_TOKEN_CHARS: usize = 16;

/// Opens the tenants. Access to the operator's folders requires the operator's token. If it is not
/// configured, anyone can access them while there are no tenants; with tenants, no one can.
pub(super) fn tenant_entries(config: &Config) -> Result<Vec<TenantEntry>, CliError> {
    let server = &config.server;
    let own = token("server", server.token.as_ref(), server.token_file.as_deref())?;
    let mut entries = Vec::new();
    for Tenant { name, service } in open_all(config)? {
        let token = match name.as_ref().and_then(|name| config.tenants.get_key_value(name)) {
            None => own,
            Some((name, tenant)) => {
                let section = format!("tenants.{name}");
                if tenant.roots.is_empty() {
                    return Err(CliError::NoRoots { section });
                }
                let token = token(&section, tenant.token.as_ref(), tenant.token_file.as_deref())?;
                Some(token.ok_or(CliError::NoToken { section })?)
            }
        };
        entries.push(TenantEntry { name, token, service });
    }
    if entries.len() > 1 && own.is_none() {
        entries.remove(0);
    }
    check_distinct(&entries)?;
    Ok(entries)
}

/// Reads a token from the configuration or from its file.
fn token(section: &str, key: Option<&Key>, file: Option<&Path>) -> Result<Option<Token>, CliError> {
    let read = |path: &Path| {
        let reading = format!("reading the token file {}", path.display());
        Key::read(path).map_err(CliError::io(reading))
    };
    let key = key.cloned().map_or_else(|| file.map(read).transpose(), |key| Ok(Some(key)))?;
    let Some(key) = key else { return Ok(None) };
    let word = key.text().trim();
    if word.is_empty() {
        return Err(CliError::NoToken { section: section.to_owned() });
    }
    let found = word.chars().count();
    if found < MIN_TOKEN_CHARS {
        let section = section.to_owned();
        return Err(CliError::ShortToken { section, found, min: MIN_TOKEN_CHARS });
    }
    Ok(Some(Token::new(word)))
}

/// Fails if two tenants have the same token.
fn check_distinct(entries: &[TenantEntry]) -> Result<(), CliError> {
    let named = |name: &Option<String>| match name {
        Some(name) => format!("tenants.{name}"),
        None => "server".to_owned(),
    };
    for (index, TenantEntry { name, token, .. }) in entries.iter().enumerate() {
        let same = |other: &&TenantEntry| other.token.is_some() && other.token == *token;
        if let Some(other) = entries[..index].iter().find(same) {
            return Err(CliError::SharedToken { one: named(&other.name), other: named(name) });
        }
    }
    Ok(())
}
