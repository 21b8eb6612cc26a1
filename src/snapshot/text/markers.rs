//! Classifies lines and sentences by words in them: a constraint, a finding, an error, a
//! step of a plan, an output pasted as speech.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

fn fixed(pattern: &str) -> Regex {
    RegexBuilder::new(pattern).size_limit(1 << 22).build().expect("the pattern is fixed and tested")
}

/// Words of obligation, and of its end, in the languages users write most.
static CONSTRAINT: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:must(?:n't)?|never|always|do not|don't|dont|cannot|can't|only|should(?:n't)?|shall|\
         need(?:s)? to|have to|required?|requirement|rule|prefer|instead|use|using|avoid|ensure|\
         make sure|keep|without|unless|until|before|whenever|no longer|at (?:most|least)|limit|\
         forbid(?:den)?|mandatory|critical|important|remember|note|stick to|refrain|leave|\
         circumstances?|off[- ]limits|hands off|stay (?:away|out|off)|strictly|exclusively|\
         (?:answer|reply|respond|write) (?:only |always )?in|not allowed|may not|ask (?:me|us)|\
         (?:approval|permission)|you (?:may|can now)|may now|allowed|cancel(?:l?ed)?|stop|forget|\
         withdrawn?|revoked?|changed? (?:my|our) mind|no need|skip|abandon|go ahead|\
         except|i want|no (?:new|more)|needs? (?:a|an|the)|(?:fine|ok|okay) (?:now|again)|\
         (?:ok|okay|fine|free) to|\
         from (?:now|here) on|going forward|henceforth|in (?:the )?future|whatever happens|\
         no matter|(?:every|each) time|ab (?:jetzt|sofort)|\
         de ahora en adelante|\
         muss|nie(?:mals)?|immer|nicht|nur|sollte|sollen|sollst|bitte|keinesfalls|auf keinen fall|\
         darfst|darf|verboten|vermeide|kein[a-z]*|bevor|lass[et]?|stets|verwende|nutze|benutze|antworte|\
         debe[ns]?|nunca|siempre|solo|solamente|evita|evite|evitar|prohibido|deja|usa|responde|sin|\
         antes de|hay que|no [a-z]{2,}(?:es|as|en|an)|\
         doit|doivent|devez|jamais|toujours|ne pas|seulement|uniquement|utilise[zr]?|interdit|faut|sans|\
         aucune?|surtout|laisse[zr]?|n(?:e |')[a-z]+ (?:pas|rien|jamais)|\
         sempre|somente|apenas|deve[ms]?|proibido|mantenha|responda|sem|nenhuma?|\
         mai|soltanto|devi|devono|non|vietato|utilizza|mantieni|lascia|rispondi|senza|prima di|nessun[ao]?|\
         nooit|altijd|alleen|niet|geen|moet(?:en)?|mag|vermijd|gebruik|zonder|voordat|laat|houd|uitsluitend|\
         nigdy|zawsze|tylko|nie wolno|musi(?:sz)?|wolno|unikaj|bez|zanim|odpowiadaj|\
         asla|sadece|mutlaka|yasak|olmadan|daima|dokunma|yapma|kullan(?:ma)?|her zaman|\
         aldrig|alltid|endast|inte|undvik|utan|jangan|selalu|hanya|harus|dilarang|tanpa)\\b)|\
         (?i:Don’t|désormais|künftig|à partir de maintenant|évite|réponds|répondez|dürfen|müssen|ausschließlich|\
         jamás|únicamente|ningún|mantén|não|só |sakın|yalnızca|lütfen|önce|hiçbir|måste|używaj|wyłącznie|\
         no (?:más|toques)|\
         никогда|всегда|только|нельзя|не |должен|должн|запрещ|обязательно|используй|избегай|без |\
         отвечай|оставь|отныне|впредь|можно|отмен|больше не|ніколи|завжди|лише|заборон|\
         لا |أبد|دائم|فقط|يجب|ممنوع|تجنب|بدون|قبل|إياك|يرجى|\
         कभी|मत|हमेशा|केवल|सिर्फ|ज़रूर|जरूर|नहीं|न करें|चाहिए|बिना|कृपया|\
         không|đừng|luôn|chỉ |phải|ποτέ|πάντα|μόνο|μην|πρέπει|לעולם|תמיד|רק |אסור|חייב)|\
         必须|必須|不要|不得|务必|从现在|今后|以后|今後|これから|앞으로|禁止|只能|只|应该|应当|请|不能|不可|改用|\
         需要|一定|切勿|避免|优先|千万|绝不|绝对|永远|总是|始终|仅|勿|别|之前|可以了|取消|不用|\
         してください|しないで|ないで|必ず|だけ|絶対|のみ|決して|常に|いけない|いけません|ならない|なりません|ないこと|べき|ください|やめて|もう|\
         해야|하지 마|절대|항상|반드시|금지|마세요|말아|않도록|하지마|말 것|만 |취소",
    )
});
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
        "(?i-u:\\b(?:never|not|no|nothing|without|avoid|stop|cannot|\
         (?:do|does|did|must|ca|wo|should|could|would|is|are|was|has|have)n'?t|\
         nie|nicht|kein[a-z]*|ohne|jamais|pas|sans|nunca|sin|mai|non|senza|sem)\\b)|\
         jamás|não|не |без|нельзя|никогда|不|别|勿|禁止|没|無|无|ない|ません|금지|말|않",
    )
});
/// Words by which someone states what was found out or decided.
static FINDING: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:found|because|caused? by|the cause|root cause|confirmed|turns out|due to|\
         decided|the (?:issue|problem|bug|reason|fix|error|answer|result) (?:is|was|comes)|\
         discovered|identified|determined|conclu(?:de|ded|sion)|verified|fixed|solved|resolved|\
         located|defined in|is set to|equals|means that|therefore|it seems|version)\\b)|\
         发现|原因|确认|结论|因为|导致|决定|根因|问题在于|位于|修复|原因は|確認|Причина|нашёл",
    )
});
/// A stated error.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:error:|error\\[|fatal|panicked|traceback|segmentation fault|exception:|\
         failed|failure|denied|not found|refused|timed out|cannot|unable to|critical|aborted|\
         undefined reference|no such file)\\b?)|(?-u:\\w)(?:Error|Exception): |\
         错误|失败|异常|拒绝|超时|严重|エラー|ошибка",
    )
});
/// A status or a total.
static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:exit(?:ed with)?[ _](?:code|status)|test result|total|passed|warnings?|\
         tests? run|summary|finished|completed|succeeded)\\b)|总计|合计|警告|通过|完成",
    )
});
/// The number that a process left with.
static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?m:^[^/#*\n]{0,100}?)(?i-u:(?:exit(?:ed with)?[ _]?(?:code|status)?|return[ _]?code)\"?(?: of)?>?[:= ]{0,3}(-?[0-9]{1,5})\\b)",
    )
});
/// A total that counts failures.
static FAILURES: LazyLock<Regex> = LazyLock::new(|| {
    fixed("(?i-u:\\b[1-9][0-9]{0,6} (?:tests? |checks? )?(?:failed|failures?|failing|errors?)\\b)")
});
/// A line of settings or a named value: `"timeout": 4500`, `retries = 3`.
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "^[ \\t]*[-*]?[ \\t]*[\"'`]?[A-Za-z_][A-Za-z0-9_. -]{0,40}[\"'`]?[ \\t]*[:=][ \\t]*[\"'`\\[]?[A-Za-z0-9./$~-]",
    )
});
/// A step that is ticked off or open.
static CHECKBOX: LazyLock<Regex> = LazyLock::new(|| {
    fixed("^[ \\t]*(?:[-*+]|[0-9]{1,3}[.)])?[ \\t]*(?:\\[[ xX~>-]\\]|[✅☑✔⬜☐🔲⏳])")
});
/// A line of a file behind its number.
static SOURCE_LINE: LazyLock<Regex> =
    LazyLock::new(|| fixed("^[ \\t]*[0-9]{1,7}(?:[:|→\\t](?:[^0-9]|$)| \\||  )"));
/// A numbered step.
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| fixed("^[ \\t]*(?:\\*\\*)?(?:(?i-u:step) )?[0-9]{1,3}[.):、][ \\t]*[^ \\t]"));
/// Words of progress.
static PROGRESS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:\\b(?:next|step [0-9]+|todo|to do|remaining|pending|in progress|still need|left to|\
         complete[d]?|done|finished|blocked|plan)\\b)|下一步|已完成|待办|接下来|完成|剩余|进行中|次に|完了",
    )
});
/// Beginnings of an output that a framework sends as a user's message.
static OUTPUT: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "^\\s*(?i-u:observation\\b|output\\b|execution result|\
         <(?:(?:tool|function|code|command|bash|shell|terminal|execution|search|web|browser|query|api|file)_\
         (?:results?|responses?|outputs?|calls?_results?)|\
         observations?|outputs?|returncode|results?|response|stdout|stderr|documents?|environment_details)\\b|\
         \\[(?:tool|command|result)|\\[[a-z_]+(?: for (?u:[^\n]{0,300}))?\\] results?:|exit code|the command|\
         (?:tool|function|code|command|shell|terminal|execution|search|web|query|api) \
         (?:output|results?|response)\\b|here(?:'s| is) the result of running)",
    )
});

/// True where a sentence sets a rule.
pub(crate) fn is_constraint(text: &str) -> bool {
    CONSTRAINT.is_match(text)
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

/// True where a sentence states what was found or decided.
pub(crate) fn is_finding(text: &str) -> bool {
    FINDING.is_match(text)
}

/// True where a line states an error.
pub(crate) fn is_error(text: &str) -> bool {
    ERROR.is_match(text)
}

/// True where a line states a status or a total.
pub(crate) fn is_status(text: &str) -> bool {
    STATUS.is_match(text)
}

/// True for a line of totals that counts failures.
pub(crate) fn counts_failures(line: &str) -> bool {
    FAILURES.is_match(line)
}

/// True for a line of settings.
pub(crate) fn is_setting(line: &str) -> bool {
    line.len() < 200 && SETTING.is_match(line)
}

/// True for a step with a box to tick.
pub(crate) fn is_checkbox(line: &str) -> bool {
    CHECKBOX.is_match(line)
}

/// True for a line of a file that was shown with its number.
pub(crate) fn is_source_line(line: &str) -> bool {
    SOURCE_LINE.is_match(line)
}

/// True for a numbered step.
pub(crate) fn is_numbered(line: &str) -> bool {
    NUMBERED.is_match(line)
}

/// True where a sentence says how far things are.
pub(crate) fn is_progress(text: &str) -> bool {
    PROGRESS.is_match(text)
}

/// The last exit code that a text states.
pub(crate) fn exit_code(text: &str) -> Option<&str> {
    EXIT.captures_iter(text).last().and_then(|found| found.get(1)).map(|code| code.as_str())
}

/// True where a user's text says by its first words that it is an output.
pub(crate) fn is_output(text: &str) -> bool {
    OUTPUT.is_match(text)
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

/// True for a line that someone may have said: words, and few other marks.
fn is_speech(line: &str) -> bool {
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
