//! The decision: which texts move, which stay, and the snapshots. Writes nothing, but may call a
//! model.

use fair_share::on;

use crate::pipeline::choose::{Draft, choose_moves, move_more, move_waiting};
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::{Move, tokens_left};
use crate::pipeline::moves::plan::{Plan, Skipped, plan};
use crate::pipeline::settings::Mode;
use crate::pipeline::snapshots::assemble::{assemble, tokens_of};
use crate::pipeline::snapshots::make::make_snapshots;
use crate::pipeline::snapshots::plan::{Compression, plan_compression};
use crate::pipeline::snapshots::region::{count_blocks, least_freed, tokens_after};
use crate::pipeline::snapshots::set::{NoSnapshot, Snapshots};
use crate::snapshot::format::block::Block;
use context_store::StoreError;

/// Maximum number of rounds in which a hard target changes the history and the plan is made again.
const ROUNDS: u32 = 32;

/// The plan of one offload, ready to be committed.
pub(crate) struct Decision {
    /// The texts that move, in the order of the messages.
    pub(crate) moves: Vec<Move>,
    /// The large texts that stay.
    pub(crate) skipped: Vec<Skipped>,
    /// The compression, and its snapshots.
    pub(crate) snapshots: Option<(Compression, Snapshots)>,
    /// The reasons why there are no other snapshots, the last one first.
    pub(crate) warnings: Vec<String>,
}

impl Decision {
    /// Returns true if every message stays as posted.
    pub(crate) fn changes_nothing(&self) -> bool {
        self.moves.is_empty() && self.snapshots.is_none()
    }
}

/// The error that prevents a decision.
pub(crate) struct Undecided {
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) error: StoreError,
    pub(crate) warnings: Vec<String>,
}

/// Decides what moves, then what is compressed.
pub(crate) fn decide(context: &Context<'_>) -> Result<Decision, Undecided> {
    // The check needs the rules that the request breaks: finds them in parallel with the plan.
    let (plan, _) = on(|| {
        rayon::join(
            || {
                let tokens = tokens_after(context, &[]);
                plan(context.history(), &context.measured, &tokens, context.settings)
            },
            || context.existing_problems(),
        )
    });
    let plan = match context.settings.mode() {
        // In this mode, only a hard target moves results, and only the newest; others move if they
        // moved before.
        Mode::Compress => {
            let reserve = [plan.moves, plan.reserve].concat();
            Plan { newest: plan.newest, reserve, ..Plan::default() }
        }
        Mode::Auto | Mode::Compact => plan,
    };
    let mut draft = Draft::default();
    let drafted = fill(context, plan, &mut draft);
    let warnings = draft.warnings.drain(..).rev().collect();
    let (moves, skipped) = draft.sorted(context.settings);
    match drafted {
        Ok(snapshots) => Ok(Decision { moves, skipped, snapshots, warnings }),
        Err(error) => Err(Undecided { skipped, error, warnings }),
    }
}

/// Fills a draft in rounds. The moves determine the compression; if there are no new snapshots, a
/// hard target may require more moves, which change the history. The next post would consider
/// snapshots of that history, so this one does, too (I3). It terminates: each round has either
/// new snapshots or fewer tokens than the one before.
fn fill(
    context: &Context<'_>,
    plan: Plan,
    draft: &mut Draft,
) -> Result<Option<(Compression, Snapshots)>, StoreError> {
    choose_moves(context, plan, draft)?;
    let mut asked = plan_compression(context, &draft.moves, draft.is_due);
    let is_rewrite = matches!(&asked, Ok(Some(compression)) if !compression.groups.is_empty());
    if is_rewrite && move_waiting(context, draft) {
        asked = plan_compression(context, &draft.moves, draft.is_due);
    }
    let mut rounds = ROUNDS;
    while let Some(compression) = asked.transpose() {
        rounds -= 1;
        let attempt = attempt(context, compression, draft)?;
        let left = tokens_left(context, &draft.moves);
        move_more_beside(context, attempt.snapshots.as_ref(), draft)?;
        let is_asked_again =
            !attempt.is_last && rounds > 0 && tokens_left(context, &draft.moves) < left;
        asked = match is_asked_again.then(|| plan_compression(context, &draft.moves, draft.is_due))
        {
            Some(Ok(Some(next))) if attempt.snapshots.is_none() || !next.groups.is_empty() => {
                Ok(Some(next))
            }
            _ => {
                draft.warnings.extend(attempt.warnings);
                return Ok(attempt.snapshots);
            }
        };
    }
    Ok(None)
}

/// The result of one round.
struct Attempt {
    /// The snapshots: new ones, or those of an earlier call.
    snapshots: Option<(Compression, Snapshots)>,
    /// The reasons that there are no new ones.
    warnings: Vec<String>,
    /// True if they are new, or if a model was called without success: it is not called again.
    is_last: bool,
}

/// Makes the snapshots of a compression. If there are none, uses earlier ones again.
fn attempt(
    context: &Context<'_>,
    compression: Result<Compression, String>,
    draft: &mut Draft,
) -> Result<Attempt, StoreError> {
    let mut attempt = Attempt { snapshots: None, warnings: Vec::new(), is_last: false };
    let mut asked = compression.map_err(|why| attempt.warnings.push(why)).ok();
    while let Some(compression) = asked {
        let reused = compression.without_new();
        let made = make_snapshots(context, &compression, &draft.moves, &mut draft.claims);
        let made = made.and_then(|made| match not_worth_it(context, &compression, &made) {
            Some(why) => Err(NoSnapshot::Reason(why)),
            None => Ok(made),
        });
        match made {
            Ok(made) => {
                attempt.is_last |= !compression.groups.is_empty();
                attempt.snapshots = Some((compression, made));
                break;
            }
            Err(NoSnapshot::Store(error)) => return Err(error),
            Err(NoSnapshot::Reason(why)) => {
                attempt.is_last |=
                    reused.is_some() && context.offloader.summariser.model().is_some();
                attempt.warnings.push(why);
            }
            Err(NoSnapshot::Model(why)) => {
                attempt.is_last = true;
                attempt.warnings.push(why);
            }
        }
        asked = reused;
    }
    Ok(attempt)
}

/// Moves more results if the target requires it, also because the snapshots and the messages that
/// must stay next to them are larger than estimated.
fn move_more_beside(
    context: &Context<'_>,
    snapshots: Option<&(Compression, Snapshots)>,
    draft: &mut Draft,
) -> Result<(), StoreError> {
    if context.settings.target_tokens.is_none() {
        return Ok(());
    }
    let Some((compression, snapshots)) = snapshots else {
        return move_more(context, draft, None, &|moves| tokens_left(context, moves));
    };
    let rendered: Vec<String> = snapshots.blocks.iter().map(Block::render).collect();
    let all = tokens_left(context, &draft.moves);
    let assembled = assemble(context, &compression.cut, &draft.moves, &rendered);
    // Once the results of the replaced messages have moved, snapshots may cost more than they
    // replace.
    let after = tokens_of(context, &assembled);
    move_more(context, draft, Some(&compression.cut.gone), &|moves| {
        (tokens_left(context, moves) + after).saturating_sub(all)
    })
}

/// Returns the reason if the snapshots are not worth the loss of the caller's prompt cache.
fn not_worth_it(
    context: &Context<'_>,
    compression: &Compression,
    snapshots: &Snapshots,
) -> Option<String> {
    // A reused snapshot was worth it once, and costs no cache now.
    if snapshots.report.reused {
        return None;
    }
    let left = compression.level;
    let made = count_blocks(context, &snapshots.blocks);
    let freed = compression.replaced(context).saturating_sub(made);
    let asked = least_freed(context, left);
    (freed < asked).then(|| {
        format!("not compressed: it would free {freed} of {left} tokens, fewer than {asked}")
    })
}
