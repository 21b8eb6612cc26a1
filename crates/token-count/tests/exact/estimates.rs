//! Tests of the estimates, and of the tokenizer for a model's name.

use token_count::{Family, Tokenizer};

use crate::texts::{CHINESE, ENGLISH, corpora};

#[test]
fn estimates_stay_above_the_truth_and_within_reason() {
    for (kind, text) in corpora() {
        let truth = Tokenizer::O200kBase.count(&text) as f64;
        let estimate = Tokenizer::Estimate(Family::Kimi).count(&text) as f64;
        let ratio = estimate / truth;
        let noise = [
            "base64",
            "hex",
            "random ASCII",
            "random bytes, lossy",
            "whitespace",
            "contractions",
            "emoji",
            "special tokens",
            "rulers",
        ];
        let allowed = if noise.contains(&kind) { 0.8..2.5 } else { 1.0..1.5 };
        assert!(allowed.contains(&ratio), "{kind}: {ratio:.2} of o200k");
    }
}

#[test]
fn estimates_grow_with_the_text_and_the_family() {
    let count = |family, text: &str| Tokenizer::Estimate(family).count(text);
    assert_eq!(count(Family::Claude, ""), 0);
    assert!(count(Family::Claude, "a") >= 1);
    assert!(count(Family::Claude, ENGLISH) > count(Family::Llama, ENGLISH));
    let (once, often) = (count(Family::Qwen, CHINESE), count(Family::Qwen, &CHINESE.repeat(1000)));
    assert!((980 * once..=1020 * once).contains(&often), "{once} then {often}");
}

#[test]
fn models_are_recognised_by_name() {
    use Family::*;
    use Tokenizer::{Cl100kBase, Estimate, O200kBase};
    let cases = [
        ("gpt-4o", O200kBase),
        ("gpt-4o-2024-05-13", O200kBase),
        ("openai/gpt-4o-mini", O200kBase),
        ("gpt-4.1", O200kBase),
        ("gpt-5.4-mini", O200kBase),
        ("gpt-6", O200kBase),
        ("o1", O200kBase),
        ("o3-pro", O200kBase),
        ("o4", O200kBase),
        ("chatgpt-5-latest", O200kBase),
        ("openai/gpt-oss-120b:free", O200kBase),
        ("ft:gpt-4o:org:name:id", O200kBase),
        ("ft:gpt-3.5-turbo:org::id", Cl100kBase),
        ("gpt-4", Cl100kBase),
        ("GPT-4-Turbo", Cl100kBase),
        ("azure/gpt-4-32k", Cl100kBase),
        ("openai:gpt-4", Cl100kBase),
        ("anthropic:claude-haiku-4-5", Estimate(Claude)),
        ("THUDM/glm4v-9b", Estimate(Glm)),
        ("gpt-35-turbo", Cl100kBase),
        ("text-davinci-003", Cl100kBase),
        ("claude-sonnet-4-5", Estimate(Claude)),
        ("anthropic/claude-opus-4.1", Estimate(Claude)),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", Estimate(Claude)),
        ("claude-3-7-sonnet@20250219", Estimate(Claude)),
        ("models/gemini-2.5-pro", Estimate(Gemini)),
        ("google/gemma-3-27b-it", Estimate(Gemini)),
        ("qwen3:8b", Estimate(Qwen)),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", Estimate(Qwen)),
        ("hf:deepseek-ai/DeepSeek-V3", Estimate(DeepSeek)),
        ("moonshotai/Kimi-K2-Instruct", Estimate(Kimi)),
        ("moonshot-v1-128k", Estimate(Kimi)),
        ("mistralai/Mixtral-8x7B", Estimate(Mistral)),
        ("codestral-latest", Estimate(Mistral)),
        ("mistral/open-nemo", Estimate(Mistral)),
        ("groq/llama-3.3-70b-versatile", Estimate(Llama)),
        ("accounts/fireworks/models/llama-v3p1-405b", Estimate(Llama)),
        ("meta.llama3-70b-instruct-v1:0", Estimate(Llama)),
        ("z-ai/glm-4.6", Estimate(Glm)),
        ("x-ai/grok-4", Estimate(Grok)),
        ("cohere.command-r-plus-v1:0", Estimate(Command)),
        ("MiniMax-M2", Estimate(MiniMax)),
        ("amazon.nova-pro-v1:0", Estimate(Nova)),
        ("my-deployment", O200kBase),
        ("", O200kBase),
    ];
    for (name, expected) in cases {
        assert_eq!(Tokenizer::for_model(Some(name)), expected, "{name}");
    }
    assert_eq!(Tokenizer::for_model(None), O200kBase);
}

#[test]
fn tokenizers_say_what_they_are() {
    assert_eq!(Tokenizer::O200kBase.name(), "o200k_base");
    assert_eq!(Tokenizer::Cl100kBase.name(), "cl100k_base");
    assert_eq!(Tokenizer::Estimate(Family::Claude).name(), "estimate:claude");
    assert!(Tokenizer::O200kBase.is_exact());
    assert!(!Tokenizer::Estimate(Family::Claude).is_exact());
}
