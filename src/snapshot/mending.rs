//! Mends a model's summary: removes lines if it is too large, and adds extracts of the built-in
//! summariser in place of sentences that failed verification.

use super::format::summary::{BySection, Section, Summary};

/// The removed tokens of each section.
pub(crate) type Lost = BySection<u64>;

impl Lost {
    /// Returns the tokens of all sections.
    pub(crate) fn total(self) -> u64 {
        self.0.iter().sum()
    }
}

/// The sections that may lose lines, and whether the oldest lines go first.
const YIELDING: [(Section, bool); 4] = [
    (Section::KeyKnowledge, false),
    (Section::ArtifactTrail, false),
    (Section::RecentActions, true),
    (Section::TaskState, true),
];

/// Returns the summary with at most `most` tokens, as counted by `count`. Removes lines from the
/// longest section: the oldest action or step, or the last line of other sections. The goal and the
/// constraints stay.
pub(crate) fn shortened(summary: &Summary, most: u64, count: &dyn Fn(&str) -> u64) -> Summary {
    let mut sizes = BySection(Section::ALL.map(|section| count(summary.get(section))));
    if sizes.total() <= most {
        return summary.clone();
    }
    let mut lines = BySection(Section::ALL.map(|section| items(summary.get(section))));
    while sizes.total() > most {
        let longest = YIELDING
            .into_iter()
            .filter(|(section, _)| !lines[*section].is_empty())
            .max_by_key(|(section, _)| sizes[*section]);
        let Some((section, oldest_first)) = longest else { break };
        let of_section = &mut lines[section];
        let at = if oldest_first { 0 } else { of_section.len() - 1 };
        let gone = of_section.remove(at);
        sizes[section] = sizes[section].saturating_sub(count(gone) + 1);
    }
    let mut short = Summary::default();
    for section in Section::ALL {
        short.set(section, lines[section].join("\n"));
    }
    short
}

/// Adds items of an extract to each section that lost some, with at most as many tokens as it lost.
/// If the goal was removed, takes the goal of the extract.
pub(crate) fn complete(
    summary: &mut Summary,
    extract: &Summary,
    lost: Lost,
    count: &dyn Fn(&str) -> u64,
) {
    for section in Section::ALL {
        let own = summary.get(section).to_owned();
        if section == Section::OverallGoal {
            if own.is_empty() {
                summary.set(section, extract.get(section));
            }
            continue;
        }
        let mut room = lost[section];
        let mut lines = vec![own.as_str()];
        lines.retain(|own| !own.is_empty());
        for item in items(extract.get(section)) {
            let said = item.trim_start_matches(['-', ' ']);
            let tokens = count(item);
            if tokens <= room && !said.is_empty() && !own.contains(said) {
                room -= tokens;
                lines.push(item);
            }
        }
        summary.set(section, lines.join("\n"));
    }
}

/// Returns the items of a section: each line with the indented lines below it.
fn items(text: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices('\n') {
        if !text[at + 1..].starts_with([' ', '\t']) {
            items.push(&text[start..at]);
            start = at + 1;
        }
    }
    items.push(&text[start..]);
    items.retain(|item| !item.trim().is_empty());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn summary(knowledge: &str, actions: &str) -> Summary {
        let mut summary = Summary::default();
        summary.set(Section::OverallGoal, "Mend the roof");
        summary.set(Section::KeyKnowledge, knowledge);
        summary.set(Section::RecentActions, actions);
        summary
    }

    #[test]
    fn the_longest_section_gives_way_first() {
        let long = summary("- one two\n  three\n- four five", "- six\n- seven");
        let short = shortened(&long, 12, &words);
        assert_eq!(short, summary("- one two\n  three", "- six\n- seven"));
        let least = shortened(&long, 0, &words);
        assert_eq!(least, summary("", ""), "the goal stays");
        assert_eq!(shortened(&long, 100, &words), long);
    }

    #[test]
    fn extracts_take_the_room_of_what_fell() {
        let mut kept = summary("- one two", "- six");
        kept.set(Section::OverallGoal, "");
        let extract = summary("- one two\n- eight\n- nine ten eleven", "- twelve");
        let lost = BySection([0, 0, 3, 0, 0, 0]);
        complete(&mut kept, &extract, lost, &words);
        assert_eq!(kept, summary("- one two\n- eight", "- six"));
    }
}
