//! Places: how many of a kind are worked on at a time, dealt out fairly to the tenants
//! who share them. Where there are several, none has more than half of the places, and
//! the next free one goes to who has the fewest.

use std::collections::VecDeque;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// A holder of places: a tenant, by its number; 0 is the operator, or a caller alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holder(pub usize);

/// The most that one of `holders` has of `all`: everything where nobody shares it, else
/// half, and at least one.
pub fn share(all: usize, holders: usize) -> usize {
    if holders > 1 { (all / 2).max(1) } else { all }
}

/// Places that many share; clones share them.
#[derive(Debug, Clone)]
pub struct Places(Arc<Mutex<Dealt>>);

/// A place, until it is dropped.
#[derive(Debug)]
pub struct Place {
    places: Places,
    /// None for one that was not delivered.
    holder: Option<Holder>,
}

/// Brings a place to who waits for it; gives it back where nobody does any more.
type Deliver = Box<dyn FnOnce(Place) -> Result<(), Place> + Send>;

/// The state of all places.
struct Dealt {
    free: usize,
    most: usize,
    holders: Vec<Queue>,
    /// How many have waited so far.
    asked: u64,
}

/// One holder's places, and who waits for more, with the moment each came.
#[derive(Default)]
struct Queue {
    taken: usize,
    waiting: VecDeque<(u64, Deliver)>,
}

impl Places {
    /// So many places, at least one, for so many holders.
    pub fn new(places: usize, holders: usize) -> Places {
        let free = places.max(1);
        let most = share(free, holders);
        Places(Arc::new(Mutex::new(Dealt { free, most, holders: Vec::new(), asked: 0 })))
    }

    /// Waits for a place, at most for `longest`.
    pub async fn take(&self, holder: Holder, longest: Duration) -> Option<Place> {
        let (sender, receiver) = oneshot::channel();
        self.ask(holder, Box::new(|place| sender.send(place)));
        tokio::time::timeout(longest, receiver).await.ok()?.ok()
    }

    /// The same on a thread that may block.
    pub fn take_until(&self, holder: Holder, until: Instant) -> Option<Place> {
        let (sender, receiver) = sync_channel(1);
        self.ask(holder, Box::new(move |place| sender.send(place).map_err(|refused| refused.0)));
        receiver.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
    }

    /// Delivers a place, at once or when it is this one's turn.
    fn ask(&self, holder: Holder, deliver: Deliver) {
        let now = self.with(|dealt| dealt.ask(holder, deliver));
        if let Some(deliver) = now {
            // One that is refused is given back by its drop.
            drop(deliver(Place { places: self.clone(), holder: Some(holder) }));
        }
    }

    fn with<T>(&self, what: impl FnOnce(&mut Dealt) -> T) -> T {
        // Whole after every call: a panic elsewhere changes nothing.
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A loop, not a drop within a drop: many may have stopped waiting.
        while let Some(holder) = self.holder.take() {
            let next = self.places.with(|dealt| dealt.give_back(holder));
            if let Some((holder, deliver)) = next {
                let place = Place { places: self.places.clone(), holder: Some(holder) };
                if let Err(mut refused) = deliver(place) {
                    self.holder = refused.holder.take();
                }
            }
        }
    }
}

impl Dealt {
    /// The one to deliver to now; None where it waits.
    fn ask(&mut self, holder: Holder, deliver: Deliver) -> Option<Deliver> {
        let asked = self.asked;
        self.asked += 1;
        let (free, most) = (self.free, self.most);
        let queue = self.queue(holder);
        if free > 0 && queue.taken < most {
            queue.taken += 1;
            self.free -= 1;
            return Some(deliver);
        }
        queue.waiting.push_back((asked, deliver));
        None
    }

    /// Takes a place back; returns who has the next one.
    fn give_back(&mut self, holder: Holder) -> Option<(Holder, Deliver)> {
        self.queue(holder).taken -= 1;
        self.free += 1;
        let most = self.most;
        let waiting = self.holders.iter_mut().enumerate().filter_map(|(number, queue)| {
            let came = queue.waiting.front()?.0;
            (queue.taken < most).then_some((queue.taken, came, number, queue))
        });
        let (_, _, number, queue) = waiting.min_by_key(|(taken, came, ..)| (*taken, *came))?;
        let (_, deliver) = queue.waiting.pop_front()?;
        queue.taken += 1;
        self.free -= 1;
        Some((Holder(number), deliver))
    }

    fn queue(&mut self, Holder(number): Holder) -> &mut Queue {
        if self.holders.len() <= number {
            self.holders.resize_with(number + 1, Queue::default);
        }
        &mut self.holders[number]
    }
}

impl std::fmt::Debug for Dealt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dealt").field("free", &self.free).field("most", &self.most).finish()
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
    fn who_shares_with_nobody_has_all_places() {
        let places = Places::new(3, 1);
        let taken: Vec<_> = (0..4).map(|_| now(&places, ONE)).collect();
        assert_eq!(taken.iter().flatten().count(), 3);
        drop(taken);
        assert!(now(&places, ONE).is_some());
    }

    #[test]
    fn nobody_has_more_than_half() {
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

    /// A holder of half the places waits, even if nobody else does.
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
    async fn a_free_place_goes_to_who_has_the_fewest() {
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
