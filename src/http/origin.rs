//! Host and Origin: a web page must not reach the service through its visitor's
//! browser. Every route asks, before anything of a body is read: a page of another
//! origin says so in `Origin`, and one whose name was bent to this machine says its
//! own name in `Host` (DNS rebinding).

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::middleware::Next;
use axum::response::Response;

use super::{Door, error, refuse};
use crate::config::ServerConfig;

/// The names of loopback.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Under which names, and from which pages, the service may be asked.
#[derive(Debug, Clone)]
pub(super) struct Names {
    /// None: under any.
    hosts: Option<Vec<String>>,
    origins: Vec<String>,
}

/// What of a request is refused.
#[derive(Debug, PartialEq, Eq)]
enum Foreign {
    Host(String),
    Origin(String),
}

impl Names {
    pub(super) fn of(config: &ServerConfig) -> Names {
        let lower = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
        let hosts = match (config.allowed_hosts.is_empty(), config.listen.ip().is_loopback()) {
            (false, _) => Some(lower(&config.allowed_hosts)),
            (true, true) => Some(LOOPBACK.map(str::to_owned).to_vec()),
            // Who listens beyond it has a token, or was told to have none.
            (true, false) => None,
        };
        Names { hosts, origins: lower(&config.allowed_origins) }
    }

    fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Foreign> {
        let said = |name| headers.get_all(name).iter().map(HeaderValue::as_bytes);
        for origin in said(header::ORIGIN) {
            let origin = String::from_utf8_lossy(origin).to_lowercase();
            if !self.origins.contains(&origin) {
                return Err(Foreign::Origin(origin));
            }
        }
        let Some(hosts) = &self.hosts else { return Ok(()) };
        let mut asked = 0;
        let target = uri.authority().map(|authority| authority.as_str().as_bytes());
        for host in said(header::HOST).chain(target) {
            asked += 1;
            let host = String::from_utf8_lossy(host).to_lowercase();
            if !hosts.iter().any(|name| names(name, &host)) {
                return Err(Foreign::Host(host));
            }
        }
        // Every client of HTTP/1.1 names whom it asks.
        if asked == 0 { Err(Foreign::Host(String::new())) } else { Ok(()) }
    }
}

/// True where `host` is `name`, with the port that `name` has, or any where it has none.
fn names(name: &str, host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    // A user's name before the host is no part of a host.
    host == name || authority.host() == name && !host.contains('@')
}

/// Lets a request pass that comes from nobody's page and names this service.
pub(super) async fn require(State(door): State<Door>, request: Request, next: Next) -> Response {
    let foreign = match door.names.check(request.uri(), request.headers()) {
        Ok(()) => return next.run(request).await,
        Err(foreign) => foreign,
    };
    refuse::forget(request.into_body());
    let shown = |text: &str| text.chars().take(100).collect::<String>();
    match foreign {
        Foreign::Host(host) => error::foreign_host(&shown(&host)),
        Foreign::Origin(origin) => error::foreign_origin(&shown(&origin)),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn verdict(
        config: &ServerConfig,
        uri: &str,
        said: &[(HeaderName, &str)],
    ) -> Result<(), Foreign> {
        let mut headers = HeaderMap::new();
        for (name, value) in said {
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        Names::of(config).check(&uri.parse().unwrap(), &headers)
    }

    #[test]
    fn on_loopback_only_its_names_are_known() {
        let config = ServerConfig::default();
        for host in ["localhost", "LOCALHOST:8002", "127.0.0.1:1", "[::1]:8002", "[::1]"] {
            assert_eq!(verdict(&config, "/grep", &[(header::HOST, host)]), Ok(()), "{host}");
        }
        let foreign = [
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
        for host in foreign {
            let verdict = verdict(&config, "/grep", &[(header::HOST, host)]);
            assert_eq!(verdict, Err(Foreign::Host(host.to_owned())));
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
