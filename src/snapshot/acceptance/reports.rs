//! Detects sentences that report a wish of the user: "the user asked …", "as requested by the
//! user", 用户要求…. Word lists cover the languages in which agents are used most; reports in other
//! languages are not detected.

use super::lists::LISTS;
use crate::snapshot::text::word_lists::WORDS;
use crate::snapshot::text::word_shape::is_cjk;

/// Returns true if a sentence reports that the user asked for, allowed or chose something. The
/// caller removes quotations first.
pub(super) fn reports_order(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    english(&lower) || others(&lower)
}

/// Returns true if a sentence begins with the user as the subject of an action.
pub(super) fn user_acts(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|w| !w.is_empty());
    let mut word = words.next().unwrap_or_default();
    if matches!(word, "the" | "der" | "die" | "le" | "la" | "l'utilisateur" | "el" | "o" | "il") {
        word = words.next().unwrap_or_default();
    }
    let spaced = WORDS.person.has(word);
    let person = |list: &super::super::text::word_lists::List| {
        list.iter().any(|person| word.starts_with(person) && !word.ends_with("'s"))
    };
    if !spaced && !WORDS.reporting_languages.iter().any(|language| person(&language.persons)) {
        return false;
    }
    if word.chars().any(|c| !c.is_ascii() && is_cjk(c)) {
        let owns =
            ["ーの", "者の", "户的", "戶的", "자의"].iter().any(|owner| lower.contains(owner));
        return !owns && !WORDS.denying_unspaced.is_in(&lower);
    }
    let mut was = false;
    for next in words.take(4) {
        if was {
            return matches!(next, "fine" | "ok" | "okay" | "happy" | "willing" | "glad");
        }
        was = matches!(next, "is" | "was");
        if was {
            continue;
        }
        if LISTS.acting.has(next) || next.len() > 4 && next.ends_with("ed") {
            return true;
        }
        if !WORDS.between.has(next) {
            return false;
        }
    }
    false
}

fn english(lower: &str) -> bool {
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let noun = |word: &str| word.ends_with("ation") || word.ends_with("ations");
    let reports = |word: &str| {
        !noun(word) && (WORDS.reporting.begins(word) || WORDS.reporting_near.begins(word))
    };
    let persons = words.iter().enumerate().filter(|(_, word)| WORDS.person.has(word));
    for (at, person) in persons {
        // Skip `a human agent` and `the customer was told to`.
        if matches!(words.get(at + 1), Some(&("agent" | "agents")))
            || words[at + 1..].starts_with(&["told", "to"])
        {
            continue;
        }
        let reach = if *person == "users" { 1 } else { 5 };
        let mut near = true;
        let mut denied = false;
        for word in words[at + 1..].iter().take(reach) {
            if matches!(*word, "was" | "were" | "been") {
                break;
            }
            denied |= WORDS.denying.has(word);
            let willed =
                if near { reports(word) } else { !noun(word) && WORDS.reporting.begins(word) };
            if willed && (!denied || WORDS.wanting.begins(word)) {
                return true;
            }
            near &= WORDS.between.has(word);
        }
        // Such as "requested by the user" and "at the wish of the user".
        let before = &words[..at];
        let before = before.strip_suffix(&["the"]).unwrap_or(before);
        if let Some((by, before)) = before.split_last()
            && ["by", "from", "of", "per"].contains(by)
        {
            let close = &before[before.len().saturating_sub(6)..];
            let asked = close.iter().any(|word| reports(word));
            if asked && !close.iter().any(|word| WORDS.denying.has(word) || *word == "no") {
                return true;
            }
        }
    }
    false
}

fn others(lower: &str) -> bool {
    WORDS.reporting_languages.iter().any(|language| {
        let Some(person) = language.persons.iter().find(|person| lower.contains(person)) else {
            return false;
        };
        if WORDS.denying_unspaced.is_in(lower) {
            return false;
        }
        if person.is_ascii() || person.chars().any(|c| c.is_alphabetic() && c < '\u{2000}') {
            let mut words = lower.split(|c: char| !c.is_alphanumeric());
            return words.any(|word| language.verbs.begins(word));
        }
        // In scripts without spaces, the verb may be anywhere in the sentence.
        language.verbs.is_in(lower)
    })
}

#[cfg(test)]
mod tests {
    use super::reports_order;

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
            assert_eq!(reports_order(sentence), order, "{sentence}");
        }
    }
}
