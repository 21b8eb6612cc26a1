//! Places: a semaphore that is fair between tenants. With several tenants, none holds more than
//! half of the places, and the next free one goes to the tenant that holds the fewest.

use std::collections::VecDeque;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// A tenant, by its number; 0 is the operator, or the only caller. Use small numbers: there is a
/// queue for each number up to the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holder(pub usize);

/// Returns the maximum number of `all` places for one of `holders`: all if there is only one
/// holder, otherwise half, but at least one.
///
/// ```
/// assert_eq!((fair_share::share(8, 1), fair_share::share(8, 3)), (8, 4));
/// ```
pub fn share(all: usize, holders: usize) -> usize {
    if holders > 1 { (all / 2).max(1) } else { all }
}

/// A number of places that tenants share. Clones share the same places.
///
/// ```
/// use std::time::Instant;
///
/// use fair_share::{Holder, Places};
///
/// let places = Places::new(1, 1);
/// let place = places.take_until(Holder(0), Instant::now());
/// assert!(places.take_until(Holder(0), Instant::now()).is_none());
/// drop(place);
/// assert!(places.take_until(Holder(0), Instant::now()).is_some());
/// ```
#[derive(Debug, Clone)]
pub struct Places(Arc<Mutex<State>>);

/// A place. Dropping it returns the place.
#[derive(Debug)]
pub struct Place {
    places: Places,
    /// `None` once the place was returned.
    holder: Option<Holder>,
}

/// Delivers a place to a waiting caller; returns the place as an error if the caller stopped
/// waiting.
type Deliver = Box<dyn FnOnce(Place) -> Result<(), Place> + Send>;

struct State {
    free: usize,
    max_per_holder: usize,
    /// Indexed by the holder's number.
    queues: Vec<Queue>,
    /// The ticket of the next request.
    next_ticket: u64,
}

/// The number of places of one holder, and its waiting requests with their tickets.
#[derive(Default)]
struct Queue {
    taken: usize,
    waiting: VecDeque<(u64, Deliver)>,
}

impl Places {
    /// Creates `places` places, at least one, for `holders` tenants.
    pub fn new(places: usize, holders: usize) -> Places {
        let free = places.max(1);
        let max_per_holder = share(free, holders);
        let (queues, next_ticket) = (Vec::new(), 0);
        Places(Arc::new(Mutex::new(State { free, max_per_holder, queues, next_ticket })))
    }

    /// Waits for a place for at most `timeout`; returns `None` if there was none in time.
    pub async fn take(&self, holder: Holder, timeout: Duration) -> Option<Place> {
        let (sender, receiver) = oneshot::channel();
        self.ask(holder, Box::new(|place| sender.send(place)));
        tokio::time::timeout(timeout, receiver).await.ok()?.ok()
    }

    /// Waits for a place until `until`, blocking the thread; returns `None` if there was none in
    /// time.
    pub fn take_until(&self, holder: Holder, until: Instant) -> Option<Place> {
        let (sender, receiver) = sync_channel(1);
        self.ask(holder, Box::new(move |place| sender.send(place).map_err(|refused| refused.0)));
        receiver.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    }

    /// Delivers a place, immediately or when one becomes free.
    fn ask(&self, holder: Holder, deliver: Deliver) {
        let now = self.with(|state| state.ask(holder, deliver));
        if let Some(deliver) = now {
            // If the caller does not take the place, dropping it returns it.
            drop(deliver(Place { places: self.clone(), holder: Some(holder) }));
        }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        // The state is consistent after every call, so a panic elsewhere does not matter.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A loop instead of a drop within a drop, because many callers may have stopped waiting.
        while let Some(holder) = self.holder.take() {
            let next = self.places.with(|state| state.give_back(holder));
            if let Some((holder, deliver)) = next {
                let place = Place { places: self.places.clone(), holder: Some(holder) };
                if let Err(mut refused) = deliver(place) {
                    self.holder = refused.holder.take();
                }
            }
        }
    }
}

impl State {
    /// Returns `deliver` if a place is free for the holder; otherwise queues it.
    fn ask(&mut self, holder: Holder, deliver: Deliver) -> Option<Deliver> {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let (free, max_per_holder) = (self.free, self.max_per_holder);
        let queue = self.queue(holder);
        if free > 0 && queue.taken < max_per_holder {
            queue.taken += 1;
            self.free -= 1;
            return Some(deliver);
        }
        queue.waiting.push_back((ticket, deliver));
        None
    }

    /// Returns a place; gives it to the next waiting request, if any, and returns that request.
    fn give_back(&mut self, holder: Holder) -> Option<(Holder, Deliver)> {
        self.queue(holder).taken -= 1;
        self.free += 1;
        let max_per_holder = self.max_per_holder;
        let waiting = self.queues.iter_mut().enumerate().filter_map(|(number, queue)| {
            let ticket = queue.waiting.front()?.0;
            (queue.taken < max_per_holder).then_some((queue.taken, ticket, number, queue))
        });
        let (_, _, number, queue) = waiting.min_by_key(|(taken, ticket, ..)| (*taken, *ticket))?;
        let (_, deliver) = queue.waiting.pop_front()?;
        queue.taken += 1;
        self.free -= 1;
        Some((Holder(number), deliver))
    }

    fn queue(&mut self, Holder(number): Holder) -> &mut Queue {
        if self.queues.len() <= number {
            self.queues.resize_with(number + 1, Queue::default);
        }
        &mut self.queues[number]
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("free", &self.free)
            .field("max_per_holder", &self.max_per_holder)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Holder = Holder(0);
    const OTHER: Holder = Holder(1);

    fn now(places: &Places, holder: Holder) -> Option<Place> {
        places.take_until(holder, Instant::now())
    }

    #[test]
    fn a_single_holder_may_hold_all_places() {
        let places = Places::new(3, 1);
        let taken: Vec<_> = (0..4).map(|_| now(&places, ONE)).collect();
        assert_eq!(taken.iter().flatten().count(), 3);
        drop(taken);
        assert!(now(&places, ONE).is_some());
    }

    #[test]
    fn no_holder_has_more_than_half() {
        let places = Places::new(4, 2);
        let mine: Vec<_> = (0..4).filter_map(|_| now(&places, ONE)).collect();
        assert_eq!(mine.len(), 2);
        let others: Vec<_> = (0..4).filter_map(|_| now(&places, OTHER)).collect();
        assert_eq!(others.len(), 2);
        drop(mine);
        assert!(now(&places, OTHER).is_none());
        assert!(now(&places, ONE).is_some());
    }

    #[test]
    fn one_place_among_several_can_be_had_by_each() {
        let places = Places::new(1, 3);
        for holder in [ONE, OTHER, Holder(2)] {
            assert!(now(&places, holder).is_some(), "{holder:?}");
        }
    }

    /// A holder of half the places waits, even if no other holder does.
    #[test]
    fn a_place_that_is_given_back_goes_to_nobody_who_has_half() {
        let places = Places::new(4, 2);
        let mine: Vec<_> = (0..2).filter_map(|_| now(&places, ONE)).collect();
        let other = now(&places, OTHER).unwrap();
        let (sender, mut receiver) = oneshot::channel();
        places.ask(ONE, Box::new(|place| sender.send(place)));
        drop(other);
        assert!(receiver.try_recv().is_err(), "a third of four places");
        drop(mine);
        assert!(receiver.try_recv().is_ok());
    }

    #[tokio::test]
    async fn a_free_place_goes_to_the_holder_of_the_fewest() {
        let places = Places::new(2, 3);
        let (first, second) = (now(&places, ONE).unwrap(), now(&places, OTHER).unwrap());
        let wait = |holder| {
            let places = places.clone();
            tokio::spawn(async move { places.take(holder, Duration::from_secs(60)).await })
        };
        let again = wait(ONE);
        tokio::task::yield_now().await;
        let newcomer = wait(Holder(2));
        tokio::task::yield_now().await;
        drop(second);
        let given = newcomer.await.unwrap();
        assert!(given.is_some() && !again.is_finished());
        drop(first);
        assert!(again.await.unwrap().is_some());
    }

    #[test]
    fn who_came_later_with_fewer_places_is_first() {
        let places = Places::new(4, 5);
        let _mine = now(&places, ONE).unwrap();
        let others = [OTHER, OTHER, Holder(2)].map(|holder| now(&places, holder).unwrap());
        let mut waiting = [ONE, Holder(3)].map(|holder| {
            let (sender, receiver) = oneshot::channel();
            places.ask(holder, Box::new(|place| sender.send(place)));
            receiver
        });
        let [given, ..] = others;
        drop(given);
        let [first, second] = &mut waiting;
        assert!(first.try_recv().is_err() && second.try_recv().is_ok());
    }

    #[test]
    fn a_place_that_is_handed_on_is_taken() {
        let places = Places::new(1, 1);
        let taken = now(&places, ONE).unwrap();
        let (sender, mut receiver) = oneshot::channel();
        places.ask(ONE, Box::new(|place| sender.send(place)));
        drop(taken);
        let handed_on = receiver.try_recv().unwrap();
        assert!(now(&places, ONE).is_none());
        drop(handed_on);
        assert!(now(&places, ONE).is_some());
    }

    #[test]
    fn places_of_those_who_stopped_waiting_go_on() {
        let places = Places::new(1, 1);
        let taken = now(&places, ONE).unwrap();
        for _ in 0..100_000 {
            let (sender, _) = oneshot::channel();
            places.ask(ONE, Box::new(|place| sender.send(place)));
        }
        drop(taken);
        assert!(now(&places, ONE).is_some());
    }
}
