//! `TestApp`: the service in a folder of its own, speaking the product's verbs.
//! Paths in requests and answers begin with `/workspace`, whatever the folder
//! is really called, so that answers are the same on every machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, StatusCode, header};
use context_store::PRIVATE;
use http_body_util::BodyExt;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;
use unburden::config::{Config, DurabilityConfig, RedactConfig};
use unburden::interfaces::http::{AppState, Token, router};
use unburden::service::Service;

use crate::watched;

pub(crate) struct TestApp {
    pub(crate) service: Arc<Service>,
    pub(crate) config: Config,
    folder: TempDir,
}

/// An answer: its status and envelope; `messages` also as the bytes that came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) text: String,
    pub(crate) json: Value,
}

/// A file with the secret that references of all tests are signed with.
pub(crate) fn signing_key() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/signing_key.txt"))
}

impl TestApp {
    /// A service that trusts the page cache: thousands of cases would wait for
    /// the disk otherwise. What syncing promises is tested where it is the point.
    pub(crate) fn new() -> TestApp {
        TestApp::with(|config| config.store.durability = DurabilityConfig::Relaxed)
    }

    /// The same, which shows no secrets.
    pub(crate) fn redacting() -> TestApp {
        TestApp::with(|config| {
            config.store.durability = DurabilityConfig::Relaxed;
            config.privacy.redact = RedactConfig::Secrets;
        })
    }

    pub(crate) fn with(change: impl FnOnce(&mut Config)) -> TestApp {
        watched::lines();
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        // The test's own program runs no filters.
        config.extract.worker = env!("CARGO_BIN_EXE_unburden").to_owned();
        config.store.roots = vec![format!("/workspace={}", folder.path().display())];
        // Answers of different stores are compared.
        config.store.key_file = Some(signing_key());
        change(&mut config);
        let service = Arc::new(Service::open(&config).unwrap());
        TestApp { service, config, folder }
    }

    /// Another process on the same folder: same files, nothing remembered.
    pub(crate) fn again(&self) -> TestApp {
        let service = Arc::new(Service::open(&self.config).unwrap());
        let folder = tempfile::tempdir().unwrap();
        TestApp { service, config: self.config.clone(), folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn router(&self) -> Router {
        router(AppState::new(Arc::clone(&self.service), None, &self.config.server))
    }

    pub(crate) fn router_with_token(&self, token: &str) -> Router {
        watched::never(token);
        let token = Some(Token::new(token));
        router(AppState::new(Arc::clone(&self.service), token, &self.config.server))
    }

    /// Sends a request through the router, as a server would.
    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        send(self.router(), request).await
    }

    pub(crate) async fn post(&self, path: &str, body: impl Into<Body>) -> Reply {
        self.send(Request::post(path).body(body.into()).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// Offloads a history (a JSON array as text) with settings over test defaults.
    pub(crate) fn offload(&self, messages: &str, settings: &Value) -> Offloaded {
        let body = request(messages, settings);
        let offload = || self.service.offload(body.as_bytes()).unwrap();
        let answer = watched::posting(body.as_bytes(), offload);
        Offloaded::read(&answer.into_json())
    }

    pub(crate) fn rehydrate(&self, messages: &str) -> Offloaded {
        self.rehydrate_with(messages, &json!({}))
    }

    /// Puts a history back with further members of the request.
    pub(crate) fn rehydrate_with(&self, messages: &str, about: &Value) -> Offloaded {
        let body = body(messages, about);
        let rehydrate = || self.service.rehydrate(body.as_bytes()).unwrap();
        let answer = watched::posting(body.as_bytes(), rehydrate);
        Offloaded::read(&answer.into_json())
    }

    /// What a provider would say of a history.
    pub(crate) fn validate(&self, messages: &str, about: &Value) -> Value {
        let body = body(messages, about);
        let validate = || self.service.validate(body.as_bytes()).unwrap();
        let (answer, _) = watched::posting(body.as_bytes(), validate);
        serde_json::from_str(&answer.into_json()).unwrap()
    }

    pub(crate) fn read_file(&self, body: &Value) -> Value {
        let body = body.to_string();
        let read = || self.service.read_file(body.as_bytes()).unwrap();
        let answer = watched::posting(body.as_bytes(), read);
        serde_json::from_str(&answer.into_json()).unwrap()
    }

    pub(crate) fn grep(&self, body: &Value) -> Value {
        let body = body.to_string();
        let grep = || self.service.grep(body.as_bytes()).unwrap();
        let answer = watched::posting(body.as_bytes(), grep);
        serde_json::from_str(&answer.into_json()).unwrap()
    }

    pub(crate) fn count(&self, messages: &str) -> Vec<u64> {
        let body = format!("{{\"messages\":{messages}}}");
        let count = || self.service.count_tokens(body.as_bytes()).unwrap();
        let answer = watched::posting(body.as_bytes(), count);
        let json: Value = serde_json::from_str(&answer.into_json()).unwrap();
        serde_json::from_value(json["metadata"]["tokens_by_message"].clone()).unwrap()
    }

    /// Every file under the root, by path, hidden ones included; but none of the private
    /// folders, whose files hold moments.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        self.files_where(|name| !is_private(name))
    }

    /// Every file of the private folders, by path.
    pub(crate) fn private_files(&self) -> Vec<(String, Vec<u8>)> {
        self.files_where(is_private)
    }

    fn files_where(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        let root = PathBuf::from(self.config.store.roots[0].split_once('=').unwrap().1);
        walk(&root, &root, &mut files);
        files.retain(|(name, _)| is_wanted(name));
        files.sort();
        files
    }
}

/// An offload's answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Offloaded {
    /// The messages as bytes.
    pub(crate) messages: String,
    /// The whole answer.
    pub(crate) json: Value,
}

impl Offloaded {
    /// Reads an envelope; its messages stay text, for they may hold numbers and
    /// escapes that no tree can.
    pub(crate) fn read(envelope: &str) -> Offloaded {
        let mut messages = String::new();
        let mut json = json!({});
        for (name, raw) in raw_json::fields(envelope).unwrap() {
            match name.as_ref() {
                "messages" => messages = raw.to_owned(),
                _ => json[name.as_ref()] = serde_json::from_str(raw).unwrap(),
            }
        }
        Offloaded { messages, json }
    }

    pub(crate) fn report(&self) -> &Value {
        &self.json["metadata"]["report"]
    }

    pub(crate) fn warnings(&self) -> String {
        self.report()["warnings"].to_string()
    }
}

/// A request with the defaults of these tests: a store under `/workspace`.
pub(crate) fn request(messages: &str, settings: &Value) -> String {
    let mut all = json!({"store_dir": "/workspace/store"});
    for (name, value) in settings.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    body(messages, &all)
}

/// A request with these members in addition to the messages.
fn body(messages: &str, about: &Value) -> String {
    let members = about.to_string();
    let comma = if members == "{}" { "" } else { "," };
    format!("{{\"messages\":{messages}{comma}{}", &members[1..])
}

/// The messages of an array, each as its bytes.
pub(crate) fn split(messages: &str) -> Vec<String> {
    let raw: Vec<Box<RawValue>> = serde_json::from_str(messages).unwrap();
    raw.iter().map(|message| message.get().to_owned()).collect()
}

/// Sends a request through a router; what it logs and counts holds nothing of the body.
pub(crate) async fn send(router: Router, request: Request<Body>) -> Reply {
    let since = watched::lines();
    let (head, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let mut request = Request::from_parts(head, Body::from(body.clone()));
    // Every client of HTTP names whom it asks.
    let host = HeaderValue::from_static("localhost");
    request.headers_mut().entry(header::HOST).or_insert(host);
    let response = router.oneshot(request).await.unwrap();
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let json = serde_json::from_str(&text).unwrap_or(Value::Null);
    watched::check(since, &body);
    watched::absent(&unburden::telemetry::metrics::render(), &body);
    Reply { status, text, json }
}

fn is_private(name: &str) -> bool {
    name.split('/').any(|part| part == PRIVATE)
}

fn walk(root: &Path, at: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(at).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            files.push((name, std::fs::read(&path).unwrap()));
        }
    }
}
