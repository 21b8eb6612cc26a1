//! Proof: a text counts as a reference or a snapshot only if this service wrote it and its
//! files still have the same content. Anybody can write a text that looks like one; its
//! code needs the key of the store of those files.

use std::borrow::Cow;

use blake3::Hash;
use chat_history::History;
use chat_history::message::{MessageView, Slot, SlotKind};
use chat_history::service_messages::is_fixed_text;

use super::grep_files;
use crate::compaction::reference::{self, Reference, ReferenceForm};
use crate::measure::text_of;
use crate::snapshot::format::block::Block;
use crate::snapshot::format::originals::Originals;
use crate::snapshot::format::seal::code_by;
use context_store::{Ahead, Key, Location, ReadError, Reader, Roots, is_reference_target};

/// Proves the texts of one operation.
#[derive(Clone, Copy)]
pub(crate) struct Prover<'a> {
    /// Reads the files.
    pub reader: &'a Reader<'a>,
    /// The allowed roots.
    pub roots: &'a Roots,
}

/// A reference that this service wrote for the call of its result.
pub(crate) struct Proven {
    /// The file that the reference names.
    pub at: Location,
    /// The path as the reference spells it.
    pub path: String,
    /// How to rebuild the text.
    pub form: ReferenceForm,
    /// The cost of the text in tokens.
    pub tokens: Option<u64>,
}

/// A text that ends like a reference, but whose code is not valid.
#[derive(Debug)]
pub(crate) struct Unproven {
    /// The path that it names.
    pub path: String,
    /// The reason.
    pub why: String,
    /// True if its code is valid for the stored content: this service wrote the reference, but its
    /// file is gone or changed.
    pub broken: bool,
}

/// The error for an invalid code. It does not reveal whether the file holds another text now, never
/// existed, or the note was forged.
const NO_PROOF: &str = "its code does not prove that this store wrote it for this call and that \
                        the file still holds the same content";

/// The error for a code that is valid for the content that the file had.
const BROKEN: &str = "its file is gone, or holds something else now";

impl Prover<'_> {
    /// Fetches the files that the texts of messages refer to, all at once, from an object store.
    pub(crate) fn look_ahead<'m>(
        &self,
        messages: impl Iterator<Item = (&'m str, &'m MessageView)>,
        part: Ahead,
    ) {
        if self.roots.objects().is_none() {
            return;
        }
        let mut files = Vec::new();
        for (_, text) in messages.flat_map(|(raw, view)| reference_texts(raw, view)) {
            let Some((plain, _)) = reference::unseal(&text) else { continue };
            let Some(found) = reference::parse(&plain) else { continue };
            match &found.form {
                ReferenceForm::GrepAnswer { head, lines, .. } => {
                    files.extend(grep_files::files(head, lines, self.roots).unwrap_or_default());
                }
                _ => files.extend(self.locate(&found).map(|(at, _)| at)),
            }
        }
        self.reader.look_ahead(&files, part);
    }

    /// Checks the reference at the end of `text`, in a result of the call `id`. Returns `None` if
    /// the text does not end in a reference with a code.
    pub(crate) fn reference(
        &self,
        text: &str,
        id: Option<&str>,
    ) -> Option<Result<Proven, Unproven>> {
        let (plain, code) = reference::unseal(text)?;
        let found = reference::parse(&plain)?;
        let path = found.path.to_owned();
        let Some((at, key)) = self.locate(&found) else {
            return Some(Err(Unproven { path, why: NO_PROOF.to_owned(), broken: false }));
        };
        let content = self.content(&found.form, &at);
        if content.as_ref().is_ok_and(|content| found.code(&key, id, content) == code) {
            return Some(Ok(Proven { at, path, tokens: found.tokens, form: found.form }));
        }
        let stored = self.reader.recorded_hash(&at);
        let broken = stored.is_some_and(|stored| found.code(&key, id, &stored) == code);
        let why = match content {
            Ok(_) | Err(ReadError::Missing(_) | ReadError::NotText(_)) if broken => {
                BROKEN.to_owned()
            }
            // A missing file gets the same error as a forged reference.
            Ok(_) | Err(ReadError::Missing(_) | ReadError::NotText(_)) => NO_PROOF.to_owned(),
            Err(error) => error.to_string(),
        };
        Some(Err(Unproven { path, why, broken }))
    }

    /// Returns the reference at the end of `text` if it is valid.
    pub(crate) fn proven(&self, text: &str, id: Option<&str>) -> Option<Proven> {
        self.reference(text, id)?.ok()
    }

    /// Returns true if this service wrote the snapshot in `text`.
    pub(crate) fn block(&self, block: &Block, text: &str) -> bool {
        let Some(code) = block.code else { return false };
        // The files of earlier snapshots may be in other stores; the last one is in the store that
        // wrote this snapshot.
        let path = block.originals.last().and_then(Originals::newest);
        let key = path.and_then(|path| self.key_of(&path));
        key.is_some_and(|key| code_by(&key, text) == code)
    }

    /// Determines whether the first message of a history is the service's own: in some formats a
    /// snapshot is a user message.
    pub(crate) fn judge_front(&self, history: &History<'_>) {
        history.judge_front(|raw| {
            let slots = history.dialect().content_slots(raw);
            let first = slots.first().map(|slot| text_of(raw, slot).text).unwrap_or_default();
            let proves = |block: &Block, text: &str| self.block(block, text);
            is_fixed_text(&first) || !Block::find_all(&first, &proves).blocks.is_empty()
        });
    }

    /// Returns the files that a reference needs.
    pub(crate) fn files(&self, proven: &Proven) -> Vec<Location> {
        match &proven.form {
            ReferenceForm::GrepAnswer { head, lines, .. } => {
                grep_files::files(head, lines, self.roots).unwrap_or_default()
            }
            _ => vec![proven.at.clone()],
        }
    }

    /// Returns the hash of the files that the code of a reference to `at` covers.
    pub(crate) fn content(&self, form: &ReferenceForm, at: &Location) -> Result<Hash, ReadError> {
        let ReferenceForm::GrepAnswer { head, lines, .. } = form else {
            return self.reader.hash(at);
        };
        let missing = || ReadError::Missing(std::io::ErrorKind::NotFound.into());
        let files = grep_files::files(head, lines, self.roots).ok_or_else(missing)?;
        let mut hasher = blake3::Hasher::new();
        for file in files {
            hasher.update(self.reader.hash(&file)?.as_bytes());
        }
        Ok(hasher.finalize())
    }

    /// Returns the file of a reference, and the key of its folder.
    fn locate(&self, found: &Reference<'_>) -> Option<(Location, Key)> {
        let at = self.roots.locate(found.path).ok()?;
        let (folder, name) = at.parent()?;
        is_reference_target(name).then_some(())?;
        let key = self.reader.key(&folder)?;
        Some((at, key))
    }

    fn key_of(&self, path: &str) -> Option<Key> {
        let (folder, _) = self.roots.locate(path).ok()?.parent()?;
        self.reader.key(&folder)
    }
}

/// Returns the texts of a message that may end in a reference, with the ids of their calls. Looks
/// at the end of each literal first, which avoids unescaping nearly every text.
pub(crate) fn reference_texts<'m>(
    raw: &'m str,
    view: &'m MessageView,
) -> impl Iterator<Item = (Option<&'m str>, Cow<'m, str>)> {
    let results = view
        .results
        .iter()
        .flat_map(|result| result.slots.iter().map(|slot| (result.call_id.as_deref(), slot)));
    let all = results.chain(view.texts.iter().map(|slot| (None, slot)));
    let ends = |(_, slot): &(Option<&str>, &Slot)| {
        slot.kind == SlotKind::String && raw[slot.span.clone()].ends_with(")\"")
    };
    all.filter(ends).map(|(id, slot)| (id, text_of(raw, slot).text))
}

/// Returns the paths of the original messages of snapshots, oldest first.
pub(crate) fn originals(blocks: &[Block]) -> impl Iterator<Item = String> + '_ {
    blocks.iter().flat_map(|block| &block.originals).flat_map(Originals::paths)
}
