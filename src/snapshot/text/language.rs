//! Detects the language of a text: by its script, and for Latin letters by frequent words. The
//! result labels a snapshot, tells a model in which language to write, and detects an answer in
//! another one.

use crate::snapshot::text::word_lists::WORDS;
use crate::snapshot::text::word_shape::is_cjk;

/// A language, or a script that several languages share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    /// Chinese characters without kana.
    Chinese,
    /// Kana, with or without Chinese characters.
    Japanese,
    /// Hangul.
    Korean,
    /// Russian, Ukrainian, Bulgarian, …
    Cyrillic,
    /// Arabic, Persian, Urdu, …
    Arabic,
    /// Hebrew.
    Hebrew,
    /// Greek.
    Greek,
    /// Hindi, Marathi, Nepali, …
    Devanagari,
    /// Thai.
    Thai,
    /// A language in Latin letters with too few words to identify it.
    Latin,
    /// English.
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Portuguese.
    Portuguese,
    /// Italian.
    Italian,
    /// Dutch.
    Dutch,
    /// No letters.
    Unknown,
}

impl Language {
    /// Returns true for a language that is detected by its words, not by its script.
    fn of_words(self) -> bool {
        LATIN.contains(&self)
    }

    /// Returns the name of the language for a prompt.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Language::Chinese => "Chinese",
            Language::Japanese => "Japanese",
            Language::Korean => "Korean",
            Language::Cyrillic => "the language of the user's messages (in Cyrillic script)",
            Language::Arabic => "the language of the user's messages (in Arabic script)",
            Language::Hebrew => "Hebrew",
            Language::Greek => "Greek",
            Language::Devanagari => "the language of the user's messages (in Devanagari script)",
            Language::Thai => "Thai",
            Language::English => "English",
            Language::German => "German",
            Language::French => "French",
            Language::Spanish => "Spanish",
            Language::Portuguese => "Portuguese",
            Language::Italian => "Italian",
            Language::Dutch => "Dutch",
            Language::Latin | Language::Unknown => "the language of the user's messages",
        }
    }
}

/// The languages of a speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Languages {
    /// The main language of all messages together.
    pub main: Language,
    /// Every main language of a message, and every script with enough weight in one.
    all: Vec<Language>,
}

impl Default for Languages {
    fn default() -> Languages {
        Languages { main: Language::Unknown, all: Vec::new() }
    }
}

impl Languages {
    /// Returns true unless the language is clearly not one of these.
    pub(crate) fn include(&self, found: Language) -> bool {
        let latin = |language: Language| language == Language::Latin || language.of_words();
        found == Language::Unknown
            || self.all.is_empty()
            || self.all.iter().any(|own| {
                *own == found
                    || latin(*own) && latin(found) && [*own, found].contains(&Language::Latin)
            })
    }
}

/// Minimum weight of a script in one message to count as spoken, even if another script outweighs
/// it.
const SPOKEN: usize = 8;

/// Returns the languages of a speaker's messages.
pub(crate) fn languages_of<'t>(texts: impl Iterator<Item = &'t str>) -> Languages {
    let mut whole = String::new();
    let mut all = Vec::new();
    for text in texts {
        whole.push_str(text);
        whole.push('\n');
        let weights = weights(text);
        let spoken = ALL.into_iter().filter(|language| {
            *language != Language::Latin && weights[*language as usize] >= SPOKEN
        });
        for language in spoken.chain([most(text, &weights)]) {
            if language != Language::Unknown && !all.contains(&language) {
                all.push(language);
            }
        }
    }
    Languages { main: language_of(&whole), all }
}

/// Returns the main language of a text. Words count, not letters. Words in Latin letters with
/// digits or marks (paths, addresses, ids) do not count, so a Chinese request full of file names
/// stays Chinese.
pub(crate) fn language_of(text: &str) -> Language {
    most(text, &weights(text))
}

fn most(text: &str, weights: &[usize; 10]) -> Language {
    let most = ALL.iter().copied().max_by_key(|language| {
        let weight = weights[*language as usize];
        // If two are equal, take the first.
        (weight, std::cmp::Reverse(*language as usize))
    });
    match most.filter(|language| weights[*language as usize] > 0) {
        Some(Language::Latin) => latin(text),
        other => other.unwrap_or(Language::Unknown),
    }
}

fn weights(text: &str) -> [usize; 10] {
    let mut weights = [0_usize; 10];
    prose(text).for_each(|line| weigh(line, &mut weights));
    // Japanese texts have kana; Chinese texts have at most a few. If there are enough kana, count
    // the Chinese characters as Japanese.
    let kana = weights[Language::Japanese as usize];
    let han = weights[Language::Chinese as usize];
    if kana * 10 > han {
        weights[Language::Japanese as usize] += han;
    }
    weights
}

/// Returns the lines outside code fences.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fence && !fenced
    })
}

/// Minimum number of frequent words that identify a language.
const TELLING: usize = 4;

/// Returns the language of a text in Latin letters: the one with the most frequent words, if it has
/// at least twice as many as any other.
fn latin(text: &str) -> Language {
    let mut counts = [0_usize; LATIN.len()];
    for word in prose(text).flat_map(|line| line.split(|c: char| !c.is_alphabetic() && c != '\'')) {
        if word.is_empty() || word.len() > 10 {
            continue;
        }
        let lower = word.to_lowercase();
        for (count, list) in counts.iter_mut().zip(&WORDS.frequent) {
            *count += usize::from(list.has(&lower));
        }
    }
    let mut order: Vec<usize> = (0..LATIN.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(counts[*at]));
    let (first, second) = (counts[order[0]], counts[order[1]]);
    if first >= TELLING && first >= 2 * second { LATIN[order[0]] } else { Language::Latin }
}

/// The languages of `WORDS.frequent`, in its order.
const LATIN: [Language; 7] = [
    Language::English,
    Language::German,
    Language::French,
    Language::Spanish,
    Language::Portuguese,
    Language::Italian,
    Language::Dutch,
];

const ALL: [Language; 10] = [
    Language::Chinese,
    Language::Japanese,
    Language::Korean,
    Language::Cyrillic,
    Language::Arabic,
    Language::Hebrew,
    Language::Greek,
    Language::Devanagari,
    Language::Thai,
    Language::Latin,
];

/// Adds the weights of a line. A word of an alphabet weighs as much as two characters of a script
/// without spaces.
fn weigh(line: &str, weights: &mut [usize; 10]) {
    for chunk in line.split(|c: char| c.is_whitespace() || matches!(c, ',' | '，' | '。' | '、'))
    {
        let mut last = None;
        let mut latin = false;
        let mut plain = true;
        for c in chunk.chars() {
            if c.is_ascii_alphabetic() {
                latin = true;
            } else if c.is_ascii() {
                plain &= !matches!(c, '/' | '_' | '\\' | '=' | '<' | '{' | '0'..='9');
            } else if let Some(script) = script(c) {
                let spaced = !is_cjk(c) && script != Language::Thai;
                if !spaced {
                    weights[script as usize] += 1;
                } else if script == Language::Latin {
                    latin = true;
                } else if last != Some(script) {
                    weights[script as usize] += 2;
                }
                last = Some(script);
            }
        }
        if latin && plain && last.is_none_or(|script| script == Language::Latin) {
            weights[Language::Latin as usize] += 2;
        }
    }
}

fn script(c: char) -> Option<Language> {
    Some(match c {
        '\u{3040}'..='\u{30FF}' => Language::Japanese,
        '\u{AC00}'..='\u{D7AF}' | '\u{1100}'..='\u{11FF}' => Language::Korean,
        c if is_cjk(c) => Language::Chinese,
        '\u{0400}'..='\u{052F}' => Language::Cyrillic,
        '\u{0600}'..='\u{06FF}' => Language::Arabic,
        '\u{0590}'..='\u{05FF}' => Language::Hebrew,
        '\u{0370}'..='\u{03FF}' => Language::Greek,
        '\u{0900}'..='\u{097F}' => Language::Devanagari,
        '\u{0E00}'..='\u{0E7F}' => Language::Thai,
        '\u{00C0}'..='\u{024F}' | '\u{1E00}'..='\u{1EFF}' => Language::Latin,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Language, language_of, languages_of};

    #[test]
    fn words_tell_languages_of_one_script() {
        for (text, language) in [
            ("Fix the build and run all of the tests before you commit", Language::English),
            ("Das Formular ist nicht mehr leer und die Prüfung läuft", Language::German),
            ("Le formulaire est vide et les tests ne passent pas", Language::French),
            ("El formulario no está listo y los datos se pierden", Language::Spanish),
            ("cargo build --release", Language::Latin),
        ] {
            assert_eq!(language_of(text), language, "{text}");
        }
        let spoken = languages_of(
            [
                "/review Look at the changes of the branch and tell me what you see in them",
                "設置を確認してください",
            ]
            .into_iter(),
        );
        assert!(spoken.include(Language::Japanese) && spoken.include(Language::English));
        assert!(!spoken.include(Language::German) && !spoken.include(Language::Korean));
    }

    #[test]
    fn words_decide_and_file_names_do_not() {
        for (text, language) in [
            ("Fix the build, please", Language::Latin),
            ("请读取 src/auth/logic.ts 并修复 bug", Language::Chinese),
            ("设置を確認してください", Language::Japanese),
            ("빌드를 고쳐 주세요", Language::Korean),
            ("Почини сборку в src/main.rs", Language::Cyrillic),
            ("أصلح البناء", Language::Arabic),
            ("请看:\n```rust\nlet a = all of this is code and more code;\n```", Language::Chinese),
            ("Größe prüfen, naïve façade", Language::Latin),
            ("1234 /5", Language::Unknown),
            ("", Language::Unknown),
        ] {
            assert_eq!(language_of(text), language, "{text}");
        }
    }
}
