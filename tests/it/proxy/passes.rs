//! What the proxy has nothing to do with passes as it came.

use raw_json as raw;
use serde_json::{Value, json};

use super::client::{Client, WAYS, Way, refused};

const ODD: &str = r#"{"a": 1.10,"n":12345678901234567890123, "odd":{"z":null,"\u00e9":"\u00e9\ud83d\ude00","a":1e400},"a":2}"#;

/// A server's answer with the first line break that this way puts into it.
fn spelled(way: Way, answer: &str) -> String {
    let space = if way == Way::Json { ",  \"" } else { ",\"" };
    answer.replacen(",\"", space, 1)
}

/// lro-spec-1600, "Remote Transport Proxy":
/// > it acts as a transparent pass-through
#[test]
fn unknown_methods_members_and_numbers_pass_in_both_directions() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        let sent = r#"{ "jsonrpc":"2.0", "x":1.10,"id":"a-1","method":"x/unknown","params":{"n":12345678901234567890123,"n":1e400, "é":"\u00e9"} }"#;
        client.send(sent);
        let answer = format!(r#"{{"jsonrpc":"2.0", "id":"a-1","result":{ODD},"extra":[ 1.0 ]}}"#);
        assert_eq!(client.answer("\"a-1\""), spelled(way, &answer), "{way:?}");
        assert_eq!(client.body("x/unknown"), sent);
        let told = r#"{"jsonrpc":"2.0","method":"x/told","params":{"n":1.10}}"#;
        client.send(told);
        assert_eq!(client.body("x/told"), told);
        let failed = client.ask(4, "tools/call", r#"{"name":"fail"}"#);
        let error =
            r#"{"jsonrpc":"2.0", "id":4,"error":{"code":-32602,"message":"no","data":{"x":1.10}}}"#;
        assert_eq!(failed, spelled(way, error));
    }
}

#[test]
fn small_results_and_media_pass() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        let small = client.call(1, "echo", &json!({}));
        let answer = r#"{"jsonrpc":"2.0", "id":1,"result":{"content":[{"type":"text","text":"called echo"}],"x":1.10},"extra":[ 1.0 ]}"#;
        assert_eq!(small, spelled(way, answer));
        let image = client.result(2, "image", &json!({}));
        assert_eq!(image["content"][0]["data"].as_str().unwrap().len(), 36_000);
        assert!(client.files().is_empty());
    }
}

#[test]
fn progress_comes_before_its_result() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        let call = r#"{"name":"progress","arguments":{},"_meta":{"progressToken":7}}"#;
        client
            .send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{call}}}"#));
        let progress = client.line(|_| true);
        assert_eq!(
            progress,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1.10}}"#
        );
        assert!(client.answer("1").contains("(detailed result is stored in "));
    }
}

/// A request of the server's, and the client's answer to it.
#[test]
fn sampling_passes_both_ways() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        client.send(
            r#"{"jsonrpc":"2.0","id":"s-1","method":"tools/call","params":{"name":"sample"}}"#,
        );
        let asked = client.line(|line| line.contains("sampling"));
        assert_eq!(
            asked,
            r#"{"jsonrpc":"2.0","id": "s-1","method":"sampling/createMessage","params":{"x":1.10}}"#
        );
        // The ids of both directions may be the same.
        let said = r#"{"jsonrpc":"2.0","id":"s-1","result":{"model":"m","n":1.10}}"#;
        client.send(said);
        let members: Value = serde_json::from_str(&client.answer("\"s-1\"")).unwrap();
        assert_eq!(members["result"]["content"][0]["text"], said, "{way:?}");
    }
}

#[test]
fn a_cancelled_call_is_cancelled_there_and_its_late_result_is_dropped() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        client.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":1}}}"#);
        client.received("slow");
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"x"}}"#;
        client.send(cancel);
        assert_eq!(client.body("cancelled"), cancel);
        // Another one is not held up, and comes after the first would have.
        assert!(client.call(2, "slow", &json!({"seconds": 1.5, "say": "done"})).contains("done"));
        assert_eq!(client.rest(), [""; 0], "{way:?}");
        assert!(client.files().is_empty());
    }
}

#[test]
fn off_changes_nothing_at_all() {
    let by_flag: (&[&str], &[(&str, &str)]) = (&["--off"], &[]);
    let by_setting: (&[&str], &[(&str, &str)]) =
        (&[], &[("ATLATL_PROMPT__OFFLOAD__ENABLED", "false")]);
    for (flags, environment) in [by_flag, by_setting] {
        let mut client = Client::start(Way::Child, flags, &["names=read_file"], |command| {
            command.envs(environment.iter().copied());
        });
        let first = client.initialize();
        client.answer(&first);
        assert!(!client.body("initialize").contains("proxy"));
        let list = client.ask(1, "tools/list", "{}");
        assert!(list.contains(r#""outputSchema":{"type":"object","x":1.10}"#), "{list}");
        assert!(!list.contains("lro_extract"));
        let big = client.call(2, "records", &json!({}));
        assert!(big.contains(r#"\"price\":1.10"#));
        assert!(client.call(3, "read_file", &json!({})).contains("called read_file"));
        assert!(client.files().is_empty());
    }
}

/// A proxy in front of a proxy: the outer one wants the results whole.
#[test]
fn a_client_that_is_a_proxy_gets_everything_whole() {
    let mut client = Client::silent(Way::Child, &[], &[]);
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"outer","version":"1","proxy":true}}}"#);
    client.answer("1");
    let is_whole = |said: &str| said.contains("line 399 of") && !said.contains("is stored in ");
    let said = client.call(2, "text", &json!({}));
    assert!(is_whole(&said), "{said}");
    // The generation without sessions says it with every request.
    let mut client = Client::new(Way::Child, &[], &[]);
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"outer","proxy":true},"io.modelcontextprotocol/clientCapabilities":{}}"#;
    let said = client.ask(3, "tools/call", &format!(r#"{{"name":"text",{meta}}}"#));
    assert!(is_whole(&said), "{said}");
}

#[test]
fn what_is_no_message_is_told_so_and_the_next_one_is_served() {
    let small = "UNBURDEN_SERVER__BODY_LIMIT_BYTES";
    let mut client = Client::start(Way::Child, &[], &[], |command| {
        command.env(small, "5000");
    });
    for bad in ["hello", "{\"a\":", "{\"id\":1} {}"] {
        client.send(bad);
        let said = client.line(|_| true);
        assert!(said.contains(r#""id":null,"error":{"code":-32700,"#), "{said}");
        assert!(said.contains("the line is not JSON; accepted is"), "{said}");
    }
    client.send(&format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"x","params":"{}"}}"#,
        "x".repeat(5_000)
    ));
    let said = client.answer("7");
    assert!(said.contains("accepted are up to 5000"), "{said}");
    // What the server says may be too long as well.
    let first = client.initialize();
    client.answer(&first);
    let said = client.call(8, "text", &json!({}));
    assert!(said.contains("accepted are up to 5000"), "{said}");
    client.send("\n  \n");
    assert!(client.ask(9, "x/unknown", "{}").contains("12345678901234567890123"));
}

#[test]
fn a_server_that_is_none_is_told_at_the_start() {
    let refusals: [(&[&str], &str); 8] = [
        (&[], "neither an address nor a command; accepted is --url URL, or a command behind --"),
        (&["--url", "http://x", "--", "y"], "both an address and a command"),
        (
            &["--url", "hello"],
            "--url is \"hello\"; accepted is an address such as https://HOST/mcp",
        ),
        (&["--url", "ftp://x/mcp"], "accepted is an address"),
        (&["--url", "http://x", "--header", "hello"], "--header \"hello\" is not a header"),
        (&["--header", "a: b", "--", "y"], "--header is for --url"),
        (
            &["--", "/no/such/server"],
            "the server \"/no/such/server\" cannot be started: No such file",
        ),
        (
            &["--output-dir", "/proc/x", "--", "cat"],
            "/proc/x is not a folder and cannot be created",
        ),
    ];
    for (arguments, sentence) in refusals {
        let (status, said) = refused(arguments);
        assert_eq!(status, Some(2), "{said}");
        assert!(said.contains(sentence), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"));
    }
}

/// The message that begins a session says what stands between, and all else that
/// the client said.
///
/// lro-spec-1600, "Remote Transport Proxy":
/// > The proxy connects to the remote server via streamable-http and registers itself as a
/// > proxy client (clientInfo.proxy: true).
#[test]
fn the_server_is_told_of_the_proxy() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &[]);
        let version = env!("CARGO_PKG_VERSION");
        let told = client.body("initialize");
        let expected = format!(
            r#""capabilities":{{"sampling":{{}},"experimental":{{"io.github.unburden/proxy":{{"version":"{version}"}}}}}},"clientInfo":{{"name":"tests","version":"1.10","odd":1.10,"proxy":true}}"#
        );
        assert!(told.contains(&expected), "{told}");
        // The generation without sessions says it with every request.
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
        let new = client.ask(3, "tools/call", &format!(r#"{{"name":"text",{meta}}}"#));
        assert!(new.contains("(detailed result is stored in "), "{new}");
        let told = client.body("2026-07-28");
        assert!(told.contains(r#"{"name":"new","proxy":true}"#), "{told}");
        assert!(told.contains(r#"{"experimental":{"io.github.unburden/proxy":"#), "{told}");
        let members = raw::fields(&told).unwrap();
        assert_eq!(raw::field(&members, "id"), Some("3"));
    }
}
