//! Records in random texts: valid, truncated and damaged. Nothing panics, and texts with records
//! are rebuilt.

use record_files::file;
use record_files::find::{Accept, find_records};

use super::random::Random;
use super::records::check_rebuilt;

const SCALARS: [&str; 14] = [
    "1",
    "-0.0",
    "1.10",
    "1e400",
    "9007199254740993",
    "null",
    "true",
    "\"\"",
    "\"a b\"",
    "\"\\u00e9\"",
    "\"\\ud800\"",
    "\"\\/ \\\" [ {\"",
    "\"é中😀\"",
    "\"\\u003c\"",
];
const KEYS: [&str; 5] = ["\"a\"", "\"a\"", "\"b\\n\"", "\"\"", "\"\\u0061\""];

/// A writer of random JSON. About one gap in `odd` has random white space.
struct Writer {
    random: Random,
    odd: usize,
    out: String,
}

impl Writer {
    fn gap(&mut self) {
        if self.odd > 0 && self.random.below(self.odd) == 0 {
            self.out += self.random.pick(&[" ", "\n", "\r\n", "  ", "\t", "\n   "]);
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.gap();
            self.out.push(',');
        }
        self.gap();
    }

    fn value(&mut self, depth: usize) {
        match if depth == 0 { 0 } else { self.random.below(4) } {
            2 => {
                let count = self.random.below(4);
                self.list(count, depth);
            }
            3 => self.object(depth),
            _ => self.out += self.random.pick(&SCALARS),
        }
    }

    fn list(&mut self, count: usize, depth: usize) {
        self.out.push('[');
        for index in 0..count {
            self.comma(index);
            self.value(depth - 1);
        }
        self.gap();
        self.out.push(']');
    }

    fn object(&mut self, depth: usize) {
        self.out.push('{');
        for index in 0..self.random.below(4) {
            self.comma(index);
            self.out += self.random.pick(&KEYS);
            self.gap();
            self.out.push(':');
            self.gap();
            self.value(depth - 1);
        }
        self.gap();
        self.out.push('}');
    }

    /// Returns a text of one of five shapes, in one of four envelopes.
    fn text(&mut self, shape: usize) -> String {
        self.out.clear();
        match shape {
            0 => {
                let count = self.random.below(30);
                self.list(count, 5);
            }
            1 => {
                self.out.push('[');
                for index in 0..3 + self.random.below(20) {
                    self.comma(index);
                    self.object(4);
                }
                self.out.push(']');
            }
            2 => {
                for _ in 0..3 + self.random.below(9) {
                    self.object(3);
                    self.out.push('\n');
                }
            }
            3 => {
                self.out.push('{');
                for index in 0..3 + self.random.below(9) {
                    self.comma(index);
                    self.out += &format!("\"k{index}\":{{\"x\":");
                    self.value(3);
                    self.gap();
                    self.out.push('}');
                }
                self.out.push('}');
            }
            _ => self.object(5),
        }
        let text = std::mem::take(&mut self.out);
        match self.random.below(5) {
            0 => serde_json::to_string(&text).unwrap(),
            1 => format!("{{\"n\":1, \"i\":{}}}", text.trim()),
            2 => format!("Words:\n{text}\nend"),
            _ => text,
        }
    }
}

#[test]
fn every_text_with_records_is_rebuilt() {
    let random = Random(0x9E37_79B9_7F4A_7C15);
    let mut writer = Writer { random, odd: 0, out: String::new() };
    let mut found = 0;
    for case in 0..6_000 {
        writer.odd = [0, 1, 3, 20][case % 4];
        let text = writer.text(case % 5);
        for accept in [Accept::Objects, Accept::Anything] {
            if let Some(records) = find_records(&text, accept) {
                check_rebuilt(&text, &records);
                found += 1;
            }
        }
        let cut = writer.random.below(text.len() + 1);
        if let Some(half) = text.get(..cut) {
            let mark = writer.random.pick(&["\"", "[", "}", ",", "\\"]);
            for broken in [half.to_owned(), format!("{half}{mark}{}", &text[cut..])] {
                if let Some(records) = find_records(&broken, Accept::Anything) {
                    check_rebuilt(&broken, &records);
                }
            }
        }
        // As a file of records it is rejected or read, without a panic.
        let _ = file::parse(&text).map(|stored| stored.rebuild().is_ok());
    }
    assert!(found > 4_000, "{found}");
}
