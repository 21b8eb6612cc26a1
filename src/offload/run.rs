//! The run: measure, plan, effects, splice, check, in that order. Every failure
//! after the plan ends in the caller's own messages and a warning: offloading is
//! an optimisation and never costs a turn.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::check::{NewReference, Subject, check};
use super::decide::{Decision, Undecided};
use super::leases::Followed;
use super::materials::Materials;
use super::moves::{Move, Target};
use super::plan::{Candidate, Kept, Plan, plan, recent_from};
use super::replacement::Replacements;
use super::report::Report;
use super::request::{Request, Run, Settings};
use super::summarise::Summariser;
use crate::history::dialect::Problem;
use crate::history::message::MessageView;
use crate::history::splice::{Edit, splice};
use crate::history::{History, HistoryError};
use crate::jq::Jq;
use crate::redact::Redact;
use crate::reload::proof::Prover;
use crate::store::{
    Allowance, Chat, Claim, Durability, Key, Ledger, Lifetimes, Reader, Roots, Store, StoreError,
};
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
    pub replacements: Replacements,
    /// Writes snapshots.
    pub summariser: Summariser,
    /// Which texts are arrays of records.
    pub materials: Materials,
    /// False where the operator switched large result offloading off: arrays of
    /// records move as any text.
    pub records: bool,
    /// Whether previews, descriptors, snapshots and prompts show secrets.
    pub redact: Redact,
    /// Tries recipes before they are offered.
    pub jq: Arc<Jq>,
    /// How long files live.
    pub lifetimes: Lifetimes,
    /// Files whose own mentions were looked at, and when.
    pub followed: Followed,
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
    /// The system prompt beside them where snapshots were put into it: JSON.
    pub system: Option<String>,
    /// The files, in the order of the messages.
    pub files: Vec<FileOfCall>,
    /// What was done.
    pub report: Report,
}

impl Offloader {
    /// Forgets what is remembered of texts: a chat was deleted, and none of its words
    /// is to stay in memory for its own sake.
    pub fn forget(&self) {
        self.replacements.clear();
        self.followed.clear();
    }

    /// Runs one request, which may read stored files as far as `allowance` goes.
    pub fn offload(
        &self,
        request: &Request<'_>,
        allowance: Allowance<'_>,
    ) -> Result<Offloaded, OffloadError> {
        let settings = &request.settings;
        let folder = self.roots.locate(&settings.store_dir)?;
        let tokenizer = Tokenizer::for_model(settings.model.as_deref());
        let reader = Reader::new(&self.ledger, allowance);
        Prover { reader: &reader, roots: &self.roots }.judge_front(&request.history);
        let measured = self.measure.history(&request.history, tokenizer)?;
        let tools = request.tools.map_or(0, |raw| self.measure.value(raw, tokenizer));
        let beside = tools + request.system.map_or(0, |raw| self.measure.prompt(raw, tokenizer));
        let store = Store::new(folder, self.durability, Arc::clone(&self.ledger));
        let (chat, broken) = (OnceLock::new(), OnceLock::new());
        let job = Job {
            offloader: self,
            request,
            settings,
            tokenizer,
            measured,
            beside,
            store,
            reader,
            chat,
            broken,
        };
        let answer = job.run();
        if settings.run == Run::Real {
            job.renew_referred();
        }
        Ok(answer)
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
pub(super) struct Job<'a> {
    pub(super) offloader: &'a Offloader,
    pub(super) request: &'a Request<'a>,
    pub(super) settings: &'a Settings,
    pub(super) tokenizer: Tokenizer,
    pub(super) measured: Vec<Arc<Measured>>,
    pub(super) beside: u64,
    pub(super) store: Store,
    pub(super) reader: Reader<'a>,
    /// Whom its files belong to, once it was asked.
    pub(super) chat: OnceLock<Chat>,
    /// The rules that the messages break as they came, once it was asked.
    pub(super) broken: OnceLock<Vec<Problem>>,
}

impl Job<'_> {
    pub(super) fn history(&self) -> &History<'_> {
        &self.request.history
    }

    pub(super) fn tokens_before(&self) -> u64 {
        self.beside + self.measured.iter().map(|m| m.tokens).sum::<u64>()
    }

    pub(super) fn text(&self, candidate: &Candidate) -> Cow<'_, str> {
        text_of(self.history().messages()[candidate.index], &candidate.slot.slot).text
    }

    pub(super) fn views(&self) -> Vec<&MessageView> {
        self.measured.iter().map(|m| &m.view).collect()
    }

    /// The rules that the messages break as they came.
    pub(super) fn broken(&self) -> &[Problem] {
        self.broken.get_or_init(|| self.history().dialect().problems(&self.views()))
    }

    /// Proves what the history says of stored files.
    pub(super) fn prover(&self) -> Prover<'_> {
        Prover { reader: &self.reader, roots: &self.offloader.roots }
    }

    /// The key of the store's folder; in a dry run, where it has none, one that proves
    /// nothing.
    pub(super) fn key(&self) -> Result<Key, StoreError> {
        match self.settings.run {
            Run::Real => self.store.key_or_new(),
            Run::Dry => Ok(self.store.known_key().unwrap_or_else(Key::placeholder)),
        }
    }

    pub(super) fn recent_from(&self, keep: u64) -> usize {
        recent_from(self.history().dialect(), &self.views(), keep)
    }

    fn run(&self) -> Offloaded {
        let before = self.tokens_before();
        let fits = self.settings.target_tokens.is_none_or(|target| before <= target);
        if before < self.settings.max_total_tokens && fits {
            return self.unchanged(&[], Vec::new());
        }
        let (mut answer, warnings) = match self.decide() {
            Ok(Decision { moves, kept, snapshots, warnings }) => {
                let answer = match snapshots {
                    None => self.carry_out(moves, &kept),
                    Some((compression, snapshots)) => {
                        self.compress(&compression, snapshots, moves, &kept)
                    }
                };
                (answer, warnings)
            }
            Err(Undecided { kept, error, warnings }) => {
                (self.unchanged(&kept, vec![failure(&error)]), warnings)
            }
        };
        answer.report.warnings.extend(warnings);
        answer
    }

    /// What stays once `moves` are made, in tokens.
    pub(super) fn left(&self, moves: &[Move]) -> u64 {
        self.tokens_before() - moves.iter().map(Move::saves).sum::<u64>()
    }

    pub(super) fn plan(&self) -> Plan {
        plan(self.history(), &self.measured, self.settings)
    }

    /// The messages among the newest that a hard target had to open.
    pub(super) fn opened(&self, moves: &[Move]) -> Vec<usize> {
        let recent = self.recent_from(self.settings.recent_for_compaction());
        moves.iter().map(|m| m.candidate.index).filter(|index| *index >= recent).collect()
    }

    /// Writes, splices, checks.
    fn carry_out(&self, mut moves: Vec<Move>, kept: &[Kept]) -> Offloaded {
        if moves.is_empty() || self.settings.run == Run::Dry {
            return self.planned(&moves, kept);
        }
        let created = match self.write(&mut moves) {
            Ok(created) => created,
            Err(error) => return self.unchanged(kept, vec![failure(&error)]),
        };
        self.record(&moves, &created);
        let edits = self.edits(&moves);
        let after = splice(self.history().array(), &edits);
        let references: Vec<NewReference<'_>> = moves.iter().map(NewReference::of).collect();
        let mut changed: Vec<usize> = moves.iter().map(|m| m.candidate.index).collect();
        changed.dedup();
        let claims: Vec<&Claim> = moves.iter().filter_map(Move::claim).collect();
        // Where everything was read back, nothing was claimed, and no folder need be.
        let held = claims.is_empty() || self.store.holds(&claims);
        let subject = Subject {
            held,
            before: self.history(),
            measured: &self.measured,
            broken: self.broken(),
            after: &after,
            edits: &edits,
            changed: &changed,
            recent_from: self.recent_from(self.settings.recent_for_compaction()),
            opened: &self.opened(&moves),
            references: &references,
        };
        let offloader = self.offloader;
        match check(&subject, &offloader.measure, self.tokenizer, &offloader.roots) {
            Ok((checks, tokens)) if checks.failed().is_empty() => {
                let report = self.report(&moves, kept, self.beside + tokens, checks);
                let files = self.files(&moves, &created);
                Offloaded { messages: after, system: None, files, report }
            }
            Ok((checks, _)) => {
                let names = checks.failed().join(", ");
                let warning = format!("the check {names} failed; {UNCHANGED}");
                tracing::error!(checks = names, "an answer failed its checks");
                let mut answer = self.unchanged(kept, vec![warning]);
                answer.report.checks = checks;
                answer
            }
            Err(error) => {
                let warning = format!("the answer cannot be read back ({error}); {UNCHANGED}");
                self.unchanged(kept, vec![warning])
            }
        }
    }

    fn edits(&self, moves: &[Move]) -> Vec<Edit> {
        let history = self.history();
        moves.iter().flat_map(|m| m.edits(history.start_of(m.candidate.index))).collect()
    }
}

impl<'a> NewReference<'a> {
    pub(super) fn of(item: &'a Move) -> NewReference<'a> {
        let bytes = match &item.target {
            Target::File { records: Some(records), .. } => records.material.bytes,
            Target::File { .. } => item.candidate.slot.bytes as u64,
            Target::Source { bytes, .. } => *bytes,
        };
        NewReference { path: &item.path, bytes }
    }
}

/// What every warning says that gives the caller its own messages back.
pub const UNCHANGED: &str = "the messages are unchanged";

pub(super) fn failure(error: &StoreError) -> String {
    format!("{UNCHANGED}, no file could be written: {error}")
}
