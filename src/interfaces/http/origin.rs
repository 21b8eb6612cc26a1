//! Checks of Host and Origin: a web page must not reach the service through its visitor's browser.
//! Every request is checked before its body is read. A page of another origin is named in `Origin`;
//! a page whose name resolves to this machine is named in `Host` (DNS rebinding).

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri, header};

use crate::config::ServerConfig;

/// Host names of loopback.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The host names and page origins that requests may have.
#[derive(Debug, Clone)]
pub(super) struct AllowedNames {
    /// `None` accepts any host.
    hosts: Option<Vec<String>>,
    origins: Vec<String>,
}

/// A host or origin that is not allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Host(String),
    Origin(String),
}

impl AllowedNames {
    pub(super) fn of(config: &ServerConfig) -> AllowedNames {
        let lower = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
        let hosts = match (config.allowed_hosts.is_empty(), config.listen.ip().is_loopback()) {
            (false, _) => Some(lower(&config.allowed_hosts)),
            (true, true) => Some(LOOPBACK.map(str::to_owned).to_vec()),
            // A service beyond loopback has a token, or was configured without one.
            (true, false) => None,
        };
        AllowedNames { hosts, origins: lower(&config.allowed_origins) }
    }

    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        let said = |name| headers.get_all(name).iter().map(HeaderValue::as_bytes);
        for origin in said(header::ORIGIN) {
            let origin = String::from_utf8_lossy(origin).to_lowercase();
            if !self.origins.contains(&origin) {
                return Err(Refused::Origin(origin));
            }
        }
        let Some(hosts) = &self.hosts else { return Ok(()) };
        let mut asked = 0;
        let target = uri.authority().map(|authority| authority.as_str().as_bytes());
        for host in said(header::HOST).chain(target) {
            asked += 1;
            let host = String::from_utf8_lossy(host).to_lowercase();
            if !hosts.iter().any(|name| host_matches(name, &host)) {
                return Err(Refused::Host(host));
            }
        }
        // HTTP/1.1 requires a host.
        if asked == 0 { Err(Refused::Host(String::new())) } else { Ok(()) }
    }
}

/// Returns true if `host` matches `name`: with its port if `name` has one, with any port
/// otherwise.
fn host_matches(name: &str, host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    // User information is not part of a host.
    host == name || authority.host() == name && !host.contains('@')
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn verdict(
        config: &ServerConfig,
        uri: &str,
        said: &[(HeaderName, &str)],
    ) -> Result<(), Refused> {
        let mut headers = HeaderMap::new();
        for (name, value) in said {
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        AllowedNames::of(config).check(&uri.parse().unwrap(), &headers)
    }

    #[test]
    fn on_loopback_only_its_names_are_known() {
        let config = ServerConfig::default();
        for host in ["localhost", "LOCALHOST:8002", "127.0.0.1:1", "[::1]:8002", "[::1]"] {
            assert_eq!(verdict(&config, "/grep", &[(header::HOST, host)]), Ok(()), "{host}");
        }
        let refused = [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:8002",
            "evil.example@localhost",
            "localhost@evil.example",
            "2130706433",
            "0.0.0.0:8002",
            "",
            "::1",
        ];
        for host in refused {
            let verdict = verdict(&config, "/grep", &[(header::HOST, host)]);
            assert_eq!(verdict, Err(Refused::Host(host.to_owned())));
        }
        assert!(verdict(&config, "/grep", &[]).is_err(), "nobody was named");
        let twice = [(header::HOST, "localhost"), (header::HOST, "evil.example")];
        assert!(verdict(&config, "/grep", &twice).is_err());
        let target = "http://evil.example/grep";
        assert!(verdict(&config, target, &[(header::HOST, "localhost")]).is_err());
    }

    #[test]
    fn no_page_is_let_in_but_those_that_are_named() {
        let host = (header::HOST, "localhost");
        let mut config = ServerConfig::default();
        let page = [host.clone(), (header::ORIGIN, "https://App.example")];
        assert!(verdict(&config, "/grep", &page).is_err());
        assert!(verdict(&config, "/grep", &[host, (header::ORIGIN, "null")]).is_err());
        config.allowed_origins = vec!["https://app.example".to_owned()];
        assert_eq!(verdict(&config, "/grep", &page), Ok(()));
    }

    #[test]
    fn a_named_host_stands_for_itself_and_its_port_for_that_port() {
        let allowed_hosts = vec!["unburden".to_owned(), "proxy:80".to_owned()];
        let config = ServerConfig { allowed_hosts, ..ServerConfig::default() };
        let ask = |host: &str| verdict(&config, "/grep", &[(header::HOST, host)]).is_ok();
        assert!(ask("unburden:8002") && ask("unburden") && ask("proxy:80"));
        assert!(!ask("proxy") && !ask("proxy:81") && !ask("localhost"));
    }

    #[test]
    fn beyond_loopback_any_name_is_taken_and_no_page() {
        let listen = "0.0.0.0:8002".parse().unwrap();
        let config = ServerConfig { listen, ..ServerConfig::default() };
        assert_eq!(verdict(&config, "/grep", &[(header::HOST, "unburden:8002")]), Ok(()));
        let page = [(header::HOST, "unburden"), (header::ORIGIN, "http://unburden")];
        assert!(verdict(&config, "/grep", &page).is_err());
    }
}
