//! Makes snapshots: summarises each group, adds the service's own sections, and fits the block to
//! its budget. File names are claimed here, so that a snapshot can name the files of its messages.
//! The files are written later.

use std::ops::Range;
use std::time::{Duration, Instant};

use chat_history::service_messages::IN_FORMAT;
use raw_json::quote;

use super::assemble::originals_of;
use super::earlier::EarlierSnapshots;
use super::fit::{Extracted, Fitted, MessageGroup, fitted};
use super::plan::Compression;
use super::region::{least_freed, tokens_in};
use super::set::{NewFile, NoSnapshot, Snapshots, holds};
use super::summarise::{SummaryRequest, WrittenSummary, summaries};
use super::transcribe::Transcriber;
use super::whole_history::{WholeHistory, messages_with_originals};
use crate::compaction::call::ReloadTool;
use crate::pipeline::chat::chat_name;
use crate::pipeline::context::Context;
use crate::pipeline::moves::item::Move;
use crate::pipeline::report::{GroupReport, ModelCost, SnapshotReport, SnapshotSource};
use crate::snapshot::format::block::{Block, FileLine, HASHED, digits};
use crate::snapshot::format::originals::Originals;
use crate::snapshot::format::summary::Writer;
use crate::snapshot::group::{FAIR_SNAPSHOT_TOKENS, MIN_SNAPSHOT_TOKENS, Sizes, SnapshotBudget};
use crate::snapshot::retention::Retention;
use crate::snapshot::transcript::TranscriptMessage;
use context_store::{Claims, ExcludedNames, FileName, Stem, Store, StoreError};

/// Tokens of a target's room that are reserved for the text around a snapshot.
const MARGIN: u64 = 24;

/// Makes the missing snapshots; cached ones are used again.
pub(crate) fn make_snapshots(
    context: &Context<'_>,
    compression: &Compression,
    moves: &[Move],
    claims: &mut Claims,
) -> Result<Snapshots, NoSnapshot> {
    if let (Some((_, cached)), true) = (&compression.cached, compression.groups.is_empty()) {
        let report = SnapshotReport { reused: true, ..cached.snapshot.clone() };
        let retention = cached.retention;
        check_loss(context, retention)?;
        return Ok(Snapshots { blocks: cached.read(), files: Vec::new(), report, retention });
    }
    let transcriber = Transcriber::new(context, moves);
    let said: Vec<Vec<TranscriptMessage<'_>>> =
        compression.groups.iter().map(|group| transcriber.transcript(group.clone())).collect();
    // The snapshot of the first group also replaces the earlier ones.
    let mut earlier = vec![EarlierSnapshots::of(context, compression.earlier())];
    earlier.resize_with(compression.groups.len(), EarlierSnapshots::default);
    let whole = earlier[0].is_extracted.then(|| messages_with_originals(context)).flatten();
    let whole = whole.as_deref().and_then(|array| WholeHistory::parse(context, array));
    let whole = whole.as_ref().map(|whole| Transcriber::of_whole(context, whole));
    let transcribers = (&transcriber, whole.as_ref());
    let groups = compression.groups.iter().zip(said.iter().zip(&earlier));
    let groups: Vec<MessageGroup<'_>> = groups
        .map(|(range, (said, earlier))| {
            group_of(context, compression, transcribers, (range, said, earlier))
        })
        .collect();
    let wanted: Vec<&SummaryRequest<'_>> = groups.iter().map(|group| &group.wanted).collect();
    let around = || transcriber.around(compression.cut.gone.end);
    let started = Instant::now();
    let written = summaries(context, &wanted, around).map_err(NoSnapshot::Model)?;
    let made = Snapshots {
        blocks: Vec::new(),
        files: Vec::new(),
        report: snapshot_report(context, &written, started.elapsed()),
        retention: Retention::default(),
    };
    let mut maker = Maker { context, compression, claims, made };
    for (group, written) in groups.iter().zip(written) {
        maker.add(group, &written)?;
    }
    let mut made = maker.made;
    made.retention = retention_of(context, &said, &made.blocks);
    check_loss(context, made.retention)?;
    Ok(made)
}

fn group_of<'a>(
    context: &Context<'_>,
    compression: &Compression,
    (transcriber, whole): (&'a Transcriber<'a>, Option<&'a Transcriber<'a>>),
    (range, said, earlier): (&Range<usize>, &'a [TranscriptMessage<'a>], &'a EarlierSnapshots),
) -> MessageGroup<'a> {
    let originals: Vec<u64> = context.measured.iter().map(|m| m.tokens).collect();
    let groups = compression.groups.len() as u64;
    let of_group = |group: &Range<usize>| tokens_in(context, &compression.tokens, group.clone());
    let all = compression.groups.iter().map(of_group).sum::<u64>().max(1);
    // Without a target, the caller wants the groups, and each gets a fair snapshot.
    let least = if context.settings.target_tokens.is_some() { 0 } else { FAIR_SNAPSHOT_TOKENS };
    let room = compression.room.of_each(groups);
    let (room, words) = (room.whole.max(least), room.words);
    let room = room.saturating_sub(MARGIN).max(room.min(MIN_SNAPSHOT_TOKENS));
    let own = of_group(range);
    let tokens = own + earlier.tokens;
    // Each group frees its share.
    let freed = least_freed(context, compression.level) * own / all;
    let most = tokens.saturating_sub(freed + 1);
    let budget = SnapshotBudget::of(Sizes {
        originals: tokens_in(context, &originals, range.clone()),
        earlier: earlier.tokens,
        most,
        room,
        words,
        fills: context.settings.target_tokens.is_some(),
    });
    let wanted = SummaryRequest { said, earlier, tokens, budget };
    let most = if room < MIN_SNAPSHOT_TOKENS { most } else { most.min(room + words) };
    // If the history was posted whole, the messages that cached snapshots replace are present.
    let is_whole = compression.cached.is_some() && compression.cut.place.blocks.is_empty();
    let (reader, messages) = match whole {
        _ if !earlier.is_extracted => (transcriber, range.clone()),
        Some(whole) => (whole, 0..transcriber.number(range.end)),
        None if is_whole => (transcriber, compression.cut.gone.start..range.end),
        None => (transcriber, range.clone()),
    };
    let has_earlier = earlier.is_extracted && (whole.is_some() || is_whole);
    let extracted = Extracted { reader, messages, has_earlier };
    MessageGroup { range: range.clone(), wanted, extracted, transcriber, most }
}

/// Returns an error if a compression loses more than the caller allows.
fn check_loss(context: &Context<'_>, retention: Retention) -> Result<(), NoSnapshot> {
    match context.settings.max_loss {
        Some(most) if retention.loss() > most => Err(NoSnapshot::Reason(format!(
            "not compressed: {} of {} identifiers would be lost, more than max_loss ({most}) \
             allows",
            retention.lost,
            retention.kept + retention.recoverable + retention.lost
        ))),
        _ => Ok(()),
    }
}

/// Makes snapshots one after another. Each claims names that the previous ones left.
struct Maker<'a> {
    context: &'a Context<'a>,
    compression: &'a Compression,
    claims: &'a mut Claims,
    made: Snapshots,
}

impl Maker<'_> {
    /// Claims a name for the originals of a group, fits its snapshot, and adds both.
    fn add(
        &mut self,
        group: &MessageGroup<'_>,
        written: &WrittenSummary,
    ) -> Result<(), NoSnapshot> {
        let context = self.context;
        let file = self.originals_file(group)?;
        let range = group.range.clone();
        let messages = range.filter(|index| context.is_compressible(*index)).count() as u64;
        let own = FileLine {
            path: file.path.clone(),
            about: format!(
                "{}the {messages} messages of this snapshot as they were{}{HASHED}{}",
                search_of(context, &file.path),
                in_format(context),
                digits(&file.claim.hash)
            ),
        };
        let originals = Originals::new(messages, &file.path);
        let fitted = fitted(context, group, written, originals, &own);
        let Fitted { mut block, list, rejected } = fitted.map_err(NoSnapshot::Reason)?;
        self.made.report.rejected.extend(rejected);
        if let (Some(content), Some(more)) = (list, &mut block.more) {
            let stem = Stem::of_file_list(&chat_name(context, self.compression), 0);
            let list = claim(&context.store, self.claims, &|_| false, stem, content)?;
            more.list.clone_from(&list.path);
            self.made.files.push(list);
        }
        self.made.report.groups.push(GroupReport {
            path: file.path.clone(),
            first: group.range.start,
            last: group.range.end - 1,
            tokens_before: group.wanted.tokens,
            tokens_after: context.tokenizer.count(&block.render()),
            source: block.writer.into(),
        });
        if block.writer == Writer::Extractive {
            self.made.report.source = SnapshotSource::Extractive;
        }
        self.made.files.push(file);
        self.made.blocks.push(block);
        Ok(())
    }

    /// Returns the file with the messages of a group.
    fn originals_file(&mut self, group: &MessageGroup<'_>) -> Result<NewFile, StoreError> {
        let (context, compression) = (self.context, self.compression);
        let before = compression.earlier();
        let numbers = before.iter().flat_map(|block| &block.originals).filter_map(Originals::last);
        let number = numbers.max().map_or(0, |number| number + 1);
        // A file that is named twice would be restored only once, so equal groups get a file each.
        let others = |name: &FileName| {
            let path = context.store.path_of(name);
            self.made.names(&path) || holds(&before, &path)
        };
        let stem = Stem::of_group(&chat_name(context, compression), number);
        let content = originals_of(context, &compression.cut, group.range.clone());
        claim(&context.store, self.claims, &others, stem, content)
    }
}

fn claim(
    store: &Store,
    claims: &mut Claims,
    others: ExcludedNames<'_>,
    stem: Stem,
    content: String,
) -> Result<NewFile, StoreError> {
    let wanted = [(stem, blake3::hash(content.as_bytes()))];
    let claim = store.claim_except(others, claims, &wanted)?.remove(0);
    let [(stem, _)] = wanted;
    let path = store.path_of(&claim.name);
    Ok(NewFile { stem, claim, path, content })
}

/// Renders the call that searches the file at `path` for what a snapshot omits, if the agent has
/// the tool.
fn search_of(context: &Context<'_>, path: &str) -> String {
    let tool = context.settings.reload_tools.name(ReloadTool::Grep);
    let call =
        |tool| format!("{tool}(pattern=\"…\", path={}) finds what is not here; ", quote(path));
    tool.map(call).unwrap_or_default()
}

/// Renders the name of the messages' format. The rest of a history may not show its format, and
/// originals are not restored in another one.
fn in_format(context: &Context<'_>) -> String {
    match context.history().dialect().name() {
        "openai-chat" => String::new(),
        name => format!("{IN_FORMAT}{name}"),
    }
}

fn retention_of(
    context: &Context<'_>,
    said: &[Vec<TranscriptMessage<'_>>],
    blocks: &[Block],
) -> Retention {
    let readers =
        [ReloadTool::ReadFile, ReloadTool::Grep, ReloadTool::ReadToolResult, ReloadTool::Shell];
    let readable = readers.iter().any(|tool| context.settings.reload_tools.has(*tool));
    let texts: Vec<String> = blocks.iter().map(Block::render).collect();
    Retention::of(&said.concat(), &texts.join("\n"), readable)
}

fn snapshot_report(
    context: &Context<'_>,
    written: &[WrittenSummary],
    took: Duration,
) -> SnapshotReport {
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let mut cost = ModelCost::default();
    for one in written {
        cost.calls += one.cost.calls;
        cost.prompt_tokens += one.cost.prompt_tokens;
        cost.reply_tokens += one.cost.reply_tokens;
    }
    if cost.calls > 0 {
        cost.milliseconds = milliseconds;
    }
    let asked = written.iter().any(|w| w.writer == Writer::Model || !w.rejected.is_empty());
    let model = context.offloader.summariser.model().filter(|_| asked);
    SnapshotReport {
        source: SnapshotSource::Llm,
        model: model.map(str::to_owned),
        reused: false,
        groups: Vec::new(),
        rejected: written.iter().flat_map(|w| w.rejected.clone()).collect(),
        dropped: written.iter().flat_map(|w| w.dropped.clone()).collect(),
        cost,
    }
}
