//! What is wanted of a record: the values of all paths of a query, found in one
//! pass over the record's own members. What lies deeper is looked at when a
//! condition asks for it.

use super::{
    path::{Hits, Path},
    scan::{self, Fault},
};

/// The paths of a query, ready to be looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    paths: Vec<Path>,
    /// The keys of a record that may begin a path, sorted.
    keys: Vec<String>,
    /// One bit for each length in bytes of a key; the last one for all longer.
    lengths: u64,
    /// For each path its keys, the longest first, with the segments they use.
    heads: Vec<Vec<(usize, usize)>>,
}

/// A record with the values of the wanted keys.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    /// The record's raw text, without the white space around it.
    pub(super) text: &'a str,
    values: Vec<Option<&'a str>>,
}

impl Wanted {
    pub(super) fn new(paths: Vec<Path>) -> Self {
        let mut keys: Vec<String> =
            paths.iter().flat_map(Path::heads).map(|(key, _)| key.to_owned()).collect();
        keys.sort();
        keys.dedup();
        let place = |key: &str| keys.binary_search_by(|known| known.as_str().cmp(key));
        let heads = paths
            .iter()
            .map(|path| {
                path.heads().filter_map(|(key, used)| Some((place(key).ok()?, used))).collect()
            })
            .collect();
        let lengths = keys.iter().fold(0, |set, key| set | length_bit(key));
        Self { paths, keys, lengths, heads }
    }

    pub(super) fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// Checks a line and keeps the values of the wanted keys in `record`; what
    /// it held before is gone. Of duplicate keys the last one counts.
    pub(super) fn read<'a>(&self, line: &'a str, record: &mut Record<'a>) -> Result<(), Fault> {
        record.values.clear();
        record.values.resize(self.keys.len(), None);
        record.text = scan::record(line, |key, value| {
            let key = key.text();
            if self.lengths & length_bit(&key) == 0 {
                return;
            }
            if let Ok(at) = self.keys.binary_search_by(|known| known.as_str().cmp(&key)) {
                record.values[at] = Some(value);
            }
        })?;
        Ok(())
    }

    /// What a path leads to in a record that has been read.
    pub(super) fn find<'a>(&self, path: usize, record: &Record<'a>, hits: &mut Hits<'a>) {
        hits.values.clear();
        hits.many = false;
        let heads = &self.heads[path];
        if heads.is_empty() || !record.text.starts_with('{') {
            self.paths[path].follow(0, record.text, hits);
            return;
        }
        for (key, used) in heads {
            if let Some(value) = record.values[*key] {
                self.paths[path].follow(*used, value, hits);
                if !hits.values.is_empty() {
                    return;
                }
            }
        }
    }
}

fn length_bit(key: &str) -> u64 {
    1 << key.len().min(63)
}

#[cfg(test)]
mod tests {
    use super::{Hits, Path, Record, Wanted};

    #[test]
    fn finds_what_following_each_path_finds() {
        let records = [
            r#"{"a":1,"b":{"c":[{"d":2},{"d":3}]},"x.y":{"z":4},"x":{"y":{"w":5}},"a":6}"#,
            r#"[{"a":1},{"a":2}]"#,
            r#"{"\u0061":7}"#,
            "8",
            "{}",
        ];
        let names = ["a", "b.c.d", "x.y.z", "x.y.w", "b", "nothing", "."];
        let paths: Vec<Path> = names.iter().map(|n| Path::parse(n, "field").unwrap()).collect();
        let wanted = Wanted::new(paths.clone());
        let mut record = Record::default();
        for line in records {
            wanted.read(line, &mut record).unwrap();
            for (index, path) in paths.iter().enumerate() {
                let (mut found, mut followed) = (Hits::default(), Hits::default());
                wanted.find(index, &record, &mut found);
                path.follow(0, line, &mut followed);
                assert_eq!(found.values, followed.values, "{} in {line}", names[index]);
            }
        }
    }

    #[test]
    fn a_line_that_is_no_json_is_a_fault() {
        assert!(Wanted::default().read("{\"a\":1", &mut Record::default()).is_err());
    }
}
