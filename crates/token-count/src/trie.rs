//! The tokens of a vocabulary by their bytes: a double-array trie with units of four bytes. The
//! child of a node for a byte is at the node's base + 1 + the byte; a token that ends at a node
//! with children is at the base itself. No two nodes share a base, so the label of a unit shows
//! which byte leads to it. `build/double_array.rs` builds the array.

/// Means no token.
pub(crate) const NO_TOKEN: u32 = u32::MAX;

/// Mask of a unit's label: the byte that leads to the node. Labels above all bytes are not
/// children.
pub(crate) const LABEL: u32 = 0x1FF;
/// A token ends here, and longer tokens continue.
pub(crate) const ENDS_TOKEN: u32 = 1 << 9;
/// A token ends here, and no token continues: the unit contains the token instead of a base.
pub(crate) const LEAF: u32 = 1 << 10;
/// Shift of the payload, a base or a token of 21 bits, above the label and the two flags.
pub(crate) const PAYLOAD_SHIFT: u32 = 11;
/// An unused unit. Its label is not that of any byte.
pub(crate) const EMPTY: u32 = u32::MAX;

/// The base of the root. No token is stored at it, because no token is empty.
pub(crate) const ROOT: u32 = 0;

/// A trie over an array of units in little-endian order. The array has a unit for every byte after
/// every base.
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

    /// Returns the token for the bytes of a unit followed by `byte`; [`NO_TOKEN`] if there is none.
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
