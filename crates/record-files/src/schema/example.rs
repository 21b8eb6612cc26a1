//! The example: one record, shortened so that a reader sees its structure and typical values.

use raw_json::{Kind, each_element, each_member, quote, unescape};
use redact::Secrets;

/// Maximum number of bytes of an example, apart from its last value.
const MAX_BYTES: usize = 200;
/// Maximum number of characters of a text in the example.
const MAX_CHARS: usize = 20;
/// Maximum number of levels of the example.
const MAX_DEPTH: usize = 5;

/// Returns the example of a valid record as JSON: the first 20 characters of each text and the
/// first element of each array, and `…` for a value that contains a secret or is too deep. Returns
/// `None` if the record is empty.
pub(super) fn of(record: &str, secrets: &Secrets) -> Option<String> {
    let mut example = Example { out: String::new(), secrets };
    example.value(record.trim_ascii(), 0)?;
    Some(example.out)
}

struct Example<'s> {
    out: String,
    secrets: &'s Secrets,
}

impl Example<'_> {
    fn value(&mut self, raw: &str, depth: usize) -> Option<()> {
        let kind = Kind::of(*raw.as_bytes().first()?)?;
        let many = matches!(kind, Kind::Object | Kind::Array);
        if (many && depth == MAX_DEPTH) || (!many && self.secrets.touch(raw)) {
            self.out.push_str("\"…\"");
            return Some(());
        }
        match kind {
            Kind::Object => self.object(raw, depth),
            Kind::Array => self.array(raw, depth),
            Kind::String => {
                let text = unescape(raw).text;
                let end = text.char_indices().nth(MAX_CHARS);
                let shown = end.map_or(text.to_string(), |(end, _)| format!("{}…", &text[..end]));
                self.out.push_str(&quote(&shown));
                Some(())
            }
            Kind::Null | Kind::Boolean | Kind::Number => {
                self.out.push_str(if raw.len() <= MAX_CHARS { raw } else { "\"…\"" });
                Some(())
            }
        }
    }

    fn object(&mut self, raw: &str, depth: usize) -> Option<()> {
        let mut left_out = 0;
        self.out.push('{');
        let start = self.out.len();
        for (key, value) in each_member(raw) {
            if self.out.len() > MAX_BYTES || self.secrets.touch(key.literal()) {
                left_out += 1;
                continue;
            }
            self.comma(start);
            self.out.push_str(&quote(&key.text()));
            self.out.push(':');
            self.value(value, depth + 1)?;
        }
        if left_out > 0 {
            self.comma(start);
            self.out.push_str(&format!("\"…\":\"{left_out} more\""));
        }
        self.out.push('}');
        Some(())
    }

    fn array(&mut self, raw: &str, depth: usize) -> Option<()> {
        let mut elements = each_element(raw);
        self.out.push('[');
        if let Some(first) = elements.next() {
            self.value(first, depth + 1)?;
        }
        match elements.count() {
            0 => {}
            more => self.out.push_str(&format!(",\"… {more} more\"")),
        }
        self.out.push(']');
        Some(())
    }

    fn comma(&mut self, start: usize) {
        if self.out.len() > start {
            self.out.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lists_and_depths_are_shortened() {
        let record = format!(
            r#"{{"id": "a", "text":"{}","tags":["x","y","z"],"in":{{"n":1.50,"none":[]}}}}"#,
            "é".repeat(50)
        );
        let wanted = format!(
            r#"{{"id":"a","text":"{}…","tags":["x","… 2 more"],"in":{{"n":1.50,"none":[]}}}}"#,
            "é".repeat(20)
        );
        assert_eq!(of(&record, &Secrets::default()), Some(wanted));
        let deep = format!("{}1{}", "[".repeat(9), "]".repeat(9));
        assert_eq!(of(&deep, &Secrets::default()).as_deref(), Some(r#"[[[[["…"]]]]]"#));
    }

    #[test]
    fn a_wide_record_is_cut() {
        let members: Vec<String> = (0..200).map(|n| format!("\"name{n}\":{n}")).collect();
        let example = of(&format!("{{{}}}", members.join(",")), &Secrets::default()).unwrap();
        assert!(example.len() < 260 && example.ends_with("more\"}"), "{example}");
        assert!(serde_json::from_str::<serde_json::Value>(&example).is_ok());
    }

    #[test]
    fn a_secret_is_not_shown() {
        let record = r#"{"user":"bob","password":"hunter2hunter2","note":"ok"}"#;
        let secrets = redact::Redact::Secrets.secrets(record);
        let example = of(record, &secrets).unwrap();
        assert!(!example.contains("hunter2") && example.contains("\"bob\""), "{example}");
    }
}
