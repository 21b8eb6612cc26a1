//! The answer: messages, files and report put together from what was decided and
//! what was checked.

use std::collections::HashSet;
use std::sync::Arc;

use super::moves::{BROKEN, Move, Target};
use super::plan::{Candidate, Kept};
use super::report::{Action, ActionKind, Checks, Outcome, Report, ratio};
use super::request::{Files, Run};
use super::run::{FileOfCall, Job, Offloaded};
use crate::history::message::{Role, SlotKind};
use crate::history::splice::quote;
use crate::store::Call;
use crate::tokens::measure::Measured;

impl Job<'_> {
    /// The files of the call, each once, with contents where they are wanted. A
    /// string's literal is copied as it came, not unescaped and escaped again.
    pub(super) fn files(&self, moves: &[Move], created: &[bool]) -> Vec<FileOfCall> {
        let mut seen = HashSet::new();
        let mut files = Vec::new();
        for (item, created) in moves.iter().zip(created) {
            if matches!(item.target, Target::Source { .. }) || !seen.insert(item.path.clone()) {
                continue;
            }
            let slot = &item.candidate.slot.slot;
            let raw = &self.history().messages()[item.candidate.index][slot.span.clone()];
            let records = matches!(item.target, Target::File { records: Some(_), .. });
            let content = (self.settings.files == Files::Include).then(|| match slot.kind {
                _ if records => quote(&self.stored_text(item)),
                SlotKind::String => raw.to_owned(),
                SlotKind::Json => quote(raw),
            });
            files.push(FileOfCall { path: item.path.clone(), created: *created, content });
        }
        files
    }

    /// The answer that leaves the messages alone.
    pub(super) fn unchanged(&self, kept: &[Kept], warnings: Vec<String>) -> Offloaded {
        let mut report = self.report(&[], kept, self.tokens_before(), Checks::HOLD);
        report.warnings.extend(warnings);
        let messages = self.history().array().to_owned();
        Offloaded { messages, system: None, files: Vec::new(), report }
    }

    /// The answer of a dry run, or of a plan without a move.
    pub(super) fn planned(&self, moves: &[Move], kept: &[Kept]) -> Offloaded {
        let saved: u64 = moves.iter().map(Move::saves).sum();
        let report = self.report(moves, kept, self.tokens_before() - saved, Checks::HOLD);
        let messages = self.history().array().to_owned();
        Offloaded { messages, system: None, files: Vec::new(), report }
    }

    pub(super) fn report(
        &self,
        moves: &[Move],
        kept: &[Kept],
        after: u64,
        checks: Checks,
    ) -> Report {
        let shown = |candidate: &Candidate| self.call_shown(candidate);
        let moved = moves.iter().map(|item| Action::moved(item, shown(&item.candidate)));
        let kept = kept.iter().map(|kept| Action::kept(kept, shown(&kept.candidate)));
        let mut actions: Vec<Action> = moved.chain(kept).collect();
        actions.sort_by_key(|action| action.index);
        let before = self.tokens_before();
        let ratio = ratio(before, after);
        let moved = moves.iter().map(|m| m.candidate.index);
        let count = self.history().messages().len();
        let mut report = Report {
            outcome: if moves.is_empty() { Outcome::Unchanged } else { Outcome::Compacted },
            format: self.history().dialect().name(),
            format_source: self.history().source().words(),
            tokenizer: self.tokenizer.name(),
            tokens_before: before,
            tokens_after: after,
            compaction_ratio: ratio,
            messages_before: count,
            messages_after: count,
            first_changed_index: moved.chain(self.request.mends.iter().map(|m| m.index)).min(),
            dry_run: self.settings.run == Run::Dry,
            actions,
            snapshot: None,
            retention: None,
            checks,
            repairs: self.request.mends.clone(),
            warnings: self.request.warnings.clone(),
        };
        self.warn(&mut report);
        report
    }

    fn warn(&self, report: &mut Report) {
        let settings = self.settings;
        for action in report.actions.iter().filter(|action| action.why == BROKEN) {
            report
                .warnings
                .push(format!("messages[{}] {BROKEN}; it is left as it is", action.index));
        }
        report.warnings.extend(self.unknown_parts());
        let recent = self.recent_from(settings.recent_for_compaction());
        let opened = report.actions.iter().filter(|a| a.action.moved() && a.index >= recent);
        let opened = opened.count();
        if opened > 0 {
            report.warnings.push(format!(
                "target_tokens asked for {opened} results of the newest messages to move"
            ));
        }
        if let Some(target) = settings.target_tokens.filter(|target| report.tokens_after > *target)
        {
            let left = report.tokens_after;
            // Where newest results moved, what was fixed before says nothing.
            let fixed = Some(self.fixed_tokens()).filter(|fixed| opened == 0 && *fixed < left);
            let fixed = fixed.map_or_else(String::new, |fixed| {
                format!(", {fixed} of them in tools, system messages and the newest messages")
            });
            report
                .warnings
                .push(format!("target_tokens {target} cannot be met: {left} tokens remain{fixed}"));
        }
    }

    /// A warning of parts that are counted and never read.
    fn unknown_parts(&self) -> Option<String> {
        let unknown = |(index, measured): (usize, &Arc<Measured>)| {
            measured.view.unknown.clone().map(|kind| (index, kind))
        };
        let mut unknown = self.measured.iter().enumerate().filter_map(unknown);
        let (index, kind) = unknown.next()?;
        let more = match unknown.count() {
            0 => String::new(),
            more => format!("; so are parts of {more} more messages"),
        };
        let format = self.history().dialect().name();
        Some(format!(
            "messages[{index}] has a part of type \"{kind}\", which {format} does not know: it is \
             counted as the JSON it is, and never moved{more}"
        ))
    }

    fn fixed_tokens(&self) -> u64 {
        let recent = self.recent_from(self.settings.recent_for_compaction());
        let fixed = self.measured.iter().enumerate();
        let fixed = fixed.filter(|(i, m)| *i >= recent || m.view.role == Role::System);
        self.beside + fixed.map(|(_, m)| m.tokens).sum::<u64>()
    }
}

impl Action {
    fn moved(item: &Move, call: Call) -> Action {
        let (kind, why) = match item.target {
            Target::File { records: Some(_), .. } => {
                (ActionKind::Materialize, "moved to a file of records")
            }
            Target::File { .. } => (ActionKind::Compact, "moved to a file"),
            Target::Source { .. } => (ActionKind::Compact, "was read back from this file"),
        };
        Action {
            tokens_after: item.replacement.tokens,
            path: Some(item.path.clone()),
            ..Action::new(&item.candidate, call, kind, why)
        }
    }

    fn kept(kept: &Kept, call: Call) -> Action {
        Action::new(&kept.candidate, call, ActionKind::Keep, kept.why)
    }

    fn new(candidate: &Candidate, call: Call, action: ActionKind, why: &str) -> Action {
        Action {
            index: candidate.index,
            action,
            tool_call_id: call.call_id,
            tool: call.tool,
            tokens_before: candidate.slot.tokens,
            tokens_after: candidate.slot.tokens,
            path: None,
            why: why.to_owned(),
        }
    }
}
