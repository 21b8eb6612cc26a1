//! A call: whose it is, and the bytes of its body with the memory that they hold; or
//! the envelope that tells why not. The content type does not matter.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_body::Body as _;
use http_body_util::BodyExt;

use super::{Door, Tenant, error, refuse};
use crate::service::Service;
use crate::service::budget::{Budget, Reserved, Unheld, announced, weight};

/// What one request brought.
pub(super) struct Call {
    /// What the caller sees.
    pub(super) service: Arc<Service>,
    /// The body.
    pub(super) bytes: Vec<u8>,
    /// The memory that the request may take, until it is answered.
    pub(super) reserved: Reserved,
}

impl Call {
    /// The same with what the address says in place of a body.
    pub(super) fn with(self, asked: String) -> Call {
        Call { bytes: asked.into_bytes(), ..self }
    }
}

impl FromRequest<Door> for Call {
    type Rejection = Response;

    async fn from_request(request: Request, door: &Door) -> Result<Call, Response> {
        let tenant = request.extensions().get::<Arc<Tenant>>();
        let Some(tenant) = tenant.cloned() else { return Err(error::unauthorized()) };
        let service = Arc::clone(&tenant.service);
        let limits = &door.limits;
        let reading = Reading {
            limit: limits.body_limit_bytes,
            pause: Duration::from_secs(limits.body_timeout_seconds),
            budget: service.budget().clone(),
        };
        let (head, body) = request.into_parts();
        let (bytes, reserved) = reading.read(&head.headers, body).await?;
        Ok(Call { service, bytes, reserved })
    }
}

/// How a body is read.
struct Reading {
    limit: usize,
    pause: Duration,
    budget: Budget,
}

impl Reading {
    async fn read(
        &self,
        headers: &HeaderMap,
        mut body: Body,
    ) -> Result<(Vec<u8>, Reserved), Response> {
        match self.receive(headers, &mut body).await {
            Ok(read) => Ok(read),
            Err(refused) => {
                refuse::forget(body);
                Err(refused)
            }
        }
    }

    /// Memory is taken for what has come, not for what was announced: a client that
    /// announces much and sends little keeps nobody out.
    async fn receive(
        &self,
        headers: &HeaderMap,
        body: &mut Body,
    ) -> Result<(Vec<u8>, Reserved), Response> {
        // A small body that grows to a large one is a bomb: none is unpacked.
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
        // What cannot be had now is not even read.
        let refused = |unheld: Unheld| error::failed(&unheld.into());
        let expected = length.map(|length| announced(length as u64));
        let mut reserved = self.budget.expect(expected).map_err(refused)?;
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
                bytes.reserve_exact(data.len().max(length.unwrap_or(0).min(FIRST)));
            }
            bytes.extend_from_slice(&data);
        }
        self.budget.hold(&mut reserved, weight(&bytes)).map_err(refused)?;
        Ok((bytes, reserved))
    }
}

/// Room that is made for an announced body before it comes, in bytes.
const FIRST: usize = 1024 * 1024;
