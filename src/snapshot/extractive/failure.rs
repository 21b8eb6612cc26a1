//! Failure: whether an output says that its command failed. A command says so in one of its last
//! lines, and each tool has its own words. A line of a log that mentions an error says nothing
//! about the command.

use std::sync::LazyLock;

use regex::Regex;

use super::result_text::{says_failure, windows};
use crate::snapshot::text::markers::fixed;

/// Number of last lines of an output to search for a failure.
const LAST: usize = 8;

/// Words that state a failure.
const STATEMENTS: [&str; 9] = [
    // Programs that write `error:`, `[ERROR]`, `error TS2304` or `ERROR 403`.
    r"(?i-u:\[?(?:error|fatal|panic|fehler|erreur|errore|erro)\]?(?:!|:(?: |$)| from | \(|\[))",
    r"(?i-u:error (?:[a-z]{1,4}[0-9]{2,5}|[0-9]{3})\b)|\[?ERROR\]? |(?:CRITICAL|FATAL):? ",
    r"(?:错误|失败|异常|エラー|ошибка)[:：]",
    // Tests and builds.
    r"FAIL(?:ED|URES?)?(?:!| {1,3}[^ :=|0-9]|:|\t|$)|(?i-u:(?:\[[a-z]+\] )?build fail|npm err!|\*\*\* )",
    // git and shells.
    r"CONFLICT \(|Killed$|(?i-u:aborted|segmentation fault|command timed out|automatic merge failed)\b",
    // Responses of HTTP.
    r"HTTP(?:/[0-9.]{1,3})? [45][0-9]{2}\b",
    // Exceptions with their names.
    r"Traceback \(|[A-Za-z_][A-Za-z0-9_.$]*(?:Error|Exception)(?: \[\w+\])?(?:: |$)",
    r"(?i-u:unhandled |panicked |(?:could not|cannot|unable to|failed to) |timed out\b)",
    r"(?i-u:(?:permission|access) denied\b)",
];
/// Matches the beginning of a line that states a failure, after the name of a program or a place.
static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
    let mark = r#"(?:[^\sA-Za-z0-9/.\[(<{"'`-]{1,3} ?|-{2,3} )?"#;
    let place = r"(?:[^\s:]+(?::[0-9]+){0,2}: (?:line [0-9]+: )?){0,2}";
    fixed(&format!("^{mark}{place}(?:{})", STATEMENTS.join("|")))
});
/// Matches the end of a line in which a shell or a system states a reason.
static REASON: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        ": (?i-u:(?:command )?not found|permission denied|no such file or directory|\
         connection refused|operation not permitted|operation timed out)$",
    )
});
/// Matches a total that counts failures.
static TOTAL: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        "(?i-u:(?:^|[,;|(=:]|\\bfound)\\s*[1-9][0-9]{0,6} (?:tests? |checks? )?\
         (?:failed|failures?|failing|errors?|error\\(s\\))(?:[.,;)!|]|$|\\s+(?:in|and|[|(=,])(?:\\s|$)|\\s+[0-9(=|])|\
         \\b(?:failed|failures|errors)[:=]\\s*[1-9])",
    )
});
/// Matches a log level after a timestamp.
static LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    fixed("^[\\[]?[0-9][0-9TZ:.,+/\\- ]{6,40}\\]? \\[?(?:ERROR|FATAL|CRITICAL)\\b")
});
/// Matches a word that makes a line a warning.
static WARNING: LazyLock<Regex> =
    LazyLock::new(|| fixed("(?i-u:\\bwarn(?:ing)?\\b)|[a-z]Warning:"));

/// Returns true if the beginning or the end of a line states a failure.
pub(super) fn states_failure(line: &str) -> bool {
    let line = line.trim();
    !is_warning(line) && (STATEMENT.is_match(line) || REASON.is_match(line))
}

/// Returns true for a warning: the command continues after it.
pub(super) fn is_warning(line: &str) -> bool {
    WARNING.is_match(line) && !TOTAL.is_match(line)
}

/// Returns the first of the last lines of an output that state that its command failed.
pub(super) fn failing_line(text: &str) -> Option<&str> {
    let (_, tail) = windows(text);
    let mut last: Vec<&str> =
        tail.lines().rev().filter(|line| !line.trim().is_empty()).take(LAST).collect();
    let end = *last.first()?;
    last.reverse();
    let states = |line: &&str| states_failure(line) || TOTAL.is_match(line);
    let ends = || LEVEL.is_match(end) || says_failure(end.trim()) == Some(true);
    last.into_iter().find(states).or_else(|| ends().then_some(end)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::failing_line;

    #[test]
    fn a_command_says_at_its_end_that_it_failed() {
        for end in [
            "  12 passing (4s)\n  1 failing\n\n  1) adds\n     AssertionError: expected 1",
            "Tests:       1 failed, 30 passed, 31 total\nTime: 3 s",
            " FAIL  src/a.test.ts > x\n Tests  1 failed | 30 passed (31)",
            "--- FAIL: TestX (0.00s)\n    x_test.go:9: got 1\nFAIL\nFAIL\texample.com/x\t0.01s",
            "error: could not compile `x` (bin \"x\") due to 1 previous error",
            "FAILURE: Build failed with an exception.\nBUILD FAILED in 3s",
            "CONFLICT (content): Merge conflict in a.ts\nerror: could not apply 4be77a1... x",
            "Error: 535 5.7.8 Authentication failed for user lagerbot",
            "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap (node:net:1555)",
            "HTTP 402 Payment Required\n<html>...",
            "HTTP/1.1 500 Internal Server Error\ncontent-type: text/plain\n\nboom",
            "{\"success\": false, \"message\": \"quota exceeded\"}",
            "{\"status\": \"error\", \"detail\": \"no such table\"}",
            "rebill: 0 of 340 invoices processed\n2026-03-11 ERROR could not obtain lock",
            "110 problems (3 errors, 107 warnings)",
            "ERROR: failed to solve: process \"/bin/sh -c make\" did not complete",
            "bash: line 1: foo: command not found",
            "touch: cannot touch '/etc/x': Permission denied",
            "src/a.ts(3,4): error TS2304: Cannot find name 'x'.",
            "a.c:3:4: error: expected ';'\n    3 | x\n      | ^",
            "[ERROR] Tests run: 3, Failures: 1, Errors: 0\n[INFO] BUILD FAILURE",
            "ERROR:  deadlock detected\nDETAIL:  Process 1 waits",
            "Fehler: 212 von 3.874 Zeilen abgelehnt",
            "ERROR 403: la sala 2 está bloqueada",
            "Command timed out after 120s",
            "Killed",
            "Segmentation fault (core dumped)",
            "31 examples, 2 failures",
            "FAILURES!\nTests: 3, Assertions: 4, Failures: 1.",
            "Failed!  - Failed:     1, Passed:    30, Skipped:     0",
            "host1 : ok=3 changed=1 unreachable=0 failed=1",
            "make: *** [Makefile:3: all] Error 2",
            "Found 3 errors.",
            "Error from server (NotFound): pods \"x\" not found",
            "  File \"a.py\", line 3, in <module>\nKeyError: 'x'",
            "java.lang.IllegalStateException: closed\n\tat a.B.c(B.java:3)",
            "│ Error: Error acquiring the state lock",
            "错误：表不存在",
        ] {
            assert!(failing_line(&format!("building\n\n{end}\n")).is_some(), "{end}");
        }
    }

    #[test]
    fn a_mention_of_an_error_is_no_failure() {
        for end in [
            "Tests:       0 failed, 31 passed, 31 total\nTime: 3 s",
            "{\"errors\": [], \"data\": {\"n\": 4}}",
            "/opt/x.py:3: UserWarning: findfont: Font family 'Inter' not found.\nsaved chart.png",
            "npm warn deprecated glob@7: not supported\nfound 0 vulnerabilities",
            "2026-03-11 ERROR redis: connection pool timeout\n2026-03-11 INFO ok",
            "src/a.ts:3: throw new Error('failed')\nsrc/b.ts:9: // error: could not",
            "110 problems (0 errors, 110 warnings)",
            "Found 0 errors. Watching for file changes.",
            "3 passed, 1 xfailed, 2 warnings in 0.3s",
            "31 examples, 0 failures",
            "host1 : ok=3 changed=1 unreachable=0 failed=0",
            "12 failed logins from 10.0.0.8\n4 failed logins from 10.0.0.9",
            "Error rate: 0.2 %\nErrors: 0",
            "error_count | 12\nFAILED | 3",
            "payments.failed: 0\nretries: 3",
        ] {
            assert_eq!(failing_line(&format!("building\n\n{end}\n")), None, "{end}");
        }
    }
}
