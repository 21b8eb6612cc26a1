//! Classifies lines and sentences by words in them: a constraint, a finding, an error, a
//! step of a plan, an output pasted as speech.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use super::word_lists::{Phrases, WORDS};

/// Returns the expression of a fixed pattern.
pub(crate) fn fixed(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).size_limit(1 << 22).build().expect("the pattern is fixed and tested")
}

/// Words of the longest line of settings.
const MOST_WORDS: usize = 12;

/// Returns an expression that finds any of the words.
pub(crate) fn any_of(languages: &[Phrases]) -> Regex {
    let all = |of: fn(&Phrases) -> &[String]| {
        let phrases: Vec<&str> = languages.iter().flat_map(of).map(String::as_str).collect();
        phrases.join("|")
    };
    fixed(&format!("(?i-u:\\b(?:{})\\b)|(?i:{})", all(|of| &of.words), all(|of| &of.parts)))
}

/// Declares functions that tell texts by an expression, made at the first call.
macro_rules! markers {
    ($($(#[$doc:meta])* $name:ident: $expression:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(text: &str) -> bool {
            static EXPRESSION: LazyLock<Regex> = LazyLock::new(|| $expression);
            EXPRESSION.is_match(text)
        }
    )*};
}

markers! {
    /// True where a sentence sets a rule.
    is_constraint: any_of(&WORDS.rules);

    /// True where a sentence states what was found or decided.
    is_finding: fixed("\
         (?i-u:\\b(?:found|because|caused? by|the cause|root cause|confirmed|turns out|due to|\
         decided|the (?:issue|problem|bug|reason|fix|error|answer|result) (?:is|was|comes)|\
         discovered|identified|determined|conclu(?:de|ded|sion)|verified|fixed|solved|resolved|\
         located|defined in|is set to|equals|means that|therefore|it seems|version)\\b)|\
         发现|原因|确认|结论|因为|导致|决定|根因|问题在于|位于|修复|原因は|確認|Причина|нашёл");

    /// True where a line states an error.
    is_error: fixed("\
         (?i-u:\\b(?:error:|error\\[|error [a-z]{1,4}[0-9]{2,5}:|fatal|panicked|\
         traceback|segmentation fault|exception:|failed|failure|denied|not found|\
         refused|timed out|cannot|unable to|critical|aborted|\
         undefined reference|no such file)\\b?)|(?-u:\\w)(?:Error|Exception): |\
         错误|失败|异常|拒绝|超时|严重|エラー|ошибка");

    /// True where a line states a status or a total.
    is_status: fixed("\
         (?i-u:\\b(?:exit(?:ed with)?[ _](?:code|status)|test result|total|passed|warnings?|\
         tests? run|summary|finished|completed|succeeded)\\b)|总计|合计|警告|通过|完成");

    /// True for a step with a box to tick.
    is_checkbox: fixed("^[ \\t]*(?:[-*+]|[0-9]{1,3}[.)])?[ \\t]*(?:\\[[ xX~>-]\\]|[✅☑✔⬜☐🔲⏳])");

    /// True for a line of a file that was shown with its number.
    is_source_line: fixed("^[ \\t]*[0-9]{1,7}(?:[:|→\\t](?:[^0-9]|$)| \\||  )");

    /// True for a numbered step.
    is_numbered: fixed("^[ \\t]*(?:\\*\\*)?(?:(?i-u:step) )?[0-9]{1,3}[.):、][ \\t]*[^ \\t]");

    /// True where a sentence says how far things are.
    is_progress: fixed("\
         (?i-u:\\b(?:next|step [0-9]+|todo|to do|remaining|pending|in progress|still need|left to|\
         completed|(?:is|are) complete|done|finished|blocked|plan)\\b)|下一步|已完成|待办|接下来|完成|剩余|进行中|次に|完了");

    /// True where a user's text says by its first words that it is an output.
    is_output: fixed("\
         ^\\s*(?i-u:observation\\b|output\\b|execution result|\
         <(?:(?:tool|function|code|command|bash|shell|terminal|execution|search|web|browser|query|api|file)_\
         (?:results?|responses?|outputs?|calls?_results?)|\
         observations?|outputs?|returncode|results?|response|stdout|stderr|documents?|environment_details)\\b|\
         \\[(?:tool|command|result)|\\[[a-z_]+(?: for (?u:[^\n]{0,300}))?\\] results?:|exit code|the command|\
         (?:tool|function|code|command|shell|terminal|execution|search|web|query|api) \
         (?:output|results?|response)\\b|here(?:'s| is) the result of running)");
}

/// The same words where the speaker means himself.
static OF_ONESELF: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:i|we)(?:'m| am| have)? (?:also |still |really |just |only )?\
         (?:don't|do not|need to|only|should|will need to)\\b|\\bnever mind\\b)|我(?:需要|应该|不能)",
    )
});
/// Words that negate a sentence.
static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:never|not|no|nope|nah|nothing|without|avoid|stop|cannot|\
         (?:do|does|did|must|ca|wo|should|could|would|is|are|was|has|have)n'?t|\
         nie|nein|nee|nichts?|kein[a-z]*|ohne|jamais|pas|sans|nunca|sin|mai|non|senza|sem)\\b)|\
         jamás|não|не |без|нельзя|никогда|不|别|勿|禁止|没|無|无|ない|いや|いいえ|やめ|ません|금지|말|않",
    )
});
/// The number that a process left with.
static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?m:^[^/#*\n]{0,100}?)(?i-u:(?:exit(?:ed with)?[ _]?(?:code|status)?|return[ _]?code)\"?(?: of)?>?[:= ]{0,3}(-?[0-9]{1,5})\\b)",
    )
});
/// A line of settings or a named value: `"timeout": 4500`, `retries = 3`.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "^[ \\t]*[-*]?[ \\t]*[\"'`]?[A-Za-z_][A-Za-z0-9_. -]{0,40}[\"'`]?[ \\t]*[:=][ \\t]*[\"'`\\[]?[A-Za-z0-9./$~-]",
    )
});
/// Words above a list of steps.
static STEPS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:steps?|process|procedure|workflow|will|going to|need to|needs to|have to|let's|let me|approach|should|must|\
         schritte?|werde|pasos?|voy a|étapes?|je vais|passos?|passi)\\b)|步骤|计划|方案|手順|計画|шаги|план",
    )
});

/// A tool's words for a user who wanted nothing of it.
static DECLINED: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "^[\\[(<\"]?(?i-u:(?:the )?(?:user|human) (?:has )?(?:declined|dismissed|skipped|\
         cancell?ed|rejected|denied|closed|ignored|did(?: not|n't)|does(?: not|n't) want)\\b|\
         request interrupted by user)",
    )
});
/// Its words where no answer came.
static UNANSWERED: LazyLock<Regex> =
    LazyLock::new(|| fixed("^[\\[(<\"]?(?i-u:no (?:answer|response|input|reply)|timed? ?out)\\b"));

/// True where a tool that asks the user says that there is no answer.
pub(crate) fn is_unanswered(text: &str) -> bool {
    UNANSWERED.is_match(text.trim_start()) || is_declined(text) || is_error(text)
}

/// True where a tool says that the user declined what it would have done.
pub(crate) fn is_declined(text: &str) -> bool {
    DECLINED.is_match(text.trim_start())
}

/// True where a sentence sets a rule for someone else: no question, and more than
/// what the speaker does not have or needs.
pub(crate) fn is_rule(text: &str) -> bool {
    let asks = text.trim_end().ends_with(['?', '？']);
    !asks && is_constraint(text) && is_constraint(&OF_ONESELF.replace_all(text, ""))
}

/// True where a text negates something.
pub(crate) fn is_negated(text: &str) -> bool {
    NEGATION.is_match(&text.replace('’', "'"))
}

/// True for the head of a table: words with one mark between them.
pub(crate) fn is_table_head(line: &str) -> bool {
    let is_word = |cell: &str| {
        let cell = cell.trim();
        !cell.is_empty() && !cell.contains(|c: char| c.is_whitespace() || c == ':')
    };
    let is_row = |mark| line.split(mark).count() > 2 && line.split(mark).all(is_word);
    [',', ';', '\t', '|'].into_iter().any(is_row)
}

/// True for a line of settings: a name and a value, and no prose behind a colon.
pub(crate) fn is_setting(line: &str) -> bool {
    let is_short = || line.split_whitespace().take(MOST_WORDS + 1).count() <= MOST_WORDS;
    line.len() < 200 && SETTING.is_match(line) && is_short()
}

/// True for a line above a list that says that its entries are steps.
pub(crate) fn heads_steps(line: &str) -> bool {
    STEPS.is_match(line) || is_progress(line)
}

/// The last exit code that a text states.
pub(crate) fn exit_code(text: &str) -> Option<&str> {
    EXIT.captures_iter(text).last().and_then(|found| found.get(1)).map(|code| code.as_str())
}

/// True where a user's text is no speech but a log or code, by its lines.
pub(crate) fn looks_like_output(text: &str) -> bool {
    if text.len() < 500 {
        return false;
    }
    // The first lines decide; a message of a megabyte need not be read for it.
    let (mut lines, mut speech, mut repeated) = (0_usize, 0_usize, 0_usize);
    let mut before = "";
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()).take(300) {
        lines += 1;
        repeated += usize::from(line == before);
        before = line;
        speech += usize::from(is_speech(line));
    }
    repeated * 2 > lines || (lines >= 8 && speech * 3 < lines)
}

/// True for a numbered entry of a list, or one behind a mark.
pub(crate) fn is_list_entry(line: &str) -> bool {
    is_numbered(line) || is_checkbox(line) || line.starts_with(['-', '*', '•'])
}

/// True for a line that someone may have said: words, and few other marks.
pub(crate) fn is_speech(line: &str) -> bool {
    if is_numbered(line) || line.starts_with(['-', '*', '#', '•']) && line.contains(' ') {
        return !line.ends_with([';', '{', '}']) && !line.starts_with("--");
    }
    let mut letters = 0_usize;
    let mut marks = 0_usize;
    for byte in line.bytes().take(400) {
        letters += usize::from(byte.is_ascii_lowercase() || byte >= 0x80 || byte == b' ');
        marks += usize::from(byte.is_ascii_punctuation() || byte.is_ascii_digit());
    }
    let spaced = line.contains(' ') || !line.is_ascii();
    spaced && letters > marks * 5 && !line.ends_with([';', '{', '}', ','])
}

#[cfg(test)]
mod tests {
    use super::{is_constraint, is_output};

    #[test]
    fn rules_are_told_in_many_languages() {
        for rule in [
            "Under no circumstances restart host-9.",
            "Leave config9.yaml alone.",
            "No new dependencies, please.",
            "Every commit message needs the prefix BILL-77.",
            "I want British spelling everywhere.",
            "Nobody except me merges to main9.",
            "You may push to main now.",
            "Stop working on billing, that is cancelled.",
            "Ändere niemals die Datenbank.",
            "Réponds uniquement en français.",
            "Ne touche pas à la base.",
            "Por favor no reinicies el servidor.",
            "Não apague a pasta antiga.",
            "Non toccare mai il file.",
            "Raak het bestand nooit aan.",
            "Никогда не трогай базу.",
            "Nigdy nie usuwaj plików.",
            "Bu dosyaya asla dokunma.",
            "لا تلمس قاعدة البيانات",
            "इस फ़ाइल को कभी मत बदलना",
            "フォルダを削除してはいけません。",
            "千万别动数据库",
            "절대 건드리지 마세요",
        ] {
            assert!(is_constraint(rule), "{rule}");
        }
        for word in ["The sky is blue today.", "Das Wetter ist schön.", "Il fait beau.", "好的"]
        {
            assert!(!is_constraint(word), "{word}");
        }
    }

    #[test]
    fn outputs_are_told_by_their_beginning() {
        for output in [
            "<tool_response>\nx",
            "<search_results>x</search_results>",
            "<tool_output>x",
            "Code output: 5",
            "[web_fetch for 'http://a.b'] Result:",
            "[list_files] Result:\na",
            "Search results:\n1. x",
        ] {
            assert!(is_output(output), "{output}");
        }
        for speech in ["[fix] the parser", "Search for results", "Codex output is odd", "<b>Hi</b>"]
        {
            assert!(!is_output(speech), "{speech}");
        }
    }
}
