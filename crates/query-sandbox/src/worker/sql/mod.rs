//! Runs an SQL statement.

use std::{
    io::{self, BufRead, Read, Write},
    time::Duration,
};

use record_sql::{Limits, Query, Source};

use crate::{
    protocol::{self, Line},
    request::{FileMessage, SqlRequest},
};

/// Runs the statement of a request over its files; writes its rows and the last line.
///
/// # Errors
///
/// Fails if reading or writing fails.
pub(super) fn serve(
    request: &SqlRequest,
    mut input: impl BufRead,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut texts = Vec::with_capacity(request.files.len());
    for file in &request.files {
        texts.push(read(file, &mut input)?);
    }
    let sources = request
        .files
        .iter()
        .zip(&texts)
        .map(|(file, lines)| Source { names: file.names.clone(), lines });
    let query = Query {
        sql: &request.sql,
        sources: sources.collect(),
        offset: request.offset,
        limit: request.limit,
    };
    let limits = Limits {
        time: Duration::from_millis(request.time_ms),
        memory_bytes: request.memory_bytes,
        output_bytes: request.output_bytes,
    };
    let outcome = record_sql::run(&query, &limits);
    for row in outcome.iter().flat_map(|outcome| &outcome.rows) {
        for part in [&[protocol::VALUE], row.as_bytes(), b"\n"] {
            output.write_all(part)?;
        }
    }
    output.write_all(&protocol::write(&Line::Sql(outcome)))
}

fn read(file: &FileMessage, input: &mut impl BufRead) -> io::Result<String> {
    // Ends the worker with the error for too little memory, if there is too little.
    let mut text = String::with_capacity(usize::try_from(file.bytes).unwrap_or(usize::MAX));
    let read = input.by_ref().take(file.bytes).read_to_string(&mut text)? as u64;
    if read < file.bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(text)
}
