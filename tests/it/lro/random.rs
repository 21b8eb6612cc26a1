//! Pseudo-random numbers, the same on every run.

/// A generator (xorshift).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Returns a number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n as u64) as usize
    }

    /// Returns one of the choices.
    pub(super) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}
