//! The predictor of white space: what a text did last at a place, it does again.
//! Writer and reader of a layout run it side by side, so that only surprises
//! have to be written down.

use super::token::Place;

/// A gap's number in its table.
pub(super) type Gap = u32;

/// No white space.
pub(super) const NONE: Gap = 0;
/// One line feed.
pub(super) const LINE_FEED: Gap = 1;
/// The first number that is free for the gaps of a text.
pub(super) const FREE: Gap = 2;

const UNKNOWN: Gap = Gap::MAX;

#[derive(Clone, Copy)]
struct Rule {
    usual: Gap,
    /// What stood there the last time, where that was not the usual.
    other: Gap,
}

/// What is expected at each place.
pub(super) struct Gaps {
    rules: Vec<Rule>,
    /// By pair of neighbours: what a place that is new is expected to do.
    pairs: Vec<Gap>,
}

impl Gaps {
    /// Expects no white space, but a line feed between two lines.
    pub(super) fn new() -> Gaps {
        let mut rules = vec![Rule { usual: UNKNOWN, other: UNKNOWN }; Place::ALL];
        rules[Place::BETWEEN_LINES.index()].usual = LINE_FEED;
        Gaps { rules, pairs: vec![NONE; Place::PAIRS] }
    }

    /// The gap that is expected at a place.
    pub(super) fn expected(&self, place: Place) -> Gap {
        match self.rules[place.index()].usual {
            UNKNOWN => self.pairs[place.pair()],
            usual => usual,
        }
    }

    /// Takes note of the gap there really is. The first at a place becomes the
    /// usual; another does when it comes twice in a row, so that a stray one
    /// costs one surprise and a change of style two.
    pub(super) fn learn(&mut self, place: Place, gap: Gap) {
        let rule = &mut self.rules[place.index()];
        if rule.usual == gap {
            rule.other = UNKNOWN;
        } else if rule.usual == UNKNOWN || rule.other == gap {
            *rule = Rule { usual: gap, other: UNKNOWN };
            self.pairs[place.pair()] = gap;
        } else {
            rule.other = gap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::Track;
    use super::*;

    fn place() -> Place {
        Track::default().step("[")
    }

    #[test]
    fn the_first_gap_becomes_the_usual_one() {
        let mut gaps = Gaps::new();
        assert_eq!(gaps.expected(place()), NONE);
        gaps.learn(place(), 5);
        assert_eq!(gaps.expected(place()), 5);
    }

    #[test]
    fn a_stray_gap_changes_nothing_and_two_in_a_row_do() {
        let mut gaps = Gaps::new();
        for (gap, expected) in [(5, 5), (6, 5), (5, 5), (6, 5), (7, 5), (7, 7)] {
            gaps.learn(place(), gap);
            assert_eq!(gaps.expected(place()), expected);
        }
    }

    #[test]
    fn a_new_depth_expects_what_the_same_neighbours_did_elsewhere() {
        let mut gaps = Gaps::new();
        let mut track = Track::default();
        track.step("[");
        let shallow = track.step("1");
        track.step(",");
        track.step("[");
        let deep = track.step("1");
        gaps.learn(shallow, 5);
        assert_eq!(gaps.expected(deep), 5);
        assert_ne!(shallow, deep);
    }

    #[test]
    fn two_lines_are_a_line_feed_apart() {
        assert_eq!(Gaps::new().expected(Place::BETWEEN_LINES), LINE_FEED);
    }
}
