//! Maps a model's name, as in requests, to its tokenizer. OpenAI names follow the table of
//! tiktoken-rs, which the tests check. The other families are recognised by a word anywhere in the
//! name, because gateways and clouds add their own parts.

use super::{Family, Tokenizer};

/// Words that identify a family: its models, then companies and gateways that serve no other
/// family.
const FAMILY_WORDS: [(&str, Family); 40] = [
    ("claude", Family::Claude),
    ("gemini", Family::Gemini),
    ("gemma", Family::Gemini),
    ("qwen", Family::Qwen),
    ("qwq", Family::Qwen),
    ("qvq", Family::Qwen),
    ("deepseek", Family::DeepSeek),
    ("kimi", Family::Kimi),
    ("moonshot", Family::Kimi),
    ("mistral", Family::Mistral),
    ("mixtral", Family::Mistral),
    ("ministral", Family::Mistral),
    ("magistral", Family::Mistral),
    ("codestral", Family::Mistral),
    ("devstral", Family::Mistral),
    ("pixtral", Family::Mistral),
    ("voxtral", Family::Mistral),
    ("mathstral", Family::Mistral),
    ("llama", Family::Llama),
    ("codellama", Family::Llama),
    ("hermes", Family::Llama),
    ("glm", Family::Glm),
    ("chatglm", Family::Glm),
    ("zai", Family::Glm),
    ("zhipu", Family::Glm),
    ("grok", Family::Grok),
    ("xai", Family::Grok),
    ("command", Family::Command),
    ("aya", Family::Command),
    ("cohere", Family::Command),
    ("minimax", Family::MiniMax),
    ("abab", Family::MiniMax),
    ("nova", Family::Nova),
    ("phi", Family::Phi),
    ("granite", Family::Granite),
    ("nemotron", Family::Llama),
    ("jamba", Family::Jamba),
    ("anthropic", Family::Claude),
    ("dashscope", Family::Qwen),
    ("bigmodel", Family::Glm),
];

/// OpenAI models that use cl100k, and older ones whose vocabularies are not embedded.
const OLD_OPENAI: [&str; 39] = [
    "gpt-4",
    "gpt-3.5-turbo",
    "gpt-3.5",
    "gpt-35-turbo",
    "davinci-002",
    "babbage-002",
    "text-embedding-ada-002",
    "text-embedding-3-small",
    "text-embedding-3-large",
    "text-davinci-003",
    "text-davinci-002",
    "text-davinci-001",
    "text-curie-001",
    "text-babbage-001",
    "text-ada-001",
    "davinci",
    "curie",
    "babbage",
    "ada",
    "code-davinci-002",
    "code-davinci-001",
    "code-cushman-002",
    "code-cushman-001",
    "davinci-codex",
    "cushman-codex",
    "text-davinci-edit-001",
    "code-davinci-edit-001",
    "text-similarity-davinci-001",
    "text-similarity-curie-001",
    "text-similarity-babbage-001",
    "text-similarity-ada-001",
    "text-search-davinci-doc-001",
    "text-search-curie-doc-001",
    "text-search-babbage-doc-001",
    "text-search-ada-doc-001",
    "code-search-babbage-code-001",
    "code-search-ada-code-001",
    "gpt2",
    "gpt-2",
];

/// Prefixes of versions of these models.
const OLD_OPENAI_PREFIXES: [&str; 3] = ["gpt-4-", "gpt-3.5-turbo-", "gpt-35-turbo-"];

/// Returns the tokenizer of a known model; `None` for an unknown name.
pub(crate) fn tokenizer(model: &str) -> Option<Tokenizer> {
    let name = model.trim().to_ascii_lowercase();
    let bare = bare_name(&name);
    of_openai(bare).or_else(|| {
        let family = family(bare).or_else(|| family(&name))?;
        Some(Tokenizer::Estimate(family))
    })
}

/// Returns the name without the provider's path and the variant after it.
fn bare_name(name: &str) -> &str {
    let bare = name.rsplit('/').next().unwrap_or(name);
    let bare = bare.strip_prefix("openai:").unwrap_or(bare);
    if bare.starts_with("ft:") {
        return bare;
    }
    let end = bare.find([':', '@']).unwrap_or(bare.len());
    &bare[..end]
}

/// Returns the tokenizer of an OpenAI model. All models since GPT-4o use o200k, so names newer than
/// the table do, too.
fn of_openai(bare: &str) -> Option<Tokenizer> {
    let fine_tuned = bare.strip_prefix("ft:").and_then(|rest| rest.split(':').next());
    let base = fine_tuned.unwrap_or(bare);
    let is_old = OLD_OPENAI.contains(&base)
        || OLD_OPENAI_PREFIXES.iter().any(|prefix| base.starts_with(prefix));
    if is_old {
        return Some(Tokenizer::Cl100kBase);
    }
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let numbered = ["gpt-", "o"].iter().any(|name| base.strip_prefix(name).is_some_and(digit));
    let named = ["chatgpt", "gpt-oss-", "codex-mini"].iter().any(|name| base.starts_with(name));
    (numbered || named).then_some(Tokenizer::O200kBase)
}

/// Returns the family of the first word that identifies one. Words end at punctuation, and a
/// family's word may be followed by its version, as in `llama3` or `glm4v`.
fn family(name: &str) -> Option<Family> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|word| {
        let digit = word.find(|c: char| c.is_ascii_digit());
        let stem = &word[..digit.unwrap_or(word.len())];
        let is_stem = |(known, _): &&(&str, Family)| {
            stem == *known || (known.len() > 4 && stem.starts_with(known))
        };
        let (_, family) = FAMILY_WORDS.iter().find(is_stem)?;
        Some(*family)
    })
}

#[cfg(test)]
mod tests {
    use tiktoken_rs::tokenizer::{Tokenizer as Known, get_tokenizer};

    use super::*;

    #[test]
    fn names_of_openai_follow_the_table_of_tiktoken() {
        let versions = ["", "-", "-mini", ".1", ".1-mini", "-2024-05-13", "x", "-32k"];
        let newer = [
            "o1",
            "o3",
            "o4-mini",
            "gpt-5",
            "gpt-4.5",
            "gpt-4.1",
            "gpt-4o",
            "chatgpt-4o",
            "gpt-oss",
            "codex-mini",
        ];
        let bases = OLD_OPENAI.iter().chain(&newer).copied();
        for base in bases.chain(OLD_OPENAI_PREFIXES) {
            for version in versions {
                for name in [format!("{base}{version}"), format!("ft:{base}{version}:org::id")] {
                    let Some(known) = get_tokenizer(&name) else { continue };
                    let expected = match known {
                        Known::O200kBase | Known::O200kHarmony => Tokenizer::O200kBase,
                        _ => Tokenizer::Cl100kBase,
                    };
                    assert_eq!(of_openai(&name), Some(expected), "{name}");
                }
            }
        }
    }
}
