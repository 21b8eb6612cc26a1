//! The stream of what a server says by itself: opened when the session is, opened
//! again when it breaks.

use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;

use super::http::Http;
use super::sse::Reader;

/// Wait before coming again, where the server names none.
const AGAIN: Duration = Duration::from_secs(1);
/// Longest wait while the server cannot be reached.
const MOST: Duration = Duration::from_secs(30);

/// Listens until the server says that there is nothing to listen to.
pub(super) async fn listen(http: Arc<Http>) {
    let mut reader = Reader::default();
    let mut failures = 0u32;
    loop {
        match http.get(reader.last_id.as_deref()).await {
            Ok(response) if response.status().is_success() => {
                failures = 0;
                // Broken or ended: it is opened again from the last event on.
                let _ = http.events_of(response, &mut reader, None).await;
            }
            // Nothing to listen to, nobody to tell, or a session that has ended.
            Ok(response) if response.status().is_client_error() && !later(response.status()) => {
                return;
            }
            Ok(_) | Err(_) => failures = failures.saturating_add(1),
        }
        let wait = reader.retry.unwrap_or(AGAIN).min(MOST);
        tokio::time::sleep((wait * 2u32.pow(failures.min(5))).min(MOST)).await;
    }
}

fn later(status: StatusCode) -> bool {
    matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}
