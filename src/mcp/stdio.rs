//! MCP on standard input and output: a line a message. The server ends when its
//! input does.

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};

use super::Mcp;
use super::original::Originals;

/// Room between reading and parsing, in bytes.
const PIPE: usize = 64 * 1024;

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

/// Answers what comes in on `input` until it ends; messages of more than `limit`
/// bytes are passed over.
pub async fn serve(
    mcp: Mcp,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    limit: usize,
) -> Result<(), StdioError> {
    let (read, pipe) = tokio::io::duplex(PIPE);
    let reading = tokio::spawn(pass_on(input, pipe, Arc::clone(&mcp.originals), limit));
    let transport = AsyncRwTransport::new_server(read, output).with_max_line_length(limit);
    match mcp.serve(transport).await {
        Ok(running) => {
            running.waiting().await?;
        }
        // A client that goes away before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(StdioError::Beginning(Box::new(error))),
    }
    reading.abort();
    Ok(())
}

/// Passes everything on to the library; of each line of at most `limit` bytes the
/// arguments are kept before its end is passed on.
async fn pass_on(
    input: impl AsyncRead + Unpin,
    mut pipe: DuplexStream,
    kept: Arc<Originals>,
    limit: usize,
) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        let Ok(chunk) = input.fill_buf().await else { return };
        if chunk.is_empty() {
            return;
        }
        let end = chunk.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let chunk = chunk[..end.unwrap_or(chunk.len())].to_vec();
        input.consume(chunk.len());
        if line.len() <= limit {
            line.extend_from_slice(&chunk);
        }
        if end.is_some() {
            if line.len() <= limit {
                kept.keep(&line);
            }
            line.clear();
        }
        if pipe.write_all(&chunk).await.is_err() {
            return;
        }
    }
}
