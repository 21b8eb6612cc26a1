//! MCP on standard input and output, one message per line. The server ends with its input.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::{ClientJsonRpcMessage, RequestId};
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::Mutex;

use super::Mcp;
use super::lines::{self, Line};
use super::message::{self, INVALID_REQUEST, Message, NO_MESSAGE};
use super::raw_arguments::{WRAPPER_BYTES, wrapped};

/// Capacity of the pipe to the library, in bytes.
const PIPE_BYTES: usize = 64 * 1024;
/// Maximum wait for the client to read the last messages.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Errors of the server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StdioError {
    /// The client's first messages are not an MCP handshake.
    #[error("the client's first message is not an MCP handshake: {0}")]
    Handshake(Box<ServerInitializeError>),
    /// A task of the server failed.
    #[error("serving ended: {0}")]
    Ended(#[from] tokio::task::JoinError),
}

/// Answers the messages on `input` until it ends. A message of more than `limit` bytes gets an
/// error.
pub(crate) async fn serve(
    mcp: Mcp,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    limit: usize,
) -> Result<(), StdioError> {
    let output = Arc::new(Mutex::new(output));
    let (read, to_library) = tokio::io::duplex(PIPE_BYTES);
    let (from_library, write) = tokio::io::duplex(PIPE_BYTES);
    let reading = tokio::spawn(read_messages(input, to_library, limit, Arc::clone(&output)));
    let writing = tokio::spawn(write_messages(from_library, output));
    // Wrapping escapes each character of the arguments at most.
    let longest = limit.saturating_mul(2).saturating_add(WRAPPER_BYTES);
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(longest);
    match mcp.serve(transport).await {
        Ok(running) => {
            running.waiting().await?;
        }
        // The client left before its first message.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(StdioError::Handshake(Box::new(error))),
    }
    reading.abort();
    // Flushes the queued messages if the client still reads.
    let _ = tokio::time::timeout(FLUSH_TIMEOUT, writing).await;
    Ok(())
}

/// Passes each message to the library, arguments of calls as one string. Answers lines that the
/// library would ignore: the client waits for an answer.
async fn read_messages(
    input: impl AsyncRead + Unpin,
    mut pipe: DuplexStream,
    limit: usize,
    output: Arc<Mutex<impl AsyncWrite + Unpin>>,
) {
    let mut input = BufReader::new(input);
    while let Ok(Some(line)) = lines::next(&mut input, limit).await {
        let line = match line.json(limit).map(raw_arguments).and_then(parsed) {
            Ok(line) => line,
            Err(error) => match write_line(&output, error).await {
                Ok(()) => continue,
                Err(_) => return,
            },
        };
        let passed = async {
            pipe.write_all(&line).await?;
            pipe.write_all(b"\n").await
        };
        if passed.await.is_err() {
            return;
        }
    }
}

fn raw_arguments(line: Vec<u8>) -> Vec<u8> {
    wrapped(&line).map_or(line, String::into_bytes)
}

/// Returns the line if the library can parse it, otherwise the error that answers it: the library's
/// own error has no id, not even null. Half a surrogate pair is valid JSON, but not text.
fn parsed(line: Vec<u8>) -> Result<Vec<u8>, Vec<u8>> {
    let why = match serde_json::from_slice::<Value>(&line) {
        Ok(value) if is_read(&value) => return Ok(line),
        Ok(_) => format!("the line is {NO_MESSAGE}"),
        Err(error) => {
            format!("the line cannot be parsed ({error}); accepted is one JSON-RPC message a line")
        }
    };
    let text = String::from_utf8_lossy(&line);
    // The id of an answer may also be the id of one of the client's own requests.
    let request = Message::read(&text).filter(|message| message.method().is_some());
    let id = request.and_then(|message| message.id());
    let id = id.filter(|id| serde_json::from_str::<RequestId>(id).is_ok()).unwrap_or("null");
    Err(message::error(id, INVALID_REQUEST, &why))
}

/// Returns true for a message that the library accepts, and for a notification, which it may
/// ignore.
fn is_read(value: &Value) -> bool {
    let told = value.get("method").is_some_and(Value::is_string) && value.get("id").is_none();
    told || ClientJsonRpcMessage::deserialize(value).is_ok()
}

/// Writes the library's messages.
async fn write_messages(from: DuplexStream, output: Arc<Mutex<impl AsyncWrite + Unpin>>) {
    let mut from = BufReader::new(from);
    while let Ok(Some(Line::Whole(line))) = lines::next(&mut from, usize::MAX).await {
        if write_line(&output, line).await.is_err() {
            return;
        }
    }
}

async fn write_line(
    output: &Mutex<impl AsyncWrite + Unpin>,
    mut message: Vec<u8>,
) -> std::io::Result<()> {
    message.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&message).await?;
    output.flush().await
}
