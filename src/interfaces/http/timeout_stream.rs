//! A connection with timeouts: for the head of a request, for the client to accept a response, and
//! for the pause between requests. The reader of a body times the pauses within it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::connections::ConnectionSlot;

/// Timeouts of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeouts {
    /// For a head, from its first byte; and for the first byte of the connection.
    pub(super) head: Duration,
    /// Between a response and the next head.
    pub(super) idle: Duration,
    /// For a response that the client does not accept.
    pub(super) write: Duration,
}

/// State of a connection: whether a request is in flight, and how many were answered.
pub(super) struct ConnectionState {
    in_flight: AtomicBool,
    answered: AtomicU64,
    slot: ConnectionSlot,
}

impl ConnectionState {
    /// Creates the state of a connection with a slot.
    pub(super) fn new(slot: ConnectionSlot) -> ConnectionState {
        ConnectionState { in_flight: AtomicBool::new(false), answered: AtomicU64::new(0), slot }
    }

    /// Records that a head is complete.
    pub(super) fn request_started(&self) {
        self.in_flight.store(true, Ordering::Release);
        self.slot.mark_busy();
    }

    /// Waits until the connection is evicted.
    pub(super) async fn evicted(&self) {
        self.slot.evicted().await;
    }

    /// Records that a response is ready.
    pub(super) fn response_ready(&self) {
        self.answered.fetch_add(1, Ordering::AcqRel);
        self.in_flight.store(false, Ordering::Release);
    }
}

/// A stream with timeouts.
pub(super) struct TimeoutStream<S> {
    stream: S,
    state: Arc<ConnectionState>,
    timeouts: Timeouts,
    /// Answered requests at the last poll.
    answered_seen: u64,
    /// True once a byte of the next head arrived.
    head_started: bool,
    read_timer: Pin<Box<Sleep>>,
    write_timer: Option<Pin<Box<Sleep>>>,
}

impl<S> TimeoutStream<S> {
    pub(super) fn new(
        stream: S,
        state: Arc<ConnectionState>,
        timeouts: Timeouts,
    ) -> TimeoutStream<S> {
        let read_timer = Box::pin(sleep_until(Instant::now() + timeouts.head));
        TimeoutStream {
            stream,
            state,
            timeouts,
            answered_seen: 0,
            head_started: true,
            read_timer,
            write_timer: None,
        }
    }

    /// Starts the idle timeout after a response.
    fn note_answers(&mut self) {
        let answered = self.state.answered.load(Ordering::Acquire);
        if answered != self.answered_seen {
            self.answered_seen = answered;
            self.head_started = false;
            self.write_timer = None;
            self.read_timer.as_mut().reset(Instant::now() + self.timeouts.idle);
        }
    }

    fn bytes_read(&mut self) {
        if !self.head_started {
            self.head_started = true;
            self.read_timer.as_mut().reset(Instant::now() + self.timeouts.head);
        }
    }

    /// Times out a write, counted from when it first blocked.
    fn poll_write_timeout(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        self.state.slot.mark_busy();
        let until = Instant::now() + self.timeouts.write;
        let sleep = self.write_timer.get_or_insert_with(|| Box::pin(sleep_until(until)));
        ready!(sleep.as_mut().poll(cx));
        Poll::Ready(io::Error::from(io::ErrorKind::TimedOut))
    }

    /// Restarts the idle timeout while the response is still being sent.
    fn bytes_written(&mut self) {
        if !self.head_started {
            self.read_timer.as_mut().reset(Instant::now() + self.timeouts.idle);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.note_answers();
        let before = buf.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buf) {
            if buf.filled().len() > before {
                self.bytes_read();
            }
            return Poll::Ready(read);
        }
        if self.state.in_flight.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        if self.write_timer.is_none() {
            self.state.slot.mark_idle();
        }
        ready!(self.read_timer.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::from(io::ErrorKind::TimedOut)))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.note_answers();
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(cx, bytes) {
            self.bytes_written();
            return Poll::Ready(written);
        }
        Poll::Ready(Err(ready!(self.poll_write_timeout(cx))))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.note_answers();
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes) {
            self.bytes_written();
            return Poll::Ready(written);
        }
        Poll::Ready(Err(ready!(self.poll_write_timeout(cx))))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The library flushes once everything is written.
        self.write_timer = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::super::connections::Connections;
    use super::*;

    async fn pair(
        ms: u64,
    ) -> (tokio::io::DuplexStream, TimeoutStream<tokio::io::DuplexStream>, Arc<ConnectionState>)
    {
        let (client, server) = tokio::io::duplex(64);
        let connection = Arc::new(ConnectionState::new(Connections::new(1).acquire().await));
        let timeouts = Timeouts {
            head: Duration::from_millis(ms),
            idle: Duration::from_millis(4 * ms),
            write: Duration::from_millis(ms),
        };
        (client, TimeoutStream::new(server, Arc::clone(&connection), timeouts), connection)
    }

    async fn waited(stream: &mut TimeoutStream<tokio::io::DuplexStream>) -> (io::ErrorKind, u128) {
        let start = Instant::now();
        let kind = stream.read(&mut [0; 8]).await.unwrap_err().kind();
        (kind, start.elapsed().as_millis())
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_has_its_time_and_an_idle_line_more() {
        let (mut client, mut stream, connection) = pair(100).await;
        client.write_all(b"GET").await.unwrap();
        assert_eq!(stream.read(&mut [0; 8]).await.unwrap(), 3);
        assert_eq!(waited(&mut stream).await, (io::ErrorKind::TimedOut, 100));
        let (_client, mut stream, connection) = (client, stream, connection);
        connection.request_started();
        connection.response_ready();
        assert_eq!(waited(&mut stream).await, (io::ErrorKind::TimedOut, 400));
    }

    #[tokio::test(start_paused = true)]
    async fn a_drip_does_not_lengthen_the_time_of_a_head() {
        let (mut client, mut stream, _connection) = pair(100).await;
        for _ in 0..2 {
            tokio::time::advance(Duration::from_millis(40)).await;
            client.write_all(b"x").await.unwrap();
            assert_eq!(stream.read(&mut [0; 8]).await.unwrap(), 1);
        }
        assert_eq!(waited(&mut stream).await, (io::ErrorKind::TimedOut, 20));
    }

    #[tokio::test(start_paused = true)]
    async fn work_under_way_is_not_hurried_and_an_answer_must_be_taken() {
        let (_client, mut stream, connection) = pair(100).await;
        connection.request_started();
        let read = tokio::time::timeout(Duration::from_secs(60), stream.read(&mut [0; 8])).await;
        assert!(read.is_err(), "still waiting");
        connection.response_ready();
        let start = Instant::now();
        let written = stream.write_all(&[0; 1000]).await.unwrap_err();
        assert_eq!(written.kind(), io::ErrorKind::TimedOut);
        assert_eq!(start.elapsed().as_millis(), 100);
    }
}
