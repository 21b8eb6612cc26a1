//! The tokens of a vocabulary by their bytes: a trie in one array, four bytes a node. The
//! children of a node stand behind its base, each as far as its byte says, and the token that
//! ends at a node with children stands at the base itself. No two nodes share a base, so the
//! label of a unit tells whose child it is. `build/double_array.rs` makes the array.

/// No token.
pub(crate) const NO_TOKEN: u32 = u32::MAX;

/// The label of a node is the byte that leads to it, 9 bits; nobody's is above all bytes.
pub(crate) const LABEL: u32 = 0x1FF;
/// A token ends here, and longer ones go on.
pub(crate) const ENDS_TOKEN: u32 = 1 << 9;
/// A token ends here, and none goes on: the unit holds the token instead of a base.
pub(crate) const LEAF: u32 = 1 << 10;
/// Above the label and the two flags: a base or a token, 21 bits.
pub(crate) const PAYLOAD_SHIFT: u32 = 11;
/// No node. Its label belongs to nobody.
pub(crate) const EMPTY: u32 = u32::MAX;

/// The base of the root. Nothing stands at it, since no token is empty.
pub(crate) const ROOT: u32 = 0;

/// A trie over units that stand elsewhere, in little-endian order. Every byte's place behind
/// every base is one of them.
#[derive(Clone, Copy)]
pub(crate) struct Trie<'u>(pub(crate) &'u [[u8; 4]]);

impl Trie<'_> {
    /// Returns the longest token that `text` begins with; [`NO_TOKEN`] if there is none.
    #[inline]
    pub(crate) fn longest(self, text: &[u8]) -> u32 {
        let (mut base, mut last) = (ROOT, ROOT);
        for &byte in text {
            let Some(unit) = self.child(base, byte) else { break };
            base = unit >> PAYLOAD_SHIFT;
            if unit & LEAF != 0 {
                return base;
            }
            if unit & ENDS_TOKEN != 0 {
                last = base;
            }
        }
        self.token_at(last)
    }

    /// Returns the token that has exactly these bytes; [`NO_TOKEN`] if there is none.
    #[inline]
    pub(crate) fn token(self, bytes: &[u8]) -> u32 {
        let mut unit = ROOT << PAYLOAD_SHIFT;
        for &byte in bytes {
            match self.child(unit >> PAYLOAD_SHIFT, byte) {
                Some(child) if unit & LEAF == 0 => unit = child,
                _ => return NO_TOKEN,
            }
        }
        self.token_of(unit)
    }

    /// Returns the unit of a single byte.
    #[inline(always)]
    pub(crate) fn byte(self, byte: u8) -> u32 {
        self.unit(ROOT + 1 + u32::from(byte))
    }

    /// Returns the token of a unit's bytes and one more; [`NO_TOKEN`] if there is none.
    #[inline(always)]
    pub(crate) fn token_with(self, unit: u32, byte: u8) -> u32 {
        let child = if unit & LEAF == 0 { self.child(unit >> PAYLOAD_SHIFT, byte) } else { None };
        child.map_or(NO_TOKEN, |child| self.token_of(child))
    }

    /// Returns the token that ends at a unit; [`NO_TOKEN`] if none does.
    #[inline(always)]
    pub(crate) fn token_of(self, unit: u32) -> u32 {
        match unit & (LEAF | ENDS_TOKEN) {
            LEAF => unit >> PAYLOAD_SHIFT,
            ENDS_TOKEN => self.token_at(unit >> PAYLOAD_SHIFT),
            _ => NO_TOKEN,
        }
    }

    #[inline(always)]
    fn child(self, base: u32, byte: u8) -> Option<u32> {
        let unit = self.unit(base + 1 + u32::from(byte));
        (unit & LABEL == u32::from(byte)).then_some(unit)
    }

    #[inline(always)]
    fn token_at(self, base: u32) -> u32 {
        match self.unit(base) {
            EMPTY => NO_TOKEN,
            unit => unit >> PAYLOAD_SHIFT,
        }
    }

    #[inline(always)]
    fn unit(self, place: u32) -> u32 {
        u32::from_le_bytes(self.0[place as usize])
    }
}
