//! Filters give here what they give in jq 1.6, or the difference is a known one
//! ([`KNOWN`]). Without jq 1.6 on this machine the test says so and passes.

use query_sandbox::{Job, JqError, Limits, Workers};
use serde_json::Value;

use super::jq_filters::{SOURCES, STEPS};
use super::system_jq;

const RECORDS: &str = r#"{"id":"a1","title":"Cache keyword","namespace":"_semantic/x","memory_type":"semantic","content":"acme, Ltd","tags":["TAG","b"],"created":"2024-02-01","priority":3,"provenance":{"confidence":0.5},"n":10,"f":1.5,"z":null,"entities":[1]}
{"id":"b2","title":"tab\there \"q\"","namespace":"_episodic","memory_type":"episodic","content":"é😀 Acme","tags":[],"created":"2023-02-01","priority":5,"provenance":{"confidence":0.75},"n":-4,"f":0.25,"z":[],"entities":[]}
{"id":"c3","title":"x<y&z'","namespace":"_semantic","memory_type":"semantic","content":"a-b-c","tags":["b","a","b"],"created":"2025-02-01","priority":1,"provenance":{"confidence":0.25},"n":0,"f":-2.5,"z":{"k":[1,{"m":2}]},"entities":[1,2]}
"#;

/// What agents ask of records: one by one, and of all as an array.
const ONE: [&str; 44] = [
    "[.title, .namespace] | @tsv",
    "select(.namespace | startswith(\"_semantic\"))",
    "select(.title | test(\"keyword\"; \"i\"))",
    "{id, title, namespace}",
    "select(.memory_type == \"semantic\")",
    "select(.tags | index(\"TAG\"))",
    "select(.content | test(\"acme\"; \"i\"))",
    "[.title, .provenance.confidence] | @tsv",
    "select(.entities | length > 0)",
    "select(.priority >= 3 and (.content | ascii_downcase | contains(\"acme\")))",
    "select(any(.tags[]; . == \"b\")) | .id",
    "select([.id] | inside([\"a1\", \"c3\"])) | .id",
    "select(.id as $i | [\"a1\", \"x\"] | index($i)) | .id",
    "select(.id | IN(\"a1\", \"c3\")) | .title",
    "select(.z != null) | .id",
    "select(.z == null or .missing == null) | .id",
    "select(.created > \"2023-12-31\") | .created",
    "select(.provenance.confidence > 0.4) | {id, c: .provenance.confidence}",
    ".provenance.trust // \"none\"",
    ".tags | join(\", \")",
    ".tags | length",
    "to_entries[] | select(.value == null) | .key",
    "with_entries(select(.key | startswith(\"t\")))",
    "keys",
    "keys_unsorted",
    "del(.content, .tags)",
    ". + {extra: .n}",
    ".n as $n | {id, double: ($n * 2)}",
    "\"\\(.id): \\(.title)\"",
    ".title | split(\" \") | .[0]",
    ".created[:4]",
    ".created[0:7] | sub(\"-\"; \"/\")",
    ".created | strptime(\"%Y-%m-%d\") | mktime",
    "[.id, .n, .f] | @csv",
    ".. | numbers",
    "paths | map(tostring) | join(\".\")",
    "if .priority > 2 then \"high\" else \"low\" end",
    ".n / 4",
    ".f | floor",
    ".z.k? // empty",
    ".z[0]? // \"no\"",
    "has(\"title\")",
    ".tags | sort | unique",
    "[.tags[] | select(length == 1)] | length",
];
const ALL: [&str; 34] = [
    "length",
    "group_by(.namespace) | map({namespace: .[0].namespace, count: length})",
    "group_by(.namespace) | map({namespace: .[0].namespace, count: length}) | sort_by(-.count)",
    "group_by(.memory_type) | map({key: .[0].memory_type, value: length}) | from_entries",
    "sort_by(.created)",
    "sort_by(.created) | reverse | .[0].id",
    "sort_by(-.provenance.confidence) | .[:10]",
    "sort_by(.memory_type, -.n) | map(.id)",
    "[.[].namespace] | unique",
    "map(.priority) | add",
    "map(.priority) | add / length",
    "map(.f) | min, max",
    "max_by(.priority).id",
    "min_by(.created) | .id",
    "unique_by(.memory_type) | length",
    "map(select(.priority > 1)) | length",
    "[.[] | select(.priority > 1)] | map(.id) | join(\",\")",
    "map(.tags[]) | group_by(.) | map({tag: .[0], n: length})",
    "[.[].tags[]] | unique | length",
    "first(.[] | select(.n < 5)) | .id",
    "[limit(2; .[])] | length",
    "any(.[]; .priority == 5), all(.[]; .priority > 0)",
    "reduce .[] as $r ({}; .[$r.memory_type] += 1)",
    "reduce .[] as $r (0; . + $r.priority)",
    "INDEX(.id) | keys",
    "map({(.id): .priority}) | add",
    "map(has(\"z\")) | all",
    "[.[] | .created[:4]] | group_by(.) | map([.[0], length])",
    "to_entries | map({at: .key, id: .value.id})",
    ".[1:] | map(.id)",
    ".[-1].id",
    "last.id",
    "(map(.id) - [\"a1\"])",
    "map(select(.id == (\"a1\", \"b2\"))) | length",
];

/// How the two compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Both answer the same.
    Same,
    /// It is an error in both.
    Neither,
    /// Both answer, and not the same.
    Other,
    /// jq answers, and here it is an error.
    Refused,
    /// It is an error in jq, and here it is answered.
    Answered,
    /// jq answers, and here it is said that this is not done: nobody takes it for an answer.
    Unsupported,
}

/// The known differences: a piece of the filter, how it shows, why.
const KNOWN: [(&str, Way, &str); 18] = [
    (".[0]", Way::Answered, "an object indexed with a number is null"),
    ("first", Way::Answered, "an object indexed with a number is null"),
    ("last", Way::Answered, "an object indexed with a number is null"),
    ("nth(", Way::Answered, "an object indexed with a number is null"),
    ("[$a, $b]", Way::Answered, "an object indexed with a number is null"),
    ("has(0)", Way::Answered, "an object has no key that is a number"),
    ("in({", Way::Answered, "an object has no key that is no string"),
    ("from_entries", Way::Answered, "a number is a key, as in jq 1.7"),
    ("with_entries", Way::Answered, "a number is a key, as in jq 1.7"),
    ("@base32", Way::Answered, "jq 1.6 was built without it"),
    ("limit(0", Way::Other, "none, as in jq 1.7; jq 1.6 gives one"),
    ("infinite", Way::Other, "the exponent of a float is spelled without +"),
    ("try error catch .", Way::Other, "an error that is null is caught; jq 1.6 drops it"),
    ("index(\"b\")", Way::Refused, "an object is searched by nobody"),
    ("setpath(", Way::Refused, "null becomes no object by assignment"),
    (".q //= 3", Way::Refused, "null becomes no object by assignment"),
    ("env", Way::Unsupported, "a worker has no environment"),
    ("input_line_number", Way::Unsupported, "records have no lines"),
];

/// Every source with some steps, and steps with each other.
fn generated() -> Vec<String> {
    let mut filters = Vec::new();
    for (i, step) in STEPS.iter().enumerate() {
        for offset in [0, 6] {
            filters.push(format!("{} | {step}", SOURCES[(i + offset) % SOURCES.len()]));
        }
        let other = STEPS[(i * 37 + 11) % STEPS.len()];
        filters.push(format!("[{} | {step}] | {other}", SOURCES[(i * 7) % SOURCES.len()]));
    }
    filters
}

/// Numbers are the same where they are as close as two libraries come.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || (a - b).abs() < 1e-12 * a.abs()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        (a, b) => a == b,
    }
}

fn values<'a>(lines: impl Iterator<Item = &'a str>) -> Value {
    lines.map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
}

/// How the two compare on a filter, and what they say; None without jq.
fn compared(jq: &Workers, filter: &str, slurp: bool) -> Option<(Way, String)> {
    let mut arguments = vec!["-c", filter];
    if slurp {
        arguments.push("-s");
    }
    let theirs = system_jq(&arguments, RECORDS)?;
    let ours = jq.run(&Job { slurp: Some(slurp), ..Job::new(filter) }, RECORDS);
    Some(match (theirs, ours) {
        (Err(_), Err(_)) => (Way::Neither, String::new()),
        (Ok(theirs), Ok(ours)) => {
            let theirs = values(theirs.lines());
            let ours = values(ours.values.iter().map(String::as_str));
            let text = format!("jq {theirs:.150}\n   here {ours:.150}");
            (if same(&theirs, &ours) { Way::Same } else { Way::Other }, text)
        }
        (Ok(theirs), Err(JqError::Unsupported { .. })) => {
            (Way::Unsupported, format!("jq {theirs:.150}"))
        }
        (Ok(theirs), Err(ours)) => (Way::Refused, format!("jq {theirs:.150}\n   here {ours:.150}")),
        (Err(theirs), Ok(ours)) => {
            (Way::Answered, format!("jq {:.150}\n   here {:?}", theirs.trim(), ours.values))
        }
    })
}

/// An assignment within null makes an object or an array of it.
#[test]
fn null_becomes_an_object_or_an_array_by_assignment() {
    let jq = Workers::new(env!("CARGO_BIN_EXE_unburden").into(), Limits::default());
    for filter in [
        ".missing.x = 1",
        ".missing.x += 1",
        ".missing.x |= 1",
        ".missing[0] = 1",
        ".missing = 1",
        ".missing += 1",
        ".tags += [\"x\"]",
        ".provenance.new = 1",
    ] {
        let Some((way, text)) = compared(&jq, filter, false) else { return };
        assert_eq!(way, Way::Same, "{filter} {text}");
    }
}

/// Compares the filters, four at a time: no difference that is not known, and at least so
/// many of a hundred answered alike, for where neither answers nothing is compared.
fn differ_only_as_is_known(filters: &[(String, bool)], alike: usize) {
    let jq = Workers::new(env!("CARGO_BIN_EXE_unburden").into(), Limits::default());
    let compare = |(filter, slurp): &(String, bool)| {
        let (way, text) = compared(&jq, filter, *slurp)?;
        Some((way, format!("{way:?} {filter}\n   {text}"), filter.clone()))
    };
    let compare = &compare;
    let all: Vec<(Way, String, String)> = std::thread::scope(|scope| {
        let parts: Vec<_> = filters
            .chunks(filters.len().div_ceil(4))
            .map(|part| scope.spawn(move || part.iter().filter_map(compare).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    let is_known = |way: Way, filter: &str| {
        matches!(way, Way::Same | Way::Neither)
            || KNOWN.iter().any(|(piece, as_, _)| *as_ == way && filter.contains(piece))
    };
    let unknown: Vec<&str> = all
        .iter()
        .filter(|(way, _, filter)| !is_known(*way, filter))
        .map(|(_, text, _)| text.as_str())
        .collect();
    assert!(unknown.is_empty(), "{} of {}\n{}", unknown.len(), all.len(), unknown.join("\n"));
    let same = all.iter().filter(|(way, ..)| *way == Way::Same).count();
    assert!(same * 100 >= all.len() * alike, "{same} of {} are answered alike", all.len());
}

#[test]
fn what_agents_ask_is_answered_as_jq_answers_it() {
    let one = ONE.iter().map(|filter| ((*filter).to_owned(), false));
    let all = ALL.iter().map(|filter| ((*filter).to_owned(), true));
    differ_only_as_is_known(&one.chain(all).collect::<Vec<_>>(), 100);
}

#[test]
fn other_filters_differ_only_as_is_known() {
    let all: Vec<(String, bool)> = generated().into_iter().map(|filter| (filter, false)).collect();
    differ_only_as_is_known(&all, 40);
}
