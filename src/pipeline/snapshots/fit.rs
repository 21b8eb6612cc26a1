//! Fits a snapshot: fills it, with smaller budgets if necessary, until it is smaller than the
//! messages that it replaces. A model's summary loses lines for that, and gets extracts in place of
//! its rejected sentences.

use std::ops::Range;

use super::summarise::{SummaryRequest, WrittenSummary};
use super::transcribe::Transcriber;
use crate::pipeline::context::Context;
use crate::pipeline::summariser::SummariserKind;
use crate::snapshot::extractive::directives::directives;
use crate::snapshot::extractive::files::{fitting, referred};
use crate::snapshot::extractive::said::said;
use crate::snapshot::extractive::{Source, amended, summarise};
use crate::snapshot::format::block::{Block, FileLine, MoreFiles};
use crate::snapshot::format::originals::Originals;
use crate::snapshot::format::summary::{Section, Summary, Writer};
use crate::snapshot::group::SnapshotBudget;
use crate::snapshot::mending::{Lost, complete, shortened};
use crate::snapshot::transcript::TranscriptMessage;

/// Tokens of extracts to choose from, per removed token: the best replace what was removed.
const EXTRACTS: u64 = 3;

/// Number of retries to fit a snapshot; each lowers the budget.
const TRIES: u32 = 6;

/// The messages that a new snapshot replaces.
pub(crate) struct MessageGroup<'a> {
    /// The messages, counted from 0.
    pub(crate) range: Range<usize>,
    /// The request for the summary.
    pub(crate) wanted: SummaryRequest<'a>,
    /// Reads the messages as they were before compaction: the built-in summariser has no context
    /// window that a long result could fill.
    pub(crate) transcriber: &'a Transcriber<'a>,
    /// The messages that extracts are made from.
    pub(crate) extracted: Extracted<'a>,
    /// The maximum tokens of the snapshot: what a hard target leaves, if that is enough for a
    /// snapshot, and what makes it worth a pass.
    pub(crate) most: u64,
}

/// The messages that the extracts of a snapshot are made from. They are those that it replaces and,
/// if available, those that the earlier snapshots replaced. Extracts of extracts would lose more
/// with each call.
pub(crate) struct Extracted<'a> {
    /// Reads the messages.
    pub(crate) reader: &'a Transcriber<'a>,
    /// The range of messages in the reader's numbering.
    pub(crate) messages: Range<usize>,
    /// True if the messages of the earlier snapshots are included.
    pub(crate) has_earlier: bool,
}

impl MessageGroup<'_> {
    /// Returns the parts of the earlier snapshots that a new one repeats: their summary and the
    /// user's words.
    fn repeated(&self, writer: Writer) -> (Option<&Summary>, &[String]) {
        let earlier = self.wanted.earlier;
        match writer {
            Writer::Extractive if self.extracted.has_earlier => (None, &[]),
            _ => (earlier.summary.as_ref(), &earlier.directives),
        }
    }

    /// Returns the name of the messages for a warning.
    pub(crate) fn named(&self) -> String {
        format!("messages {} to {}", self.range.start, self.range.end - 1)
    }
}

/// A snapshot that fits.
pub(crate) struct Fitted {
    pub(crate) block: Block,
    /// The list of the files that the block does not name.
    pub(crate) list: Option<String>,
    /// The reason that the model's summary was discarded.
    pub(crate) rejected: Option<String>,
}

/// Fills a snapshot whose messages are in the file `own`.
///
/// # Errors
///
/// Fails if the snapshot would not be smaller than the messages that it replaces.
pub(crate) fn fitted(
    context: &Context<'_>,
    group: &MessageGroup<'_>,
    written: &WrittenSummary,
    originals: Option<Originals>,
    own: &FileLine,
) -> Result<Fitted, String> {
    let wanted = &group.wanted;
    let aim = group.most;
    let block = empty(written.writer, wanted.earlier.originals.iter().cloned().chain(originals));
    let mut fitted = Fitted { block, list: None, rejected: None };
    let mut budget = wanted.budget;
    let (mut own_messages, mut extracted) = (None, None);
    for round in 0..=TRIES {
        let model_may_yield = context.offloader.summariser.kind != SummariserKind::Llm;
        if round == TRIES && fitted.block.writer == Writer::Model && model_may_yield {
            fitted.block.writer = Writer::Extractive;
            fitted.rejected = Some(format!(
                "with the user's words and the list of files the model's snapshot of {} has no \
                 room",
                group.named()
            ));
        }
        let source = match fitted.block.writer {
            Writer::Model if written.lost.total() == 0 => wanted.said,
            Writer::Model => {
                own_messages.get_or_insert_with(|| group.transcriber.originals(group.range.clone()))
            }
            Writer::Extractive => extracted.get_or_insert_with(|| {
                let Extracted { reader, messages, .. } = &group.extracted;
                reader.originals(messages.clone())
            }),
        };
        fill(context, (group, source), (written, budget), own, &mut fitted);
        let size = context.tokenizer.count(&fitted.block.render());
        // If a target cannot be met, a smaller history is still better than an unchanged one.
        if size <= aim || (round == TRIES && size < wanted.tokens) {
            return Ok(fitted);
        }
        budget = match fitted.block.writer {
            Writer::Model => budget.fitting(aim, size),
            Writer::Extractive => {
                let words = context.tokenizer.count(&fitted.block.directives.join("\n"));
                let has_sections = fitted.block.summary != Summary::default();
                budget.less(size - aim, words, has_sections)
            }
        };
    }
    Err(format!(
        "not compressed: a snapshot of {} would not be smaller than their {} tokens",
        group.named(),
        wanted.tokens
    ))
}

/// Returns a snapshot that names its originals only.
fn empty(writer: Writer, originals: impl Iterator<Item = Originals>) -> Block {
    Block {
        writer,
        summary: Summary::default(),
        directives: Vec::new(),
        files: Vec::new(),
        more: None,
        originals: originals.collect(),
        code: None,
    }
}

/// Fills a snapshot with as much as its budget allows.
fn fill(
    context: &Context<'_>,
    (group, messages): (&MessageGroup<'_>, &[TranscriptMessage<'_>]),
    (written, budget): (&WrittenSummary, SnapshotBudget),
    own: &FileLine,
    fitted: &mut Fitted,
) {
    let wanted = &group.wanted;
    let (block, earlier) = (&mut fitted.block, wanted.earlier);
    let (summary_before, words_before) = group.repeated(block.writer);
    let count = |text: &str| context.tokenizer.count(text);
    let said = said(messages);
    let summary =
        (block.writer == Writer::Model).then(|| shortened(&written.summary, budget.model, &count));
    let room = summary.as_ref().map_or(budget.directives, |summary| {
        let sections = Section::ALL.map(|section| count(summary.get(section)));
        budget.directives_beside(sections.iter().sum())
    });
    block.directives = directives(&said, words_before, room, &count);
    let (mut named, listed) = fitting(referred(wanted.said, &earlier.files), budget.files, &count);
    named.push(own.clone());
    block.files = named;
    let before = earlier.more.iter().map(|more| more.count).fold(0, u64::saturating_add);
    fitted.list = (!listed.is_empty() || before > 0).then(|| list_of(&listed, &earlier.more));
    block.more = fitted.list.as_ref().map(|_| MoreFiles {
        count: before.saturating_add(listed.len() as u64),
        // The list gets its name once the snapshot fits. This one is similar to the name of the
        // messages' file and has as many tokens.
        list: own.path.replace("compressed_group_", "compressed_files_"),
    });
    block.summary = Summary::default();
    let words = count(&block.directives.join("\n"));
    let left = budget.with_words(words).saturating_sub(count(&block.render()));
    let (directives, earlier) = (&block.directives, summary_before);
    let source = Source { messages, said: &said, directives, earlier };
    let Some(mut summary) = summary else {
        block.summary = summarise(&source, left, &count);
        return;
    };
    let lost = if budget == wanted.budget { written.lost } else { Lost::default() };
    if lost.total() > 0 {
        let extract = summarise(&source, (EXTRACTS * lost.total()).min(left), &count);
        complete(&mut summary, &extract, lost, &count);
    }
    let rules = summary.get(Section::ActiveConstraints);
    summary.set(Section::ActiveConstraints, amended(rules, &source));
    block.summary = summary;
}

/// Renders the list of files that a snapshot does not name. It refers to the lists of earlier
/// snapshots instead of copying them: many compressions of a chat would copy them each time.
fn list_of(files: &[FileLine], earlier: &[MoreFiles]) -> String {
    let earlier =
        earlier.iter().map(|more| format!("{} | list of {} files\n", more.list, more.count));
    earlier.chain(files.iter().map(|file| format!("{}\n", file.render()))).collect()
}
