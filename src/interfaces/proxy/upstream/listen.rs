//! The server's event stream: opened after the handshake, reopened if it breaks.

use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;

use super::endpoint::Endpoint;
use super::sse::{MAX_RETRY, Reader};

/// Delay before reopening if the server names none.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Reads the stream until the server rejects it.
pub(super) async fn listen(endpoint: Arc<Endpoint>) {
    let mut reader = Reader::default();
    let mut failures = 0u32;
    loop {
        match endpoint.open_stream(reader.last_id.as_deref()).await {
            Ok(response) if response.status().is_success() => {
                failures = 0;
                // Ended or broken: reopened after the last event.
                let _ = endpoint.forward_events(response, &mut reader, None).await;
            }
            // No such stream, not authorised, or the session ended.
            Ok(response)
                if response.status().is_client_error() && !is_temporary(response.status()) =>
            {
                return;
            }
            Ok(_) | Err(_) => failures = failures.saturating_add(1),
        }
        let wait = reader.retry.unwrap_or(RETRY_DELAY);
        tokio::time::sleep((wait * 2u32.pow(failures.min(5))).min(MAX_RETRY)).await;
    }
}

fn is_temporary(status: StatusCode) -> bool {
    matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}
