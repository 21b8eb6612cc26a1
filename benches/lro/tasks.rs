//! Tasks: correct answers and tokens for each corpus, translation and descriptor.

use raw_json as raw;
use record_files::estimate;
use token_count::Tokenizer;
use unburden::config::DurabilityConfig;

use crate::corpus::Corpus;
use crate::place::{Place, body};
use crate::task::{Filter, Lookup, Way, number};
use crate::times::Times;

/// The values of `descriptor`, the largest first.
const RICHNESS: [&str; 5] = ["full", "no_recipes", "no_schema", "compact", "pointer"];

/// Tokens by the estimate of the specification (characters / 4), and in o200k_base.
#[derive(Clone, Copy, Default)]
struct Tokens {
    estimated: u64,
    counted: u64,
}

impl Tokens {
    fn of(text: &str) -> Tokens {
        let count = |text: &str| Tokenizer::O200kBase.count(text);
        Tokens { estimated: estimate::tokens(text, &count), counted: count(text) }
    }

    fn and(self, other: Tokens) -> Tokens {
        Tokens {
            estimated: self.estimated + other.estimated,
            counted: self.counted + other.counted,
        }
    }

    /// Divides by `of`, rounded up.
    fn each(self, of: u64) -> Tokens {
        let of = of.max(1);
        Tokens { estimated: self.estimated.div_ceil(of), counted: self.counted.div_ceil(of) }
    }
}

/// The results of fifteen tasks of one kind, answered in one way.
struct Row {
    kind: &'static str,
    way: Way,
    right: usize,
    tasks: u64,
    calls: Tokens,
    answers: Tokens,
    times: Times,
}

/// The results of the tasks of one corpus.
struct Results {
    n: usize,
    inline: Tokens,
    rows: Vec<Row>,
    descriptors: Vec<(&'static str, String, Tokens)>,
}

pub(crate) fn run(corpora: &[Corpus]) {
    let results: Vec<Results> = corpora.iter().map(of).collect();
    println!(
        "\n1. TASKS: 15 ID lookups and 15 multi-field filters a corpus, through the service.\n   \
         Each call is a fixed translation of a task's fields, not of its answer: this shows what\n   \
         the tools can say in how few tokens; it is no measurement of an agent that has to find\n   \
         the call itself.\n"
    );
    answers(&results);
    contexts(&results);
    published(&results);
}

fn of(corpus: &Corpus) -> Results {
    let place = Place::new(DurabilityConfig::Relaxed);
    let descriptors: Vec<(&'static str, String, Tokens)> = RICHNESS
        .into_iter()
        .map(|richness| {
            let offloaded = place.offload(&body(&corpus.results, richness, "all"));
            let tokens = Tokens::of(&offloaded.descriptor);
            (richness, offloaded.path, tokens)
        })
        .collect();
    let path = &descriptors[0].1;
    let lookups = Lookup::WAYS.map(|way| {
        let tasks = corpus.tasks.id_lookup.iter();
        row("lookup", way, &place, tasks.map(|task| (task.call(way, path), task.answer)))
    });
    let filters = Filter::WAYS.map(|way| {
        let tasks = corpus.tasks.aggregate_filter.iter();
        row("filter", way, &place, tasks.map(|task| (task.call(way, path), task.answer)))
    });
    let rows = lookups.into_iter().chain(filters).collect();
    let inline = Tokens::of(&raw::canonical(&corpus.results));
    Results { n: corpus.n, inline, rows, descriptors }
}

fn row(
    kind: &'static str,
    way: Way,
    place: &Place,
    tasks: impl Iterator<Item = (String, u64)>,
) -> Row {
    let (calls, answers, times) = (Tokens::default(), Tokens::default(), Times::default());
    let mut row = Row { kind, way, right: 0, tasks: 0, calls, answers, times };
    for (call, answer) in tasks {
        let said = row.times.take(|| place.ask(&call));
        row.tasks += 1;
        row.right += usize::from(number(&said, way) == Some(answer));
        row.calls = row.calls.and(Tokens::of(&call));
        row.answers = row.answers.and(Tokens::of(&said));
    }
    row
}

fn answers(results: &[Results]) {
    println!(
        "   {:>6}  {:<7} {:<14} {:>9}  {:>14} {:>14}  {:>10}",
        "", "", "", "", "call tokens", "answer tokens", "a call"
    );
    println!(
        "   {:>6}  {:<7} {:<14} {:>9}  {:>7}{:>7} {:>7}{:>7}  {:>10}",
        "n", "task", "by", "right", "est.", "o200k", "est.", "o200k", "median ms"
    );
    for Results { n, rows, .. } in results {
        for Row { kind, way, right, tasks, calls, answers, times } in rows {
            let (call, answer) = (calls.each(*tasks), answers.each(*tasks));
            println!(
                "   {n:>6}  {kind:<7} {:<14} {:>9}  {:>7}{:>7} {:>7}{:>7}  {:>10.2}",
                way.name(),
                format!("{right} of {tasks}"),
                call.estimated,
                call.counted,
                answer.estimated,
                answer.counted,
                times.median_ms()
            );
        }
    }
    let (right, asked) = results
        .iter()
        .flat_map(|results| &results.rows)
        .fold((0, 0), |(right, asked), row| (right + row.right, asked + row.tasks));
    println!("   right in all: {right} of {asked} ({:.1} %)", right as f64 * 100.0 / asked as f64);
}

impl Results {
    fn row(&self, kind: &str, way: Way) -> Option<&Row> {
        self.rows.iter().find(|row| row.kind == kind && row.way == way)
    }

    /// Returns the average tokens of a call and its answer.
    fn exchange(&self, kind: &str, way: Way) -> Tokens {
        let of = |row: &Row| row.calls.and(row.answers).each(row.tasks);
        self.row(kind, way).map(of).unwrap_or_default()
    }

    /// Returns the tokens of all calls and answers, in the shortest ways.
    fn session(&self) -> Tokens {
        let of = |row: &Row| row.calls.and(row.answers);
        let whole = |kind, way| self.row(kind, way).map(of).unwrap_or_default();
        whole("lookup", Way::Ids).and(whole("filter", Way::Where))
    }
}

fn contexts(results: &[Results]) {
    println!(
        "\n   Tokens that enter the context: the descriptor, the call, the answer; beside them the\n   \
         whole result inline, and how many times more that is (o200k). One lookup by ids, one filter by\n   \
         where, and all 30 tasks in one session (the descriptor once).\n"
    );
    println!(
        "   {:>6}  {:<10} {:>15} {:>23} {:>23} {:>23}",
        "n", "descriptor", "itself", "one lookup", "one filter", "30 tasks"
    );
    println!(
        "   {:>6}  {:<10} {:>8}{:>7}{}",
        "",
        "",
        "est.",
        "o200k",
        format!(" {:>8}{:>7}{:>8}", "est.", "o200k", "ratio").repeat(3)
    );
    for of in results {
        let Tokens { estimated, counted } = of.inline;
        println!("   {:>6}  {:<10} {estimated:>8} {counted:>6}", of.n, "(inline)");
        for (richness, _, descriptor) in &of.descriptors {
            let columns =
                [of.exchange("lookup", Way::Ids), of.exchange("filter", Way::Where), of.session()]
                    .map(|more| {
                        let all = descriptor.and(more);
                        let ratio = of.inline.counted as f64 / all.counted as f64;
                        let ratio = format!("{ratio:.*}x", usize::from(ratio < 1e3));
                        format!(" {:>8}{:>7}{ratio:>8}", all.estimated, all.counted)
                    });
            println!(
                "   {:>6}  {:<10} {:>8}{:>7}{}",
                "",
                richness,
                descriptor.estimated,
                descriptor.counted,
                columns.concat()
            );
        }
    }
}

/// The figures of the paper for the same n (`lro-paper.txt`, tables 3 to 5).
fn published(results: &[Results]) {
    println!(
        "\n   PUBLISHED by the paper, on other hardware, with two agents (Claude Haiku 4.5 /\n   \
         GPT-5-mini) that had to find the calls; their tokens are those of all API calls of a run,\n   \
         ours are what enters a context once. Orders of magnitude, not a race.\n"
    );
    println!(
        "   {:>4}  {:>27}   {:>13} {:>13} {:>13} {:>13} {:>11}",
        "", "ours, full descriptor", "their inline", "their LRO", "their inline", "their LRO", ""
    );
    println!(
        "   {:>4}  {:>8} {:>8} {:>9}   {:>13} {:>13} {:>13} {:>13} {:>11}",
        "n", "inline", "a task", "LRO/in", "right, %", "right, %", "ktokens", "ktokens", "LRO/in"
    );
    let theirs = [
        (50, "0.0 / 0.0", "93.3 / 73.3", "147 / 1105", "188 / 350", "1.28 / 0.32"),
        (200, "0.0 / 6.7", "93.3 / 86.7", "301 / 474", "171 / 197", "0.57 / 0.42"),
        (500, "0.0 / 0.0", "86.7 / 73.3", "390 / 659", "147 / 269", "0.38 / 0.41"),
    ];
    for (n, inline_right, right, inline, tokens, ratio) in theirs {
        let Some(of) = results.iter().find(|of| of.n == n) else { continue };
        let lookup = of.exchange("lookup", Way::Ids).counted;
        let task = of.descriptors[0].2.counted
            + (lookup + of.exchange("filter", Way::Where).counted).div_ceil(2);
        println!(
            "   {n:>4}  {:>8} {task:>8} {:>9.2}   {inline_right:>13} {right:>13} {inline:>13} \
             {tokens:>13} {ratio:>11}",
            of.inline.counted,
            task as f64 / of.inline.counted as f64
        );
    }
    let ours = |of: &Results| {
        let size = |(richness, _, tokens): &(&'static str, String, Tokens)| {
            format!("{} {}", richness, tokens.estimated)
        };
        of.descriptors.iter().map(size).collect::<Vec<_>>().join(", ")
    };
    let ours = results.iter().find(|of| of.n == 200).map(ours).unwrap_or_default();
    println!(
        "   ID lookups by descriptor (theirs): pointer 95.6 %, no recipes 93.3 %, no schema 85.6 %,\n   \
         full 84.4 %, inline 1.1 %. Filters (theirs): 12.9 % with every descriptor, inline 0 %.\n   \
         Descriptor: about 800 tokens (theirs); ours of 200 records, estimated:\n   {ours}."
    );
}
