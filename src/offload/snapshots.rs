//! Snapshots, made: each group is summarised, the service's own sections are
//! added, and the block is brought under its budget. Names are claimed here, so
//! that a snapshot can say where its messages are; files are written later.

use std::collections::HashMap;
use std::ops::Range;

use super::compress::Compression;
use super::moves::Move;
use super::report::{GroupReport, SnapshotReport, Source};
use super::run::Job;
use super::summarise::{Kind, Wanted, Written};
use super::transcribe::Transcriber;
use crate::compaction::call::ReloadTool;
use crate::compression::block::{Block, FileLine, HASHED, MoreFiles, digits, sections};
use crate::compression::directives::directives;
use crate::compression::extractive;
use crate::compression::files::{fitting, referred};
use crate::compression::group::Budget;
use crate::compression::originals::Originals;
use crate::compression::retention::Retention;
use crate::compression::snapshot::{Section, Summary, Writer};
use crate::compression::transcript::Said;
use crate::history::own::IN_FORMAT;
use crate::store::{Claim, Claims, FileName, Others, Stem, StoreError};

/// Tries at bringing a snapshot under what it may cost; each halves its budget.
const TRIES: u32 = 3;

/// Why there are no snapshots.
pub(super) enum NoSnapshot {
    /// None that is small enough, or keeps enough: compaction stands.
    Why(String),
    /// The model gave none.
    Model(String),
    /// The store.
    Store(StoreError),
}

impl From<StoreError> for NoSnapshot {
    fn from(error: StoreError) -> NoSnapshot {
        NoSnapshot::Store(error)
    }
}

/// A file of a compression: what names it, its name, its content.
pub(super) struct NewFile {
    pub(super) stem: Stem,
    pub(super) claim: Claim,
    pub(super) path: String,
    pub(super) content: String,
}

/// The snapshots of a compression.
pub(super) struct Snapshots {
    pub(super) blocks: Vec<Block>,
    /// Originals and lists of files, in the order of the groups.
    pub(super) files: Vec<NewFile>,
    pub(super) report: SnapshotReport,
    pub(super) retention: Retention,
}

/// True where `path` is named for the originals of one of the snapshots.
fn holds(blocks: &[Block], path: &str) -> bool {
    blocks.iter().flat_map(|block| &block.originals).any(|originals| originals.holds(path))
}

impl Snapshots {
    /// True where a group has `path`, or one that was merged.
    pub(super) fn names(&self, path: &str) -> bool {
        holds(&self.blocks, path)
    }

    /// Other requests took names in between: files got the next ones. All at once,
    /// for one file's new name may be another's old one.
    pub(super) fn rename(&mut self, renamed: &HashMap<String, String>) {
        let rename = |path: &mut String| {
            if let Some(new) = renamed.get(path) {
                path.clone_from(new);
            }
        };
        self.files.iter_mut().for_each(|file| rename(&mut file.path));
        self.report.groups.iter_mut().for_each(|group| rename(&mut group.path));
        for block in &mut self.blocks {
            block.files.iter_mut().for_each(|file| rename(&mut file.path));
            block.more.iter_mut().for_each(|more| rename(&mut more.list));
            // Only the newest line is of this call.
            let own = block.originals.last_mut();
            let path = own.as_ref().and_then(|own| own.paths().next());
            if let (Some(own), Some(new)) = (own, path.and_then(|path| renamed.get(&path))) {
                own.rename(new);
            }
        }
    }
}

/// What snapshots before this one hold, put together.
#[derive(Default)]
struct Earlier {
    summary: Option<Summary>,
    text: String,
    user: String,
    directives: Vec<String>,
    files: Vec<FileLine>,
    more: Vec<MoreFiles>,
    originals: Vec<Originals>,
    tokens: u64,
}

impl Job<'_> {
    /// Writes the snapshots that are missing; those that are kept stay.
    pub(super) fn snapshots(
        &self,
        compression: &Compression,
        moves: &[Move],
        claims: &mut Claims,
    ) -> Result<Snapshots, NoSnapshot> {
        if let (Some((_, kept)), true) = (&compression.kept, compression.groups.is_empty()) {
            let report = SnapshotReport { reused: true, ..kept.snapshot.clone() };
            let retention = kept.retention;
            self.gate(retention)?;
            return Ok(Snapshots { blocks: kept.read(), files: Vec::new(), report, retention });
        }
        let transcriber = Transcriber::new(self, moves);
        let groups = &compression.groups;
        let said: Vec<Vec<Said<'_>>> =
            groups.iter().map(|group| transcriber.transcript(group.clone())).collect();
        let mut earlier = vec![Earlier::of(&self.shown(compression.earlier()), self)];
        earlier.resize_with(groups.len(), Earlier::default);
        let rooms = groups.len() as u64;
        let wanted: Vec<Wanted<'_>> = groups
            .iter()
            .zip(&said)
            .zip(&earlier)
            .map(|((group, said), earlier)| {
                let own = self.cost(&compression.tokens, group.clone());
                let tokens = own + earlier.tokens;
                Wanted {
                    said,
                    earlier: earlier.summary.as_ref(),
                    earlier_text: &earlier.text,
                    earlier_user: &earlier.user,
                    tokens,
                    budget: Budget::of(
                        own,
                        earlier.tokens,
                        compression.room.map(|room| room / rooms),
                    ),
                }
            })
            .collect();
        let voices = || transcriber.voices();
        let written = self.summaries(&wanted, voices).map_err(NoSnapshot::Model)?;
        let mut snapshots = Snapshots {
            blocks: Vec::new(),
            files: Vec::new(),
            report: self.snapshot_report(&written),
            retention: Retention::default(),
        };
        for (((group, wanted), written), earlier) in
            groups.iter().zip(&wanted).zip(written).zip(&earlier)
        {
            self.finish(compression, group, wanted, written, earlier, claims, &mut snapshots)?;
        }
        let retention = self.retention(&said, &snapshots.blocks);
        snapshots.retention = retention;
        self.gate(retention)?;
        Ok(snapshots)
    }

    /// Earlier snapshots as new ones may repeat them: they may have been made where
    /// secrets are shown.
    fn shown(&self, blocks: Vec<Block>) -> Vec<Block> {
        let redact = self.offloader.redact;
        let shown = |block: Block| block.changed(|text| redact.text(text).into_owned());
        blocks.into_iter().map(shown).collect()
    }

    /// Refuses a compression that loses more than the caller allows.
    fn gate(&self, retention: Retention) -> Result<(), NoSnapshot> {
        match self.settings.max_loss {
            Some(most) if retention.loss() > most => Err(NoSnapshot::Why(format!(
                "not compressed: {} of {} identifiers would be lost, more than max_loss ({most}) \
                 allows",
                retention.lost,
                retention.kept + retention.recoverable + retention.lost
            ))),
            _ => Ok(()),
        }
    }

    /// One group: originals claimed, block made to fit, group reported.
    #[expect(clippy::too_many_arguments, reason = "one step of one loop")]
    fn finish(
        &self,
        compression: &Compression,
        group: &Range<usize>,
        wanted: &Wanted<'_>,
        written: Written,
        earlier: &Earlier,
        claims: &mut Claims,
        snapshots: &mut Snapshots,
    ) -> Result<(), NoSnapshot> {
        let before = compression.earlier();
        let named = before.iter().flat_map(|block| &block.originals).filter_map(Originals::last);
        // A file that is named twice comes back once, so equal groups have one each.
        let others = |name: &FileName| {
            let path = self.store.spell(name);
            snapshots.names(&path) || holds(&before, &path)
        };
        let originals = self.new_file(
            &others,
            Stem::of_group(
                &self.chat_name(compression),
                named.max().map_or(0, |number| number + 1),
            ),
            self.originals(compression, group.clone()),
            claims,
        )?;
        let messages = group.clone().filter(|index| self.leaves(*index)).count() as u64;
        let path = originals.path.clone();
        let mut block = Block {
            writer: written.writer,
            summary: written.summary,
            directives: Vec::new(),
            files: Vec::new(),
            more: None,
            originals: earlier.originals.clone(),
            code: None,
        };
        let of_group = FileLine {
            path: path.clone(),
            about: format!(
                "the {messages} messages of this snapshot as they were{}{HASHED}{}",
                self.in_format(),
                digits(&originals.claim.hash)
            ),
        };
        block.originals.extend(Originals::new(messages, &path));
        let files = referred(wanted.said, &earlier.files);
        let room = compression.room.map(|room| room / compression.groups.len() as u64);
        let aim = room.map_or(wanted.tokens, |room| wanted.tokens.min(room));
        let mut budget = wanted.budget;
        let mut list = None;
        for round in 0..=TRIES {
            let count = |text: &str| self.tokenizer.count(text);
            block.directives =
                directives(wanted.said, &earlier.directives, budget.directives, &count);
            let (mut named, listed) = fitting(files.clone(), budget.files, &count);
            named.push(of_group.clone());
            block.files = named;
            let counts = earlier.more.iter().map(|more| more.count);
            let listed_before = counts.fold(0, u64::saturating_add);
            list =
                (!listed.is_empty() || listed_before > 0).then(|| list_of(&listed, &earlier.more));
            block.more = list.as_ref().map(|_| MoreFiles {
                count: listed_before.saturating_add(listed.len() as u64),
                // Long enough a name to count with; the true one comes below.
                list: self.store.folder().child(&"x".repeat(40)).spelled().to_owned(),
            });
            let replaced = round > 0 && block.writer == Writer::Model;
            if replaced && self.offloader.summariser.kind != Kind::Llm {
                block.writer = Writer::Extractive;
                snapshots.report.rejected.push(format!(
                    "with the user's words and the list of files the model's snapshot of messages \
                     {} to {} has no room",
                    group.start,
                    group.end - 1
                ));
            }
            if block.writer == Writer::Extractive {
                block.summary = Summary::default();
                let own = count(&block.render());
                let left = budget.whole.saturating_sub(own);
                block.summary = extractive::summarise(wanted.said, wanted.earlier, left, &count);
            }
            let size = count(&block.render());
            // A target that cannot be met is no reason to leave everything.
            if size < aim || (round == TRIES && size < wanted.tokens) {
                break;
            }
            if round == TRIES {
                return Err(NoSnapshot::Why(format!(
                    "not compressed: a snapshot of messages {} to {} would not be smaller than \
                     their {} tokens",
                    group.start,
                    group.end - 1,
                    wanted.tokens
                )));
            }
            budget = budget.halved();
        }
        if let (Some(content), Some(more)) = (list, &mut block.more) {
            let file = self.new_file(
                &|_| false,
                Stem::of_file_list(&self.chat_name(compression), 0),
                content,
                claims,
            )?;
            more.list = file.path.clone();
            snapshots.files.push(file);
        }
        snapshots.files.push(originals);
        snapshots.report.groups.push(GroupReport {
            path,
            first: group.start,
            last: group.end - 1,
            tokens_before: wanted.tokens,
            tokens_after: self.tokenizer.count(&block.render()),
            source: block.writer.into(),
        });
        if block.writer == Writer::Extractive {
            snapshots.report.source = Source::Extractive;
        }
        snapshots.blocks.push(block);
        Ok(())
    }

    fn new_file(
        &self,
        others: Others<'_>,
        stem: Stem,
        content: String,
        claims: &mut Claims,
    ) -> Result<NewFile, StoreError> {
        let wanted = [(stem, blake3::hash(content.as_bytes()))];
        let claim = self.store.claim_beside(others, claims, &wanted)?.remove(0);
        let [(stem, _)] = wanted;
        let path = self.store.spell(&claim.name);
        Ok(NewFile { stem, claim, path, content })
    }

    /// What is left of a history may not show what it was in, and its originals do
    /// not come back in another format.
    fn in_format(&self) -> String {
        match self.history().dialect().name() {
            "openai-chat" => String::new(),
            name => format!("{IN_FORMAT}{name}"),
        }
    }

    fn retention(&self, said: &[Vec<Said<'_>>], blocks: &[Block]) -> Retention {
        let readers =
            [ReloadTool::ReadFile, ReloadTool::Grep, ReloadTool::ReadToolResult, ReloadTool::Shell];
        let readable = readers.iter().any(|tool| self.settings.reload_tools.has(*tool));
        let texts: Vec<String> = blocks.iter().map(Block::render).collect();
        Retention::of(&said.concat(), &texts.join("\n"), readable)
    }

    fn snapshot_report(&self, written: &[Written]) -> SnapshotReport {
        let asked = written.iter().any(|w| w.writer == Writer::Model || !w.rejected.is_empty());
        let model = self.offloader.summariser.model().filter(|_| asked);
        SnapshotReport {
            source: Source::Llm,
            model: model.map(str::to_owned),
            reused: false,
            groups: Vec::new(),
            rejected: written.iter().flat_map(|w| w.rejected.clone()).collect(),
        }
    }
}

impl Earlier {
    fn of(blocks: &[Block], job: &Job<'_>) -> Earlier {
        let mut earlier = Earlier::default();
        for block in blocks {
            earlier.tokens += job.tokenizer.count(&block.render());
            earlier.directives.extend(block.directives.iter().cloned());
            earlier.files.extend(block.files.iter().filter(|f| !is_group(&f.path)).cloned());
            earlier.originals.extend(block.originals.iter().cloned());
            earlier.more.extend(block.more.clone());
            let summary = earlier.summary.get_or_insert_with(Summary::default);
            summary.append(&block.summary);
        }
        let constraints = earlier.summary.as_ref().map(|s| s.get(Section::ActiveConstraints));
        earlier.user =
            [earlier.directives.join("\n").as_str(), constraints.unwrap_or_default()].join("\n");
        earlier.text = earlier.summary.as_ref().map_or_else(String::new, sections);
        earlier
    }
}

/// The list of files that a snapshot does not name. Lists of earlier snapshots are
/// named in it, not copied: a chat of many compressions would copy them each time.
fn list_of(files: &[FileLine], earlier: &[MoreFiles]) -> String {
    let earlier =
        earlier.iter().map(|more| format!("{} | list of {} files\n", more.list, more.count));
    earlier.chain(files.iter().map(|file| format!("{}\n", file.render()))).collect()
}

/// The group files are named in the lines behind the snapshot.
fn is_group(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    Stem::chat_of_group(name).is_some()
}
