//! Finds the longest piece that fits a limit. Counting tokens is expensive, so pieces are tried
//! from small to large, and the whole is counted only if everything before it fits.

use crate::reading::limit::TruncatedBy;

/// Returns the largest cut in `0..=len` that fits, or 0 if none fits. If `len` does not fit, also
/// returns the reason why nothing larger than the cut fits.
///
/// `floor` returns the largest allowed cut that is not above a position (`len` itself is always
/// allowed). `fits` checks a cut. `guess` is the first position to try.
pub(crate) fn longest(
    len: usize,
    guess: usize,
    floor: impl Fn(usize) -> usize,
    fits: impl Fn(usize) -> Result<(), TruncatedBy>,
) -> (usize, Option<TruncatedBy>) {
    let mut best = 0;
    // All cuts in `best + 1..=searched` have been tried.
    let mut searched = 0;
    let mut probe = guess.clamp(1, len.max(1)).min(len);
    let (mut above, mut why) = loop {
        let cut = if probe == len { len } else { floor(probe) };
        if cut > best || cut == len {
            match fits(cut) {
                Ok(()) => best = cut,
                Err(why) => break (cut, why),
            }
        }
        if cut == len {
            return (best, None);
        }
        searched = probe;
        probe = probe.saturating_mul(2).min(len);
    };
    while above - searched > 1 {
        let middle = searched + (above - searched) / 2;
        let cut = floor(middle);
        if cut > best {
            match fits(cut) {
                Ok(()) => best = cut,
                Err(smaller) => {
                    (above, why) = (cut, smaller);
                    continue;
                }
            }
        }
        searched = middle;
    }
    (best, Some(why))
}

#[cfg(test)]
mod tests {
    use super::{TruncatedBy, longest};

    #[test]
    fn finds_the_largest_cut_for_every_length_spacing_and_limit() {
        for len in 0..60_usize {
            for spacing in 1..8_usize {
                for limit in 0..62_usize {
                    for guess in [1, 7, 100] {
                        let (cut, why) = longest(
                            len,
                            guess,
                            |position| position / spacing * spacing,
                            |cut| {
                                if cut <= limit { Ok(()) } else { Err(TruncatedBy::MaxTokens) }
                            },
                        );
                        let expected = if len <= limit { len } else { limit / spacing * spacing };
                        assert_eq!((cut, why.is_some()), (expected, len > limit));
                    }
                }
            }
        }
    }
}
