//! Locks that many subjects share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks for work on one subject by one request at a time: a hash of the subject selects the lock.
#[derive(Default)]
pub struct StripedLocks([Mutex<()>; 32]);

impl StripedLocks {
    /// Waits for the lock of a hash.
    pub fn take(&self, hash: &[u8; 32]) -> MutexGuard<'_, ()> {
        let lock = &self.0[usize::from(hash[0]) % self.0.len()];
        // The lock guards files, not memory: a panic of its holder leaves no broken state.
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::StripedLocks;

    #[test]
    fn equal_hashes_wait_for_each_other_and_a_panic_leaves_the_lock_usable() {
        let locks = StripedLocks::default();
        let (one, other) = ([1; 32], [2; 32]);
        thread::scope(|scope| {
            let held = locks.take(&one);
            drop(locks.take(&other));
            let (sender, taken) = mpsc::channel();
            let locks = &locks;
            let again = scope.spawn(move || {
                let _held = locks.take(&one);
                sender.send(()).unwrap();
                panic!("with the lock");
            });
            assert!(taken.recv_timeout(Duration::from_millis(50)).is_err());
            drop(held);
            taken.recv().unwrap();
            assert!(again.join().is_err());
        });
        drop(locks.take(&one));
    }
}
