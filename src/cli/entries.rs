//! Who may come in, from the configuration: tokens and the services behind them.

use std::path::Path;

use super::CliError;
use crate::config::{Config, Key};
use crate::http::{Entry, Token};
use crate::service::{Tenant, open_all};

/// Shortest token, in characters: nothing slows down who guesses.
const TOKEN_CHARACTERS: usize = 16;

/// The operator's own folders are for who has the operator's token; without that token
/// they are for everybody where there are no tenants, and for nobody where there are.
pub(super) fn entries(config: &Config) -> Result<Vec<Entry>, CliError> {
    let server = &config.server;
    let own = token("server", server.token.as_ref(), server.token_file.as_deref())?;
    let mut entries = Vec::new();
    for Tenant { name, service } in open_all(config)? {
        let token = match name.as_ref().and_then(|name| config.tenants.get_key_value(name)) {
            None => own,
            Some((name, tenant)) => {
                let section = format!("tenants.{name}");
                let token = token(&section, tenant.token.as_ref(), tenant.token_file.as_deref())?;
                Some(token.ok_or(CliError::NoToken { section })?)
            }
        };
        entries.push((name, token, service));
    }
    if entries.len() > 1 && own.is_none() {
        entries.remove(0);
    }
    distinct(&entries)?;
    Ok(entries)
}

/// A token from the configuration, or from the file that it names.
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
    if found < TOKEN_CHARACTERS {
        let section = section.to_owned();
        return Err(CliError::ShortToken { section, found, least: TOKEN_CHARACTERS });
    }
    Ok(Some(Token::new(word)))
}

/// Two with one token would be one: whose folders it opens must be plain.
fn distinct(entries: &[Entry]) -> Result<(), CliError> {
    let named = |name: &Option<String>| match name {
        Some(name) => format!("tenants.{name}"),
        None => "server".to_owned(),
    };
    for (index, (name, token, _)) in entries.iter().enumerate() {
        let same = |(_, other, _): &&Entry| other.is_some() && other == token;
        if let Some((other, _, _)) = entries[..index].iter().find(same) {
            return Err(CliError::OneToken { one: named(other), other: named(name) });
        }
    }
    Ok(())
}
