//! The requests that the client sends, and how it parses their replies.

use super::*;

#[tokio::test]
async fn what_is_sent_is_a_plain_conversation_and_the_key() {
    let server = scripted(vec![ok("done")]).await;
    let mut with = settings(&base(&server));
    with.api_key = Some(format!(" {KEY}\n").into());
    with.max_output_tokens = Some(500);
    assert_eq!(ask(with).await, completion("done", Finish::Stop));
    let mut without = settings(&base(&server));
    without.api_key = Some(" \n".to_owned().into());
    assert_eq!(ask(without).await, completion("done", Finish::Stop));
    let requests = server.received_requests().await.unwrap();
    let body: Value = requests[0].body_json().unwrap();
    let messages = json!([
        {"role": "system", "content": "Summarise."},
        {"role": "user", "content": SAID},
        {"role": "assistant", "content": "draft"},
        {"role": "user", "content": "again"},
    ]);
    let plain = json!({"model": "small-model", "messages": messages, "stream": false,
        "temperature": 0.0});
    let mut limited = plain.clone();
    limited["max_tokens"] = json!(500);
    assert_eq!(body, limited);
    assert_eq!(requests[1].body_json::<Value>().unwrap(), plain);
    assert_eq!(requests[0].headers["authorization"], format!("Bearer {KEY}"));
    assert!(!requests[1].headers.contains_key("authorization"));
}

#[tokio::test]
async fn odd_answers_are_read() {
    let text = |text: &str| json!({"content": text});
    let other = |word: &str| Finish::Other(word.to_owned());
    let long = "x".repeat(65);
    let cases = [
        (json!({"finish_reason": "stop", "message": text("a")}), "a", Finish::Stop),
        (json!({"finish_reason": "eos", "message": text("a")}), "a", Finish::Stop),
        (json!({"finish_reason": "EOS_TOKEN", "message": text("a")}), "a", Finish::Stop),
        (json!({"finish_reason": "", "message": text("a")}), "a", Finish::Stop),
        (json!({"finish_reason": null, "message": text("a")}), "a", Finish::Stop),
        (json!({"message": text("a")}), "a", Finish::Stop),
        (json!({"finish_reason": "length", "message": text("a")}), "a", Finish::Length),
        (json!({"finish_reason": "max_tokens", "message": text("a")}), "a", Finish::Length),
        (json!({"finish_reason": "content_filter", "message": text("a")}), "a", Finish::Filtered),
        (json!({"finish_reason": "tool_calls", "message": text("a")}), "a", other("tool_calls")),
        (json!({"finish_reason": KEY, "message": text("a")}), "a", other("unnamed")),
        (json!({"finish_reason": SAID, "message": text("a")}), "a", other("unnamed")),
        (json!({"finish_reason": long, "message": text("a")}), "a", other("unnamed")),
        (json!({"message": {"content": "a", "refusal": null}}), "a", Finish::Stop),
        (json!({"message": {"content": "a", "refusal": ""}}), "a", Finish::Stop),
        (json!({"message": {"content": null, "refusal": "I will not"}}), "", Finish::Refused),
        (
            json!({"message": {"content": [{"type": "refusal", "refusal": "no"}]}}),
            "",
            Finish::Refused,
        ),
        (
            json!({"message": {"reasoning_content": "hm", "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "one "}, {"type": "text"}, "two", {"text": " three"}]}}),
            "one two three",
            Finish::Stop,
        ),
    ];
    for (choice, text, finished) in cases {
        let (outcome, calls) = outcome(vec![answer(&choice)]).await;
        assert_eq!(outcome, completion(text, finished), "{choice}");
        assert_eq!(calls, 1);
    }
    // JSON that a parsed tree cannot hold: a repeated member, half a surrogate pair.
    let odd = r#" {"choices": 0, "choices": [{"message": {"content": "\ud83d half"}}]} "#;
    let (outcome, _) = outcome(vec![ResponseTemplate::new(200).set_body_string(odd)]).await;
    assert_eq!(outcome, completion("\u{fffd} half", Finish::Stop));
}

#[tokio::test]
async fn an_answer_without_a_text_is_a_fact() {
    let bodies = [
        (json!({"choices": [{"message": {"content": ""}}]}), Some(Finish::Stop)),
        (json!({"choices": [{"message": {"content": " \n"}}]}), Some(Finish::Stop)),
        (json!({"choices": [{"message": {"content": null}}]}), Some(Finish::Stop)),
        (json!({"choices": [{"message": {"content": 7}}]}), Some(Finish::Stop)),
        (json!({"choices": [{"message": {"content": []}}]}), Some(Finish::Stop)),
        (json!({"choices": [{"message": null}]}), Some(Finish::Stop)),
        (
            json!({"choices": [{"finish_reason": "length", "message": {"reasoning_content": "…"}}]}),
            Some(Finish::Length),
        ),
        (json!({"choices": []}), None),
        (json!({"choices": null}), None),
        (json!({}), None),
        (json!([1, 2]), None),
        (json!(null), None),
    ];
    for (body, finished) in bodies {
        let template = ResponseTemplate::new(200).set_body_json(&body);
        let (outcome, calls) = outcome(vec![template]).await;
        assert_eq!(outcome, Err(ModelError::NoText { finished }), "{body}");
        assert_eq!(calls, 1);
    }
    let error = json!({"error": {"code": 400, "message": SAID}});
    let (outcome, calls) = outcome(vec![ResponseTemplate::new(200).set_body_json(error)]).await;
    assert_eq!((outcome, calls), (Err(unnamed(400)), 1));
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    for passing in [408, 409, 429, 500, 502, 503, 529] {
        let (outcome, calls) = outcome(vec![error(passing, "busy"), ok("a")]).await;
        assert_eq!((outcome, calls), (completion("a", Finish::Stop), 2), "{passing}");
    }
    let (reply, calls) = outcome(vec![error(500, "server_error")]).await;
    assert_eq!((reply, calls), (status(500, "server_error"), 3));
    // Gateways report an error like this after they have sent a 200.
    let late = json!({"error": {"code": 502, "type": "upstream", "message": SAID}});
    let late = ResponseTemplate::new(200).set_body_json(late);
    let (reply, calls) = outcome(vec![late.clone(), ok("a")]).await;
    assert_eq!((reply, calls), (completion("a", Finish::Stop), 2));
    assert_eq!(outcome(vec![late]).await.0, status(502, "upstream"));
}

#[tokio::test]
async fn what_does_not_pass_is_not_tried_again() {
    for (code, word) in [
        (400, "context_length_exceeded"),
        (401, "invalid_api_key"),
        (403, "model.not-yours"),
        (404, "model_not_found"),
        (422, "bad"),
        (429, "insufficient_quota"),
    ] {
        let (outcome, calls) = outcome(vec![error(code, word), ok("a")]).await;
        assert_eq!((outcome, calls), (status(code, word), 1));
    }
    let quota = json!({"error": {"code": "over", "type": "insufficient_quota"}});
    let (outcome, calls) = outcome(vec![ResponseTemplate::new(429).set_body_json(quota)]).await;
    assert_eq!((outcome, calls), (status(429, "insufficient_quota"), 1));
}

/// Reasoning models accept no temperature: the client repeats the request without one.
#[tokio::test]
async fn a_temperature_that_is_refused_is_left_out() {
    let server = scripted(vec![error(400, "unsupported_value"), ok("a")]).await;
    assert_eq!(ask(settings(&base(&server))).await, completion("a", Finish::Stop));
    let requests = server.received_requests().await.unwrap();
    let body = |n: usize| requests[n].body_json::<Value>().unwrap();
    assert_eq!(body(0)["temperature"], 0.0);
    assert_eq!((requests.len(), body(1).get("temperature")), (2, None));
}

#[tokio::test]
async fn a_code_is_a_short_word_or_nothing() {
    for code in [KEY, &KEY[3..], SAID, "", "With Capitals", &"x".repeat(65)] {
        let (outcome, _) = outcome(vec![error(400, code)]).await;
        assert_eq!(outcome, status(400, "some_type"), "{code}");
    }
    for body in ["<html>no</html>", "{\"detail\": \"no\"}", "", "\u{0}", "{\"error\": \"no\"}"] {
        let (outcome, _) = outcome(vec![ResponseTemplate::new(404).set_body_string(body)]).await;
        assert_eq!(outcome, Err(unnamed(404)), "{body}");
    }
}

#[tokio::test]
async fn retry_after_is_obeyed_within_the_deadline() {
    let started = Instant::now();
    let busy = |wait: &str| error(429, "busy").insert_header("Retry-After", wait);
    let (reply, calls) = outcome(vec![busy("1"), ok("a")]).await;
    assert_eq!((reply, calls), (completion("a", Finish::Stop), 2));
    assert!(started.elapsed() >= Duration::from_secs(1));

    let started = Instant::now();
    for wait in ["3600", "1e300", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let (reply, calls) = outcome(vec![busy(wait), ok("a")]).await;
        let Err(ModelError::RetryTooLate { status: 429, retry_after, left }) = reply else {
            panic!("{reply:?}");
        };
        assert!(retry_after >= Duration::from_secs(3600) && left < Duration::from_secs(5));
        assert_eq!(calls, 1);
    }
    for wait in ["0", "-5", "soon", "NaN", "Thu, 01 Jan 1970 00:00:00 GMT"] {
        let (reply, calls) = outcome(vec![busy(wait), ok("a")]).await;
        assert_eq!((reply, calls), (completion("a", Finish::Stop), 2), "{wait}");
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(60), "eleven calls took {took:?}, a minute at most");
}
