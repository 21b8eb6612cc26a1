//! Makes moves: gives candidates a file name and a replacement. Candidates that would not become
//! smaller stay.

use std::cmp::Reverse;
use std::sync::Arc;

use fair_share::on;
use rayon::prelude::*;

use crate::compaction::preview_settings::PreviewSize;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::{BROKEN, Destination, Move};
use crate::pipeline::moves::plan::{Candidate, Skipped};
use crate::pipeline::moves::records::{Records, find_records};
use crate::pipeline::moves::render::{
    FileContent, RenderSettings, known_replacement, render_settings, replacement_of, sealed,
};
use crate::pipeline::moves::state::{TextState, text_state};
use crate::pipeline::replacement::Replacement;
use crate::reading::restore::read_back::ReadBack;
use context_store::{Claim, Claims, Stem, StoreError};

/// A candidate with its file name, and its replacement if that is cached.
struct NamedCandidate {
    candidate: Candidate,
    destination: Destination,
    path: String,
    known: Option<Arc<Replacement>>,
}

/// Makes the moves of candidates, and adds the others to `skipped`, each with its reason.
pub(crate) fn make_moves(
    context: &Context<'_>,
    candidates: Vec<Candidate>,
    budget: PreviewSize,
    claims: &mut Claims,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Move>, StoreError> {
    let prover = context.prover();
    let of = |candidate| text_state(context, candidate, &prover);
    let states: Vec<TextState> = on(|| candidates.par_iter().map(of).collect());
    let (mut content, mut moves) = (Vec::new(), Vec::new());
    if states.iter().all(|state| matches!(state, TextState::Reference)) {
        let why = "is a reference already";
        skipped.extend(candidates.into_iter().map(|candidate| Skipped { candidate, why }));
        return Ok(moves);
    }
    let words = render_settings(context, budget)?;
    for (candidate, state) in candidates.into_iter().zip(states) {
        match state {
            TextState::Content => content.push(candidate),
            TextState::Reference => {
                skipped.push(Skipped { candidate, why: "is a reference already" });
            }
            TextState::Broken => skipped.push(Skipped { candidate, why: BROKEN }),
            TextState::ReadBack(from) => match to_source(context, &candidate, &from, &words) {
                Some(item) => moves.push(item),
                None => content.push(candidate),
            },
        }
    }
    let named = claim_names(context, content, &words, claims)?;
    let work =
        |item: &NamedCandidate| if item.known.is_some() { 0 } else { item.candidate.slot.bytes };
    moves.append(&mut longest_first(
        named,
        work,
        |NamedCandidate { candidate, destination, path, known }| {
            let file = FileContent { path: &path, content: destination.content() };
            let made = || replacement_of(context, &candidate, destination.records(), file, &words);
            let replacement = known.unwrap_or_else(made);
            Move { candidate, budget, path, replacement, destination }
        },
    ));
    let (smaller, larger): (Vec<Move>, Vec<Move>) =
        moves.into_iter().partition(|m| m.replacement.tokens < m.candidate.slot.tokens);
    let why = "would not become smaller by a preview and a reference";
    skipped.extend(larger.into_iter().map(|m| Skipped { candidate: m.candidate, why }));
    Ok(smaller)
}

/// Claims file names for candidates, in order.
fn claim_names(
    context: &Context<'_>,
    candidates: Vec<Candidate>,
    words: &RenderSettings,
    claims: &mut Claims,
) -> Result<Vec<NamedCandidate>, StoreError> {
    let bytes = |candidate: &Candidate| candidate.slot.bytes;
    let found = longest_first(candidates, bytes, |candidate| {
        let records = find_records(context, &candidate);
        (candidate, records)
    });
    let wanted: Vec<(Stem, blake3::Hash)> = found
        .iter()
        .map(|(candidate, records)| stem_and_hash(context, candidate, records))
        .collect();
    let granted = context.store.claim(claims, &wanted)?;
    let places = wanted.into_iter().zip(granted);
    let named = |((candidate, records), ((stem, _), claim)): (_, (_, Claim))| {
        let path = context.store.path_of(&claim.name);
        let file = FileContent { path: &path, content: claim.hash };
        let known = known_replacement(context, &candidate, Option::as_ref(&records), file, words);
        NamedCandidate {
            candidate,
            destination: Destination::NewFile { stem, claim, records },
            path,
            known,
        }
    };
    Ok(found.into_iter().zip(places).map(named).collect())
}

fn stem_and_hash(
    context: &Context<'_>,
    candidate: &Candidate,
    records: &Option<Records>,
) -> (Stem, blake3::Hash) {
    if let Some(Records { material, .. }) = records {
        return (material.stem.clone(), material.hash);
    }
    let hash =
        candidate.slot.hash.unwrap_or_else(|| blake3::hash(candidate.text(context).as_bytes()));
    (Stem::of_call(candidate.call(context).call_id.as_deref(), &hash), hash)
}

/// Replaces a text that was read back by a reference to its file. Returns `None` if the words that
/// must stay, such as the pattern of a search, contain a secret: the text then moves like any
/// other.
fn to_source(
    context: &Context<'_>,
    candidate: &Candidate,
    from: &ReadBack,
    words: &RenderSettings,
) -> Option<Move> {
    let text = from.replacement(candidate.slot.tokens, &context.settings.reload_tools);
    if shows_secrets(context, candidate, from, &text) {
        return None;
    }
    Some(Move {
        path: from.path.clone(),
        replacement: sealed(context, &text, candidate, &from.content, words),
        destination: Destination::ExistingFile { bytes: from.bytes, content: from.content },
        budget: context.settings.preview(),
        candidate: candidate.clone(),
    })
}

/// Returns true if a replacement shows a secret: in its own words, or in the text around the part
/// that was read back. That text is judged unescaped, as part of the whole text, because a note
/// escapes it.
fn shows_secrets(
    context: &Context<'_>,
    candidate: &Candidate,
    from: &ReadBack,
    replacement: &str,
) -> bool {
    let redact = context.offloader.redact;
    if !redact.secrets(replacement).is_empty() {
        return true;
    }
    let text = candidate.text(context);
    let (head, tail) = from.repeated();
    let secrets = redact.secrets(&text);
    let ends = [text.get(..head.len()), text.get(text.len().saturating_sub(tail.len())..)];
    ends.into_iter().flatten().any(|end| secrets.touch(end))
}

/// Minimum size of texts, in bytes together, that justifies more than one core.
const WORTH_CORES: usize = 16 * 1024;

/// Does `work` for each item on all cores, the longest first, so that no core waits long for
/// another. Returns the results in the order of the items.
fn longest_first<T: Send, R: Send>(
    items: Vec<T>,
    length: impl Fn(&T) -> usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut items: Vec<(usize, usize, T)> =
        items.into_iter().enumerate().map(|(place, item)| (length(&item), place, item)).collect();
    if items.iter().map(|(length, ..)| length).sum::<usize>() < WORTH_CORES {
        return items.into_iter().map(|(.., item)| work(item)).collect();
    }
    items.sort_by_key(|(length, ..)| Reverse(*length));
    let mut done: Vec<(usize, R)> = on(|| {
        let items = items.into_par_iter().with_max_len(1);
        items.map(|(_, place, item)| (place, work(item))).collect()
    });
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
