//! A sink: where a text goes that is rebuilt part by part. One keeps it, one
//! compares it with what it should be and keeps nothing.

/// Takes the parts of a text in their order.
pub(super) trait Sink {
    /// Takes the next part.
    fn put(&mut self, part: &str);
}

impl Sink for String {
    fn put(&mut self, part: &str) {
        self.push_str(part);
    }
}

/// Keeps a text up to a length.
pub(super) struct Limited {
    text: String,
    limit: u64,
    over: bool,
}

impl Limited {
    /// Keeps at most `limit` bytes.
    pub(super) fn to(limit: u64) -> Limited {
        Limited { text: String::new(), limit, over: false }
    }

    /// The text; None where it is longer than the limit.
    pub(super) fn finish(self) -> Option<String> {
        (!self.over).then_some(self.text)
    }
}

impl Sink for Limited {
    fn put(&mut self, part: &str) {
        self.over |= (self.text.len() + part.len()) as u64 > self.limit;
        if !self.over {
            self.text.push_str(part);
        }
    }
}

/// Compares the parts with a text.
pub(super) struct Compare<'a> {
    rest: &'a [u8],
    same: bool,
}

impl<'a> Compare<'a> {
    /// Nothing is compared yet.
    pub(super) fn with(text: &'a str) -> Compare<'a> {
        Compare { rest: text.as_bytes(), same: true }
    }

    /// True where the parts were the whole text.
    pub(super) fn same(&self) -> bool {
        self.same && self.rest.is_empty()
    }
}

impl Sink for Compare<'_> {
    fn put(&mut self, part: &str) {
        if part.is_empty() {
            return;
        }
        match self.rest.strip_prefix(part.as_bytes()) {
            Some(rest) if self.same => self.rest = rest,
            _ => self.same = false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_text_is_the_same() {
        let compare = |parts: &[&str]| {
            let mut sink = Compare::with("abc");
            parts.iter().for_each(|part| sink.put(part));
            sink.same()
        };
        assert!(compare(&["a", "", "bc"]));
        assert!(!compare(&["a"]));
        assert!(!compare(&["a", "x", "bc"]));
        assert!(!compare(&["abc", "d"]));
    }

    #[test]
    fn a_text_beyond_its_limit_is_none() {
        let limited = |limit| {
            let mut sink = Limited::to(limit);
            ["ab", "", "c"].iter().for_each(|part| sink.put(part));
            sink.finish()
        };
        assert_eq!(limited(3).as_deref(), Some("abc"));
        assert_eq!(limited(2), None);
    }
}
