//! Shows a text on one line, for messages.

/// Maximum number of characters shown.
const MAX_CHARS: usize = 48;

/// Returns the first 48 characters of `text` on one line, with `…` if there are more.
/// Control characters and line separators become spaces.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_CHARS * 4));
    for (at, symbol) in text.chars().enumerate() {
        if at == MAX_CHARS {
            out.push('…');
            break;
        }
        let breaks = symbol.is_control() || matches!(symbol, '\u{2028}' | '\u{2029}');
        out.push(if breaks { ' ' } else { symbol });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_on_its_line_and_is_short() {
        assert_eq!(one_line("a\nb\u{2028}c"), "a b c");
        assert_eq!(one_line(&"x".repeat(100)).chars().count(), MAX_CHARS + 1);
    }
}
