//! The list of tools, and where calls go.

use serde_json::{Value, json};

use super::client::{Client, WAYS, Way, descriptor, lines, text};

fn listed(client: &mut Client, id: u64, params: &str) -> (Vec<String>, Value) {
    let answer: Value = serde_json::from_str(&client.ask(id, "tools/list", params)).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    (names, answer["result"].clone())
}

#[test]
fn the_reload_tools_stand_behind_the_servers_own() {
    for way in WAYS {
        let mut client = Client::new(way, &["--deny", "both"], &[]);
        let (names, list) = listed(&mut client, 1, "{}");
        assert_eq!(names.len(), 18, "{names:?}");
        assert_eq!(names[14..], ["read_file", "grep", "lro_extract", "read_tool_result"]);
        assert_eq!(list["odd"], 1.10);
        let tool = |name: &str| {
            let all = list["tools"].as_array().unwrap();
            all.iter().find(|tool| tool["name"] == name).unwrap().clone()
        };
        assert_eq!(tool("both")["outputSchema"], json!({"type": "object", "x": 1.1}), "denied");
        assert!(tool("structured").get("outputSchema").is_none(), "may become a descriptor");
        assert_eq!(tool("structured")["unknown"], 1.1);
        assert!(tool("read_file")["inputSchema"]["properties"]["absolute_path"].is_object());
        assert_eq!(client.log().iter().filter(|e| e.to_string().contains("tools/list")).count(), 1);
    }
}

#[test]
fn only_allowed_tools_lose_their_schema() {
    let mut client = Client::new(Way::Child, &["--allow", "both"], &[]);
    let list = listed(&mut client, 1, "{}").1.to_string();
    assert_eq!(list.matches(r#""outputSchema":{"type":"object","x":1.1}"#).count(), 1, "{list}");
}

#[test]
fn they_come_on_the_last_page() {
    for way in [Way::Child, Way::Events] {
        let mut client = Client::new(way, &[], &["pages=3", "names=read_file"]);
        let (first, page) = listed(&mut client, 1, "{}");
        assert_eq!((first.len(), &page["nextCursor"]), (5, &json!("1")));
        let (second, _) = listed(&mut client, 2, r#"{"cursor":"1"}"#);
        assert_eq!(second.len(), 5);
        let (last, page) = listed(&mut client, 3, r#"{"cursor":"2"}"#);
        assert!(page.get("nextCursor").is_none());
        let ours = ["unburden_read_file", "grep", "lro_extract", "read_tool_result"];
        assert_eq!(last[5..], ours, "the server's own name is on another page");
        assert_eq!(last[4], "read_file");
    }
}

/// A name that the server has is the server's, also where nobody has asked for the
/// list yet.
#[test]
fn calls_go_where_the_list_says() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &["names=read_file,unburden_grep", "pages=2"]);
        let theirs = client.call(1, "read_file", &json!({"absolute_path": "/x"}));
        assert!(theirs.contains("called read_file"), "{theirs}");
        let asked = client.body("unburden-proxy-");
        assert!(asked.contains("tools/list"), "{asked}");
        assert!(client.call(2, "unburden_grep", &json!({})).contains("called unburden_grep"));
        let ours = client.result(3, "unburden_read_file", &json!({"absolute_path": "/no/such"}));
        assert_eq!(ours["isError"], true);
        assert!(text(&ours).contains("/no/such"), "{ours}");
        let ours = client.result(4, "grep", &json!({"pattern": "x"}));
        assert_eq!(ours["isError"], false, "{ours}");
        let of_server = client.log().iter().filter(|e| e.to_string().contains("/no/such")).count();
        assert_eq!(of_server, 0, "the server never heard of ours");
        assert_eq!(client.rest(), [""; 0], "answers to the proxy's own questions stay here");
    }
}

/// What left is read back through the proxy's own tools, byte for byte.
#[test]
fn what_left_is_read_back_byte_for_byte() {
    for way in WAYS {
        let mut client = Client::new(way, &[], &["names=read_file,read_tool_result"]);
        let result = client.result(1, "text", &json!({}));
        let path = descriptor(&result)["file_path"].clone();
        let back = client.result(2, "unburden_read_tool_result", &json!({"result_id": path}));
        assert_eq!(text(&back), lines(400), "{way:?}");
        let part = json!({"absolute_path": path, "start_line": 7, "limit": 1});
        let back = client.result(3, "unburden_read_file", &part);
        assert!(text(&back).contains("\nline 6 of a long text, with"), "{back}");
    }
}
