//! The layout: the white space of records that their lines no longer show. Only
//! what [`Gaps`] does not expect is written down, as marks; pretty-printed JSON
//! of any indentation needs a handful of them.

use std::collections::HashMap;
use std::iter::repeat_n;

use serde::{Deserialize, Serialize};

use super::gaps::{FREE, Gap, Gaps, LINE_FEED, NONE};
use super::token::Track;

/// The longest gap that a layout holds, in bytes. It bounds what a forged file
/// can make of a few bytes.
const LONGEST_GAP: usize = 64 * 1024;

/// White space as a file's header keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// The gaps that occur besides none and a single line feed, spelled as
    /// letters with counts: `ns4` is a line feed and four spaces (`n` line feed,
    /// `r` carriage return, `s` space, `t` tab).
    gaps: Vec<String>,
    /// The surprises, in order, separated by spaces: `17:2` is the gap of number
    /// 2 before the 17th token after the last surprise, `17:2*5` the same five
    /// times. Numbers 0 and 1 are no gap and a line feed; 2 is the first of
    /// `gaps`.
    marks: String,
}

impl Layout {
    /// What its JSON takes, in bytes.
    fn size(&self) -> usize {
        self.gaps.iter().map(|gap| gap.len() + 3).sum::<usize>() + self.marks.len() + 24
    }
}

/// One surprise, or several in a row that read alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// Tokens from the last surprise to this one.
    after: u64,
    gap: Gap,
    times: u64,
}

/// Takes down the layout of a text, token by token.
pub(super) struct Recorder {
    track: Track,
    gaps: Gaps,
    known: HashMap<String, Gap>,
    table: Vec<String>,
    marks: Vec<Mark>,
    since: u64,
    budget: usize,
}

impl Recorder {
    /// A layout whose JSON may take `budget` bytes.
    pub(super) fn new(budget: usize) -> Recorder {
        let table = vec![String::new(), "\n".to_owned()];
        let known = HashMap::from([(String::new(), NONE), ("\n".to_owned(), LINE_FEED)]);
        let (track, gaps) = (Track::default(), Gaps::new());
        Recorder { track, gaps, known, table, marks: Vec::new(), since: 0, budget }
    }

    /// Notes a token and the white space before it; gives the depth after it.
    pub(super) fn note(&mut self, gap: &str, token: &str) -> usize {
        let place = self.track.step(token);
        self.since += 1;
        let expected = self.gaps.expected(place);
        let known = self.table[expected as usize].as_str();
        // Empty ones are told by length: where vectors are wide, comparing no
        // bytes at no address costs more than the rest of this function.
        if known.len() == gap.len() && (gap.is_empty() || known == gap) {
            self.gaps.learn(place, expected);
        } else if let Some(number) = self.number(gap) {
            self.gaps.learn(place, number);
            self.mark(number);
        }
        self.track.depth()
    }

    /// A gap's number; None where the layout has grown too large to be kept.
    fn number(&mut self, gap: &str) -> Option<Gap> {
        // A mark takes four bytes at least, a gap as many.
        if self.marks.len().max(self.table.len()) > self.budget / 4 || gap.len() > LONGEST_GAP {
            self.budget = 0;
            return None;
        }
        if let Some(number) = self.known.get(gap) {
            return Some(*number);
        }
        let number = Gap::try_from(self.table.len()).ok()?;
        self.table.push(gap.to_owned());
        self.known.insert(gap.to_owned(), number);
        Some(number)
    }

    fn mark(&mut self, gap: Gap) {
        let after = std::mem::take(&mut self.since);
        match self.marks.last_mut() {
            Some(last) if last.after == after && last.gap == gap => last.times += 1,
            _ => self.marks.push(Mark { after, gap, times: 1 }),
        }
    }

    /// The layout: none where nothing was a surprise, and none where it is too
    /// large, in which case the comparison with the text tells.
    pub(super) fn finish(self) -> Option<Layout> {
        if self.marks.is_empty() || self.budget == 0 {
            return None;
        }
        let gaps = self.table[FREE as usize..].iter().map(|gap| spell(gap)).collect();
        let layout = Layout { gaps, marks: spell_marks(&self.marks) };
        (layout.size() <= self.budget).then_some(layout)
    }
}

/// Gives the white space of a layout back, token by token.
pub(super) struct Replay {
    track: Track,
    gaps: Gaps,
    table: Vec<String>,
    /// The surprises to come, the next one last.
    marks: Vec<Mark>,
    since: u64,
}

impl Replay {
    /// Reads a layout; None where it is none that [`Recorder`] wrote.
    pub(super) fn of(layout: &Layout) -> Option<Replay> {
        let mut table = vec![String::new(), "\n".to_owned()];
        for gap in &layout.gaps {
            table.push(read(gap)?);
        }
        let mut marks = read_marks(&layout.marks)?;
        if marks.iter().any(|mark| mark.gap as usize >= table.len() || mark.after == 0) {
            return None;
        }
        marks.reverse();
        Some(Replay { track: Track::default(), gaps: Gaps::new(), table, marks, since: 0 })
    }

    /// The white space before the next token.
    pub(super) fn gap(&mut self, token: &str) -> &str {
        let place = self.track.step(token);
        self.since += 1;
        let mut gap = self.gaps.expected(place);
        if let Some(mark) = self.marks.last_mut()
            && mark.after == self.since
        {
            gap = mark.gap;
            self.since = 0;
            mark.times = mark.times.saturating_sub(1);
            if mark.times == 0 {
                self.marks.pop();
            }
        }
        self.gaps.learn(place, gap);
        &self.table[gap as usize]
    }
}

fn spell(gap: &str) -> String {
    let mut out = String::new();
    for run in gap.as_bytes().chunk_by(|a, b| a == b) {
        out.push(match run[0] {
            b'\n' => 'n',
            b'\r' => 'r',
            b'\t' => 't',
            _ => 's',
        });
        if run.len() > 1 {
            out.push_str(&run.len().to_string());
        }
    }
    out
}

fn read(spelled: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = spelled;
    while let Some(letter) = rest.chars().next() {
        let symbol = match letter {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            's' => ' ',
            _ => return None,
        };
        let after = &rest[1..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let times = if digits == 0 { 1 } else { after[..digits].parse().ok()? };
        if times > LONGEST_GAP - out.len().min(LONGEST_GAP) {
            return None;
        }
        out.extend(repeat_n(symbol, times));
        rest = &after[digits..];
    }
    Some(out)
}

fn spell_marks(marks: &[Mark]) -> String {
    let spelled = marks.iter().map(|Mark { after, gap, times }| match times {
        1 => format!("{after}:{gap}"),
        _ => format!("{after}:{gap}*{times}"),
    });
    spelled.collect::<Vec<_>>().join(" ")
}

fn read_marks(marks: &str) -> Option<Vec<Mark>> {
    let read = |mark: &str| {
        let (after, gap) = mark.split_once(':')?;
        let (gap, times) = gap.split_once('*').unwrap_or((gap, "1"));
        Some(Mark {
            after: after.parse().ok()?,
            gap: gap.parse().ok()?,
            times: times.parse().ok()?,
        })
    };
    marks.split(' ').map(read).collect()
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
