//! The HTTP door: the API on one screen. A handler unpacks, calls one method of
//! the service, packs. Work that counts, reads or writes runs off the async
//! threads, and only so many requests at a time.

mod body;
mod error;
mod probe;
mod serve;
mod token;
mod wrap;

pub use serve::{ServeError, bind, serve};
pub use token::Token;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::Semaphore;

use crate::config::ServerConfig;
use crate::envelope::Answer;
use crate::service::{Failure, Service};
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
}

impl Door {
    /// A door to `service`. With a token, only the probes are open without it.
    pub fn new(service: Arc<Service>, token: Option<Token>, config: &ServerConfig) -> Door {
        Door {
            service,
            token: token.map(Arc::new),
            turns: Arc::new(Semaphore::new(config.concurrent_requests.max(1))),
            limits: Arc::new(config.clone()),
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
