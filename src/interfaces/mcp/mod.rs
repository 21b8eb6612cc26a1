//! The MCP server: lists and calls the tools of `tools`. The library speaks both kinds of
//! protocol versions: those with sessions that begin with `initialize`, and stateless ones
//! (2026-07-28).

pub(crate) mod edit;
pub(crate) mod lines;
pub(crate) mod message;
pub(crate) mod raw_arguments;
pub(crate) mod stdio;

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, InitializeRequestParams, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::interfaces::blocking;
use crate::interfaces::lock::lock;
use crate::service::Service;
use crate::service::budget::Reserved;
use crate::service::concurrency_limit::{ConcurrencyLimit, Lane};
use crate::tools::{self, CONTEXT_OFFLOAD, Definition, ToolOutput};
use raw_arguments::unwrapped;

/// The methods of this server, and the params that each accepts.
const ACCEPTED_PARAMS: [(&str, &str); 8] = [
    (
        "initialize",
        "a string protocolVersion, an object capabilities, and an object clientInfo with a string \
         name and a string version",
    ),
    ("server/discover", "an object with the _meta of 2026-07-28"),
    ("ping", "no params, or an object"),
    ("tools/list", A_PAGE),
    ("tools/call", "a string name and an object arguments"),
    // There are none; the answer is an empty list.
    ("resources/list", A_PAGE),
    ("resources/templates/list", A_PAGE),
    ("prompts/list", A_PAGE),
];
const A_PAGE: &str = "no params, or an object with a string cursor";

const INSTRUCTIONS: &str = include_str!("../../../prompts/mcp_instructions.md");

/// The memory reserved for an HTTP request.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedReservation(pub Arc<Mutex<Reserved>>);

/// The MCP server of every transport; one for the process.
#[derive(Clone)]
pub(crate) struct Mcp {
    service: Arc<Service>,
    limit: ConcurrencyLimit,
    /// The prefix of every tool name.
    prefix: String,
}

impl Mcp {
    /// Creates a server for `service` that runs calls within the limit `limit`, with `prefix`
    /// before the name of every tool.
    pub(crate) fn new(service: Arc<Service>, limit: ConcurrencyLimit, prefix: &str) -> Mcp {
        Mcp { service, limit, prefix: prefix.to_owned() }
    }

    fn tool(&self, tool: &Definition) -> Tool {
        serde_json::from_str(&tool.as_mcp(&self.prefix))
            .expect("a definition is built in and tested")
    }

    fn unknown_tool(&self, name: &str) -> String {
        let known: Vec<String> =
            tools::all().iter().map(|tool| format!("{}{}", self.prefix, tool.name)).collect();
        let name: String = name.chars().take(60).collect();
        format!("there is no tool {name:?}; the tools are {}", known.join(", "))
    }

    /// Calls a tool on a blocking thread once a permit is free.
    async fn call(&self, tool: &'static Definition, arguments: String) -> ToolOutput {
        let lane = if tool.name == CONTEXT_OFFLOAD { Lane::Work } else { Lane::Reads };
        let permit = match self.limit.take(lane, self.service.holder()).await {
            Ok(permit) => permit,
            Err(overloaded) => return ToolOutput::error(overloaded.to_string()),
        };
        // Without a shell: a model that uses this server has none.
        let reload_tools = tools::reload_tools(&self.prefix);
        let service = Arc::clone(&self.service);
        blocking::run(service.holder(), move || {
            let _permit = permit;
            tools::call(&service, tool, &arguments, &reload_tools)
        })
        .await
    }
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut server = Implementation::new("unburden", env!("CARGO_PKG_VERSION"));
        server.title = Some("Unburden".to_owned());
        let mut info = ServerConfig::new(capabilities);
        info.server_info = server;
        info.instructions = Some(tools::prefixed(INSTRUCTIONS.trim_end(), &self.prefix));
        info
    }

    /// All versions except 2025-03-26, which requires servers to accept batches.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        known.filter(|version| **version != ProtocolVersion::V_2025_03_26).cloned().collect()
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        // A client of that time knows the version before it, and may know none after it.
        if request.protocol_version == ProtocolVersion::V_2025_03_26 {
            request.protocol_version = ProtocolVersion::V_2024_11_05;
        }
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::all().iter().map(|tool| self.tool(tool)).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name, &self.prefix).map(|tool| self.tool(tool))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // The library reports a request whose params it cannot parse as an unknown method.
        let known = ACCEPTED_PARAMS.iter().find(|(method, _)| *method == request.method);
        if let Some((method, accepted)) = known {
            let found = format!("the params of {method} cannot be read; accepted are {accepted}");
            return Err(ErrorData::invalid_params(found, None));
        }
        let method: String = request.method.chars().take(60).collect();
        let methods = ACCEPTED_PARAMS.map(|(method, _)| method);
        let found =
            format!("there is no method {method:?}; this server has {}", methods.join(", "));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, found, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::find(&request.name, &self.prefix) else {
            return Err(ErrorData::invalid_params(self.unknown_tool(&request.name), None));
        };
        let output = self.call(tool, unwrapped(request.arguments)).await;
        // Over HTTP the reservation is held until the response is sent.
        let parts = context.extensions.get::<http::request::Parts>();
        let reserved = parts.and_then(|parts| parts.extensions.get::<SharedReservation>());
        let SharedReservation(reserved) = reserved.cloned().unwrap_or_default();
        let grown = self.service.budget().grow(&mut lock(&reserved), output.held_bytes());
        let output = grown.map_or_else(|full| ToolOutput::error(full.to_string()), |()| output);
        Ok(mcp_result(output).into())
    }
}

fn mcp_result(output: ToolOutput) -> CallToolResult {
    let content = vec![ContentBlock::text(output.text)];
    let mut result = match output.is_error {
        true => CallToolResult::error(content),
        false => CallToolResult::success(content),
    };
    result.structured_content = output.structured.and_then(|json| serde_json::from_str(&json).ok());
    result
}
