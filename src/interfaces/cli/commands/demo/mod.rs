//! `unburden demo`: a scripted agent runs over HTTP, once with its full history and once with
//! the service. A chart shows the savings, and a search shows that no data is lost.

mod chart;
mod script;

use std::sync::Arc;

use console::{Term, style};
use raw_json::quote;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::config::Config;
use crate::interfaces::cli::arguments::Demo;
use crate::interfaces::cli::commands::serve::shutdown_signal;
use crate::interfaces::cli::error::CliError;
use crate::interfaces::cli::exit::Exit;
use crate::interfaces::cli::output::{print, print_status};
use crate::interfaces::cli::page::{self, fold};
use crate::interfaces::cli::runtime;
use crate::interfaces::cli::table::with_separators;
use crate::interfaces::http::{AppState, bind, serve};
use crate::pipeline::Settings;
use crate::service::Service;

/// The folder's path for the agent. With it and the key, every run has the same tokens.
const FOLDER: &str = "/demo";
/// The secret of the demo's references.
const SECRET: &str = "the demo has no secret worth keeping";

pub(crate) fn run(options: &Demo) -> Result<Exit, CliError> {
    let folder = tempfile::tempdir().map_err(CliError::io("creating a folder for the demo"))?;
    let key = folder.path().join(".key");
    std::fs::write(&key, SECRET).map_err(CliError::io("writing the demo's key"))?;
    let mut config = Config::default();
    config.server.listen.set_port(0);
    config.store.roots = vec![format!("{FOLDER}={}", folder.path().display())];
    config.store.key_file = Some(key);
    let played = runtime::run(play(options.turns, config))?;
    let Some(demo) = played else {
        print_status("interrupted; the demo's files are deleted");
        return Ok(Exit::Interrupted);
    };
    print(&if options.json { demo.json() } else { demo.page(page::width(&Term::stdout())) })?;
    Ok(if demo.found { Exit::Success } else { Exit::Negative })
}

/// Runs the service and the agent. Returns `None` after Ctrl-C. When it returns, all writes have
/// ended.
async fn play(turns: u64, config: Config) -> Result<Option<DemoRun>, CliError> {
    let service = Arc::new(Service::open(&config)?);
    let listener = bind(config.server.listen, false).await?;
    let address = listener.local_addr().map_err(CliError::io("listening"))?;
    let state = AppState::new(service, None, &config.server);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(serve(listener, state, async {
        // Ends when `stop` is dropped.
        let _ = stopped.await;
    }));
    let agent = Agent::new(format!("http://{address}"))?;
    let played = tokio::select! {
        played = agent.play(turns) => played.map(Some),
        () = shutdown_signal() => Ok(None),
    };
    drop((agent, stop));
    // A panic of the server also ended the agent's requests.
    let _ = serving.await;
    played
}

/// The result of a run.
struct DemoRun {
    /// Tokens of the full history, by turn.
    without: Vec<u64>,
    /// Tokens of the service's history, by turn.
    with: Vec<u64>,
    /// The answer of the search for the fact.
    answer: String,
    /// True if the answer or the agent's history has the fact.
    found: bool,
    /// True if the agent's history still has the fact.
    in_history: bool,
}

impl DemoRun {
    fn page(&self, width: usize) -> String {
        let (without, with): (u64, u64) = (self.without.iter().sum(), self.with.iter().sum());
        let last = |curve: &[u64]| with_separators(curve.last().copied().unwrap_or(0));
        let saved = without.saturating_sub(with) * 100 / without.max(1);
        let opening = format!(
            "A scripted agent on call reads logs, source files, metrics and tickets for {} turns. \
             It runs twice: without Unburden it sends its full history each turn, with Unburden \
             the smaller one. The chart shows the tokens of each prompt.",
            self.without.len()
        );
        let row = |name: &str, one: &str, other: &str| format!("{name:<20}{one:>15}{other:>13}");
        let lines = [
            fold(&opening, width, ""),
            String::new(),
            chart::painted(&chart::chart(&self.without, &self.with, width)),
            String::new(),
            row("tokens", "without", "with"),
            row("the last prompt", &last(&self.without), &last(&self.with)),
            format!(
                "{}  {}",
                row("all prompts together", &with_separators(without), &with_separators(with)),
                style(format!("{saved} % less")).green().bold()
            ),
            String::new(),
            self.proof(width),
        ];
        lines.join("\n")
    }

    /// Describes where the fact of an early turn is.
    fn proof(&self, width: usize) -> String {
        if self.in_history {
            let least = Settings::max_total_tokens.default_in_words().unwrap_or_default();
            let text = format!(
                "The history still has all its texts: the service changes none below {least} \
                 tokens. More turns show the savings: unburden demo --turns 40"
            );
            return fold(&text, width, "");
        }
        let text = "Nothing is lost. Asked for a fact of turn 2, which is no longer in its history, \
                    the agent searches the stored files:";
        format!("{}\n{}", fold(text, width, ""), self.answer)
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

/// The members of an answer that the agent reads.
#[derive(Deserialize)]
struct Reply<'a> {
    answer: String,
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    /// The answer of `/count_tokens`.
    tokens: Option<u64>,
    /// The report of `/context_offload`.
    report: Option<Report>,
}

#[derive(Deserialize)]
struct Report {
    tokens_after: Option<u64>,
}

/// An agent that knows only the service's address.
struct Agent {
    client: reqwest::Client,
    url: String,
}

impl Agent {
    fn new(url: String) -> Result<Agent, CliError> {
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build();
        let client = client.map_err(|error| connection_error(&error))?;
        Ok(Agent { client, url })
    }

    async fn play(&self, turns: u64) -> Result<DemoRun, CliError> {
        let (mut full, mut small) = (script::opening(), script::opening());
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for number in 1..=turns {
            let new = script::turn(number);
            full.extend(new.clone());
            small.extend(new);
            let counted = self.post("/count_tokens", &members(&full, "")).await?;
            without.push(read(&counted)?.metadata.tokens.unwrap_or(0));
            let store = format!(",\"include_files\":false,\"store_dir\":{}", quote(FOLDER));
            let done = self.post("/context_offload", &members(&small, &store)).await?;
            let done = read(&done)?;
            small = done.messages.iter().map(|message| message.get().to_owned()).collect();
            with.push(done.metadata.report.and_then(|report| report.tokens_after).unwrap_or(0));
            if turns > 100 && number % 50 == 0 {
                print_status(format_args!("turn {number} of {turns}"));
            }
        }
        let question = format!("{{\"pattern\":{}}}", quote(script::PATTERN));
        let found = self.post("/grep", &question).await?;
        let answer = read(&found)?.answer;
        let in_history = small.iter().any(|message| message.contains(script::FACT));
        let found = in_history || answer.contains(script::FACT);
        Ok(DemoRun { without, with, found, answer, in_history })
    }

    async fn post(&self, path: &str, body: &str) -> Result<String, CliError> {
        let request = self.client.post(format!("{}{path}", self.url)).body(body.to_owned());
        let reply = request.send().await.map_err(|error| connection_error(&error))?;
        reply.text().await.map_err(|error| connection_error(&error))
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

fn connection_error(error: &reqwest::Error) -> CliError {
    CliError::io("connecting to the service")(std::io::Error::other(error.to_string()))
}
