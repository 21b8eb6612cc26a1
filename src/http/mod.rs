//! The HTTP door: the API on one screen. A handler unpacks, calls one method of
//! the service, packs. Work that counts, reads or writes runs off the async
//! threads, and only so many requests at a time.

mod call;
mod chats;
mod error;
mod held;
mod line;
mod lines;
mod mcp;
mod origin;
mod probe;
mod refuse;
mod serve;
mod token;
mod wrap;

pub use serve::{ServeError, bind, serve};
pub use token::Token;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};

use crate::config::ServerConfig;
use crate::envelope::Answer;
use crate::mcp::Mcp;
use crate::service::turns::{Share, Turns};
use crate::service::{Failure, Service};
use crate::tools::Form;
use call::Call;

/// The contract, as the binary serves it.
pub const OPENAPI: &str = include_str!("../../openapi.yaml");

/// What every handler sees.
#[derive(Clone)]
pub struct Door {
    tenants: Arc<[Arc<Tenant>]>,
    turns: Turns,
    limits: Arc<ServerConfig>,
    names: Arc<origin::Names>,
}

/// Who comes in, and what they see.
pub struct Tenant {
    name: Option<String>,
    token: Option<Token>,
    service: Arc<Service>,
    mcp: mcp::McpService,
}

/// Who may come in: the name for logs, the token, and the service behind it.
pub type Entry = (Option<String>, Option<Token>, Arc<Service>);

impl Door {
    /// A door to `service`. With a token, only the probes are open without it.
    pub fn new(service: Arc<Service>, token: Option<Token>, config: &ServerConfig) -> Door {
        Door::to_all(vec![(None, token, service)], config)
    }

    /// A door to the service of each, by token; who has none is let in only where
    /// there is nobody else.
    pub fn to_all(entries: Vec<Entry>, config: &ServerConfig) -> Door {
        let longest = Duration::from_secs(config.queue_seconds);
        let turns = Turns::new(config.concurrent_requests, entries.len(), longest);
        let tenant = |(name, token, service): Entry| {
            let mcp = Mcp::new(Arc::clone(&service), turns.clone(), config.mcp_answer_tokens);
            Arc::new(Tenant { name, token, service, mcp: mcp::service(mcp, config) })
        };
        let tenants = entries.into_iter().map(tenant).collect();
        let names = Arc::new(origin::Names::of(config));
        Door { tenants, turns, limits: Arc::new(config.clone()), names }
    }
}

impl Door {
    /// The turns of requests, which every door of the process shares.
    pub fn turns(&self) -> &Turns {
        &self.turns
    }
}

/// Every route.
pub fn router(door: Door) -> Router {
    let work = Router::new()
        .route("/context_offload", post(context_offload))
        .route("/grep", post(grep))
        .route("/read_file", post(read_file))
        .route("/rehydrate", post(rehydrate))
        .route("/count_tokens", post(count_tokens))
        .route("/validate", post(validate))
        .route("/offload_result", post(offload_result))
        .route("/lro_extract", post(lro_extract))
        .route("/read_tool_result", post(read_tool_result))
        .route("/chats/{chat_id}", delete(delete_chat))
        .route("/mcp", post(mcp))
        .route("/tools", get(tools))
        .route("/metrics", get(probe::metrics))
        .route("/version", get(probe::version))
        .route("/openapi.yaml", get(openapi))
        .layer(middleware::from_fn_with_state(door.clone(), token::require));
    let probes =
        Router::new().route("/healthz", get(probe::healthz)).route("/readyz", get(probe::readyz));
    let routes = work
        .merge(probes)
        .method_not_allowed_fallback(error::wrong_method)
        .fallback(error::unknown_route);
    wrap::wrap(routes, &door).with_state(door)
}

async fn context_offload(State(door): State<Door>, call: Call) -> Response {
    door.work(call, Service::offload).await
}

async fn grep(State(door): State<Door>, call: Call) -> Response {
    door.read(call, Service::grep).await
}

async fn read_file(State(door): State<Door>, call: Call) -> Response {
    door.read(call, Service::read_file).await
}

async fn rehydrate(State(door): State<Door>, call: Call) -> Response {
    door.read(call, Service::rehydrate).await
}

async fn validate(State(door): State<Door>, call: Call) -> Response {
    door.work(call, |service, body| service.validate(body).map(|(answer, _)| answer)).await
}

async fn count_tokens(State(door): State<Door>, call: Call) -> Response {
    door.work(call, Service::count_tokens).await
}

async fn offload_result(State(door): State<Door>, call: Call) -> Response {
    door.work(call, Service::offload_result).await
}

async fn lro_extract(State(door): State<Door>, call: Call) -> Response {
    door.read(call, Service::lro_extract).await
}

async fn read_tool_result(State(door): State<Door>, call: Call) -> Response {
    door.read(call, Service::read_tool_result).await
}

async fn delete_chat(
    State(door): State<Door>,
    chat: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    call: Call,
) -> Response {
    match chats::deletion(chat, query.as_deref()) {
        Ok(asked) => {
            let call = call.with(asked);
            door.work(call, |service, body| service.delete_chat(body).map(|(answer, _)| answer))
                .await
        }
        Err(refused) => error::failed(&refused.into()),
    }
}

async fn mcp(State(door): State<Door>, request: Request) -> Response {
    mcp::answer(door, request).await
}

async fn tools(RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let mut asked = query.split('&').filter_map(|pair| pair.split_once('='));
    let word = asked.find(|(name, _)| *name == "format").map_or("openai", |(_, value)| value);
    match word.parse::<Form>() {
        Ok(form) => {
            ([(header::CONTENT_TYPE, "application/json")], form.reload_tools()).into_response()
        }
        Err(unknown) => error::unknown_form(&unknown),
    }
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/yaml")], OPENAPI).into_response()
}

impl Door {
    /// Makes something of a history or a result.
    async fn work(self, call: Call, operation: Operation) -> Response {
        self.run(Share::Work, call, operation).await
    }

    /// Brings something back.
    async fn read(self, call: Call, operation: Operation) -> Response {
        self.run(Share::Reads, call, operation).await
    }

    /// Runs one operation on a thread that may block, when its turn comes.
    async fn run(self, share: Share, call: Call, operation: Operation) -> Response {
        let turn = match self.turns.take(share, call.service.holder()).await {
            Ok(turn) => turn,
            Err(crowded) => return error::failed(&Failure::Crowded(crowded)),
        };
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let Call { service, bytes, mut reserved } = call;
            let _entered = fair_share::enter(service.holder());
            let answer = operation(&service, &bytes);
            drop(bytes);
            // It is held until the last of it has left.
            let answer = answer.and_then(|answer| {
                service.budget().grow(&mut reserved, answer.held_bytes())?;
                Ok(answer)
            });
            (answer.map(Answer::into_json), reserved)
        });
        match done.await {
            Ok((Ok(answer), reserved)) => json(StatusCode::OK, held::body(answer, reserved)),
            Ok((Err(failure), _)) => error::failed(&failure),
            // A panic below is a bug; the layer above gives it an id and a log line.
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

/// What a route does with a body.
type Operation = fn(&Service, &[u8]) -> Result<Answer, Failure>;

/// An envelope as a response.
fn json(status: StatusCode, envelope: impl Into<Body>) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], envelope.into()).into_response()
}
