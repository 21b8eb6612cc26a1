//! `unburden demo`: a scripted agent plays its turns over HTTP, once with its whole
//! history and once with what the service makes of it; the two curves show what
//! that saves, and a search shows that nothing was lost.

mod chart;
mod script;

use std::sync::Arc;

use chat_history::splice::quote;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::arguments::Demo;
use super::table::grouped;
use super::{CliError, Exit, print, say};
use crate::config::Config;
use crate::http::{Door, bind, serve};
use crate::service::Service;

pub(super) fn run(options: &Demo) -> Result<Exit, CliError> {
    let folder = tempfile::tempdir().map_err(CliError::io("making a folder for the demo"))?;
    let mut config = Config::default();
    config.server.listen.set_port(0);
    config.store.roots = vec![folder.path().display().to_string()];
    let service = Arc::new(Service::open(&config)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CliError::io("starting"))?;
    let played = runtime.block_on(async {
        let listener = bind(config.server.listen, false).await?;
        let address = listener.local_addr().map_err(CliError::io("listening"))?;
        let door = Door::new(service, None, &config.server);
        let serving = tokio::spawn(serve(listener, door, std::future::pending()));
        let agent = Agent::new(format!("http://{address}"), folder.path().display().to_string());
        let played = agent?.play(options.turns).await;
        serving.abort();
        played
    })?;
    runtime.shutdown_background();
    print(&if options.json { played.json() } else { played.page() })?;
    Ok(if played.found { Exit::Success } else { Exit::Nothing })
}

/// What a run gave.
struct Played {
    /// Tokens of the whole history, by turn.
    without: Vec<u64>,
    /// Tokens of what the service gave back, by turn.
    with: Vec<u64>,
    /// What the search for the fact said.
    answer: String,
    /// Whether the fact was in it.
    found: bool,
    /// Whether it still stood in the history that the agent had.
    at_hand: bool,
}

impl Played {
    fn page(&self) -> String {
        let (without, with): (u64, u64) = (self.without.iter().sum(), self.with.iter().sum());
        let last = |curve: &[u64]| grouped(curve.last().copied().unwrap_or(0));
        let saved = without.saturating_sub(with) * 100 / without.max(1);
        let lines = [
            chart::chart(&self.without, &self.with),
            String::new(),
            format!("{:<28}{:>14}{:>14}", "tokens", "without", "with"),
            format!("{:<28}{:>14}{:>14}", "the last prompt", last(&self.without), last(&self.with)),
            format!(
                "{:<28}{:>14}{:>14}  {saved} % less",
                "all prompts together",
                grouped(without),
                grouped(with)
            ),
            String::new(),
            format!(
                "Asked for a fact of turn 2, which {} in its history, the agent searches what was moved:",
                if self.at_hand { "still stands" } else { "no longer stands" }
            ),
            self.answer.clone(),
        ];
        lines.join("\n")
    }

    fn json(&self) -> String {
        let list = |curve: &[u64]| curve.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        format!(
            "{{\"without\":[{}],\"with\":[{}],\"total_without\":{},\"total_with\":{},\"found\":{},\"answer\":{}}}",
            list(&self.without),
            list(&self.with),
            self.without.iter().sum::<u64>(),
            self.with.iter().sum::<u64>(),
            self.found,
            quote(&self.answer)
        )
    }
}

/// The members of an answer that the agent looks at.
#[derive(Deserialize)]
struct Reply<'a> {
    answer: String,
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    /// Of `/count_tokens`.
    tokens: Option<u64>,
    /// Of `/context_offload`.
    report: Option<Report>,
}

#[derive(Deserialize)]
struct Report {
    tokens_after: Option<u64>,
}

/// An agent as any framework's: it knows the service's address and nothing else.
struct Agent {
    client: reqwest::Client,
    url: String,
    folder: String,
}

impl Agent {
    fn new(url: String, folder: String) -> Result<Agent, CliError> {
        // `reqwest` wants a provider for TLS, also where it speaks plain HTTP.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build();
        let client = client.map_err(|error| talk(&error))?;
        Ok(Agent { client, url, folder })
    }

    async fn play(&self, turns: u64) -> Result<Played, CliError> {
        let (mut whole, mut small) = (script::opening(), script::opening());
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for number in 1..=turns {
            let new = script::turn(number);
            whole.extend(new.clone());
            small.extend(new);
            let counted = self.post("/count_tokens", &members(&whole, "")).await?;
            without.push(read(&counted)?.metadata.tokens.unwrap_or(0));
            let store = format!(",\"include_files\":false,\"store_dir\":{}", quote(&self.folder));
            let done = self.post("/context_offload", &members(&small, &store)).await?;
            let done = read(&done)?;
            small = done.messages.iter().map(|message| message.get().to_owned()).collect();
            with.push(done.metadata.report.and_then(|report| report.tokens_after).unwrap_or(0));
            if turns > 100 && number % 50 == 0 {
                say(format_args!("turn {number} of {turns}"));
            }
        }
        let question = format!("{{\"pattern\":{}}}", quote(script::PATTERN));
        let found = self.post("/grep", &question).await?;
        let answer = read(&found)?.answer;
        let at_hand = small.iter().any(|message| message.contains(script::FACT));
        Ok(Played { without, with, found: answer.contains(script::FACT), answer, at_hand })
    }

    async fn post(&self, path: &str, body: &str) -> Result<String, CliError> {
        let request = self.client.post(format!("{}{path}", self.url)).body(body.to_owned());
        let reply = request.send().await.map_err(|error| talk(&error))?;
        reply.text().await.map_err(|error| talk(&error))
    }
}

fn members(messages: &[String], more: &str) -> String {
    format!("{{\"messages\":[{}]{more}}}", messages.join(","))
}

fn read(reply: &str) -> Result<Reply<'_>, CliError> {
    serde_json::from_str(reply).map_err(|error| CliError::Input {
        what: "the service's answer".to_owned(),
        found: error.to_string(),
    })
}

fn talk(error: &reqwest::Error) -> CliError {
    CliError::io("talking to the service")(std::io::Error::other(error.to_string()))
}
