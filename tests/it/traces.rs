//! Spans of the real binary, as a collector gets them.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message;
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::scripted::{Endpoint, completion, grounded};
use crate::served::Served;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

async fn collector(status: u16) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(wiremock::matchers::any())
        .respond_with(ResponseTemplate::new(status))
        .mount(&server)
        .await;
    server
}

/// The attributes of a resource or a span.
fn attributes(given: &[KeyValue]) -> BTreeMap<&str, Value> {
    let value = |given: &KeyValue| match given.value.as_ref()?.value.as_ref()? {
        any_value::Value::StringValue(text) => Some(json!(text)),
        any_value::Value::IntValue(number) => Some(json!(number)),
        other => panic!("{other:?}"),
    };
    given.iter().filter_map(|given| Some((given.key.as_str(), value(given)?))).collect()
}

/// The spans that a collector got, and the name of the service.
async fn spans(collector: &MockServer) -> (Vec<Span>, String) {
    let (mut spans, mut service) = (Vec::new(), String::new());
    for request in collector.received_requests().await.unwrap() {
        assert_eq!(request.url.path(), "/v1/traces");
        let export = ExportTraceServiceRequest::decode(request.body.as_slice()).unwrap();
        for of_resource in export.resource_spans {
            let resource = of_resource.resource.unwrap();
            let about = attributes(&resource.attributes);
            service = format!("{} {}", about["service.name"], about["service.version"]);
            spans.extend(of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    (spans, service)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn history() -> Value {
    let turns = |n: usize| {
        let text = format!("Secret step {n}: the parser in src/parser.rs takes the input. ");
        [
            json!({"role": "user", "content": text.repeat(20)}),
            json!({"role": "assistant", "content": text.repeat(40)}),
        ]
    };
    json!((0..12).flat_map(turns).collect::<Vec<_>>())
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_and_the_model_are_spans_of_the_callers_trace() {
    let model = Endpoint::answers(|_, asked| completion(&grounded(asked.request()))).await;
    let collector = collector(200).await;
    let uri = collector.uri();
    let environment = [
        ("UNBURDEN_TRACES__ENDPOINT", uri.as_str()),
        ("UNBURDEN_LLM__BASE_URL", model.base_url.as_str()),
        ("UNBURDEN_LLM__API_KEY", "k"),
        ("UNBURDEN_LLM__MODEL", "a-model"),
        ("RUST_LOG", "info"),
    ];
    let served = Served::start(tempfile::tempdir().unwrap(), &environment);
    let traced = |flags: &str| format!("traceparent: 00-{TRACE}-{CALLER}-{flags}\r\n");
    let body = json!({"messages": history(), "store_dir": "./store", "max_total_tokens": 1,
        "context_manage_mode": "compress", "chat_id": "the chat"});
    let (status, answer) =
        served.ask_with(&traced("01"), "POST", "/context_offload", &body.to_string());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(status, 200, "{answer}");
    // The caller's trace is not recorded; probes never are.
    let count = json!({"messages": history()}).to_string();
    assert_eq!(served.ask_with(&traced("00"), "POST", "/count_tokens", &count).0, 200);
    assert_eq!(served.ask_with("", "GET", "/healthz", "").0, 200);
    assert_eq!(served.ask_with("", "GET", "/no/such/route", "").0, 404);
    let log = served.stop();
    let (spans, service) = spans(&collector).await;
    assert_eq!(service, format!("\"unburden\" \"{}\"", env!("CARGO_PKG_VERSION")));
    let mut names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["GET none", "POST /context_offload", "chat a-model"]);
    let named = |name: &str| spans.iter().find(|span| span.name == name).unwrap();

    let request = named("POST /context_offload");
    assert_eq!(
        (hex(&request.trace_id), hex(&request.parent_span_id)),
        (TRACE.into(), CALLER.into())
    );
    assert_eq!(request.kind, SpanKind::Server as i32);
    let about = attributes(&request.attributes);
    let report = &answer["metadata"]["report"];
    assert_eq!(about["http.request.method"], "POST");
    assert_eq!(about["http.response.status_code"], 200);
    assert_eq!(about["unburden.tokens.before"], report["tokens_before"]);
    assert_eq!(about["unburden.tokens.after"], report["tokens_after"]);

    let asked = named("chat a-model");
    assert_eq!((&asked.trace_id, &asked.parent_span_id), (&request.trace_id, &request.span_id));
    assert_eq!(asked.kind, SpanKind::Client as i32);
    let about = attributes(&asked.attributes);
    assert_eq!(about["gen_ai.operation.name"], "chat");
    assert_eq!(about["gen_ai.request.model"], "a-model");
    assert_eq!(about["unburden.model.calls"], model.calls());
    assert!(about["gen_ai.usage.input_tokens"].as_i64() > Some(100), "{about:?}");
    assert!(!format!("{spans:?}").contains("Secret step"), "{spans:?}");

    // Lines of the log say nothing of it: their span is the request.
    for line in log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        assert!(line["span"]["name"] != "model" && line["span"]["status_code"].is_null(), "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_costs_a_line() {
    let collector = collector(400).await;
    let uri = collector.uri();
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", uri.as_str()), ("RUST_LOG", "info")];
    let served = Served::start(tempfile::tempdir().unwrap(), &environment);
    let count = json!({"messages": history()});
    assert_eq!(served.post("/count_tokens", &count).0, 200);
    let log = served.stop();
    assert!(log.contains("spans were not sent"), "{log}");
    assert_eq!(spans(&collector).await.0.len(), 1);
}
