//! Forms of frameworks, as their own libraries dump them.

use crate::History;

/// Returns the error for the first message that is rejected.
fn refused(messages: &str, format: &str) -> String {
    let history = match History::parse(messages, format) {
        Ok(history) => history,
        Err(error) => return error.to_string(),
    };
    history.views().map_or_else(|error| error.to_string(), |_| String::new())
}

const CALL: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;

#[test]
fn each_framework_is_named_with_what_to_send_instead() {
    let table = [
        (r#"{"role":"user","meta":{},"name":null,"content":[{"text":"hi"}]}"#, "Haystack"),
        (
            r#"{"role":"tool","meta":{},"name":null,"content":[{"tool_call_result":{"result":"42","origin":{"tool_name":"f","arguments":{},"id":"c1","extra":null},"error":false}}]}"#,
            "to_openai_dict_format()",
        ),
        (r#"{"_role":"user","_content":[{"text":"hi"}],"_meta":{},"_name":null}"#, "Haystack"),
        (
            r#"{"role":"model","content":[{"toolRequest":{"ref":"c1","name":"f","input":{}}}]}"#,
            "Genkit",
        ),
        (r#"{"role":"model","content":[{"text":"hi"}]}"#, "Genkit"),
        (
            r#"{"role":"tool","content":[{"toolResponse":{"ref":"c1","name":"f","output":{"a":1}}}]}"#,
            "Genkit",
        ),
        (
            r#"{"type":"message","role":"user","contents":[{"type":"text","text":"hi","additional_properties":{}}],"additional_properties":{}}"#,
            "Agent Framework",
        ),
        (
            r#"{"ai_model_id":null,"metadata":{},"content_type":"message","role":"user","name":null,"items":[{"content_type":"text","text":"hi"}],"encoding":null}"#,
            "ChatMessageContent.to_dict()",
        ),
        (r#"{"content":"be","type":"SystemMessage"}"#, "AutoGen"),
        (
            r#"{"content":[{"content":"42","name":"f","call_id":"c1","is_error":false}],"type":"FunctionExecutionResultMessage"}"#,
            "AutoGen",
        ),
        (r#"{"role":"user","blocks":[{"block_type":"text","text":"hi"}]}"#, "LlamaIndex"),
    ];
    for (message, name) in table {
        let formats =
            ["auto", "openai-chat", "anthropic", "ai-sdk", "bedrock", "langchain", "gemini", "pi"];
        for format in formats {
            let said = refused(&format!("[{message}]"), format);
            let by_gemini = format == "gemini" && said.contains("no parts");
            assert!(said.contains(name) || by_gemini, "{format} of {message}: {said}");
        }
        let said = refused(&format!("[{CALL},{message}]"), "auto");
        assert!(said.contains(name), "behind a chat's: {message}: {said}");
    }
}

#[test]
fn words_in_a_member_that_no_format_has_are_refused() {
    for (message, member) in [
        (r#"{"role":"user","text":"hi"}"#, "text"),
        (r#"{"role":"assistant","content":"","output":"hi"}"#, "output"),
        (r#"{"role":"user","message":{"content":"hi"}}"#, "message"),
        (r#"{"role":"user","segments":[{"kind":"t","text":"hi"}]}"#, "segments"),
        (r#"{"role":"tool","tool_call_id":"c1","result":"42"}"#, "result"),
    ] {
        for format in ["auto", "anthropic", "openai-chat"] {
            let said = refused(&format!("[{message}]"), format);
            let is_named = said.contains(&format!("\"{member}\""));
            assert!(is_named || said.contains("openai-chat"), "{format} of {message}: {said}");
        }
    }
}

#[test]
fn silent_messages_and_data_beside_them_are_taken() {
    for message in [
        r#"{"role":"assistant","content":""}"#,
        r#"{"role":"assistant","content":null,"annotations":[{"text":"x"}],"id":"m"}"#,
        r#"{"role":"assistant","content":"","response_metadata":{"text":"x"}}"#,
        r#"{"role":"user","content":"hi","items":[{"text":"x"}],"text":"y"}"#,
        r#"{"role":"user","content":"","images":["aGk="]}"#,
        r#"{"type":"ai","content":"","tool_calls":[],"usage_metadata":{"input":"x"}}"#,
        r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":""}}"#,
        r#"{"type":"ghost_snapshot","ghost_commit":{"id":"x","preexisting_untracked_files":["a"]}}"#,
        r#"{"role":"bashExecution","command":"ls","output":"a","excludeFromContext":true}"#,
    ] {
        let said = refused(&format!("[{message}]"), "auto");
        assert_eq!(said, "", "{message}");
    }
}

/// Only if the format is detected: a caller who names a format knows it.
#[test]
fn a_result_that_names_its_call_elsewhere_is_refused() {
    for result in [
        r#"{"role":"tool","toolCallId":"c1","content":"x"}"#,
        r#"{"role":"tool","id":"m1","call_id":"c1","content":"x"}"#,
        r#"{"role":"tool","content":[{"content":"x","name":"f","call_id":"c1"}]}"#,
    ] {
        let said = refused(&format!("[{CALL},{result}]"), "auto");
        assert!(said.contains("names its call in another member"), "{result}: {said}");
    }
    for result in [
        r#"{"role":"tool","tool_call_id":"c1","content":[{"call_id":"c1"}]}"#,
        r#"{"role":"tool","tool_call_id":"c1","content":[{"tool_call":{"id":"x"}},{"toolRequest":{}}]}"#,
        r#"{"role":"tool","id":"c1","content":"x"}"#,
        r#"{"role":"tool","tool_name":"f","content":"x"}"#,
        r#"{"role":"tool","content":"x"}"#,
    ] {
        assert_eq!(refused(&format!("[{CALL},{result}]"), "auto"), "", "{result}");
    }
}

#[test]
fn misplaced_text_is_looked_for_to_a_depth() {
    let nested = |depth: usize, open: &str, close: &str| {
        let value = format!("{}\"x\"{}", open.repeat(depth), close.repeat(depth));
        refused(&format!(r#"[{{"role":"assistant","content":"","output":{value}}}]"#), "auto")
    };
    for (open, close) in [("{\"text\":", "}"), ("[", "]")] {
        assert!(nested(4, open, close).contains("output"), "{open}");
        assert_eq!(nested(5, open, close), "", "{open}");
    }
}
