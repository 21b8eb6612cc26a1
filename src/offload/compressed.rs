//! Compression, carried out: files, the history put together, its checks, and the
//! record that keeps the snapshots. Where the store fails the history stays as it came.

use std::collections::HashMap;

use super::assemble::Assembled;
use super::check::NewReference;
use super::check_snapshot::{Subject, check};
use super::compress::Compression;
use super::kept::Kept as Record;
use super::moves::Move;
use super::plan::Kept;
use super::report::{Action, ActionKind, Checks, Outcome, Report, Source};
use super::request::{Files, Run};
use super::run::{FileOfCall, Job, Offloaded, UNCHANGED, failure};
use super::snapshots::{NewFile, Snapshots};
use crate::compression::block::Block;
use crate::compression::originals::Originals;
use crate::history::splice::quote;
use crate::store::{Claim, ClaimedFile, Claims, FileName, Key, Stem, StoreError, regular_len};

/// Most files out of reach that are named.
const LOST_TOLD: usize = 5;

impl Job<'_> {
    /// Compacts as decided, and compresses.
    pub(super) fn compress(
        &self,
        compression: &Compression,
        mut snapshots: Snapshots,
        mut moves: Vec<Move>,
        kept: &[Kept],
    ) -> Offloaded {
        if self.settings.run == Run::Dry {
            return self.planned_snapshots(compression, &moves, kept, &snapshots);
        }
        let created = match self.write_all(&mut moves, &mut snapshots) {
            Ok(created) => created,
            Err(error) => return self.unchanged(kept, vec![failure(&error)]),
        };
        self.record(&moves, &created.0);
        let own = snapshots.files.iter().zip(&created.1);
        let own: Vec<(&Claim, bool)> = own.map(|(file, created)| (&file.claim, *created)).collect();
        self.record_own(&own);
        let key = match self.key() {
            Ok(key) => key,
            Err(error) => return self.unchanged(kept, vec![failure(&error)]),
        };
        // Only now: files may have got other names when they were written.
        snapshots.blocks.iter_mut().for_each(|block| block.seal(&key));
        let rendered: Vec<String> = snapshots.blocks.iter().map(Block::render).collect();
        let assembled = self.assembled(compression, &moves, &rendered);
        let answer = self.checked(compression, &moves, kept, &snapshots, &assembled);
        let report = match answer {
            Ok(report) => report,
            Err(warning) => return self.unchanged(kept, vec![warning]),
        };
        if !snapshots.report.reused {
            self.keep(compression, rendered, &snapshots, &key);
        }
        let files = self.files_of(&moves, &snapshots, &created);
        let system = assembled.system.filter(|_| compression.place.is_beside());
        Offloaded { messages: assembled.array, system, files, report }
    }

    /// Writes results, originals and lists; says which files are new.
    fn write_all(
        &self,
        moves: &mut [Move],
        snapshots: &mut Snapshots,
    ) -> Result<(Vec<bool>, Vec<bool>), StoreError> {
        let created = self.write(moves)?;
        let new: Vec<usize> =
            (0..snapshots.files.len()).filter(|n| !snapshots.files[*n].claim.stored).collect();
        let mut of_snapshots = vec![false; snapshots.files.len()];
        let mut renamed = HashMap::new();
        // One after the other: numbers that are there have no hole before them, so
        // another request with the same messages finds the same files.
        for n in new {
            let file = &snapshots.files[n];
            let (stem, claim) = (file.stem.clone(), file.claim.clone());
            let files = [ClaimedFile { stem, claim, origin: self.own_origin() }];
            let others = |name: &FileName| {
                snapshots.names(&self.store.spell(name))
                    || snapshots.files.iter().any(|file| file.claim.name == *name)
            };
            let content = |_| file.content.as_str().into();
            let claim = self.store.write_beside(&others, &files, content)?.remove(0);
            of_snapshots[n] = !claim.stored;
            let old = self.store.spell(&file.claim.name);
            let path = self.store.spell(&claim.name);
            if old != path {
                renamed.insert(old, path);
            }
            snapshots.files[n].claim = claim;
        }
        snapshots.rename(&renamed);
        Ok((created, of_snapshots))
    }

    /// The report of an answer that holds; or the warning why it does not.
    fn checked(
        &self,
        compression: &Compression,
        moves: &[Move],
        kept: &[Kept],
        snapshots: &Snapshots,
        assembled: &Assembled,
    ) -> Result<Report, String> {
        let mut references: Vec<NewReference<'_>> = moves.iter().map(NewReference::of).collect();
        let file = |file: &'_ NewFile| (file.path.clone(), file.content.len() as u64);
        let files: Vec<(String, u64)> = snapshots.files.iter().map(file).collect();
        references.extend(files.iter().map(|(path, bytes)| NewReference { path, bytes: *bytes }));
        let moved = moves.iter().filter_map(Move::claim);
        let claims: Vec<&Claim> = moved.chain(snapshots.files.iter().map(|f| &f.claim)).collect();
        let held = claims.is_empty() || self.store.holds(&claims);
        let mut changed: Vec<usize> = moves.iter().map(|m| m.candidate.index).collect();
        changed.dedup();
        let proves = |block: &Block, text: &str| self.prover().block(block, text);
        let subject = Subject {
            before: self.history(),
            system: self.request.system,
            proves: &proves,
            judge: &|after| self.prover().judge_front(after),
            measured: &self.measured,
            broken: self.broken(),
            after: assembled,
            changed: &changed,
            recent_from: self.recent_from(self.settings.recent_for_compaction()),
            opened: &self.opened(moves),
            references: &references,
            gone: (0..self.measured.len()).filter(|index| self.goes(compression, *index)).count(),
            held,
        };
        let offloader = self.offloader;
        match check(&subject, &offloader.measure, self.tokenizer, &offloader.roots) {
            Ok((checks, tokens)) if checks.failed().is_empty() => {
                let after = self.beside_of(assembled) + tokens;
                let messages = assembled.from.len();
                Ok(self.snapshot_report_of(
                    compression,
                    moves,
                    kept,
                    snapshots,
                    (after, messages),
                    checks,
                ))
            }
            Ok((checks, _)) => {
                let names = checks.failed().join(", ");
                tracing::error!(checks = names, "an answer failed its checks");
                Err(format!("the check {names} failed; {UNCHANGED}"))
            }
            Err(error) => Err(format!("the answer cannot be read back ({error}); {UNCHANGED}")),
        }
    }

    /// The answer of a dry run: what would leave, and nothing done.
    fn planned_snapshots(
        &self,
        compression: &Compression,
        moves: &[Move],
        kept: &[Kept],
        snapshots: &Snapshots,
    ) -> Offloaded {
        let rendered: Vec<String> = snapshots.blocks.iter().map(Block::render).collect();
        let assembled = self.assembled(compression, moves, &rendered);
        let after = (self.tokens_of(&assembled), assembled.from.len());
        let mut report =
            self.snapshot_report_of(compression, moves, kept, snapshots, after, Checks::HOLD);
        if self.offloader.summariser.model().is_some() && !snapshots.report.reused {
            report.warnings.push(
                "dry run: no model was called, the snapshot's size is the built-in summariser's"
                    .to_owned(),
            );
        }
        let messages = self.history().array().to_owned();
        Offloaded { messages, system: None, files: Vec::new(), report }
    }

    pub(super) fn tokens_of(&self, assembled: &Assembled) -> u64 {
        let measure = &self.offloader.measure;
        let after = self.history().alike(&assembled.array);
        let measured = after.and_then(|history| measure.history(&history, self.tokenizer));
        let messages = measured.map_or(0, |all| all.iter().map(|m| m.tokens).sum::<u64>());
        self.beside_of(assembled) + messages
    }

    /// What stands beside the messages of the answer, in tokens.
    fn beside_of(&self, assembled: &Assembled) -> u64 {
        let cost = |system: Option<&str>| {
            system.map_or(0, |raw| self.offloader.measure.prompt(raw, self.tokenizer))
        };
        self.beside - cost(self.request.system) + cost(assembled.system.as_deref())
    }

    fn snapshot_report_of(
        &self,
        compression: &Compression,
        moves: &[Move],
        kept: &[Kept],
        snapshots: &Snapshots,
        (after, messages): (u64, usize),
        checks: Checks,
    ) -> Report {
        let mut report = self.report(moves, kept, after, checks);
        report.outcome = match report.outcome {
            Outcome::Compacted => Outcome::CompactedAndCompressed,
            _ => Outcome::Compressed,
        };
        report.messages_after = messages;
        let place = &compression.place;
        let holder = if place.is_beside() { None } else { Some(place.index().unwrap_or(0)) };
        let first = [holder, Some(compression.gone.start), report.first_changed_index];
        report.first_changed_index = first.into_iter().flatten().min();
        report.actions.extend(snapshots.report.groups.iter().map(|group| Action {
            index: group.first,
            action: ActionKind::Compress,
            tool_call_id: None,
            tool: None,
            tokens_before: group.tokens_before,
            tokens_after: group.tokens_after,
            path: Some(group.path.clone()),
            why: format!("messages {} to {} became a snapshot", group.first, group.last),
        }));
        report.actions.sort_by_key(|action| action.index);
        if !snapshots.report.rejected.is_empty() && snapshots.report.source == Source::Extractive {
            report.warnings.push(format!(
                "the built-in summariser wrote the snapshot, because {}",
                snapshots.report.rejected.join("; ")
            ));
        }
        report.warnings.extend(self.out_of_reach(&snapshots.blocks));
        report.snapshot = Some(snapshots.report.clone());
        report.retention = Some(snapshots.retention);
        report
    }

    /// A warning for each file of originals that cannot be read. It is named all
    /// the same: a store that is away for a while must not cost its references.
    fn out_of_reach(&self, blocks: &[Block]) -> Vec<String> {
        let readable =
            |path: &str| self.offloader.roots.locate(path).is_ok_and(|at| regular_len(&at).is_ok());
        let originals = blocks.iter().flat_map(|b| &b.originals).flat_map(Originals::paths);
        let files = blocks.iter().flat_map(|b| &b.files).map(|file| file.path.clone());
        let lists = blocks.iter().filter_map(|b| Some(b.more.as_ref()?.list.clone()));
        let paths = originals.chain(files).chain(lists);
        let lost = paths.filter(|path| self.settings.run == Run::Real && !readable(path));
        let told = lost.take(LOST_TOLD);
        told.map(|path| format!("\"{path}\" of an earlier snapshot cannot be read")).collect()
    }

    /// Keeps the snapshots for the next call. Whether that works or not, this
    /// answer stands.
    fn keep(
        &self,
        compression: &Compression,
        blocks: Vec<String>,
        snapshots: &Snapshots,
        key: &Key,
    ) {
        let originals =
            snapshots.blocks.iter().flat_map(|b| &b.originals).flat_map(Originals::paths);
        let hashed = |path: String| {
            let hash = self.originals_hash(&path)?;
            Some((path, hash.to_hex().to_string()))
        };
        let (report, retention) = (snapshots.report.clone(), snapshots.retention);
        // A file that cannot be read makes the record useless, and ends the search.
        let record = Record::new(
            &compression.key,
            blocks,
            report,
            retention,
            originals.map_while(hashed).collect(),
        );
        let text = record.sealed(key);
        let stem = Stem::of_kept(&compression.key);
        let wanted = [(stem, blake3::hash(text.as_bytes()))];
        let written = self.store.claim(&mut Claims::default(), &wanted).and_then(|claims| {
            let [(stem, _)] = wanted;
            let new = |claim| ClaimedFile { stem: stem.clone(), claim, origin: self.own_origin() };
            let files: Vec<ClaimedFile> = claims.into_iter().map(new).collect();
            self.store.write(&files, |_| text.as_str().into())
        });
        match written {
            Ok(claims) => {
                let own = claims.iter().map(|claim| (claim, !claim.stored));
                self.record_own(&own.collect::<Vec<_>>());
            }
            Err(error) => {
                tracing::warn!(%error, "a snapshot could not be kept for its next use");
            }
        }
    }

    fn files_of(
        &self,
        moves: &[Move],
        snapshots: &Snapshots,
        (of_moves, of_snapshots): &(Vec<bool>, Vec<bool>),
    ) -> Vec<FileOfCall> {
        let mut files = self.files(moves, of_moves);
        let include = self.settings.files == Files::Include;
        files.extend(snapshots.files.iter().zip(of_snapshots).map(|(file, created)| FileOfCall {
            path: file.path.clone(),
            created: *created,
            content: include.then(|| quote(&file.content)),
        }));
        files
    }
}
