//! The answer: the outcome of a query as a short text for a model. A truncated answer says
//! how to get the rest.

use super::{
    request::{Query, Shows},
    run::Outcome,
};

/// An answer as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The sentence, then records or groups, one per line.
    pub text: String,
    /// The number of records or groups in `text`.
    pub shown: usize,
    /// True if records, groups or ids were omitted.
    pub truncated: bool,
    /// The `offset` of the next page, always larger than that of the query; `None` at the end.
    pub next_offset: Option<u64>,
}

/// The records or groups below the sentence.
struct Listing<'a> {
    lines: Vec<std::borrow::Cow<'a, str>>,
    /// The number on all pages.
    total: u64,
    what: &'static str,
    /// The advice for a line that is too large.
    instead: &'static str,
}

/// Writes an outcome of `query` in at most `max_tokens`, as measured by `count`. Always includes
/// the first sentence. Never truncates a record.
pub fn render(
    outcome: &Outcome<'_>,
    query: &Query,
    max_tokens: Option<u64>,
    count: &dyn Fn(&str) -> u64,
) -> Rendered {
    let room = max_tokens.unwrap_or(u64::MAX);
    let (mut text, ids_cut) = head(outcome, room, count);
    for note in &outcome.notes {
        text.push_str(&format!("\nNote: {note}."));
    }
    let Some(listing) = listing(outcome, query) else {
        return Rendered { text, shown: 0, truncated: ids_cut, next_offset: None };
    };
    let offset = query.offset as u64;
    let mut shown = fitting(&text, &listing, offset, room, count);
    loop {
        let rendered = with_lines(&text, &listing, shown, offset, ids_cut);
        // The tokens of the lines do not add up exactly to those of the text.
        if shown == 0 || count(&rendered.text) <= room {
            return rendered;
        }
        shown -= 1 + shown / 16;
    }
}

/// Returns the number of lines that fit next to the sentence and the note on truncation.
fn fitting(
    text: &str,
    listing: &Listing<'_>,
    offset: u64,
    room: u64,
    count: &dyn Fn(&str) -> u64,
) -> usize {
    if room == u64::MAX {
        return listing.lines.len();
    }
    let used = count(text);
    let last =
        count(&cut_line(listing, listing.lines.len() as u64, offset.saturating_add(listing.total)));
    let whole = offset.saturating_add(listing.lines.len() as u64) >= listing.total;
    let (mut sum, mut fits_with_cut) = (used, 0);
    for (index, line) in listing.lines.iter().enumerate() {
        sum = sum.saturating_add(count(&format!("\n{line}")));
        if sum > room {
            return fits_with_cut;
        }
        if sum.saturating_add(last) <= room {
            fits_with_cut = index + 1;
        }
    }
    if whole { listing.lines.len() } else { fits_with_cut }
}

fn with_lines(
    head: &str,
    listing: &Listing<'_>,
    shown: usize,
    offset: u64,
    ids_cut: bool,
) -> Rendered {
    let mut text = head.to_owned();
    for line in &listing.lines[..shown] {
        text.push('\n');
        text.push_str(line);
    }
    let next = offset.saturating_add(shown as u64);
    if next >= listing.total || listing.lines.is_empty() {
        if offset > 0 && offset >= listing.total {
            text.push_str(&format!("\n[offset={offset} is past the last of {}]", listing.total));
        }
        return Rendered { text, shown, truncated: ids_cut, next_offset: None };
    }
    if shown > 0 {
        text.push_str(&cut_line(listing, shown as u64, next));
        return Rendered { text, shown, truncated: true, next_offset: Some(next) };
    }
    // The first record alone is too large: continue after it, and say how to see it.
    let next = (next + 1 < listing.total).then_some(next + 1);
    let rest = next.map(|next| format!("; offset={next} to go past it")).unwrap_or_default();
    text.push_str(&format!(
        "\n[the next one is larger than max_tokens; {}{rest}]",
        listing.instead
    ));
    Rendered { text, shown, truncated: true, next_offset: next }
}

fn cut_line(listing: &Listing<'_>, shown: u64, next: u64) -> String {
    format!("\n[{shown} of {}{} shown; offset={next} for more]", listing.total, listing.what)
}

fn listing<'a>(outcome: &'a Outcome<'_>, query: &Query) -> Option<Listing<'a>> {
    match query.shows {
        Shows::Nothing => None,
        Shows::Groups => Some(Listing {
            lines: outcome
                .groups
                .iter()
                .flatten()
                .map(|group| format!("{}: {}", group.value, group.count).into())
                .collect(),
            total: outcome.groups_total,
            what: " groups",
            instead: "send a larger max_tokens",
        }),
        Shows::Records => Some(Listing {
            lines: outcome.records.iter().map(|record| record.as_ref().into()).collect(),
            total: outcome.matched,
            what: "",
            instead: "name the fields you need in select",
        }),
    }
}

/// Returns the first sentence, and true if ids were omitted from it.
fn head(outcome: &Outcome<'_>, room: u64, count: &dyn Fn(&str) -> u64) -> (String, bool) {
    let (mut text, cut) = match (&outcome.present, &outcome.absent) {
        (Some(present), Some(absent)) => {
            ids(present, absent, outcome.excluded.as_deref(), room, count)
        }
        _ => {
            let verb = if outcome.matched == 1 { "matches" } else { "match" };
            let noun = if outcome.records_total == 1 { "record" } else { "records" };
            (format!("{} of {} {noun} {verb}.", outcome.matched, outcome.records_total), false)
        }
    };
    if !outcome.complete {
        text.push_str(&format!(
            " The time ran out: only {} records were looked at.",
            outcome.records_total
        ));
    }
    (text, cut)
}

/// Lists the ids that exist or those that do not, whichever are fewer. With a condition, lists the
/// ids that do not exist and those that do not meet the condition.
fn ids(
    present: &[String],
    absent: &[String],
    excluded: Option<&[String]>,
    room: u64,
    count: &dyn Fn(&str) -> u64,
) -> (String, bool) {
    let total = present.len() + absent.len() + excluded.map_or(0, <[String]>::len);
    let verb = if present.len() == 1 { "is" } else { "are" };
    let (meets, fewer) = match excluded {
        Some(_) if present.len() == 1 => (" and meets the condition", false),
        Some(_) => (" and meet the condition", false),
        None => ("", present.len() < absent.len()),
    };
    let sentence = format!("{} of {total} ids {verb} present{meets}.", present.len());
    let mut lists: Vec<(&str, &[String])> = match excluded {
        Some(excluded) => vec![("Present, but not meeting it", excluded), ("Absent", absent)],
        None if fewer => vec![("Present", present)],
        None => vec![("Absent", absent)],
    };
    lists.retain(|(_, ids)| !ids.is_empty());
    let named: usize = lists.iter().map(|(_, ids)| ids.len()).sum();
    let list = |shown: usize| {
        let (mut text, mut left) = (sentence.clone(), shown);
        for (word, ids) in &lists {
            let names: Vec<&str> = ids.iter().take(left).map(|id| bare(id)).collect();
            left -= names.len();
            if !names.is_empty() {
                text.push_str(&format!(" {word}: {}", names.join(", ")));
                text.push_str(if names.len() == ids.len() { "." } else { " …" });
            }
        }
        text
    };
    let whole = list(named);
    if count(&whole) <= room {
        return (whole, false);
    }
    let tail = |shown: usize| {
        format!("{} [{shown} of {named} named; ask for fewer ids to see all]", list(shown))
    };
    // A binary search for the longest list that fits.
    let (mut fits, mut over) = (0, named);
    while over - fits > 1 {
        let middle = fits + (over - fits) / 2;
        if count(&tail(middle)) <= room { fits = middle } else { over = middle }
    }
    if fits == 0 {
        return (format!("{sentence} [ask for fewer ids to see which]"), true);
    }
    (tail(fits), true)
}

/// Returns an id without its quotes, unless it has characters that need them.
fn bare(id: &str) -> &str {
    let inner = id.strip_prefix('"').and_then(|id| id.strip_suffix('"')).unwrap_or(id);
    if inner.is_empty() || inner.contains(['\\', ',', ' ']) { id } else { inner }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
