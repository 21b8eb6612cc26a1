//! The original bytes of tool call arguments. The library parses them, which loses the order of
//! members and the spelling of numbers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::interfaces::lock::lock;

/// Maximum number of calls whose arguments are kept for their handler.
const MAX_WAITING: usize = 1_000;

/// The body of an HTTP request.
#[derive(Debug, Clone)]
pub(crate) struct HttpBody(pub Arc<[u8]>);

impl HttpBody {
    /// Returns the arguments of the call in it, as JSON.
    pub(super) fn arguments(&self) -> Option<String> {
        Some(arguments(&self.0)?.1)
    }
}

/// The arguments of calls on one stream, by request id.
#[derive(Debug, Default)]
pub(crate) struct Originals(Mutex<HashMap<RequestId, String>>);

impl Originals {
    /// Keeps the arguments of a tool call; ignores other messages.
    pub(super) fn keep(&self, message: &[u8]) {
        let Some((id, arguments)) = arguments(message) else { return };
        let mut originals = lock(&self.0);
        if originals.len() >= MAX_WAITING {
            originals.clear();
        }
        originals.insert(id, arguments);
    }

    /// Takes the arguments of the request `id`.
    pub(super) fn take(&self, id: &RequestId) -> Option<String> {
        lock(&self.0).remove(id)
    }
}

#[derive(Deserialize)]
struct Message<'a> {
    id: RequestId,
    method: &'a str,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Reads id and arguments of a tool call.
fn arguments(message: &[u8]) -> Option<(RequestId, String)> {
    let message: Message<'_> = serde_json::from_slice(message).ok()?;
    let arguments = message.params.arguments.filter(|_| message.method == "tools/call")?;
    Some((message.id, arguments.get().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_kept_as_they_were_spelled() {
        let originals = Originals::default();
        originals.keep(br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"b":1.10,"a":90071992547409931}}}"#);
        originals.keep(br#"{"jsonrpc":"2.0","id":8,"method":"ping","params":{}}"#);
        let id = |n| RequestId::Number(n);
        assert_eq!(originals.take(&id(7)).unwrap(), r#"{"b":1.10,"a":90071992547409931}"#);
        assert_eq!(originals.take(&id(7)), None, "once");
        assert_eq!(originals.take(&id(8)), None);
    }
}
