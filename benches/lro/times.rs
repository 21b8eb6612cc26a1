//! Times of several runs of the same work.

use std::time::{Duration, Instant};

/// Collects times.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// Runs some work once and adds its time.
    pub(crate) fn take<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = std::hint::black_box(work());
        self.0.push(start.elapsed());
        result
    }

    pub(crate) fn best_ms(&self) -> f64 {
        self.share_ms(0, 100)
    }

    pub(crate) fn median_ms(&self) -> f64 {
        self.share_ms(50, 100)
    }

    pub(crate) fn p95_ms(&self) -> f64 {
        self.share_ms(95, 100)
    }

    fn share_ms(&self, part: usize, whole: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort();
        let at = (sorted.len() * part / whole).min(sorted.len().saturating_sub(1));
        sorted.get(at).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }
}

/// A table of names and times.
#[derive(Default)]
pub(crate) struct Table(pub(crate) Vec<(&'static str, Times)>);

impl Table {
    pub(crate) fn take<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let at = self.0.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            self.0.push((name, Times::default()));
            self.0.len() - 1
        });
        self.0[at].1.take(work)
    }

    pub(crate) fn of(&self, name: &str) -> Option<&Times> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, times)| times)
    }
}
