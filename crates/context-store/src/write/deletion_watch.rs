//! A watch for deletions of the chat that files are written for. A deletion processes the chat's
//! markers, and may process a name before its file exists. In that case the file gets its marker
//! and its record again, so that a later deletion finds it.

use std::io;
use std::time::SystemTime;

use super::claim::ClaimedFile;
use super::opened::Opened;
use super::reserve::{Reservation, ReservedState, revive};
use crate::folder::{Generation, until_unchanged};
use crate::index::folder_index::Index;
use crate::index::markers::Marker;
use crate::names::chat::Chat;
use crate::names::file_name::FileName;
use crate::records::origin::Origin;
use crate::records::record::Record;

/// The state of a chat's markers when writing began.
pub(super) struct DeletionWatch {
    chat: Option<Chat>,
    /// `None` if the file system cannot distinguish generations.
    generation: Option<Generation>,
}

impl DeletionWatch {
    /// Starts before the first name is reserved; the files are of one chat, or of none.
    pub(super) fn begin(
        opened: &mut Opened<'_>,
        files: &[ClaimedFile],
    ) -> io::Result<DeletionWatch> {
        let chat = files.iter().find_map(|file| file.origin.chat);
        if let (Some(chat), Some(index)) = (chat, &opened.index) {
            opened.markers = Some((chat, index.chat_markers(chat).make()?));
        }
        let generation = opened.markers.as_ref().and_then(|(_, markers)| markers.generation());
        Ok(DeletionWatch { chat, generation })
    }

    /// Call this after the last file is published: revives files that had ended before. If a
    /// deletion detached the chat's markers meanwhile, records the files that still exist again.
    /// Returns the generation of the chat's markers if there was no deletion.
    ///
    /// Without locks, each writer has settled its published content.
    ///
    /// A deletion holds the index's lock from its check of a file to the removal of the marker.
    /// Under the lock here, either the file is gone, or no deletion is processing it.
    pub(super) fn end<'f>(
        self,
        opened: &Opened<'_>,
        files: impl Iterator<Item = (&'f FileName, &'f Origin, &'f Reservation)>,
    ) -> io::Result<Option<Generation>> {
        let Some(index) = &opened.index else { return Ok(None) };
        let generation = |chat| index.chat_markers(chat).generation();
        let is_deleted = |chat| self.generation.is_none() || generation(chat) != self.generation;
        let all = self.chat.is_some_and(is_deleted);
        let unchanged = self.generation.filter(|_| !all);
        let is_local = opened.folder.local().is_some();
        let has_ended = |own: &Reservation| is_local && own.state == ReservedState::Ended;
        let files: Vec<_> = files.filter(|(_, _, reserved)| all || has_ended(reserved)).collect();
        if files.is_empty() {
            return Ok(unchanged);
        }
        let _locked = index.lock()?;
        for (name, origin, reserved) in files {
            if opened.folder.is_there(&reserved.file)? {
                until_unchanged(|| note_again(opened, index, (name, origin), reserved))?;
            }
        }
        Ok(unchanged)
    }

    /// Returns the chat of the files.
    pub(super) fn chat(&self) -> Option<Chat> {
        self.chat
    }
}

/// Settles a content that was just published without a lock: revives a file that had ended. If the
/// life for which it was reserved is over, removes the content and returns false. A process that
/// ends a life counts it before it removes the content, so that one of the two processes removes
/// it. In a local folder, [`DeletionWatch::end`] does this under the lock.
pub(super) fn settle(
    opened: &Opened<'_>,
    (name, origin): (&FileName, &Origin),
    reserved: &Reservation,
) -> io::Result<bool> {
    let index = opened.index.as_ref().filter(|_| opened.folder.local().is_none());
    let Some(index) = index else { return Ok(true) };
    until_unchanged(|| match index.records.get(name)? {
        Some(record) if record.life == reserved.life && record.ended.is_none() => Ok(true),
        _ => note_again(opened, index, (name, origin), reserved),
    })
}

/// Records an existing file again, with its origin. If its life is over, removes the content
/// written to it and returns false.
fn note_again(
    opened: &Opened<'_>,
    index: &Index,
    (name, origin): (&FileName, &Origin),
    reserved: &Reservation,
) -> io::Result<bool> {
    let Some(record) = index.records.get(name)? else { return Ok(true) };
    if record.life != reserved.life {
        opened.folder.unmark(&reserved.file)?;
        return Ok(false);
    }
    let markers = index.markers();
    if let Some(chat) = origin.chat {
        markers.add(Marker::OfChat(chat, name))?;
    }
    markers.add_call(name, origin)?;
    if record.ended.is_some() {
        let origin = origin.clone();
        let alive = Record { origin, created_at: SystemTime::now(), ended: None, ..record };
        revive(index, name, &alive)?;
    } else if let Some(chat) = origin.chat.filter(|chat| record.origin.chat != Some(*chat)) {
        markers.add(Marker::SharedWith(name, chat))?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::on_both;
    use crate::testing::{Shop, after, origin, shop};
    use crate::write::reserve::reserve;
    use crate::{Claims, End, Run, Stem, delete_chat};

    fn delete(shop: &Shop) -> usize {
        let deletion = delete_chat(&shop.roots, None, Chat::of("a"), after(9), Run::Real);
        assert!(deletion.complete && deletion.errors.is_empty(), "{deletion:?}");
        deletion.deleted.len()
    }

    /// The steps of a post between which a complete deletion of its chat runs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    enum At {
        Marked,
        Recorded,
        Published,
        Ended,
    }

    on_both! {
        fn a_file_that_a_deletion_missed_is_found_by_the_next() {
            for at in [At::Marked, At::Recorded, At::Published, At::Ended] {
                let shop = shop();
                shop.made_for("b", "0", "another chat's");
                let (index, hash) = (shop.index(), blake3::hash(b"text"));
                let stem = Stem::of_call(Some("1"), &hash);
                let claims = shop.store.claim(&mut Claims::default(), &[(stem.clone(), hash)]);
                let claim = claims.unwrap().remove(0);
                let name = claim.name.clone();
                let files = [ClaimedFile { stem, claim, origin: origin(Some("a"), "1") }];
                let origin = &files[0].origin;
                let now = |step: At| if step == at { delete(&shop) } else { 0 };
                let mut opened = shop.opened();
                let watch = DeletionWatch::begin(&mut opened, &files).unwrap();
                index.markers().add(Marker::OfChat(Chat::of("a"), &name)).unwrap();
                index.markers().add_call(&name, origin).unwrap();
                let mut deleted = now(At::Marked);
                assert!(index.records.create(&name, &Record::new(hash, 4, origin.clone())).unwrap());
                deleted += now(At::Recorded);
                shop.put_file(&name, "text");
                deleted += now(At::Published);
                let file = name.to_string();
                let reserved = Reservation { state: ReservedState::Alive, file, life: 0, bytes: 4 };
                watch.end(&opened, std::iter::once((&name, origin, &reserved))).unwrap();
                let lives = index.records.get(&name).unwrap().unwrap().ended.is_none();
                assert_eq!(lives, at != At::Published, "{at:?}");
                deleted += now(At::Ended) + delete(&shop);
                assert_eq!((deleted, shop.has(name.as_str())), (1, false), "{at:?}");
                assert!(index.records.get(&name).unwrap().unwrap().ended.is_some(), "{at:?}");
            }
        }
    }

    /// Returns a file of chat `a` that is about to be written, with the open folder.
    fn begun(shop: &Shop) -> (Opened<'_>, DeletionWatch, ClaimedFile) {
        let hash = blake3::hash(b"text");
        let stem = Stem::of_call(Some("1"), &hash);
        let claims = shop.store.claim(&mut Claims::default(), &[(stem.clone(), hash)]);
        let claim = claims.unwrap().remove(0);
        let file = ClaimedFile { stem, claim, origin: origin(Some("a"), "1") };
        let mut opened = shop.opened();
        let watch = DeletionWatch::begin(&mut opened, std::slice::from_ref(&file)).unwrap();
        (opened, watch, file)
    }

    /// Reserves its name, then writes it.
    fn written(shop: &Shop, opened: &Opened<'_>, file: &ClaimedFile) -> Reservation {
        let ClaimedFile { claim, origin, .. } = file;
        let before = reserve(opened, claim, 4, origin).unwrap().unwrap();
        shop.put_file(&claim.name, "text");
        before
    }

    /// Ends the writing of a file.
    fn end(watch: DeletionWatch, opened: &Opened<'_>, file: &ClaimedFile, own: &Reservation) {
        let (name, origin) = (&file.claim.name, &file.origin);
        assert!(settle(opened, (name, origin), own).unwrap());
        watch.end(opened, std::iter::once((name, origin, own))).unwrap();
    }

    on_both! {
        fn a_file_that_is_made_again_has_ended_until_it_is_there() {
            let shop = shop();
            let name = shop.made_for("a", "1", "text");
            assert_eq!(delete(&shop), 1);
            let (opened, watch, file) = begun(&shop);
            assert_eq!((&file.claim.name, file.claim.stored), (&name, false));
            let reserved = written(&shop, &opened, &file);
            assert_eq!(reserved.state, ReservedState::Ended);
            assert!(shop.record(&name).unwrap().ended.is_some(), "a crash here changes nothing");
            end(watch, &opened, &file, &reserved);
            let record = shop.record(&name).unwrap();
            assert_eq!((record.ended, record.origin), (None, file.origin));
            assert_eq!((delete(&shop), shop.has(name.as_str())), (1, false));
        }
    }

    on_both! {
        fn a_file_that_a_crash_left_before_it_lived_again_goes_with_its_chats() {
            for (why, first) in [(End::Expired, "a"), (End::Expired, "b"), (End::ChatDeleted, "b")] {
                let shop = shop();
                let name = shop.made_for(first, "1", "text");
                let ended = shop.record(&name).unwrap().ended(after(5), why);
                shop.index().records.replace(&name, &ended).unwrap();
                shop.remove_file(&name);
                let (opened, _crashed, file) = begun(&shop);
                assert_eq!(written(&shop, &opened, &file).state, ReservedState::Ended);
                let both = ["a", "b"].map(|chat| {
                    delete_chat(&shop.roots, None, Chat::of(chat), after(9), Run::Real);
                });
                assert_eq!((both.len(), shop.has(name.as_str())), (2, false), "{why:?} {first}");
            }
        }
    }

    on_both! {
        fn a_file_is_reserved_though_its_chat_is_deleted_meanwhile() {
            let shop = shop();
            shop.made_for("a", "0", "of the chat");
            let (opened, watch, file) = begun(&shop);
            assert_eq!(delete(&shop), 1);
            let before = written(&shop, &opened, &file);
            let name = &file.claim.name;
            end(watch, &opened, &file, &before);
            assert!(shop.index().markers().has(Marker::OfChat(Chat::of("a"), name)).unwrap());
            assert_eq!((delete(&shop), shop.has(name.as_str())), (1, false));
        }
    }
}
