//! The run: measure, plan, effects, splice, check, in that order. Every failure
//! after the plan ends in the caller's own messages and a warning: offloading is
//! an optimisation and never costs a turn.

use std::sync::Arc;

use moka::sync::Cache;
use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::check::{NewReference, Subject, check};
use super::plan::{Candidate, Kept, Plan, plan, recent_from};
use super::report::{Action, ActionKind, Checks, Outcome, Report, ratio};
use super::request::{Files, Mode, Request, Run, Settings};
use super::standing::{Standing, standing};
use crate::compaction::preview::{Budget, Moved, Spec, replacement};
use crate::history::message::{MessageView, SlotKind};
use crate::history::splice::{Edit, quote, splice};
use crate::history::{History, HistoryError};
use crate::reload::read_back::ReadBack;
use crate::store::{Claim, Claims, Durability, Ledger, Roots, Stem, Store, StoreError};
use crate::tokens::Tokenizer;
use crate::tokens::measure::{Measure, Measured, text_of};

/// What an offload works with; one for the process.
pub struct Offloader {
    /// The allowed roots.
    pub roots: Arc<Roots>,
    /// Counts, and remembers.
    pub measure: Arc<Measure>,
    /// Files that this process has seen.
    pub ledger: Arc<Ledger>,
    /// How far a file must have come before its name is given out.
    pub durability: Durability,
    /// Replacements by content, path and settings, so that a re-posted history
    /// is not even unescaped.
    pub replacements: Cache<u128, Arc<Replacement>>,
}

/// A rendered replacement.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// The new text as a JSON string literal.
    literal: String,
    /// What it costs.
    tokens: u64,
}

impl Replacement {
    fn new(text: &str, tokenizer: Tokenizer) -> Replacement {
        Replacement { literal: quote(text), tokens: tokenizer.count(text) }
    }

    /// Its size for a bounded cache.
    pub fn weight(&self) -> u32 {
        u32::try_from(self.literal.len() + 64).unwrap_or(u32::MAX)
    }
}

/// A file of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOfCall {
    /// As the caller spells it.
    pub path: String,
    /// True where the call wrote it, false where it was there.
    pub created: bool,
    /// Its content as a JSON string literal, where the answer repeats it.
    pub content: Option<String>,
}

/// What an offload gives back.
#[derive(Debug)]
pub struct Offloaded {
    /// The messages, a JSON array.
    pub messages: String,
    /// The files, in the order of the messages.
    pub files: Vec<FileOfCall>,
    /// What was done.
    pub report: Report,
}

/// A text with its new place.
struct Move {
    candidate: Candidate,
    budget: Budget,
    path: String,
    replacement: Arc<Replacement>,
    target: Target,
}

enum Target {
    /// A file of its own, named by the claim.
    File { stem: Stem, claim: Claim },
    /// The file it was read back from.
    Source { bytes: u64 },
}

impl Move {
    fn saves(&self) -> u64 {
        self.candidate.slot.tokens.saturating_sub(self.replacement.tokens)
    }
}

impl Offloader {
    /// Runs one request.
    pub fn offload(&self, request: &Request<'_>) -> Result<Offloaded, OffloadError> {
        let settings = &request.settings;
        let folder = self.roots.locate(&settings.store_dir)?;
        let tokenizer = Tokenizer::for_model(settings.model.as_deref());
        let measured = self.measure.history(&request.history, tokenizer)?;
        let beside: u64 = [request.tools, request.system]
            .into_iter()
            .flatten()
            .map(|raw| self.measure.value(raw, tokenizer))
            .sum();
        let store = Store::new(folder, self.durability, Arc::clone(&self.ledger));
        let job = Job { offloader: self, request, settings, tokenizer, measured, beside, store };
        Ok(job.run())
    }
}

/// Why an offload was refused; nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum OffloadError {
    /// The messages.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// The folder.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One request on its way.
struct Job<'a> {
    offloader: &'a Offloader,
    request: &'a Request<'a>,
    settings: &'a Settings,
    tokenizer: Tokenizer,
    measured: Vec<Arc<Measured>>,
    beside: u64,
    store: Store,
}

impl Job<'_> {
    fn history(&self) -> &History<'_> {
        &self.request.history
    }

    fn tokens_before(&self) -> u64 {
        self.beside + self.measured.iter().map(|m| m.tokens).sum::<u64>()
    }

    fn run(&self) -> Offloaded {
        let before = self.tokens_before();
        let fits = self.settings.target_tokens.is_none_or(|target| before <= target);
        if before < self.settings.max_total_tokens && fits {
            return self.unchanged(&[], Vec::new());
        }
        let plan = plan(self.history().dialect(), &self.measured, self.settings);
        match self.decide(plan) {
            Ok((moves, kept)) => self.carry_out(moves, kept),
            Err(error) => self.unchanged(&[], vec![failure(&error)]),
        }
    }

    /// Turns candidates into moves: names, replacements, and the target's demand.
    fn decide(&self, plan: Plan) -> Result<(Vec<Move>, Vec<Kept>), StoreError> {
        let mut kept = plan.kept;
        let mut claims = Claims::default();
        let mut moves = self.moves(plan.moves, self.settings.preview, &mut claims, &mut kept)?;
        if let Some(target) = self.settings.target_tokens {
            self.reach(target, plan.reserve, &mut moves, &mut claims, &mut kept)?;
        }
        let saved: u64 = moves.iter().map(Move::saves).sum();
        if saved < self.settings.min_savings_tokens {
            let why = "the pass would free less than min_savings_tokens";
            kept.extend(moves.drain(..).map(|m| Kept { candidate: m.candidate, why }));
        }
        moves.sort_by_key(|m| (m.candidate.index, m.candidate.slot.slot.span.start));
        kept.sort_by_key(|k| (k.candidate.index, k.candidate.slot.slot.span.start));
        Ok((moves, kept))
    }

    /// Moves more, oldest first, until the target is met; then gives up previews.
    fn reach(
        &self,
        target: u64,
        reserve: Vec<Candidate>,
        moves: &mut Vec<Move>,
        claims: &mut Claims,
        kept: &mut Vec<Kept>,
    ) -> Result<(), StoreError> {
        let after =
            |moves: &[Move]| self.tokens_before() - moves.iter().map(Move::saves).sum::<u64>();
        // In growing batches: a name and a preview cost more than a sum.
        let mut reserve = reserve.into_iter();
        let mut batch = 4;
        while after(moves) > target {
            let next: Vec<Candidate> = reserve.by_ref().take(batch).collect();
            if next.is_empty() {
                break;
            }
            let mut unasked = Vec::new();
            for more in self.moves(next, self.settings.preview, claims, &mut unasked)? {
                if after(moves) > target {
                    moves.push(more);
                }
            }
            batch *= 2;
        }
        if after(moves) > target {
            let bare: Vec<Candidate> = moves.drain(..).map(|m| m.candidate).collect();
            *moves = self.moves(bare, Budget::Tokens(0), claims, kept)?;
        }
        Ok(())
    }

    fn moves(
        &self,
        candidates: Vec<Candidate>,
        budget: Budget,
        claims: &mut Claims,
        kept: &mut Vec<Kept>,
    ) -> Result<Vec<Move>, StoreError> {
        let history = self.history();
        let roots = &self.offloader.roots;
        let standings: Vec<Standing> = candidates
            .par_iter()
            .map(|c| standing(history, &self.measured, c, roots, self.store.folder()))
            .collect();
        let mut content = Vec::new();
        let mut moves = Vec::new();
        for (candidate, standing) in candidates.into_iter().zip(standings) {
            match standing {
                Standing::Content => content.push(candidate),
                Standing::Reference => kept.push(Kept { candidate, why: "is a reference already" }),
                Standing::ReadBack(from) => moves.push(self.read_back(candidate, &from)),
            }
        }
        let wanted: Vec<(Stem, blake3::Hash)> = content.iter().map(|c| self.wanted(c)).collect();
        let granted = self.store.claim(claims, &wanted)?;
        let jobs: Vec<(Candidate, (Stem, blake3::Hash), Claim)> = content
            .into_iter()
            .zip(wanted)
            .zip(granted)
            .map(|((candidate, wanted), claim)| (candidate, wanted, claim))
            .collect();
        moves.par_extend(jobs.into_par_iter().map(|(candidate, (stem, _), claim)| {
            let path = self.store.spell(&claim.name);
            let replacement = self.replacement(&candidate, &path, budget);
            Move { candidate, budget, path, replacement, target: Target::File { stem, claim } }
        }));
        let (smaller, larger): (Vec<Move>, Vec<Move>) =
            moves.into_iter().partition(|m| m.replacement.tokens < m.candidate.slot.tokens);
        let why = "its replacement would not be smaller";
        kept.extend(larger.into_iter().map(|m| Kept { candidate: m.candidate, why }));
        Ok(smaller)
    }

    fn wanted(&self, candidate: &Candidate) -> (Stem, blake3::Hash) {
        let hash =
            candidate.slot.hash.unwrap_or_else(|| blake3::hash(self.text(candidate).as_bytes()));
        (Stem::of_call(candidate.call_id.as_deref(), &hash), hash)
    }

    fn text(&self, candidate: &Candidate) -> std::borrow::Cow<'_, str> {
        text_of(self.history().messages()[candidate.index], &candidate.slot.slot).text
    }

    fn read_back(&self, candidate: Candidate, from: &ReadBack) -> Move {
        let text = from.replacement(candidate.slot.tokens, &self.settings.reload_tools);
        Move {
            path: from.path.clone(),
            replacement: Arc::new(Replacement::new(&text, self.tokenizer)),
            target: Target::Source { bytes: from.bytes },
            budget: self.settings.preview,
            candidate,
        }
    }

    /// The replacement of a text, from the cache where it was made before.
    fn replacement(&self, candidate: &Candidate, path: &str, budget: Budget) -> Arc<Replacement> {
        let spec =
            Spec { budget, tokenizer: self.tokenizer, tools: self.settings.reload_tools.clone() };
        let make = || {
            let text = self.text(candidate);
            let slot = &candidate.slot;
            let kind = slot.slot.kind;
            let moved = Moved { text: &text, kind, tokens: slot.tokens, path };
            Arc::new(Replacement::new(&replacement(&moved, &spec), self.tokenizer))
        };
        let Some(hash) = candidate.slot.hash else { return make() };
        let mut key = Xxh3::new();
        key.update(hash.as_bytes());
        key.update(path.as_bytes());
        let json = candidate.slot.slot.kind == SlotKind::Json;
        key.update(format!("{spec:?}{json}").as_bytes());
        self.offloader.replacements.get_with(key.digest128(), make)
    }

    /// Writes, splices, checks.
    fn carry_out(&self, mut moves: Vec<Move>, kept: Vec<Kept>) -> Offloaded {
        if moves.is_empty() || self.settings.run == Run::Dry {
            return self.planned(&moves, &kept);
        }
        let created = match self.write(&mut moves) {
            Ok(created) => created,
            Err(error) => return self.unchanged(&kept, vec![failure(&error)]),
        };
        let edits = self.edits(&moves);
        let after = splice(self.history().array(), &edits);
        let references: Vec<NewReference<'_>> = moves.iter().map(NewReference::of).collect();
        let mut changed: Vec<usize> = moves.iter().map(|m| m.candidate.index).collect();
        changed.dedup();
        let held = moves.iter().all(|item| match &item.target {
            Target::File { claim, .. } => self.store.holds(claim),
            Target::Source { .. } => true,
        });
        let subject = Subject {
            held,
            before: self.history(),
            measured: &self.measured,
            after: &after,
            edits: &edits,
            changed: &changed,
            recent_from: self.recent_from(),
            references: &references,
        };
        let offloader = self.offloader;
        match check(&subject, &offloader.measure, self.tokenizer, &offloader.roots) {
            Ok((checks, tokens)) if checks.failed().is_empty() => {
                let report = self.report(&moves, &kept, self.beside + tokens, checks);
                let files = self.files(&moves, &created);
                Offloaded { messages: after, files, report }
            }
            Ok((checks, _)) => {
                let names = checks.failed().join(", ");
                let warning = format!("the check {names} failed; the messages are unchanged");
                self.unchanged(&kept, vec![warning])
            }
            Err(error) => {
                let warning = format!(
                    "the answer could not be read back ({error}); the messages are unchanged"
                );
                self.unchanged(&kept, vec![warning])
            }
        }
    }

    /// Writes what is not there yet; says which moves wrote a file.
    fn write(&self, moves: &mut [Move]) -> Result<Vec<bool>, StoreError> {
        let mut seen = std::collections::HashSet::new();
        let mut new: Vec<usize> = Vec::new();
        for (index, item) in moves.iter().enumerate() {
            if let Target::File { claim, .. } = &item.target
                && !claim.stored
                && seen.insert(claim.name.clone())
            {
                new.push(index);
            }
        }
        let texts: Vec<_> = new.iter().map(|index| self.text(&moves[*index].candidate)).collect();
        let files: Vec<(Stem, Claim, &str)> = new
            .iter()
            .zip(&texts)
            .filter_map(|(index, text)| match &moves[*index].target {
                Target::File { stem, claim } => Some((stem.clone(), claim.clone(), text.as_ref())),
                Target::Source { .. } => None,
            })
            .collect();
        let written = if files.is_empty() { Vec::new() } else { self.store.write(&files)? };
        for ((_, asked, _), got) in files.iter().zip(&written) {
            if asked.name != got.name {
                self.renamed(moves, asked, got);
            }
        }
        let mut created = vec![false; moves.len()];
        for (index, claim) in new.iter().zip(&written) {
            created[*index] = !claim.stored;
        }
        Ok(created)
    }

    /// Another request took a name in between: the content got the next one.
    fn renamed(&self, moves: &mut [Move], asked: &Claim, got: &Claim) {
        for item in moves.iter_mut() {
            let Target::File { claim, .. } = &mut item.target else { continue };
            if claim.name == asked.name {
                *claim = got.clone();
                item.path = self.store.spell(&got.name);
                item.replacement = self.replacement(&item.candidate, &item.path, item.budget);
            }
        }
    }

    fn edits(&self, moves: &[Move]) -> Vec<Edit> {
        let history = self.history();
        let edit = |m: &Move| {
            let start = history.start_of(m.candidate.index);
            let span = &m.candidate.slot.slot.span;
            Edit {
                span: start + span.start..start + span.end,
                replacement: m.replacement.literal.clone(),
            }
        };
        moves.iter().map(edit).collect()
    }

    /// The files of the call, each once, with contents where they are wanted. A
    /// string's literal is copied as it came, not unescaped and escaped again.
    fn files(&self, moves: &[Move], created: &[bool]) -> Vec<FileOfCall> {
        let mut seen = std::collections::HashSet::new();
        let mut files = Vec::new();
        for (item, created) in moves.iter().zip(created) {
            if matches!(item.target, Target::Source { .. }) || !seen.insert(item.path.clone()) {
                continue;
            }
            let slot = &item.candidate.slot.slot;
            let raw = &self.history().messages()[item.candidate.index][slot.span.clone()];
            let content = (self.settings.files == Files::Include).then(|| match slot.kind {
                SlotKind::String => raw.to_owned(),
                SlotKind::Json => quote(raw),
            });
            files.push(FileOfCall { path: item.path.clone(), created: *created, content });
        }
        files
    }

    fn recent_from(&self) -> usize {
        let views: Vec<&MessageView> = self.measured.iter().map(|m| &m.view).collect();
        recent_from(self.history().dialect(), &views, self.settings.keep_recent_count)
    }

    /// The answer that leaves the messages alone.
    fn unchanged(&self, kept: &[Kept], warnings: Vec<String>) -> Offloaded {
        let mut report = self.report(&[], kept, self.tokens_before(), Checks::HOLD);
        report.warnings.extend(warnings);
        let messages = self.history().array().to_owned();
        Offloaded { messages, files: Vec::new(), report }
    }

    /// The answer of a dry run, or of a plan without a move.
    fn planned(&self, moves: &[Move], kept: &[Kept]) -> Offloaded {
        let saved: u64 = moves.iter().map(Move::saves).sum();
        let report = self.report(moves, kept, self.tokens_before() - saved, Checks::HOLD);
        let messages = self.history().array().to_owned();
        Offloaded { messages, files: Vec::new(), report }
    }

    fn report(&self, moves: &[Move], kept: &[Kept], after: u64, checks: Checks) -> Report {
        let mut actions: Vec<Action> = moves.iter().map(Action::moved).collect();
        actions.extend(kept.iter().map(Action::kept));
        actions.sort_by_key(|action| action.index);
        let before = self.tokens_before();
        let ratio = ratio(before, after);
        let count = self.history().messages().len();
        let mut report = Report {
            outcome: if moves.is_empty() { Outcome::Unchanged } else { Outcome::Compacted },
            format: self.history().dialect().name(),
            tokenizer: self.tokenizer.name(),
            tokens_before: before,
            tokens_after: after,
            compaction_ratio: ratio,
            messages_before: count,
            messages_after: count,
            first_changed_index: moves.iter().map(|m| m.candidate.index).min(),
            dry_run: self.settings.run == Run::Dry,
            actions,
            checks,
            warnings: self.request.warnings.clone(),
        };
        self.warn(&mut report);
        report
    }

    fn warn(&self, report: &mut Report) {
        let settings = self.settings;
        let entered = report.tokens_before >= settings.max_total_tokens;
        let threshold = settings.compact_ratio_threshold;
        if settings.mode == Mode::Auto && entered && report.compaction_ratio > threshold {
            report.warnings.push(format!(
                "compaction left {} of the tokens, above compact_ratio_threshold {threshold}; \
                 compression is not available in this version",
                report.compaction_ratio
            ));
        }
        if let Some(target) = settings.target_tokens.filter(|target| report.tokens_after > *target)
        {
            let fixed = self.fixed_tokens();
            report.warnings.push(format!(
                "target_tokens {target} cannot be met by compaction: {} tokens remain, {fixed} of \
                 them in tools, system and the newest messages, which are never touched",
                report.tokens_after
            ));
        }
    }

    fn fixed_tokens(&self) -> u64 {
        use crate::history::message::Role;
        let recent = self.recent_from();
        let fixed = self.measured.iter().enumerate();
        let fixed = fixed.filter(|(i, m)| *i >= recent || m.view.role == Role::System);
        self.beside + fixed.map(|(_, m)| m.tokens).sum::<u64>()
    }
}

impl Action {
    fn moved(item: &Move) -> Action {
        let tokens = item.candidate.slot.tokens;
        let why = match item.target {
            Target::File { .. } => "moved to a file",
            Target::Source { .. } => "was read back from this file",
        };
        Action::new(&item.candidate, ActionKind::Compact, why).to(&item.path, tokens, item)
    }

    fn to(mut self, path: &str, before: u64, item: &Move) -> Action {
        self.path = Some(path.to_owned());
        self.tokens_before = before;
        self.tokens_after = item.replacement.tokens;
        self
    }

    fn kept(kept: &Kept) -> Action {
        Action::new(&kept.candidate, ActionKind::Keep, kept.why)
    }

    fn new(candidate: &Candidate, action: ActionKind, why: &str) -> Action {
        Action {
            index: candidate.index,
            action,
            tool_call_id: candidate.call_id.clone(),
            tool: candidate.tool.clone(),
            tokens_before: candidate.slot.tokens,
            tokens_after: candidate.slot.tokens,
            path: None,
            why: why.to_owned(),
        }
    }
}

impl<'a> NewReference<'a> {
    fn of(item: &'a Move) -> NewReference<'a> {
        let bytes = match &item.target {
            Target::File { .. } => item.candidate.slot.bytes as u64,
            Target::Source { bytes } => *bytes,
        };
        NewReference { path: &item.path, bytes }
    }
}

fn failure(error: &StoreError) -> String {
    format!("nothing was moved, the messages are unchanged: {error}")
}
