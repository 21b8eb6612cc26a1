import { UnburdenError } from './errors.js';
import { toJson } from './json.js';

/** The envelope of every answer. */
export interface Envelope {
  success: boolean;
  /** The text for a model or a person. */
  answer: string;
  messages: unknown[];
  /** The system prompt that stood beside the messages. */
  system?: unknown;
  /** What a program reads; each endpoint has its own members. */
  metadata: Record<string, unknown>;
}

/** How the service is reached. */
export interface TransportOptions {
  baseUrl: () => string;
  token: string | undefined;
  timeoutMs: number;
  connectTimeoutMs: number;
  fetch: typeof fetch;
  /**
   * Whether the service has another address, after nothing was found at `url`.
   *
   * @throws UnburdenError where it has ended and cannot be started again.
   */
  hasMoved?: (url: string, found: UnburdenError) => Promise<boolean>;
}

/** HTTP to one service. Connections are kept by the runtime's `fetch`. */
export class Transport {
  readonly #options: TransportOptions;
  /** Whether the last call got an answer. */
  #isKnown = false;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * POSTs a body and reads the envelope of the answer.
   *
   * @throws UnburdenError where the service refuses, does not answer in time or not at all.
   */
  async post(path: string, body: Record<string, unknown> | string): Promise<Envelope> {
    const json = typeof body === 'string' ? body : encoded(body);
    const url = this.#options.baseUrl();
    try {
      return await this.#exchange(path, json);
    } catch (error) {
      const { hasMoved } = this.#options;
      const isAway = error instanceof UnburdenError && error.code === 'unreachable';
      if (!isAway || !(await hasMoved?.(url, error))) throw error;
    }
    return this.#exchange(path, json);
  }

  async #exchange(path: string, json: string): Promise<Envelope> {
    await this.#greet();
    try {
      const response = await this.#send(path, { method: 'POST', body: json }, this.#options.timeoutMs);
      const answer = await envelope(response);
      this.#isKnown = true;
      return answer;
    } catch (error) {
      const known = this.#named(error, this.#options.timeoutMs);
      this.#isKnown = known.status !== null;
      throw known;
    }
  }

  /** Whether the service says that it runs, within the time of a connect. Never throws. */
  async healthy(): Promise<boolean> {
    try {
      const response = await this.#send('/healthz', { method: 'GET' }, this.#options.connectTimeoutMs);
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }

  /** `fetch` has no timeout of its own for connects: the first call asks whether somebody is there. */
  async #greet(): Promise<void> {
    if (this.#isKnown) return;
    const limit = this.#options.connectTimeoutMs;
    try {
      const response = await this.#send('/healthz', { method: 'GET' }, limit);
      await response.arrayBuffer();
    } catch (error) {
      throw this.#named(error, limit);
    }
  }

  #send(path: string, init: RequestInit, limitMs: number): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (init.body) headers['content-type'] = 'application/json';
    if (this.#options.token) headers['authorization'] = `Bearer ${this.#options.token}`;
    const call = this.#options.fetch;
    return call(this.#options.baseUrl() + path, { ...init, headers, signal: AbortSignal.timeout(limitMs) });
  }

  #named(error: unknown, limitMs: number): UnburdenError {
    if (error instanceof UnburdenError) return error;
    const { name } = (error ?? {}) as { name?: string };
    const url = this.#options.baseUrl();
    if (name === 'TimeoutError' || name === 'AbortError') {
      return new UnburdenError(`${url} did not answer within ${limitMs} ms`, {
        code: 'timeout',
        cause: error,
      });
    }
    const code = codeOf(error);
    if (/^ERR_(SSL|TLS)_|^EPROTO$|CERT|UNABLE_TO_VERIFY/.test(code)) {
      return new UnburdenError(noTls(url, code, reason(error)), { code: 'tls_failed', cause: error });
    }
    if (reason(error) === 'bad port') {
      const message = `fetch blocks the port of ${url}; let the service listen on another port, such as 8002`;
      return new UnburdenError(message, { code: 'port_blocked', cause: error });
    }
    const found = /ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(code)
      ? `${url} broke the connection off`
      : `no service at ${url}`;
    return new UnburdenError(`${found}: ${reason(error)}`, { code: 'unreachable', cause: error });
  }
}

function noTls(url: string, code: string, why: string): string {
  // OpenSSL's names for an answer in plain text.
  if (!/wrong.version.number|packet.length.too.long|http.request/i.test(`${code} ${why}`)) {
    return `no TLS with ${url}: ${why}`;
  }
  const http = url.replace(/^https/, 'http');
  return `the service at ${url} speaks http, not https; set baseUrl (UNBURDEN_URL) to ${http}`;
}

function encoded(body: Record<string, unknown>): string {
  try {
    return toJson(body);
  } catch (error) {
    throw new UnburdenError(`the request cannot be written as JSON: ${reason(error)}`, {
      code: 'arguments_unreadable',
      cause: error,
    });
  }
}

async function envelope(response: Response): Promise<Envelope> {
  const text = await response.text();
  const answer = parsed(text);
  if (!answer) {
    throw new UnburdenError(`the service answered ${response.status} with what is no envelope`, {
      code: 'answer_unreadable',
      status: response.status,
    });
  }
  if (response.ok && answer.success) return answer;
  const error = (answer.metadata['error'] ?? {}) as {
    code?: string;
    message?: string;
    field?: string | null;
  };
  throw new UnburdenError(error.message ?? answer.answer, {
    code: error.code ?? 'refused',
    status: response.status,
    field: error.field ?? null,
  });
}

function parsed(text: string): Envelope | null {
  try {
    const value = JSON.parse(text) as Partial<Envelope> | null;
    const fits =
      typeof value === 'object' &&
      value !== null &&
      typeof value.success === 'boolean' &&
      typeof value.answer === 'string' &&
      Array.isArray(value.messages) &&
      typeof value.metadata === 'object' &&
      value.metadata !== null;
    return fits ? (value as Envelope) : null;
  } catch {
    return null;
  }
}

/** The innermost code, such as ECONNREFUSED; empty where the runtime gives none. */
function codeOf(error: unknown): string {
  const { cause, code } = (error ?? {}) as { cause?: unknown; code?: string };
  return cause ? codeOf(cause) : String(code ?? '');
}

/** The innermost cause, in one line: `fetch` itself says no more than that it failed. */
export function reason(error: unknown): string {
  const { message, cause, code } = (error ?? {}) as { message?: string; cause?: unknown; code?: string };
  if (cause) return reason(cause);
  return (message || code || String(error)).split('\n', 1)[0]!;
}
