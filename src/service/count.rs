//! `/count_tokens`: the tokens of a history.

use serde::Serialize;

use super::failure::Failure;
use super::outline::with_outline;
use super::requests::Count;
use super::state::Service;
use crate::envelope::Answer;
use crate::params::{Beside, Params, SystemPrompt};
use token_count::Tokenizer;

impl Service {
    /// `POST /count_tokens`.
    pub fn count_tokens(&self, body: &[u8]) -> Result<Answer, Failure> {
        with_outline(body, |params| self.count_outlined(params))
    }

    fn count_outlined(&self, params: &Params<'_>) -> Result<Answer, Failure> {
        let history = params.history()?;
        let Count { model } = Count::from_params(params)?;
        let tokenizer = Tokenizer::for_model(model.as_deref());
        let known = model.as_deref().is_none_or(Tokenizer::knows);
        let each: Vec<u64> =
            self.measure.history(&history, tokenizer)?.iter().map(|m| m.tokens).collect();
        let Beside { tools, system: SystemPrompt(system) } = Beside::from_params(params)?;
        let system = system.map_or(0, |raw| self.measure.prompt(raw, tokenizer));
        let tools = tools.map_or(0, |raw| self.measure.value(raw, tokenizer));
        let messages: u64 = each.iter().sum();
        let total = messages + tools + system;
        let mut answer = Answer::text(format!("{total} tokens ({}).", tokenizer.name()));
        answer.put("tokens", &total);
        answer.put("tokens_by_part", &ByPart { messages, tools, system });
        answer.put("tokens_by_message", &each);
        answer.put("tokenizer", &tokenizer.name());
        answer.put("exact", &(known && tokenizer.is_exact()));
        answer.put("format", &history.dialect().name());
        answer.put("format_source", &history.source().words());
        Ok(answer.with_unknown(params))
    }
}

#[derive(Serialize)]
struct ByPart {
    messages: u64,
    tools: u64,
    system: u64,
}
