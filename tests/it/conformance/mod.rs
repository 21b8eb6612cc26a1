//! Conformance to the specifications of large result offloading: `lro-spec-1600`
//! and, where it differs, `lro-spec-6400-mif`. One file a level: [`basic`] (level
//! 1: threshold and file), [`standard`] (level 2: descriptor, recipes, guidance,
//! cleanup) and [`full`] (level 3: fallback, events, configuration, extraction); the
//! proxy is held by `crate::interfaces::proxy`.
//!
//! Each test quotes the sentences that it holds, as lines that begin with `>`.
//! `quotations` checks that they stand so in the specifications, and that every
//! sentence of a specification that demands something is quoted or listed in
//! [`DOES_NOT_APPLY`]. It reads `../shared/seeds`; where that is absent it says so
//! and passes.

mod basic;
mod full;
mod quotations;
mod standard;

use crate::asking::Said;
use crate::skips::shared;

/// A template of guidance as a specification has it, filled for an answer; None
/// where `../shared/seeds` is absent.
fn template(specification: &str, number: usize, said: &Said, detail: &str) -> Option<String> {
    let text = std::fs::read_to_string(shared("seeds")?.join(specification)).unwrap();
    let offload = said.get("offload");
    let template = text.split("Results offloaded to JSONL (").nth(number + 1).unwrap();
    let own = |line: &&str| !line.is_empty() && *line != "Decision Flow";
    let lines: Vec<&str> = template.lines().take_while(own).collect();
    let filled = format!("Results offloaded to JSONL ({}", lines.join("\n"))
        .replace("{count}", &offload["summary"]["count"].to_string())
        .replace("{tokens}", &offload["summary"]["estimated_tokens"].to_string())
        .replace("{path}", offload["file_path"].as_str().unwrap())
        .replace("{detail}", detail);
    Some(filled)
}

/// Demands on what this product is not, each with the reason.
const DOES_NOT_APPLY: [(&str, &str); 9] = [
    (
        "HTTP clients SHOULD use the offset-based pagination (limit and offset parameters) defined in the HTTP API instead.",
        "the HTTP API of a memory store; here a caller over HTTP asks for offloading",
    ),
    (
        "A result set MUST NOT simultaneously be offloaded to JSONL and have an active pagination cursor.",
        "this service mints no cursors, and a tool's result over MCP has none: one inside its data goes to the file's header with the rest",
    ),
    (
        "PromptIntegration::inject_context continues to return Result<String>.",
        "types of the store that the specification comes from",
    ),
    (
        "RecallService::recall continues to return Result<Vec<SearchHit>>.",
        "types of the store that the specification comes from",
    ),
    (
        "streamable-http transport SHOULD disable LRO (prompt.offload.enabled = false) unless the client and server share a filesystem (e.g., network-mounted storage).",
        "the MCP door is the next step; roots are shared folders by definition here",
    ),
    ("Level 1 (Basic)MAY implement LRO.", "a heading of the levels; `basic` holds what follows"),
    ("Level 2 (Standard)SHOULD implement LRO.", "a heading of the levels"),
    ("| Level 2 | SHOULD implement LRO.", "a heading of the levels"),
    (
        "Recipe library MUST be included per spec, but implementations can adapt richness to target model",
        "a row of findings that repeats \"exactly 10 recipes\"",
    ),
];
