//! Moving the manifest of an earlier version into the index: line by line, in little
//! memory, under the index's lock. The manifest is removed when all of it is moved; after a
//! crash the next migration begins at the first line again.

use std::io;
use std::time::SystemTime;

use cap_std::fs::Dir;

use super::folder_index::Index;
use super::manifest::{self, Line, MANIFEST};
use super::markers::Marker;
use super::records::RecordState;
use crate::folder::Folder;
use crate::local::own_file;
use crate::names::file_name::FileName;
use crate::records::origin::Origin;
use crate::records::record::{End, Record};
use crate::records::timestamp::unix_day;

/// Most numbers below a known one that are taken, too: earlier versions remembered only the
/// highest number of a chat.
const NUMBERS_BELOW: u64 = 4_096;

/// The outcome of a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Migrated {
    /// There was no manifest.
    Nothing,
    /// The manifest was moved.
    Done,
    /// Something that this service did not write has the manifest's name.
    Foreign,
}

/// Moves the folder's manifest into its index.
pub(crate) fn migrate(folder: &Folder) -> io::Result<Migrated> {
    // Earlier versions had local folders only.
    let Some(dir) = folder.local() else { return Ok(Migrated::Nothing) };
    if !own_file::is_there(dir, MANIFEST)? {
        return Ok(Migrated::Nothing);
    }
    if manifest::open(dir)?.is_none() {
        return Ok(Migrated::Foreign);
    }
    let index = Index::make(folder)?;
    let _locked = index.lock()?;
    // Another process may have moved it meanwhile.
    let Some(file) = manifest::open(dir)? else { return Ok(Migrated::Nothing) };
    let migration = Migration { folder: dir, index: &index };
    manifest::scan(file, |line| match Line::parse(line) {
        Some(line) => migration.take(line),
        None => Ok(()),
    })?;
    // One sync for all records: a removed manifest must not leave empty ones.
    if let Some(private) = index.private.local() {
        rustix::fs::syncfs(private)?;
    }
    dir.remove_file(MANIFEST)?;
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
            Line::Referenced(name, chat) => {
                if self.index.records.read(&name)? == RecordState::Absent
                    && !self.is_there(&name)?
                {
                    return Ok(());
                }
                self.index.markers().add(Marker::SharedWith(&name, chat))?;
                self.index.markers().add(Marker::OfChat(chat, &name))
            }
        }
    }

    fn made(&self, name: &FileName, record: &Record) -> io::Result<()> {
        let chat = record.origin.chat;
        self.index.markers().add_call(name, &record.origin)?;
        if let Some(chat) = chat {
            self.index.markers().add(Marker::OfChat(chat, name))?;
        }
        let records = &self.index.records;
        if records.create(name, record)? {
            return self.numbers_below(name, record.created_at);
        }
        let Some(known) = records.get(name)? else { return Ok(()) };
        if known.hash.is_none() {
            return records.replace(name, record);
        }
        // It was made again, or by a newer version: the chats of both have it.
        match chat.filter(|chat| known.origin.chat != Some(*chat)) {
            Some(_) if known.origin.chat.is_none() && known.hash == record.hash => {
                records.replace(name, record)
            }
            Some(chat) => self.index.markers().add(Marker::SharedWith(name, chat)),
            None => Ok(()),
        }
    }

    /// Records an end, unless the file is there: it was made again, or outlived its end.
    fn ended(&self, name: &FileName, end: (SystemTime, End)) -> io::Result<()> {
        if self.is_there(name)? {
            return Ok(());
        }
        let records = &self.index.records;
        let ended = match records.read(name)? {
            RecordState::Present(known) if known.ended.is_none() => known.ended(end.0, end.1),
            RecordState::Present(_) | RecordState::Unreadable => return Ok(()),
            RecordState::Absent => Record::unknown(end),
        };
        if ended.origin != Origin::default() {
            self.index.markers().add(Marker::EndedOn(unix_day(end.0), name))?;
        }
        if !records.create(name, &ended)? {
            records.replace(name, &ended)?;
        }
        self.numbers_below(name, end.0)
    }

    /// Records numbers below one that was given out: they were given out, too.
    fn numbers_below(&self, name: &FileName, at: SystemTime) -> io::Result<()> {
        let Some(number) = name.number() else { return Ok(()) };
        for number in (number.saturating_sub(NUMBERS_BELOW)..number).rev() {
            let Some(below) = name.with_number(number) else { return Ok(()) };
            if self.is_there(&below)?
                || !self.index.records.create(&below, &Record::unknown((at, End::Expired)))?
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
