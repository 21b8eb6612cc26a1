//! Text analysis, in any language and without a model: identifiers, sentences, language,
//! content words, and the kinds of lines.

pub(crate) mod identifiers;
pub(crate) mod language;

pub(super) mod content_words;
pub(super) mod markers;
pub(super) mod quotation;
pub(super) mod sentences;
pub(super) mod text_index;
pub(super) mod word_lists;
pub(super) mod word_shape;
pub(super) mod wrappers;
