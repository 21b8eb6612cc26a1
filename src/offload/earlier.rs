//! What references of earlier calls save: a history that is posted again is judged by
//! what it was, for it is not to be compressed only because it was compacted (I3).

use super::run::Job;
use super::standing::{Standing, reference_standing};
use crate::compaction::reference::{self, Form};
use crate::history::raw::canonical;
use crate::store::{Location, read_regular, regular_len};
use crate::tokens::measure::{MeasuredSlot, text_of};

/// The longest tokens of the public encodings are runs of blanks, of so many bytes.
const TOKEN_BYTES: u64 = 128;

/// The most that is read for one answer, in bytes. More than that is hardly ever in
/// question: what it saves is enough by its length.
const READ_BYTES: u64 = 32 * 1024 * 1024;

/// What one reference saves, in tokens.
enum Saving {
    /// It says what the text behind it costs.
    Said(u64),
    /// It costs `tokens` and stands for a file of `bytes`, a text or a JSON value.
    Unsaid { file: Location, json: bool, bytes: u64, tokens: u64 },
}

impl Saving {
    fn least(&self) -> u64 {
        match self {
            Saving::Said(saved) => *saved,
            Saving::Unsaid { bytes, tokens, .. } => (bytes / TOKEN_BYTES).saturating_sub(*tokens),
        }
    }

    /// What must be read to know it.
    fn unread(&self) -> u64 {
        match self {
            Saving::Said(_) => 0,
            Saving::Unsaid { bytes, .. } => *bytes,
        }
    }

    fn most(&self) -> u64 {
        match self {
            Saving::Said(saved) => *saved,
            Saving::Unsaid { bytes, tokens, .. } => bytes.saturating_sub(*tokens),
        }
    }
}

impl Job<'_> {
    /// True where what references of earlier calls save is `enough`, which more than
    /// enough is too. Files are read only where their lengths cannot tell.
    pub(super) fn saved_before(&self, enough: impl Fn(u64) -> bool) -> bool {
        let all = self.savings();
        if enough(all.iter().map(Saving::least).sum()) {
            return true;
        }
        let read = all.iter().map(Saving::unread).sum::<u64>() <= READ_BYTES;
        enough(all.iter().map(Saving::most).sum())
            && enough(all.iter().map(|saving| self.saved(saving, read)).sum())
    }

    /// What a reference saves; by a guess of four bytes a token where its file is not
    /// to be read, or cannot be.
    fn saved(&self, saving: &Saving, read: bool) -> u64 {
        match saving {
            Saving::Said(saved) => *saved,
            Saving::Unsaid { file, json, bytes, tokens } => {
                let text = if read { read_regular(file).ok() } else { None };
                let whole = text.map_or(bytes / 4, |text| match json {
                    true => self.offloader.measure.text(&canonical(&text), self.tokenizer),
                    false => self.offloader.measure.text(&text, self.tokenizer),
                });
                whole.saturating_sub(*tokens)
            }
        }
    }

    fn savings(&self) -> Vec<Saving> {
        let mut all = Vec::new();
        for (measured, raw) in self.measured.iter().zip(self.history().messages()) {
            for (result, slots) in measured.view.results.iter().zip(&measured.results) {
                let id = result.call_id.as_deref();
                all.extend(slots.iter().filter_map(|slot| self.saving(raw, id, slot)));
            }
            all.extend(measured.texts.iter().filter_map(|slot| self.saving(raw, None, slot)));
        }
        all
    }

    /// What a text saves that is a reference.
    fn saving(&self, raw: &str, id: Option<&str>, slot: &MeasuredSlot) -> Option<Saving> {
        // A look at the end of the literal spares unescaping nearly every text.
        if !raw[slot.slot.span.clone()].ends_with(")\"") {
            return None;
        }
        let roots = &self.offloader.roots;
        let text = text_of(raw, &slot.slot).text;
        let Standing::Reference = reference_standing(&text, id, roots)? else { return None };
        if let Some(whole) = reference::tokens(&text) {
            return Some(Saving::Said(whole.saturating_sub(slot.tokens)));
        }
        let reference = reference::parse(&text)?;
        let file = roots.locate(reference.path).ok()?;
        let bytes = regular_len(&file).ok()?;
        let json = matches!(reference.form, Form::Json { .. });
        Some(Saving::Unsaid { file, json, bytes, tokens: slot.tokens })
    }
}
