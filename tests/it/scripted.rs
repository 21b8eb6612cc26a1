//! A scripted OpenAI-compatible endpoint: it keeps what it is asked and answers
//! as it is told. A good answer is made of the request's own words, so that the
//! messages hold what it says.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// One call, as the endpoint saw it.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) at: Instant,
    pub(crate) authorization: String,
    pub(crate) body: Value,
}

impl Asked {
    fn new(request: &Request) -> Asked {
        let header = request.headers.get("authorization");
        let authorization = header.map(|value| value.to_str().unwrap().to_owned());
        let body = request.body_json().unwrap();
        Asked { at: Instant::now(), authorization: authorization.unwrap_or_default(), body }
    }

    /// A message of the conversation: 0 is the system message, 1 the request.
    pub(crate) fn turn(&self, n: usize) -> &str {
        self.body["messages"][n]["content"].as_str().unwrap()
    }

    pub(crate) fn request(&self) -> &str {
        self.turn(1)
    }

    /// The messages of the transcript, by their numbers.
    pub(crate) fn indexes(&self) -> Vec<usize> {
        let heads = self.request().split("<message index=\"").skip(1);
        heads.map(|head| head.split('"').next().unwrap().parse().unwrap()).collect()
    }
}

/// What a server does to a connection that it gives no answer on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Breaks {
    /// Nothing, for ever.
    Hangs,
    /// Half an answer, then a reset.
    Resets,
    /// One byte at a time, for ever.
    Trickles,
    /// 200 MB.
    Floods,
}

pub(crate) struct Endpoint {
    pub(crate) base_url: String,
    calls: Arc<AtomicUsize>,
    asked: Arc<Mutex<Vec<Asked>>>,
    _server: Option<MockServer>,
}

impl Endpoint {
    /// Answers by the number of the call, from 0 on, and what is asked.
    pub(crate) async fn answers(
        answer: impl Fn(usize, &Asked) -> ResponseTemplate + Send + Sync + 'static,
    ) -> Endpoint {
        let server = MockServer::start().await;
        let (calls, asked) = <(Arc<AtomicUsize>, Arc<Mutex<Vec<Asked>>>)>::default();
        let (count, log) = (Arc::clone(&calls), Arc::clone(&asked));
        let respond = move |request: &Request| {
            let this = Asked::new(request);
            let answer = answer(count.fetch_add(1, Ordering::SeqCst), &this);
            log.lock().unwrap().push(this);
            answer
        };
        Mock::given(method("POST"))
            .and(path("/v1/chat/completions"))
            .respond_with(respond)
            .mount(&server)
            .await;
        let base_url = format!("{}/v1", server.uri());
        Endpoint { base_url, calls, asked, _server: Some(server) }
    }

    /// Answers every call with a good snapshot.
    pub(crate) async fn good() -> Endpoint {
        Endpoint::answers(|_, asked| completion(&grounded(asked.request()))).await
    }

    pub(crate) async fn breaks(how: Breaks) -> Endpoint {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let calls = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&calls);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(how.serve(stream));
            }
        });
        Endpoint { base_url, calls, asked: Arc::default(), _server: None }
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Breaks {
    async fn serve(self, mut stream: TcpStream) {
        let _ = stream.read(&mut vec![0; 64 * 1024]).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 200000000\r\n\r\n{\"choices\": [";
        if !matches!(self, Breaks::Hangs) {
            let _ = stream.write_all(head.as_bytes()).await;
        }
        match self {
            Breaks::Hangs => tokio::time::sleep(Duration::from_secs(60)).await,
            Breaks::Resets => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                stream.set_zero_linger().unwrap();
            }
            Breaks::Trickles => {
                while stream.write_all(b" ").await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            Breaks::Floods => {
                let some = vec![b' '; 256 * 1024];
                for _ in 0..800 {
                    if stream.write_all(&some).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

/// A 200 with one choice.
pub(crate) fn choice(finish_reason: &str, message: &Value) -> ResponseTemplate {
    let choice = json!({"index": 0, "finish_reason": finish_reason, "message": message});
    ResponseTemplate::new(200)
        .set_body_json(json!({"object": "chat.completion", "choices": [choice]}))
}

/// A finished answer that says `text`.
pub(crate) fn completion(text: &str) -> ResponseTemplate {
    choice("stop", &json!({"role": "assistant", "content": text}))
}

/// A snapshot of what the request holds: the goal of the earlier one or the first
/// order, the first line of the last result, the last word of the agent.
pub(crate) fn grounded(request: &str) -> String {
    let earlier = between(request, "<overall_goal>\n", "\n</overall_goal>").unwrap_or_default();
    let orders = said(request, "user");
    let goals = [earlier, orders.first().unwrap_or(&"")];
    let goal = goals.into_iter().find(|goal| !goal.is_empty()).unwrap_or_default();
    let found = said(request, "tool").last().map_or("", |text| text.lines().next().unwrap());
    let last = said(request, "assistant").last().map_or("", |text| text.lines().next().unwrap());
    format!(
        "<state_snapshot>\n<overall_goal>\n{goal}\n</overall_goal>\n<active_constraints>\n\
         </active_constraints>\n<key_knowledge>\n- {found}\n</key_knowledge>\n<artifact_trail>\n\
         </artifact_trail>\n<recent_actions>\n- {last}\n</recent_actions>\n<task_state>\n\
         1. [done] {last}\n</task_state>\n</state_snapshot>"
    )
}

/// The same with a line more in a section.
pub(crate) fn grounded_with(request: &str, section: &str, line: &str) -> String {
    let close = format!("</{section}>");
    grounded(request).replacen(&close, &format!("{line}\n{close}"), 1)
}

/// What messages of a role say in the transcript of a request.
pub(crate) fn said<'a>(request: &'a str, role: &str) -> Vec<&'a str> {
    let messages = request.split("<message index=").skip(1);
    messages
        .filter_map(|message| {
            let (head, rest) = message.split_once(">\n")?;
            let of_role = head.contains(&format!("role=\"{role}\""));
            of_role.then(|| rest.split("\n</message>").next().unwrap())
        })
        .collect()
}

pub(crate) fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    text.split_once(open)?.1.split_once(close).map(|(inside, _)| inside)
}
