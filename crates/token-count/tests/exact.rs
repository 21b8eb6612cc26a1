//! The counter against tiktoken-rs, on text of every kind, on the inputs that
//! break other counters, and on random strings of awkward characters.

#![expect(clippy::cast_possible_truncation, reason = "a test converts what it made itself")]

use std::iter;

use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};
use token_count::{Family, Tokenizer, warm_up};

fn exact() -> [(Tokenizer, &'static CoreBPE); 2] {
    [
        (Tokenizer::O200kBase, o200k_base_singleton()),
        (Tokenizer::Cl100kBase, cl100k_base_singleton()),
    ]
}

/// Both encodings count `text` as tiktoken-rs does, cold and from the cache.
fn check(kind: &str, text: &str) {
    for (tokenizer, reference) in exact() {
        let expected = reference.encode_ordinary(text).len() as u64;
        for pass in ["first", "second"] {
            let name = tokenizer.name();
            assert_eq!(tokenizer.count(text), expected, "{kind}, {name}, {pass} pass");
        }
    }
}

/// A fixed sequence of numbers, so that a failure repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// `count` words joined by one of the separators each.
    fn words(&mut self, count: usize, words: &[&str], separators: &[&str]) -> String {
        (0..count).flat_map(|_| [self.pick(words), self.pick(separators)]).collect()
    }

    fn chars(&mut self, count: usize, alphabet: &str) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        iter::repeat_with(|| alphabet[self.below(alphabet.len())]).take(count).collect()
    }

    fn chars_in(&mut self, count: usize, ranges: &[(u32, u32)]) -> String {
        iter::repeat_with(|| {
            let (first, last) = ranges[self.below(ranges.len())];
            char::from_u32(first + self.below((last - first + 1) as usize) as u32)
        })
        .flatten()
        .take(count)
        .collect()
    }
}

const ENGLISH: &str = "The committee didn't expect the harbour's old lighthouse to be sold so quickly; \
    by Thursday, nearly 1,250 people had signed the petition. \"We'll see,\" she said, \
    \"whether they've understood what it'd mean for us.\" Unfortunately, infrastructure \
    maintenance isn't cheap, and the municipality's budget was already overcommitted. ";
const CHINESE: &str = "委员会没有料到海港的老灯塔会这么快卖掉；到星期四，已有近1250人在请愿书上签名。\
    “我们走着瞧吧，”她说，“看看他们是否明白这对我们意味着什么。”遗憾的是，基础设施的维护并不便宜。";
const JAPANESE: &str = "委員会は、港の古い灯台がこれほど早く売却されるとは予想していませんでした。\
    木曜日までに約1250人が嘆願書に署名しました。「様子を見ましょう」と彼女は言いました。インフラの維持費は安くありません。";
const KOREAN: &str = "위원회는 항구의 오래된 등대가 이렇게 빨리 팔릴 줄 예상하지 못했습니다. \
    목요일까지 약 1250명이 청원서에 서명했습니다. \"두고 봅시다\"라고 그녀가 말했습니다. ";
const THAI: &str = "คณะกรรมการไม่คาดคิดว่าประภาคารเก่าของท่าเรือจะถูกขายเร็วขนาดนี้ \
    ภายในวันพฤหัสบดีมีผู้ลงนามในคำร้องเกือบ 1250 คน ";
const ARABIC: &str = "لم تتوقع اللجنة أن تُباع منارة الميناء القديمة بهذه السرعة؛ وبحلول يوم الخميس، \
    كان قرابة ١٢٥٠ شخصًا قد وقّعوا على العريضة. قالت: «سنرى». ";
const RUSSIAN: &str = "Комитет не ожидал, что старый маяк в гавани продадут так быстро; к четвергу \
    петицию подписали почти 1250 человек. «Посмотрим», — сказала она. ";
const HINDI: &str = "समिति को उम्मीद नहीं थी कि बंदरगाह का पुराना प्रकाशस्तंभ इतनी जल्दी बिक जाएगा। \
    गुरुवार तक लगभग 1250 लोगों ने याचिका पर हस्ताक्षर कर दिए थे। ";
const EMOJI: &[&str] =
    &["👍", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "🧑🏿‍🚀", "❤️", "1️⃣", "🤷‍♀️", "✨", " ", "ok ", "\n"];
const IDENTIFIERS: &[&str] = &[
    "self",
    "result",
    "HTTPServer",
    "parseJSON",
    "max_tokens",
    "i",
    "value",
    "__init__",
    "XMLHttpRequest",
    "response",
    "MAX_RETRIES",
    "x1",
    "getElementById",
    "snake_case_name",
    "0x7fFF",
    "3.14159",
    "usize",
];
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ASCII: &str = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\n\t";

fn json_record(random: &mut Random) -> String {
    let id = random.below(1_000_000);
    let user = random.pick(IDENTIFIERS);
    let score = random.below(1000);
    format!(
        r#"{{"id":{id},"user":"{user}","tags":["a\\n","β"],"score":0.{score},"ok":true,"next":null,"url":"https://example.org/v1/items?id={id}&q=%20x"}}"#
    )
}

fn code(random: &mut Random, line: &str) -> String {
    let indent = ["", "    ", "        ", "\t", "\t\t"];
    (0..400)
        .map(|_| {
            let line = line
                .replacen("$", random.pick(IDENTIFIERS), 1)
                .replacen("$", random.pick(IDENTIFIERS), 1)
                .replacen("$", random.pick(IDENTIFIERS), 1);
            format!("{}{line}\n", random.pick(&indent))
        })
        .collect()
}

fn corpora() -> Vec<(&'static str, String)> {
    let mut random = Random(7);
    let r = &mut random;
    let records: Vec<String> = (0..300).map(|_| json_record(r)).collect();
    let pretty = records.join(",\n").replace(',', ",\n        ").replace(':', ": ");
    let log_line = |r: &mut Random| {
        format!(
            "2026-03-{:02}T{:02}:17:{:02}.{:03}Z  WARN [worker-{}] io.net.Pool - timeout after {}ms (peer=10.0.{}.7:8443)\n",
            1 + r.below(28),
            r.below(24),
            r.below(60),
            r.below(1000),
            r.below(9),
            r.below(90_000),
            r.below(255)
        )
    };
    let bytes: Vec<u8> = (0..20_000).map(|_| r.below(256) as u8).collect();
    vec![
        ("English", ENGLISH.repeat(60)),
        ("Markdown", format!("# Title\n\n{ENGLISH}\n\n- **item** one\n- `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\n$ ls -la | wc\n```\n\n---\n").repeat(30)),
        ("Python", code(r, "def $(self, $: int = 0) -> dict[str, $]:  # don't")),
        ("Rust", code(r, "let $ = $.iter().map(|&x| x as $).collect::<Vec<_>>()?;")),
        ("HTML", code(r, "<div class=\"$ $\"><a href='/x?y=$'>It's &amp; more</a></div>")),
        ("JSON compact", format!("[{}]", records.join(","))),
        ("JSON pretty", pretty),
        ("logs", (0..300).map(|_| log_line(r)).collect()),
        ("minified JS", code(r, "function $(e,t){return e.$?t(e):void 0!==e&&$(t)};").replace(['\n', '\t'], "").replace("    ", "")),
        ("Chinese", CHINESE.repeat(40)),
        ("Japanese", JAPANESE.repeat(40)),
        ("Korean", KOREAN.repeat(40)),
        ("Thai", THAI.repeat(40)),
        ("Arabic", ARABIC.repeat(40)),
        ("Russian", RUSSIAN.repeat(40)),
        ("Hindi", HINDI.repeat(40)),
        ("emoji", r.words(4000, EMOJI, &["", "", " "])),
        ("base64", r.chars(30_000, BASE64)),
        ("hex", r.chars(30_000, "0123456789abcdef")),
        ("random ASCII", r.chars(30_000, ASCII)),
        ("random bytes, lossy", String::from_utf8_lossy(&bytes).into_owned()),
        ("CRLF", ENGLISH.replace(", ", ",\r\n").repeat(40) + "\r\n\r\n \r\n"),
        ("whitespace", r.chars(20_000, "     \t\n\r\u{a0}\u{3000}\u{2003}ax.")),
        ("contractions", r.words(6000, &["I", "it", "WE", "Ça", "中", "x1", "'"], &["'s ", "'S", "'ſ", "'Re", "'LL ", "'vE", "'M", "'d", "'t", "'x", "’s "])),
        ("special tokens", "<|endoftext|><|im_start|>system <|fim_prefix|>".repeat(200)),
        ("rulers", ["-", "=", "*", "#", "_", ".", "─", " "].map(|mark| mark.repeat(80) + "\n").concat().repeat(20)),
    ]
}

#[test]
fn counts_equal_tiktoken_on_every_kind_of_text() {
    warm_up();
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

/// Inputs on which other counters are quadratic, wrong, or panic.
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

/// A million of one byte makes the reference panic or take too long; there the
/// count is only held between what the longest tokens allow.
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

#[test]
fn estimates_stay_above_the_truth_and_within_reason() {
    for (kind, text) in corpora() {
        let truth = Tokenizer::O200kBase.count(&text) as f64;
        let estimate = Tokenizer::Estimate(Family::Kimi).count(&text) as f64;
        let ratio = estimate / truth;
        let noise = [
            "base64",
            "hex",
            "random ASCII",
            "random bytes, lossy",
            "whitespace",
            "contractions",
            "emoji",
            "special tokens",
            "rulers",
        ];
        let allowed = if noise.contains(&kind) { 0.8..2.5 } else { 1.0..1.5 };
        assert!(allowed.contains(&ratio), "{kind}: {ratio:.2} of o200k");
    }
}

#[test]
fn estimates_grow_with_the_text_and_the_family() {
    let count = |family, text: &str| Tokenizer::Estimate(family).count(text);
    assert_eq!(count(Family::Claude, ""), 0);
    assert!(count(Family::Claude, "a") >= 1);
    assert!(count(Family::Claude, ENGLISH) > count(Family::Llama, ENGLISH));
    let (once, often) = (count(Family::Qwen, CHINESE), count(Family::Qwen, &CHINESE.repeat(1000)));
    assert!((980 * once..=1020 * once).contains(&often), "{once} then {often}");
}

#[test]
fn models_are_recognised_by_name() {
    use Family::*;
    use Tokenizer::{Cl100kBase, Estimate, O200kBase};
    let cases = [
        ("gpt-4o", O200kBase),
        ("gpt-4o-2024-05-13", O200kBase),
        ("openai/gpt-4o-mini", O200kBase),
        ("gpt-4.1", O200kBase),
        ("gpt-5.4-mini", O200kBase),
        ("gpt-6", O200kBase),
        ("o1", O200kBase),
        ("o3-pro", O200kBase),
        ("o4", O200kBase),
        ("chatgpt-5-latest", O200kBase),
        ("openai/gpt-oss-120b:free", O200kBase),
        ("ft:gpt-4o:org:name:id", O200kBase),
        ("ft:gpt-3.5-turbo:org::id", Cl100kBase),
        ("gpt-4", Cl100kBase),
        ("GPT-4-Turbo", Cl100kBase),
        ("azure/gpt-4-32k", Cl100kBase),
        ("openai:gpt-4", Cl100kBase),
        ("anthropic:claude-haiku-4-5", Estimate(Claude)),
        ("THUDM/glm4v-9b", Estimate(Glm)),
        ("gpt-35-turbo", Cl100kBase),
        ("text-davinci-003", Cl100kBase),
        ("claude-sonnet-4-5", Estimate(Claude)),
        ("anthropic/claude-opus-4.1", Estimate(Claude)),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", Estimate(Claude)),
        ("claude-3-7-sonnet@20250219", Estimate(Claude)),
        ("models/gemini-2.5-pro", Estimate(Gemini)),
        ("google/gemma-3-27b-it", Estimate(Gemini)),
        ("qwen3:8b", Estimate(Qwen)),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", Estimate(Qwen)),
        ("hf:deepseek-ai/DeepSeek-V3", Estimate(DeepSeek)),
        ("moonshotai/Kimi-K2-Instruct", Estimate(Kimi)),
        ("moonshot-v1-128k", Estimate(Kimi)),
        ("mistralai/Mixtral-8x7B", Estimate(Mistral)),
        ("codestral-latest", Estimate(Mistral)),
        ("mistral/open-nemo", Estimate(Mistral)),
        ("groq/llama-3.3-70b-versatile", Estimate(Llama)),
        ("accounts/fireworks/models/llama-v3p1-405b", Estimate(Llama)),
        ("meta.llama3-70b-instruct-v1:0", Estimate(Llama)),
        ("z-ai/glm-4.6", Estimate(Glm)),
        ("x-ai/grok-4", Estimate(Grok)),
        ("cohere.command-r-plus-v1:0", Estimate(Command)),
        ("MiniMax-M2", Estimate(MiniMax)),
        ("amazon.nova-pro-v1:0", Estimate(Nova)),
        ("my-deployment", O200kBase),
        ("", O200kBase),
    ];
    for (name, expected) in cases {
        assert_eq!(Tokenizer::for_model(Some(name)), expected, "{name}");
    }
    assert_eq!(Tokenizer::for_model(None), O200kBase);
}

#[test]
fn tokenizers_say_what_they_are() {
    assert_eq!(Tokenizer::O200kBase.name(), "o200k_base");
    assert_eq!(Tokenizer::Cl100kBase.name(), "cl100k_base");
    assert_eq!(Tokenizer::Estimate(Family::Claude).name(), "estimate:claude");
    assert!(Tokenizer::O200kBase.is_exact());
    assert!(!Tokenizer::Estimate(Family::Claude).is_exact());
}

/// Each thread has its cache; whatever came before, in whatever order, counts are right.
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
