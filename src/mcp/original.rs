//! The arguments of a call as they were sent. The library hands them over parsed:
//! keys in another order, numbers in another spelling. A history must leave as it
//! came, so the bytes are kept beside.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Most calls whose arguments wait for their handler: more were never handed over.
const WAITING: usize = 1_000;

/// The body of a request over HTTP.
#[derive(Debug, Clone)]
pub struct Sent(pub Arc<[u8]>);

impl Sent {
    /// The arguments of the call in it, JSON.
    pub(super) fn arguments(&self) -> Option<String> {
        Some(arguments(&self.0)?.1)
    }
}

/// The arguments of calls on one stream, by the id of their request.
#[derive(Debug, Default)]
pub struct Originals(Mutex<HashMap<RequestId, String>>);

impl Originals {
    /// Keeps the arguments of a message that calls a tool.
    pub(super) fn keep(&self, message: &[u8]) {
        let Some((id, arguments)) = arguments(message) else { return };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= WAITING {
            kept.clear();
        }
        kept.insert(id, arguments);
    }

    /// Gives out the arguments of the request `id`, once.
    pub(super) fn take(&self, id: &RequestId) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
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

/// Id and arguments of a message that calls a tool.
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
        let kept = Originals::default();
        kept.keep(br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"b":1.10,"a":90071992547409931}}}"#);
        kept.keep(br#"{"jsonrpc":"2.0","id":8,"method":"ping","params":{}}"#);
        let id = |n| RequestId::Number(n);
        assert_eq!(kept.take(&id(7)).unwrap(), r#"{"b":1.10,"a":90071992547409931}"#);
        assert_eq!(kept.take(&id(7)), None, "once");
        assert_eq!(kept.take(&id(8)), None);
    }
}
