//! Moving the manifest of an earlier version into the index: line by line, in little
//! memory, under the index's lock. The manifest goes when all of it is there; a crash
//! before that is finished by the next time, which begins at the first line again.

use std::io;

use cap_std::fs::Dir;

use super::index::{Index, Told};
use super::manifest::{self, Line, MANIFEST};
use super::record::{End, Record};
use super::sweep_forget::day_of;
use super::{FileName, Stem, own_file};

/// How many numbers below one that is known to have been given out are taken, too:
/// earlier versions remembered only a chat's highest.
const NUMBERS_BELOW: u64 = 4_096;

/// The outcome for a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Migrated {
    /// There was none.
    Nothing,
    /// It is in the index now.
    Done,
    /// Something has its name that this service did not write.
    Foreign,
}

/// Moves the folder's manifest, where it has one, into its index.
pub(super) fn migrate(folder: &Dir) -> io::Result<Migrated> {
    if !own_file::is_there(folder, MANIFEST)? {
        return Ok(Migrated::Nothing);
    }
    if manifest::open(folder)?.is_none() {
        return Ok(Migrated::Foreign);
    }
    let index = Index::make(folder)?;
    let _locked = index.lock()?;
    // Another process may have done it meanwhile.
    let Some(file) = manifest::open(folder)? else { return Ok(Migrated::Nothing) };
    let migration = Migration { folder, index: &index };
    manifest::scan(file, |line| match Line::parse(line) {
        Some(line) => migration.take(line),
        None => Ok(()),
    })?;
    // All records at once: a manifest that is gone must not leave empty ones.
    rustix::fs::syncfs(&index.private)?;
    folder.remove_file(MANIFEST)?;
    Ok(Migrated::Done)
}

struct Migration<'a> {
    folder: &'a Dir,
    index: &'a Index,
}

impl Migration<'_> {
    fn take(&self, line: Line) -> io::Result<()> {
        match line {
            Line::Made(name, record) => self.made(&name, &record),
            Line::Ended(name, end) => self.ended(&name, end),
            Line::Mentioned(name, chat) => {
                if self.index.told(&name)? == Told::Nothing && !self.is_there(&name)? {
                    return Ok(());
                }
                self.index.note_shared(&name, chat)?;
                self.index.note_chat(chat, &name)
            }
        }
    }

    fn made(&self, name: &FileName, record: &Record) -> io::Result<()> {
        let chat = record.origin.chat;
        record.origin.keys(name).try_for_each(|key| self.index.note_call(&key, name))?;
        if let Some(chat) = chat {
            self.index.note_chat(chat, name)?;
        }
        if self.index.create(name, record)? {
            return self.numbers_below(name, record.created_at);
        }
        let known = self.index.record(name);
        let Some(known) = known else { return Ok(()) };
        if known.hash.is_none() {
            return self.index.replace(name, record);
        }
        // Made again, or by a newer version: the chats of both lives have it.
        match chat.filter(|chat| known.origin.chat != Some(*chat)) {
            Some(_) if known.origin.chat.is_none() && known.hash == record.hash => {
                self.index.replace(name, record)
            }
            Some(chat) => self.index.note_shared(name, chat),
            None => Ok(()),
        }
    }

    /// A file that is there was made again, or outlived its end: it has no end then.
    fn ended(&self, name: &FileName, end: (std::time::SystemTime, End)) -> io::Result<()> {
        if self.is_there(name)? {
            return Ok(());
        }
        let ended = match self.index.told(name)? {
            Told::Record(known) if known.ended.is_none() => known.ended(end.0, end.1),
            Told::Record(_) | Told::Unreadable => return Ok(()),
            Told::Nothing => Record::unknown(end),
        };
        if ended.origin != super::Origin::default() {
            self.index.note_end(day_of(end.0), name)?;
        }
        if !self.index.create(name, &ended)? {
            self.index.replace(name, &ended)?;
        }
        self.numbers_below(name, end.0)
    }

    /// Numbers below one that was given out were given out, too.
    fn numbers_below(&self, name: &FileName, at: std::time::SystemTime) -> io::Result<()> {
        let Some((_, number)) = Stem::numbered(name.as_str()) else { return Ok(()) };
        for number in (number.saturating_sub(NUMBERS_BELOW)..number).rev() {
            let Some(below) = Stem::with_number(name, number) else { return Ok(()) };
            if self.is_there(&below)?
                || !self.index.create(&below, &Record::unknown((at, End::Expired)))?
            {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_there(&self, name: &FileName) -> io::Result<bool> {
        own_file::is_there(self.folder, name.as_str())
    }
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
