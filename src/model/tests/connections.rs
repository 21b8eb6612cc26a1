//! Connections that break, hang, never end or lead elsewhere.

use tokio::io::AsyncWriteExt;

use super::*;
use crate::model::CallBudget;

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = ask(settings(&base)).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn a_reset_in_the_middle_of_an_answer_is_tried_again() {
    let (base, seen) = raw(|mut stream| async move {
        read_some(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\": [";
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        stream.set_zero_linger().unwrap();
    })
    .await;
    let error = ask(settings(&base)).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert_eq!(seen.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_trickle_and_a_silence_end_in_time() {
    let trickle = raw(|mut stream| async move {
        read_some(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        while stream.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let silence = raw(|mut stream| async move {
        read_some(&mut stream).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    // An error whose body never ends is still reported as that error.
    let endless_error = raw(|mut stream| async move {
        read_some(&mut stream).await;
        let head = "HTTP/1.1 401 No\r\ncontent-length: 100000\r\n\r\n";
        let _ = stream.write_all(head.as_bytes()).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    let in_time = |base: String, seen: Arc<AtomicU32>| async move {
        let mut hasty = settings(&base);
        hasty.try_timeout = Duration::from_millis(300);
        let error = ask(hasty.clone()).await.unwrap_err();
        let ModelError::Timeout { waited, calls: 3 } = error else { panic!("{error:?}") };
        assert!(waited < Duration::from_secs(3), "{waited:?}");
        assert_eq!(seen.load(Ordering::SeqCst), 3);
        // The deadline passes before a second try.
        hasty.timeout = Duration::from_millis(400);
        let error = ask(hasty).await.unwrap_err();
        let ModelError::Timeout { waited, calls: 1 } = error else { panic!("{error:?}") };
        assert!(waited < Duration::from_millis(900), "{waited:?}");
    };
    let ((trickle, trickles), (silence, silences)) = (trickle.await, silence.await);
    let patient = settings(&endless_error.await.0);
    let (_, _, refused) =
        tokio::join!(in_time(trickle, trickles), in_time(silence, silences), ask(patient));
    assert_eq!(refused, Err(unnamed(401)));
}

#[tokio::test]
async fn an_endless_or_unreadable_answer_is_not_taken() {
    let huge = ResponseTemplate::new(200).set_body_string("x".repeat(20 * 1024 * 1024));
    let mut long = settings("");
    long.try_timeout = Duration::from_secs(3);
    let server = scripted(vec![huge]).await;
    long.base_url = base(&server);
    assert_eq!(ask(long).await, Err(ModelError::TooLarge { limit: 8 * 1024 * 1024 }));
    assert_eq!(count(&server).await, 1);
    let cut = format!("{{\"choices\": [{{\"message\": {{\"content\": \"{SAID}");
    for body in ["<html>", "data: {}\n\n", "", &cut] {
        let (outcome, calls) =
            outcome(vec![ResponseTemplate::new(200).set_body_string(body)]).await;
        assert_eq!((outcome, calls), (Err(ModelError::NotJson), 1), "{body}");
    }
    let latin = ResponseTemplate::new(200).set_body_bytes(b"{\"choices\": \"\xe9\"}".to_vec());
    assert_eq!(outcome(vec![latin]).await.0, Err(ModelError::NotJson));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (canary, seen) = raw(|mut stream| async move { drop(read_some(&mut stream).await) }).await;
    for code in [301, 302, 303, 307, 308] {
        let away = ResponseTemplate::new(code).insert_header("Location", canary.as_str());
        assert_eq!(outcome(vec![away]).await, (Err(unnamed(code)), 1));
    }
    assert_eq!(seen.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn calls_count_over_rejected_texts_and_a_turn_counts_against_the_deadline() {
    let server = scripted(vec![error(500, "x"), ok("no")]).await;
    let client = Client::new(settings(&base(&server))).unwrap();
    let mut calls = client.calls();
    for made in [2, 3] {
        let reply = client.complete(&prompt(), client.deadline(), &mut calls).await;
        assert_eq!((reply, calls.made()), (completion("no", Finish::Stop), made));
    }
    let reply = client.complete(&prompt(), client.deadline(), &mut calls).await;
    assert_eq!(reply, Err(ModelError::NoCallsLeft));
    assert_eq!(count(&server).await, 3);
    assert_eq!(CallBudget::new(9).left(), 3);
    // The deadline has passed already.
    let reply = client.complete(&prompt(), Instant::now(), &mut client.calls()).await;
    assert!(matches!(reply, Err(ModelError::Timeout { calls: 0, .. })), "{reply:?}");
    assert_eq!(count(&server).await, 3);

    let slow = ok("late").set_delay(Duration::from_millis(800));
    let server = scripted(vec![slow]).await;
    let mut one = settings(&base(&server));
    one.concurrency = 1;
    one.try_timeout = Duration::from_secs(2);
    let client = Client::new(one).unwrap();
    let (mut first, mut second) = (client.calls(), client.calls());
    let (prompt, soon) = (prompt(), Instant::now() + Duration::from_millis(300));
    let (first, second) = tokio::join!(
        client.complete(&prompt, client.deadline(), &mut first),
        client.complete(&prompt, soon, &mut second),
    );
    assert_eq!(first, completion("late", Finish::Stop));
    assert!(matches!(second, Err(ModelError::Timeout { calls: 0, .. })), "{second:?}");
    assert_eq!(count(&server).await, 1);
}

#[tokio::test]
async fn plain_and_blocking_threads_may_ask_and_drop() {
    let server = scripted(vec![ok("a")]).await;
    let client = Arc::new(Client::new(settings(&base(&server))).unwrap());
    let ask = |client: Arc<Client>| {
        move || {
            let mut calls = client.calls();
            client.block_on(client.complete(&prompt(), client.deadline(), &mut calls))
        }
    };
    let from_pool = tokio::task::spawn_blocking(ask(Arc::clone(&client))).await.unwrap();
    assert_eq!(from_pool, completion("a", Finish::Stop));
    let thread = std::thread::spawn(ask(Arc::clone(&client)));
    let from_thread = tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap();
    assert_eq!(from_thread, completion("a", Finish::Stop));
    drop(client);
}
