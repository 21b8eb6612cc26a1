//! The decision: what moves, what stays, and under which snapshots the rest stands.
//! Nothing is written here; a model may be asked.

use super::compress::Compression;
use super::moves::Move;
use super::plan::{Kept, Plan};
use super::request::Mode;
use super::run::Job;
use super::snapshots::{NoSnapshot, Snapshots};
use crate::compression::block::Block;
use crate::pools::on;
use crate::store::{Claims, StoreError};

/// How often a history is looked at again that a hard target made another.
const ROUNDS: u32 = 32;

/// The plan of one offload, ready to be carried out.
pub(super) struct Decision {
    /// The texts that move, in the order of the messages.
    pub(super) moves: Vec<Move>,
    /// The texts that stay though they are large.
    pub(super) kept: Vec<Kept>,
    /// The compression, and the snapshots that stand for it.
    pub(super) snapshots: Option<(Compression, Snapshots)>,
    /// Why there are no other snapshots: the last reason first.
    pub(super) warnings: Vec<String>,
}

/// Why nothing is to be done.
pub(super) struct Undecided {
    pub(super) kept: Vec<Kept>,
    pub(super) error: StoreError,
    pub(super) warnings: Vec<String>,
}

/// A decision on its way.
#[derive(Default)]
struct Draft {
    moves: Vec<Move>,
    kept: Vec<Kept>,
    claims: Claims,
    warnings: Vec<String>,
}

impl Job<'_> {
    /// Decides what moves, then what is compressed.
    pub(super) fn decide(&self) -> Result<Decision, Undecided> {
        // The check will ask for the rules that are broken: they are read beside the plan.
        let (plan, _) = on(|| rayon::join(|| self.plan(), || self.broken()));
        let plan = match self.settings.mode {
            // Only a hard target moves results there, and only the newest.
            Mode::Compress => Plan { newest: plan.newest, ..Plan::default() },
            Mode::Auto | Mode::Compact => plan,
        };
        let mut draft = Draft::default();
        let decided = self.draft(plan, &mut draft);
        let Draft { moves, kept, mut warnings, .. } = draft;
        warnings.reverse();
        match decided {
            Ok(snapshots) => Ok(Decision { moves, kept, snapshots, warnings }),
            Err(error) => Err(Undecided { kept, error, warnings }),
        }
    }

    /// Goes in rounds: what is compressed follows from what moves; and where no snapshot
    /// can be had, a hard target may ask for more moves, which leaves another history.
    /// The next post would ask of that whether it is worth a snapshot: so does this one
    /// (I3). It ends: a round goes on without new snapshots where there were some, or
    /// with fewer tokens than before.
    fn draft(
        &self,
        plan: Plan,
        draft: &mut Draft,
    ) -> Result<Option<(Compression, Snapshots)>, StoreError> {
        (draft.moves, draft.kept) = self.chosen(plan, &mut draft.claims)?;
        let mut asked = self.compression(&draft.moves);
        let mut rounds = ROUNDS;
        loop {
            rounds = rounds.saturating_sub(1);
            let no = match asked {
                Ok(None) => return Ok(None),
                Err(why) => NoSnapshot::Why(why),
                Ok(Some(compression)) => {
                    let claims = &mut draft.claims;
                    match self.snapshots(&compression, &draft.moves, claims) {
                        Ok(made) => match self.not_worth_it(&compression, &draft.moves, &made) {
                            None => {
                                self.open_for_snapshots(&compression, &made, draft)?;
                                return Ok(Some((compression, made)));
                            }
                            Some(why) => NoSnapshot::Why(why),
                        },
                        Err(no) => match (compression.without_new(), no) {
                            // Earlier snapshots serve again.
                            (Some(reused), NoSnapshot::Why(why) | NoSnapshot::Model(why)) => {
                                draft.warnings.push(why);
                                asked = Ok(Some(reused));
                                continue;
                            }
                            (_, no) => no,
                        },
                    }
                }
            };
            let (why, is_asked_again) = match no {
                NoSnapshot::Store(error) => return Err(error),
                NoSnapshot::Why(why) => (why, rounds > 0),
                // A model that failed is not asked again.
                NoSnapshot::Model(why) => (why, false),
            };
            let left = self.left(&draft.moves);
            self.open_more(draft, &|moves| self.left(moves))?;
            let is_another = is_asked_again && self.left(&draft.moves) < left;
            match is_another.then(|| self.compression(&draft.moves)) {
                Some(Ok(Some(next))) => asked = Ok(Some(next)),
                _ => {
                    draft.warnings.push(why);
                    return Ok(None);
                }
            }
        }
    }

    /// Opens more of the newest messages where the snapshots, and what must stand
    /// beside them, are larger than was reckoned.
    fn open_for_snapshots(
        &self,
        compression: &Compression,
        snapshots: &Snapshots,
        draft: &mut Draft,
    ) -> Result<(), StoreError> {
        if self.settings.target_tokens.is_none() {
            return Ok(());
        }
        let rendered: Vec<String> = snapshots.blocks.iter().map(Block::render).collect();
        let all = self.left(&draft.moves);
        let assembled = self.assembled(compression, &draft.moves, &rendered);
        let freed = all.saturating_sub(self.tokens_of(&assembled));
        self.open_more(draft, &|moves| self.left(moves).saturating_sub(freed))
    }

    /// Opens more of the newest messages than was reckoned with, where what stays
    /// after all, by `left`, does not meet the target.
    fn open_more(
        &self,
        draft: &mut Draft,
        left: &dyn Fn(&[Move]) -> u64,
    ) -> Result<(), StoreError> {
        let target = self.settings.target_tokens;
        let Some(target) = target.filter(|target| left(&draft.moves) > *target) else {
            return Ok(());
        };
        let Draft { moves, kept, claims, .. } = draft;
        self.open(self.plan().newest, moves, claims, kept, &|moves| left(moves) <= target)?;
        self.settle(moves, kept);
        Ok(())
    }

    /// Returns the number of tokens that the snapshots free.
    fn freed(&self, compression: &Compression, snapshots: &Snapshots) -> u64 {
        let gone = self.cost(&compression.tokens, compression.gone.clone());
        let count = |blocks: &[Block]| -> u64 {
            blocks.iter().map(|block| self.tokenizer.count(&block.render())).sum()
        };
        (gone + count(&compression.place.blocks)).saturating_sub(count(&snapshots.blocks))
    }

    /// Why the snapshots are not worth what they cost the caller's prompt cache.
    fn not_worth_it(
        &self,
        compression: &Compression,
        moves: &[Move],
        snapshots: &Snapshots,
    ) -> Option<String> {
        let freed = self.freed(compression, snapshots);
        let left = self.left(moves);
        let asked = (left / 10).max(self.settings.min_savings_tokens);
        // A kept snapshot was worth it once, and costs no cache now.
        let asked = if snapshots.report.reused { 1 } else { asked };
        (freed < asked).then(|| {
            format!("not compressed: it would free {freed} of {left} tokens, fewer than {asked}")
        })
    }
}
