//! The HTTP door: the API on one screen. A handler unpacks, calls one method of
//! the service, packs. Work that counts, reads or writes runs off the async
//! threads, and only so many requests at a time.

mod body;
mod error;
mod mcp;
mod probe;
mod serve;
mod token;
mod wrap;

pub use serve::{ServeError, bind, serve};
pub use token::Token;

use std::sync::Arc;

use axum::Router;
use axum::extract::{RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::Semaphore;

use crate::config::ServerConfig;
use crate::envelope::Answer;
use crate::mcp::Mcp;
use crate::service::{Failure, Service};
use crate::tools::Form;
use body::Body;

/// The contract, as the binary serves it.
pub const OPENAPI: &str = include_str!("../../openapi.yaml");

/// What every handler sees.
#[derive(Clone)]
pub struct Door {
    service: Arc<Service>,
    token: Option<Arc<Token>>,
    turns: Arc<Semaphore>,
    limits: Arc<ServerConfig>,
    mcp: mcp::McpService,
}

impl Door {
    /// A door to `service`. With a token, only the probes are open without it.
    pub fn new(service: Arc<Service>, token: Option<Token>, config: &ServerConfig) -> Door {
        let turns = Arc::new(Semaphore::new(config.concurrent_requests.max(1)));
        let mcp = Mcp::new(Arc::clone(&service), Arc::clone(&turns), config.mcp_answer_tokens);
        Door {
            service,
            token: token.map(Arc::new),
            turns,
            limits: Arc::new(config.clone()),
            mcp: mcp::service(mcp, config),
        }
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

async fn context_offload(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.offload(&body.bytes)).await
}

async fn grep(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.grep(&body.bytes)).await
}

async fn read_file(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.read_file(&body.bytes)).await
}

async fn rehydrate(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.rehydrate(&body.bytes)).await
}

async fn validate(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.validate(&body.bytes).map(|(answer, _)| answer)).await
}

async fn count_tokens(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.count_tokens(&body.bytes)).await
}

async fn offload_result(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.offload_result(&body.bytes)).await
}

async fn lro_extract(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.lro_extract(&body.bytes)).await
}

async fn read_tool_result(State(door): State<Door>, body: Body) -> Response {
    door.work(move |service| service.read_tool_result(&body.bytes)).await
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
    /// Runs one operation on a thread that may block, when its turn comes.
    async fn work(
        self,
        operation: impl FnOnce(&Service) -> Result<Answer, Failure> + Send + 'static,
    ) -> Response {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let service = Arc::clone(&self.service);
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            operation(&service)
        });
        match done.await {
            Ok(Ok(answer)) => json(StatusCode::OK, answer),
            Ok(Err(failure)) => error::failed(&failure),
            // A panic below is a bug; the layer above gives it an id and a log line.
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

/// An envelope as a response.
fn json(status: StatusCode, answer: Answer) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], answer.into_json()).into_response()
}
