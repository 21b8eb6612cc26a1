//! An excerpt of a filter or statement with a caret below a position.

/// The characters shown on each side of the position.
const AROUND: usize = 30;

/// Returns the position of byte `at` in characters, and two lines: the text around it, and a
/// caret below the position.
pub fn at(filter: &str, at: usize) -> (usize, String) {
    let at = filter.floor_char_boundary(at.min(filter.len()));
    let (before, after) = filter.split_at(at);
    let position = before.chars().count();
    let skipped = position.saturating_sub(AROUND);
    let start = if skipped > 0 { "…" } else { "" };
    let end = if after.chars().nth(AROUND).is_some() { "…" } else { "" };
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let left: String = before.chars().skip(skipped).map(shown).collect();
    let right: String = after.chars().take(AROUND).map(shown).collect();
    let indent = " ".repeat(start.chars().count() + left.chars().count());
    (position, format!("  {start}{left}{right}{end}\n  {indent}^"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_the_character() {
        assert_eq!(at(".é | foo", 6), (5, "  .é | foo\n       ^".to_owned()));
        let long = format!("{}X{}", "a".repeat(50), "b".repeat(50));
        let (position, near) = at(&long, 50);
        assert_eq!(position, 50);
        let lines: Vec<&str> = near.lines().collect();
        let caret = lines[1].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[0].chars().nth(caret), Some('X'));
        assert_eq!(at("", 9).0, 0);
    }
}
