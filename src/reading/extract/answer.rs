//! The answer of `lro_extract`: a text for a model, and the same content as data.

use raw_json::quote;

use crate::reading::fit::longest;
use crate::reading::limit::{CountTokens, TruncatedBy};
use query_sandbox::{Cut, Job, Outcome as JqOutcome};
use record_files::query::answer::render;
use record_files::query::{Group, Outcome, Query};

/// The answer to a query.
#[derive(Debug, Default)]
pub(crate) struct Extracted {
    /// The text for a model.
    pub answer: String,
    /// The number of matching records, or of outputs of the filter; `None` if the query did not run
    /// to its end.
    pub count: Option<u64>,
    /// The number of records in the file, if they were counted.
    pub records_total: Option<u64>,
    /// The shown records or outputs, each as JSON.
    pub records: Option<Vec<String>>,
    /// The shown groups: the value as JSON, and its count.
    pub groups: Option<Vec<Group>>,
    /// The names of a statement's columns.
    pub columns: Option<Vec<String>>,
    /// The shown rows, each a JSON array with one value per column.
    pub rows: Option<Vec<String>>,
    /// Requested ids that exist.
    pub present: Option<Vec<String>>,
    /// Requested ids that do not exist.
    pub absent: Option<Vec<String>>,
    /// True if a limit omitted something.
    pub truncated: bool,
    /// Requested ids whose records exist, but do not meet the condition.
    pub excluded: Option<Vec<String>>,
    /// The offset of the next page.
    pub next_offset: Option<u64>,
    /// How values were read, and possible reasons that nothing matched.
    pub notes: Vec<String>,
    /// False if the deadline passed before the last record.
    pub complete: bool,
}

/// Returns the answer to a condition.
pub(crate) fn of_query(
    outcome: &Outcome<'_>,
    query: &Query,
    room: u64,
    count: CountTokens<'_>,
) -> Extracted {
    let rendered = render(outcome, query, Some(room), count);
    let shown = rendered.shown;
    let lists_records = outcome.groups.is_none() && !outcome.records.is_empty();
    Extracted {
        answer: rendered.text,
        count: Some(outcome.matched),
        records_total: Some(outcome.records_total),
        records: lists_records
            .then(|| outcome.records.iter().take(shown).map(|r| r.clone().into_owned()).collect()),
        groups: outcome.groups.as_ref().map(|groups| groups.iter().take(shown).cloned().collect()),
        present: outcome.present.clone(),
        absent: outcome.absent.clone(),
        excluded: outcome.excluded.clone(),
        truncated: rendered.truncated || !outcome.complete,
        next_offset: rendered.next_offset,
        notes: outcome.notes.clone(),
        complete: outcome.complete,
        ..Extracted::default()
    }
}

/// Returns the outputs of a filter, one per line.
pub(crate) fn of_jq(
    outcome: JqOutcome,
    job: &Job<'_>,
    records: u64,
    room: u64,
    count: CountTokens<'_>,
) -> Extracted {
    let JqOutcome { values, total, cut, slurped, mut warnings } = outcome;
    if slurped && job.slurp.is_none() {
        let meant = format!(
            "the filter ran once, on the array of all {records} records; with `slurp: false` it \
             runs on each record"
        );
        warnings.insert(0, meant);
    }
    let notes: String = warnings.iter().map(|warning| format!("Note: {warning}.\n")).collect();
    let render = |shown: usize| {
        format!("{notes}{}", listing(&values[..shown], values.len(), total, cut, job))
    };
    let fits = |shown: usize| {
        if count(&render(shown)) <= room { Ok(()) } else { Err(TruncatedBy::MaxTokens) }
    };
    let (shown, _) = longest(values.len(), 16, |at| at, fits);
    let answer = render(shown);
    let truncated = shown < values.len() || cut.is_some();
    let next = job.offset.saturating_add(shown as u64);
    // Skips an output that alone is too large, so that the next page makes progress.
    let next = if shown == 0 { next.saturating_add(1) } else { next };
    let more = truncated && total.is_none_or(|total| next < total);
    let json = |value: &String| if job.raw { quote(value) } else { value.clone() };
    Extracted {
        answer,
        count: total,
        records_total: Some(records),
        records: Some(values.iter().take(shown).map(json).collect()),
        truncated,
        next_offset: more.then_some(next),
        notes: warnings,
        complete: true,
        ..Extracted::default()
    }
}

fn listing(
    shown: &[String],
    found: usize,
    total: Option<u64>,
    cut: Option<Cut>,
    job: &Job<'_>,
) -> String {
    if found == 0 {
        return match total {
            Some(total) if total > 0 => {
                format!("offset={} is past the last of {total} outputs.", job.offset)
            }
            _ if cut == Some(Cut::OutputBytes) => {
                format!(
                    "The output is too large for an answer; offset={} goes past it.",
                    job.offset + 1
                )
            }
            _ => "The filter gave no output.".to_owned(),
        };
    }
    let mut text = shown.join("\n");
    if shown.len() == found && cut.is_none() {
        return text;
    }
    let of = total.map_or_else(String::new, |total| format!(" of {total}"));
    if shown.is_empty() {
        let next = job.offset + 1;
        return format!("[the first output{of} alone is too large; offset={next} goes past it]");
    }
    let next = job.offset + shown.len() as u64;
    text.push_str(&format!("\n[{}{of} shown; offset={next} for more]", shown.len()));
    text
}
