//! The declaration: a server in front of which the proxy stands may know it, and
//! then gives its results whole instead of offloading them itself (`lro-spec-1600`,
//! "Remote Transport Proxy"). It is made in every way that servers look for.

use super::edit::{changed, with};
use super::message::{Message, protocol_name};

/// Header of every request over HTTP.
pub(super) const HEADER: &str = "x-mcp-proxy";
/// Its value.
pub(super) const VALUE: &str = concat!("unburden/", env!("CARGO_PKG_VERSION"));

/// Member of `capabilities.experimental`.
const CAPABILITY: &str = "io.github.unburden/proxy";
const VERSION: &str = concat!(r#"{"version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// The message with the declaration in it; None where it says nothing of its
/// client.
pub(super) fn declared(text: &str, message: &Message<'_>) -> Option<String> {
    if message.method().as_deref() == Some("initialize") {
        return changed(text, "params", |params| in_both(params, "clientInfo", "capabilities"));
    }
    message.param("_meta")?;
    let (info, capabilities) = (protocol_name("clientInfo"), protocol_name("clientCapabilities"));
    changed(text, "params", |params| {
        changed(params, "_meta", |meta| in_both(meta, &info, &capabilities))
    })
}

/// True where the client itself is a proxy that takes results whole.
pub(super) fn declares(message: &Message<'_>) -> bool {
    let info = message.param("clientInfo").or_else(|| message.meta("clientInfo"));
    info.and_then(|info| super::message::member(info, "proxy")) == Some("true")
}

fn in_both(object: &str, info: &str, capabilities: &str) -> Option<String> {
    let first = changed(object, info, |info| with(info, "proxy", "true"));
    let second = changed(first.as_deref().unwrap_or(object), capabilities, capable);
    second.or(first)
}

/// Capabilities with ours among the experimental ones.
fn capable(capabilities: &str) -> Option<String> {
    if super::message::member(capabilities, "experimental").is_some() {
        return changed(capabilities, "experimental", |all| with(all, CAPABILITY, VERSION));
    }
    with(capabilities, "experimental", &format!("{{\"{CAPABILITY}\":{VERSION}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declare(text: &str) -> Option<String> {
        declared(text, &Message::read(text).unwrap())
    }

    #[test]
    fn the_first_message_declares_and_keeps_the_rest() {
        let text = r#"{"id":1.0,"method":"initialize","params":{"capabilities":{"roots":{"x":1.10}},"clientInfo":{"name":"c","unknown":null}}}"#;
        let experimental = format!(r#""experimental":{{"{CAPABILITY}":{VERSION}}}"#);
        let expected = format!(
            r#"{{"id":1.0,"method":"initialize","params":{{"capabilities":{{"roots":{{"x":1.10}},{experimental}}},"clientInfo":{{"name":"c","unknown":null,"proxy":true}}}}}}"#
        );
        assert_eq!(declare(text).unwrap(), expected);
    }

    #[test]
    fn every_request_of_the_new_generation_declares() {
        let text = r#"{"id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"experimental":{"a":{}}}},"name":"x"}}"#;
        let said = declare(text).unwrap();
        assert!(
            said.contains(&format!(r#"{{"experimental":{{"a":{{}},"{CAPABILITY}":"#)),
            "{said}"
        );
        assert!(said.ends_with(r#""name":"x"}}"#), "{said}");
    }

    #[test]
    fn what_says_nothing_of_its_client_stays() {
        let progress = r#"{"id":1,"method":"x","params":{"_meta":{"progressToken":1}}}"#;
        assert_eq!(declare(progress), None);
        assert_eq!(declare(r#"{"id":1,"method":"initialize","params":[]}"#), None);
        assert_eq!(declare(r#"{"id":1,"method":"ping"}"#), None);
    }

    #[test]
    fn a_client_that_is_a_proxy_is_known() {
        let known = |text: &str| declares(&Message::read(text).unwrap());
        assert!(known(r#"{"method":"initialize","params":{"clientInfo":{"proxy":true}}}"#));
        assert!(!known(r#"{"method":"initialize","params":{"clientInfo":{"proxy":"no"}}}"#));
    }
}
