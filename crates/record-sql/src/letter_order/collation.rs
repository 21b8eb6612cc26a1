//! A kind of texts as SQLite compares them.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;

use rusqlite::Connection;

use super::{Key, TextKind, by_keys};

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
        let side = |text| {
            let bound = self.bounds.iter().find(|bound| bound.text == text);
            bound.map_or(0, |bound| if bound.is_first { -1 } else { 1 })
        };
        let by_meaning = self.by_meaning(a, b);
        by_meaning.then_with(|| side(a).cmp(&side(b))).then_with(|| a.cmp(b))
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
        (place < MAX_KEPT).then_some(())?;
        self.places.insert(text.to_owned(), place);
        self.keys.push(kind.key(text));
        Some(place)
    }
}
