//! The engines that read back, by themselves: exact texts, pages that lose no byte, matches
//! that equal those of the `regex` crate, and queries that were made to hang.

#![expect(clippy::cast_possible_truncation, reason = "the files are small")]

mod extract_start;
mod grep_ceilings;
mod grep_hostile;
mod grep_texts;
mod properties;
mod read_file_pages;
mod special_files;

use std::{fs, path::Path};

use cap_std::{ambient_authority, fs::Dir};
use tempfile::TempDir;

use super::error::ReloadError;
use super::grep::{self, CaseMode, GrepAnswer, Syntax, grep};
use super::read_file::{self, Part, ReadAnswer, read_file};
use super::target::Target;

/// A folder with files, spelled `fix` by its callers.
struct Store {
    folder: TempDir,
    dir: Dir,
}

impl Store {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        Self { folder, dir }
    }

    fn with(files: &[(&str, &[u8])]) -> Self {
        let store = Self::empty();
        for (path, content) in files {
            let path = store.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        store
    }

    /// The files that the goldens were taken from.
    fn golden() -> Self {
        let lines = |name: &str| -> String {
            (0..10)
                .map(|n| {
                    format!("{name} line {n:04}: the quick brown fox jumps over the lazy dog\n")
                })
                .collect()
        };
        Self::with(&[
            ("a.txt", lines("alpha").as_bytes()),
            ("b.txt", lines("beta").as_bytes()),
            ("bin.dat", b"\x00\x01\xff\xfe\n"),
            ("cjk.txt", "上下文卸载\n第二行 – emoji 🚀\n".as_bytes()),
            ("crlf.txt", b"one\r\ntwo\r\nthree\r\n"),
            ("g.json", b"{\n \"messages\": [\n  \"role\": \"user\",\n ]\n}\n"),
            ("nonl.txt", b"one\ntwo"),
            ("sub/n.txt", b"nested first\nnested? no\n"),
            ("trail.txt", b"one\ntwo\n\n\n"),
            (".hidden.txt", b"alpha line 0001\n"),
        ])
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }

    fn grep_in(
        &self,
        path: &str,
        query: &grep::Query,
        limits: &grep::Limits,
    ) -> Result<GrepAnswer, ReloadError> {
        let spelled = if path.is_empty() { "fix".to_owned() } else { format!("fix/{path}") };
        let target = Target::local(&self.dir, Path::new(path), &spelled);
        grep(&target, query, limits, &quarter)
    }

    fn grep(&self, query: &grep::Query) -> GrepAnswer {
        self.grep_in("", query, &grep::Limits::default()).unwrap()
    }

    fn read(&self, path: &str, query: &read_file::Query) -> Result<ReadAnswer, ReloadError> {
        self.read_within(path, query, &read_file::Limits::default())
    }

    fn read_within(
        &self,
        path: &str,
        query: &read_file::Query,
        limits: &read_file::Limits,
    ) -> Result<ReadAnswer, ReloadError> {
        let spelled = format!("fix/{path}");
        let target = Target::local(&self.dir, Path::new(path), &spelled);
        read_file(&target, query, limits, &quarter)
    }
}

/// A simple tokenizer: four bytes per token.
fn quarter(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

fn pattern(pattern: &str) -> grep::Query {
    grep::Query {
        pattern: pattern.to_owned(),
        glob: None,
        limit: None,
        offset: 0,
        context: 0,
        case: CaseMode::Ignore,
        syntax: Syntax::Regex,
        max_tokens: None,
    }
}

fn part(part: Part) -> read_file::Query {
    read_file::Query { part, max_tokens: None }
}

fn lines(offset: u64, limit: impl Into<Option<u64>>) -> read_file::Query {
    let limit = limit.into();
    part(Part::Lines { offset, limit })
}

fn bytes(offset: u64, limit: impl Into<Option<u64>>) -> read_file::Query {
    let limit = limit.into();
    part(Part::Bytes { offset, limit })
}

fn fox(name: &str, number: u32) -> String {
    format!("{name} line {number:04}: the quick brown fox jumps over the lazy dog")
}
