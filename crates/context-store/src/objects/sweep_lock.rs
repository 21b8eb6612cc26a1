//! The lock of the replica that sweeps: an object that expires by the store's clock. Two parallel
//! sweeps would do no harm, but would do the work twice.

use std::io;
use std::time::{Duration, SystemTime};

use super::folder::Place;
use crate::folder::{Version, is_changed};

/// The lock's name, at the top of the prefix.
const NAME: &str = ".unburden-sweep";

/// How long the lock of a crashed replica keeps others from sweeping. It is longer than a sweep
/// needs for one file in a slow store.
pub(super) const EXPIRES: Duration = Duration::from_secs(120);

/// How often the lock is renewed while a sweep continues.
pub(super) const RENEWED: Duration = Duration::from_secs(20);

/// The held lock.
pub(crate) struct SweepLock {
    at: Place,
    version: Version,
    /// When it was taken, by the store's clock.
    since: SystemTime,
}

impl SweepLock {
    /// Takes the lock; `None` if another replica holds it. Reads the store's clock.
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
        Ok(Some(SweepLock { version: held.version, since: objects.clock.now(), at }))
    }

    /// Keeps the lock while a sweep continues.
    ///
    /// # Errors
    ///
    /// Fails if another replica took it because this one was delayed.
    pub(crate) fn keep(&mut self) -> io::Result<()> {
        if self.age() < RENEWED {
            return Ok(());
        }
        let (objects, patience) = (&self.at.objects, &self.at.patience);
        let words = ulid::Ulid::generate().to_string();
        objects.replace(&self.at.key, words.as_bytes(), &self.version, patience)?;
        let held = objects.head(&self.at.key, patience)?;
        self.version = held.map(|held| held.version).unwrap_or_default();
        self.since = objects.clock.now();
        Ok(())
    }

    fn age(&self) -> Duration {
        self.at.objects.clock.now().duration_since(self.since).unwrap_or_default()
    }
}

impl Drop for SweepLock {
    fn drop(&mut self) {
        // An expired lock may belong to another replica.
        if self.age() < EXPIRES / 2 {
            let _ = self.at.objects.delete(&self.at.key, &self.at.patience);
        }
    }
}

/// Returns the place of the lock.
pub(super) fn place(top: &Place) -> Place {
    top.child(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::objects::tests::{post, shop};
    use crate::testing::{after, moment, seconds};

    /// One replica sweeps at a time; the lock of one that died expires.
    #[test]
    fn the_lock_of_a_replica_that_lives_is_kept_and_that_of_a_dead_one_expires() {
        let shop = shop();
        let own = post(&shop.store, "a", "1", "1").unwrap();
        shop.age(&own, after(0));
        let fake = shop.fake.as_ref().unwrap();
        let sweeper = fake.replica(&shop.temp.path().join("sweeper"));
        let at = |seconds: Duration| {
            fake.set_now(after(3_600) + seconds);
            sweeper.set_server_now(after(3_600) + seconds);
        };
        at(Duration::ZERO);
        let mut lock = sweeper.sweep_lock().unwrap().unwrap();
        // A sweep that lasts far longer than an unrenewed lock.
        let mut last = Duration::ZERO;
        for _ in 0..20 {
            // The clock advances a little meanwhile.
            last += RENEWED + seconds(1);
            at(last);
            lock.keep().unwrap();
            let report = shop.sweep(after(3_600) + last + RENEWED);
            assert!(report.elsewhere && report.expired.total() == 0, "{report:?}");
        }
        let now = moment(after(3_600) + last);
        assert_eq!(shop.sweep_roots(&now, Run::Dry, &mut |_| {}).expired.total(), 1);
        // The replica dies.
        std::mem::forget(lock);
        assert_eq!(shop.sweep(after(3_600) + last + EXPIRES - seconds(1)).expired.total(), 0);
        assert!(shop.has(own.as_str()));
        let report = shop.sweep(after(3_600) + last + EXPIRES);
        assert!(!report.elsewhere && report.expired.total() == 1, "{report:?}");
        // A sweep that ends removes its lock.
        assert!(sweeper.sweep_lock().unwrap().is_some());
    }

    #[test]
    fn a_replica_whose_lock_expired_sweeps_no_further() {
        let shop = shop();
        let fake = shop.fake.as_ref().unwrap();
        let late = fake.replica(&shop.temp.path().join("late"));
        let mut lock = late.sweep_lock().unwrap().unwrap();
        let now = late.server_now() + EXPIRES;
        fake.set_now(now);
        let other = fake.replica(&shop.temp.path().join("other"));
        let held = other.sweep_lock().unwrap().unwrap();
        late.set_server_now(now);
        assert!(lock.keep().is_err());
        drop(lock);
        assert!(late.sweep_lock().unwrap().is_none(), "it took the other's lock away");
        drop(held);
        assert!(late.sweep_lock().unwrap().is_some());
    }
}
