//! The answers of `grep`, and what it refuses.

use super::{Store, fox, pattern};
use crate::reading::error::ReloadError;
use crate::reading::grep::{self, CaseMode, Syntax};
use crate::reading::limit::TruncatedBy;

#[test]
fn a_byte_order_mark_is_no_text() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let store = Store::with(&[
        ("a.csv", "\u{feff}id,name\n1,id\n".as_bytes()),
        ("b.csv", &utf16("\u{feff}id,name\n")),
    ]);
    let found = store.grep(&pattern("^id,"));
    assert_eq!(found.matches_total, 1);
    assert!(!found.matches_total_exact);
    let end =
        "\nL1: id,name\n---\n[not searched to the end: b.csv (is UTF-16, and UTF-8 is searched)]";
    assert!(found.answer.ends_with(end), "{}", found.answer);
}

#[test]
fn grep_groups_hits_by_file() {
    let store = Store::golden();
    let answer = store.grep(&pattern("line 000[12]"));
    let expected = format!(
        "Found 4 matches for pattern \"line 000[12]\" in path \"fix\":\n---\nFile: a.txt\nL2: {}\nL3: {}\n---\nFile: b.txt\nL2: {}\nL3: {}\n---",
        fox("alpha", 1),
        fox("alpha", 2),
        fox("beta", 1),
        fox("beta", 2)
    );
    assert_eq!(answer.answer, expected);
    assert_eq!(answer.truncated, None);
    assert_eq!(answer.files_searched, 9);
    let first = grep::Match {
        path: "a.txt".to_owned(),
        line: 2,
        column: 7,
        text: fox("alpha", 1),
        text_truncated: false,
    };
    assert_eq!(answer.matches[0], first);
}

#[test]
fn grep_ignores_case_unless_told() {
    let store = Store::golden();
    let mut query = pattern("ALPHA");
    query.limit = Some(2);
    let answer = store.grep(&query);
    let expected = format!(
        "Found 10 matches, 1-2 shown (offset=2 shows more), for pattern \"ALPHA\" in path \"fix\":\n---\nFile: a.txt\nL1: {}\nL2: {}\n---",
        fox("alpha", 0),
        fox("alpha", 1)
    );
    assert_eq!(answer.answer, expected);
    assert_eq!(answer.truncated, Some(TruncatedBy::Limit));
    query.case = CaseMode::Sensitive;
    assert_eq!(
        store.grep(&query).answer,
        "No matches found for pattern \"ALPHA\" in path \"fix\"."
    );
}

#[test]
fn grep_filters_by_glob_at_any_depth() {
    let store = Store::golden();
    let mut query = pattern("role");
    query.glob = Some("*.json".to_owned());
    assert_eq!(
        store.grep(&query).answer,
        "Found 1 match for pattern \"role\" in path \"fix\" (filter: \"*.json\"):\n---\nFile: g.json\nL3: \"role\": \"user\",\n---"
    );
    let found = |glob: &str| {
        let mut query = pattern("nested first|one|上");
        query.glob = Some(glob.to_owned());
        let paths = store.grep(&query).matches.into_iter();
        paths.map(|found| found.path).collect::<Vec<_>>()
    };
    assert_eq!(found("*.txt"), ["cjk.txt", "crlf.txt", "nonl.txt", "sub/n.txt", "trail.txt"]);
    assert_eq!(found("sub/*.txt"), ["sub/n.txt"]);
    assert_eq!(found("/n.txt"), [""; 0]);
    assert_eq!(found("{n,c}*.txt"), ["cjk.txt", "crlf.txt", "nonl.txt", "sub/n.txt"]);
    assert_eq!(found("!*o*.txt"), ["cjk.txt", "crlf.txt", "sub/n.txt", "trail.txt"]);
    assert_eq!(found("#*"), [""; 0]);
    assert_eq!(found("!sub/"), ["cjk.txt", "crlf.txt", "nonl.txt", "trail.txt"]);
}

#[test]
fn grep_without_hits_names_the_filter() {
    let mut query = pattern("zzz_not_there");
    query.glob = Some("*.txt".to_owned());
    let answer = Store::golden().grep(&query);
    assert_eq!(
        answer.answer,
        "No matches found for pattern \"zzz_not_there\" in path \"fix\" (filter: \"*.txt\")."
    );
    assert_eq!(answer.truncated, None);
}

#[test]
fn grep_without_hits_says_what_may_be_why() {
    let found = |text: &str, glob: Option<&str>| {
        let glob = glob.map(str::to_owned);
        Store::golden().grep(&grep::Query { glob, ..pattern(text) }).answer
    };
    let none = found("zzz_not_there", Some("*.TXT"));
    assert!(none.ends_with(". No file was searched: the filter matches no file's name."), "{none}");
    let bar = found(r"zzz_not\|there", None);
    assert!(bar.ends_with("; in a regular expression `|` does."), "{bar}");
}

#[test]
fn grep_limit_of_zero_is_none_and_an_exact_limit_cuts_nothing() {
    let store = Store::golden();
    let mut query = pattern("line 0001");
    query.limit = Some(0);
    let all = store.grep(&query);
    assert_eq!((all.matches.len(), all.truncated), (2, None));
    query.limit = Some(2);
    assert_eq!(store.grep(&query), all);
    query.limit = Some(1);
    let first = store.grep(&query);
    assert_eq!(
        first.answer,
        format!(
            "Found 2 matches, 1-1 shown (offset=1 shows more), for pattern \"line 0001\" in path \"fix\":\n---\nFile: a.txt\nL2: {}\n---",
            fox("alpha", 1)
        )
    );
    assert_eq!(first.truncated, Some(TruncatedBy::Limit));
}

#[test]
fn grep_reads_text_beyond_ascii_and_folders_below() {
    let store = Store::golden();
    assert_eq!(
        store.grep(&pattern("上下文")).answer,
        "Found 1 match for pattern \"上下文\" in path \"fix\":\n---\nFile: cjk.txt\nL1: 上下文卸载\n---"
    );
    assert_eq!(
        store.grep(&pattern("nested f")).answer,
        "Found 1 match for pattern \"nested f\" in path \"fix\":\n---\nFile: sub/n.txt\nL1: nested first\n---"
    );
    // A byte that is not text is shown as a replacement character, and the line is still searched.
    let binary = store.grep(&pattern(r"(?-u:\xfe)"));
    assert_eq!(binary.matches[0].text, "\0\u{1}\u{fffd}\u{fffd}");
    assert_eq!(binary.matches[0].column, 4);
}

#[test]
fn grep_searches_a_single_file() {
    let store = Store::golden();
    let limits = grep::Limits::default();
    let found = |path| {
        let query = pattern("nested f");
        store.grep_in(path, &query, &limits).map(|found| found.answer)
    };
    assert_eq!(
        found("sub/n.txt").unwrap(),
        "Found 1 match for pattern \"nested f\" in path \"fix/sub/n.txt\":\n---\nFile: n.txt\nL1: nested first\n---"
    );
    assert!(found("sub").unwrap().contains("\nFile: n.txt\n"));
    assert!(matches!(found("nope"), Err(ReloadError::NotFound { path, .. }) if path == "fix/nope"));
    assert!(matches!(found("a.txt/x"), Err(ReloadError::NotFound { .. })));
    let mut query = pattern("nested");
    query.glob = Some("*.json".to_owned());
    let filtered = store.grep_in("sub/n.txt", &query, &limits).unwrap();
    assert_eq!((filtered.matches.len(), filtered.files_searched), (0, 0));
}

#[test]
fn grep_shows_context_that_counts_for_nothing() {
    let store = Store::with(&[("x", b"a\nb\nhit\nc\nd\ne\nhit\nf\nhit\ng\n")]);
    let mut query = pattern("hit");
    query.context = 1;
    assert_eq!(
        store.grep(&query).answer,
        "Found 3 matches for pattern \"hit\" in path \"fix\":\n---\nFile: x\nL2- b\nL3: hit\nL4- c\nL6- e\nL7: hit\nL8- f\nL9: hit\nL10- g\n---"
    );
    query.limit = Some(1);
    let first = store.grep(&query);
    assert_eq!(
        first.answer,
        "Found 3 matches, 1-1 shown (offset=1 shows more), for pattern \"hit\" in path \"fix\":\n---\nFile: x\nL2- b\nL3: hit\nL4- c\n---"
    );
    assert_eq!(first.truncated, Some(TruncatedBy::Limit));
    query.offset = 1;
    assert_eq!(
        store.grep(&query).answer,
        "Found 3 matches, 2-2 shown (offset=2 shows more), for pattern \"hit\" in path \"fix\":\n---\nFile: x\nL6- e\nL7: hit\nL8- f\n---"
    );
    query.context = 50;
    assert!(store.grep_in("", &query, &grep::Limits::default()).is_ok());
    query.context = 51;
    assert!(matches!(
        store.grep_in("", &query, &grep::Limits::default()),
        Err(ReloadError::InvalidRange { field: "context", found: 51, .. })
    ));
}

#[test]
fn grep_takes_literals_as_they_are() {
    let store = Store::with(&[("x", b"a.b\naxb\n(a+\n")]);
    let mut query = pattern("a.b");
    query.syntax = Syntax::Literal;
    assert_eq!(store.grep(&query).matches.len(), 1);
    query.pattern = "(A+".to_owned();
    assert_eq!(store.grep(&query).matches[0].line, 3);
    query.case = CaseMode::Sensitive;
    assert_eq!(store.grep(&query).matches.len(), 0);
}

#[test]
fn grep_sees_the_end_of_a_crlf_line_as_its_reader_does() {
    let store = Store::golden();
    let mut query = pattern("^(one|two)$");
    query.glob = Some("{crlf,nonl,trail}.txt".to_owned());
    let answer = store.grep(&query);
    let seen: Vec<_> = answer
        .matches
        .iter()
        .map(|found| (found.path.as_str(), found.line, found.text.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            ("crlf.txt", 1, "one"),
            ("crlf.txt", 2, "two"),
            ("nonl.txt", 1, "one"),
            ("nonl.txt", 2, "two"),
            ("trail.txt", 1, "one"),
            ("trail.txt", 2, "two"),
        ]
    );
    query.pattern = r"two\r".to_owned();
    assert_eq!(store.grep(&query).matches[0].text, "two");
    query.glob = Some("crlf.txt".to_owned());
    for (expression, lines) in [
        ("^.{3}$", &[1, 2][..]),
        (r"\s", &[]),
        ("two.", &[]),
        ("[^a-z]", &[]),
        (r"\W$", &[]),
        (r"e\r$", &[1, 3]),
        (r"o\r?$", &[2]),
        (r"[\r]", &[1, 2, 3]),
    ] {
        query.pattern = expression.to_owned();
        let found: Vec<u64> = store.grep(&query).matches.iter().map(|found| found.line).collect();
        assert_eq!(found, lines, "{expression}");
    }
}

#[test]
fn grep_reads_the_comments_of_a_pattern() {
    let store = Store::with(&[("a.txt", b"two\n# c\n")]);
    let lines = |expression: &str| -> Vec<u64> {
        store.grep(&pattern(expression)).matches.iter().map(|found| found.line).collect()
    };
    for expression in ["(?x) two # c", "(?x) two # (c", "(?x) two # c\n", "a|(?x:two # c\n)"] {
        assert_eq!(lines(expression), [1], "{expression}");
    }
    for expression in ["# c", "(?x: \\# ) c", r"(?x) \# \  c"] {
        assert_eq!(lines(expression), [2], "{expression}");
    }
}

#[test]
fn grep_sorts_paths_as_plain_strings() {
    let store = Store::with(&[
        ("b", b"x"),
        ("a/z", b"x"),
        ("a.txt", b"x"),
        ("a-b/c", b"x"),
        ("a/b/c", b"x"),
        ("A", b"x"),
        ("é", b"x"),
    ]);
    let found = store.grep(&pattern("x")).matches;
    let paths: Vec<_> = found.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(paths, ["A", "a-b/c", "a.txt", "a/b/c", "a/z", "b", "é"]);
    assert!(paths.is_sorted());
}

fn refusal(query: &grep::Query) -> ReloadError {
    Store::golden().grep_in("", query, &grep::Limits::default()).unwrap_err()
}

#[test]
fn grep_points_at_the_mistake_in_a_pattern() {
    let position = |text: &str| match refusal(&pattern(text)) {
        ReloadError::BadPattern { position, .. } => position,
        other => panic!("{other}"),
    };
    assert_eq!(position("(unclosed"), Some(0));
    assert_eq!(position("上下(文"), Some(2));
    assert_eq!(position("ab**{"), Some(4));
    assert_eq!(position("[z-a]"), Some(1));
    assert_eq!(position(r"a\p{Nope}"), Some(1));
    assert_eq!(position(r"上\nb"), Some(1));
    assert_eq!(position("上\nb"), Some(1));
    assert_eq!(
        refusal(&pattern("a(")).to_string(),
        "the pattern \"a(\" is not valid at position 1: unclosed group"
    );
}

#[test]
fn grep_refuses_what_it_cannot_bound() {
    assert!(matches!(refusal(&pattern("")), ReloadError::EmptyPattern));
    assert!(matches!(
        refusal(&pattern(&"a".repeat(1025))),
        ReloadError::PatternTooLong { found: 1025, limit: 1024 }
    ));
    assert!(matches!(refusal(&pattern("(?:a{1000}){1000}")), ReloadError::PatternTooCostly { .. }));
    let mut query = pattern("a");
    query.glob = Some("[".to_owned());
    assert!(matches!(refusal(&query), ReloadError::BadGlob { .. }));
}

/// A line of JSON is searched as it is spelled, and each line of the texts of its strings by itself.
#[test]
fn grep_reads_the_texts_in_json() {
    let record = |text: &str| serde_json::json!({"id": 1, "log": text}).to_string() + "\n";
    let lines = [
        record("start\nERROR disk full\n\tat x\nexit code: 7"),
        record("ERROR early"),
        r#"{"log":"gr\u00f6\u00dfer \"heute\""}"#.to_owned() + "\n",
        "ERROR: no JSON, C:\\new\n".to_owned(),
        "[28/Nov/2026] \"GET /new HTTP/1.1\" 200 C:\\new\n".to_owned(),
        "\"1\",\"apple\",\"C:\\new\"\n".to_owned(),
        "[ ".to_owned() + record("first\nbanana").trim_end() + " ,\n",
        record("second\nbanana").trim_end().to_owned() + " ]\n",
        "  \"note\": \"third\\nbanana\",\n".to_owned(),
    ];
    let store = Store::with(&[("a.jsonl", lines.concat().as_bytes())]);
    let found = |wanted: &str| -> Vec<(u64, u64)> {
        let answer = store.grep(&pattern(wanted));
        answer.matches.iter().map(|found| (found.line, found.column)).collect()
    };
    let place = |line: usize, of: &str| lines[line - 1].find(of).unwrap() as u64 + 1;
    let error = (1, place(1, "ERROR"));
    assert_eq!(found(r"\berror\b"), [error, (2, place(2, "ERROR")), (4, 1)]);
    assert_eq!(found("^error"), [error, (2, place(2, "ERROR")), (4, 1)]);
    assert_eq!(found("exit code: 7$"), [(1, place(1, "exit"))]);
    assert_eq!(found("größer"), [(3, place(3, "gr"))]);
    assert_eq!(found("\"heute\""), [(3, place(3, "\\\"heute"))]);
    assert_eq!(found(r#"\\"heute"#), [(3, place(3, "\\\"heute"))]);
    assert_eq!(found(r"^new|\bew\b"), []);
    assert_eq!(found("^$"), []);
    assert_eq!(found(r"^GET|HTTP/1\.1$|^apple"), []);
    assert_eq!(found("^banana$"), [7, 8, 9].map(|line| (line as u64, place(line, "banana"))));
    let spaced = store.grep(&pattern("\"id\": 1")).answer;
    assert!(
        spaced.ends_with("stored without blanks between their parts: `\"id\":5,\"n\":1`."),
        "{spaced}"
    );
}
