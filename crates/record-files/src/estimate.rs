//! The token estimate for the threshold: four characters are a token, except in texts of
//! other scripts (`lro-spec-1600`, token estimation).

/// Returns the estimated tokens of `text`: its characters / 4, rounded up. If more than a fifth
/// of the characters are letters of other scripts than Latin, returns the result of `count`.
/// Linear in the length of the text.
pub fn tokens(text: &str, count: &dyn Fn(&str) -> u64) -> u64 {
    if text.is_ascii() {
        return (text.len() as u64).div_ceil(4);
    }
    let (mut characters, mut foreign) = (0u64, 0u64);
    for symbol in text.chars() {
        characters += 1;
        foreign += u64::from(!symbol.is_ascii() && !is_latin(symbol) && symbol.is_alphabetic());
    }
    if foreign * 5 > characters { count(text) } else { characters.div_ceil(4) }
}

/// Returns true for all characters of the Latin blocks of Unicode.
fn is_latin(symbol: char) -> bool {
    matches!(symbol, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(text: &str) -> u64 {
        tokens(text, &|_| 999)
    }

    #[test]
    fn four_characters_are_a_token() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("abcd"), 1);
        assert_eq!(estimate("abcde"), 2);
        assert_eq!(estimate("\u{e9}\u{e8}\u{ea}\u{eb}"), 1);
    }

    #[test]
    fn the_tokenizer_counts_where_another_script_prevails() {
        assert_eq!(estimate("\u{4e2d}\u{6587}"), 999);
        assert_eq!(estimate("\u{43f}\u{440}\u{438}"), 999);
        assert_eq!(estimate("abcd\u{4e2d}"), 2);
        assert_eq!(estimate("abc\u{4e2d}"), 999);
    }

    #[test]
    fn signs_are_not_letters() {
        assert_eq!(estimate("\u{1f600}\u{2192}\u{2013}\u{2026}"), 1);
    }
}
