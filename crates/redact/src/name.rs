//! Names of secrets, in all conventions: `DB_PASSWORD`, `dbPassword`, `db-password`, `db.password`,
//! `API Key`.

use std::sync::LazyLock;

use regex::Regex;

/// The kind of secret that a name indicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A value chosen by a person: short, with any characters.
    Password,
    /// A key, or a token with a qualified name: `api_key`, `DEPLOY_TOKEN`.
    Key,
    /// An unqualified word with many other meanings: `token`, `secret`.
    Token,
}

/// Words before `token` that make it a position in a list.
const PLACES: &[&str] = &["page", "next", "continuation", "sync", "cursor", "pagination", "resume"];
/// Maximum length of a name, in bytes.
const LONGEST: usize = 64;

/// Words before `pass` that make it a password.
const OWNERS: &[&str] = &[
    "db", "user", "smtp", "mail", "admin", "root", "ftp", "redis", "require", "mysql", "postgres",
    "pg", "mongo", "auth", "login", "proxy", "ssh", "sudo", "bind", "ldap", "vnc", "key", "store",
    "trust", "cert", "basic",
];
/// Words before `key` that make it a secret.
const OF_KEY: &[&str] = &[
    "api",
    "app",
    "application",
    "access",
    "auth",
    "private",
    "encryption",
    "decryption",
    "signing",
    "signature",
    "master",
    "account",
    "license",
    "shared",
    "preshared",
    "pre_shared",
    "pre-shared",
    "secret",
    "service",
    "storage",
    "subscription",
    "consumer",
    "deploy",
    "webhook",
    "hmac",
    "jwt",
    "session",
    "admin",
    "client",
    "security",
    "function",
    "functions",
    "integration",
];
/// Names of passwords, or endings of such names.
const PASSWORDS: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "masterauth",
    "psk",
    "passwort",
    "kennwort",
    "wachtwoord",
    "senha",
    "contrasena",
    "motdepasse",
    "mot_de_passe",
    "mot de passe",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    // Case is ignored only in ASCII.
    "пароль",
    "Пароль",
    "ПАРОЛЬ",
];
const TOKENS: &[&str] = &[
    "secret",
    "secret_id",
    "secret-id",
    "secretid",
    "token",
    "credential",
    "credentials",
    "authorization",
];
/// Endings that may follow the word and still belong to the name.
pub(super) const SUFFIX: &str = "(?:[_-]?(?:base|value|string|[0-9]{1,2}))?";

/// A word in a text that ends the name of a secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameMatch {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) password: bool,
}

/// Returns all words that end the name of a secret, in lower case, each with true if it names a
/// password.
pub(super) fn words() -> Vec<(String, bool)> {
    let with =
        |firsts: &[&str], signs: &[&str], last: &str, password: bool| -> Vec<(String, bool)> {
            let of = |first: &&str| -> Vec<(String, bool)> {
                signs.iter().map(|sign| (format!("{first}{sign}{last}"), password)).collect()
            };
            firsts.iter().flat_map(of).collect()
        };
    let mut words = with(OWNERS, &["", "_", "-"], "pass", true);
    words.extend(with(OF_KEY, &["", "_", "-", ".", " "], "key", false));
    words.extend(PASSWORDS.iter().map(|word| ((*word).to_owned(), true)));
    words.extend(TOKENS.iter().map(|word| ((*word).to_owned(), false)));
    words
}

/// Returns the kind of secret that a whole identifier names; `None` if it does not name a secret.
pub(super) fn kind_of(identifier: &str) -> Option<NameKind> {
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
        let of = |password| -> String {
            let words = words().into_iter().filter(|(_, is)| *is == password);
            words.map(|(word, _)| regex::escape(&word)).collect::<Vec<_>>().join("|")
        };
        let (passwords, others) = (of(true), of(false));
        let pattern = format!("(?i-u:(?:(?<password>{passwords})|{others}){SUFFIX})$");
        Regex::new(&pattern).expect("the words are fixed and tested")
    });
    let found = WHOLE.captures(identifier)?;
    kind(identifier, found.get(0)?.start(), found.name("password").is_some())
}

/// Returns the kind of secret for an identifier that ends with a word that begins at `start`.
pub(super) fn kind(identifier: &str, start: usize, password: bool) -> Option<NameKind> {
    if password {
        return Some(NameKind::Password);
    }
    let before = identifier[..start].trim_end_matches(['_', '-', '.']);
    let lower = before.to_ascii_lowercase();
    if PLACES.iter().any(|place| lower.ends_with(place)) {
        return None;
    }
    let lone = TOKENS.iter().any(|word| identifier[start..].eq_ignore_ascii_case(word));
    Some(if lone && before.is_empty() { NameKind::Token } else { NameKind::Key })
}

/// Returns the start of the identifier whose last part begins at `at`.
pub(super) fn identifier_start(text: &str, at: usize) -> usize {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    at - text.as_bytes()[..at].iter().rev().take(LONGEST).take_while(|byte| part(byte)).count()
}

/// Returns true for a name in upper case, such as that of a constant or an environment variable.
pub(super) fn is_screaming(identifier: &str) -> bool {
    identifier.bytes().any(|byte| byte.is_ascii_uppercase())
        && !identifier.bytes().any(|byte| byte.is_ascii_lowercase())
}
