//! The quotations of the conformance tests: that they are none but the
//! specifications' own words, and that no demand of theirs is left out.

use std::collections::BTreeSet;

use super::DOES_NOT_APPLY;
use crate::skips::shared;

const TESTS: [&str; 5] = [
    include_str!("basic.rs"),
    include_str!("standard.rs"),
    include_str!("full.rs"),
    include_str!("../proxy/passes.rs"),
    include_str!("../proxy/materialised.rs"),
];
const SPECIFICATIONS: [&str; 2] = ["lro-spec-1600.txt", "lro-spec-6400-mif.txt"];
/// Words by which a sentence demands something.
const DEMANDS: [&str; 4] = ["MUST", "SHOULD", "RECOMMENDED", "Normative:"];

/// The quotations of a file: lines of documentation that begin with `>`.
fn quotations(source: &str) -> Vec<String> {
    let mut quotations: Vec<String> = Vec::new();
    let mut inside = false;
    for line in source.lines().map(str::trim) {
        let Some(words) = line.strip_prefix("/// >") else {
            inside = false;
            continue;
        };
        match quotations.last_mut().filter(|_| inside && !words.trim().is_empty()) {
            Some(last) => *last = format!("{last} {}", words.trim()),
            None if words.trim().is_empty() => {}
            None => quotations.push(words.trim().to_owned()),
        }
        inside = !words.trim().is_empty();
    }
    quotations
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentences of a specification that demand something.
fn demands(text: &str) -> BTreeSet<String> {
    let lines = text.lines().flat_map(|line| line.split_inclusive(". "));
    let sentences = lines.map(|line| on_one_line(line.trim_start_matches([' ', '•'])));
    sentences.filter(|sentence| DEMANDS.iter().any(|word| sentence.contains(word))).collect()
}

#[test]
fn every_quotation_stands_in_a_specification_and_every_demand_is_quoted() {
    let Some(folder) = shared("seeds") else { return };
    let texts = SPECIFICATIONS.map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
    let specifications = texts.each_ref().map(|text| on_one_line(text));
    let mut said: Vec<String> = TESTS.iter().flat_map(|source| quotations(source)).collect();
    said.extend(DOES_NOT_APPLY.iter().map(|(sentence, _)| (*sentence).to_owned()));
    for quotation in &said {
        assert!(
            specifications.iter().any(|text| text.contains(quotation)),
            "no specification says: {quotation}"
        );
    }
    for (name, text) in SPECIFICATIONS.iter().zip(&texts) {
        let left_out: Vec<String> = demands(text)
            .into_iter()
            .filter(|demand| !said.iter().any(|s| s.contains(demand) || demand.contains(s)))
            .collect();
        assert!(left_out.is_empty(), "{name}: nobody holds {left_out:#?}");
    }
}

#[test]
fn what_a_quotation_is() {
    let source = "/// One:\n/// > a b\n/// > c\n///\n/// > d\nfn x() {}\n/// > e\n";
    assert_eq!(quotations(source), ["a b c", "d", "e"]);
}
