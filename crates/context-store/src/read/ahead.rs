//! Prefetching: files of an object store are requested in parallel, before an operation needs them
//! one after the other.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::Ordering;

use super::reader::{Reader, lock};
use crate::local::location::Location;
use crate::local::writers;
use crate::objects::file::StoredObject;

/// The part of a file to prefetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// Whether a file exists, and its hash.
    Records,
    /// Its content, too.
    Contents,
}

impl Reader<'_> {
    /// Like [`Reader::len`] for many files, which are examined in parallel.
    pub fn lens(&self, files: &[Location]) -> Vec<io::Result<u64>> {
        match files.first().and_then(Location::local) {
            Some(_) => files.iter().map(|at| self.len(at)).collect(),
            None => writers::all(files.len(), |n| self.len(&files[n])),
        }
    }

    /// Finds files of an object store in parallel, before they are needed one after the other; also
    /// fetches their contents, as far as the allowance permits. No-op for local files.
    pub fn look_ahead(&self, files: &[Location], part: Ahead) {
        let mut seen = HashSet::new();
        let mut next: Vec<&Location> = files.iter().filter(|at| at.local().is_none()).collect();
        next.retain(|at| seen.insert(at.key()));
        if part == Ahead::Records {
            next.retain(|at| self.confirmed(at).is_none());
        }
        let found = writers::all(next.len(), |n| self.object(next[n]).ok());
        if part == Ahead::Contents {
            let mut left = self.left.load(Ordering::Relaxed);
            let objects = next.iter().zip(&found).filter_map(|(at, found)| {
                let object = found.as_ref()?;
                left = left.checked_sub(object.record.bytes)?;
                Some((*at, object))
            });
            let objects: Vec<(&Location, &StoredObject)> = objects.collect();
            // The reader repeats a failed request, and reports why it failed.
            writers::all(objects.len(), |n| {
                objects[n].1.clone().read(objects[n].0, StoredObject::open).is_ok()
            });
        }
    }

    /// Returns a file of an object store, found once.
    pub(super) fn object(&self, at: &Location) -> io::Result<StoredObject> {
        if let Some(known) = lock(&self.objects).get(&at.key()) {
            return known.clone().ok_or_else(|| io::ErrorKind::NotFound.into());
        }
        let found = StoredObject::find(at);
        let is_absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        if !found.as_ref().is_err_and(|error| !is_absent(error)) {
            lock(&self.objects).insert(at.key(), found.as_ref().ok().cloned());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::media::{Medium, on};
    use crate::objects::fake::Fault;
    use crate::testing::shop;
    use crate::{Allowance, FileCache};

    #[test]
    fn what_is_looked_at_ahead_is_asked_for_at_once_and_once() {
        const FILES: u32 = 32;
        let shop = on(Medium::Objects, shop);
        for number in 0..FILES {
            shop.write_call(&number.to_string(), &format!("text {number}"));
        }
        for part in [Ahead::Records, Ahead::Contents] {
            let replica = shop.replica();
            let at = |number| replica.folder().child(&format!("tool_call_{number}.txt"));
            let files: Vec<Location> = (0..FILES).map(at).collect();
            let cache = FileCache::new(100);
            let until = Instant::now() + Duration::from_secs(60);
            let allowance = Allowance { bytes: 1 << 20, until, hold: &|_| true };
            let reader = Reader::new(&cache, allowance);
            let fake = shop.fake.as_ref().unwrap();
            fake.set_fault(Fault::Slow(Duration::from_millis(100)));
            reader.look_ahead(&files, part);
            fake.set_fault(Fault::None);
            assert!(fake.most_in_flight() > 4, "one after the other");
            let place = replica.folder().place().unwrap();
            let before = place.objects.requests();
            for (number, at) in files.iter().enumerate() {
                let text = format!("text {number}");
                assert_eq!(reader.hash(at).unwrap(), blake3::hash(text.as_bytes()));
                if part == Ahead::Contents {
                    assert_eq!(reader.text(at).unwrap().text, text);
                }
            }
            assert_eq!(place.objects.requests(), before, "{part:?}");
        }
    }
}
