//! Snapshots, made: each group is summarised, the service's own sections are
//! added, and the block is brought under its budget. Names are claimed here, so
//! that a snapshot can say where its messages are; files are written later.

use std::ops::Range;

use super::compress::Compression;
use super::moves::Move;
use super::report::{GroupReport, SnapshotReport, Source};
use super::run::Job;
use super::summarise::{Kind, Wanted, Written};
use super::transcribe::Transcriber;
use crate::compaction::call::ReloadTool;
use crate::compression::block::{Block, FileLine, MoreFiles, Originals, sections};
use crate::compression::directives::directives;
use crate::compression::extractive;
use crate::compression::files::{fitting, referred};
use crate::compression::group::Budget;
use crate::compression::retention::Retention;
use crate::compression::snapshot::{Section, Summary, Writer};
use crate::compression::transcript::Said;
use crate::store::{Claim, Claims, Stem, StoreError, read_regular};

/// Tries at bringing a snapshot under what it may cost; each halves its budget.
const TRIES: u32 = 3;

/// Why there are no snapshots.
pub(super) enum NoSnapshot {
    /// Nothing is wrong with the store: compaction stands.
    Why(String),
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

impl Snapshots {
    /// Another request took a name in between: the file got the next one.
    pub(super) fn rename(&mut self, old: &str, new: &str) {
        let rename = |path: &mut String| {
            if path == old {
                new.clone_into(path);
            }
        };
        self.files.iter_mut().for_each(|file| rename(&mut file.path));
        self.report.groups.iter_mut().for_each(|group| rename(&mut group.path));
        for block in &mut self.blocks {
            block.files.iter_mut().for_each(|file| rename(&mut file.path));
            block.more.iter_mut().for_each(|more| rename(&mut more.list));
            block.originals.iter_mut().flat_map(|o| &mut o.paths).for_each(rename);
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
            return Ok(Snapshots { blocks: kept.read(), files: Vec::new(), report, retention });
        }
        let transcriber = Transcriber::new(self, moves);
        let groups = &compression.groups;
        let said: Vec<Vec<Said<'_>>> =
            groups.iter().map(|group| transcriber.transcript(group.clone())).collect();
        let voices: Vec<Vec<Said<'_>>> = groups
            .iter()
            .zip(&said)
            .map(|(group, said)| [transcriber.voices(group), said.clone()].concat())
            .collect();
        let mut earlier = vec![Earlier::of(&compression.earlier(), self)];
        earlier.resize_with(groups.len(), Earlier::default);
        let rooms = groups.len() as u64;
        let wanted: Vec<Wanted<'_>> = groups
            .iter()
            .zip(said.iter().zip(&voices))
            .zip(&earlier)
            .map(|((group, (said, voices)), earlier)| {
                let tokens = self.cost(&compression.tokens, group.clone()) + earlier.tokens;
                Wanted {
                    said,
                    voices,
                    earlier: earlier.summary.as_ref(),
                    earlier_text: &earlier.text,
                    earlier_user: &earlier.user,
                    tokens,
                    budget: Budget::of(tokens, compression.room.map(|room| room / rooms)),
                }
            })
            .collect();
        let written = self.summaries(&wanted).map_err(NoSnapshot::Why)?;
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
        if let Some(most) = self.settings.max_loss
            && retention.loss() > most
        {
            return Err(NoSnapshot::Why(format!(
                "not compressed: {} of {} identifiers would be lost, more than max_loss ({most}) \
                 allows",
                retention.lost,
                retention.kept + retention.recoverable + retention.lost
            )));
        }
        Ok(snapshots)
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
        let originals = self.new_file(
            Stem::of_group(&self.chat(compression)),
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
        };
        let of_group = FileLine {
            path: path.clone(),
            about: format!("the {messages} messages of this snapshot as they were"),
        };
        block.originals.push(Originals { messages, paths: vec![path.clone()] });
        let files = referred(wanted.said, &earlier.files);
        let most = compression.room.map_or(wanted.tokens, |room| {
            wanted.tokens.min(room / compression.groups.len() as u64)
        });
        let mut budget = wanted.budget;
        let mut list = None;
        for round in 0..=TRIES {
            let count = |text: &str| self.tokenizer.count(text);
            block.directives =
                directives(wanted.said, &earlier.directives, budget.directives, &count);
            let (mut named, listed) = fitting(files.clone(), budget.files, &count);
            named.push(of_group.clone());
            block.files = named;
            let listed_before: u64 = earlier.more.iter().map(|more| more.count).sum();
            list = (!listed.is_empty() || listed_before > 0)
                .then(|| self.list(&listed, &earlier.more));
            block.more = list.as_ref().map(|_| MoreFiles {
                count: listed.len() as u64 + listed_before,
                // Long enough a name to count with; the true one comes below.
                list: self.store.folder().child(&"x".repeat(40)).spelled().to_owned(),
            });
            if round > 0 && self.offloader.summariser.kind != Kind::Llm {
                block.writer = Writer::Extractive;
            }
            if block.writer == Writer::Extractive {
                block.summary = Summary::default();
                let own = count(&block.render());
                let left = budget.whole.saturating_sub(own);
                block.summary = extractive::summarise(wanted.said, wanted.earlier, left, &count);
            }
            if count(&block.render()) < most {
                break;
            }
            if round == TRIES {
                return Err(NoSnapshot::Why(format!(
                    "not compressed: a snapshot of messages {} to {} would not be smaller than \
                     {most} tokens",
                    group.start,
                    group.end - 1
                )));
            }
            budget = budget.halved();
        }
        if let (Some(content), Some(more)) = (list, &mut block.more) {
            let file =
                self.new_file(Stem::of_file_list(&self.chat(compression)), content, claims)?;
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
        stem: Stem,
        content: String,
        claims: &mut Claims,
    ) -> Result<NewFile, StoreError> {
        let wanted = [(stem, blake3::hash(content.as_bytes()))];
        let claim = self.store.claim(claims, &wanted)?.remove(0);
        let [(stem, _)] = wanted;
        let path = self.store.spell(&claim.name);
        Ok(NewFile { stem, claim, path, content })
    }

    /// The list of files that a snapshot does not name, those of earlier lists
    /// first; a list that cannot be read is named itself.
    fn list(&self, files: &[FileLine], earlier: &[MoreFiles]) -> String {
        let mut lines = String::new();
        for MoreFiles { count, list } in earlier {
            let read = self.offloader.roots.locate(list).ok().and_then(|at| read_regular(&at).ok());
            match read {
                Some(read) => lines.push_str(&read),
                None => lines.push_str(&format!("{list} | {count} files\n")),
            }
        }
        for file in files {
            lines.push_str(&file.render());
            lines.push('\n');
        }
        lines
    }

    /// What a chat's files are named after: its id, the one that its earlier
    /// files have, or a hash of how it began.
    fn chat(&self, compression: &Compression) -> String {
        if let Some(chat) = &self.settings.chat_id {
            return chat.clone();
        }
        let earlier = compression.earlier();
        let paths = earlier.iter().flat_map(|block| &block.originals).flat_map(|o| &o.paths);
        let mut named = paths.rev().filter_map(|path| {
            let name = path.rsplit('/').next().unwrap_or_default();
            Some(Stem::chat_of_group(name)?.0.to_owned())
        });
        named.next().unwrap_or_else(|| {
            let first = self.request.history.messages()[compression.gone.start];
            blake3::hash(first.as_bytes()).to_hex()[..16].to_owned()
        })
    }

    fn retention(&self, said: &[Vec<Said<'_>>], blocks: &[Block]) -> Retention {
        let readers =
            [ReloadTool::ReadFile, ReloadTool::Grep, ReloadTool::ReadToolResult, ReloadTool::Shell];
        let readable = readers.iter().any(|tool| self.settings.reload_tools.contains(tool));
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

/// The group files are named in the lines behind the snapshot.
fn is_group(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    Stem::chat_of_group(name).is_some()
}
