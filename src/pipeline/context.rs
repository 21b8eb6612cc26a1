//! The context of one request: the facts that every step of the pipeline reads, but no decision of
//! a step.

use std::sync::{Arc, OnceLock};

use chat_history::History;
use chat_history::dialect::Problem;
use chat_history::message::{MessageView, Role};
use fair_share::StripedLocks;
use redact::Redact;

use super::error::OffloadError;
use super::leases::ExpandedFiles;
use super::material::Materials;
use super::recent::recent_from;
use super::replacement::Replacements;
use super::request::Request;
use super::settings::{CountedParts, Run, Settings};
use super::summariser::Summariser;
use crate::measure::{Measure, Measured};
use crate::reading::restore::proof::Prover;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::place::Place;
use context_store::{
    Allowance, Chat, Durability, FileCache, Key, Lifetimes, Reader, Roots, Store, StoreError,
};
use query_sandbox::Workers;
use token_count::Tokenizer;

/// The resources that all offloads of a process share.
pub(crate) struct Offloader {
    /// The allowed roots.
    pub roots: Arc<Roots>,
    /// Counts tokens, and caches the counts.
    pub measure: Arc<Measure>,
    /// Files that this process has seen.
    pub file_cache: Arc<FileCache>,
    /// The durability that a file must have before its name is given out.
    pub durability: Durability,
    /// Replacements by content, path and settings, so that a re-posted history is not even
    /// unescaped.
    pub replacements: Replacements,
    /// Writes snapshots.
    pub summariser: Summariser,
    /// A cache of the texts that are arrays of records.
    pub materials: Materials,
    /// False if the operator disabled large result offloading: arrays of records then move like any
    /// other text.
    pub records: bool,
    /// The redaction of secrets in previews, descriptors, snapshots and prompts.
    pub redact: Redact,
    /// Tries recipes before they are offered.
    pub workers: Arc<Workers>,
    /// The lifetimes of files.
    pub lifetimes: Lifetimes,
    /// The references inside groups and lists.
    pub expanded_files: ExpandedFiles,
    /// Lets one request at a time cache the snapshots of a chat.
    pub snapshot_locks: StripedLocks,
}

impl Offloader {
    /// Clears the caches of texts: a chat was deleted, and its texts must not stay in memory.
    pub(crate) fn forget(&self) {
        self.replacements.clear();
        self.expanded_files.clear();
    }
}

/// The facts of one request.
pub(crate) struct Context<'a> {
    pub(crate) offloader: &'a Offloader,
    pub(crate) request: &'a Request<'a>,
    pub(crate) settings: &'a Settings,
    pub(crate) tokenizer: Tokenizer,
    /// A view and a count of each message.
    pub(crate) measured: Vec<Arc<Measured>>,
    /// The tokens that count in addition to those of the messages: the tools and a separate system
    /// prompt, or only the snapshots in that prompt.
    pub(crate) beside: u64,
    /// The allowed roots, for this request.
    pub(crate) roots: Roots,
    pub(crate) store: Store,
    pub(crate) reader: Reader<'a>,
    /// The chat that new files belong to, set on first use.
    pub(crate) chat: OnceLock<Chat>,
    /// The rules that the messages break as posted, set on first use.
    problems: OnceLock<Vec<Problem>>,
}

impl<'a> Context<'a> {
    /// Measures the history of a request.
    pub(crate) fn measure(
        offloader: &'a Offloader,
        request: &'a Request<'a>,
        allowance: Allowance<'a>,
    ) -> Result<Context<'a>, OffloadError> {
        let settings = &request.settings;
        let roots = offloader.roots.for_operation();
        let folder = roots.locate(&settings.store_dir)?;
        let tokenizer = Tokenizer::for_model(settings.model.as_deref());
        let reader = Reader::new(&offloader.file_cache, allowance);
        Prover { reader: &reader, roots: &roots }.judge_front(&request.history);
        let measure = &offloader.measure;
        let measured = measure.history(&request.history, tokenizer)?;
        let store = Store::new(folder, offloader.durability, Arc::clone(&offloader.file_cache));
        let (chat, problems) = (OnceLock::new(), OnceLock::new());
        let mut context = Context {
            offloader,
            request,
            settings,
            tokenizer,
            measured,
            beside: 0,
            roots,
            store,
            reader,
            chat,
            problems,
        };
        context.beside = context.count_beside();
        Ok(context)
    }

    fn count_beside(&self) -> u64 {
        let Request { tools, system, .. } = self.request;
        match self.settings.counted_parts {
            CountedParts::All => {
                let tools =
                    tools.map_or(0, |raw| self.offloader.measure.value(raw, self.tokenizer));
                tools + self.prompt_tokens(*system)
            }
            CountedParts::Messages => {
                let place = self.place();
                let bare = place.is_beside().then(|| place.emptied(self.history(), *system));
                bare.map_or(0, |bare| {
                    let bare = self.prompt_tokens(bare.as_deref());
                    self.prompt_tokens(*system).saturating_sub(bare)
                })
            }
        }
    }

    fn prompt_tokens(&self, system: Option<&str>) -> u64 {
        system.map_or(0, |raw| self.offloader.measure.prompt(raw, self.tokenizer))
    }

    /// Returns the number of tokens that count next to the messages if the separate system
    /// prompt is `system`.
    pub(crate) fn beside_with(&self, system: Option<&str>) -> u64 {
        let before = self.prompt_tokens(self.request.system);
        (self.beside + self.prompt_tokens(system)).saturating_sub(before)
    }

    /// Returns the number of tokens of the tools, or 0 if they do not count.
    pub(crate) fn tools_tokens(&self) -> u64 {
        match self.settings.counted_parts {
            CountedParts::All => self.beside - self.prompt_tokens(self.request.system),
            CountedParts::Messages => 0,
        }
    }

    pub(crate) fn history(&self) -> &History<'_> {
        &self.request.history
    }

    pub(crate) fn views(&self) -> Vec<&MessageView> {
        self.measured.iter().map(|m| &m.view).collect()
    }

    /// Returns the number of tokens of the messages and of everything next to them.
    pub(crate) fn tokens_before(&self) -> u64 {
        self.beside + self.measured.iter().map(|m| m.tokens).sum::<u64>()
    }

    /// Returns true if the history is within its limit: the target, or below `max_total_tokens`.
    pub(crate) fn is_small_enough(&self) -> bool {
        let before = self.tokens_before();
        let settings = self.settings;
        settings.target_tokens.map_or(before < settings.max_total_tokens, |target| before <= target)
    }

    /// Returns the first of the newest messages that compaction never touches.
    pub(crate) fn recent_for_compaction(&self) -> usize {
        let tokens: Vec<u64> = self.measured.iter().map(|m| m.tokens).collect();
        recent_from(self.history().dialect(), &self.views(), &tokens, self.settings.recent())
    }

    /// Returns true if a compression may remove the message.
    pub(crate) fn is_compressible(&self, index: usize) -> bool {
        self.measured[index].view.role != Role::System
    }

    /// Returns the rules that the messages break as posted.
    pub(crate) fn existing_problems(&self) -> &[Problem] {
        self.problems.get_or_init(|| self.history().dialect().problems(&self.views()))
    }

    /// Finds where the snapshots of the history are.
    pub(crate) fn place(&self) -> Place {
        let proves = |block: &Block, text: &str| self.prover().block(block, text);
        Place::find(self.history(), &self.views(), self.request.system, &proves)
    }

    /// Returns the prover of references and snapshots in the history.
    pub(crate) fn prover(&self) -> Prover<'_> {
        Prover { reader: &self.reader, roots: &self.roots }
    }

    /// Returns the key of the store's folder; in a dry run of a folder without one, a key that
    /// proves nothing.
    pub(crate) fn key(&self) -> Result<Key, StoreError> {
        match self.settings.run() {
            Run::Real => {
                let key = self.store.key_or_new()?;
                // The texts of this answer are proven with this key.
                self.reader.add_key(self.store.folder(), key);
                Ok(key)
            }
            Run::Dry => Ok(self.store.known_key().unwrap_or_else(Key::placeholder)),
        }
    }
}
