//! Reads the configuration from a file and the environment.

use std::path::Path;

use config::{Environment, File, FileFormat};

use super::{Config, Key};

/// Prefix of environment variables.
const PREFIX: &str = "UNBURDEN_";
/// Suffixes of variables that hold secrets.
const SECRETS: [&str; 2] = ["__API_KEY", "__TOKEN"];

/// Errors of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file or the environment cannot be read.
    #[error("the configuration cannot be read: {0}")]
    Read(#[from] config::ConfigError),
    /// A key is unknown, or its value has the wrong type.
    #[error("the setting \"{key}\" is invalid: {reason}")]
    Key {
        /// The key's path.
        key: String,
        /// The problem.
        reason: String,
    },
    /// A variable looks like a setting, but has one underscore between section and key.
    #[error("the environment variable {found} has no effect; accepted is {accepted}")]
    Variable {
        /// The variable's name.
        found: String,
        /// The name of the setting's variable.
        accepted: String,
    },
    /// With this limit no request could be answered.
    #[error("the setting \"{key}\" is {found}; accepted are {least} and more")]
    TooSmall {
        /// The key's path.
        key: &'static str,
        /// Its value.
        found: u64,
        /// The smallest accepted value.
        least: u64,
    },
    /// A request would time out before its snapshot.
    #[error(
        "server.request_timeout_seconds is {request}, llm.timeout_seconds is {snapshot}; accepted \
         is a request's limit that is longer than a snapshot's by 5 seconds or more"
    )]
    Timeouts {
        /// The request's limit.
        request: u64,
        /// The snapshot's.
        snapshot: u64,
    },
    /// `PORT` is not a port.
    #[error("PORT is \"{found}\"; accepted is a number from 0 to 65535")]
    Port {
        /// The text found.
        found: String,
    },
}

impl Config {
    /// Reads the file, if any, and the environment, which overrides it.
    ///
    /// # Errors
    ///
    /// Fails if a source cannot be read, if a key or a variable names no setting, or if a value is
    /// invalid.
    pub fn load(file: Option<&Path>) -> Result<Config, ConfigError> {
        check_variables()?;
        let mut builder = config::Config::builder();
        if let Some(file) = file {
            builder = builder.add_source(File::from(file).format(FileFormat::Toml));
        }
        // The specification's prefix, with lower priority.
        let seed = environment("ATLATL", "ATLATL_PROMPT__OFFLOAD__");
        let own = environment("UNBURDEN", PREFIX);
        let read = builder.add_source(seed).add_source(own).build()?;
        let mut config: Config =
            serde_path_to_error::deserialize(read.clone()).map_err(|error| {
                invalid(&error.path().to_string(), &error.inner().to_string(), read)
            })?;
        config.take_secrets();
        config.take_port()?;
        config.check_limits()?;
        Ok(config)
    }

    /// Checks that requests can be answered, and that a request outlives its snapshot.
    fn check_limits(&self) -> Result<(), ConfigError> {
        let Config { server, reload, extract, .. } = self;
        let memory = if server.memory_bytes == 0 { u64::MAX } else { server.memory_bytes };
        for (key, found, least) in [
            ("server.body_limit_bytes", server.body_limit_bytes as u64, 1),
            ("server.request_timeout_seconds", server.request_timeout_seconds, 1),
            ("server.header_timeout_seconds", server.header_timeout_seconds, 1),
            ("server.body_timeout_seconds", server.body_timeout_seconds, 1),
            ("server.memory_bytes", memory, 1 << 20),
            ("reload.grep_deadline_ms", reload.grep_deadline_ms, 1),
            ("extract.deadline_ms", extract.deadline_ms, 1),
            ("extract.memory_bytes", extract.memory_bytes, 64 << 20),
        ] {
            if found < least {
                return Err(ConfigError::TooSmall { key, found, least });
            }
        }
        let (request, snapshot) = (server.request_timeout_seconds, self.llm.timeout_seconds);
        if self.llm.model.is_some() && request < snapshot.saturating_add(5) {
            return Err(ConfigError::Timeouts { request, snapshot });
        }
        Ok(())
    }

    /// Reads keys and tokens from the environment. The generic reader would parse a secret of
    /// digits as a number. A token of an unknown tenant adds the tenant.
    fn take_secrets(&mut self) {
        for (name, secret) in variables() {
            let Some(name) = name.strip_prefix(PREFIX) else { continue };
            let secret = Some(Key::new(secret));
            let tenant = |name: &str| {
                let inner = name.strip_prefix("TENANTS__")?.strip_suffix("__TOKEN")?;
                Some(inner.to_owned())
            };
            match name.to_uppercase().as_str() {
                "LLM__API_KEY" => self.llm.api_key = secret,
                "SERVER__TOKEN" => self.server.token = secret,
                upper => {
                    let Some(name) = tenant(upper) else { continue };
                    let known = self.tenants.keys().find(|known| known.to_uppercase() == name);
                    let name = known.cloned().unwrap_or_else(|| name.to_lowercase());
                    self.tenants.entry(name).or_default().token = secret;
                }
            }
        }
    }

    /// Reads `PORT`, as platforms set it, unless `UNBURDEN_SERVER__LISTEN` is set.
    fn take_port(&mut self) -> Result<(), ConfigError> {
        if std::env::var_os("UNBURDEN_SERVER__LISTEN").is_some() {
            return Ok(());
        }
        if let Ok(port) = std::env::var("PORT") {
            let port = port.trim().parse().map_err(|_| ConfigError::Port { found: port })?;
            self.server.listen.set_port(port);
        }
        Ok(())
    }
}

/// Returns the error for a setting. Where a word is none of the accepted ones, another reader of
/// the same values names these.
fn invalid(key: &str, reason: &str, read: config::Config) -> ConfigError {
    let error = |reason: &str| ConfigError::Key { key: key.to_owned(), reason: reason.to_owned() };
    let Ok(values) = read.try_deserialize::<serde_json::Value>() else { return error(reason) };
    match serde_path_to_error::deserialize::<_, Config>(values) {
        Err(named) if named.path().to_string() == key => error(&named.inner().to_string()),
        _ => error(reason),
    }
}

/// Fails if a variable is that of a setting with one underscore after the section. Other variables
/// with the prefix are ignored: Kubernetes sets `UNBURDEN_PORT` for a service of that name.
fn check_variables() -> Result<(), ConfigError> {
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    for (found, _) in variables() {
        let Some(name) = found.strip_prefix(PREFIX).map(str::to_lowercase) else { continue };
        let accepted = defaults.as_object().into_iter().flatten().find_map(|(section, keys)| {
            let key = name.strip_prefix(section.as_str())?.strip_prefix('_')?;
            let key = match section.as_str() {
                "tenants" => of_tenant(key)?,
                _ => keys.get(key).is_some().then(|| key.to_owned())?,
            };
            Some(format!("{section}__{key}").to_uppercase())
        });
        if let Some(accepted) = accepted {
            return Err(ConfigError::Variable { accepted: format!("{PREFIX}{accepted}"), found });
        }
    }
    Ok(())
}

/// Returns the tenant and the key of a variable, with two underscores between them.
fn of_tenant(name: &str) -> Option<String> {
    ["token_file", "token", "roots"].into_iter().find_map(|key| {
        let tenant = name.strip_suffix(key)?.trim_matches('_');
        (!tenant.is_empty() && !name.starts_with('_')).then(|| format!("{tenant}__{key}"))
    })
}

/// Returns the environment's settings under a prefix.
fn environment(prefix: &str, begin: &str) -> Environment {
    // Other variables name no section and key.
    let names_setting =
        |name: &str| name.split_once('_').is_some_and(|(_, key)| key.contains("__"));
    let is_secret = |name: &str| SECRETS.iter().any(|end| name.to_uppercase().ends_with(end));
    let settings = variables()
        .filter(|(name, _)| name.starts_with(begin) && names_setting(name) && !is_secret(name));
    Environment::with_prefix(prefix)
        .source(Some(settings.collect()))
        .prefix_separator("_")
        .separator("__")
        .try_parsing(true)
        .list_separator(":")
        .with_list_parse_key("store.roots")
}

/// Returns the variables that are text.
fn variables() -> impl Iterator<Item = (String, String)> {
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text)
}
