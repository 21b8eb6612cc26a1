//! Classifies lines and sentences by their words: as a constraint, a finding, an error, a step of a
//! plan, or an output that was pasted into a message.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use super::word_lists::{Phrases, WORDS};

/// Compiles a fixed pattern.
pub(crate) fn fixed(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).size_limit(1 << 22).build().expect("the pattern is fixed and tested")
}

/// Maximum number of words of a line of settings.
const MOST_WORDS: usize = 12;

/// Returns an expression that matches any of the phrases.
pub(crate) fn any_of(languages: &[Phrases]) -> Regex {
    let all = |of: fn(&Phrases) -> &[String]| {
        let phrases: Vec<&str> = languages.iter().flat_map(of).map(String::as_str).collect();
        phrases.join("|")
    };
    fixed(&format!("(?i-u:\\b(?:{})\\b)|(?i:{})", all(|of| &of.words), all(|of| &of.parts)))
}

/// Declares functions that test a text with an expression, which is compiled at the first call.
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
    /// Returns true if a sentence sets a rule.
    is_constraint: any_of(&WORDS.rules);

    /// Returns true if a sentence states a finding or a decision.
    is_finding: fixed("\
         (?i-u:\\b(?:found|because|caused? by|the cause|root cause|confirmed|turns out|due to|\
         decided|the (?:issue|problem|bug|reason|fix|error|answer|result) (?:is|was|comes)|\
         discovered|identified|determined|conclu(?:de|ded|sion)|verified|fixed|solved|resolved|\
         located|defined in|is set to|equals|means that|therefore|it seems|version)\\b)|\
         发现|原因|确认|结论|因为|导致|决定|根因|问题在于|位于|修复|原因は|確認|Причина|нашёл");

    /// Returns true if a line states an error.
    is_error: fixed("\
         (?i-u:\\b(?:error:|error\\[|error [a-z]{1,4}[0-9]{2,5}:|fatal|panicked|\
         traceback|segmentation fault|exception:|failed|failure|denied|not found|\
         refused|timed out|cannot|unable to|critical|aborted|\
         undefined reference|no such file)\\b?)|(?-u:\\w)(?:Error|Exception): |\
         错误|失败|异常|拒绝|超时|严重|エラー|ошибка");

    /// Returns true if a line states a status or a total.
    is_status: fixed("\
         (?i-u:\\b(?:exit(?:ed with)?[ _](?:code|status)|test result|total|passed|warnings?|\
         tests? run|summary|finished|completed|succeeded)\\b)|总计|合计|警告|通过|完成");

    /// Returns true for the first line of a text that names the output of a program.
    names_output: fixed("\
         (?i-u:\\b(?:outputs?|observations?|results?|stdout|stderr|terminal|console|response|\
         returned|executed|exit(?:ed)?)\\b)|输出|结果|出力|結果|출력|결과|вывод|результат");

    /// Returns true for a step with a checkbox.
    is_checkbox: fixed("^[ \\t]*(?:[-*+]|[0-9]{1,3}[.)])?[ \\t]*(?:\\[[ xX~>-]\\]|[✅☑✔⬜☐🔲⏳])");

    /// Returns true for a line of a file that was shown with its line number.
    is_source_line: fixed("^[ \\t]*[0-9]{1,7}(?:[:|→\\t](?:[^0-9]|$)| \\||  )");

    /// Returns true for a numbered step.
    is_numbered: fixed("^[ \\t]*(?:\\*\\*)?(?:(?i-u:step) )?[0-9]{1,3}[.):、][ \\t]*[^ \\t]");

    /// Returns true if a sentence states progress: a step that is done, open, blocked or next.
    is_progress: fixed("\
         (?i-u:\\b(?:next|step [0-9]+|todo|to do|remaining|pending|in progress|still need|left to|\
         completed|(?:is|are) complete|done|finished|blocked|plan)\\b)|下一步|已完成|待办|接下来|完成|剩余|进行中|次に|完了");

    /// Returns true if a user's text begins with words that introduce the output of a tool.
    is_output: fixed("\
         ^\\s*(?i-u:observation\\b|output\\b|execution result|\
         <(?:(?:tool|function|code|command|bash|shell|terminal|execution|search|web|browser|query|api|file)_\
         (?:results?|responses?|outputs?|calls?_results?)|\
         observations?|outputs?|returncode|results?|response|stdout|stderr|documents?|environment_details)\\b|\
         \\[(?:tool|command|result)|\\[[a-z_]+(?: for (?u:[^\n]{0,300}))?\\] results?:|exit code|the command|\
         (?:tool|function|code|command|shell|terminal|execution|search|web|query|api) \
         (?:output|results?|response)\\b|here(?:'s| is) the result of running)");
}

/// Matches rule words that the speaker applies to themself: `I need to`, `we should`.
static OF_ONESELF: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:i|we)(?:'m| am| have)? (?:also |still |really |just |only )?\
         (?:don't|do not|need to|only|should|will need to)\\b|\\bnever mind\\b)|我(?:需要|应该|不能)",
    )
});
/// Matches words that negate a sentence.
static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:never|not|no|nope|nah|nothing|without|avoid|stop|cannot|\
         (?:do|does|did|must|ca|wo|should|could|would|is|are|was|has|have)n'?t|\
         nie|nein|nee|nichts?|kein[a-z]*|ohne|jamais|pas|sans|nunca|sin|mai|non|senza|sem)\\b)|\
         jamás|não|не |без|нельзя|никогда|不|别|勿|禁止|没|無|无|ない|いや|いいえ|やめ|ません|금지|말|않",
    )
});
/// Captures the exit code of a process.
static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?m:^[^/#*\n]{0,100}?)(?i-u:(?:exit(?:ed with)?[ _]?(?:code|status)?|return[ _]?code)\"?(?: of)?>?[:= ]{0,3}(-?[0-9]{1,5})\\b)",
    )
});
/// Matches a line of settings or a named value: `"timeout": 4500`, `retries = 3`.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "^[ \\t]*[-*]?[ \\t]*[\"'`]?[A-Za-z_][A-Za-z0-9_. -]{0,40}[\"'`]?[ \\t]*[:=][ \\t]*[\"'`\\[]?[A-Za-z0-9./$~-]",
    )
});
/// Matches words that introduce a list of steps.
static STEPS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:steps?|process|procedure|workflow|will|going to|need to|needs to|have to|let's|let me|approach|should|must|\
         schritte?|werde|pasos?|voy a|étapes?|je vais|passos?|passi)\\b)|步骤|计划|方案|手順|計画|шаги|план",
    )
});

/// Matches a tool's statement that the user declined or interrupted the call.
static DECLINED: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "^[\\[(<\"]?(?i-u:(?:the )?(?:user|human) (?:has )?(?:declined|dismissed|skipped|\
         cancell?ed|rejected|denied|closed|ignored|did(?: not|n't)|does(?: not|n't) want)\\b|\
         request interrupted by user)",
    )
});
/// Matches a tool's statement that no answer came.
static UNANSWERED: LazyLock<Regex> =
    LazyLock::new(|| fixed("^[\\[(<\"]?(?i-u:no (?:answer|response|input|reply)|timed? ?out)\\b"));

/// Returns true if the result of a tool that asks the user states that there is no answer: none
/// came, the user declined, or the call failed.
pub(crate) fn is_unanswered(text: &str) -> bool {
    UNANSWERED.is_match(text.trim_start()) || is_declined(text) || is_error(text)
}

/// Returns true if a tool states that the user declined its action.
pub(crate) fn is_declined(text: &str) -> bool {
    DECLINED.is_match(text.trim_start())
}

/// Returns true if a sentence sets a rule for somebody else. A question sets no rule, and neither
/// does a sentence that uses rule words only for the speaker.
pub(crate) fn is_rule(text: &str) -> bool {
    let asks = text.trim_end().ends_with(['?', '？']);
    !asks && is_constraint(text) && is_constraint(&OF_ONESELF.replace_all(text, ""))
}

/// Returns true if a text contains a negation.
pub(crate) fn is_negated(text: &str) -> bool {
    NEGATION.is_match(&text.replace('’', "'"))
}

/// Returns true for the head of a table: at least three cells of one word each, with the same
/// separator between them.
pub(crate) fn is_table_head(line: &str) -> bool {
    let is_word = |cell: &str| {
        let cell = cell.trim();
        !cell.is_empty() && !cell.contains(|c: char| c.is_whitespace() || c == ':')
    };
    let is_row = |mark| line.split(mark).count() > 2 && line.split(mark).all(is_word);
    [',', ';', '\t', '|'].into_iter().any(is_row)
}

/// Returns true for a line of settings: a name and a value, without prose after the colon.
pub(crate) fn is_setting(line: &str) -> bool {
    let is_short = || line.split_whitespace().take(MOST_WORDS + 1).count() <= MOST_WORDS;
    line.len() < 200 && SETTING.is_match(line) && is_short()
}

/// Returns true for the line above a list if it announces steps or progress.
pub(crate) fn heads_steps(line: &str) -> bool {
    STEPS.is_match(line) || is_progress(line)
}

/// Returns the last exit code that a text states.
pub(crate) fn exit_code(text: &str) -> Option<&str> {
    EXIT.captures_iter(text).last().and_then(|found| found.get(1)).map(|code| code.as_str())
}

/// Returns true if the lines of a user's text look like a log or code. A text of less than 500
/// bytes never does.
pub(crate) fn looks_like_output(text: &str) -> bool {
    if text.len() < 500 {
        return false;
    }
    // The first lines suffice, so a message of a megabyte need not be read whole.
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

/// Returns true for an entry of a list: numbered, with a checkbox, or with a bullet.
pub(crate) fn is_list_entry(line: &str) -> bool {
    is_numbered(line) || is_checkbox(line) || line.starts_with(['-', '*', '•'])
}

/// Returns true for a line that somebody may have said: mostly words, with few other marks.
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
