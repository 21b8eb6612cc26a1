//! The declaration that a proxy is in front: a server that knows it returns its results whole
//! instead of offloading them itself (`lro-spec-1600`, "Remote Transport Proxy"). It is added in
//! every place that servers read.

use crate::interfaces::mcp::edit::{map_member, set_member};
use crate::interfaces::mcp::message::{Message, member, protocol_name};

/// Name of the header of every HTTP request.
pub(super) const HEADER: &str = "x-mcp-proxy";
/// Value of that header.
pub(super) const VALUE: &str = concat!("unburden/", env!("CARGO_PKG_VERSION"));

/// Name of the member of `capabilities.experimental`.
const CAPABILITY: &str = "io.github.unburden/proxy";
const VERSION: &str = concat!(r#"{"version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// Adds the declaration to a message. Returns `None` if the message does not describe its client.
pub(super) fn with_declaration(text: &str, message: &Message<'_>) -> Option<String> {
    if message.method().as_deref() == Some("initialize") {
        return map_member(text, "params", |params| {
            declare_in(params, "clientInfo", "capabilities")
        });
    }
    message.param("_meta")?;
    let (info, capabilities) = (protocol_name("clientInfo"), protocol_name("clientCapabilities"));
    map_member(text, "params", |params| {
        map_member(params, "_meta", |meta| declare_in(meta, &info, &capabilities))
    })
}

/// Returns true if the client declares itself a proxy that accepts whole results.
pub(super) fn is_declared(message: &Message<'_>) -> bool {
    let info = message.param("clientInfo").or_else(|| message.meta("clientInfo"));
    info.and_then(|info| member(info, "proxy")) == Some("true")
}

fn declare_in(object: &str, info: &str, capabilities: &str) -> Option<String> {
    let first = map_member(object, info, |info| set_member(info, "proxy", "true"));
    let second = map_member(first.as_deref().unwrap_or(object), capabilities, with_capability);
    second.or(first)
}

/// Adds the proxy's capability to the experimental ones.
fn with_capability(capabilities: &str) -> Option<String> {
    if member(capabilities, "experimental").is_some() {
        return map_member(capabilities, "experimental", |all| {
            set_member(all, CAPABILITY, VERSION)
        });
    }
    set_member(capabilities, "experimental", &format!("{{\"{CAPABILITY}\":{VERSION}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declare(text: &str) -> Option<String> {
        with_declaration(text, &Message::read(text).unwrap())
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
        let known = |text: &str| is_declared(&Message::read(text).unwrap());
        assert!(known(r#"{"method":"initialize","params":{"clientInfo":{"proxy":true}}}"#));
        assert!(!known(r#"{"method":"initialize","params":{"clientInfo":{"proxy":"no"}}}"#));
    }
}
