//! Code that a call runs: the files that it reads and writes, found by common calls of Python,
//! JavaScript and R with a literal name.

use std::sync::LazyLock;

use regex::Regex;

use super::file_op::FileOp;
use super::shell::Touch;
use crate::snapshot::text::identifiers::{IdentifierKind, identifiers};
use crate::snapshot::text::markers::fixed;

/// Maximum bytes of code to search.
const LIMIT: usize = 20_000;

/// Matches calls that write the file in their first literal.
static WRITING: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r#"(?x)(?: \bopen\(\s*["']([^"'\n]+)["']\s*,\s*(?:mode\s*=\s*)?["'][wax]
        | \bPath\(\s*["']([^"'\n]+)["']\s*\)\s*\.write_(?:text|bytes)\(
        | (?:\.to_(?:csv|excel|json|parquet|pickle|html|markdown|feather)|\.savefig|\.save
            |\.write_(?:csv|parquet|json|image|html)|\bwriteFile(?:Sync)?|\bwriteLines|\bggsave)
          \(\s*["'`]([^"'`\n]+)["'`] )"#,
    )
});

/// Matches calls that read the file in their first literal.
static READING: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r#"(?x)(?: \bopen\(\s*["']([^"'\n]+)["']\s*(?:\)|,\s*(?:mode\s*=\s*)?["']r)
        | \bPath\(\s*["']([^"'\n]+)["']\s*\)\s*\.read_(?:text|bytes)\(
        | (?:\bread[_.](?:csv|excel|json|parquet|pickle|table)|\breadFile(?:Sync)?)
          \(\s*["'`]([^"'`\n]+)["'`] )"#,
    )
});

/// Matches commands of a shell line that run code in the line.
static INLINE: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"\b(?:python3?|node|Rscript)\s+(?:-\s*<<|<<|-[ce]\b)"));

/// Returns true for a shell line that contains the code that it runs.
pub(super) fn is_inline(line: &str) -> bool {
    INLINE.is_match(&line[..line.floor_char_boundary(LIMIT)])
}

/// Returns the files that code reads and writes.
pub(super) fn touched(code: &str) -> Vec<Touch> {
    let code = &code[..code.floor_char_boundary(LIMIT)];
    let of = |calls: &Regex, op: FileOp| -> Vec<Touch> {
        let names = calls.captures_iter(code).filter_map(|call| {
            let name = call.iter().skip(1).flatten().next()?.as_str();
            let named = identifiers(name).into_iter().next()?;
            let is_path = named.kind == IdentifierKind::Path && named.text == name;
            is_path.then(|| (name.to_owned(), IdentifierKind::Path, op))
        });
        names.collect()
    };
    [of(&READING, FileOp::Read), of(&WRITING, FileOp::Written)].concat()
}

#[cfg(test)]
mod tests {
    use super::FileOp::{Read, Written};
    use super::{is_inline, touched};

    #[test]
    fn code_touches_the_files_it_names() {
        let code = "df = pd.read_csv('in/a.csv')\nopen(\"log.txt\").read()\n\
                    df.to_csv( 'out/b.csv', sep=';')\nwith open('c.md', 'w') as f: pass\n\
                    Path('d.txt').write_text(x)\nplt.savefig(\"e.png\")\nopen(name, 'w')";
        let found = touched(code);
        let found: Vec<_> = found.iter().map(|(name, _, op)| (name.as_str(), *op)).collect();
        let read = [("in/a.csv", Read), ("log.txt", Read)];
        let written = ["out/b.csv", "c.md", "d.txt", "e.png"].map(|name| (name, Written));
        assert_eq!(found, [&read[..], &written[..]].concat());
    }

    #[test]
    fn inline_code_is_told_from_files() {
        for line in ["python3 - <<'EOF'\nx\nEOF", "cd a && python -c 'x'", "node -e 'x'"] {
            assert!(is_inline(line), "{line}");
        }
        for line in ["python a.py", "cat > a.py <<'EOF'\nopen('x/y.txt', 'w')\nEOF"] {
            assert!(!is_inline(line), "{line}");
        }
    }
}
