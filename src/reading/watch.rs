//! A deadline for one search, with the cause that ended it. The search library carries foreign
//! errors only as text, so the cause is recorded here before the error is raised that ends the
//! search.

use std::{
    cell::Cell,
    fmt,
    io::{self, Read},
    time::Instant,
};

/// The cause that interrupted the search of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interruption {
    Deadline,
    /// The file could not be read to its end.
    Unreadable,
    /// A line outgrew the searcher's buffer.
    LongLine,
}

impl fmt::Display for Interruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deadline => "the time for one search is over",
            Self::Unreadable => "the file could not be read",
            Self::LongLine => "a line is too long",
        })
    }
}

#[derive(Debug)]
pub(crate) struct Watch {
    deadline: Instant,
    interruption: Cell<Option<Interruption>>,
}

impl Watch {
    pub(crate) fn new(deadline: Instant) -> Self {
        Self { deadline, interruption: Cell::new(None) }
    }

    pub(crate) fn check(&self) -> Result<(), Interruption> {
        if Instant::now() < self.deadline {
            Ok(())
        } else {
            Err(self.interrupt(Interruption::Deadline))
        }
    }

    /// Records the cause and returns it, to be raised.
    pub(crate) fn interrupt(&self, cause: Interruption) -> Interruption {
        self.interruption.set(Some(cause));
        cause
    }

    /// Returns the cause of the last failed search. The only unrecorded failure is the searcher's
    /// own: a line that is too long.
    pub(crate) fn take(&self) -> Interruption {
        self.interruption.take().unwrap_or(Interruption::LongLine)
    }
}

/// A reader that fails once the deadline has passed. To end like the end of the file would show the
/// searcher a line that is cut in the middle.
#[derive(Debug)]
pub(crate) struct WatchedReader<'a, R> {
    pub(crate) inner: R,
    pub(crate) watch: &'a Watch,
}

impl<R: Read> Read for WatchedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.check().map_err(|cause| io::Error::other(cause.to_string()))?;
        loop {
            match self.inner.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.watch.interrupt(Interruption::Unreadable);
                    return Err(error);
                }
                read => return read,
            }
        }
    }
}
