//! Request bodies: read within limits, with memory reserved for them.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_body::Body as _;
use http_body_util::BodyExt;

use super::drain::drain;
use super::error;
use super::state::{AppState, TenantState};
use crate::service::Service;
use crate::service::budget::{Budget, BudgetError, Reserved, announced, weight};

/// A request body.
pub(super) struct RequestBody {
    /// The service of the request's tenant.
    pub(super) service: Arc<Service>,
    /// The body.
    pub(super) bytes: Vec<u8>,
    /// The memory reservation of the request, until it is answered.
    pub(super) reserved: Reserved,
}

impl RequestBody {
    /// Returns the request with `asked` as its body.
    pub(super) fn with_body(self, asked: String) -> RequestBody {
        RequestBody { bytes: asked.into_bytes(), ..self }
    }
}

impl FromRequest<AppState> for RequestBody {
    type Rejection = Response;

    async fn from_request(request: Request, state: &AppState) -> Result<RequestBody, Response> {
        let tenant = request.extensions().get::<Arc<TenantState>>();
        let Some(tenant) = tenant.cloned() else { return Err(error::unauthorized()) };
        let service = Arc::clone(&tenant.service);
        let limits = &state.config;
        let reader = BodyReader {
            limit: limits.body_limit_bytes,
            pause: Duration::from_secs(limits.body_timeout_seconds),
            budget: service.budget().clone(),
        };
        let (head, body) = request.into_parts();
        let (bytes, reserved) = reader.read(&head.headers, body).await?;
        Ok(RequestBody { service, bytes, reserved })
    }
}

/// Limits for reading a body.
struct BodyReader {
    limit: usize,
    pause: Duration,
    budget: Budget,
}

impl BodyReader {
    async fn read(
        &self,
        headers: &HeaderMap,
        mut body: Body,
    ) -> Result<(Vec<u8>, Reserved), Response> {
        match self.receive(headers, &mut body).await {
            Ok(read) => Ok(read),
            Err(refused) => {
                drain(body);
                Err(refused)
            }
        }
    }

    /// Reserves memory for the bytes that arrived, not for the announced length, so that a client
    /// that announces a large body but sends little does not block others.
    async fn receive(
        &self,
        headers: &HeaderMap,
        body: &mut Body,
    ) -> Result<(Vec<u8>, Reserved), Response> {
        // Compressed bodies are rejected: a small one could expand to any size.
        let coding = headers.get(header::CONTENT_ENCODING).map(HeaderValue::as_bytes);
        if let Some(coding) = coding.filter(|coding| !coding.eq_ignore_ascii_case(b"identity")) {
            return Err(error::coded_body(&String::from_utf8_lossy(coding)));
        }
        let length = headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|text| text.to_str().ok()?.parse().ok());
        let length = length.or(body.is_end_stream().then_some(0));
        if length.is_some_and(|length| length > self.limit) {
            return Err(error::too_large(self.limit));
        }
        // If memory is short, the body is not read.
        let refused = |refusal: BudgetError| error::failed(&refusal.into());
        let expected = length.map(|length| announced(length as u64));
        let mut reserved = self.budget.admit(expected).map_err(refused)?;
        let mut bytes = Vec::new();
        loop {
            let frame = tokio::time::timeout(self.pause, body.frame()).await;
            let Ok(frame) = frame else { return Err(error::slow_body(self.pause.as_secs())) };
            let Some(frame) = frame else { break };
            let Ok(data) = frame.map_err(|_| error::broken_body())?.into_data() else { continue };
            let read = bytes.len() + data.len();
            if read > self.limit {
                return Err(error::too_large(self.limit));
            }
            self.budget.hold(&mut reserved, announced(read as u64)).map_err(refused)?;
            if bytes.is_empty() {
                bytes.reserve_exact(data.len().max(length.unwrap_or(0).min(MAX_FIRST_BYTES)));
            }
            bytes.extend_from_slice(&data);
        }
        self.budget.hold(&mut reserved, weight(&bytes)).map_err(refused)?;
        Ok((bytes, reserved))
    }
}

/// Maximum number of bytes allocated for an announced body before it arrives.
const MAX_FIRST_BYTES: usize = 1024 * 1024;
