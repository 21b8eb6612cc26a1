//! Splits texts into sentences, and truncates them without breaking a name.

use raw_json::offset_in;

/// Abbreviations, in lower case, whose dot does not end a sentence. Short abbreviations with a
/// capital are recognised without this list.
const ABBREVIATIONS: [&str; 31] = [
    "abs", "approx", "art", "avda", "bspw", "bzw", "ca", "co", "corp", "dept", "eg", "est", "etc",
    "evtl", "fig", "ggf", "ie", "inkl", "kap", "ltd", "max", "min", "mind", "nr", "prof", "resp",
    "sra", "tel", "usw", "vgl", "vs",
];

/// Maximum length of a code span within a sentence, in bytes.
const SPAN: usize = 200;

/// Returns the sentences of a text, trimmed, in order. The end of a line ends a sentence. Our own
/// code, because texts have megabytes: the rules of UAX#29 take ten times as long and differ in
/// abbreviations only.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    text.lines().flat_map(sentences_of_line).collect()
}

/// Returns the sentences of one line.
pub(crate) fn sentences_of_line(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (sentence, after) = rest.split_at(sentence_end(rest));
            rest = after;
            let sentence = sentence.trim();
            if !sentence.is_empty() {
                return Some(sentence);
            }
        }
        None
    })
}

fn sentence_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'.' | b'!' | b'?' => {
                let mut end = at + 1;
                while matches!(
                    bytes.get(end),
                    Some(b'.' | b'!' | b'?' | b'"' | b')' | b'\'' | b'*' | b'`')
                ) {
                    end += 1;
                }
                let abbreviation = bytes[at] == b'.' && is_abbreviated(&text[..at]);
                // `1. Install` begins with a number; its dot does not end a sentence.
                let number = bytes[..at].iter().all(|b| b.is_ascii_digit() || *b == b' ');
                // Dots as in `(... COUNT` and `a ... z` mark an omission.
                let gap = at > 0 && matches!(bytes[at - 1], b' ' | b'(' | b'[');
                match bytes.get(end) {
                    None => return text.len(),
                    Some(b' ' | b'\t') if !abbreviation && !number && !gap => return end,
                    _ => at = end,
                }
            }
            // Dots in code do not end a sentence.
            b'`' => at = span_end(bytes, at),
            // These bytes begin 。！？；.
            0xE3 if bytes[at..].starts_with("。".as_bytes()) => return at + 3,
            0xEF if ["！", "？", "；"].iter().any(|m| bytes[at..].starts_with(m.as_bytes())) => {
                return at + 3;
            }
            _ => at += 1,
        }
    }
    text.len()
}

/// Returns the end of the code span that begins at a backtick. If no other backtick follows within
/// `SPAN` bytes, returns the position after the first one.
fn span_end(bytes: &[u8], at: usize) -> usize {
    let ahead = bytes[at + 1..].iter().take(SPAN);
    ahead.copied().position(|byte| byte == b'`').map_or(at + 1, |length| at + length + 2)
}

/// Returns true if a dot after this text probably does not end a sentence. The last word is then
/// one letter, a number of one or two digits, a capital with one or two letters (`No`, `St`), or an
/// abbreviation of the list. In doubt the sentence goes on: two sentences taken as one do no harm,
/// but half a sentence may have another meaning.
fn is_abbreviated(text: &str) -> bool {
    let start = text
        .rfind(|c: char| !c.is_alphanumeric())
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let word = &text[start..];
    let letters = word.chars().count();
    let is_capital = word.starts_with(char::is_uppercase);
    match letters {
        0 => false,
        // The `s` of `my gran's` is not an initial.
        1 => start > 0 && !text[..start].ends_with(['\'', '’']),
        _ if word.bytes().all(|byte| byte.is_ascii_digit()) => letters <= 2,
        2 | 3 if is_capital && start > 0 => true,
        // `Hafenstr. 4` is an address.
        _ => word.ends_with("str") || ABBREVIATIONS.contains(&word.to_lowercase().as_str()),
    }
}

/// Returns the beginning and the end of a line, about `limit` characters together. Truncates a text
/// of several lines with [`cut`].
pub(crate) fn cut_inside(text: &str, limit: usize) -> String {
    let text = text.trim();
    if text.chars().nth(limit).is_none() || text.contains('\n') {
        return cut(text, limit);
    }
    let head = cut(text, limit * 2 / 3);
    let from = text.chars().count() - limit / 3;
    let tail: String = text.chars().skip(from).collect();
    // A path that does not fit is cut at a slash.
    let path = || tail.find('/').map_or(tail.as_str(), |at| &tail[at..]);
    let tail = tail.split_once(' ').map_or_else(path, |(_, words)| words);
    format!("{head} {tail}")
}

/// Returns the beginning of the first line, at most `limit` characters, cut between words. Appends
/// ` …` if text was left out.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let text = text.trim();
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let more = lines.next().is_some();
    let short = prefix(first, limit);
    if short.len() == first.len() && !more { short.to_owned() } else { format!("{short} …") }
}

/// Returns the last `limit` characters of a path from a slash on, with `…` for the rest. Returns a
/// shorter path unchanged.
pub(crate) fn cut_left(path: &str, limit: usize) -> String {
    let path = path.trim();
    let over = path.chars().count().saturating_sub(limit);
    let Some((from, _)) = path.char_indices().nth(over).filter(|_| over > 0) else {
        return path.to_owned();
    };
    let end = &path[from..];
    let end = end.find(['/', '\\']).map_or(end, |at| &end[at..]);
    format!("…{end}")
}

/// Returns the longest prefix of at most `limit` characters that splits no word. Scripts without
/// spaces are cut between characters.
pub(crate) fn prefix(text: &str, limit: usize) -> &str {
    let Some((end, next)) = text.char_indices().nth(limit) else { return text };
    let head = &text[..end];
    if !is_joined(next) || !head.ends_with(is_joined) {
        return head.trim_end();
    }
    head.trim_end_matches(is_joined).trim_end()
}

/// Returns true for a character that forms a word with its neighbours.
fn is_joined(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, ',' | ';' | '|' | '&')
}

/// Returns the longest suffix of at most `limit` characters that splits no word.
pub(crate) fn suffix(text: &str, limit: usize) -> &str {
    let length = text.chars().count();
    let Some((start, _)) = text.char_indices().nth(length.saturating_sub(limit)) else {
        return text;
    };
    if start == 0 {
        return text;
    }
    let tail = &text[start..];
    if text[..start].ends_with(is_joined) {
        return tail.trim_start_matches(is_joined).trim_start();
    }
    tail.trim_start()
}

/// Returns the beginning of a text, at most `tokens` long, in whole lines and sentences. If the
/// first sentence does not fit, cuts it between words.
pub(crate) fn opening<'a>(text: &'a str, tokens: u64, count: &dyn Fn(&str) -> u64) -> &'a str {
    let text = text.trim();
    let mut left = tokens;
    let mut end = 0;
    for sentence in text.lines().take(200).flat_map(sentences_of_line) {
        let price = if sentence.len() as u64 > left * 40 { u64::MAX } else { count(sentence) + 1 };
        if price > left {
            break;
        }
        left -= price;
        end = offset_in(text, sentence) + sentence.len();
    }
    if end > 0 || tokens == 0 {
        return &text[..end];
    }
    let mut limit = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(5).min(text.len());
    loop {
        let short = prefix(text, limit);
        if short.is_empty() || count(short) <= tokens {
            return short;
        }
        limit = limit * 3 / 4;
    }
}

/// Returns the beginning and the end of a text with ` … ` between them, at most `tokens` long.
pub(crate) fn ends(text: &str, tokens: u64, count: &dyn Fn(&str) -> u64) -> String {
    let text = text.trim();
    let head = opening(text, tokens * 2 / 3, count);
    let left = tokens.saturating_sub(count(head) + 2);
    let rest = text[head.len()..].trim();
    let mut limit = usize::try_from(left).unwrap_or(usize::MAX).saturating_mul(4).min(rest.len());
    loop {
        let tail = suffix(rest, limit);
        if tail.is_empty() || limit == 0 {
            return head.to_owned();
        }
        let whole = format!("{head} … {tail}").trim_start().to_owned();
        if count(&whole) <= tokens {
            return whole;
        }
        limit = limit * 3 / 4;
    }
}

/// Returns a hash that ignores ASCII case, the values and lengths of numbers, and the kind and
/// length of white space.
pub(crate) fn masked(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut before = 0;
    for byte in text.bytes() {
        let byte = match byte {
            b'0'..=b'9' => b'0',
            b'\t' | b'\n' | b'\r' => b' ',
            _ => byte.to_ascii_lowercase(),
        };
        if !(byte == before && matches!(byte, b'0' | b' ')) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        before = byte;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::{cut, masked, opening, sentences, suffix};

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        assert_eq!(
            sentences("Read src/a.rs. Then 1.5 s, e.g. now!\n1. Do it\n请读取文件。不要删除！好"),
            [
                "Read src/a.rs.",
                "Then 1.5 s, e.g. now!",
                "1. Do it",
                "请读取文件。",
                "不要删除！",
                "好"
            ]
        );
        let code = "`select ... / order by ts desc` reads all. It was my gran's. Keep it.";
        let told = ["`select ... / order by ts desc` reads all.", "It was my gran's.", "Keep it."];
        assert_eq!(sentences(code), told);
        assert_eq!(sentences("A ` alone. Ends nothing."), ["A ` alone.", "Ends nothing."]);
    }

    #[test]
    fn a_cut_breaks_no_word() {
        assert_eq!(cut("cat src/compression/mod.rs", 12), "cat …");
        assert_eq!(cut("short", 12), "short");
        assert_eq!(
            suffix("the end of src/main.rs", 13),
            "of src/main.rs".trim_start_matches("of ")
        );
        let words = |text: &str| text.split_whitespace().count() as u64;
        assert_eq!(opening("One two. Three four five.", 4, &words), "One two.");
        assert_eq!(masked("turn 12 of 5"), masked("turn 3 of 77"));
    }
}
