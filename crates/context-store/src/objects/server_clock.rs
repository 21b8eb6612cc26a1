//! The clock of the object store, which determines when objects are written and expire. It was read
//! once from an object that was just written, and advances with the steady clock of this machine:
//! setting the wall clock has no effect.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::clock::moment::Moment;

/// The clock of an object store.
#[derive(Debug, Default)]
pub(crate) struct ServerClock(Mutex<Option<(SystemTime, Moment)>>);

impl ServerClock {
    /// Records that the store's clock shows `at`.
    pub(crate) fn set(&self, at: SystemTime) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((at, Moment::now()));
    }

    /// Returns the time by the store's clock; by this machine's if it was never read.
    pub(crate) fn now(&self) -> SystemTime {
        let now = Moment::now();
        let set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*set {
            Some((at, read)) => *at + now.up.saturating_sub(read.up),
            None => now.wall,
        }
    }
}
