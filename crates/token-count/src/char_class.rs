//! The character classes of the split patterns.

/// A set of classes, one bit each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CharClass(pub(crate) u8);

impl CharClass {
    /// Can begin a word: upper-case letters, caseless letters and marks.
    pub(crate) const HEAD: CharClass = CharClass(1);
    /// Can continue a word: lower-case letters, caseless letters and marks.
    pub(crate) const TAIL: CharClass = CharClass(2);
    pub(crate) const LETTER: CharClass = CharClass(4);
    pub(crate) const NUMBER: CharClass = CharClass(8);
    pub(crate) const SPACE: CharClass = CharClass(16);
    pub(crate) const NEWLINE: CharClass = CharClass(32);

    pub(crate) const fn or(self, other: CharClass) -> CharClass {
        CharClass(self.0 | other.0)
    }

    /// Returns true if the two sets have a class in common.
    #[inline(always)]
    pub(crate) const fn meets(self, other: CharClass) -> bool {
        self.0 & other.0 != 0
    }
}
