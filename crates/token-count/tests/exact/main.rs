//! Compares the counter with tiktoken-rs on text of every kind, on inputs that break other
//! counters, and on random strings of unusual characters.

mod estimates;
mod texts;

use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};
use token_count::{Family, Tokenizer};

use texts::{RUSSIAN, Random, corpora};

fn exact() -> [(Tokenizer, &'static CoreBPE); 2] {
    [
        (Tokenizer::O200kBase, o200k_base_singleton()),
        (Tokenizer::Cl100kBase, cl100k_base_singleton()),
    ]
}

/// Checks that both encodings count `text` as tiktoken-rs does, without and with the cache.
fn check(kind: &str, text: &str) {
    for (tokenizer, reference) in exact() {
        let expected = reference.encode_ordinary(text).len() as u64;
        for pass in ["first", "second"] {
            let name = tokenizer.name();
            assert_eq!(tokenizer.count(text), expected, "{kind}, {name}, {pass} pass");
        }
    }
}

#[test]
fn counts_equal_tiktoken_on_every_kind_of_text() {
    for (kind, text) in corpora() {
        assert!(text.len() > 5_000, "{kind} is a text worth counting");
        check(kind, &text);
    }
}

#[test]
fn counts_equal_tiktoken_on_random_strings() {
    let snippets = [
        "a",
        "b",
        "Z",
        "AB",
        "'",
        "'s",
        "'LL",
        "'ſ",
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "/",
        "//",
        ".",
        "--",
        "_",
        "0",
        "123",
        "4567",
        "é",
        "É",
        "ǅ",
        "ʰ",
        "ª",
        "ß",
        "中",
        "文",
        "あ",
        "한",
        "ไทย",
        "e\u{301}",
        "\u{301}",
        "\u{20dd}",
        "٣",
        "Ⅷ",
        "½",
        "€",
        "…",
        "👍",
        "\u{200d}",
        "🏽",
        "𝐀",
        "𐐀",
        "\u{0}",
        "\u{a0}",
        "\u{3000}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{fffd}",
        "the",
        " The",
        "HTTPServer",
        "<|endoftext|>",
        "{\"",
        "\":",
        "==",
        "\u{10ffff}",
    ];
    for (tokenizer, reference) in exact() {
        let mut random = Random(11);
        for _ in 0..20_000 {
            let count = random.below(20);
            let from = random.below(snippets.len());
            let some = &snippets[from..(from + 12).min(snippets.len())];
            let text: String =
                (0..count)
                    .map(|_| {
                        if random.below(3) == 0 {
                            random.pick(&snippets)
                        } else {
                            random.pick(some)
                        }
                    })
                    .collect();
            let expected = reference.encode_ordinary(&text).len() as u64;
            assert_eq!(tokenizer.count(&text), expected, "{}: {text:?}", tokenizer.name());
        }
    }
}

/// Inputs for which other counters are quadratic, wrong, or panic.
#[test]
fn counts_equal_tiktoken_on_the_worst_inputs() {
    let mut random = Random(13);
    let r = &mut random;
    let cases = [
        ("capitals", "A".repeat(300_000)),
        ("small letters", "a".repeat(300_000)),
        ("spaces", " ".repeat(200_000)),
        ("spaces before a word", " ".repeat(100_000) + "x"),
        ("newlines", "\n".repeat(100_000)),
        ("dashes", "-".repeat(300_000)),
        ("dashes and a newline", " ".to_owned() + &"-".repeat(100_000) + "\n"),
        ("two rulers", "=".repeat(50_003) + &"-".repeat(50_001) + "/="),
        ("pairs", "-=".repeat(30_000)),
        ("random letters", r.chars(100_000, "abcdefghijklmnopqrstuvwxyz")),
        ("random punctuation", r.chars(100_000, "!#$%&()*+,-.:;<=>?@[]^_{|}~")),
        ("random Han", r.chars_in(50_000, &[(0x4E00, 0x9FFF)])),
        ("random Thai", r.chars_in(50_000, &[(0x0E01, 0x0E2E)])),
        (
            "rare Unicode",
            r.chars_in(50_000, &[(0x80, 0xD7FF), (0xE000, 0x2FFFF), (0xE0000, 0xE01EF)]),
        ),
        ("marks", "\u{301}".repeat(50_000) + &"A".repeat(50_000)),
    ];
    for (kind, text) in cases {
        check(kind, &text);
    }
}

/// The reference panics or takes too long for a million equal bytes, so these counts are only
/// checked against the bounds given by the longest tokens.
#[test]
fn long_runs_are_counted_at_every_length() {
    for (tokenizer, reference) in exact() {
        for byte in ["-", "a", "0", " ", "!", "\u{7f}"] {
            for length in [4095, 4096, 4097, 5001, 8191, 12_345] {
                let text = byte.repeat(length);
                let expected = reference.encode_ordinary(&text).len() as u64;
                let name = tokenizer.name();
                assert_eq!(tokenizer.count(&text), expected, "{name}: {length} of {byte:?}");
            }
        }
        let million = |byte: &str| tokenizer.count(&byte.repeat(1_000_000));
        assert!((1_000_000 / 128..1_000_000 / 64).contains(&million(" ")));
        assert!((1_000_000 / 128..1_000_000 / 8).contains(&million("-")));
    }
}

#[test]
fn a_limit_never_changes_a_count() {
    let tokenizers =
        [Tokenizer::O200kBase, Tokenizer::Cl100kBase, Tokenizer::Estimate(Family::Claude)];
    let texts = corpora().into_iter().map(|(_, text)| text);
    for text in texts.chain([String::new(), "-".repeat(20_000)]) {
        for tokenizer in tokenizers {
            let count = tokenizer.count(&text);
            for limit in [0, 1, count / 2, count.saturating_sub(1), count, count + 1, u64::MAX] {
                let expected = (count <= limit).then_some(count);
                assert_eq!(tokenizer.count_up_to(&text, limit), expected);
            }
        }
    }
}

#[test]
fn encodings_do_not_share_counts_on_one_thread() {
    for line in RUSSIAN.repeat(3).split_inclusive(' ') {
        check("alternating", line);
    }
}

/// Each thread has its own cache. The counts are right whatever a thread counted before.
#[test]
fn threads_agree_with_tiktoken_whatever_they_counted_before() {
    let bpe = o200k_base_singleton();
    let words =
        ["naïveté", "Zürich", "xylophonic", "foo_bar", "上下文", "🙂🙃", "0x7fff", "lookahead"];
    let texts: Vec<String> = (0..400)
        .map(|n: usize| {
            let word =
                |k: usize| format!("{}{} ", words[(n * 7 + k * 3) % words.len()], n * k % 97);
            (0..40).map(word).collect()
        })
        .collect();
    let truth: Vec<u64> = texts.iter().map(|text| bpe.encode_ordinary(text).len() as u64).collect();
    std::thread::scope(|scope| {
        for start in 0..8 {
            let (texts, truth) = (&texts, &truth);
            scope.spawn(move || {
                for index in (0..texts.len()).map(|n| (n + start * 50) % texts.len()) {
                    assert_eq!(Tokenizer::O200kBase.count(&texts[index]), truth[index]);
                }
            });
        }
    });
}
