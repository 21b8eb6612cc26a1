//! The environment of the process behind the proxy. Ours may hold the keys and tokens
//! of other services, which a server needs by name or not at all: it gets what programs
//! need to run, as the official clients of MCP give it, and what the operator names.

use std::ffi::{OsStr, OsString};

/// Variables of ours that every program gets.
const KNOWN: [&str; 9] =
    ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
/// The same, by how a name begins.
const FAMILIES: [&str; 2] = ["LC_", "XDG_"];

/// Variables for a process.
#[derive(Clone)]
pub struct Environment(Vec<(OsString, OsString)>);

/// Shows names only: values may be secrets.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Why a variable cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// The name is none.
    #[error("--env {name:?} is no name of a variable; accepted is NAME or NAME=VALUE")]
    Name {
        /// The text found in place of a name.
        name: String,
    },
    /// There is nothing to pass on.
    #[error(
        "--env {name:?} is not set here; accepted is the name of a variable that is, or NAME=VALUE"
    )]
    Unset {
        /// Its name.
        name: String,
    },
}

impl Environment {
    /// The variables that every program gets, and those that `given` names: `NAME` passes ours
    /// on, `NAME=VALUE` sets it.
    ///
    /// # Errors
    ///
    /// The first of `given` that is no variable.
    pub fn of(given: &[String]) -> Result<Environment, EnvironmentError> {
        let mut all: Vec<_> =
            std::env::vars_os().filter(|(name, value)| is_known(name) && is_plain(value)).collect();
        for one in given {
            all.push(variable(one)?);
        }
        Ok(Environment(all))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_known(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    KNOWN.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}

/// False for a function of a shell, which a shell behind the proxy would run.
fn is_plain(value: &OsStr) -> bool {
    !value.as_encoded_bytes().starts_with(b"()")
}

fn variable(given: &str) -> Result<(OsString, OsString), EnvironmentError> {
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
