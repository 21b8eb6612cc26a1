//! A kind of texts as SQLite compares them.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;

use rusqlite::Connection;

use super::{Key, MAX_BYTES, TextKind, by_keys};

/// The most texts whose keys are kept.
const MAX_KEPT: usize = 100_000;

/// Compares the texts of a kind. A sort compares each of them often, so it is read once.
pub(crate) struct Collation {
    kind: TextKind,
    bounds: Vec<Bound>,
    read: RefCell<Read>,
}

/// A text that values are compared with. Of all texts that name the same, such as `1.10` and
/// `1.10.0`, it is the first or the last one, so that all of them are on the same side of it.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) text: String,
    pub(crate) is_first: bool,
}

/// The keys of texts.
#[derive(Default)]
struct Read {
    places: HashMap<String, usize>,
    keys: Vec<Option<Key>>,
}

impl Collation {
    /// Adds the collation of every kind to a connection, or replaces it.
    pub(crate) fn add_all(db: &Connection, bounds: &[Bound]) -> rusqlite::Result<()> {
        let named = TextKind::all().filter_map(|kind| Some((kind, kind.collation()?)));
        for (kind, name) in named {
            let one = Self { kind, bounds: bounds.to_vec(), read: RefCell::default() };
            db.create_collation(name.as_str(), move |a, b| one.compare(a, b))?;
        }
        Ok(())
    }

    /// Compares two texts. None are equal unless their letters are.
    fn compare(&self, a: &str, b: &str) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let by_side = || match self.kind.reads(a) {
            true => self.side(a).cmp(&self.side(b)),
            false => Ordering::Equal,
        };
        self.by_meaning(a, b).then_with(by_side).then_with(|| a.cmp(b))
    }

    /// Returns the side of a text among those that name the same: 0 is between.
    fn side(&self, text: &str) -> i8 {
        let mut bounds = self.bounds.iter().filter(|bound| bound.text == text);
        let side = |bound: &Bound| if bound.is_first { -1 } else { 1 };
        let first = bounds.next().map_or(0, side);
        if bounds.any(|bound| side(bound) != first) { 0 } else { first }
    }

    fn by_meaning(&self, a: &str, b: &str) -> Ordering {
        let places = || {
            let mut read = self.read.try_borrow_mut().ok()?;
            let [a, b] = [a, b].map(|text| read.place(self.kind, text));
            Some(by_keys(read.keys[a?].as_ref(), read.keys[b?].as_ref()))
        };
        let kept = if self.kind == TextKind::Natural { None } else { places() };
        kept.unwrap_or_else(|| self.kind.by_meaning(a, b))
    }
}

impl Read {
    /// Returns the place of the key of a text; None if it is not kept.
    fn place(&mut self, kind: TextKind, text: &str) -> Option<usize> {
        if let Some(place) = self.places.get(text) {
            return Some(*place);
        }
        let place = self.keys.len();
        (place < MAX_KEPT && text.len() <= MAX_BYTES).then_some(())?;
        self.places.insert(text.to_owned(), place);
        self.keys.push(kind.key(text));
        Some(place)
    }
}
