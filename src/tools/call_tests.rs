//! Calls that the service rejects.

use serde_json::json;

use super::call;
use crate::config::Config;
use crate::service::Service;
use crate::tools::find;

/// An error has the same text for a model as over HTTP.
#[test]
fn a_refusal_is_told_in_the_words_of_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.store.roots = vec![format!("/workspace={}", folder.path().display())];
    let service = Service::open(&config).unwrap();
    for store in ["/workspace/one", "/workspace/two"] {
        let log: String = (0..500).map(|n| format!("line {n} of a log for {store}\n")).collect();
        let body = json!({"store_dir": store, "max_total_tokens": 1, "messages": [
            {"role": "assistant", "content": null, "tool_calls": [{"id": "call_7",
                "type": "function", "function": {"name": "scan", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "call_7", "content": log},
            {"role": "user", "content": "go on"},
        ]});
        service.offload(body.to_string().as_bytes()).unwrap();
    }
    let arguments = json!({"result_id": "call_7"}).to_string();
    let refusal = service.read_tool_result(arguments.as_bytes()).unwrap_err().to_string();
    assert!(refusal.starts_with("2 results of \"call_7\" are in different folders"), "{refusal}");
    let called = call(&service, find("read_tool_result", "").unwrap(), &arguments, "{}");
    assert_eq!((called.text, called.is_error), (refusal, true));
}
