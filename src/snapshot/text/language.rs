//! The language of a text, detected by its script: enough to label a snapshot and to ask a
//! model for the right language.

use crate::snapshot::text::word_shape::is_cjk;

/// A language or, where a script is shared, the script.
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
    /// English and every other language in Latin letters.
    Latin,
    /// No letters at all.
    Unknown,
}

impl Language {
    /// The name by which a prompt asks for it.
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
            Language::Latin | Language::Unknown => "the language of the user's messages",
        }
    }
}

/// The language most of a text is written in. Words are weighed, not letters, and
/// words with digits or marks inside (paths, addresses, ids) do not count, so a
/// Chinese request full of file names stays Chinese.
pub(crate) fn language_of(text: &str) -> Language {
    let mut weights = [0_usize; 10];
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            weigh(line, &mut weights);
        }
    }
    // Every Japanese text has kana, and no Chinese one more than a few.
    let kana = weights[Language::Japanese as usize];
    let han = weights[Language::Chinese as usize];
    if kana * 10 > han {
        weights[Language::Japanese as usize] += han;
    }
    let most = ALL.iter().copied().max_by_key(|language| {
        let weight = weights[*language as usize];
        // Of two equal ones the first.
        (weight, std::cmp::Reverse(*language as usize))
    });
    most.filter(|language| weights[*language as usize] > 0).unwrap_or(Language::Unknown)
}

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

/// A word of an alphabet weighs as much as two characters of a script without spaces.
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
    use super::{Language, language_of};

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
