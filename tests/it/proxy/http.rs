//! What is particular to a server over HTTP: its session, its refusals, its streams.

use serde_json::{Value, json};

use super::client::{Client, Way};

fn header<'a>(entry: &'a Value, name: &str) -> &'a Value {
    &entry["headers"][name]
}

#[test]
fn a_session_is_kept_and_ended() {
    for way in [Way::Json, Way::Events] {
        let flags = ["--header", "Authorization: Bearer TOKEN", "--header", "X-Mine: a, b"];
        let mut client = Client::new(way, &flags, &[]);
        client.ask(1, "x/unknown", "{}");
        let first = client.received("\"initialize\"");
        assert_eq!(header(&first, "mcp-session-id"), &Value::Null);
        assert_eq!(header(&first, "accept"), "application/json, text/event-stream");
        let next = client.received("x/unknown");
        assert_eq!(header(&next, "mcp-session-id"), "session-1");
        assert_eq!(header(&next, "mcp-protocol-version"), "2025-11-25");
        for entry in [first, next] {
            let version = concat!("unburden/", env!("CARGO_PKG_VERSION"));
            assert_eq!(header(&entry, "x-mcp-proxy"), version);
            assert_eq!(header(&entry, "authorization"), "Bearer TOKEN");
            assert_eq!(header(&entry, "x-mine"), "a, b");
        }
        assert_eq!(client.end(), Some(0));
        let last = client.log().pop().unwrap();
        assert_eq!(
            (&last["verb"], header(&last, "mcp-session-id")),
            (&json!("DELETE"), &json!("session-1"))
        );
        assert!(!client.stderr().contains("TOKEN"));
    }
}

#[test]
fn the_generation_without_sessions_is_described_in_headers() {
    let mut client = Client::silent(Way::Json, &[], &[]);
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let answer = client.ask(1, "tools/call", &format!(r#"{{"name":"echo",{meta}}}"#));
    assert!(answer.contains("called echo"));
    let entry = client.received("2026-07-28");
    assert_eq!(header(&entry, "mcp-protocol-version"), "2026-07-28");
    assert_eq!(header(&entry, "mcp-method"), "tools/call");
    assert_eq!(header(&entry, "mcp-name"), "echo");
    // The proxy's own questions are of that generation too.
    let list = client.ask(
        2,
        "tools/call",
        &format!(r#"{{"name":"grep",{meta},"arguments":{{"pattern":"x"}}}}"#),
    );
    assert!(list.contains(r#""resultType":"complete""#), "{list}");
    let own = client.received("unburden-proxy-");
    assert!(own["body"].as_str().unwrap().contains("2026-07-28"));
    assert_eq!(header(&own, "mcp-method"), "tools/list");
}

/// There the end of its connection cancels a request, and no message.
#[test]
fn the_generation_without_sessions_cancels_by_hanging_up() {
    let mut client = Client::silent(Way::Json, &[], &[]);
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    client.send(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"slow","arguments":{{"seconds":1}},{meta}}}}}"#
    ));
    client.received("slow");
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let later = format!(r#"{{"name":"slow","arguments":{{"seconds":1.5,"say":"done"}},{meta}}}"#);
    assert!(client.ask(2, "tools/call", &later).contains("done"));
    assert_eq!(client.rest(), [""; 0]);
    assert!(!client.log().iter().any(|entry| entry.to_string().contains("cancelled")));
}

#[test]
fn a_refusal_is_one_sentence_and_the_proxy_goes_on() {
    let refusals = [
        ("401", "accepted is a token, as in --header 'Authorization: Bearer TOKEN'"),
        ("403", "the credentials of --header are not sufficient"),
        ("404", "accepted is the address of its MCP endpoint"),
        ("503", "503 Service Unavailable; it says: not now"),
        ("302", "redirects to other hosts are not followed"),
    ];
    for (status, sentence) in refusals {
        let status = format!("status={status}");
        let mut client = Client::silent(Way::Json, &[], &[&status, "says=not now"]);
        for id in 1..3 {
            let answer: Value = serde_json::from_str(&client.ask(id, "x/unknown", "{}")).unwrap();
            let message = answer["error"]["message"].as_str().unwrap();
            assert_eq!(answer["error"]["code"], -32000);
            assert!(message.contains(sentence), "{message}");
            assert!(message.starts_with("http://127.0.0.1:"), "{message}");
            assert!(!message.contains("SECRET"), "{message}");
        }
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn a_server_that_is_not_there_is_told_with_every_request() {
    let mut client = Client::new(Way::Events, &[], &[]);
    client.stop_server();
    for id in 1..3 {
        let answer = client.ask(id, "x/unknown", "{}");
        assert!(answer.contains("/mcp cannot be reached: "), "{answer}");
    }
    assert_eq!(client.end(), Some(0));
}

/// No client waits for an answer that came under the id of nobody.
#[test]
fn json_with_another_id_is_no_answer() {
    let mut client = Client::new(Way::Json, &[], &["other=1"]);
    let answer = client.ask(1, "x/unknown", "{}");
    assert!(
        answer.contains("answered with JSON that does not answer this request's id"),
        "{answer}"
    );
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_session_that_ended_is_told() {
    let mut client = Client::silent(Way::Json, &[], &[]);
    let answer = client.ask(1, "x/unknown", "{}");
    assert!(answer.contains("it says: Session not found"), "{answer}");
}

/// The stream of what a server says by itself goes on where it broke.
#[test]
fn what_the_server_says_by_itself_comes_through() {
    let mut client = Client::new(Way::Events, &[], &["listen=1"]);
    for number in 41..44 {
        let told = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"number":{number}}}}}"#
        );
        assert_eq!(client.line(|_| true), told);
    }
    let gets: Vec<Value> = client.log().into_iter().filter(|e| e["verb"] == "GET").collect();
    assert_eq!(header(&gets[0], "last-event-id"), &Value::Null);
    assert_eq!(header(&gets[1], "last-event-id"), "41");
    assert_eq!(client.end(), Some(0));
}

/// The answer to a call comes on another stream where the first one broke.
#[test]
fn an_answer_whose_stream_broke_is_fetched() {
    let mut client = Client::new(Way::Events, &[], &["break=1"]);
    assert!(client.call(1, "echo", &json!({})).contains("called echo"));
    assert!(client.call(2, "text", &json!({})).contains("(detailed result is stored in "));
    let again = client.log().into_iter().filter(|e| e["verb"] == "GET");
    assert!(again.filter(|e| header(e, "last-event-id") == "0").count() >= 2);
}

#[test]
fn a_stream_that_breaks_again_is_resumed_five_times() {
    for (breaks, comes) in [("break=5", true), ("break=6", false)] {
        let mut client = Client::new(Way::Events, &[], &[breaks]);
        let answer = client.call(1, "echo", &json!({}));
        assert_eq!(answer.contains("called echo"), comes, "{answer}");
        assert_eq!(answer.contains("ended its stream before the answer"), !comes, "{answer}");
    }
}

#[test]
fn an_answer_that_is_too_long_is_told() {
    for (way, what) in [(Way::Json, "an answer of "), (Way::Events, "a message of ")] {
        let mut client = Client::start(way, &[], &[], |command| {
            command.env("UNBURDEN_SERVER__BODY_LIMIT_BYTES", "5000");
        });
        let first = client.initialize();
        client.answer(&first);
        let answer = client.call(1, "text", &json!({}));
        assert!(answer.contains(what) && answer.contains(" has over 5000 bytes"), "{answer}");
    }
}

/// Messages are events without a name, or of the name `message`, as for the clients of the official
/// libraries. Others, such as those that keep a connection open, are not for the client.
#[test]
fn an_event_of_another_name_is_passed_over() {
    for (name, passes) in [("ping", false), ("message", true), ("", true)] {
        let mut client = Client::new(Way::Events, &[], &[&format!("named={name}")]);
        assert!(client.call(1, "echo", &json!({})).contains("called echo"));
        let rest = client.rest();
        let passed = rest.iter().any(|line| line.contains("notifications/named"));
        assert_eq!(passed, passes, "{name}: {rest:?}");
    }
}
