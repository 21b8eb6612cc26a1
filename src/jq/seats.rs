//! Seats: how many workers run at a time. Each may use the memory it is allowed, so
//! their number is what bounds all of them together.

use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Instant;

/// The seats of all workers of one [`super::Jq`] and its clones.
#[derive(Clone, Debug)]
pub(super) struct Seats(Arc<(Mutex<usize>, Condvar)>);

/// A seat that is taken until it is dropped.
pub(super) struct Seat(Seats);

impl Seats {
    /// As many as there are cores, but two at least; `most` where that is less.
    pub(super) fn of_this_machine(most: usize) -> Seats {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Seats::new(cores.max(2).min(most.max(1)))
    }

    fn new(free: usize) -> Seats {
        Seats(Arc::new((Mutex::new(free), Condvar::new())))
    }

    /// Waits for a seat; None where none was free until then.
    pub(super) fn take(&self, until: Instant) -> Option<Seat> {
        let (free, freed) = &*self.0;
        let mut free = free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            let left = until.checked_duration_since(Instant::now())?;
            let (waited, _) =
                freed.wait_timeout(free, left).unwrap_or_else(PoisonError::into_inner);
            free = waited;
        }
        *free -= 1;
        Some(Seat(self.clone()))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let (free, freed) = &*self.0.0;
        *free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_seat_is_free_again_when_it_is_left() {
        let seats = Seats::new(1);
        let soon = || Instant::now() + Duration::from_millis(20);
        let seat = seats.take(soon()).unwrap();
        assert!(seats.take(soon()).is_none());
        drop(seat);
        assert!(seats.take(soon()).is_some());
    }
}
