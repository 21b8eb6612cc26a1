//! The MCP door: the tools of `tools`, listed and called. Both generations of the
//! protocol are the library's: sessions that begin with `initialize`, and requests
//! that carry everything themselves (2026-07-28).

pub mod lines;
pub mod message;
pub mod original;
pub mod stdio;

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::service::Service;
use crate::service::turns::{Share, Turns};
use crate::tools::{self, CONTEXT_OFFLOAD, Called, Definition, Manner};
use original::{Originals, Sent};

const INSTRUCTIONS: &str = include_str!("../../prompts/mcp_instructions.md");

/// The tools that a model has who has this server: no shell.
const RELOAD_TOOLS: &str = r#"["read_file","grep","lro_extract","read_tool_result"]"#;

/// The server behind every transport; one for the process.
#[derive(Clone)]
pub struct Mcp {
    service: Arc<Service>,
    turns: Turns,
    originals: Arc<Originals>,
    max_tokens: u64,
}

impl Mcp {
    /// Answers over `service`, at most as many calls at a time as `turns` allow, each
    /// of at most `max_tokens` tokens.
    pub fn new(service: Arc<Service>, turns: Turns, max_tokens: u64) -> Mcp {
        Mcp { service, turns, originals: Arc::default(), max_tokens }
    }

    /// Calls a tool on a thread that may block, when its turn comes.
    async fn called(&self, tool: &'static Definition, arguments: String) -> Called {
        let share = if tool.name == CONTEXT_OFFLOAD { Share::Work } else { Share::Reads };
        let turn = match self.turns.take(share, self.service.holder()).await {
            Ok(turn) => turn,
            Err(crowded) => return Called { text: crowded.to_string(), structured: None },
        };
        let (service, max_tokens) = (Arc::clone(&self.service), self.max_tokens);
        let done = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let _entered = fair_share::enter(service.holder());
            let manner = Manner { name: tool.name, reload_tools: RELOAD_TOOLS, max_tokens };
            tools::call(&service, tool, &arguments, &manner)
        });
        match done.await {
            Ok(called) => called,
            // A panic below is a bug; whoever called hears of it as an error.
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut server = Implementation::new("unburden", env!("CARGO_PKG_VERSION"));
        server.title = Some("Unburden".to_owned());
        let mut info = ServerConfig::new(capabilities);
        info.server_info = server;
        info.instructions = Some(INSTRUCTIONS.trim_end().to_owned());
        info
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::every().iter().map(listed).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::named(name).map(listed)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A call that the library cannot read comes as a method that it does not know.
        if request.method == "tools/call" {
            let accepted = "the call cannot be read; accepted are params with a string name and an \
                            object arguments";
            return Err(ErrorData::invalid_params(accepted, None));
        }
        let method: String = request.method.chars().take(60).collect();
        let found =
            format!("there is no method {method:?}; this server has tools/list and tools/call");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, found, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<http::request::Parts>();
        let sent = parts.and_then(|parts| parts.extensions.get::<Sent>());
        let sent = sent.and_then(Sent::arguments).or_else(|| self.originals.take(&context.id));
        let Some(tool) = tools::named(&request.name) else {
            return Err(ErrorData::invalid_params(unknown(&request.name), None));
        };
        // What the library parsed has other spellings of numbers and no order.
        let parsed = || serde_json::to_string(&request.arguments.unwrap_or_default());
        let arguments = sent.map_or_else(parsed, Ok).unwrap_or_default();
        Ok(result(self.called(tool, arguments).await).into())
    }
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = tools::every().iter().map(|tool| tool.name).collect();
    let name: String = name.chars().take(60).collect();
    format!("there is no tool {name:?}; the tools are {}", known.join(", "))
}

fn listed(tool: &Definition) -> Tool {
    serde_json::from_str(&tool.as_mcp()).expect("a definition is built in and tested")
}

fn result(called: Called) -> CallToolResult {
    let content = vec![ContentBlock::text(called.text)];
    let mut result = match &called.structured {
        Some(_) => CallToolResult::success(content),
        None => CallToolResult::error(content),
    };
    result.structured_content = called.structured.and_then(|json| serde_json::from_str(&json).ok());
    result
}
