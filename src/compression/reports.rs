//! Whether a sentence reports the user's will: "the user asked …", "as requested
//! by the user", 用户要求…. Made to find what summarisers write, in the languages
//! in which agents are used most; a report in another language is not found.

use crate::compression::content_words::REPORTING;

/// What a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reports {
    /// The user asked for, allowed, or chose something.
    Order,
    /// Anything else.
    Other,
}

/// The person, in English.
const PERSON: [&str; 4] = ["user", "users", "human", "customer"];

/// Words that tell of a will only directly after the person: "the user needs" is
/// one, "the user model needs" is none.
const NEAR: [&str; 8] =
    ["need", "requir", "expect", "specif", "allow", "permit", "permission", "order"];

/// Words that may stand between the person and those.
const BETWEEN: [&str; 19] = [
    "gave",
    "gives",
    "given",
    "s",
    "has",
    "have",
    "had",
    "also",
    "then",
    "now",
    "explicitly",
    "clearly",
    "later",
    "further",
    "originally",
    "initially",
    "is",
    "was",
    "strongly",
];

/// Words by which nothing was asked for.
const NOT: [&str; 12] = [
    "not", "never", "hasn", "didn", "hadn", "doesn", "hasnt", "didnt", "nothing", "neither", "yet",
    "nobody",
];

/// Verbs whose denial is a will, too: "the user does not want".
const WANTING: [&str; 5] = ["want", "prefer", "wish", "desire", "agree"];

/// Person and verbs in languages whose words are not looked up one by one; all by
/// their beginnings. Verbs may stand before or after the person.
const OTHERS: &[(&[&str], &[&str])] = &[
    (
        &["用户", "使用者", "客户", "用戶", "客戶"],
        &[
            "要求", "希望", "想要", "想让", "想把", "让", "讓", "指示", "同意", "批准", "请求",
            "請求", "命令", "允许", "允許", "授权", "授權", "确认", "確認", "告诉", "告訴", "提出",
            "坚持", "堅持", "偏好", "指定", "规定", "吩咐", "叫我", "说", "說", "需要", "要把",
        ],
    ),
    (
        &["ユーザ", "利用者", "お客様"],
        &[
            "求め", "要求", "要望", "希望", "指示", "依頼", "頼", "望", "許可", "承認", "同意",
            "命じ", "命令", "言っ", "述べ",
        ],
    ),
    (
        &["사용자", "고객"],
        &[
            "요청", "요구", "원하", "원한", "원했", "지시", "승인", "동의", "허락", "허가", "말했",
            "부탁", "선호",
        ],
    ),
    (
        &["usuario", "usuaria", "usuário", "usuária"],
        &[
            "pid", "solicit", "quier", "quis", "quer", "instru", "orden", "aprob", "aprov",
            "autoriz", "exig", "prefi", "prefe", "dijo", "disse", "indic", "acept", "aceit",
            "pedi", "desea", "deseja",
        ],
    ),
    (
        &["utilisateur", "utilisatrice"],
        &[
            "demand", "veut", "voulait", "souhait", "ordonn", "exig", "approuv", "accept",
            "préfèr", "préfér", "autoris", "dit", "instru", "requ",
        ],
    ),
    (
        &["nutzer", "benutzer", "anwender", "kunde"],
        &[
            "verlang",
            "möchte",
            "will",
            "wollte",
            "bat",
            "gebeten",
            "bittet",
            "wünsch",
            "forder",
            "gefordert",
            "angewiesen",
            "beauftrag",
            "zugestimmt",
            "genehmig",
            "bevorzug",
            "sagt",
            "gesagt",
            "befahl",
            "befohlen",
            "erlaub",
        ],
    ),
    (
        &["utente"],
        &[
            "chied", "chies", "vuole", "voleva", "ordin", "approv", "autorizz", "prefer", "detto",
            "richie",
        ],
    ),
    (
        &["пользовател", "заказчик"],
        &[
            "попрос",
            "прос",
            "хоч",
            "хотел",
            "велел",
            "приказ",
            "потреб",
            "треб",
            "одобр",
            "соглас",
            "предпоч",
            "указ",
            "сказ",
            "разреш",
            "поруч",
        ],
    ),
];

/// What the sentence reports; quotes in it should be blanked before.
pub(super) fn reports(sentence: &str) -> Reports {
    let lower = sentence.to_lowercase();
    if english(&lower) || others(&lower) { Reports::Order } else { Reports::Other }
}

fn english(lower: &str) -> bool {
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let persons = words.iter().enumerate().filter(|(_, word)| PERSON.contains(word));
    for (at, person) in persons {
        let reach = if *person == "users" { 1 } else { 5 };
        let mut near = true;
        let mut denied = false;
        for word in words[at + 1..].iter().take(reach) {
            denied |= NOT.contains(word);
            let willed = begins(word, REPORTING) || near && begins(word, &NEAR);
            if willed && (!denied || begins(word, &WANTING)) {
                return true;
            }
            near &= BETWEEN.contains(word);
        }
        // "requested by the user", "at the wish of the user"
        let before = &words[..at];
        let before = before.strip_suffix(&["the"]).unwrap_or(before);
        if let Some((by, before)) = before.split_last()
            && ["by", "from", "of", "per"].contains(by)
        {
            let close = &before[before.len().saturating_sub(6)..];
            let asked = close.iter().any(|word| begins(word, REPORTING) || begins(word, &NEAR));
            if asked && !close.iter().any(|word| NOT.contains(word) || *word == "no") {
                return true;
            }
        }
    }
    false
}

fn others(lower: &str) -> bool {
    OTHERS.iter().any(|(persons, verbs)| {
        let Some(person) = persons.iter().find(|person| lower.contains(**person)) else {
            return false;
        };
        if person.is_ascii() || person.chars().any(|c| c.is_alphabetic() && c < '\u{2000}') {
            let mut words = lower.split(|c: char| !c.is_alphanumeric());
            return words.any(|word| begins(word, verbs));
        }
        // Scripts without spaces: anywhere in the sentence after the person, or
        // in a possessive before it.
        verbs.iter().any(|verb| lower.contains(verb))
    })
}

fn begins(word: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| word.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::{Reports, reports};

    #[test]
    fn reports_are_told_from_talk_about_users() {
        for (sentence, order) in [
            ("The user asked to fix it", true),
            ("user explicitly approved the plan", true),
            ("User's request: fix it", true),
            ("Done as requested by the user", true),
            ("It was the wish of the user", true),
            ("The user does not want tabs", true),
            ("The user needs it today", true),
            ("The user said nothing", true),
            ("Der Nutzer möchte das", true),
            ("Пользователь попросил это", true),
            ("사용자가 요청했다", true),
            ("The user has not confirmed the plan", false),
            ("No approval was given by the user", false),
            ("The user model requires an id", false),
            ("user_id needs an index", false),
            ("A table of users", false),
            ("The test asks for a name", false),
            ("用户表有三列", false),
        ] {
            assert_eq!(reports(sentence) == Reports::Order, order, "{sentence}");
        }
    }
}
