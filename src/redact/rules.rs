//! The rules: one a format of secret, each with where that format is published. The
//! order is that of precedence: where two overlap, the name of the first is shown.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::value::{Kind, Stands, entropy, is_secret};
use super::{Secret, assignment, private_key};

/// A format of secret.
struct Rule {
    /// What a mark calls it.
    name: &'static str,
    /// Words, in small letters, of which a text with such a secret holds one.
    words: &'static [&'static str],
    /// The secret is the group `s`. `{start}` and `{end}` stand for the ends of a
    /// word, `{is}` for what stands between a name and its value.
    pattern: &'static str,
    check: Check,
}

/// What else must hold, so that a look-alike stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    /// Nothing: the format says it all.
    Format,
    /// Characters as mixed as chance mixes them, digits among them.
    Random,
    /// A digit, or capitals inside: no plain word.
    NoWord,
    /// No variable of a template.
    Set,
}

const fn rule(
    name: &'static str,
    words: &'static [&'static str],
    pattern: &'static str,
    check: Check,
) -> Rule {
    Rule { name, words, pattern, check }
}

use Check::{Format, NoWord, Random, Set};

/// Sources: gitleaks (`config/gitleaks.toml`), detect-secrets (`plugins/`), GitHub's
/// list of supported secret scanning patterns, and what each vendor says of its own
/// tokens. Lengths are the least that are published: a longer token is one, too.
const RULES: &[Rule] = &[
    // gitleaks `aws-access-token`: the prefixes that IAM documents for unique ids.
    rule(
        "aws-access-key",
        &["akia", "asia", "abia", "acca", "a3t"],
        r"{start}(?<s>(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}){end}",
        Format,
    ),
    // detect-secrets `aws.py`: forty characters of Base64 behind the name; IAM's
    // credentials.csv has them behind the key's id.
    rule(
        "aws-secret-key",
        &["secret", "session"],
        r"(?i-u:aws[_.-]?secret[_.-]?(?:access[_.-]?)?key|secret[_.-]?access[_.-]?key|(?:aws[_.-]?)?session[_.-]?token){is}(?<s>(?:[A-Za-z0-9/+=]|\\+/){40,})",
        Random,
    ),
    rule(
        "aws-secret-key",
        &["akia", "asia"],
        r#"(?:AKIA|ASIA)[A-Z0-9]{16}(?:\\+[nrt]|[\s,;:"'|\\]){1,8}(?<s>[A-Za-z0-9/+]{40}){end}"#,
        Random,
    ),
    // GitHub, "About authentication to GitHub": token formats.
    rule(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        "(?<s>gh[pousr]_[A-Za-z0-9]{36,})",
        Format,
    ),
    rule("github-token", &["github_pat_"], "(?<s>github_pat_[A-Za-z0-9_]{36,})", Format),
    // GitLab, "Token overview": token prefixes.
    rule(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-"],
        r"(?<s>gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,})",
        Format,
    ),
    // Slack, "Token types"; gitleaks `slack-*`.
    rule(
        "slack-token",
        &["xox", "xapp-"],
        r"(?<s>(?:xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{20,}))",
        Format,
    ),
    rule(
        "slack-webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com(?:\\*/)(?:services|workflows|triggers)(?:\\*/)(?<s>(?:[A-Za-z0-9+]|\\*/){20,})",
        Format,
    ),
    // Stripe, "API keys"; "Verify webhook signatures".
    rule(
        "stripe-key",
        &["k_live_", "k_test_", "k_prod_", "whsec_"],
        "{start}(?<s>(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,}))",
        Format,
    ),
    // gitleaks `anthropic-api-key`, `anthropic-admin-api-key`.
    rule(
        "anthropic-key",
        &["sk-ant-"],
        "(?<s>sk-ant-[A-Za-z0-9]{2,12}-[A-Za-z0-9_-]{20,})",
        Format,
    ),
    // gitleaks `openai-api-key`, detect-secrets `openai.py`; gateways keep the prefix.
    rule(
        "openai-key",
        &["sk-"],
        "{start}(?<s>sk-(?:(?:proj|svcacct|admin|service|None|or-v1)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,}))",
        Random,
    ),
    // Google Cloud, "API keys"; gitleaks `gcp-api-key`; GitHub: OAuth client secrets.
    rule("google-key", &["aiza"], "(?<s>AIza[A-Za-z0-9_-]{35,})", Format),
    rule(
        "google-token",
        &["gocspx-", "ya29."],
        r"(?<s>GOCSPX-[A-Za-z0-9_-]{28,}|ya29\.[A-Za-z0-9_-]{20,})",
        Format,
    ),
    // Azure, "Configure connection strings"; "Service SAS"; gitleaks `azure-ad-client-secret`.
    rule(
        "azure-key",
        &["accountkey", "accesskey"],
        "(?i-u:accountkey|sharedaccesskey)=(?<s>[A-Za-z0-9+/]{40,}={0,2})",
        Random,
    ),
    rule("azure-signature", &["sig="], "{start}(?i-u:sig)=(?<s>[A-Za-z0-9%+/]{40,}={0,2})", Random),
    rule(
        "azure-secret",
        &["q~"],
        r"{start}(?<s>[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,})",
        Random,
    ),
    // npm, "About access tokens"; the older ones are UUIDs in .npmrc.
    rule("npm-token", &["npm_"], "{start}(?<s>npm_[A-Za-z0-9]{36,})", Format),
    rule("npm-token", &["_auth"], r#"_auth(?:Token)?\s?=\s?"?(?<s>[A-Za-z0-9+/=-]{16,})"#, NoWord),
    // PyPI, "API tokens": a macaroon, whose first bytes are the same for all.
    rule("pypi-token", &["pypi-ag"], "(?<s>pypi-Ag[A-Za-z0-9_-]{50,})", Format),
    // gitleaks `huggingface-access-token`.
    rule(
        "huggingface-token",
        &["hf_", "api_org_"],
        "{start}(?<s>(?:hf_|api_org_)[A-Za-z0-9]{30,})",
        Format,
    ),
    // gitleaks `sendgrid-api-token`, `twilio-api-key`, `telegram-bot-api-token`.
    rule(
        "sendgrid-key",
        &["sg."],
        r"{start}(?<s>SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{32,})",
        Format,
    ),
    rule("twilio-key", &["sk"], "{start}(?<s>SK[0-9a-f]{32}){end}", Random),
    rule("telegram-token", &[":aa"], "{start}(?<s>[0-9]{8,10}:AA[A-Za-z0-9_-]{32,})", Format),
    // detect-secrets `discord.py`; GitHub: webhooks.
    rule(
        "discord-token",
        &["."],
        r"{start}(?<s>[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}){end}",
        Random,
    ),
    rule(
        "discord-webhook",
        &["api/webhooks"],
        r"discord(?:app)?\.com(?:\\*/)api(?:\\*/)webhooks(?:\\*/)[0-9]{10,}(?:\\*/)(?<s>[A-Za-z0-9_-]{20,})",
        Random,
    ),
    // GitHub's list: the prefixes are their vendors' own.
    rule(
        "vendor-token",
        &[
            "dop_v1_",
            "doo_v1_",
            "dor_v1_",
            "dapi",
            "shpat_",
            "shpca_",
            "shppa_",
            "shpss_",
            "hvs.",
            "hvb.",
            "dckr_pat_",
            "gsk_",
            "lin_api_",
            "ntn_",
        ],
        r"{start}(?<s>(?:do[por]_v1_[0-9a-f]{64}|dapi[0-9a-f]{32}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|hv[sb]\.[A-Za-z0-9_-]{24,}|dckr_pat_[A-Za-z0-9_-]{24,}|gsk_[A-Za-z0-9]{40,}|lin_api_[A-Za-z0-9]{40,}|ntn_[A-Za-z0-9]{40,}))",
        Format,
    ),
    // The age specification: Bech32 of an X25519 identity.
    rule("age-key", &["age-secret-key-1"], "(?<s>AGE-SECRET-KEY-1[0-9A-Z]{58})", Format),
    // RFC 7519, RFC 7516: two JSON objects in Base64 and a signature, or five parts.
    rule(
        "jwt",
        &["eyj"],
        r"(?<s>eyJ[A-Za-z0-9_-]{8,}(?:\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?|(?:\.[A-Za-z0-9_-]*){4}))",
        Format,
    ),
    // RFC 9110, section 11; gitleaks `curl-auth-header`.
    rule(
        "authorization",
        &["authorization"],
        r#"(?i-u:authorization){is}(?:\\*["'`])?(?i-u:basic|bearer|token|digest|apikey|key|bot)[\s+]{1,4}(?<s>[A-Za-z0-9._~+/=:-]{8,})"#,
        NoWord,
    ),
    rule(
        "bearer-token",
        &["bearer"],
        r"(?i-u:bearer)(?:\s|\\+[nrt]|%20|\+){1,4}(?<s>[A-Za-z0-9._~+/=-]{16,})",
        Random,
    ),
    // RFC 3986, section 3.2.1; detect-secrets `basic_auth.py`.
    rule(
        "url-password",
        &["//", r"\/"],
        r#"(?i-u:[a-z][a-z0-9+.-]{1,24}):(?:\\*/){2}[^\s/:@"'`<>\\]{0,120}:(?<s>[^\s/@"'`<>\\]{3,})@"#,
        Set,
    ),
    // gitleaks `curl-auth-user`.
    rule(
        "curl-user",
        &["curl"],
        r#"curl\s[^\n]{0,200}?\s(?:-u|--user)[ =](?:\\*["'])?[^\s:"']{1,80}:(?<s>[^\s"'\\]{3,})"#,
        Set,
    ),
];

/// The beginning of a word, also behind an escape of JSON, of a URL or of a terminal.
const START: &str =
    r"(?:(?-u:\b{start-half})|\\[nrtbf]|\\u00[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]{0,8}m)";
const END: &str = r"(?-u:\b{end-half})";
/// Between a name and its value: quotes of any level, a sign.
const IS: &str = r#"(?:\\*["'`])?\]?\s{0,4}(?::=|=>|={1,3}|[:,])\s{0,4}(?:\\*["'`])?"#;

/// The rules, ready to run.
struct Compiled {
    /// Which rules have a word in a text.
    words: RegexSet,
    patterns: Vec<Regex>,
}

static COMPILED: LazyLock<Compiled> = LazyLock::new(|| {
    let words =
        RULES.iter().map(|rule| rule.words).chain([&["private key"][..], assignment::WORDS]);
    let any = words.map(|words| {
        let literals: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
        format!("(?i-u:{})", literals.join("|"))
    });
    let pattern = |rule: &Rule| {
        let ends = rule.pattern.replace("{start}", START).replace("{end}", END);
        Regex::new(&ends.replace("{is}", IS)).expect("the patterns are fixed and tested")
    };
    Compiled {
        words: RegexSet::new(any).expect("the words are fixed and tested"),
        patterns: RULES.iter().map(pattern).collect(),
    }
});

/// Every secret of a text, rule by rule.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let compiled = &*COMPILED;
    let mut found = Vec::new();
    for at in compiled.words.matches(text) {
        if let Some((rule, pattern)) = RULES.get(at).zip(compiled.patterns.get(at)) {
            let secrets = pattern.captures_iter(text).filter_map(|captures| captures.name("s"));
            let secrets = secrets.filter(|secret| rule.check.holds(secret.as_str()));
            found.extend(secrets.map(|s| Secret { bytes: s.range(), rule: rule.name }));
        } else if at == RULES.len() {
            let keys = private_key::find(text).into_iter();
            found.extend(keys.map(|bytes| Secret { bytes, rule: private_key::RULE }));
        } else {
            let values = assignment::find(text).into_iter();
            found.extend(values.map(|bytes| Secret { bytes, rule: assignment::RULE }));
        }
    }
    found
}

/// Where a rule stands in the list; a whole key covers everything in it.
pub(super) fn rank(name: &str) -> usize {
    if name == private_key::RULE {
        return 0;
    }
    1 + RULES.iter().position(|rule| rule.name == name).unwrap_or(RULES.len())
}

impl Check {
    fn holds(self, secret: &str) -> bool {
        let digit = secret.bytes().any(|byte| byte.is_ascii_digit());
        match self {
            Format => true,
            Random => digit && entropy(secret) >= 3.0,
            NoWord => {
                let inside = secret.get(1..).unwrap_or_default();
                let capital = inside.bytes().any(|byte| byte.is_ascii_uppercase());
                let small = secret.bytes().any(|byte| byte.is_ascii_lowercase());
                digit || (capital && small)
            }
            Set => is_set(secret),
        }
    }
}

/// False for what a template or a mask has there.
fn is_set(secret: &str) -> bool {
    let masked = secret.bytes().all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.'));
    let word = secret.len() < 6 || is_secret(secret, Kind::Password, Stands::Quoted);
    !masked && word && !secret.starts_with(['$', '{', '%', '['])
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
