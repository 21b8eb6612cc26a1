//! Groups: runs of messages that one snapshot replaces (`group_token_threshold`). A group ends only
//! where a unit ends, such as an assistant's turn with all its results, so a call and its results
//! stay together.

use std::ops::Range;

/// The maximum sizes of a group, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GroupSizes {
    /// `group_token_threshold`; 0 means no limit.
    pub threshold: u64,
    /// The tokens that the model can read at once; `None` means no limit.
    pub window: Option<u64>,
}

/// Minimum tokens of a group. A smaller one is merged with its neighbour, because its snapshot
/// would not be smaller than the group.
const MIN_GROUP_TOKENS: u64 = 2 * MIN_SNAPSHOT_TOKENS;
/// Maximum number of groups of one call, if the model's window allows it. Each may cost a call of
/// the model.
const MAX_GROUPS: usize = 32;

/// Splits the units into groups, in order. Each unit is a range of messages with its tokens. A unit
/// over the limit is a group of its own, with neighbours that are too small for one.
pub(crate) fn groups(units: &[(Range<usize>, u64)], sizes: GroupSizes) -> Vec<Range<usize>> {
    let threshold = if sizes.threshold == 0 { u64::MAX } else { sizes.threshold };
    let window = sizes.window.unwrap_or(u64::MAX);
    let mut most = threshold.min(window);
    loop {
        let groups = cut(units, most);
        if groups.len() <= MAX_GROUPS || most >= window {
            return groups;
        }
        most = most.saturating_mul(2).min(window);
    }
}

fn cut(units: &[(Range<usize>, u64)], most: u64) -> Vec<Range<usize>> {
    let mut groups: Vec<(Range<usize>, u64)> = Vec::new();
    for (unit, tokens) in units {
        match groups.last_mut() {
            Some((group, held))
                if *held < MIN_GROUP_TOKENS || held.saturating_add(*tokens) <= most =>
            {
                group.end = unit.end;
                *held += tokens;
            }
            _ => groups.push((unit.clone(), *tokens)),
        }
    }
    if let [.., (before, _), (last, held)] = groups.as_mut_slice()
        && *held < MIN_GROUP_TOKENS
    {
        before.end = last.end;
        groups.pop();
    }
    groups.into_iter().map(|(group, _)| group).collect()
}

/// The available tokens for snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// For the whole block.
    pub whole: u64,
    /// For the user's own words only, in addition to `whole`.
    pub words: u64,
    /// At most, within the limit.
    pub most: u64,
}

impl Room {
    /// Divides the room among `snapshots`. Each gets at least `MIN_SNAPSHOT_TOKENS` if the limit
    /// allows it.
    pub(crate) fn of_each(self, snapshots: u64) -> Room {
        let most = self.most / snapshots;
        let whole = (self.whole / snapshots).max(most.min(MIN_SNAPSHOT_TOKENS));
        Room { whole, words: (self.words / snapshots).min(most.saturating_sub(whole)), most }
    }
}

/// The maximum tokens of a snapshot, derived from the messages that it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SnapshotBudget {
    /// For the whole block without `extra`.
    pub whole: u64,
    /// For the six sections of a model.
    pub model: u64,
    /// For the user's own words, next to extracts.
    pub directives: u64,
    /// The part of `directives` that is added to `whole`, not included in it.
    pub extra: u64,
    /// For the list of files.
    pub files: u64,
}

/// Minimum tokens of a useful snapshot.
pub(crate) const MIN_SNAPSHOT_TOKENS: u64 = 250;
/// Tokens that a snapshot may always have if the target allows it, however little it replaces.
pub(crate) const FAIR_SNAPSHOT_TOKENS: u64 = 1_500;
/// Tokens for the user's words in a small snapshot, of which they may take four fifths.
const CORE_TOKENS: u64 = 600;
/// Bounds of the reserved quarter of a snapshot, in tokens. It holds the user's goal and a few
/// rules, which always stay.
const LEAST_PART: u64 = 60;
const MOST_PART: u64 = 300;
/// Maximum tokens of a snapshot, whatever it replaces.
const MAX_SNAPSHOT_TOKENS: u64 = 8_000;

/// The sizes that determine the budget of a snapshot, in tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// The messages that it replaces, before any text was moved to files.
    pub originals: u64,
    /// An earlier snapshot to merge; it is not summarised again.
    pub earlier: u64,
    /// Maximum size that is still worth a pass.
    pub most: u64,
    /// The room for the whole block within the limit.
    pub room: u64,
    /// The room for the user's own words in addition to `room`.
    pub words: u64,
    /// True if the limit is a hard target, so that the snapshot may use all of `room`.
    pub fills: bool,
}

impl SnapshotBudget {
    /// Returns the budget. With a hard target, the snapshot gets all of the room. Otherwise it gets
    /// a tenth of the messages, or with a model a fifth, as in the guide's example (35,000 →
    /// 7,000). If the room is too small for a useful snapshot, the target is missed anyway, and the
    /// limit is `FAIR_SNAPSHOT_TOKENS`.
    pub(crate) fn of(sizes: Sizes) -> SnapshotBudget {
        let Sizes { originals, earlier, most, room, words, fills } = sizes;
        let is_missed = room < MIN_SNAPSHOT_TOKENS;
        let limit = if is_missed { FAIR_SNAPSHOT_TOKENS } else { room };
        let share = |part: u64| (earlier + originals / part).max(FAIR_SNAPSHOT_TOKENS);
        let most = most.clamp(MIN_SNAPSHOT_TOKENS, MAX_SNAPSHOT_TOKENS);
        let limit = limit.min(most);
        let whole = if fills { limit } else { share(10).min(limit) };
        let extra = words.min(most - whole);
        let own = (whole / 4).max(LEAST_PART);
        SnapshotBudget {
            whole,
            model: share(5).min(most).min(limit.saturating_sub(2 * own)).max(100),
            directives: extra + (whole * 3 / 5).max((whole * 4 / 5).min(CORE_TOKENS)).max(60),
            extra,
            files: (whole / 10).max(60),
        }
    }

    /// Returns the tokens for the user's words next to a model's summary: the rest of `whole`, at
    /// least two fifths of it, and the extra.
    pub(crate) fn directives_beside(self, summary: u64) -> u64 {
        let left = self.whole.saturating_sub(summary + self.files);
        self.directives.min(left.max(self.whole * 2 / 5) + self.extra)
    }

    /// Returns the tokens of the whole block if the user's words take `words` tokens.
    pub(crate) fn with_words(self, words: u64) -> u64 {
        self.whole + words.saturating_sub(self.directives - self.extra).min(self.extra)
    }

    /// Returns the budget of a snapshot that must lose `excess` tokens. If it has sections, they
    /// lose the tokens. Otherwise the user's words, which take `words` tokens, lose them, down to
    /// the reserved part.
    pub(crate) fn less(self, excess: u64, words: u64, has_sections: bool) -> SnapshotBudget {
        let gap = self.whole / 8;
        let least = (self.whole / 4).clamp(LEAST_PART, MOST_PART);
        match has_sections {
            true => SnapshotBudget { whole: self.whole.saturating_sub(excess + gap), ..self },
            false => SnapshotBudget {
                directives: words
                    .saturating_sub(excess + gap)
                    .max(least)
                    .min(self.directives - self.extra),
                extra: 0,
                files: self.files * 3 / 4,
                ..self
            },
        }
    }

    /// Returns the budget of a model's snapshot that has `found` tokens but must have fewer than
    /// `most`.
    pub(crate) fn fitting(self, most: u64, found: u64) -> SnapshotBudget {
        let part = |tokens: u64| (tokens.saturating_mul(most) / (found + 1)).saturating_sub(16);
        SnapshotBudget {
            whole: part(self.whole),
            model: part(self.model),
            directives: part(self.directives),
            extra: part(self.extra),
            files: part(self.files),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the ends of the groups.
    fn ends(units: &[u64], threshold: u64, window: Option<u64>) -> Vec<usize> {
        let units: Vec<(Range<usize>, u64)> =
            units.iter().enumerate().map(|(n, tokens)| (2 * n..2 * n + 2, *tokens)).collect();
        groups(&units, GroupSizes { threshold, window })
            .into_iter()
            .map(|group| group.end)
            .collect()
    }

    #[test]
    fn a_long_summary_of_a_model_leaves_less_to_the_users_words() {
        let (room, words) = (4_000, 0);
        let sizes = Sizes { originals: 50_000, earlier: 0, most: 8_000, room, words, fills: true };
        let budget = SnapshotBudget::of(sizes);
        let beside = [0, 1_500, budget.model].map(|summary| budget.directives_beside(summary));
        assert_eq!((budget.directives, budget.model), (2_400, 2_000));
        assert_eq!(beside, [2_400, 2_100, 1_600]);
    }

    #[test]
    fn only_the_users_words_are_beside_the_whole() {
        let (room, words) = (2_000, 500);
        let sizes = Sizes { originals: 50_000, earlier: 0, most: 8_000, room, words, fills: true };
        let budget = SnapshotBudget::of(sizes);
        assert_eq!((budget.whole, budget.directives, budget.extra), (2_000, 1_700, 500));
        let whole = [0, 1_200, 1_500, 9_000].map(|words| budget.with_words(words));
        assert_eq!(whole, [2_000, 2_000, 2_300, 2_500]);
        let least = SnapshotBudget::of(Sizes { most: 2_100, ..sizes });
        assert_eq!((least.whole, least.extra), (2_000, 100));
    }

    #[test]
    fn many_snapshots_have_a_useful_room_as_long_as_the_limit_leaves_it() {
        let room = Room { whole: 4_000, words: 2_500, most: 14_000 };
        assert_eq!(room.of_each(2), Room { whole: 2_000, words: 1_250, most: 7_000 });
        assert_eq!(room.of_each(18), Room { whole: 250, words: 138, most: 777 });
        assert_eq!(room.of_each(50), Room { whole: 250, words: 30, most: 280 });
        assert_eq!(room.of_each(70), Room { whole: 200, words: 0, most: 200 });
    }

    #[test]
    fn words_give_way_where_they_leave_no_room_to_the_sections() {
        let budget =
            SnapshotBudget { whole: 800, model: 400, directives: 600, extra: 100, files: 80 };
        let less = budget.less(100, 500, false);
        assert_eq!((less.whole, less.directives, less.extra, less.files), (800, 300, 0, 60));
        let less = budget.less(100, 500, true);
        assert_eq!((less.whole, less.directives, less.files), (600, 600, 80));
    }

    #[test]
    fn without_a_threshold_there_is_one_group() {
        assert_eq!(ends(&[5, 5, 5], 0, None), [6]);
        assert!(ends(&[], 0, None).is_empty());
    }

    #[test]
    fn a_large_unit_stands_alone() {
        assert_eq!(ends(&[500, 9_000, 500, 500], 1_000, None), [2, 4, 8]);
    }

    #[test]
    fn there_are_never_very_many() {
        assert_eq!(ends(&[600; 200], 500, None).len(), 16);
        assert_eq!(ends(&[600; 200], 500, Some(700)).len(), 200);
    }

    #[test]
    fn a_small_unit_joins_its_neighbour() {
        assert_eq!(ends(&[5, 9_000, 9_000, 5], 1_000, None), [4, 8]);
        assert_eq!(ends(&[5], 1_000, None), [2]);
    }

    #[test]
    fn the_window_cuts_what_the_threshold_does_not() {
        assert_eq!(ends(&[500, 500, 500], 0, Some(1_000)), [4, 6]);
        assert_eq!(ends(&[500, 500, 500], 500, Some(1_000)), [2, 4, 6]);
    }
}
