//! A text with a limit, so that a small forged file cannot become a large text.

/// Collects the parts of a text up to a length.
pub(super) struct BoundedText {
    text: String,
    limit: u64,
    over: bool,
}

impl BoundedText {
    /// Keeps at most `limit` bytes.
    pub(super) fn new(limit: u64) -> BoundedText {
        BoundedText { text: String::new(), limit, over: false }
    }

    /// Appends a part; drops it if the text would exceed the limit.
    pub(super) fn push(&mut self, part: &str) {
        self.over |= (self.text.len() + part.len()) as u64 > self.limit;
        if !self.over {
            self.text.push_str(part);
        }
    }

    /// Returns true once a part was dropped.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Returns the text; `None` if a part was dropped.
    pub(super) fn finish(self) -> Option<String> {
        (!self.over).then_some(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_beyond_its_limit_is_dropped() {
        let bounded = |limit| {
            let mut text = BoundedText::new(limit);
            ["ab", "", "c"].iter().for_each(|part| text.push(part));
            text.finish()
        };
        assert_eq!(bounded(3).as_deref(), Some("abc"));
        assert_eq!(bounded(2), None);
    }
}
