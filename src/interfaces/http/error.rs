//! HTTP statuses and stable error codes of failures. The response tells the client what to change,
//! the log tells why it failed.

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use chat_history::HistoryError;

use super::drain::drain;
use super::response::json;
use crate::config::InvalidPrefix;
use crate::envelope::{Answer, ErrorFacts};
use crate::params::ParamError;
use crate::reading::error::ReloadError;
use crate::reading::extract::ExtractError;
use crate::service::Failure;
use crate::tools::UnknownFormat;
use context_store::{StoreError, is_away};
use query_sandbox::{JqError, SqlError, WorkerError};
use record_files::query::QueryError;

/// Returns the response for a failure of the service.
pub(super) fn failed(failure: &Failure) -> Response {
    let (status, code, field) = status_of(failure);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        tracing::warn!(code, error = %failure, "the request was rejected");
    } else if status.is_server_error() {
        tracing::error!(code, error = %failure, "the request failed");
    }
    let mut response = respond(status, code, failure.to_string(), field);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        let soon = header::HeaderValue::from_static("1");
        response.headers_mut().insert(header::RETRY_AFTER, soon);
    }
    response
}

/// Returns the status, the code and the field of a failure.
fn status_of(failure: &Failure) -> (StatusCode, &'static str, Option<&str>) {
    use StatusCode as S;
    match failure {
        Failure::Param(error) => {
            let (status, code) = match error {
                ParamError::NotUtf8 { .. } => (S::BAD_REQUEST, "body_not_utf8"),
                ParamError::NotJson { .. } => (S::BAD_REQUEST, "body_not_json"),
                ParamError::NotAnObject { .. } => (S::UNPROCESSABLE_ENTITY, "body_not_an_object"),
                ParamError::Unknown { .. } => (S::UNPROCESSABLE_ENTITY, "member_unknown"),
                ParamError::Missing { .. } => (S::UNPROCESSABLE_ENTITY, "field_missing"),
                ParamError::Invalid { .. } => (S::UNPROCESSABLE_ENTITY, "field_invalid"),
            };
            (status, code, error.field())
        }
        Failure::History(HistoryError::UnknownFormat { .. }) => {
            (S::UNPROCESSABLE_ENTITY, "format_unknown", Some("format"))
        }
        Failure::History(HistoryError::Mixed { .. }) => {
            (S::UNPROCESSABLE_ENTITY, "formats_mixed", Some("messages"))
        }
        Failure::History(
            HistoryError::NotAnArray { .. }
            | HistoryError::BadMessage { .. }
            | HistoryError::MisplacedText { .. },
        ) => (S::UNPROCESSABLE_ENTITY, "messages_invalid", Some("messages")),
        Failure::Store { field, source } => match source {
            StoreError::Outside { .. } | StoreError::Private { .. } => {
                (S::UNPROCESSABLE_ENTITY, "path_outside_roots", Some(field))
            }
            StoreError::BadPath { .. } => (S::UNPROCESSABLE_ENTITY, "path_invalid", Some(field)),
            StoreError::Io { source, .. } if is_away(source) => {
                (S::SERVICE_UNAVAILABLE, "store_away", Some(field))
            }
            StoreError::Root { .. }
            | StoreError::Url { .. }
            | StoreError::Io { .. }
            | StoreError::NoName { .. } => (S::INTERNAL_SERVER_ERROR, "store_failed", Some(field)),
        },
        Failure::Reload { field, source } => reload_status(source, field),
        Failure::Extract(error) => extract_status(error),
        Failure::TooHeavy(_) => (S::PAYLOAD_TOO_LARGE, "body_too_heavy", None),
        Failure::Full(_) => (S::SERVICE_UNAVAILABLE, "memory_full", None),
        Failure::Overloaded { .. } => (S::SERVICE_UNAVAILABLE, "too_many_requests", None),
    }
}

/// Returns an error response.
pub(super) fn respond(
    status: StatusCode,
    code: &'static str,
    message: String,
    field: Option<&str>,
) -> Response {
    let facts = ErrorFacts { code, message, field: field.map(str::to_owned), request_id: None };
    json(status, Answer::failure(&facts).into_json())
}

/// Returns the response after a panic; the log has details under the same id.
pub(super) fn panicked(request_id: String) -> Response {
    let message = format!("internal error; the log has details under {request_id}");
    let facts =
        ErrorFacts { code: "internal_error", message, field: None, request_id: Some(request_id) };
    json(StatusCode::INTERNAL_SERVER_ERROR, Answer::failure(&facts).into_json())
}

pub(super) fn too_large(limit: usize) -> Response {
    let message = format!(
        "the body is too large; accepted are up to {limit} bytes (server.body_limit_bytes)"
    );
    respond(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message, None)
}

pub(super) fn coded_body(coding: &str) -> Response {
    let coding: String = coding.chars().take(60).collect();
    let message = format!(
        "the body has the content coding {coding:?}; accepted is a body without content coding"
    );
    respond(StatusCode::UNSUPPORTED_MEDIA_TYPE, "body_coded", message, None)
}

pub(super) fn slow_body(seconds: u64) -> Response {
    let message = format!("no part of the body arrived for {seconds} seconds");
    respond(StatusCode::REQUEST_TIMEOUT, "body_too_slow", message, None)
}

pub(super) fn foreign_host(host: &str) -> Response {
    let message = format!(
        "the request is addressed to the host {host:?}; accepted are the names of this service \
         (server.allowed_hosts)"
    );
    respond(StatusCode::FORBIDDEN, "host_refused", message, None)
}

pub(super) fn foreign_origin(origin: &str) -> Response {
    let message = format!(
        "the request comes from a web page of {origin:?}; accepted are pages of \
         server.allowed_origins"
    );
    respond(StatusCode::FORBIDDEN, "origin_refused", message, None)
}

pub(super) fn broken_body() -> Response {
    let message = "the body ended before it was complete".to_owned();
    respond(StatusCode::BAD_REQUEST, "body_incomplete", message, None)
}

pub(super) fn timed_out(seconds: u64) -> Response {
    let message = format!("the request took longer than {seconds} seconds");
    respond(StatusCode::GATEWAY_TIMEOUT, "request_timeout", message, None)
}

pub(super) fn unauthorized() -> Response {
    let message = "no valid bearer token was found; accepted is the header \
                   Authorization: Bearer with the token of this service"
        .to_owned();
    let mut response = respond(StatusCode::UNAUTHORIZED, "unauthorized", message, None);
    let scheme = header::HeaderValue::from_static("Bearer");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    response
}

pub(super) fn unknown_format(unknown: &UnknownFormat) -> Response {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    respond(status, "format_unknown", unknown.to_string(), Some("format"))
}

pub(super) fn invalid_prefix(invalid: &InvalidPrefix) -> Response {
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    respond(status, "field_invalid", invalid.to_string(), Some("prefix"))
}

pub(super) async fn unknown_route(request: Request) -> Response {
    let path: String = request.uri().path().chars().take(100).collect();
    drain(request.into_body());
    let message = format!("there is no route {path}; GET /openapi.yaml lists all of them");
    respond(StatusCode::NOT_FOUND, "route_unknown", message, None).into_response()
}

pub(super) async fn wrong_method(request: Request) -> Response {
    let path: String = request.uri().path().chars().take(100).collect();
    let message = format!("{} is not accepted at {path}; see GET /openapi.yaml", request.method());
    drain(request.into_body());
    respond(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message, None).into_response()
}

/// Returns the status of a query error.
fn extract_status(error: &ExtractError) -> (StatusCode, &'static str, Option<&'static str>) {
    use ExtractError as E;
    let refused = |code, field| (StatusCode::UNPROCESSABLE_ENTITY, code, Some(field));
    match error {
        E::Query(error) => match error {
            QueryError::UnknownField { .. } => refused("field_unknown", "where"),
            QueryError::BadPattern { .. } => refused("pattern_invalid", "where"),
            QueryError::PatternTooCostly { .. } => refused("pattern_too_costly", "where"),
            QueryError::NotJson { .. } => refused("records_damaged", "file_path"),
            QueryError::NoEffect { member, .. } => refused("question_invalid", member),
            QueryError::Misfit { .. } => refused("value_unfit", "where"),
            QueryError::BadMember { member, .. }
            | QueryError::TextCondition { member, .. }
            | QueryError::UnknownOp { member, .. }
            | QueryError::TooMany { member, .. } => refused("question_invalid", field_of(member)),
        },
        E::Jq(error) => match error {
            JqError::Syntax { .. } => refused("jq_syntax", "query"),
            JqError::Undefined { .. } => refused("jq_undefined", "query"),
            JqError::Runtime { .. } => refused("jq_failed", "query"),
            JqError::FilterTooLong { .. } => refused("jq_too_long", "query"),
            JqError::Unsupported { .. } => refused("jq_unsupported", "query"),
            JqError::Variable { .. } => refused("jq_variable", "params"),
            JqError::BadInput { .. } => refused("records_damaged", "file_path"),
            JqError::Worker(error) => worker_status(
                error,
                ["jq_deadline", "jq_memory", "jq_crashed", "jq_busy", "jq_unavailable"],
                "query",
            ),
        },
        E::Sql(error) => match error {
            SqlError::Statement { .. } => refused("sql_invalid", "sql"),
            SqlError::TooLong { .. } => refused("sql_too_long", "sql"),
            SqlError::BadInput { .. } => refused("records_damaged", "file_path"),
            SqlError::Worker(error) => worker_status(
                error,
                ["sql_deadline", "sql_memory", "sql_crashed", "sql_busy", "sql_unavailable"],
                "sql",
            ),
        },
        E::NoRecords { .. } => refused("no_records", "file_path"),
        E::Damaged { .. } => refused("records_damaged", "file_path"),
        E::NoParam { .. } => refused("param_unknown", "params"),
        E::ParamType { .. } => refused("value_unfit", "params"),
    }
}

/// Returns the status of a worker's error; `codes` are in the order of its kinds.
fn worker_status(
    error: &WorkerError,
    codes: [&'static str; 5],
    field: &'static str,
) -> (StatusCode, &'static str, Option<&'static str>) {
    let (status, code) = match error {
        WorkerError::Deadline { .. } => (StatusCode::UNPROCESSABLE_ENTITY, codes[0]),
        WorkerError::Memory { .. } => (StatusCode::UNPROCESSABLE_ENTITY, codes[1]),
        WorkerError::Crashed { .. } => (StatusCode::UNPROCESSABLE_ENTITY, codes[2]),
        WorkerError::Busy { .. } => (StatusCode::SERVICE_UNAVAILABLE, codes[3]),
        WorkerError::Spawn { .. } => (StatusCode::INTERNAL_SERVER_ERROR, codes[4]),
    };
    (status, code, Some(field))
}

/// Returns the request field that holds a member of a query.
fn field_of(member: &str) -> &'static str {
    let fields = ["select", "count", "group_by", "sort_by", "limit", "offset", "ids", "id_field"];
    let name = member.split(['.', '[']).next().unwrap_or_default();
    fields.into_iter().find(|field| *field == name).unwrap_or("where")
}

/// Returns the status of a read error. Offsets past the end are 422 with the length
/// (`openapi.yaml`); `path` is the field that holds the path.
fn reload_status(
    error: &ReloadError,
    path: &'static str,
) -> (StatusCode, &'static str, Option<&'static str>) {
    use ReloadError as E;
    let refused = |code, field| (StatusCode::UNPROCESSABLE_ENTITY, code, Some(field));
    match error {
        E::Away { .. } => (StatusCode::SERVICE_UNAVAILABLE, "store_away", Some(path)),
        E::NotFound { .. } | E::NoResult { .. } | E::Several { .. } => {
            (StatusCode::NOT_FOUND, "file_not_found", Some(path))
        }
        E::Ambiguous { .. } => refused("result_ambiguous", path),
        E::NotAFile { .. } => refused("not_a_file", path),
        E::NotText { .. } => refused("not_text", path),
        E::TooLarge { .. } => refused("file_too_large", path),
        E::TooSlow { .. } => (StatusCode::GATEWAY_TIMEOUT, "request_timeout", Some(path)),
        E::Expired { .. } | E::Deleted { .. } => (StatusCode::GONE, "file_expired", Some(path)),
        E::LinesPastEnd { field, .. } => refused("offset_past_end", field),
        E::ByteOffsetPastEnd { .. } => refused("offset_past_end", "byte_offset"),
        E::EmptyPattern => refused("pattern_empty", "pattern"),
        E::PatternTooLong { .. } => refused("pattern_too_long", "pattern"),
        E::PatternTooCostly { .. } => refused("pattern_too_costly", "pattern"),
        E::BadPattern { .. } => refused("pattern_invalid", "pattern"),
        E::BadGlob { .. } => refused("glob_invalid", "glob"),
        E::InvalidRange { field, .. } => refused("field_invalid", field),
        E::Io { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "read_failed", Some(path)),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_busy_worker_is_no_fault_of_the_request() {
        let codes = ["deadline", "memory", "crashed", "busy", "unavailable"];
        let of = |error: WorkerError| {
            let (status, code, _) = worker_status(&error, codes, "query");
            (status.as_u16(), code)
        };
        assert_eq!(of(WorkerError::Deadline { ms: 1 }), (422, "deadline"));
        assert_eq!(of(WorkerError::Busy { ms: 1 }), (503, "busy"));
        let source = io::ErrorKind::NotFound.into();
        assert_eq!(of(WorkerError::Spawn { source }), (500, "unavailable"));
    }

    #[test]
    fn a_store_that_fails_is_no_fault_of_the_request() {
        let answer = |kind: io::ErrorKind| {
            let (path, source) = (String::new(), kind.into());
            let source = StoreError::Io { step: "opening", path, source };
            let failure = Failure::Store { field: "store_dir", source };
            let (status, code, field) = status_of(&failure);
            (status.as_u16(), code, field.map(str::to_owned))
        };
        let field = Some("store_dir".to_owned());
        assert_eq!(answer(io::ErrorKind::Other), (500, "store_failed", field.clone()));
        assert_eq!(answer(io::ErrorKind::ConnectionRefused), (503, "store_away", field));
    }
}
