/** A local HTTP server that answers as a test says, and notes what it was asked. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { UnburdenError, UnburdenOptions } from 'unburden';
import { Unburden } from 'unburden';

export type Json = Record<string, unknown>;

/** A request as it came. */
export interface Asked {
  path: string;
  body: Json;
  headers: IncomingMessage['headers'];
}

/** Answers a request; what it returns is sent as an envelope with status 200. */
export type Answer = (asked: Asked, response: ServerResponse) => Json | undefined;

export class ScriptedServer {
  readonly asked: Asked[] = [];
  connections = 0;
  answer: Answer = () => undefined;
  url = '';
  #server = createServer();

  static async start(t: TestContext, answer: Answer): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    server.answer = answer;
    await server.listen(0);
    t.after(() => server.close());
    return server;
  }

  async listen(port: number): Promise<void> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('connection', () => (this.connections += 1));
    await new Promise<void>((ready) => this.#server.listen(port, '127.0.0.1', ready));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/healthz') return void response.end('{"status":"ok"}');
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const asked = { path: request.url ?? '', body: JSON.parse(text) as Json, headers: request.headers };
    this.asked.push(asked);
    const answer = this.answer(asked, response);
    if (answer) send(response, 200, { success: true, answer: '', messages: [], metadata: {}, ...answer });
  }
}

/** An address where nothing listens. */
export async function nowhere(): Promise<string> {
  const server = new ScriptedServer();
  await server.listen(0);
  await server.close();
  return server.url;
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** An error as the service sends one. */
export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  field: string | null = null,
): undefined {
  send(response, status, {
    success: false,
    answer: message,
    messages: [],
    metadata: { error: { code, message, field } },
  });
}

/** A client that keeps its warnings. */
export function clientOf(
  baseUrl: string,
  options: UnburdenOptions = {},
): { client: Unburden; warnings: string[]; errors: UnburdenError[] } {
  const warnings: string[] = [];
  const errors: UnburdenError[] = [];
  const onWarning = (message: string, error: UnburdenError): void => {
    warnings.push(message);
    errors.push(error);
  };
  return { client: new Unburden({ baseUrl, token: '', onWarning, ...options }), warnings, errors };
}

/** The report of a history in which texts moved. */
export const report = (messages: number): Json => ({
  report: {
    outcome: 'compacted',
    format: 'openai-chat',
    tokenizer: 'o200k_base',
    tokens_before: 100,
    tokens_after: 10,
    compaction_ratio: 0.1,
    messages_before: messages,
    messages_after: messages,
    first_changed_index: 1,
    rewritten_tokens: 7,
    dry_run: false,
    actions: [
      {
        index: 1,
        action: 'compact',
        tool_call_id: 'c',
        tool: 't',
        tokens_before: 90,
        tokens_after: 5,
        path: 'p',
        why: 'w',
      },
    ],
    snapshot: null,
    retention: null,
    checks: { pairing: true, references_readable: true, protected_untouched: true, not_larger: true },
    warnings: [],
  },
});
