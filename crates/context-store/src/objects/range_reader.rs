//! One pass over a large content of an object store, from its start. It is fetched in ranges, so
//! a pass that ends early costs only the ranges up to there; a pass to the end leaves the content
//! in the cache.

use std::io::{self, Read};

use cap_std::fs::{File, FileExt};

use super::content_cache::Fetched;
use super::file::{SMALL, StoredObject};

/// The end of each range is this many times that of the previous one: a whole content takes few
/// requests, and a part at most this many times the bytes that it needs.
const GROWTH: u64 = 8;

/// A content in ranges.
pub(crate) struct RangeReader {
    object: StoredObject,
    /// `None` once the content is complete and checked.
    fetched: Option<Fetched>,
    file: File,
    /// Number of bytes fetched, and number of bytes read.
    there: u64,
    read: u64,
}

impl RangeReader {
    /// Fetches the first range.
    pub(crate) fn begin(object: StoredObject, fetched: Fetched) -> io::Result<RangeReader> {
        let file = fetched.file()?;
        let mut reader = RangeReader { object, fetched: Some(fetched), file, there: 0, read: 0 };
        reader.more()?;
        Ok(reader)
    }

    /// Fetches the next range.
    fn more(&mut self) -> io::Result<()> {
        let record = &self.object.record;
        let (Some(fetched), Some(hash)) = (&mut self.fetched, &record.hash) else { return Ok(()) };
        let end = (self.there * GROWTH).clamp(SMALL, record.bytes);
        self.object.fetch_to(fetched, end)?;
        self.there = fetched.bytes();
        if self.there >= record.bytes
            && let Some(whole) = self.fetched.take()
        {
            self.file = whole.end(hash)?;
        }
        Ok(())
    }
}

impl Read for RangeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.there && self.fetched.is_some() {
            self.more()?;
        }
        let left = usize::try_from(self.there - self.read).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let read = self.file.read_at(&mut buffer[..most], self.read)?;
        self.read += read as u64;
        if read == 0 && most > 0 {
            // Another process truncated the file in the cache.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::fake::Fault;
    use crate::objects::tests::{post, shop};

    const LARGE: usize = 20 * 1024 * 1024;

    fn text() -> String {
        (0..LARGE / 8).map(|n| format!("{n:07}\n")).collect()
    }

    #[test]
    fn a_pass_fetches_little_more_than_it_reads_and_a_whole_one_fills_the_cache() {
        let (shop, text) = (shop(), text());
        let name = post(&shop.store, "a", "1", &text).unwrap();
        let fake = shop.fake.as_ref().unwrap();
        let replica = shop.replica();
        let at = replica.folder().child(name.as_str());
        let passed = |bytes: usize| {
            let before = fake.sent();
            let mut read = String::new();
            let pass = at.open_reader().unwrap().take(bytes as u64);
            io::BufReader::new(pass).read_to_string(&mut read).unwrap();
            assert_eq!(read, text[..bytes]);
            fake.sent() - before
        };
        let small = usize::try_from(SMALL).unwrap();
        for (read, most) in [(100, SMALL), (small, SMALL), (small + 8, 8 * SMALL)] {
            let fetched = passed(read);
            assert!(fetched < most + 10_000, "{fetched} bytes for {read}");
        }
        assert!(passed(LARGE) < LARGE as u64 + 10_000);
        let fetched = passed(LARGE);
        assert!(fetched < 10_000, "{fetched} bytes of what is in the cache");
    }

    #[test]
    fn a_connection_that_breaks_costs_what_did_not_arrive() {
        let (shop, text) = (shop(), text());
        let name = post(&shop.store, "a", "1", &text).unwrap();
        let fake = shop.fake.as_ref().unwrap();
        fake.set_fault(Fault::Cuts(2));
        let replica = shop.replica();
        let mut read = String::new();
        let mut reader = replica.folder().child(name.as_str()).open_reader().unwrap();
        reader.read_to_string(&mut read).unwrap();
        assert!(read == text);
        let asked = fake.sent();
        assert!(asked < 2 * LARGE as u64, "{asked} bytes were asked for");
    }

    #[test]
    fn a_content_that_is_not_the_recorded_one_fails_at_its_end() {
        let (shop, text) = (shop(), text());
        let name = post(&shop.store, "a", "1", &text).unwrap();
        let replica = shop.replica();
        let at = replica.folder().child(name.as_str());
        let object = StoredObject::find(&at).unwrap();
        object.overwrite(&text.replace("0000001", "1000001"));
        let mut read = Vec::new();
        let error = at.open_reader().unwrap().read_to_end(&mut read).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(read.len() < LARGE, "its last range was not passed on");
    }
}
