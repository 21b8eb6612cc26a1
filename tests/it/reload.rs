//! The reading engines at their own door: exact texts, paging that loses no
//! byte, hits that equal those of the `regex` crate, and queries that were
//! made to hang.

use std::{fs, path::Path, time::Duration};

use cap_std::{ambient_authority, fs::Dir};
use proptest::prelude::*;
use tempfile::TempDir;
use unburden::reading::error::ReloadError;
use unburden::reading::grep::{self, CaseMode, GrepAnswer, SkipReason, Skipped, Syntax, grep};
use unburden::reading::limit::TruncatedBy;
use unburden::reading::read_file::{self, Part, ReadAnswer, read_file};
use unburden::reading::target::Target;

use crate::cpu_time;

/// A folder with files, spelled `fix` by its callers.
struct Store {
    folder: TempDir,
    dir: Dir,
}

impl Store {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        Self { folder, dir }
    }

    fn with(files: &[(&str, &[u8])]) -> Self {
        let store = Self::empty();
        for (path, content) in files {
            let path = store.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        store
    }

    /// The files that the goldens were taken from.
    fn golden() -> Self {
        let lines = |name: &str| -> String {
            (0..10)
                .map(|n| {
                    format!("{name} line {n:04}: the quick brown fox jumps over the lazy dog\n")
                })
                .collect()
        };
        Self::with(&[
            ("a.txt", lines("alpha").as_bytes()),
            ("b.txt", lines("beta").as_bytes()),
            ("bin.dat", b"\x00\x01\xff\xfe\n"),
            ("cjk.txt", "上下文卸载\n第二行 – emoji 🚀\n".as_bytes()),
            ("crlf.txt", b"one\r\ntwo\r\nthree\r\n"),
            ("g.json", b"{\n \"messages\": [\n  \"role\": \"user\",\n ]\n}\n"),
            ("nonl.txt", b"one\ntwo"),
            ("sub/n.txt", b"nested first\nnested? no\n"),
            ("trail.txt", b"one\ntwo\n\n\n"),
            (".hidden.txt", b"alpha line 0001\n"),
        ])
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }

    fn grep_in(
        &self,
        path: &str,
        query: &grep::Query,
        limits: &grep::Limits,
    ) -> Result<GrepAnswer, ReloadError> {
        let spelled = if path.is_empty() { "fix".to_owned() } else { format!("fix/{path}") };
        let target = Target { dir: &self.dir, path: Path::new(path), spelled: &spelled };
        grep(&target, query, limits, &quarter)
    }

    fn grep(&self, query: &grep::Query) -> GrepAnswer {
        self.grep_in("", query, &grep::Limits::default()).unwrap()
    }

    fn read(&self, path: &str, query: &read_file::Query) -> Result<ReadAnswer, ReloadError> {
        self.read_within(path, query, &read_file::Limits::default())
    }

    fn read_within(
        &self,
        path: &str,
        query: &read_file::Query,
        limits: &read_file::Limits,
    ) -> Result<ReadAnswer, ReloadError> {
        let spelled = format!("fix/{path}");
        let target = Target { dir: &self.dir, path: Path::new(path), spelled: &spelled };
        read_file(&target, query, limits, &quarter)
    }
}

/// A tokenizer of sorts: four bytes a token.
fn quarter(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

fn pattern(pattern: &str) -> grep::Query {
    grep::Query {
        pattern: pattern.to_owned(),
        glob: None,
        limit: None,
        context: 0,
        case: CaseMode::Ignore,
        syntax: Syntax::Regex,
        max_tokens: None,
    }
}

fn part(part: Part) -> read_file::Query {
    read_file::Query { part, max_tokens: None }
}

fn lines(offset: u64, limit: impl Into<Option<u64>>) -> read_file::Query {
    let limit = limit.into();
    part(Part::Lines { offset, limit })
}

fn bytes(offset: u64, limit: impl Into<Option<u64>>) -> read_file::Query {
    let limit = limit.into();
    part(Part::Bytes { offset, limit })
}

fn fox(name: &str, number: u32) -> String {
    format!("{name} line {number:04}: the quick brown fox jumps over the lazy dog")
}

// grep: texts

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
        "Found 2 matches for pattern \"ALPHA\" in path \"fix\":\n---\nFile: a.txt\nL1: {}\nL2: {}\n---",
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
            "Found 1 match for pattern \"line 0001\" in path \"fix\":\n---\nFile: a.txt\nL2: {}\n---",
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
    // A byte that is no text is shown as such and searched around.
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
    assert!(matches!(found("nope"), Err(ReloadError::NotFound { path }) if path == "fix/nope"));
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
        "Found 1 match for pattern \"hit\" in path \"fix\":\n---\nFile: x\nL2- b\nL3: hit\nL4- c\n---"
    );
    assert_eq!(first.truncated, Some(TruncatedBy::Limit));
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

// grep: what is refused

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
    query.glob = None;
    query.max_tokens = Some(0);
    assert!(matches!(refusal(&query), ReloadError::InvalidRange { field: "max_tokens", .. }));
}

// grep: ceilings

#[test]
fn grep_cuts_a_long_line_around_its_first_match() {
    let line = format!("{}NEEDLE{} NEEDLE", "é".repeat(60_000), "x".repeat(40_000));
    let file = format!("short\n{line}\n");
    let store = Store::with(&[("long", file.as_bytes())]);
    let answer = store.grep(&pattern("needle"));
    let found = &answer.matches[0];
    assert_eq!((found.line, found.column), (2, 120_001));
    assert!(found.text_truncated);
    assert_eq!(found.text.chars().count(), 500);
    assert!(found.text.contains("éNEEDLEx"));
    let shown = answer.answer.lines().nth(3).unwrap();
    assert!(shown.starts_with("L2: …é"), "{shown}");
    assert!(
        shown.ends_with("x… [line of 160013 bytes; its part: byte_offset=118982 byte_limit=4096]"),
        "{shown}"
    );
    let around = store.read("long", &bytes(118_982, 4096)).unwrap();
    assert!(around.body().contains("NEEDLE"));

    // A match at either end of its line fills the window from the other side.
    let ends = format!("NEEDLE{}\n{}NEEDLE\n", "x".repeat(600), "y".repeat(600));
    let store = Store::with(&[("ends", ends.as_bytes())]);
    let answer = store.grep(&pattern("needle"));
    assert!(answer.matches[0].text.starts_with("NEEDLEx"));
    assert!(answer.matches[1].text.ends_with("yNEEDLE"));
    for found in answer.matches {
        assert_eq!(found.text.chars().count(), 500);
    }
}

#[test]
fn grep_answers_fit_their_ceilings_and_say_what_cut_them() {
    let file: String = (0..5000).map(|n| format!("line {n} of a file\n")).collect();
    let store = Store::with(&[("big", file.as_bytes())]);
    let all = store.grep(&pattern("line"));
    assert_eq!((all.matches.len(), all.truncated), (5000, None));

    for max_tokens in [60, 61, 62, 100, 1000, 10_000] {
        let mut query = pattern("line");
        query.max_tokens = Some(max_tokens);
        let cut = store.grep(&query);
        assert!(quarter(&cut.answer) <= max_tokens, "{}", cut.answer);
        assert_eq!(cut.truncated, Some(TruncatedBy::MaxTokens));
        assert_eq!(cut.matches, all.matches[..cut.matches.len()]);
        let n = cut.matches.len();
        assert!(
            n > 0 && cut.answer.contains(&format!("\n---\n[cut at {n} match")),
            "{}",
            cut.answer
        );
        // No room is wasted: one more line would not have fitted.
        assert!(quarter(&cut.answer) + 8 > max_tokens);
    }
    let mut query = pattern("line");
    query.max_tokens = Some(5);
    let none = store.grep(&query);
    assert!(none.answer.starts_with("There are matches for pattern \"line\""));
    assert_eq!((none.matches.len(), none.truncated), (0, Some(TruncatedBy::MaxTokens)));

    let limits = grep::Limits { answer_bytes: 2000, ..grep::Limits::default() };
    let cut = store.grep_in("", &pattern("line"), &limits).unwrap();
    assert!(cut.answer.len() <= 2000 && cut.answer.len() > 1900);
    assert_eq!(cut.truncated, Some(TruncatedBy::AnswerBytes));

    let limits = grep::Limits { max_matches: 10, ..grep::Limits::default() };
    let mut query = pattern("line");
    query.limit = Some(100);
    let cut = store.grep_in("", &query, &limits).unwrap();
    assert_eq!(cut.matches, all.matches[..10]);
    assert_eq!(cut.truncated, Some(TruncatedBy::MaxMatches));
    assert!(cut.answer.ends_with(
        "---\n[cut at 10 matches: no answer holds more matches; narrow the pattern, the path or the glob, or raise limit]"
    ));
}

#[test]
fn grep_visits_no_more_files_than_it_may() {
    let store = Store::with(&[("a", b"x"), ("b/c", b"x"), ("d", b"x")]);
    let limits = grep::Limits { files: 2, ..grep::Limits::default() };
    let inside = store.grep_in("b", &pattern("x"), &limits).unwrap();
    assert_eq!((inside.matches.len(), inside.truncated), (1, None));
    let cut = store.grep_in("", &pattern("x"), &limits).unwrap();
    assert_eq!(cut.truncated, Some(TruncatedBy::Files));
    let store = Store::with(&[("a/1", b"x"), ("b/2", b"x"), ("b/3", b"x")]);
    let cut = store.grep_in("", &pattern("x"), &limits).unwrap();
    let paths: Vec<_> = cut.matches.iter().map(|found| found.path.as_str()).collect();
    assert_eq!((paths, cut.truncated), (vec!["a/1", "b/2"], Some(TruncatedBy::Files)));
}

#[test]
fn grep_names_a_file_whose_line_is_too_long_to_hold() {
    let long = [b"x\n".as_slice(), &[b'y'; 300_000], b"x\n"].concat();
    let store = Store::with(&[("a", &long), ("b", b"x\n")]);
    let limits = grep::Limits { line_bytes: 100_000, ..grep::Limits::default() };
    let answer = store.grep_in("", &pattern("x"), &limits).unwrap();
    let paths: Vec<_> = answer.matches.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(paths, ["a", "b"]);
    let skipped = Skipped { path: "a".to_owned(), why: SkipReason::LongLine };
    assert_eq!((answer.skipped, answer.files_skipped), (vec![skipped], 1));
    assert!(answer.answer.ends_with("---\n[not searched to the end: a (a line is too long)]"));
    assert_eq!(store.grep(&pattern("x")).matches.len(), 3);
}

/// Wherever a page begins, it knows the line that it begins in.
#[test]
fn a_page_of_bytes_begins_in_its_line() {
    let text = "ab\n\ncdefgh\nij\n\n\nklm";
    let store = Store::with(&[("x", text.as_bytes())]);
    for offset in 0..text.len() {
        let page = store.read("x", &bytes(offset as u64, 2)).unwrap();
        let before = text[..offset].matches('\n').count() as u64;
        assert_eq!((page.first_byte, page.first_line), (offset as u64, before), "{offset}");
    }
}

/// Where there is room for nothing, a page has the one character, and goes on behind it.
#[test]
fn a_page_without_room_goes_on_in_the_next_line() {
    let store = Store::with(&[("x", b"\nabc\ndef\n")]);
    let limits = read_file::Limits { answer_bytes: 1, ..Default::default() };
    let page = store.read_within("x", &lines(0, None), &limits).unwrap();
    assert_eq!((page.body(), page.next_offset, page.next_byte_offset), ("\n", Some(1), Some(1)));
}

#[test]
fn grep_enters_folders_only_so_deep() {
    let deep = format!("{}f", "d/".repeat(80));
    let store = Store::with(&[(&deep, b"x"), ("z", b"x")]);
    let answer = store.grep(&pattern("x"));
    assert_eq!(answer.matches.len(), 1);
    assert_eq!(answer.skipped[0].why, SkipReason::TooDeep);
}

#[test]
fn hostile_patterns_end_with_the_deadline() {
    let deadline = Duration::from_millis(200);
    let limits = grep::Limits { deadline, ..grep::Limits::default() };
    let words: String = "lorem ipsum dolor sit amet 0123456789 ".repeat(50_000);
    let mixed: String = "слово слово 上下文卸载 aaaa bbbb ".repeat(30_000);
    let wrapped: String = words.replace("amet", "amet\n");
    let aaaa = "a".repeat(2_000_000);
    let aaaa_lines = format!("{}\n", "a".repeat(80)).repeat(20_000);
    // Text that never repeats makes a lazy automaton build a state a byte.
    let mut seed = 1_u32;
    let random: String = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 31 == 0 { 'a' } else { 'b' }
    })
    .take(2_000_000)
    .collect();
    let store = Store::with(&[
        ("random", random.as_bytes()),
        ("words", words.as_bytes()),
        ("mixed", mixed.as_bytes()),
        ("wrapped", wrapped.as_bytes()),
        ("a", aaaa.as_bytes()),
        ("a_lines", aaaa_lines.as_bytes()),
    ]);
    let hostile = [
        "(a+)+$".to_owned(),
        "(a*)*b".to_owned(),
        "(a|a)*b$".to_owned(),
        "(a|aa)+c".to_owned(),
        r"\w{200}".to_owned(),
        r"\w{60}z".to_owned(),
        r"(?:\w{1,40}\s){3}q".to_owned(),
        "(?:a{1000}){1000}".to_owned(),
        "(?:(?:(?:a{10}){10}){10}){10}".to_owned(),
        "a{2000}".to_owned() + "b",
        "(?:a?){2000}b".to_owned(),
        "(?:a?){9000}b$".to_owned(),
        "(?:a|b|ab){900}c".to_owned(),
        r"\b(?:a?){900}\b z".to_owned(),
        r"\b\w{30}\bz".to_owned(),
        ".*.*.*.*.*.*.*.*=.*".to_owned(),
        "[^x]*[^y]*[^z]*[^w]{40}#$".to_owned(),
        r"(?:\pL\pM*){40}\d{9}x".to_owned(),
        "(x+x+)+y".to_owned(),
        "a".repeat(2048),
        "(".repeat(600) + &")".repeat(400),
        "(?i)(?:k|s|ſ|K){300}".to_owned(),
        r"[\w&&[^a-y]]{50}".to_owned(),
        "(?:.{0,100}a){6}b$".to_owned(),
        "(?:a|aa){3000}b".to_owned(),
        "(?:[^x]a{0,40}){100}b".to_owned(),
        "(?:.a?){450}b$".to_owned(),
        "a[ab]{300}c".to_owned(),
    ];
    for text in hostile {
        for path in ["random", "words", "mixed", "wrapped", "a", "a_lines"] {
            // Refused, late or answered: what counts is how much is done for it.
            let took = cpu_time::of(|| drop(store.grep_in(path, &pattern(&text), &limits)));
            let most = deadline + Duration::from_millis(200);
            let shown: String = text.chars().take(40).collect();
            assert!(took < most, "{shown} in {path:?} took {took:?}, {most:?} at most");
        }
    }
}

#[test]
fn a_late_answer_holds_what_was_found_in_time() {
    let store = Store::golden();
    let limits = grep::Limits { deadline: Duration::ZERO, ..grep::Limits::default() };
    let late = store.grep_in("", &pattern("fox"), &limits).unwrap();
    assert_eq!((late.matches.len(), late.truncated), (0, Some(TruncatedBy::Deadline)));
    assert_eq!(
        late.answer,
        "No matches found for pattern \"fox\" in path \"fix\".\n[cut at 0 matches: the time for one search is over; narrow the pattern, the path or the glob, or raise limit]"
    );
}

#[test]
fn long_lines_are_judged_like_short_ones() {
    // One line large enough for stepping, against the regex crate.
    let line = format!(
        "{}start one@two.com одиндва двадва два {} foo {}bar end",
        "x ".repeat(150_000),
        "y".repeat(200_000),
        "z ".repeat(150_000)
    );
    let store = Store::with(&[("x", format!("short\n{line}\nfoo bar\n").as_bytes())]);
    for text in [
        r"[\w.]+@[\w.]+\.com",
        r"foo .*bar",
        r"^x .* end$",
        r"bar end$",
        r"\bfoo\b",
        r"(?:y|z){2000}",
        r"nothing\w+here",
        r"o*",
        r"\bдва\b",
        r"\bтри|\bдва\w+ ",
        r"(?:\b\w+\b ){3}foo",
        r"\b(?:дв|два|a)+?\B.",
    ] {
        let expected = regex::Regex::new(text).unwrap().find(&line);
        let limits = grep::Limits { deadline: Duration::from_secs(60), ..grep::Limits::default() };
        let answer = store.grep_in("", &pattern(text), &limits).unwrap();
        let found = answer.matches.iter().find(|found| found.line == 2);
        assert_eq!(
            found.map(|found| found.column),
            expected.map(|found| found.start() as u64 + 1),
            "{text}"
        );
        assert_eq!((answer.truncated, answer.files_skipped), (None, 0));
    }
}

// special files

#[test]
fn special_files_and_ways_out_are_passed_over() {
    let outside = Store::with(&[("secret", b"secret fox\n"), ("in/secret", b"secret fox\n")]);
    let store = Store::with(&[("a.txt", b"fox\n")]);
    let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, store.path(name)).unwrap();
    link(&outside.path("secret"), "out");
    link(&outside.path("in"), "outdir");
    link(Path::new("a.txt"), "inside");
    link(Path::new("."), "circle");
    link(Path::new("loop"), "loop");
    let fifo = store.path("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(store.path("socket")).unwrap();

    let answer = store.grep(&pattern("fox"));
    assert_eq!((answer.matches.len(), answer.files_searched), (1, 1));
    assert_eq!((answer.truncated, answer.files_skipped), (None, 0));

    let outcome = |path: &str| {
        let grepped = store.grep_in(path, &pattern("fox"), &grep::Limits::default());
        let read = store.read(path, &lines(0, None));
        let kind = |error: ReloadError| match error {
            ReloadError::NotFound { .. } => "not found",
            ReloadError::NotAFile { .. } => "not a file",
            other => panic!("{other}"),
        };
        (grepped.map_or_else(kind, |_| "found"), read.map_or_else(kind, |_| "found"))
    };
    for path in ["fifo", "socket"] {
        assert_eq!(outcome(path), ("not a file", "not a file"), "{path}");
    }
    for path in [
        "out",
        "outdir",
        "outdir/secret",
        "loop",
        "../x",
        "/etc/passwd",
        "a.txt/b",
        "nul\0byte",
        "missing",
    ] {
        assert_eq!(outcome(path), ("not found", "not found"), "{path}");
    }
    let long_name = "n".repeat(5000);
    assert_eq!(outcome(&long_name), ("not found", "not found"));
    assert_eq!(outcome("inside"), ("found", "found"));
    assert_eq!(outcome("."), ("found", "not a file"));
    let devices = Dir::open_ambient_dir("/dev", ambient_authority()).unwrap();
    let target = Target { dir: &devices, path: Path::new("zero"), spelled: "/dev/zero" };
    assert!(matches!(
        read_file(&target, &lines(0, None), &read_file::Limits::default(), &quarter),
        Err(ReloadError::NotAFile { .. })
    ));
}

#[test]
fn a_file_that_outlasts_the_time_is_refused() {
    let store = Store::golden();
    let limits = read_file::Limits { deadline: Duration::ZERO, ..Default::default() };
    let refused = store.read_within("a.txt", &lines(0, Some(1)), &limits);
    assert!(matches!(refused, Err(ReloadError::TooSlow { .. })), "{refused:?}");
}

// read_file: texts

fn body_of(store: &Store, path: &str, query: &read_file::Query) -> String {
    let answer = store.read(path, query).unwrap();
    assert_eq!(answer.body_start, 0, "{}", answer.answer);
    answer.answer
}

#[test]
fn read_file_gives_a_whole_file_as_it_is() {
    let store = Store::golden();
    for path in ["a.txt", "cjk.txt", "crlf.txt", "nonl.txt", "trail.txt"] {
        let stored = fs::read_to_string(store.path(path)).unwrap();
        for query in [lines(0, None), lines(0, 100_000), bytes(0, None), bytes(0, 100_000)] {
            assert_eq!(body_of(&store, path, &query), stored);
        }
        let answer = store.read(path, &lines(0, None)).unwrap();
        assert_eq!(answer.total_lines, stored.matches('\n').count() as u64 + 1);
        assert_eq!(answer.total_bytes, stored.len() as u64);
        assert_eq!((answer.next_offset, answer.next_byte_offset), (None, None));
        assert_eq!(answer.last_line, answer.total_lines - 1);
    }
}

#[test]
fn read_file_says_where_a_page_stands() {
    let store = Store::golden();
    let answer = store.read("a.txt", &lines(2, 3)).unwrap();
    assert_eq!(
        answer.answer,
        format!(
            "Showing lines 2-4 of 11 total lines.\n\n---\n\n{}\n{}\n{}\n",
            fox("alpha", 2),
            fox("alpha", 3),
            fox("alpha", 4)
        )
    );
    assert_eq!((answer.next_offset, answer.next_byte_offset), (Some(5), Some(305)));
    assert_eq!((answer.first_line, answer.last_line), (2, 4));
    assert_eq!((answer.first_byte, answer.end_byte), (122, 305));

    let last = store.read("a.txt", &lines(9, 1)).unwrap();
    let header = "Showing lines 9-9 of 11 total lines.\n\n---\n\n";
    assert_eq!(last.answer, format!("{header}{}\n", fox("alpha", 9)));
    assert_eq!((last.next_offset, last.next_byte_offset), (Some(10), None));
    assert_eq!(body_of(&store, "a.txt", &lines(10, 1)), "");

    let rest: String = (5..10).map(|n| fox("alpha", n) + "\n").collect();
    assert_eq!(body_of(&store, "a.txt", &lines(5, None)), rest);

    let page = store.read("a.txt", &bytes(61, 5)).unwrap();
    assert_eq!(page.answer, "Showing bytes 61-65 of 610 total bytes.\n\n---\n\nalpha");
    assert_eq!((page.next_offset, page.next_byte_offset), (Some(66), Some(66)));
    assert_eq!((page.first_line, page.last_line), (1, 1));
}

#[test]
fn read_file_never_splits_a_character() {
    let store = Store::with(&[("x", "a🚀b".as_bytes())]);
    let page = |offset, limit| {
        let page = store.read("x", &bytes(offset, limit)).unwrap();
        (page.first_byte, page.end_byte, page.body().to_owned())
    };
    assert_eq!(page(0, 1), (0, 1, "a".to_owned()));
    assert_eq!(page(0, 3), (0, 1, "a".to_owned()));
    assert_eq!(page(1, 1), (1, 5, "🚀".to_owned()));
    assert_eq!(page(4, 1), (1, 5, "🚀".to_owned()));
    assert_eq!(page(4, 2), (1, 6, "🚀b".to_owned()));
    assert_eq!(page(5, 1), (5, 6, "b".to_owned()));
}

#[test]
fn read_file_names_what_it_cannot_give() {
    let store = Store::golden();
    let refusal = |path, query| store.read(path, &query).unwrap_err();
    assert_eq!(
        refusal("a.txt", lines(5000, 10)).to_string(),
        "line offset 5000 is past the end of \"fix/a.txt\", which has 11 lines; 0 to 10 would be accepted"
    );
    assert!(matches!(
        refusal("a.txt", lines(11, None)),
        ReloadError::OffsetPastEnd { total_lines: 11, .. }
    ));
    assert!(matches!(
        refusal("a.txt", bytes(610, None)),
        ReloadError::ByteOffsetPastEnd { total_bytes: 610, .. }
    ));
    for query in [lines(0, 0), bytes(0, 0)] {
        assert!(matches!(
            refusal("a.txt", query),
            ReloadError::InvalidRange { field: "limit", .. }
        ));
    }
    assert!(matches!(refusal("nope.txt", lines(0, None)), ReloadError::NotFound { .. }));
    assert!(matches!(refusal("sub", lines(0, None)), ReloadError::NotAFile { .. }));
    assert!(matches!(
        refusal("bin.dat", lines(0, None)),
        ReloadError::NotText { byte_offset: 2, .. }
    ));
}

#[test]
fn read_file_takes_an_empty_file_for_one_empty_line() {
    let store = Store::with(&[("empty", b"")]);
    for query in [lines(0, None), lines(0, 1), bytes(0, None), bytes(0, 9)] {
        let answer = store.read("empty", &query).unwrap();
        assert_eq!((answer.answer.as_str(), answer.total_lines), ("", 1));
        assert_eq!((answer.next_offset, answer.truncated), (None, None));
    }
    assert!(matches!(
        store.read("empty", &lines(1, None)),
        Err(ReloadError::OffsetPastEnd { total_lines: 1, .. })
    ));
    assert!(matches!(
        store.read("empty", &bytes(1, None)),
        Err(ReloadError::ByteOffsetPastEnd { total_bytes: 0, .. })
    ));
}

#[test]
fn read_file_reads_text_up_to_where_it_ends() {
    let store = Store::with(&[("x", b"good\nbad \xff\ngood again\n")]);
    assert_eq!(store.read("x", &lines(0, 1)).unwrap().body(), "good\n");
    assert_eq!(body_of(&store, "x", &lines(2, None)), "good again\n");
    assert_eq!(store.read("x", &bytes(0, 9)).unwrap().body(), "good\nbad ");
    for query in [lines(1, 1), lines(0, None), bytes(9, 1), bytes(0, 10)] {
        assert!(matches!(
            store.read("x", &query),
            Err(ReloadError::NotText { byte_offset: 9, .. })
        ));
    }
    // A page that a ceiling ends before the byte does not know of it.
    let big = ["good line\n".repeat(100).as_bytes(), b"\xff"].concat();
    let store = Store::with(&[("x", &big)]);
    let query = read_file::Query { max_tokens: Some(50), ..lines(0, None) };
    let page = store.read("x", &query).unwrap();
    assert_eq!(page.truncated, Some(TruncatedBy::MaxTokens));
    // Behind a character no page begins that ends where it was to begin.
    let store = Store::with(&[("x", b"3\xa3\xa3")]);
    for offset in [1, 2] {
        let query = read_file::Query { max_tokens: Some(1), ..bytes(offset, None) };
        let page = store.read("x", &query);
        let at = |page: &ReloadError| matches!(page, ReloadError::NotText { byte_offset, .. } if *byte_offset == offset);
        assert!(page.as_ref().is_err_and(at), "{page:?}");
    }
    // A character that the end of the file cuts is not text either.
    let store = Store::with(&[("x", &"é".as_bytes()[..1])]);
    for query in [lines(0, None), bytes(0, 1)] {
        assert!(matches!(
            store.read("x", &query),
            Err(ReloadError::NotText { byte_offset: 0, .. })
        ));
    }
}

#[test]
fn read_file_goes_on_inside_a_line_that_is_too_long() {
    let text = format!("short\n{}\nlast", "é".repeat(10_000));
    let store = Store::with(&[("x", text.as_bytes())]);
    let query = |part| read_file::Query { part, max_tokens: Some(100) };
    let first = store.read("x", &query(Part::Lines { offset: 0, limit: None })).unwrap();
    assert_eq!(first.body(), "short\n");
    assert_eq!((first.next_offset, first.next_byte_offset), (Some(1), Some(6)));
    let inside = store.read("x", &query(Part::Lines { offset: 1, limit: None })).unwrap();
    assert!(
        inside.answer.starts_with(&format!(
            "Showing bytes 6-{} of 20011 total bytes (line 1 is 20001 bytes long; continue with byte_offset={}).\n\n---\n\né",
            inside.end_byte - 1,
            inside.end_byte
        )),
        "{}",
        inside.answer
    );
    assert_eq!((inside.next_offset, inside.next_byte_offset), (None, Some(inside.end_byte)));
    assert_eq!(inside.truncated, Some(TruncatedBy::MaxTokens));
    assert!(quarter(&inside.answer) <= 100 && quarter(&inside.answer) >= 98);
}

#[test]
fn read_file_keeps_to_its_size_and_memory() {
    let limits = read_file::Limits { answer_bytes: 1000, ..Default::default() };
    let text = "x".repeat(300_000) + "\n" + &"yy\n".repeat(1000);
    let store = Store::with(&[("x", text.as_bytes())]);
    let (mut body, mut at) = (String::new(), Some(0));
    while let Some(offset) = at {
        let page = store.read_within("x", &bytes(offset, None), &limits).unwrap();
        assert!(page.answer.len() <= 1000);
        body.push_str(page.body());
        at = page.next_byte_offset;
        assert_eq!(page.truncated, at.map(|_| TruncatedBy::AnswerBytes));
    }
    assert!(body == text);
    let page = store.read_within("x", &lines(1, None), &limits).unwrap();
    assert!(page.answer.len() <= 1000 && page.answer.len() > 990);
    assert_eq!(page.next_offset, Some(1 + page.body().matches('\n').count() as u64));
}

// properties

/// Texts with all that has ever split in the wrong place.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("\n".to_owned()),
        2 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        1 => Just("\0".to_owned()),
        4 => "[a-z ]{1,12}",
        2 => "[上下文é🚀ß]{1,6}",
        1 => (1..400_usize).prop_map(|n| "long🚀 ".repeat(n)),
        1 => "\\PC{0,8}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

#[derive(Clone, Copy, Debug)]
enum Paging {
    Lines(u64),
    Bytes(u64),
    All,
}

fn pagings() -> impl Strategy<Value = Paging> {
    prop_oneof![
        (1..12_u64).prop_map(Paging::Lines),
        (1..900_u64).prop_map(Paging::Bytes),
        Just(Paging::All),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_put_together_are_the_file(
        text in texts(),
        paging in pagings(),
        max_tokens in prop_oneof![Just(None), (1..60_u64).prop_map(Some), (60..800_u64).prop_map(Some)],
        answer_bytes in prop_oneof![Just(1 << 20), 80..3000_usize],
    ) {
        let store = Store::with(&[("x", text.as_bytes())]);
        let limits = read_file::Limits { answer_bytes, ..Default::default() };
        let mut body = String::new();
        let mut part = match paging {
            Paging::Lines(n) => Part::Lines { offset: 0, limit: Some(n) },
            Paging::Bytes(n) => Part::Bytes { offset: 0, limit: Some(n) },
            Paging::All => Part::Lines { offset: 0, limit: None },
        };
        let mut pages = 0;
        loop {
            pages += 1;
            let query = read_file::Query { part, max_tokens };
            let page = store.read_within("x", &query, &limits).unwrap();
            prop_assert_eq!(page.first_byte, body.len() as u64);
            body.push_str(page.body());
            prop_assert_eq!(page.end_byte, body.len() as u64);
            prop_assert_eq!(page.total_bytes, text.len() as u64);
            prop_assert_eq!(page.total_lines, text.matches('\n').count() as u64 + 1);
            prop_assert_eq!(page.next_byte_offset.is_none(), body.len() == text.len());
            let before = &text[..page.first_byte as usize];
            prop_assert_eq!(page.first_line, before.matches('\n').count() as u64);
            let one_character = page.body().chars().count() <= 1;
            if let Some(max) = max_tokens {
                prop_assert!(quarter(&page.answer) <= max || one_character);
            }
            prop_assert!(page.answer.len() <= answer_bytes || one_character);
            if page.next_offset.is_some() || page.next_byte_offset.is_some() {
                prop_assert!(page.answer.starts_with("Showing "));
            } else {
                prop_assert_eq!(page.body_start, 0);
            }
            let next = match part {
                Part::Lines { limit, .. } => match (page.next_offset, page.next_byte_offset) {
                    (Some(next), _) => {
                        prop_assert_eq!(page.last_line + 1, next);
                        Part::Lines { offset: next, limit }
                    }
                    // On through the long line by bytes, and by lines again.
                    (None, Some(next)) => Part::Bytes { offset: next, limit: Some(500) },
                    (None, None) => break,
                },
                Part::Bytes { limit, .. } => {
                    prop_assert_eq!(page.next_offset, page.next_byte_offset);
                    match page.next_byte_offset {
                        Some(next) if page.body().ends_with('\n') && !matches!(paging, Paging::Bytes(_)) => {
                            let limit = if let Paging::Lines(n) = paging { Some(n) } else { None };
                            Part::Lines { offset: text[..next as usize].matches('\n').count() as u64, limit }
                        }
                        Some(next) => Part::Bytes { offset: next, limit },
                        None => break,
                    }
                }
            };
            let place = |part: Part| match part {
                Part::Lines { offset, .. } => text.split_inclusive('\n').take(offset as usize).map(str::len).sum::<usize>() as u64,
                Part::Bytes { offset, .. } => offset,
            };
            let ends_in_an_empty_line = body.len() == text.len();
            prop_assert!(place(next) > place(part) || ends_in_an_empty_line, "{:?} after {:?}", next, part);
            part = next;
            prop_assert!(pages <= text.len() + 2);
        }
        prop_assert!(body == text);
    }

    #[test]
    fn grep_finds_what_the_regex_crate_finds_line_by_line(
        contents in prop::collection::vec(texts(), 1..4),
        expression in prop_oneof![
            Just("a".to_owned()),
            "[a-e]{1,2}",
            Just("^".to_owned()),
            Just("$".to_owned()),
            Just("^$".to_owned()),
            Just(r"\bb".to_owned()),
            Just(r"\s[a-m]\B".to_owned()),
            Just(r"[上🚀]+.".to_owned()),
            Just(r"o.*g".to_owned()),
            Just(r"[[:alpha:]]\s*$".to_owned()),
            Just(r"\Aa|z\z".to_owned()),
            Just(r"\w{3}\W".to_owned()),
            Just(r"\x00|ß".to_owned()),
            Just(r"(?:a?){40}n".to_owned()),
            Just(r"[^a-z]".to_owned()),
        ],
        case in prop_oneof![Just(CaseMode::Ignore), Just(CaseMode::Sensitive)],
        limit in 1..20_u64,
        context in 0..3_u64,
    ) {
        let names = ["a.txt", "b/c.txt", "d.txt"];
        let files: Vec<_> = names.into_iter().zip(contents.iter().map(String::as_bytes)).collect();
        let store = Store::with(&files);
        let reference = regex::RegexBuilder::new(&expression)
            .case_insensitive(case == CaseMode::Ignore)
            .multi_line(true)
            .build()
            .unwrap();
        let mut expected = Vec::new();
        for (path, content) in names.iter().zip(&contents) {
            for (number, line) in content.split_inclusive('\n').enumerate() {
                let whole = line.strip_suffix('\n').unwrap_or(line);
                let seen = whole.strip_suffix('\r').unwrap_or(whole);
                let found = reference.find(whole).or_else(|| {
                    let asserts_end = expression.contains('$') || expression.contains("\\z");
                    reference.find(seen).filter(|_| asserts_end)
                });
                if let Some(found) = found {
                    expected.push((path.to_string(), number as u64 + 1, found.start() as u64 + 1));
                }
            }
        }
        let mut query = pattern(&expression);
        query.case = case;
        let all = store.grep(&query);
        let found: Vec<_> = all.matches.iter().map(|found| (found.path.clone(), found.line, found.column)).collect();
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(all.truncated, None);
        for found in &all.matches {
            let content = &contents[names.iter().position(|name| *name == found.path).unwrap()];
            let line = content.split_inclusive('\n').nth(found.line as usize - 1).unwrap();
            let line = match line.strip_suffix('\n') {
                Some(line) => line.strip_suffix('\r').unwrap_or(line),
                None => line,
            };
            let holds = if found.text_truncated { line.contains(&found.text) } else { line == found.text };
            prop_assert!(holds);
        }

        query.context = context;
        prop_assert_eq!(&store.grep(&query).matches, &all.matches);
        query.limit = Some(limit);
        let cut = store.grep(&query);
        let kept = all.matches.len().min(limit as usize);
        prop_assert_eq!(&cut.matches[..], &all.matches[..kept]);
        prop_assert_eq!(cut.truncated, (all.matches.len() > kept).then_some(TruncatedBy::Limit));
    }
}
