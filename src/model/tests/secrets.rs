//! Settings, logs and proxies reveal neither the key nor the conversation.

use std::process::Command;

use super::*;

/// Set for a test that runs itself again in its own environment.
const CHILD: &str = "MODEL_TEST_CHILD";

#[test]
fn bad_settings_are_named_and_never_quoted() {
    let good = || settings("http://127.0.0.1:1/v1");
    let mut cases = Vec::new();
    for url in [
        "",
        KEY,
        "ftp://host/v1",
        "http://",
        "host/v1",
        "http://user:canary@host/v1",
        "http://host/v1?key=canary",
        "http://host/v1#canary",
    ] {
        cases.push(("base_url", Settings { base_url: url.to_owned(), ..good() }));
    }
    for key in ["canary\nx", "canary x", "canary\u{e9}", "canary\u{0}", "\u{1f511}"] {
        cases.push(("api_key", Settings { api_key: Some(key.to_owned().into()), ..good() }));
    }
    cases.push(("name", Settings { model: " ".to_owned(), ..good() }));
    cases.push(("context_window", Settings { context_window: 0, ..good() }));
    cases.push(("max_output_tokens", Settings { max_output_tokens: Some(0), ..good() }));
    cases.push(("timeout", Settings { timeout: Duration::ZERO, ..good() }));
    cases.push(("try_timeout", Settings { try_timeout: Duration::MAX, ..good() }));
    cases.push(("concurrency", Settings { concurrency: 0, ..good() }));
    cases.push(("tries", Settings { tries: 4, ..good() }));
    for (name, settings) in cases {
        let shown = format!("{settings:?}");
        assert!(!shown.contains("canary"), "{shown}");
        match Client::new(settings).map_err(clean) {
            Err(ModelError::BadSettings { what, .. }) => assert_eq!(what, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert!(Client::new(Settings { api_key: None, ..good() }).is_ok());
}

/// The library logs bodies that it cannot parse; here it must never get one.
#[tokio::test]
async fn no_log_line_holds_the_conversation() {
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let echo = format!("{KEY} {SAID}");
    let unreadable = ResponseTemplate::new(200).set_body_string(&echo);
    for template in [error(500, "x"), error(400, "x"), unreadable, ok(&echo), ok("")] {
        let _ = outcome(vec![template]).await;
    }
    tracing::info!("the end");
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("the end"));
    let own: Vec<&str> = logged.lines().filter(|line| !line.contains("wiremock")).collect();
    for line in own {
        assert!(!line.contains(SAID) && !line.contains(KEY), "{line}");
    }
}

/// Runs one test of this file again, in its own environment.
fn again(test: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([&format!("model::tests::secrets::{test}"), "--exact", "--nocapture"])
        .env(CHILD, "1");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn an_image_without_root_certificates_gets_a_fact() {
    if std::env::var_os(CHILD).is_none() {
        let nowhere = [("SSL_CERT_FILE", "/nonexistent"), ("SSL_CERT_DIR", "/nonexistent")];
        return again("an_image_without_root_certificates_gets_a_fact", &nowhere);
    }
    let error = Client::new(settings("https://127.0.0.1:1/v1")).map_err(clean).unwrap_err();
    assert!(matches!(error, ModelError::CannotStart { .. }), "{error:?}");
    assert!(error.to_string().contains("CA certificates"), "{error}");
    assert!(Client::new(settings("http://127.0.0.1:1/v1")).is_ok());
}

/// A proxy from the environment sees the host name of an https call, and nothing of an http call.
#[test]
fn a_proxy_never_sees_the_key() {
    let test = "a_proxy_never_sees_the_key";
    if std::env::var_os(CHILD).is_none() {
        let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", proxy.local_addr().unwrap());
        let seen = std::thread::spawn(move || {
            use std::io::Read;
            let mut head = vec![0; 4096];
            let (mut stream, _) = proxy.accept().unwrap();
            let read = stream.read(&mut head).unwrap();
            String::from_utf8_lossy(&head[..read]).into_owned()
        });
        let none = ("NO_PROXY", "");
        again(test, &[("HTTP_PROXY", &address), ("HTTPS_PROXY", &address), none]);
        let seen = seen.join().unwrap();
        assert!(seen.starts_with("CONNECT model.example:443 "), "{seen}");
        assert!(!seen.contains("canary"), "{seen}");
        return;
    }
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let (reply, calls) = outcome(vec![ok("direct")]).await;
        assert_eq!((reply, calls), (completion("direct", Finish::Stop), 1));
        let away = Settings { tries: 1, ..settings("https://model.example/v1") };
        let error = ask(away).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    });
}
