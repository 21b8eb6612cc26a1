//! The shape of a word: a path, an id, or an ordinary word.

use std::ops::Range;

use super::word_lists::WORDS;

/// The kind of thing that an identifier names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum IdentifierKind {
    /// A file or a folder, without a position such as `:12:5`.
    Path,
    /// An address with a scheme, or an address that begins with `www.`.
    Url,
    /// A UUID, hash, ticket, version, IP address, mail address and the like.
    Id,
    /// A number of more than three digits.
    Number,
    /// A text between quotation marks or backticks, without these.
    Quoted,
}

/// Returns true for a character of a script without spaces between words, and for Hangul.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Returns the kind of identifier that a word is, and the range of the identifier in the word.
/// `called` is true if `(` follows the word; `closes` is true if `<` precedes it.
pub(crate) fn classify(
    word: &str,
    called: bool,
    closes: bool,
) -> Option<(IdentifierKind, Range<usize>)> {
    // A fast path: most words have letters only and are not identifiers.
    if word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return (word.len() > 6 && word.ends_with("file") && WORDS.file_names.has(word))
            .then_some((IdentifierKind::Path, 0..word.len()));
    }
    let trimmed = word.trim_end_matches(['.', '-', '+', '%', '@', '~', '\\']);
    let mut start = 0;
    let bytes = trimmed.as_bytes();
    while start < bytes.len() && matches!(bytes[start], b'-' | b'+' | b'%') {
        start += 1;
    }
    let word = &trimmed[start..];
    if word.len() < 2 {
        return None;
    }
    let kind = kind_of(word, called, closes)?;
    Some((kind, start..trimmed.len()))
}

fn kind_of(word: &str, called: bool, closes: bool) -> Option<IdentifierKind> {
    if word.contains(['/', '\\']) {
        return (!(closes && is_tag(word)) && is_path(word)).then_some(IdentifierKind::Path);
    }
    if WORDS.file_names.has(word) || (!called && has_extension(word)) {
        return Some(IdentifierKind::Path);
    }
    is_id(word).then_some(IdentifierKind::Id)
}

/// Returns true for the text after `<` in `</div>` or `<br/>`. A path in angle brackets, such as an
/// address in Markdown, is not a tag.
fn is_tag(word: &str) -> bool {
    let name = word.strip_prefix('/').or_else(|| word.strip_suffix('/'));
    name.is_some_and(|name| !name.contains(['/', '\\']) && !has_extension(name))
}

fn is_path(word: &str) -> bool {
    let letters = word.bytes().filter(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80).count();
    if letters < 2 || word.starts_with("//") {
        return false;
    }
    let bytes = word.as_bytes();
    let windows = bytes[1] == b':' || word.starts_with("\\\\");
    let rooted = windows
        || word.starts_with(['/', '~'])
        || word.starts_with("./")
        || word.starts_with("../")
        || word.starts_with(".\\");
    let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
    if rooted || has_extension(last) || WORDS.file_names.has(last) {
        return true;
    }
    let mut segments = word.split('/').filter(|part| !part.is_empty());
    if word.contains('\\')
        || segments.clone().all(|part| part.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    {
        return false;
    }
    // `and/or` is not a path; `src/auth`, `a/b/c` and `@types/node` are.
    let first = segments.clone().next().unwrap_or_default();
    WORDS.folders.has(first)
        || word.starts_with('@')
        || word.ends_with('/')
        || segments.clone().count() > 2
        || segments.all(|part| part.len() > 1 && part.contains(['_', '-', '.']))
}

/// Returns true for names such as `engine.ts` and `app.config.json`.
fn has_extension(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else { return false };
    if extension.is_empty() || extension.len() > 10 || !extension.is_ascii() {
        return false;
    }
    let known = match extension.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => WORDS.extensions.has_sorted(&extension.to_ascii_lowercase()),
        false => WORDS.extensions.has_sorted(extension),
    };
    let named = stem.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80);
    // Names of products, and of objects in code.
    let product = matches!(
        word,
        "Node.js"
            | "Next.js"
            | "Vue.js"
            | "Nuxt.js"
            | "Express.js"
            | "Three.js"
            | "D3.js"
            | "process.env"
            | "console.log"
            | "System.out"
    );
    known && named && !product
}

fn is_id(word: &str) -> bool {
    let (mut digits, mut lower, mut upper, mut marks, mut hex, mut turns) = (0, 0, 0, 0, 0, 0);
    let mut before = 0_u8;
    for byte in word.bytes() {
        let class = match byte {
            b'0'..=b'9' => 1,
            b'a'..=b'z' | b'A'..=b'Z' => 2,
            b'_' | b'-' | b'.' | b'@' => 3,
            _ => return false,
        };
        digits += u32::from(class == 1);
        lower += u32::from(byte.is_ascii_lowercase());
        upper += u32::from(byte.is_ascii_uppercase());
        marks += u32::from(class == 3);
        hex += u32::from(byte.is_ascii_hexdigit());
        turns += u32::from(before != 0 && before != class && class != 3 && before != 3);
        before = class;
    }
    let length = digits + lower + upper + marks;
    if word.contains('@') {
        let (name, host) = word.split_once('@').unwrap_or_default();
        return !name.is_empty() && host.contains('.') && host.len() > 3 && lower > 0;
    }
    if digits == 0 {
        // An id such as `BUG-B`: capitals, a dash, a letter.
        let (head, tail) = word.rsplit_once('-').unwrap_or_default();
        return lower == 0 && marks == 1 && head.len() >= 2 && tail.len() == 1;
    }
    let letters = lower + upper;
    if word.contains('.') {
        return is_version(word, letters);
    }
    if letters == 0 {
        return false;
    }
    let plain = word.strip_prefix("0x").unwrap_or(word);
    if marks == 0 {
        return (hex == length && length >= 7)
            || (plain.len() < word.len() && plain.len() >= 4)
            || (lower == 0 && length >= 5)
            || (length >= 10 && digits >= 2 && turns >= 3);
    }
    if word.contains('_') {
        return true;
    }
    // Ids with dashes: capitals and digits only, a UUID, or a part that mixes letters and digits.
    lower == 0
        || (hex + marks == length && length == 36)
        || word.split('-').any(|part| {
            let digits = part.bytes().filter(u8::is_ascii_digit).count();
            digits > 0 && ((part.len() >= 4 && digits < part.len()) || digits >= 3)
        })
}

/// Returns true for versions and IP addresses: `1.13.3`, `v0.15`, `127.0.0.1`, `2.0.0-rc.1`.
fn is_version(word: &str, letters: u32) -> bool {
    let plain = word.strip_prefix('v').unwrap_or(word);
    let numbers = plain.split(['.', '-']).take_while(|part| part.parse::<u64>().is_ok()).count();
    numbers >= 3 || (numbers >= 2 && plain.len() < word.len() && letters == 1)
}
