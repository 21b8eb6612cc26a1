//! A text from a tool as part of a line.

/// Characters that are shown.
const SHOWN: usize = 48;

/// Returns the first 48 characters of `text` on one line, with `…` where more follow.
/// Control characters and line separators become spaces.
pub fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(SHOWN * 4));
    for (at, symbol) in text.chars().enumerate() {
        if at == SHOWN {
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
        assert_eq!(one_line(&"x".repeat(100)).chars().count(), SHOWN + 1);
    }
}
