//! The words of a text that carry its meaning, in a form in which two texts can
//! be compared: lower case, endings cut, at most five letters; pairs of
//! characters in scripts without spaces. Crude on purpose: it asks whether two
//! texts speak of the same things, in any language, without a dictionary.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use crate::compression::words::is_cjk;

/// Letters of a word that are compared.
const STEM: usize = 5;

/// The fewest letters of a word that carries meaning.
const SHORT: usize = 4;

/// Words that carry no meaning of their own in a sentence about a task. Stems.
const STOP: &[&str] = &[
    "but", "did", "get", "got", "her", "him", "his", "how", "let", "may", "off", "our", "out",
    "per", "she", "too", "via", "why", "yet", "about", "activ", "after", "agent", "also", "alway",
    "and", "any", "are", "assis", "because", "becau", "been", "befor", "being", "both", "can",
    "const", "could", "curre", "does", "done", "each", "every", "expli", "for", "from", "given",
    "goal", "has", "hav", "into", "itself", "its", "just", "know", "known", "like", "made", "mak",
    "more", "most", "must", "need", "never", "non", "not", "now", "only", "origi", "other", "over",
    "rul", "same", "shall", "shoul", "some", "such", "task", "than", "that", "the", "their",
    "them", "then", "ther", "thes", "they", "thi", "this", "those", "thos", "through", "throu",
    "under", "until", "use", "user", "very", "was", "were", "wer", "what", "when", "wher", "which",
    "whil", "who", "will", "with", "withi", "witho", "would", "you", "your",
];

/// Characters that glue a Chinese or Japanese sentence together.
const GLUE: &str = "的了是在和与或并及把被将就也都不请要对为以从到由于这那其个吗呢吧着过们\
                    のはがをにでとたてするしまいなもれらか";

/// Words in scripts without spaces that carry no meaning of their own, or say that
/// somebody asked. Longer ones first.
const STOP_UNSPACED: &[&str] = &[
    "使用者",
    "ユーザー",
    "利用者",
    "사용자",
    "用户",
    "用戶",
    "客户",
    "要求",
    "希望",
    "想要",
    "指示",
    "同意",
    "批准",
    "请求",
    "請求",
    "命令",
    "允许",
    "允許",
    "授权",
    "授權",
    "确认",
    "確認",
    "告诉",
    "告訴",
    "提出",
    "坚持",
    "偏好",
    "指定",
    "规定",
    "吩咐",
    "需要",
    "必须",
    "应该",
    "可以",
    "任务",
    "任何",
    "明确",
    "没有",
    "约束",
    "限制",
    "根据",
    "目标",
    "当前",
    "依頼",
    "求め",
    "許可",
    "承認",
    "요청",
    "요구",
    "지시",
    "승인",
    "동의",
];

/// Which words of a text are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// Every word: the text is what others are held to.
    All,
    /// Words that carry meaning; in quotes also the short ones, since commands
    /// and names are short.
    Telling,
    /// The same, and words one letter shorter.
    Short,
}

/// Calls back with the stem's hash of each word taken.
pub(super) fn each_stem(text: &str, take: Take, mut each: impl FnMut(u64)) {
    let plain = match take != Take::All && !text.is_ascii() {
        true => Cow::Owned(STOP_UNSPACED.iter().fold(text.to_owned(), |t, w| t.replace(w, " "))),
        false => Cow::Borrowed(text),
    };
    let mut quotes = Quotes::default();
    let mut word = String::new();
    let mut last: Option<char> = None;
    for c in plain.chars().chain([' ']) {
        let unspaced = !c.is_ascii() && is_cjk(c);
        if unspaced {
            if let Some(last) = last {
                let glued = GLUE.contains(last) || GLUE.contains(c);
                if take == Take::All || !glued {
                    let mut pair = [0_u8; 8];
                    let first = last.encode_utf8(&mut pair).len();
                    let second = c.encode_utf8(&mut pair[first..]).len();
                    each(xxh3_64(&pair[..first + second]));
                }
            }
            last = Some(c);
        } else {
            last = None;
        }
        if c.is_alphanumeric() && !unspaced {
            match c.is_ascii() {
                true => word.push(c.to_ascii_lowercase()),
                false => word.extend(c.to_lowercase()),
            }
            continue;
        }
        if !word.is_empty() {
            let stem = stem(&word);
            if take == Take::All || is_telling(&word, stem, least(take, &quotes)) {
                each(xxh3_64(stem.as_bytes()));
            }
            word.clear();
        }
        if take != Take::All {
            quotes.pass(c);
        }
    }
}

/// The text with what stands in quotes blanked: what is left is the writer's own.
pub(super) fn without_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut quotes = Quotes::default();
        // A mark that opens no whole quote hides nothing.
        let (mut kept, mut hidden) = (String::new(), String::new());
        for c in line.chars() {
            let was_open = quotes.open();
            quotes.pass(c);
            match (was_open, quotes.open()) {
                (false, false) => kept.push(c),
                (true, false) if c != '\n' => {
                    kept.push(' ');
                    hidden.clear();
                }
                _ => hidden.push(c),
            }
        }
        plain.push_str(&kept);
        plain.push_str(&hidden);
    }
    plain
}

/// Words that say that somebody asked, by the beginning of the word.
pub(super) const REPORTING: &[&str] = &[
    "ask",
    "want",
    "instruct",
    "told",
    "tell",
    "request",
    "approv",
    "agreed",
    "agrees",
    "authori",
    "ordered",
    "demand",
    "commanded",
    "confirm",
    "prefer",
    "insist",
    "consent",
    "mandat",
    "wish",
    "said",
    "says",
    "stated",
    "states",
    "decid",
    "chose",
    "choos",
    "directed",
    "directs",
    "directiv",
    "desire",
    "grant",
    "accepted",
    "accepts",
    "emphasi",
    "reiterat",
    "remind",
];

/// The fewest letters that a word must have here.
fn least(take: Take, quotes: &Quotes) -> usize {
    match (quotes.open(), take) {
        (true, _) => 2,
        (false, Take::Short) => SHORT - 1,
        (false, Take::All | Take::Telling) => SHORT,
    }
}

/// A word of quoted text tells whatever it is: names and commands are short.
fn is_telling(word: &str, stem: &str, least: usize) -> bool {
    let named = least == 2;
    word.chars().count() >= least && (named || !STOP.contains(&stem) && !is_reporting(word))
}

fn is_reporting(word: &str) -> bool {
    REPORTING.iter().any(|verb| word.starts_with(verb)) || word.starts_with("requir")
}

/// The word without its ending, at most five letters.
fn stem(word: &str) -> &str {
    let mut stem = word;
    for ending in ["ing", "ed", "es", "s", "e"] {
        if let Some(shorter) = stem.strip_suffix(ending)
            && shorter.len() >= 3
        {
            stem = shorter;
            break;
        }
    }
    if stem.is_ascii() {
        return &stem[..stem.len().min(STEM)];
    }
    let end = stem.char_indices().nth(STEM).map_or(stem.len(), |(at, _)| at);
    &stem[..end]
}

/// Whether a place in a text stands within quotes.
#[derive(Default)]
struct Quotes(Option<char>);

impl Quotes {
    fn open(&self) -> bool {
        self.0.is_some()
    }

    fn pass(&mut self, c: char) {
        let closes = match c {
            '"' | '`' => c,
            '“' => '”',
            '「' => '」',
            '『' => '』',
            '«' => '»',
            _ => '\0',
        };
        match self.0 {
            Some(close) if c == close || c == '\n' => self.0 = None,
            None if closes != '\0' => self.0 = Some(closes),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{STOP, Take, each_stem, stem, without_quotes};

    #[test]
    fn forms_of_a_word_are_one() {
        for (one, other) in [
            ("fails", "failing"),
            ("deploy", "deployment"),
            ("moved", "moves"),
            ("проверь", "проверить"),
        ] {
            assert_eq!(stem(one), stem(other), "{one}");
        }
    }

    #[test]
    fn quotes_are_blanked_only_when_closed() {
        assert_eq!(
            without_quotes("a \"b c\" d `e` “f”").split_whitespace().collect::<String>(),
            "ad"
        );
        assert_eq!(without_quotes("a \"b c\nd"), "a \"b c\nd");
    }

    #[test]
    fn short_words_tell_only_in_quotes() {
        let count = |text: &str| {
            let mut found = 0;
            each_stem(text, Take::Telling, |_| found += 1);
            found
        };
        assert_eq!(count("The user asked to run it with the"), 0);
        assert_eq!(count("run `rm -rf`"), 2);
        assert_eq!(count("用户要求的文件"), 1);
        assert!(STOP.iter().all(|stop| stop.chars().count() <= 8));
    }
}
