//! The paths of a query. One pass over the members of a record finds the first keys of all
//! paths; deeper values are read when a condition needs them.

use raw_json::{Fault, Key, check_record_like};

use super::path::{Hits, Path};

/// The paths of a query, indexed by their first keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathSet {
    paths: Vec<Path>,
    /// The keys that may begin a path, sorted.
    keys: Vec<String>,
    /// For each path, its possible first keys, the longest first, each with its number of segments.
    heads: Vec<Vec<(usize, usize)>>,
}

/// A record with the values of the keys of a [`PathSet`].
#[derive(Debug, Default)]
pub(crate) struct Record<'a> {
    /// The text of the record, trimmed.
    pub(crate) text: &'a str,
    values: Vec<Option<&'a str>>,
    /// The keys of the previous record, with their positions in `values`.
    known: Vec<(Key<'a>, Option<usize>)>,
}

impl PathSet {
    pub(crate) fn new(paths: Vec<Path>) -> Self {
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
        Self { paths, keys, heads }
    }

    pub(crate) fn all(&self) -> &[Path] {
        &self.paths
    }

    /// Parses a line into `record`. If a key is duplicate, the last value counts.
    pub(crate) fn read<'a>(&self, line: &'a str, record: &mut Record<'a>) -> Result<(), Fault> {
        let Record { text, values, known } = record;
        values.clear();
        values.resize(self.keys.len(), None);
        *text = check_record_like(line, known, |place, key, value| {
            let sought = || self.keys.binary_search_by(|known| known.as_str().cmp(&key.text()));
            let place = place.unwrap_or_else(|| sought().ok());
            if let Some(place) = place {
                values[place] = Some(value);
            }
            place
        })?;
        Ok(())
    }

    /// Finds the values of a path in a parsed record.
    pub(crate) fn find<'a>(&self, path: usize, record: &Record<'a>, hits: &mut Hits<'a>) {
        hits.clear();
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

#[cfg(test)]
mod tests {
    use super::{Hits, Path, PathSet, Record};

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
        let set = PathSet::new(paths.clone());
        let mut record = Record::default();
        for line in records {
            set.read(line, &mut record).unwrap();
            for (index, path) in paths.iter().enumerate() {
                let (mut found, mut followed) = (Hits::default(), Hits::default());
                set.find(index, &record, &mut found);
                path.follow(0, line, &mut followed);
                assert_eq!(found.values, followed.values, "{} in {line}", names[index]);
            }
        }
    }

    #[test]
    fn invalid_json_is_a_fault() {
        assert!(PathSet::default().read("{\"a\":1", &mut Record::default()).is_err());
    }
}
