//! The routes. A handler parses the request, calls one method of the service, and returns the
//! answer. Operations run on blocking threads, a limited number at a time.

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};

use super::authenticate::authenticate;
use super::request_body::RequestBody;
use super::response::json;
use super::state::AppState;
use super::{delete_chat, error, guarded_body, layers, mcp, probe};
use crate::config::ToolPrefix;
use crate::envelope::Answer;
use crate::interfaces::blocking;
use crate::service::concurrency_limit::Lane;
use crate::service::{Failure, Service};
use crate::tools::ToolFormat;

/// The OpenAPI contract that the binary serves.
const OPENAPI: &str = include_str!("../../../openapi.yaml");

/// Builds the router with all routes and layers.
pub fn router(state: AppState) -> Router {
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
        .layer(middleware::from_fn_with_state(state.clone(), authenticate));
    let probes =
        Router::new().route("/healthz", get(probe::healthz)).route("/readyz", get(probe::readyz));
    let routes = work
        .merge(probes)
        .method_not_allowed_fallback(error::wrong_method)
        .fallback(error::unknown_route);
    layers::add(routes, &state).with_state(state)
}

/// Builds the router of the listener for monitoring, which needs no token.
pub(super) fn metrics_router(state: AppState) -> Router {
    let routes = Router::new()
        .route("/metrics", get(probe::metrics))
        .route("/healthz", get(probe::healthz))
        .route("/readyz", get(probe::readyz))
        .method_not_allowed_fallback(error::wrong_method)
        .fallback(error::unknown_route);
    layers::add(routes, &state).with_state(state)
}

async fn context_offload(State(state): State<AppState>, request: RequestBody) -> Response {
    state.work(request, Service::offload).await
}

async fn grep(State(state): State<AppState>, request: RequestBody) -> Response {
    state.read(request, Service::grep).await
}

async fn read_file(State(state): State<AppState>, request: RequestBody) -> Response {
    state.read(request, Service::read_file).await
}

async fn rehydrate(State(state): State<AppState>, request: RequestBody) -> Response {
    state.read(request, Service::rehydrate).await
}

async fn validate(State(state): State<AppState>, request: RequestBody) -> Response {
    state.work(request, |service, body| service.validate(body).map(|(answer, _)| answer)).await
}

async fn count_tokens(State(state): State<AppState>, request: RequestBody) -> Response {
    state.work(request, Service::count_tokens).await
}

async fn offload_result(State(state): State<AppState>, request: RequestBody) -> Response {
    state.work(request, Service::offload_result).await
}

async fn lro_extract(State(state): State<AppState>, request: RequestBody) -> Response {
    state.read(request, Service::lro_extract).await
}

async fn read_tool_result(State(state): State<AppState>, request: RequestBody) -> Response {
    state.read(request, Service::read_tool_result).await
}

async fn delete_chat(
    State(state): State<AppState>,
    chat: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    request: RequestBody,
) -> Response {
    match delete_chat::request(chat, query.as_deref()) {
        Ok(asked) => {
            let request = request.with_body(asked);
            state
                .work(request, |service, body| service.delete_chat(body).map(|(answer, _)| answer))
                .await
        }
        Err(refused) => error::failed(&refused.into()),
    }
}

async fn mcp(State(state): State<AppState>, request: Request) -> Response {
    mcp::answer(state, request).await
}

async fn tools(State(state): State<AppState>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let asked = |wanted: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(name, _)| name == wanted).map(|(_, value)| value)
    };
    let format = match asked("format").as_deref().unwrap_or("openai").parse::<ToolFormat>() {
        Ok(format) => format,
        Err(unknown) => return error::unknown_format(&unknown),
    };
    let prefix = match asked("prefix").map(|text| ToolPrefix::try_from(text.into_owned())) {
        None => state.config.tool_prefix.clone(),
        Some(Ok(prefix)) => prefix,
        Some(Err(invalid)) => return error::invalid_prefix(&invalid),
    };
    let tools = format.retrieval_tools(prefix.text());
    ([(header::CONTENT_TYPE, "application/json")], tools).into_response()
}

async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/yaml")], OPENAPI).into_response()
}

impl AppState {
    /// Runs an operation on a history or a result.
    async fn work(self, request: RequestBody, operation: Operation) -> Response {
        self.run(Lane::Work, request, operation).await
    }

    /// Runs an operation that reads stored data.
    async fn read(self, request: RequestBody, operation: Operation) -> Response {
        self.run(Lane::Reads, request, operation).await
    }

    /// Runs an operation on a blocking thread once a permit is free.
    async fn run(self, lane: Lane, request: RequestBody, operation: Operation) -> Response {
        let permit = match self.concurrency.take(lane, request.service.holder()).await {
            Ok(permit) => permit,
            Err(overloaded) => return error::failed(&overloaded),
        };
        let done = blocking::run(request.service.holder(), move || {
            let _permit = permit;
            let RequestBody { service, bytes, mut reserved } = request;
            let answer = operation(&service, &bytes);
            drop(bytes);
            // The reservation is held until the response is sent.
            let answer = answer.and_then(|answer| {
                service.budget().grow(&mut reserved, answer.held_bytes())?;
                Ok(answer)
            });
            (answer.map(Answer::into_json), reserved)
        });
        match done.await {
            (Ok(answer), reserved) => json(StatusCode::OK, guarded_body::text(answer, reserved)),
            (Err(failure), _) => error::failed(&failure),
        }
    }
}

/// An operation on a request body.
type Operation = fn(&Service, &[u8]) -> Result<Answer, Failure>;
