//! A client's line: a connection that is patient, but not for ever. The head of a
//! request must come within its time, an answer be taken within its, and between two
//! requests a line is kept for a while; a body's pauses are watched where it is read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::lines::Slot;

/// How long a client is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// From the first byte of a head to its last, and for the first byte of all.
    pub(super) head: Duration,
    /// Between an answer and the next head.
    pub(super) idle: Duration,
    /// From an answer that does not go out to its end.
    pub(super) answer: Duration,
}

/// What happens above the line: whether a request is under way, and how many were.
pub(super) struct Traffic {
    under_way: AtomicBool,
    answered: AtomicU64,
    slot: Slot,
}

impl Traffic {
    /// The traffic of a line that has a slot.
    pub(super) fn new(slot: Slot) -> Traffic {
        Traffic { under_way: AtomicBool::new(false), answered: AtomicU64::new(0), slot }
    }

    /// A head has come whole.
    pub(super) fn begins(&self) {
        self.under_way.store(true, Ordering::Release);
        self.slot.works();
    }

    /// Waits until the line is to make room for another.
    pub(super) async fn closes(&self) {
        self.slot.closes().await;
    }

    /// The answer to it is known.
    pub(super) fn ends(&self) {
        self.answered.fetch_add(1, Ordering::AcqRel);
        self.under_way.store(false, Ordering::Release);
    }
}

/// A stream with deadlines.
pub(super) struct Line<S> {
    stream: S,
    traffic: Arc<Traffic>,
    patience: Patience,
    /// Requests that were answered when this was last looked at.
    seen: u64,
    /// Whether a byte of the next head has come.
    begun: bool,
    reading: Pin<Box<Sleep>>,
    writing: Option<Pin<Box<Sleep>>>,
}

impl<S> Line<S> {
    pub(super) fn new(stream: S, traffic: Arc<Traffic>, patience: Patience) -> Line<S> {
        let reading = Box::pin(sleep_until(Instant::now() + patience.head));
        Line { stream, traffic, patience, seen: 0, begun: true, reading, writing: None }
    }

    /// After an answer the line is idle.
    fn look(&mut self) {
        let answered = self.traffic.answered.load(Ordering::Acquire);
        if answered != self.seen {
            self.seen = answered;
            self.begun = false;
            self.writing = None;
            self.reading.as_mut().reset(Instant::now() + self.patience.idle);
        }
    }

    fn came(&mut self) {
        if !self.begun {
            self.begun = true;
            self.reading.as_mut().reset(Instant::now() + self.patience.head);
        }
    }

    /// Writing that waits has a deadline from its first wait on.
    fn overdue(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        self.traffic.slot.works();
        let until = Instant::now() + self.patience.answer;
        let sleep = self.writing.get_or_insert_with(|| Box::pin(sleep_until(until)));
        ready!(sleep.as_mut().poll(cx));
        Poll::Ready(io::Error::from(io::ErrorKind::TimedOut))
    }

    /// An idle line whose answer is still going out is not idle.
    fn went(&mut self) {
        if !self.begun {
            self.reading.as_mut().reset(Instant::now() + self.patience.idle);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Line<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.look();
        let before = buf.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(cx, buf) {
            if buf.filled().len() > before {
                self.came();
            }
            return Poll::Ready(read);
        }
        if self.traffic.under_way.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        if self.writing.is_none() {
            self.traffic.slot.rests();
        }
        ready!(self.reading.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::from(io::ErrorKind::TimedOut)))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Line<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.look();
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(cx, bytes) {
            self.went();
            return Poll::Ready(written);
        }
        Poll::Ready(Err(ready!(self.overdue(cx))))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.look();
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes) {
            self.went();
            return Poll::Ready(written);
        }
        Poll::Ready(Err(ready!(self.overdue(cx))))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The library flushes when all that it had to write is written.
        self.writing = None;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::super::lines::Lines;
    use super::*;

    async fn pair(
        ms: u64,
    ) -> (tokio::io::DuplexStream, Line<tokio::io::DuplexStream>, Arc<Traffic>) {
        let (client, server) = tokio::io::duplex(64);
        let traffic = Arc::new(Traffic::new(Lines::new(1).room().await));
        let patience = Patience {
            head: Duration::from_millis(ms),
            idle: Duration::from_millis(4 * ms),
            answer: Duration::from_millis(ms),
        };
        (client, Line::new(server, Arc::clone(&traffic), patience), traffic)
    }

    async fn waited(line: &mut Line<tokio::io::DuplexStream>) -> (io::ErrorKind, u128) {
        let start = Instant::now();
        let kind = line.read(&mut [0; 8]).await.unwrap_err().kind();
        (kind, start.elapsed().as_millis())
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_has_its_time_and_an_idle_line_more() {
        let (mut client, mut line, traffic) = pair(100).await;
        client.write_all(b"GET").await.unwrap();
        assert_eq!(line.read(&mut [0; 8]).await.unwrap(), 3);
        assert_eq!(waited(&mut line).await, (io::ErrorKind::TimedOut, 100));
        let (_client, mut line, traffic) = (client, line, traffic);
        traffic.begins();
        traffic.ends();
        assert_eq!(waited(&mut line).await, (io::ErrorKind::TimedOut, 400));
    }

    #[tokio::test(start_paused = true)]
    async fn a_drip_does_not_lengthen_the_time_of_a_head() {
        let (mut client, mut line, _traffic) = pair(100).await;
        for _ in 0..2 {
            tokio::time::advance(Duration::from_millis(40)).await;
            client.write_all(b"x").await.unwrap();
            assert_eq!(line.read(&mut [0; 8]).await.unwrap(), 1);
        }
        assert_eq!(waited(&mut line).await, (io::ErrorKind::TimedOut, 20));
    }

    #[tokio::test(start_paused = true)]
    async fn work_under_way_is_not_hurried_and_an_answer_must_be_taken() {
        let (_client, mut line, traffic) = pair(100).await;
        traffic.begins();
        let read = tokio::time::timeout(Duration::from_secs(60), line.read(&mut [0; 8])).await;
        assert!(read.is_err(), "still waiting");
        traffic.ends();
        let start = Instant::now();
        let written = line.write_all(&[0; 1000]).await.unwrap_err();
        assert_eq!(written.kind(), io::ErrorKind::TimedOut);
        assert_eq!(start.elapsed().as_millis(), 100);
    }
}
