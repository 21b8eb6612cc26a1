//! Rewriting a manifest without the lines that nobody needs: what was noted
//! twice, and what expired long ago. An appender either wrote before the
//! rewriting read, or waits and finds the new file.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::{FlockOperation, OFlags};

use super::entry::{push_end, push_mention};
use super::file::lock_within;
use super::manifest::{self, Listing, MANIFEST, Manifest};
use super::{FileName, Stem};

/// How long an expired file can be told from one that never was.
const REMEMBERED: Duration = Duration::from_hours(30 * 24);

/// How often, a millisecond apart, the exclusive lock is asked for. Appenders
/// hold it for less; where they come without end, the next sweep tries again.
const LOCK_TRIES: u32 = 50;

/// What rewriting came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tidied {
    /// The manifest was replaced.
    Rewritten,
    /// Too few lines could go.
    NotWorth,
    /// It is in use, or the file system has no locks.
    Busy,
}

/// Rewrites the folder's manifest where at least a quarter of its lines can go.
/// `read` is what the caller read of it, which decides whether to look closer.
pub(super) fn tidy(folder: &Dir, read: &Manifest, now: SystemTime) -> io::Result<Tidied> {
    if !worth(read, now) {
        return Ok(Tidied::NotWorth);
    }
    let Some(file) = manifest::open(folder, OFlags::RDONLY)? else { return Ok(Tidied::NotWorth) };
    let locked = lock_within(&file, FlockOperation::NonBlockingLockExclusive, LOCK_TRIES);
    if !matches!(locked, Ok(true)) || !manifest::is_named(folder, &file)? {
        return Ok(Tidied::Busy);
    }
    let current = Manifest::of(file.try_clone()?)?;
    if !worth(&current, now) {
        return Ok(Tidied::NotWorth);
    }
    replace(folder, &lines(folder, &current, now))?;
    // The lock goes with `file`, after the new manifest has its name.
    drop(file);
    Ok(Tidied::Rewritten)
}

fn worth(manifest: &Manifest, now: SystemTime) -> bool {
    let highest = highest(manifest);
    let kept = |(name, listing): (&FileName, &Listing)| match fate(name, listing, &highest, now) {
        Fate::Whole => {
            let told = usize::from(listing.entry.is_some()) + usize::from(listing.ended.is_some());
            told + listing.mentions.len()
        }
        Fate::Number => 1,
        Fate::Nothing => 0,
    };
    let kept: usize = manifest.files.iter().map(kept).sum();
    let dropped = manifest.lines.saturating_sub(kept);
    dropped > 0 && dropped.saturating_mul(4) >= manifest.lines
}

/// What is kept of a listing.
enum Fate {
    Whole,
    /// Its name only: the highest number of a chat is never given out again.
    Number,
    Nothing,
}

fn fate(name: &FileName, listing: &Listing, highest: &Highest<'_>, now: SystemTime) -> Fate {
    let old = |at: SystemTime| now.duration_since(at).is_ok_and(|age| age > REMEMBERED);
    if !listing.ended.is_some_and(|(at, _)| old(at)) {
        return Fate::Whole;
    }
    let top = Stem::numbered(name.as_str())
        .is_some_and(|(chat, number)| highest.get(chat) == Some(&number));
    if top { Fate::Number } else { Fate::Nothing }
}

/// The highest number by chat and kind.
type Highest<'a> = HashMap<&'a str, u64>;

fn highest(manifest: &Manifest) -> Highest<'_> {
    let mut highest = HashMap::new();
    for (chat, number) in manifest.files.keys().filter_map(|name| Stem::numbered(name.as_str())) {
        let known = highest.entry(chat).or_insert(number);
        *known = number.max(*known);
    }
    highest
}

/// The lines that are kept of a manifest.
pub(super) fn lines(folder: &Dir, manifest: &Manifest, now: SystemTime) -> Vec<u8> {
    let highest = highest(manifest);
    let mut out = Vec::new();
    for (name, listing) in &manifest.files {
        let mut fate = fate(name, listing, &highest, now);
        let is_there = || folder.symlink_metadata(name.as_str()).is_ok();
        // Its tombstone was written, but the file outlived the sweep.
        if matches!(fate, Fate::Nothing) && is_there() {
            fate = Fate::Whole;
        }
        // Who mentions what somebody else removed is of no use.
        if !listing.is_told() && !is_there() {
            fate = Fate::Nothing;
        }
        if let (Fate::Whole, Some(entry)) = (&fate, &listing.entry) {
            entry.push_line(&mut out);
        }
        if let (Fate::Whole | Fate::Number, Some((at, end))) = (&fate, listing.ended) {
            push_end(&mut out, name, at, end);
        }
        if matches!(fate, Fate::Whole) {
            listing.mentions.iter().for_each(|chat| push_mention(&mut out, name, *chat));
        }
    }
    out
}

/// Replaces the manifest as a whole: synced first, for an empty one would give
/// numbers out again.
pub(super) fn replace(folder: &Dir, lines: &[u8]) -> io::Result<()> {
    let private = format!(".unburden-{}.tmp", ulid::Ulid::generate());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = folder.open_with(&private, &options)?;
    let replaced = file
        .write_all(lines)
        .and_then(|()| file.sync_all())
        .and_then(|()| folder.rename(&private, folder, MANIFEST));
    if replaced.is_err() {
        // Whatever the reason, the private file must not stay.
        let _ = folder.remove_file(&private);
    }
    replaced
}

#[cfg(test)]
#[path = "tidy_tests.rs"]
mod tests;
