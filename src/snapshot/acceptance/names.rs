//! Verifies that the messages contain each identifier of a claim: paths, addresses, ids and
//! quotations. Spelling may differ in trailing punctuation, thousands separators, a leading `./`,
//! and a line number after a path. Paths must match otherwise, because an almost correct path sends
//! an agent to the wrong file. A composite (`A.b`, a glob, an assembled command) is contained if
//! each of its pieces is.

use std::collections::HashSet;
use std::ops::Range;

use super::evidence::Evidence;
use crate::snapshot::acceptance::rejection::Rejection;
use crate::snapshot::text::identifiers::{Identifier, IdentifierKind, canonical, identifiers};
use crate::snapshot::text::text_index::{Edge, Needle, TextIndex, fold};
use context_store::{names_in, path_at};

/// Minimum length of an id that may abbreviate a longer one, in characters.
pub(super) const PREFIX: usize = 8;
/// Maximum number of names to look up as beginnings of longer ones: each look-up takes a pass over
/// the text.
const BEGINNINGS: usize = 20;

/// A name in one of several texts.
struct Named<'t> {
    text: usize,
    found: Identifier<'t>,
    /// True if the name is in backticks: code, not a quotation.
    code: bool,
}

/// Returns for each text a fault for the first name that the messages do not contain.
pub(super) fn missing_names(texts: &[&str], evidence: &Evidence<'_, '_>) -> Vec<Option<Rejection>> {
    let index = &evidence.source.index;
    let mut named: Vec<Named<'_>> = Vec::new();
    for (text, said) in texts.iter().enumerate() {
        let start = named.len();
        let mut seen = HashSet::new();
        for found in identifiers(said) {
            // Numbers are verified as values.
            let number = found.kind == IdentifierKind::Number;
            if !number && seen.insert(canonical(&found).into_owned()) {
                let at = raw_json::offset_in(said, found.text);
                let code = said[..at].ends_with('`');
                named.push(Named { text, found, code });
            }
        }
        // An agent would read a stored file whatever text surrounds its path.
        for path in names_in(said).map(|name| path_at(said, name)) {
            if !named[start..].iter().any(|one| one.found.text.ends_with(path)) {
                let found = Identifier { kind: IdentifierKind::Path, text: path };
                named.push(Named { text, found, code: true });
            }
        }
    }
    let whole = |named: &Named<'_>| -> Vec<Vec<Needle>> {
        parts(&named.found).into_iter().map(|part| spellings(&named.found, part)).collect()
    };
    let mut left = not_held(named, index, whole);
    left = not_held(left, index, pieces);
    left = joined_paths(left, evidence);
    let mut beginnings = 0;
    left.retain(|named| {
        let id = named.found.kind == IdentifierKind::Id && named.found.text.len() >= PREFIX;
        beginnings += usize::from(id);
        !(id && beginnings <= BEGINNINGS && index.begins(named.found.text))
    });
    let mut missing: Vec<Option<Rejection>> = texts.iter().map(|_| None).collect();
    for Named { text, found, .. } in left {
        missing[text].get_or_insert_with(|| Rejection::Ungrounded {
            kind: found.kind,
            text: found.text.to_owned(),
        });
    }
    missing
}

/// Returns the names with a part that the index contains in none of its spellings.
fn not_held<'t>(
    named: Vec<Named<'t>>,
    index: &TextIndex,
    parts: impl Fn(&Named<'t>) -> Vec<Vec<Needle>>,
) -> Vec<Named<'t>> {
    let mut needles: Vec<Needle> = Vec::new();
    let mut alternatives: Vec<Vec<Range<usize>>> = Vec::with_capacity(named.len());
    for one in &named {
        let mut ranges = Vec::new();
        for spellings in parts(one) {
            let start = needles.len();
            needles.extend(spellings);
            ranges.push(start..needles.len());
        }
        alternatives.push(ranges);
    }
    let held = index.holds(&needles);
    let held = |parts: &Vec<Range<usize>>| {
        !parts.is_empty()
            && parts.iter().all(|range| range.is_empty() || held[range.clone()].contains(&true))
    };
    named.into_iter().zip(&alternatives).filter(|(_, parts)| !held(parts)).map(|(n, _)| n).collect()
}

/// Returns the pieces of a composite, each of which must occur somewhere. Returns no pieces for
/// other names.
fn pieces(named: &Named<'_>) -> Vec<Vec<Needle>> {
    let text = named.found.text;
    let needle = |text: &str, edge| {
        let text = fold(text);
        vec![Needle { text, edge }]
    };
    match named.found.kind {
        IdentifierKind::Url | IdentifierKind::Number => Vec::new(),
        IdentifierKind::Id => match text.contains('.') {
            // A version may be a part of a file's name.
            true => vec![needle(text.trim_start_matches('v'), Edge::Word)],
            false => Vec::new(),
        },
        IdentifierKind::Path => path_pieces(text, &needle),
        // A quotation must match word for word; code may be assembled.
        IdentifierKind::Quoted if !named.code => Vec::new(),
        // A placeholder names nothing.
        IdentifierKind::Quoted if code_pieces(text).is_empty() && text.contains('<') => {
            vec![Vec::new()]
        }
        IdentifierKind::Quoted => code_pieces(text)
            .into_iter()
            .map(|piece| {
                let names = piece.split(['.', ':', '#', '/']).filter(|name| name.len() > 2);
                let mut any = needle(piece, Edge::Word);
                // `A.b` may be assembled from `A` and `b`.
                any.extend(
                    names
                        .clone()
                        .filter(|_| names.clone().count() == 1)
                        .flat_map(|name| needle(name, Edge::Word)),
                );
                any
            })
            .collect(),
    }
}

/// Returns the words of code without placeholders. Returns no words for a single word.
fn code_pieces(text: &str) -> Vec<&str> {
    let apart = |c: char| c.is_whitespace() || "\"'`()[]<>{},;|&=*$!?…".contains(c);
    let mut depth = 0_i32;
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if !apart(c) {
            continue;
        }
        if depth == 0 && start < at {
            let piece = text[start..at].trim_matches(['.', ':', '-', '/', '#']);
            pieces.push(piece);
        }
        depth = match c {
            '<' | '{' => depth + 1,
            '>' | '}' => (depth - 1).max(0),
            _ => depth,
        };
        start = at + c.len_utf8();
    }
    pieces.retain(|piece| piece.len() > 2 && piece.chars().any(char::is_alphanumeric));
    if pieces.len() == 1 && pieces[0].len() == text.len() {
        // `A::b` and `a.b` are composites, too.
        let names: Vec<&str> =
            text.split([':', '.', '#']).filter(|name| !name.is_empty()).collect();
        return if names.len() > 1 { names } else { Vec::new() };
    }
    pieces
}

/// Returns the pieces of a path. Words with slashes between them may be prose, so the pieces are
/// the words. For a glob or a path with placeholders, they are the parts between these.
fn path_pieces(text: &str, needle: &dyn Fn(&str, Edge) -> Vec<Needle>) -> Vec<Vec<Needle>> {
    let bare = text.trim_end_matches('/');
    let steps = || bare.split('/').filter(|step| !step.is_empty());
    let bare = if steps().count() == 1 { bare.trim_start_matches('/') } else { bare };
    let word = |step: &str| step.chars().all(|c| c.is_alphabetic() || c == '_' || c == '-');
    let words = !bare.starts_with(['/', '.', '~']) && steps().all(word);
    let holes =
        |step: &str| step.contains(['*', '<', '>', '{', '}', '$']) || step == "…" || step == "...";
    if words {
        return steps().map(|step| needle(step, Edge::Word)).collect();
    }
    if !steps().any(holes) {
        return Vec::new();
    }
    let runs = bare.split(|c: char| "*<>{}$…".contains(c)).map(|run| run.trim_matches(['/', '.']));
    runs.filter(|run| run.chars().any(char::is_alphanumeric))
        .map(|run| needle(run, Edge::Word))
        .collect()
}

/// Removes the paths that consist of a known folder and a known path in it, if the folder is
/// absolute or one turn contains both.
fn joined_paths<'t>(named: Vec<Named<'t>>, evidence: &Evidence<'_, '_>) -> Vec<Named<'t>> {
    let mut needles: Vec<Needle> = Vec::new();
    let mut splits: Vec<Range<usize>> = Vec::with_capacity(named.len());
    for one in &named {
        let start = needles.len();
        if one.found.kind == IdentifierKind::Path {
            let bare = without_line(one.found.text.trim_end_matches(['/', '.', ',']));
            for (at, _) in bare.match_indices('/').take(16).filter(|(at, _)| *at > 0) {
                let (head, tail) = (&bare[..at], &bare[at + 1..]);
                for text in [head.trim_start_matches("./"), tail] {
                    needles.push(Needle { text: fold(text), edge: Edge::Name });
                }
            }
        }
        splits.push(start..needles.len());
    }
    let held = evidence.source.index.holds(&needles);
    let joins = |(one, range): &(Named<'t>, Range<usize>)| {
        let known = range
            .clone()
            .step_by(2)
            .any(|at| held[at] && held[at + 1] && !needles[at + 1].text.is_empty());
        let rooted = one.found.text.starts_with(['/', '~']);
        known && (rooted || evidence.stands_together(one.found.text))
    };
    let all = named.into_iter().zip(splits);
    all.filter(|one| !joins(one)).map(|(named, _)| named).collect()
}

/// Returns the parts of a quotation around its ellipses, each of which must occur somewhere.
fn parts<'a>(found: &Identifier<'a>) -> Vec<&'a str> {
    match found.kind {
        IdentifierKind::Quoted => {
            found.text.split('…').flat_map(|part| part.split("...")).collect()
        }
        _ => vec![found.text],
    }
}

/// Returns the accepted spellings of a part of a name.
fn spellings(found: &Identifier<'_>, text: &str) -> Vec<Needle> {
    let bare = text.trim_end_matches(|c: char| ".,;:!?)]}'\"/、。，；：！？".contains(c));
    let bare = bare.strip_prefix("./").unwrap_or(bare);
    let plain = bare.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    let spelled = [
        text,
        bare,
        &canonical(&Identifier { text, ..*found }),
        without_line(bare),
        bare.trim_start_matches(['\'', '"']),
        &plain.replace("&amp;", "&"),
    ];
    let folded = spelled.into_iter().map(fold).filter(|text| !text.is_empty());
    folded.map(|text| Needle { text, edge: Edge::of(found.kind) }).collect()
}

/// Returns a path without the line number after it: `a.rs:12`, `a.rs:12:5`, `a.rs:12-40`,
/// `a.rs#L12`.
fn without_line(path: &str) -> &str {
    let number = |c: char| c.is_ascii_digit() || c == '-' || c == 'L';
    let mut rest = path;
    for _ in 0..2 {
        let cut = rest.trim_end_matches(number);
        match cut.strip_suffix([':', '#']) {
            Some(shorter) if cut.len() < rest.len() => rest = shorter,
            _ => break,
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::without_line;

    #[test]
    fn spellings_are_forgiven() {
        assert_eq!(without_line("src/a.rs:12:5"), "src/a.rs");
        assert_eq!(without_line("src/a.rs:12-40"), "src/a.rs");
        assert_eq!(without_line("src/a.rs#L12"), "src/a.rs");
        assert_eq!(without_line("src/a-12"), "src/a-12");
    }
}
