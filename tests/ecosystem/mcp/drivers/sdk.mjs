// A client of the official TypeScript SDK, driven over lines of JSON as sdk.py is.
//
//   node sdk.mjs 1|2 '{"transport": …}'
//
// 1 is @modelcontextprotocol/sdk, 2 is @modelcontextprotocol/client.
import { createInterface } from "node:readline";

const [, , major, json] = process.argv;
const target = JSON.parse(json);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const HANDLERS = {
  "sampling/createMessage": (request) => {
    say({ event: "sampling", params: request.params });
    return { role: "assistant", content: { type: "text", text: "sampled by the client" }, model: "none" };
  },
  "elicitation/create": (request) => {
    say({ event: "elicitation", params: request.params });
    return { action: "accept", content: { name: "Ada of the client" } };
  },
};
const CAPABILITIES = { sampling: {}, elicitation: {} };
const ME = { name: "sdk-test", version: "1" };

async function first() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const schemas = await import("@modelcontextprotocol/sdk/types.js");
  const client = new Client(ME, { capabilities: CAPABILITIES });
  client.setRequestHandler(schemas.CreateMessageRequestSchema, HANDLERS["sampling/createMessage"]);
  client.setRequestHandler(schemas.ElicitRequestSchema, HANDLERS["elicitation/create"]);
  client.setNotificationHandler(schemas.LoggingMessageNotificationSchema, logged);
  const call = (params, options) => client.callTool(params, schemas.CallToolResultSchema, options);
  return { client, call, StdioClientTransport, StreamableHTTPClientTransport };
}

async function second() {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  // `auto` asks the server what it speaks, so the newest must be found and not assumed.
  const mode = target.generation < "2026" ? "legacy" : "auto";
  const client = new Client(ME, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  for (const [method, handler] of Object.entries(HANDLERS)) client.setRequestHandler(method, handler);
  client.setNotificationHandler("notifications/message", logged);
  const call = (params, options) => client.callTool(params, options);
  return { client, call, StdioClientTransport, StreamableHTTPClientTransport };
}

const logged = (notification) => say({ event: "log", params: notification.params });

function transport({ StdioClientTransport, StreamableHTTPClientTransport }) {
  if (target.transport === "stdio") {
    const { command, args, env } = target;
    return new StdioClientTransport({ command, args, env });
  }
  const requestInit = { headers: target.headers ?? {} };
  return new StreamableHTTPClientTransport(new URL(target.url), { requestInit });
}

async function listTools(client) {
  const tools = [];
  for (let cursor; ; ) {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined) return { tools };
  }
}

function done(client, call, request) {
  if (request.do === "list") return listTools(client);
  if (request.do === "prompts") return client.listPrompts();
  if (request.do === "resources") return client.listResources();
  if (request.do === "level") return client.setLoggingLevel(request.level);
  const options = { timeout: 120_000 };
  if (request.progress) options.onprogress = (params) => say({ event: "progress", params });
  // Given up by the client after that many seconds, which the server hears of.
  if (request.give_up) options.signal = AbortSignal.timeout(request.give_up * 1000);
  return call({ name: request.name, arguments: request.arguments ?? {} }, options);
}

const sdk = await (major === "1" ? first() : second());
const { client, call } = sdk;
const link = transport(sdk);
// The first major keeps the version that was agreed to itself, but tells its transport.
let agreed = null;
const told = link.setProtocolVersion?.bind(link);
link.setProtocolVersion = (version) => {
  agreed = version;
  told?.(version);
};
try {
  await client.connect(link);
} catch (error) {
  say({ refused: `${error.name}: ${error.message}` });
  process.exit(1);
}
const version = client.getNegotiatedProtocolVersion?.() ?? agreed;
say({ connected: { version, server: client.getServerVersion()?.name, instructions: client.getInstructions() } });

const waiting = new Set();
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const answer = Promise.resolve()
    .then(() => done(client, call, request))
    .then((result) => say({ id: request.id, result }))
    // An error answer of the protocol carries a number; a complaint of the SDK's may carry a word.
    .catch((error) => {
      const code = typeof error.code === "number" ? error.code : null;
      say({ id: request.id, error: { code, message: `${error.message ?? error}` } });
    })
    .finally(() => waiting.delete(answer));
  waiting.add(answer);
}
await Promise.all(waiting);
await client.close();
