//! The answers while all permits for histories are taken.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use fair_share::Holder;
use tower::ServiceExt;

use super::{AppState, router};
use crate::config::Config;
use crate::service::Service;
use crate::service::concurrency_limit::Lane;

#[tokio::test]
async fn reads_and_probes_are_answered_while_histories_wait() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.store.roots = vec![folder.path().display().to_string()];
    config.server.concurrent_requests = 1;
    config.server.queue_seconds = 0;
    let state = AppState::new(Arc::new(Service::open(&config).unwrap()), None, &config.server);
    let permit = state.concurrency.take(Lane::Work, Holder::default()).await.unwrap();
    let router = router(state);
    let ask = async |request: Request<Body>| {
        let response = router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        (status, String::from_utf8(to_bytes(response.into_body(), 65_536).await.unwrap().into()))
    };
    let post = |route: &str, body: &str| {
        let request = Request::post(route).header("host", "localhost");
        request.body(Body::from(body.to_owned())).unwrap()
    };
    let (status, refused) = ask(post("/count_tokens", r#"{"messages":[]}"#)).await;
    assert_eq!(status, 503);
    assert!(refused.unwrap().contains(r#""code":"too_many_requests""#));
    assert_eq!(ask(post("/grep", r#"{"pattern":"x"}"#)).await.0, 200);
    let probe = Request::get("/healthz").header("host", "localhost").body(Body::empty()).unwrap();
    assert_eq!(ask(probe).await.0, 200);
    drop(permit);
    assert_eq!(ask(post("/count_tokens", r#"{"messages":[]}"#)).await.0, 200);
}
