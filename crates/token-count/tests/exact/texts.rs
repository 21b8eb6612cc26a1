//! Texts of every kind, identical in every run.

#![expect(clippy::cast_possible_truncation, reason = "a test converts what it made itself")]

use std::iter;

/// A deterministic random generator, so that failures can be reproduced.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Returns `count` random words, each followed by a random separator.
    pub(crate) fn words(&mut self, count: usize, words: &[&str], separators: &[&str]) -> String {
        (0..count).flat_map(|_| [self.pick(words), self.pick(separators)]).collect()
    }

    pub(crate) fn chars(&mut self, count: usize, alphabet: &str) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        iter::repeat_with(|| alphabet[self.below(alphabet.len())]).take(count).collect()
    }

    pub(crate) fn chars_in(&mut self, count: usize, ranges: &[(u32, u32)]) -> String {
        iter::repeat_with(|| {
            let (first, last) = ranges[self.below(ranges.len())];
            char::from_u32(first + self.below((last - first + 1) as usize) as u32)
        })
        .flatten()
        .take(count)
        .collect()
    }
}

pub(crate) const ENGLISH: &str = "The committee didn't expect the harbour's old lighthouse to be sold so quickly; \
    by Thursday, nearly 1,250 people had signed the petition. \"We'll see,\" she said, \
    \"whether they've understood what it'd mean for us.\" Unfortunately, infrastructure \
    maintenance isn't cheap, and the municipality's budget was already overcommitted. ";
pub(crate) const CHINESE: &str = "委员会没有料到海港的老灯塔会这么快卖掉；到星期四，已有近1250人在请愿书上签名。\
    “我们走着瞧吧，”她说，“看看他们是否明白这对我们意味着什么。”遗憾的是，基础设施的维护并不便宜。";
const JAPANESE: &str = "委員会は、港の古い灯台がこれほど早く売却されるとは予想していませんでした。\
    木曜日までに約1250人が嘆願書に署名しました。「様子を見ましょう」と彼女は言いました。インフラの維持費は安くありません。";
const KOREAN: &str = "위원회는 항구의 오래된 등대가 이렇게 빨리 팔릴 줄 예상하지 못했습니다. \
    목요일까지 약 1250명이 청원서에 서명했습니다. \"두고 봅시다\"라고 그녀가 말했습니다. ";
const THAI: &str = "คณะกรรมการไม่คาดคิดว่าประภาคารเก่าของท่าเรือจะถูกขายเร็วขนาดนี้ \
    ภายในวันพฤหัสบดีมีผู้ลงนามในคำร้องเกือบ 1250 คน ";
const ARABIC: &str = "لم تتوقع اللجنة أن تُباع منارة الميناء القديمة بهذه السرعة؛ وبحلول يوم الخميس، \
    كان قرابة ١٢٥٠ شخصًا قد وقّعوا على العريضة. قالت: «سنرى». ";
pub(crate) const RUSSIAN: &str = "Комитет не ожидал, что старый маяк в гавани продадут так быстро; к четвергу \
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
pub(crate) const ASCII: &str = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\n\t";

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

pub(crate) fn corpora() -> Vec<(&'static str, String)> {
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
