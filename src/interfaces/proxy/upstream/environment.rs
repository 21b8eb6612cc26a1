//! The environment of the child process. The proxy's own may hold keys of other services, so
//! the child gets only the variables that programs need to run, as the official MCP clients
//! pass them, and those that the operator names.

use std::ffi::{OsStr, OsString};

/// Variables that are always passed on.
const ALLOWED_NAMES: [&str; 9] =
    ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
/// Prefixes of variables that are always passed on.
const ALLOWED_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// Environment variables of a child process.
#[derive(Clone)]
pub(crate) struct Environment(Vec<(OsString, OsString)>);

/// Shows names only: values may be secrets.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Errors in `--env` options.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EnvironmentError {
    /// The name is invalid.
    #[error("--env {name:?} is not a variable name; accepted is NAME or NAME=VALUE")]
    Name {
        /// The text found.
        name: String,
    },
    /// The variable is not set.
    #[error(
        "--env {name:?} is not set here; accepted is the name of a variable that is, or NAME=VALUE"
    )]
    Unset {
        /// The variable's name.
        name: String,
    },
}

impl Environment {
    /// Returns the variables that are always passed on and those in `given`: `NAME` passes a
    /// variable on, `NAME=VALUE` sets it.
    ///
    /// # Errors
    ///
    /// Returns an error for the first invalid or unset variable.
    pub(crate) fn of(given: &[String]) -> Result<Environment, EnvironmentError> {
        let mut all: Vec<_> = std::env::vars_os()
            .filter(|(name, value)| is_allowed(name) && is_no_shell_function(value))
            .collect();
        for one in given {
            all.push(parse_variable(one)?);
        }
        Ok(Environment(all))
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_allowed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    ALLOWED_NAMES.contains(&name) || ALLOWED_PREFIXES.iter().any(|family| name.starts_with(family))
}

/// Returns false for an exported shell function, which a shell in the child would run.
fn is_no_shell_function(value: &OsStr) -> bool {
    !value.as_encoded_bytes().starts_with(b"()")
}

fn parse_variable(given: &str) -> Result<(OsString, OsString), EnvironmentError> {
    let (name, value) = match given.split_once('=') {
        Some((name, value)) => (name, Some(OsString::from(value))),
        None => (given, None),
    };
    let shown = || name.chars().take(60).collect();
    if name.is_empty() || name.contains('\0') {
        return Err(EnvironmentError::Name { name: shown() });
    }
    let value = value.or_else(|| std::env::var_os(name));
    let value = value.ok_or_else(|| EnvironmentError::Unset { name: shown() })?;
    Ok((name.into(), value))
}
