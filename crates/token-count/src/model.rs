//! From a model's name, as requests spell it, to its tokenizer. OpenAI names
//! are looked up in the table of tiktoken-rs; the other families are recognised
//! by a word in the name, wherever a gateway or a cloud has put it.

use tiktoken_rs::tokenizer as openai;

use super::{Family, Tokenizer};

/// Words that give a family away: its models, then companies and gateways that
/// serve no other family.
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

/// The tokenizer of a known model; `None` for a name that tells nothing.
pub(crate) fn tokenizer(model: &str) -> Option<Tokenizer> {
    let name = model.trim().to_ascii_lowercase();
    let bare = bare_name(&name);
    of_openai(bare).or_else(|| {
        let family = family(bare).or_else(|| family(&name))?;
        Some(Tokenizer::Estimate(family))
    })
}

/// The name without the provider's path and the variant behind it.
fn bare_name(name: &str) -> &str {
    let bare = name.rsplit('/').next().unwrap_or(name);
    let bare = bare.strip_prefix("openai:").unwrap_or(bare);
    if bare.starts_with("ft:") {
        return bare;
    }
    let end = bare.find([':', '@']).unwrap_or(bare.len());
    &bare[..end]
}

fn of_openai(bare: &str) -> Option<Tokenizer> {
    let Some(known) = openai::get_tokenizer(bare) else { return newer_openai(bare) };
    Some(match known {
        openai::Tokenizer::O200kBase | openai::Tokenizer::O200kHarmony => Tokenizer::O200kBase,
        openai::Tokenizer::Cl100kBase
        | openai::Tokenizer::P50kBase
        | openai::Tokenizer::R50kBase
        | openai::Tokenizer::P50kEdit
        | openai::Tokenizer::Gpt2 => Tokenizer::Cl100kBase,
    })
}

/// OpenAI's names that are newer than the table: its models have counted with
/// o200k since GPT-4o.
fn newer_openai(bare: &str) -> Option<Tokenizer> {
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let numbered =
        ["gpt-", "o", "chatgpt-"].iter().any(|prefix| bare.strip_prefix(prefix).is_some_and(digit));
    (numbered || bare.starts_with("chatgpt")).then_some(Tokenizer::O200kBase)
}

/// The family of the first telling word. Words end at punctuation, and a
/// family's word may go on with its version, as in `llama3` or `glm4v`.
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
