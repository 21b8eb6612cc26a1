//! Which of the classes named in the split patterns a character belongs to.

/// A set of classes: the bits a character has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CharClass(pub(crate) u8);

impl CharClass {
    /// Begins a word: capitals, caseless letters and marks.
    pub(crate) const HEAD: CharClass = CharClass(1);
    /// Continues a word: small and caseless letters and marks.
    pub(crate) const TAIL: CharClass = CharClass(2);
    pub(crate) const LETTER: CharClass = CharClass(4);
    pub(crate) const NUMBER: CharClass = CharClass(8);
    pub(crate) const SPACE: CharClass = CharClass(16);
    pub(crate) const NEWLINE: CharClass = CharClass(32);

    pub(crate) const fn or(self, other: CharClass) -> CharClass {
        CharClass(self.0 | other.0)
    }

    /// True if the two sets share a class.
    #[inline(always)]
    pub(crate) const fn meets(self, other: CharClass) -> bool {
        self.0 & other.0 != 0
    }
}
