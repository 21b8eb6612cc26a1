//! The request of an offload, parsed and checked once.

use chat_history::repair::{Repair, Repaired};
use chat_history::{History, HistoryError};

use super::idle_settings::idle_settings;
use super::settings::Settings;
use crate::params::{Beside, HistoryOrParam, Params, SystemPrompt};
use token_count::Tokenizer;

/// A parsed request.
pub(crate) struct Request<'a> {
    /// The messages.
    pub history: History<'a>,
    /// Tool definitions, raw.
    pub tools: Option<&'a str>,
    /// A separate system prompt, raw.
    pub system: Option<&'a str>,
    /// The settings.
    pub settings: Settings,
    /// Warnings for the caller: unknown fields, settings without effect.
    pub warnings: Vec<String>,
    /// The repairs that were made before.
    pub mends: Vec<Repair>,
}

impl<'a> Request<'a> {
    /// Reads a request body.
    pub(crate) fn read(params: &Params<'a>) -> Result<Request<'a>, HistoryOrParam> {
        let history = params.history()?;
        let settings = Settings::from_params(params)?;
        let Beside { tools, system: SystemPrompt(system) } = Beside::from_params(params)?;
        let mut warnings = Vec::new();
        if let Some(model) = settings.model.as_deref().filter(|model| !Tokenizer::knows(model)) {
            let model: String = model.chars().take(60).collect();
            warnings.push(format!("the model \"{model}\" is not known; counted with o200k_base"));
        }
        warnings.extend(idle_settings(&settings, &|name| params.raw(name).is_some()));
        warnings.extend(params.unknown_warnings());
        Ok(Request { history, tools, system, settings, warnings, mends: Vec::new() })
    }

    /// Returns the same request with a repaired history.
    pub(crate) fn mended<'m>(&self, mended: &'m Repaired) -> Result<Request<'m>, HistoryError>
    where
        'a: 'm,
    {
        let history = self.history.reparse(&mended.array)?;
        Ok(Request {
            history,
            tools: self.tools,
            system: self.system,
            settings: self.settings.clone(),
            warnings: self.warnings.clone(),
            mends: mended.repairs.clone(),
        })
    }
}
