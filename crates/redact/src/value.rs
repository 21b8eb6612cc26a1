//! Values after the name of a secret: distinguishes secrets from names, placeholders and code by
//! length, alphabet and entropy.

use super::name::NameKind;

/// The kind of place that a value has in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueContext {
    /// Between quotes.
    Quoted,
    /// Without quotes, in a place where only a value can be: after `DB_PASSWORD=`, or in a table.
    Assigned,
    /// Without quotes, in a place where a program may have a name or a call.
    Bare,
}

/// Words that are used in place of a secret: placeholders, and words of programs.
const PLACEHOLDERS: &str = " access accepted any api-key api_key apikey argument async authentication \
    authorization await basic bearer boolean buffer bytes change-me change_me changed changeit changeme \
    char char[] class client column comment config confirm const context cookie credential credentials \
    current custom database default digest disabled email empty enabled encrypted example expired external \
    failed false field fields final function generated getpass header hidden identifier import incorrect \
    inherit input integer internal invalid keyword literal login masked maximum minimum missing mypassword \
    never newline none null number object opaque operator option optional options output params pass \
    passed passphrase passwd password placeholder plaintext present private prompt protected provided \
    public punctuation pwd query read-only readonly redacted refresh rejected removed request required \
    response result return secret secretstr securestring sensitive server session settings static str \
    string strong success supersecret text token true type unchanged undefined unknown unset updated user \
    userinput username value values varchar verified weak wrong yourpassword ";
/// Beginnings of placeholders in templates and of expressions in programs.
const BEGINNINGS: &[&str] = &[
    "your",
    "<",
    "$",
    "{",
    "%",
    "[",
    "@{",
    "process.env",
    "os.environ",
    "env.",
    "../",
    "insert",
    "replace",
    "enter",
    "(",
    "var.",
    "local.",
    "data.",
    "module.",
    "self.",
    "this.",
    "vault:",
    "op://",
    "arn:",
    "urn:",
    "-----begin",
    "ref+",
    "secret:",
    "sha256-",
    "sha512-",
    "fixme",
    "todo",
];
/// Words that occur only in a template, a mask or an address.
const PARTS: &[&str] = &[
    "redacted",
    "${",
    "$(",
    "{{",
    "://",
    "xxxx",
    "****",
    "placeholder",
    "changeme",
    "_here",
    "-here",
    "...",
];
/// Words in the names of variables that hold a secret.
const NAMES: &[&str] =
    &["passw", "passphrase", "secret", "token", "api_key", "apikey", "_key", "-key", "credential"];
/// Words that indicate a sentence.
const SENTENCE: &[&str] = &[
    "the", "your", "a", "an", "is", "are", "must", "please", "enter", "not", "be", "for", "of",
    "and", "or", "to", "with", "in", "no", "this", "that", "can", "should",
];
/// Letters of technical terms with a number that occur in sentences: `sha256`, `oauth2`.
const TERMS: &[&str] = &[
    "aes", "argon", "base", "chars", "crc", "http", "ipv", "oauth", "pbkdf", "python", "rsa",
    "scram", "sha", "utf",
];
/// Parts of names in programs that have no vowel.
const ABBREVIATIONS: &[&str] = &[
    "bg", "btn", "cfg", "cmd", "css", "csv", "ctx", "db", "dst", "fn", "ftp", "gb", "grpc", "html",
    "http", "https", "js", "jwt", "kb", "mb", "md", "mgr", "mng", "ms", "msg", "mtls", "pg", "pkg",
    "ptr", "pwd", "px", "rpc", "rx", "sql", "src", "ssh", "ssl", "str", "tcp", "tls", "tmp", "ts",
    "tx", "txt", "wnd", "ws", "xml",
];
/// Minimum lengths of values, in bytes.
const PASSWORD: usize = 6;
const TOKEN: usize = 8;
const WORD: usize = 10;
/// Minimum entropy of a generated value, in bits per character. Eight different characters have 3.
const BITS: f64 = 2.7;
/// Minimum number of different bytes of a value.
const DIFFERENT: usize = 4;

/// Returns true if a value is a secret.
pub(super) fn is_secret(value: &str, kind: NameKind, context: ValueContext) -> bool {
    let least = if kind == NameKind::Password { PASSWORD } else { TOKEN };
    let spaced = value.contains(char::is_whitespace);
    if value.len() < least
        || different(value) < DIFFERENT
        || is_placeholder(value)
        || (spaced
            && (kind != NameKind::Password
                || context != ValueContext::Quoted
                || is_sentence(value)))
        || is_path(value)
        || (context == ValueContext::Bare && is_member(value))
        || (context != ValueContext::Quoted && value.starts_with(':'))
    {
        return false;
    }
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let signs = value.bytes().any(is_sign);
    let made = digit && letter && entropy(value) >= BITS;
    match (kind, context) {
        (NameKind::Password, ValueContext::Quoted | ValueContext::Assigned) => {
            digit || signs || !names_secret(value)
        }
        (NameKind::Password, ValueContext::Bare) => digit || signs || is_random(value),
        // Counts and timestamps have only digits.
        (NameKind::Key, ValueContext::Quoted | ValueContext::Assigned) => {
            made || (!digit && value.len() >= WORD && !signs && !names_secret(value))
        }
        (NameKind::Token, ValueContext::Quoted | ValueContext::Assigned) => {
            made || is_random(value)
        }
        (NameKind::Key | NameKind::Token, ValueContext::Bare) => made || is_random(value),
    }
}

/// Returns false for a placeholder or a mask in place of a password.
pub(super) fn is_chosen(value: &str) -> bool {
    let masked = value.bytes().all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.'));
    let short = value.len() < PASSWORD && !value.starts_with(['$', '{', '%', '[', '<', '-']);
    let constant = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    !masked
        && !constant
        && !value.starts_with('-')
        && !is_placeholder(value)
        && (short || is_secret(value, NameKind::Password, ValueContext::Quoted))
}

/// Returns true if a digit or an inner capital shows that a value is not a plain word.
pub(super) fn is_mixed(value: &str) -> bool {
    let inside = value.get(1..).unwrap_or_default();
    let capital = inside.bytes().any(|byte| byte.is_ascii_uppercase());
    let small = value.bytes().any(|byte| byte.is_ascii_lowercase());
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    (digit || (capital && small)) && !is_placeholder(value)
}

/// Returns true if a bare value may be a password rather than a type or a variable of a program, or
/// a word of another script, as forms have after the name of a field.
pub(super) fn is_word(value: &str) -> bool {
    let letters = value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let inside = value.get(1..).unwrap_or_default();
    let capital = value.bytes().any(|byte| byte.is_ascii_uppercase());
    let name = value.contains('_') || (letters && capital);
    (!name || (!capital && !inside.contains('_')) || is_random(value))
        && value.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && !is_member(value)
}

/// Returns true for letters that are as mixed as random ones. The parts of a name in a program are
/// words, capitals such as `HTTP`, or abbreviations; those of random letters are short, and many
/// have no vowel.
fn is_random(value: &str) -> bool {
    let inside = value.get(1..).unwrap_or_default();
    let parts = parts(value);
    let strange = parts.iter().filter(|part| is_strange(part)).count();
    let short = 2 * value.len() < 7 * parts.len();
    value.len() >= WORD
        && inside.bytes().any(|byte| byte.is_ascii_uppercase())
        && strange > usize::from(!short)
}

/// Returns the parts of a name in camel case: `Xk`, `Qp`.
fn parts(name: &str) -> Vec<&str> {
    let capitals = name.match_indices(|c: char| c.is_ascii_uppercase()).map(|(at, _)| at);
    let bounds: Vec<usize> = std::iter::once(0).chain(capitals).chain([name.len()]).collect();
    bounds.windows(2).map(|pair| &name[pair[0]..pair[1]]).filter(|part| !part.is_empty()).collect()
}

/// Returns true for a part of a name that no name in a program has.
fn is_strange(part: &str) -> bool {
    let lower = part.to_ascii_lowercase();
    part.bytes().any(|byte| byte.is_ascii_lowercase())
        && !lower.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        && !ABBREVIATIONS.contains(&&*lower)
}

fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let word = lower.trim_end_matches(['!', '?', '.', ',', ':', ';', '*']);
    let listed = !word.contains(' ') && PLACEHOLDERS.contains(&format!(" {word} "));
    listed
        || BEGINNINGS.iter().any(|begin| lower.starts_with(begin))
        || PARTS.iter().any(|part| lower.contains(part))
}

/// Returns true for a value that is itself the name of a secret: `userPassword`, `DB_PASSWORD`.
fn names_secret(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    NAMES.iter().any(|name| lower.contains(name))
}

/// Returns true for a sentence, as programs show to users. A password may contain one word of a
/// sentence if another of its words is made up.
fn is_sentence(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let grammar = lower.split_whitespace().filter(|word| SENTENCE.contains(word)).count();
    let coined = lower.split(|c: char| !c.is_alphanumeric()).any(is_coined);
    grammar > usize::from(coined)
        || lower.split_whitespace().any(names_secret)
        || (!digit && value.starts_with(|c: char| c.is_uppercase()))
}

/// Returns true for letters combined with digits that are not a technical term: `spaces9`.
fn is_coined(word: &str) -> bool {
    let letters: String = word.chars().filter(|c| c.is_alphabetic()).collect();
    letters.len() > 2 && letters.len() < word.len() && !TERMS.contains(&letters.as_str())
}

/// Returns true for a sign that no identifier contains.
fn is_sign(byte: u8) -> bool {
    b"!@#^*+=/~?".contains(&byte)
}

/// Returns true for a path, such as that of a file with secrets: `/run/secrets/token`.
fn is_path(value: &str) -> bool {
    let name = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let path = value.strip_prefix(['.', '~']).unwrap_or(value);
    let is_name = |part: &str| !part.is_empty() && part.len() < 40 && part.chars().all(name);
    path.strip_prefix('/').is_some_and(|path| {
        let path = path.strip_suffix('/').unwrap_or(path);
        (path.contains('/') || path.len() < 16) && path.split('/').all(is_name)
    })
}

/// Returns true for a member of an object or a type: `settings.token2`, `Self::KEY_1`.
fn is_member(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let parts: Vec<&str> = value.split('.').flat_map(|part| part.split("::")).collect();
    parts.len() > 1 && parts.into_iter().all(is_name)
}

fn different(value: &str) -> usize {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// Returns the Shannon entropy, in bits per byte.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = value.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    shares.map(|share| -share * share.log2()).sum()
}
