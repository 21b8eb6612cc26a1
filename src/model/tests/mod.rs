//! The client of a model against a scripted server, one misbehaviour per case. Whatever the server
//! does, there are at most three calls, an outcome by the deadline, and no word of the key or of
//! the conversation in an error.

mod connections;
mod replies;
mod secrets;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::{Client, Completion, Finish, ModelError, Prompt, Settings, Speaker, Turn};

const KEY: &str = "sk-canary-0123456789abcdef";
const SAID: &str = "the heron nests behind the third lock";

fn settings(base_url: &str) -> Settings {
    let _ = rustls::crypto::ring::default_provider().install_default();
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
        max_tokens: None,
    }
}

/// The answers of a server in their order; the last one repeats.
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

/// An error of a careless server, which quotes the request.
fn error(status: u16, code: &str) -> ResponseTemplate {
    let message = format!("{KEY} may not say: {SAID}");
    ResponseTemplate::new(status)
        .set_body_json(json!({"error": {"message": message, "type": "some_type", "code": code}}))
}

type Outcome = Result<Completion, ModelError>;

/// Sends one request, and checks the invariants of every outcome.
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

/// Checks that no form of an error contains the key or the conversation.
fn clean(error: ModelError) -> ModelError {
    for text in [error.to_string(), format!("{error:?}")] {
        for secret in [KEY, SAID, "canary", "heron", "chat/completions"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.len() < 400 && !text.contains('\n'), "{text}");
    }
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

/// Starts a server on bare sockets; returns its base URL and the count of connections.
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

/// Reads the head, and the bytes that arrived with it.
async fn read_some(stream: &mut TcpStream) -> String {
    let mut buffer = vec![0; 64 * 1024];
    let read = stream.read(&mut buffer).await.unwrap_or(0);
    String::from_utf8_lossy(&buffer[..read]).into_owned()
}

fn unnamed(status: u16) -> ModelError {
    ModelError::Status { status, code: None, retry_after: None }
}
