//! Marks in whole texts, in parts that cut a secret, and in texts that are already marked.

use super::*;

fn token() -> String {
    ["gh", "p_", "q7Zr2KfX9mWc4TnB6vYh1JpL8sDg3GdRk5Vt"].concat()
}

fn key() -> String {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
    format!("-----BEGIN {0}-----\n{1}-----END {0}-----\n", "PRIVATE KEY", line.repeat(5))
}

#[test]
fn off_shows_everything() {
    let text = token();
    assert_eq!(Redact::Off.text(text.as_str()), text);
    assert!(Redact::Off.secrets(&text).is_empty());
}

#[test]
fn a_part_that_cuts_a_secret_shows_no_half_of_it() {
    let text = format!("before {} after", token());
    let secrets = Redact::Secrets.secrets(&text);
    let mark = "[redacted: github-token]";
    for at in 7..text.len() - 6 {
        let head = secrets.shown(&text, 0..at);
        let tail = secrets.shown(&text, at..text.len());
        let within = at > 7 && at < text.len() - 6;
        assert_eq!(head == format!("before {mark}"), within, "{at}: {head}");
        assert_eq!(tail.starts_with(mark), at < text.len() - 6, "{at}: {tail}");
    }
    assert_eq!(secrets.shown(&text, 0..6), "before");
    assert_eq!(secrets.shown(&text, 3..3), "");
}

#[test]
fn what_is_left_of_a_key_is_a_secret_too() {
    let key = key();
    let whole = format!("a\n{key}b\n");
    assert_eq!(Redact::Secrets.text(whole.as_str()), "a\n[redacted: private-key]\nb\n");
    let lines: Vec<&str> = key.split_inclusive('\n').collect();
    for cut in 2..lines.len() {
        let head = format!("a\n{}\nthe end of a page\n", lines[..cut].concat());
        let shown = Redact::Secrets.text(head.as_str());
        assert!(shown.starts_with("a\n[redacted: private-key]\n"), "{shown}");
        assert!(shown.ends_with("the end of a page\n") && !shown.contains("MII"), "{shown}");
        let tail = format!("said:\n{}b\n", lines[lines.len() - cut..].concat());
        let shown = Redact::Secrets.text(tail.as_str());
        assert_eq!(shown, "said:\n[redacted: private-key]\nb\n", "{cut}");
    }
    let quoted: String = lines.iter().map(|line| format!("  \"{}\\n\" +\n", line.trim())).collect();
    let shown = Redact::Secrets.text(quoted.as_str());
    assert_eq!(shown, "  \"[redacted: private-key]\\n\" +\n");
}

#[test]
fn a_key_that_another_was_put_into_is_a_secret_too() {
    let key = key();
    let lines: Vec<&str> = key.split_inclusive('\n').collect();
    let (head, rest) = (lines[0], lines[1..].concat());
    let torn = format!("a\n{head}a line of another process\n{}{key}{rest}b\n", lines[1]);
    let shown = Redact::Secrets.text(torn.as_str());
    assert!(shown.starts_with("a\n[redacted: private-key]"), "{shown}");
    assert!(shown.ends_with("[redacted: private-key]\nb\n") && !shown.contains("MII"), "{shown}");
    let more = format!("{head}{}{key}a line\n{rest}", lines[1]);
    let within = format!("a\n{head}{}{more}{}{}\n{rest}b\n", lines[1], lines[1], token());
    let shown = Redact::Secrets.text(within.as_str());
    assert_eq!(shown, "a\n[redacted: private-key]\nb\n");
    // Text after a cut-off key stays.
    let cut = format!("{}the end of a page\n{key}", lines[..3].concat());
    let shown = Redact::Secrets.text(cut.as_str());
    let marks = "[redacted: private-key]\nthe end of a page\n[redacted: private-key]\n";
    assert_eq!(shown, marks);
}

#[test]
fn a_line_that_ends_in_a_cut_secret_still_ends() {
    let text = format!("a\n{}b\n", key());
    let secrets = Redact::Secrets.secrets(&text);
    let third = text.match_indices('\n').nth(2).map_or(0, |(at, _)| at + 1);
    assert_eq!(secrets.shown(&text, 0..third), "a\n[redacted: private-key]\n");
}

#[test]
fn what_overlaps_is_one_mark_by_the_first_rule() {
    let text = format!("password = \"{}\"", token());
    assert_eq!(Redact::Secrets.text(text.as_str()), "password = \"[redacted: github-token]\"");
    let inside = format!("url = \"https://x:{}@host\"", token());
    assert_eq!(
        Redact::Secrets.text(inside.as_str()),
        "url = \"https://x:[redacted: github-token]@host\""
    );
}

#[test]
fn marks_are_left_as_they_are() {
    let texts = [
        format!("password = \"{}\" token: {}", token(), token()),
        format!("Authorization: Bearer {}\ncurl -u a:{} x://u:{}@h", token(), token(), token()),
        key(),
        "export SECRET_KEY=3fa85c0e91d274b63fa8\n<password>hunter2x</password>".to_owned(),
    ];
    for text in texts {
        let once = Redact::Secrets.text(text.as_str());
        assert!(once.contains(OPEN));
        assert_eq!(Redact::Secrets.text(&*once), once);
    }
}

#[test]
fn a_part_is_told_by_where_it_lies() {
    let text = format!("[\"{}\",\"plain\"]", token());
    let secrets = Redact::Secrets.secrets(&text);
    assert!(secrets.touch(&text[1..text.len() - 9]));
    assert!(secrets.touch(&text[5..6]));
    assert!(!secrets.touch(&text[text.len() - 8..]));
    assert!(!secrets.touch(&text[0..2]));
    assert!(!secrets.touch(&text[4..4]));
    assert!(!secrets.touch("another text, wherever it lies"));
}

/// One example for each name, in lower and upper case, and with a prefix or a number.
#[test]
fn every_name_of_a_secret_hides_its_value() {
    let names = name::words();
    assert!(names.len() > 200, "{}", names.len());
    for (word, is_password) in names {
        let value = if is_password { "hunter2!x" } else { "q7Zr2KfX9mWc4TnB6vYh" };
        for name in [word.clone(), word.to_uppercase(), format!("my_{word}"), format!("{word}2")] {
            let text = format!("{{\"{name}\": \"{value}\"}}");
            let shown = Redact::Secrets.text(text.as_str());
            assert!(!shown.contains(value), "{shown}");
        }
    }
}

/// Values just inside and just outside of the limits of length, mixture and path length.
#[test]
fn secrets_begin_where_the_bounds_say() {
    use name::NameKind::{Key, Password};
    use value::ValueContext::{Bare, Quoted};
    use value::{is_chosen, is_secret};
    for (value, kind, stands, secret) in [
        ("ab1!ab", Password, Quoted, true),
        ("ab1!a", Password, Quoted, false),
        ("ab1ab1", Password, Quoted, false),
        ("XkAbabeQpx", Password, Bare, true),
        ("XkAbabeQp", Password, Bare, false),
        ("XkOQpexAba", Password, Bare, true),
        // One part without a vowel may be an abbreviation.
        ("XkAbabeqex", Password, Bare, false),
        ("HttpMsgContext", Password, Bare, false),
        ("qwertzuiop", Key, Quoted, true),
        ("qwertzuio", Key, Quoted, false),
    ] {
        assert_eq!(is_secret(value, kind, stands), secret, "{value} {kind:?} {stands:?}");
    }
    // A password of a command may be short; a longer one must look like a secret.
    assert!(is_chosen("aaabb") && !is_chosen("aaabbb"));
    let path = |length: usize| format!("/{}/x1!y", "a".repeat(length)).replace('!', "-");
    assert!(!is_secret(&path(39), Password, Quoted) && is_secret(&path(40), Password, Quoted));
}

#[test]
fn a_flag_behind_the_name_of_a_secret_is_no_value() {
    let text = r#"["--password", "-x1!abcdef", "--password", "x1!abcdef"]"#;
    let shown = Redact::Secrets.text(text);
    let hidden = r#"["--password", "-x1!abcdef", "--password", "[redacted: assigned-secret]"]"#;
    assert_eq!(shown, hidden);
}

#[test]
fn a_name_screams_in_capitals_only() {
    assert!(name::is_screaming("DB_PASSWORD") && name::is_screaming("A1"));
    assert!(!name::is_screaming("dbPassword") && !name::is_screaming("1_1"));
}

#[test]
fn a_comma_in_quotes_separates_no_cells() {
    let shown = Redact::Secrets.text("name,password\n\"Doe, Ann\",hunter2!x\n");
    assert_eq!(shown, "name,password\n\"Doe, Ann\",[redacted: assigned-secret]\n");
}

#[test]
fn a_name_that_screams_and_a_flag_have_values_within_calls_too() {
    let shown = Redact::Secrets.text("run(DB_PASSWORD=correcthorse, --password=swordfishes, on)");
    let mark = "[redacted: assigned-secret]";
    assert_eq!(shown, format!("run(DB_PASSWORD={mark}, --password={mark}, on)"));
    let argument = "run(password=correcthorse, on)";
    assert_eq!(Redact::Secrets.text(argument), argument);
}

#[test]
fn a_name_that_is_in_no_member_has_no_pair() {
    let pair = Redact::Secrets.text("name: password, value: hunter2!x");
    assert_eq!(pair, "name: password, value: [redacted: assigned-secret]");
    let words = "no password, value: hunter2!x";
    assert_eq!(Redact::Secrets.text(words), words);
}
