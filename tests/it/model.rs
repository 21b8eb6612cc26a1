//! The client of a model, against a scripted server: one mode a case. Whatever
//! the server does, there are at most three calls, an answer by the deadline,
//! and no word of the key or the conversation in what comes back.

use std::collections::VecDeque;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use unburden::model::{
    CallBudget, Client, Completion, Finish, ModelError, Prompt, Settings, Speaker, Turn,
};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

const KEY: &str = "sk-canary-0123456789abcdef";
const SAID: &str = "the heron nests behind the third lock";
/// Set for a test that runs itself again in an environment of its own.
const CHILD: &str = "MODEL_TEST_CHILD";

fn settings(base_url: &str) -> Settings {
    Settings {
        base_url: base_url.to_owned(),
        api_key: Some(KEY.to_owned().into()),
        model: "small-model".to_owned(),
        context_window: 32_000,
        max_output_tokens: None,
        timeout: Duration::from_secs(5),
        try_timeout: Duration::from_secs(2),
        concurrency: 4,
        tries: 3,
    }
}

fn prompt() -> Prompt {
    let turn = |speaker, text: &str| Turn { speaker, text: text.to_owned() };
    Prompt {
        system: "Summarise.".to_owned(),
        turns: vec![
            turn(Speaker::User, SAID),
            turn(Speaker::Assistant, "draft"),
            turn(Speaker::User, "again"),
        ],
    }
}

/// The answers of a server in their order; the last one stays.
struct Script(Mutex<VecDeque<ResponseTemplate>>);

impl Respond for Script {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let mut answers = self.0.lock().unwrap();
        let next = answers.front().unwrap().clone();
        if answers.len() > 1 {
            answers.pop_front();
        }
        next
    }
}

async fn scripted(answers: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .respond_with(Script(Mutex::new(answers.into())))
        .mount(&server)
        .await;
    server
}

fn base(server: &MockServer) -> String {
    format!("{}/v1/", server.uri())
}

async fn count(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

fn answer(choice: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({"choices": [choice]}))
}

fn ok(text: &str) -> ResponseTemplate {
    answer(&json!({"finish_reason": "stop", "message": {"role": "assistant", "content": text}}))
}

/// An error as a careless server writes it: it quotes what it was sent.
fn error(status: u16, code: &str) -> ResponseTemplate {
    let message = format!("{KEY} may not say: {SAID}");
    ResponseTemplate::new(status)
        .set_body_json(json!({"error": {"message": message, "type": "some_type", "code": code}}))
}

type Outcome = Result<Completion, ModelError>;

/// Asks once, and holds the outcome to what is true of every one.
async fn ask(settings: Settings) -> Outcome {
    // Servers that hang do so for a minute.
    let limit = settings.timeout + Duration::from_secs(30);
    let client = match Client::new(settings) {
        Ok(client) => client,
        Err(error) => return Err(clean(error)),
    };
    let (started, mut calls) = (Instant::now(), client.calls());
    let outcome = client.complete(&prompt(), client.deadline(), &mut calls).await;
    let took = started.elapsed();
    assert!(took < limit, "{outcome:?} after {took:?}, {limit:?} at most");
    assert!(calls.made() <= 3);
    assert!(!format!("{client:?}").contains(KEY));
    outcome.map_err(clean)
}

/// Neither key nor conversation in any spelling of an error.
fn clean(error: ModelError) -> ModelError {
    for text in [error.to_string(), format!("{error:?}"), error.word().to_owned()] {
        for secret in [KEY, SAID, "canary", "heron", "chat/completions"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.len() < 400 && !text.contains('\n'), "{text}");
    }
    assert!(error.word().bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
    error
}

async fn outcome(answers: Vec<ResponseTemplate>) -> (Outcome, usize) {
    let server = scripted(answers).await;
    let outcome = ask(settings(&base(&server))).await;
    (outcome, count(&server).await)
}

fn completion(text: &str, finished: Finish) -> Outcome {
    Ok(Completion { text: text.to_owned(), finished })
}

fn status(status: u16, code: &str) -> Outcome {
    Err(ModelError::Status { status, code: Some(code.to_owned()), retry_after: None })
}

/// A server on bare sockets; gives its base URL and the count of connections.
async fn raw<F, Fut>(serve: F) -> (String, Arc<AtomicU32>)
where
    F: Fn(TcpStream) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(serve(stream));
        }
    });
    (base, seen)
}

/// Reads the head and what came with it.
async fn read_some(stream: &mut TcpStream) -> String {
    let mut buffer = vec![0; 64 * 1024];
    let read = stream.read(&mut buffer).await.unwrap_or(0);
    String::from_utf8_lossy(&buffer[..read]).into_owned()
}

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
    let plain = json!({"model": "small-model", "messages": messages, "stream": false});
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
    // What no tree can hold: twice the same member, half a surrogate pair.
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

fn unnamed(status: u16) -> ModelError {
    ModelError::Status { status, code: None, retry_after: None }
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    for passing in [408, 409, 429, 500, 502, 503, 529] {
        let (outcome, calls) = outcome(vec![error(passing, "busy"), ok("a")]).await;
        assert_eq!((outcome, calls), (completion("a", Finish::Stop), 2), "{passing}");
    }
    let (reply, calls) = outcome(vec![error(500, "server_error")]).await;
    assert_eq!((reply, calls), (status(500, "server_error"), 3));
    // As gateways say it once the 200 has left.
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

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = ask(settings(&base)).await.unwrap_err();
    assert_eq!(error.word(), "unreachable");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_reset_in_the_middle_of_an_answer_is_tried_again() {
    let (base, seen) = raw(|mut stream| async move {
        read_some(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\": [";
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        stream.set_zero_linger().unwrap();
    })
    .await;
    assert_eq!(ask(settings(&base)).await.unwrap_err().word(), "unreachable");
    assert_eq!(seen.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_trickle_and_a_silence_end_in_time() {
    let trickle = raw(|mut stream| async move {
        read_some(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        while stream.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let silence = raw(|mut stream| async move {
        read_some(&mut stream).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    // An error whose body never ends is still that error.
    let endless_error = raw(|mut stream| async move {
        read_some(&mut stream).await;
        let head = "HTTP/1.1 401 No\r\ncontent-length: 100000\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    let in_time = |base: String, seen: Arc<AtomicU32>| async move {
        let mut hasty = settings(&base);
        hasty.try_timeout = Duration::from_millis(300);
        let error = ask(hasty.clone()).await.unwrap_err();
        let ModelError::Timeout { waited, calls: 3 } = error else { panic!("{error:?}") };
        assert!(waited < Duration::from_secs(3), "{waited:?}");
        assert_eq!(seen.load(Ordering::SeqCst), 3);
        // The deadline comes before a second try.
        hasty.timeout = Duration::from_millis(400);
        let error = ask(hasty).await.unwrap_err();
        let ModelError::Timeout { waited, calls: 1 } = error else { panic!("{error:?}") };
        assert!(waited < Duration::from_millis(900), "{waited:?}");
    };
    let ((trickle, trickles), (silence, silences)) = (trickle.await, silence.await);
    let patient = settings(&endless_error.await.0);
    let (_, _, refused) =
        tokio::join!(in_time(trickle, trickles), in_time(silence, silences), ask(patient));
    assert_eq!(refused, Err(unnamed(401)));
}

#[tokio::test]
async fn an_endless_or_unreadable_answer_is_not_taken() {
    let huge = ResponseTemplate::new(200).set_body_string("x".repeat(20 * 1024 * 1024));
    let mut long = settings("");
    long.try_timeout = Duration::from_secs(3);
    let server = scripted(vec![huge]).await;
    long.base_url = base(&server);
    assert_eq!(ask(long).await, Err(ModelError::TooLarge { limit: 8 * 1024 * 1024 }));
    assert_eq!(count(&server).await, 1);
    let cut = format!("{{\"choices\": [{{\"message\": {{\"content\": \"{SAID}");
    for body in ["<html>", "data: {}\n\n", "", &cut] {
        let (outcome, calls) =
            outcome(vec![ResponseTemplate::new(200).set_body_string(body)]).await;
        assert_eq!((outcome, calls), (Err(ModelError::NotJson), 1), "{body}");
    }
    let latin = ResponseTemplate::new(200).set_body_bytes(b"{\"choices\": \"\xe9\"}".to_vec());
    assert_eq!(outcome(vec![latin]).await.0, Err(ModelError::NotJson));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (canary, seen) = raw(|mut stream| async move { drop(read_some(&mut stream).await) }).await;
    for code in [301, 302, 303, 307, 308] {
        let away = ResponseTemplate::new(code).insert_header("Location", canary.as_str());
        assert_eq!(outcome(vec![away]).await, (Err(unnamed(code)), 1));
    }
    assert_eq!(seen.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn calls_count_over_rejected_texts_and_a_turn_counts_against_the_deadline() {
    let server = scripted(vec![error(500, "x"), ok("no")]).await;
    let client = Client::new(settings(&base(&server))).unwrap();
    let mut calls = client.calls();
    for made in [2, 3] {
        let reply = client.complete(&prompt(), client.deadline(), &mut calls).await;
        assert_eq!((reply, calls.made()), (completion("no", Finish::Stop), made));
    }
    let reply = client.complete(&prompt(), client.deadline(), &mut calls).await;
    assert_eq!(reply, Err(ModelError::NoCallsLeft));
    assert_eq!(count(&server).await, 3);
    assert_eq!(CallBudget::new(9).left(), 3);
    // The deadline is over already.
    let reply = client.complete(&prompt(), Instant::now(), &mut client.calls()).await;
    assert!(matches!(reply, Err(ModelError::Timeout { calls: 0, .. })), "{reply:?}");
    assert_eq!(count(&server).await, 3);

    let slow = ok("late").set_delay(Duration::from_millis(800));
    let server = scripted(vec![slow]).await;
    let mut one = settings(&base(&server));
    one.concurrency = 1;
    one.try_timeout = Duration::from_secs(2);
    let client = Client::new(one).unwrap();
    let (mut first, mut second) = (client.calls(), client.calls());
    let (prompt, soon) = (prompt(), Instant::now() + Duration::from_millis(300));
    let (first, second) = tokio::join!(
        client.complete(&prompt, client.deadline(), &mut first),
        client.complete(&prompt, soon, &mut second),
    );
    assert_eq!(first, completion("late", Finish::Stop));
    assert!(matches!(second, Err(ModelError::Timeout { calls: 0, .. })), "{second:?}");
    assert_eq!(count(&server).await, 1);
}

#[tokio::test]
async fn plain_and_blocking_threads_may_ask_and_drop() {
    let server = scripted(vec![ok("a")]).await;
    let client = Arc::new(Client::new(settings(&base(&server))).unwrap());
    let ask = |client: Arc<Client>| {
        move || {
            let mut calls = client.calls();
            client.block_on(client.complete(&prompt(), client.deadline(), &mut calls))
        }
    };
    let from_pool = tokio::task::spawn_blocking(ask(Arc::clone(&client))).await.unwrap();
    assert_eq!(from_pool, completion("a", Finish::Stop));
    let thread = std::thread::spawn(ask(Arc::clone(&client)));
    let from_thread = tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap();
    assert_eq!(from_thread, completion("a", Finish::Stop));
    drop(client);
}

#[test]
fn bad_settings_are_named_and_never_quoted() {
    let good = || settings("http://127.0.0.1:1/v1");
    let mut cases = Vec::new();
    for url in [
        "",
        KEY,
        "ftp://host/v1",
        "http://",
        "host/v1",
        "http://user:canary@host/v1",
        "http://host/v1?key=canary",
        "http://host/v1#canary",
    ] {
        cases.push(("base_url", Settings { base_url: url.to_owned(), ..good() }));
    }
    for key in ["canary\nx", "canary x", "canary\u{e9}", "canary\u{0}", "\u{1f511}"] {
        cases.push(("api_key", Settings { api_key: Some(key.to_owned().into()), ..good() }));
    }
    cases.push(("name", Settings { model: " ".to_owned(), ..good() }));
    cases.push(("context_window", Settings { context_window: 0, ..good() }));
    cases.push(("max_output_tokens", Settings { max_output_tokens: Some(0), ..good() }));
    cases.push(("timeout", Settings { timeout: Duration::ZERO, ..good() }));
    cases.push(("try_timeout", Settings { try_timeout: Duration::MAX, ..good() }));
    cases.push(("concurrency", Settings { concurrency: 0, ..good() }));
    cases.push(("tries", Settings { tries: 4, ..good() }));
    for (name, settings) in cases {
        let shown = format!("{settings:?}");
        assert!(!shown.contains("canary"), "{shown}");
        match Client::new(settings).map_err(clean) {
            Err(ModelError::BadSettings { what, .. }) => assert_eq!(what, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert!(Client::new(Settings { api_key: None, ..good() }).is_ok());
}

/// The library logs what it cannot read; here it never sees such a body.
#[tokio::test]
async fn no_log_line_holds_the_conversation() {
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let echo = format!("{KEY} {SAID}");
    let unreadable = ResponseTemplate::new(200).set_body_string(&echo);
    for template in [error(500, "x"), error(400, "x"), unreadable, ok(&echo), ok("")] {
        let _ = outcome(vec![template]).await;
    }
    tracing::info!("the end");
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("the end"));
    let own: Vec<&str> = logged.lines().filter(|line| !line.contains("wiremock")).collect();
    for line in own {
        assert!(!line.contains(SAID) && !line.contains(KEY), "{line}");
    }
}

/// Runs one test of this file again, in an environment of its own.
fn again(test: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([&format!("model::{test}"), "--exact", "--nocapture"]).env(CHILD, "1");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn an_image_without_root_certificates_gets_a_fact() {
    if std::env::var_os(CHILD).is_none() {
        let nowhere = [("SSL_CERT_FILE", "/nonexistent"), ("SSL_CERT_DIR", "/nonexistent")];
        return again("an_image_without_root_certificates_gets_a_fact", &nowhere);
    }
    let error = Client::new(settings("https://127.0.0.1:1/v1")).map_err(clean).unwrap_err();
    assert_eq!(error.word(), "cannot_start");
    assert!(error.to_string().contains("CA certificates"), "{error}");
    assert!(Client::new(settings("http://127.0.0.1:1/v1")).is_ok());
}

/// A proxy of the environment sees the name of an https host, and nothing of an
/// http call.
#[test]
fn a_proxy_never_sees_the_key() {
    let test = "a_proxy_never_sees_the_key";
    if std::env::var_os(CHILD).is_none() {
        let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", proxy.local_addr().unwrap());
        let seen = std::thread::spawn(move || {
            use std::io::Read;
            let mut head = vec![0; 4096];
            let (mut stream, _) = proxy.accept().unwrap();
            let read = stream.read(&mut head).unwrap();
            String::from_utf8_lossy(&head[..read]).into_owned()
        });
        let none = ("NO_PROXY", "");
        again(test, &[("HTTP_PROXY", &address), ("HTTPS_PROXY", &address), none]);
        let seen = seen.join().unwrap();
        assert!(seen.starts_with("CONNECT model.example:443 "), "{seen}");
        assert!(!seen.contains("canary"), "{seen}");
        return;
    }
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let (reply, calls) = outcome(vec![ok("direct")]).await;
        assert_eq!((reply, calls), (completion("direct", Finish::Stop), 1));
        let away = Settings { tries: 1, ..settings("https://model.example/v1") };
        assert_eq!(ask(away).await.unwrap_err().word(), "unreachable");
    });
}
