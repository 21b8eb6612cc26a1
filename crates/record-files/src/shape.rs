//! The shape: how records stand in their text, and both ways between that text
//! and lines of one record each.

use chat_history::raw;
use serde::{Deserialize, Serialize};

use super::layout::{Layout, Recorder, Replay};
use super::sink::Sink;
use super::token::{Tokens, is_spaced, split_string};

/// How records stand in their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// The elements of an array.
    Array,
    /// One after the other, on lines of their own.
    Lines,
    /// The members of an object; a record is `{"key":…,"value":…}`.
    Entries,
    /// The lines of a text that holds no records, each as a JSON string.
    Text,
}

/// Records as lines, each with its line feed.
pub(super) struct Flat {
    /// The lines.
    pub(super) body: String,
    /// How many there are.
    pub(super) count: usize,
    /// The white space they lost.
    pub(super) layout: Option<Layout>,
}

const KEY: &str = "{\"key\":";
const VALUE: &str = ",\"value\":";

/// Makes lines of the records of `region`, the whole array, object or lines.
/// `pieces` are the records where they are slices of it (for entries: none). The
/// layout may take `budget` bytes.
pub(super) fn flatten(shape: Shape, region: &str, pieces: &[&str], budget: usize) -> Flat {
    if shape != Shape::Entries && is_compact(shape, region, pieces) {
        let mut body = String::with_capacity(region.len() + 1);
        for piece in pieces {
            body.push_str(piece);
            body.push('\n');
        }
        return Flat { body, count: pieces.len(), layout: None };
    }
    let mut recorder = Recorder::new(budget);
    let mut lines =
        Lines { shape, body: String::with_capacity(region.len()), count: 0, begun: false };
    for (gap, token) in Tokens::new(region) {
        let depth = recorder.note(gap, token);
        lines.token(token, depth);
    }
    Flat { body: lines.body, count: lines.count, layout: recorder.finish() }
}

/// True where the records and their separators are all there is.
fn is_compact(shape: Shape, region: &str, pieces: &[&str]) -> bool {
    let brackets = if shape == Shape::Array { 2 } else { 0 };
    let separators = pieces.len().saturating_sub(1);
    let records: usize = pieces.iter().map(|piece| piece.len()).sum();
    records + separators + brackets == region.len() && !pieces.iter().any(|piece| is_spaced(piece))
}

/// Lines in the making, token by token.
struct Lines {
    shape: Shape,
    body: String,
    count: usize,
    /// True inside a record.
    begun: bool,
}

impl Lines {
    /// Takes a token and the depth after it: of all brackets only the outermost
    /// leave depth 1 or 0 behind them when they open or close.
    fn token(&mut self, token: &str, depth: usize) {
        match (self.shape, token, depth) {
            (Shape::Array, "[", 1) | (Shape::Entries, "{", 1) => {}
            (Shape::Array, ",", 1) => self.end("\n"),
            (Shape::Array, "]", 0) if self.begun => self.end("\n"),
            (Shape::Entries, ",", 1) => self.end("}\n"),
            (Shape::Entries, "}", 0) if self.begun => self.end("}\n"),
            (Shape::Array | Shape::Entries, _, 0) => {}
            (Shape::Entries, ":", 1) => self.body.push_str(VALUE),
            (Shape::Entries, _, 1) if !self.begun => {
                self.body.push_str(KEY);
                self.put(token);
            }
            (Shape::Lines, _, 0) => {
                self.put(token);
                self.end("\n");
            }
            _ => self.put(token),
        }
    }

    fn put(&mut self, token: &str) {
        self.begun = true;
        self.body.push_str(token);
    }

    fn end(&mut self, with: &str) {
        self.body.push_str(with);
        self.count += 1;
        self.begun = false;
    }
}

/// Why lines do not become the text again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The layout is none that was written here.
    Layout,
    /// This record, from 1, is no `{"key":…,"value":…}`.
    Entry(usize),
    /// The text is longer than it may be.
    Length,
}

/// Puts the text of records together again.
pub(super) fn unflatten<'a, S: Sink>(
    shape: Shape,
    records: impl Iterator<Item = &'a str>,
    layout: Option<&Layout>,
    sink: &mut S,
) -> Result<(), Broken> {
    let replay = match layout {
        Some(layout) => Some(Replay::of(layout).ok_or(Broken::Layout)?),
        None => None,
    };
    let mut text = Spaced { sink, replay };
    let (open, close) = match shape {
        Shape::Array => ("[", "]"),
        Shape::Lines | Shape::Text => ("", ""),
        Shape::Entries => ("{", "}"),
    };
    text.put(open);
    for (index, record) in records.enumerate() {
        if index > 0 {
            text.separate(shape);
        }
        match shape {
            Shape::Entries => {
                let (key, value) = entry(record).ok_or(Broken::Entry(index + 1))?;
                [key, ":", value].into_iter().for_each(|part| text.put(part));
            }
            Shape::Text if !raw::is_string(record) => return Err(Broken::Entry(index + 1)),
            Shape::Text => text.sink.put(&raw::unescape(record).text),
            Shape::Array | Shape::Lines => text.put(record),
        }
    }
    text.put(close);
    Ok(())
}

fn entry(record: &str) -> Option<(&str, &str)> {
    let (key, rest) = split_string(record.strip_prefix(KEY)?)?;
    Some((key, rest.strip_prefix(VALUE)?.strip_suffix('}')?))
}

/// A text that gets its white space back on the way.
struct Spaced<'s, S> {
    sink: &'s mut S,
    replay: Option<Replay>,
}

impl<S: Sink> Spaced<'_, S> {
    fn put(&mut self, json: &str) {
        let Some(replay) = &mut self.replay else { return self.sink.put(json) };
        for (_, token) in Tokens::new(json) {
            self.sink.put(replay.gap(token));
            self.sink.put(token);
        }
    }

    fn separate(&mut self, shape: Shape) {
        match shape {
            Shape::Array | Shape::Entries => self.put(","),
            Shape::Text => self.sink.put("\n"),
            Shape::Lines if self.replay.is_none() => self.sink.put("\n"),
            Shape::Lines => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(shape: Shape, region: &str, pieces: &[&str]) -> (String, String) {
        let flat = flatten(shape, region, pieces, 4096);
        assert_eq!(flat.body.lines().count(), flat.count);
        let mut text = String::new();
        unflatten(shape, flat.body.lines(), flat.layout.as_ref(), &mut text).unwrap();
        (flat.body, text)
    }

    #[test]
    fn an_array_becomes_lines_and_an_array_again() {
        for region in ["[{\"a\":1},{\"b\":[1,{}]}]", "[ {\"a\" :1} , {\"b\":[1,\n{}]} ]"] {
            let (lines, text) = round(Shape::Array, region, &[]);
            assert_eq!(lines, "{\"a\":1}\n{\"b\":[1,{}]}\n");
            assert_eq!(text, region);
        }
    }

    #[test]
    fn elements_of_any_kind_are_records() {
        let (lines, text) = round(Shape::Array, "[[[], 1],\"a b\", {}, 1.10,[ ]]", &[]);
        assert_eq!(lines, "[[],1]\n\"a b\"\n{}\n1.10\n[]\n");
        assert_eq!(text, "[[[], 1],\"a b\", {}, 1.10,[ ]]");
        assert_eq!(round(Shape::Array, "[ ]", &[]), (String::new(), "[ ]".to_owned()));
        assert_eq!(round(Shape::Array, "[]", &[]), (String::new(), "[]".to_owned()));
    }

    #[test]
    fn a_compact_array_is_copied() {
        let (lines, text) = round(Shape::Array, "[{\"a b\":1},2]", &["{\"a b\":1}", "2"]);
        assert_eq!((lines.as_str(), text.as_str()), ("{\"a b\":1}\n2\n", "[{\"a b\":1},2]"));
    }

    #[test]
    fn entries_keep_their_keys_as_spelled() {
        let region = "{\"a\\u0062\": {\"x\": 1}, \"c\\\":\": {}, \"d\": {\"y\": {\"z\": []}}}";
        let (lines, text) = round(Shape::Entries, region, &[]);
        assert_eq!(lines.lines().next(), Some("{\"key\":\"a\\u0062\",\"value\":{\"x\":1}}"));
        assert_eq!(lines.lines().count(), 3);
        assert_eq!(text, region);
    }

    #[test]
    fn lines_come_back_with_their_line_ends() {
        for region in ["{\"a\":1}\n{\"a\":2}\n{\"a\":3}", "{\"a\": 1}\r\n{\"a\":2}\r\n\r\n{}"] {
            assert_eq!(round(Shape::Lines, region, &[]).1, region);
        }
    }

    #[test]
    fn a_line_that_is_no_entry_is_named() {
        let mut text = String::new();
        let outcome = unflatten(Shape::Entries, ["{\"a\":1}"].into_iter(), None, &mut text);
        assert_eq!(outcome, Err(Broken::Entry(1)));
    }
}
