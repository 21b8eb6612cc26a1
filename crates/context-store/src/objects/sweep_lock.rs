//! The lock of the replica that sweeps: an object that expires, by the store's clock. Two
//! sweeps at once would do no harm; one at a time does the work once.

use std::io;
use std::time::{Duration, Instant};

use super::folder::Place;
use crate::folder::{Version, is_changed};

/// The lock's name, at the top of the prefix.
const NAME: &str = ".unburden-sweep";

/// How long the lock of a replica that died keeps others from sweeping.
const EXPIRES: Duration = Duration::from_secs(600);

/// How often the lock is taken anew while a sweep goes on.
const RENEWED: Duration = Duration::from_secs(60);

/// The lock, held.
pub(crate) struct SweepLock {
    at: Place,
    version: Version,
    since: Instant,
}

impl SweepLock {
    /// Takes the lock; None if another replica holds it. Reads the store's clock.
    pub(super) fn take(at: Place) -> io::Result<Option<SweepLock>> {
        let (objects, patience) = (&at.objects, &at.patience);
        let words = ulid::Ulid::generate().to_string();
        if !objects.create(&at.key, words.as_bytes(), patience)? {
            let Some(held) = objects.head(&at.key, patience)? else { return Ok(None) };
            let since = held.version.written_at.unwrap_or(std::time::UNIX_EPOCH);
            let age = objects.clock.now().duration_since(since).unwrap_or_default();
            if age < EXPIRES {
                return Ok(None);
            }
            match objects.replace(&at.key, words.as_bytes(), &held.version, patience) {
                Err(error) if is_changed(&error) => return Ok(None),
                taken => taken?,
            }
        }
        let Some(held) = objects.head(&at.key, patience)? else { return Ok(None) };
        if let Some(now) = held.version.written_at {
            objects.clock.set(now);
        }
        Ok(Some(SweepLock { version: held.version, since: Instant::now(), at }))
    }

    /// Keeps the lock while a sweep goes on.
    ///
    /// # Errors
    ///
    /// Fails if another replica took it: this one was held up.
    pub(crate) fn keep(&mut self) -> io::Result<()> {
        if self.since.elapsed() < RENEWED {
            return Ok(());
        }
        let (objects, patience) = (&self.at.objects, &self.at.patience);
        let words = ulid::Ulid::generate().to_string();
        objects.replace(&self.at.key, words.as_bytes(), &self.version, patience)?;
        let held = objects.head(&self.at.key, patience)?;
        self.version = held.map(|held| held.version).unwrap_or_default();
        self.since = Instant::now();
        Ok(())
    }
}

impl Drop for SweepLock {
    fn drop(&mut self) {
        // One that expired may be another's.
        if self.since.elapsed() < EXPIRES / 2 {
            let _ = self.at.objects.delete(&self.at.key, &self.at.patience);
        }
    }
}

/// Returns the place of the lock.
pub(super) fn place(top: &Place) -> Place {
    top.child(NAME)
}
