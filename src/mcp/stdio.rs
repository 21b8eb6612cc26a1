//! MCP on standard input and output: a line a message. The server ends when its
//! input does.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::Mutex;

use super::Mcp;
use super::lines::{self, Line};
use super::message::{INVALID_REQUEST, PARSE_ERROR, error, id_at_the_edges};
use super::original::Originals;

/// Room between reading and parsing, in bytes.
const PIPE: usize = 64 * 1024;
/// Longest wait for the last messages to be read.
const GOODBYE: Duration = Duration::from_secs(2);

/// Why the server ended badly.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The client's first messages are no beginning.
    #[error("the client began with something that is no beginning of MCP: {0}")]
    Beginning(Box<ServerInitializeError>),
    /// A task of the server ended badly.
    #[error("serving ended: {0}")]
    Ended(#[from] tokio::task::JoinError),
}

/// Answers what comes in on `input` until it ends; a message of more than `limit`
/// bytes is answered with an error.
pub async fn serve(
    mcp: Mcp,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    limit: usize,
) -> Result<(), StdioError> {
    let output = Arc::new(Mutex::new(output));
    let (read, to_library) = tokio::io::duplex(PIPE);
    let (from_library, write) = tokio::io::duplex(PIPE);
    let kept = Arc::clone(&mcp.originals);
    let reading = tokio::spawn(pass_on(input, to_library, kept, limit, Arc::clone(&output)));
    let writing = tokio::spawn(pass_out(from_library, output));
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(limit + 1);
    match mcp.serve(transport).await {
        Ok(running) => {
            running.waiting().await?;
        }
        // A client that goes away before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(StdioError::Beginning(Box::new(error))),
    }
    reading.abort();
    // What was said already is written out, if anybody reads it.
    let _ = tokio::time::timeout(GOODBYE, writing).await;
    Ok(())
}

/// Passes each message on to the library, after its arguments were kept. What the
/// library would pass over in silence is answered here: a client waits for it.
async fn pass_on(
    input: impl AsyncRead + Unpin,
    mut pipe: DuplexStream,
    kept: Arc<Originals>,
    limit: usize,
    output: Arc<Mutex<impl AsyncWrite + Unpin>>,
) {
    let mut input = BufReader::new(input);
    while let Ok(Some(line)) = lines::next(&mut input, limit).await {
        let refused = match line {
            Line::Whole(line) if is_json(&line) => {
                kept.keep(&line);
                let passed = async {
                    pipe.write_all(&line).await?;
                    pipe.write_all(b"\n").await
                };
                if passed.await.is_err() {
                    return;
                }
                continue;
            }
            Line::Whole(_) => {
                let why = "the line is no JSON; accepted is a message of JSON-RPC on a line";
                error("null", PARSE_ERROR, why)
            }
            Line::TooLong { head, tail, bytes } => {
                let ends = [head, tail].map(|end| String::from_utf8_lossy(&end).into_owned());
                let id = id_at_the_edges(&ends[0], &ends[1]);
                let why = format!(
                    "the message has {bytes} bytes; accepted are up to {limit} \
                     (server.body_limit_bytes)"
                );
                error(id.as_deref().unwrap_or("null"), INVALID_REQUEST, &why)
            }
        };
        if say(&output, refused).await.is_err() {
            return;
        }
    }
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

/// Passes the library's messages out, each whole.
async fn pass_out(from: DuplexStream, output: Arc<Mutex<impl AsyncWrite + Unpin>>) {
    let mut from = BufReader::new(from);
    while let Ok(Some(Line::Whole(line))) = lines::next(&mut from, usize::MAX).await {
        if say(&output, line).await.is_err() {
            return;
        }
    }
}

async fn say(output: &Mutex<impl AsyncWrite + Unpin>, mut message: Vec<u8>) -> std::io::Result<()> {
    message.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&message).await?;
    output.flush().await
}
