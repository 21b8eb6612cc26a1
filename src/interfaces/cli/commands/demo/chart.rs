//! A chart of two curves for a terminal: the smaller one in full blocks, the rest of the larger
//! one in light blocks.

use console::style;

use crate::interfaces::cli::table::with_separators;

/// Height in lines.
const LINES: u64 = 14;
/// Maximum number of columns of a curve; longer ones are sampled.
const MAX_COLUMNS: usize = 120;

/// Draws `without` and `with`, tokens by turn, in at most `width` columns. Both have one value per
/// turn.
pub(super) fn chart(without: &[u64], with: &[u64], width: usize) -> String {
    let top = without.iter().chain(with).copied().max().unwrap_or(0).max(1);
    let turns = without.len().min(with.len());
    let label = with_separators(top).len().max("tokens".len());
    let most = width.saturating_sub(label + 2).clamp(1, MAX_COLUMNS);
    let columns: Vec<usize> = if turns <= most {
        // Short curves are drawn wider.
        let broad = (most / turns.max(1)).clamp(1, 3);
        (0..turns * broad).map(|column| column / broad).collect()
    } else {
        (0..most).map(|column| column * turns / most).collect()
    };
    let mut lines = vec![format!("{:>label$}", "tokens")];
    for line in (0..LINES).rev() {
        // A block is drawn if the curve is above the middle of its line.
        let level = top * (2 * line + 1) / (2 * LINES);
        let block = |turn: &usize| match (with[*turn] > level, without[*turn] > level) {
            (true, _) => '█',
            (false, true) => '░',
            (false, false) => ' ',
        };
        let row: String = columns.iter().map(block).collect();
        let name =
            if line % 4 == 1 { with_separators(top * (line + 1) / LINES) } else { String::new() };
        lines.push(format!("{name:>label$} ┤{}", row.trim_end()));
    }
    lines.push(format!("{:>label$} └{}", 0, "─".repeat(columns.len())));
    lines.push(format!("{:>label$}  turn 1 to {turns}    ░ without    █ with Unburden", ""));
    lines.join("\n")
}

/// Returns the chart in colours if standard output is a terminal with colours.
pub(super) fn painted(chart: &str) -> String {
    chart.replace('█', &style('█').green().to_string()).replace('░', &style('░').dim().to_string())
}

#[cfg(test)]
mod tests {
    use super::chart;

    #[test]
    fn the_larger_curve_stands_above_the_smaller() {
        let chart = chart(&[10, 20, 30, 40], &[10, 15, 15, 15], 80);
        let lines: Vec<&str> = chart.lines().collect();
        assert_eq!(lines.len(), 17);
        assert_eq!(lines[1].matches('░').count(), 3, "{chart}");
        assert!(!lines[1].contains('█'));
        assert_eq!(lines[14].matches('█').count(), 12, "{chart}");
        assert!(lines[16].contains("turn 1 to 4"));
    }

    #[test]
    fn long_curves_are_thinned_and_empty_ones_are_drawn() {
        let long: Vec<u64> = (0..1_000).collect();
        for width in [60, 80, 300] {
            let chart = chart(&long, &long, width);
            let widest = chart.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width && widest > width.min(120) - 2, "{widest} of {width}");
        }
        assert_eq!(chart(&[], &[], 80).lines().count(), 17);
    }
}
