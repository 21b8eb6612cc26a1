//! The earlier snapshots, merged, because a new snapshot also replaces them.

use crate::pipeline::context::Context;
use crate::snapshot::format::block::{Block, FileLine, MoreFiles, sections};
use crate::snapshot::format::originals::Originals;
use crate::snapshot::format::summary::{Section, Summary, Writer};
use context_store::group_of;

/// The parts of the earlier snapshots.
#[derive(Default)]
pub(crate) struct EarlierSnapshots {
    pub(crate) summary: Option<Summary>,
    /// The summary as text.
    pub(crate) text: String,
    /// The parts that come from the user: directives, goal and constraints.
    pub(crate) user: String,
    pub(crate) directives: Vec<String>,
    pub(crate) files: Vec<FileLine>,
    pub(crate) more: Vec<MoreFiles>,
    pub(crate) originals: Vec<Originals>,
    /// The tokens of the snapshots.
    pub(crate) tokens: u64,
    /// True if there are any and the built-in summariser wrote all of them.
    pub(crate) is_extracted: bool,
}

impl EarlierSnapshots {
    /// Merges snapshots into a form that a new one may repeat. Redacts them, because they may have
    /// been made while secrets were visible.
    pub(crate) fn of(context: &Context<'_>, blocks: Vec<Block>) -> EarlierSnapshots {
        let redact = context.offloader.redact;
        let is_extracted = |block: &Block| block.writer == Writer::Extractive;
        let mut earlier = EarlierSnapshots {
            is_extracted: !blocks.is_empty() && blocks.iter().all(is_extracted),
            ..EarlierSnapshots::default()
        };
        for block in blocks {
            let block = block.changed(|text| redact.text(text).into_owned());
            earlier.tokens += context.tokenizer.count(&block.render());
            let summary = earlier.summary.get_or_insert_with(Summary::default);
            summary.append(&block.summary);
            earlier.directives.extend(block.directives);
            earlier.files.extend(block.files.into_iter().filter(|file| !is_group(&file.path)));
            earlier.originals.extend(block.originals);
            earlier.more.extend(block.more);
        }
        let set = [Section::OverallGoal, Section::ActiveConstraints];
        let of = |section| earlier.summary.as_ref().map_or("", |summary| summary.get(section));
        let user = [earlier.directives.join("\n").as_str(), of(set[0]), of(set[1])].join("\n");
        earlier.user = user;
        earlier.text = earlier.summary.as_ref().map_or_else(String::new, sections);
        earlier
    }
}

/// Returns true for the file of a group. The lines after the snapshot name these.
fn is_group(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    group_of(name).is_some()
}
