//! The value of an assignment: whether what stands behind `password =` or
//! `"api_key":` is a secret, or a name, a placeholder, a piece of code. Formats say
//! nothing here, so length, alphabet and entropy do.

/// What an assignment says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A person chose it: short, and of any letters.
    Password,
    /// A machine made it.
    Token,
}

/// How a value stands in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// Between quotes.
    Quoted,
    /// By itself, as names and calls of a program do.
    Bare,
}

/// Words that stand where a secret would.
const PLACEHOLDERS: &[&str] = &[
    "apikey",
    "api_key",
    "changeme",
    "default",
    "disabled",
    "enabled",
    "example",
    "false",
    "hidden",
    "masked",
    "none",
    "null",
    "optional",
    "password",
    "passwd",
    "placeholder",
    "private",
    "public",
    "redacted",
    "removed",
    "required",
    "secret",
    "string",
    "token",
    "true",
    "undefined",
    "unknown",
    "username",
];
/// Beginnings of what a template or a program puts there.
const BEGINNINGS: &[&str] =
    &["your-", "your_", "<", "$", "{", "%", "[", "@", "process.env", "os.environ", "env.", "../"];
/// Shortest values.
const PASSWORD: usize = 6;
const TOKEN: usize = 8;
/// Least entropy of a machine's value, in bits a character; of eight different
/// characters it is 3.
const BITS: f64 = 2.7;
/// Least number of different characters of any value.
const DIFFERENT: usize = 4;

/// True where a value is a secret.
pub(super) fn is_secret(value: &str, kind: Kind, stands: Stands) -> bool {
    let least = if kind == Kind::Password { PASSWORD } else { TOKEN };
    if value.len() < least || different(value) < DIFFERENT {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    if PLACEHOLDERS.contains(&lower.as_str())
        || BEGINNINGS.iter().any(|begin| lower.starts_with(begin))
        || lower.contains("redacted")
        || lower.contains("${")
        || lower.contains("://")
        || (kind == Kind::Token && value.contains(char::is_whitespace))
        || is_path(value)
    {
        return false;
    }
    let digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    match (kind, stands) {
        (_, Stands::Bare) if is_member(value) => false,
        (Kind::Password, Stands::Quoted) => true,
        (Kind::Password, Stands::Bare) => digit || value.bytes().any(is_sign),
        // Counts and moments are digits only, names letters only.
        (Kind::Token, _) => digit && letter && entropy(value) >= BITS,
    }
}

/// A sign that no name of a program holds.
fn is_sign(byte: u8) -> bool {
    b"!@#^*+=/~?".contains(&byte)
}

/// A path, as files of secrets have one: `/run/secrets/token`.
fn is_path(value: &str) -> bool {
    let name = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let path = value.strip_prefix(['.', '~']).unwrap_or(value);
    let is_name = |part: &str| !part.is_empty() && part.len() < 40 && part.chars().all(name);
    path.strip_prefix('/').is_some_and(|path| {
        let path = path.strip_suffix('/').unwrap_or(path);
        (path.contains('/') || path.len() < 16) && path.split('/').all(is_name)
    })
}

/// A member of something: `settings.token2`, `Self::KEY_1`.
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

/// Shannon's, in bits a byte.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = value.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all);
    shares.map(|share| -share * share.log2()).sum()
}
