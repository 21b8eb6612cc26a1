//! The list of tools, and where calls go.

use serde_json::{Value, json};

use super::client::{Client, WAYS, Way, descriptor, lines, refused, text};

fn listed(client: &mut Client, id: u64, params: &str) -> (Vec<String>, Value) {
    let answer: Value = serde_json::from_str(&client.ask(id, "tools/list", params)).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    (names, answer["result"].clone())
}

#[test]
fn the_reload_tools_stand_behind_the_servers_own() {
    for (way, params) in WAYS.into_iter().zip(["{}", r#"{"cursor":null}"#, r#"{"x":1}"#]) {
        let mut client = Client::new(way, &["--deny", "both"], &[]);
        let (names, list) = listed(&mut client, 1, params);
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

/// Several proxies share a folder, and one of them lists the tools.
#[test]
fn the_tools_of_one_proxy_open_the_files_of_another() {
    let mut first = Client::bare(&["--output-dir", "files"], |command, folder| {
        command.current_dir(folder);
    });
    let files = first.folder.path().join("files").display().to_string();
    let id = first.initialize();
    first.answer(&id);
    let flags = ["--tools", "elsewhere", "--output-dir", &files];
    let mut second = Client::bare(&flags, |_, _| {});
    let id = second.initialize();
    second.answer(&id);
    let (names, list) = listed(&mut second, 1, "{}");
    assert_eq!(names.len(), 14, "only the server's own: {names:?}");
    assert!(!list.to_string().contains("outputSchema"), "{list}");
    let said = descriptor(&second.result(2, "records", &json!({})));
    assert!(said["guidance"].as_str().unwrap().contains("lro_extract(file_path="), "{said}");
    let theirs = second.call(3, "grep", &json!({"pattern": "x"}));
    assert!(theirs.contains("called grep"), "not answered by the proxy: {theirs}");
    let question = json!({"file_path": said["file_path"], "count": true});
    let found = first.result(4, "lro_extract", &question);
    assert!(text(&found).contains("400 records"), "{found}");
}

#[test]
fn without_the_tools_the_guidance_names_a_shell() {
    let mut client = Client::bare(&["--tools", "none", "--output-dir", "files"], |command, at| {
        command.current_dir(at);
    });
    let id = client.initialize();
    client.answer(&id);
    assert_eq!(listed(&mut client, 1, "{}").0.len(), 14);
    let said = descriptor(&client.result(2, "records", &json!({})));
    let guidance = said["guidance"].as_str().unwrap();
    assert!(guidance.contains("jq ") && !guidance.contains("lro_extract"), "{guidance}");
    let (status, said) = refused(&["--tools", "none", "--root", ".", "--", "cat"]);
    assert!(status == Some(2) && said.contains("--root: opens a folder"), "{said}");
}
