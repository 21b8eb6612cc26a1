import { camel } from './camel.js';
import type {
  CountOptions,
  ExtractOptions,
  GrepOptions,
  OffloadResultOptions,
  ReadFileOptions,
  ReadToolResultOptions,
} from './calls.js';
import { collisions } from './collisions.js';
import { environment } from './environment.js';
import { UnburdenError } from './errors.js';
import { graft } from './graft.js';
import { toJson } from './json.js';
import { Outage, startCommand } from './outage.js';
import { addReport, noTotals } from './report.js';
import type { OffloadReport, Totals } from './report.js';
import type {
  CountResult,
  ExtractResult,
  GrepResult,
  OffloadResultResult,
  ReadFileResult,
  RehydrateResult,
  ToolResultResult,
  ValidateResult,
} from './results.js';
import { runTool } from './run-tool.js';
import { wireName, wireSettings } from './settings.js';
import type { Format, OffloadSettings, ReloadTools } from './settings.js';
import { reloadToolDefinitions, toolDefinitions, toolNames } from './tools.js';
import type { ReloadToolDefinition, ReloadToolName, ToolFormat, ToolNames } from './tools.js';
import { Transport, reason } from './transport.js';
import type { Envelope } from './transport.js';

/** Options of a client; the settings among them are the defaults of each `offload`. */
export interface UnburdenOptions extends OffloadSettings {
  /** Default: the variable UNBURDEN_URL, else `http://127.0.0.1:8002`. */
  baseUrl?: string;
  /** Folder for the files, as the service sees it. Default `./context_store`. */
  storeDir?: string;
  /**
   * Prefix of the retrieval tools' names, such as `unburden_`, for an agent that has its own tools
   * named `read_file` or `grep`.
   */
  prefix?: string;
  /**
   * Bearer token, in printable ASCII; white space at its ends is left out. Default: the variable
   * UNBURDEN_TOKEN, else none.
   */
  token?: string;
  /** Time limit of a call, in milliseconds. Default 30000. */
  timeoutMs?: number;
  /** Time limit of the first contact, in milliseconds. Default 2000. */
  connectTimeoutMs?: number;
  /** Whether `offload` returns the messages unchanged if it fails. Default true; false throws. */
  failOpen?: boolean;
  /**
   * Receives the warning if `offload` failed open, or if names of tools clash (code
   * `tool_names_clash`).
   * Default: `console.warn`.
   */
  onWarning?: (message: string, error: UnburdenError) => void;
  /** Default: the runtime's own. */
  fetch?: typeof fetch;
}

/** Options of one `offload`. */
export interface OffloadOptions extends OffloadSettings {
  /** The system prompt, if the format has it outside the messages. */
  system?: unknown;
  /** Tool definitions in the provider's format; they are counted. */
  tools?: unknown;
  /** Another folder than the client's. */
  storeDir?: string;
}

/** The history for the next model call. */
export interface Offloaded<M> {
  /** Messages for the next model call. Those that did not change are the caller's own objects. */
  messages: M[];
  /** For each message its index in the argument; null for a new one (a snapshot). */
  origins: (number | null)[];
  /** The system prompt for the next model call. */
  system: unknown;
  /** The service's report; null if the call failed. */
  report: OffloadReport | null;
  /** One line per file, or the reason why nothing was done. */
  answer: string;
  /** Whether messages or system differ from the arguments. */
  changed: boolean;
  /** The failure because of which the messages are the caller's own; null if the call succeeded. */
  error: UnburdenError | null;
}

/** A service that a client has started. */
export interface OwnService {
  /** Its address; another one after it was started again. */
  readonly url: string;
  /** The path of its log. */
  readonly log: string;
  /**
   * Starts it again where nothing listens at `url`, or joins the one that another process started.
   *
   * @returns whether this call did it; false where another one has, or tried too short a time ago.
   * @throws UnburdenError where it cannot.
   */
  restart(url: string): Promise<boolean>;
}

const DEFAULT_URL = 'http://127.0.0.1:8002';

/** A client of the service. One serves any number of agents at once. */
export class Unburden {
  /** Folder for the files, as the service sees it. */
  readonly storeDir: string;
  readonly #prefix: string;
  readonly #reloadTools: ReloadTools | undefined;
  readonly #warn: (message: string, error: UnburdenError) => void;
  readonly #collided = new Set<string>();
  readonly #transport: Transport;
  readonly #defaults: Record<string, unknown>;
  readonly #failOpen: boolean;
  readonly #outage: Outage;
  /** Of adapters: an answer that came, but not as their framework's messages. */
  readonly #misfit: Outage;
  #totals: Readonly<Totals> = noTotals;

  /**
   * @param own the service that this client has started.
   * @throws TypeError for an option of the wrong type or out of range.
   */
  constructor(options: UnburdenOptions = {}, own?: OwnService) {
    const {
      baseUrl,
      storeDir,
      token,
      timeoutMs,
      connectTimeoutMs,
      failOpen,
      onWarning,
      prefix,
      fetch: call,
      ...settings
    } = options;
    this.storeDir = filled(storeDir ?? './context_store', 'storeDir');
    this.#defaults = { include_files: false, ...wireSettings(settings) };
    this.#prefix = prefix ?? '';
    this.#reloadTools = settings.reloadTools;
    Object.assign(this.#defaults, this.#named(settings.reloadTools));
    this.#failOpen = failOpen ?? true;
    this.#warn = onWarning ?? ((message: string) => console.warn(message));
    const url = address(baseUrl ?? environment('UNBURDEN_URL') ?? DEFAULT_URL);
    this.#outage = new Outage(this.#warn, own ? `Its log: ${own.log}` : startCommand(url));
    this.#misfit = new Outage(this.#warn);
    this.#transport = new Transport({
      baseUrl: () => own?.url ?? url,
      token: bearer(token, 'token') ?? bearer(environment('UNBURDEN_TOKEN'), 'UNBURDEN_TOKEN'),
      timeoutMs: duration(timeoutMs ?? 30_000, 'timeoutMs'),
      connectTimeoutMs: duration(connectTimeoutMs ?? 2_000, 'connectTimeoutMs'),
      // A method of another object is no function of its own in every runtime.
      fetch: call ?? ((input, init) => fetch(input, init)),
      ...(own && { hasMoved: (at: string, found: UnburdenError) => this.#hasMoved(own, at, found) }),
    });
  }

  /** The totals of all offloads of this client. `addReport` adds up those of one chat. */
  get totals(): Readonly<Totals> {
    return this.#totals;
  }

  /**
   * Makes a history smaller: POST /context_offload. If the service is down, slow, or refuses, it
   * returns the same array of messages, with `error` set and a warning for each outage. After a
   * timeout it returns them for some seconds without asking.
   *
   * @param messages the whole history, oldest first, in any format that the service understands.
   * @throws TypeError if messages is not an array or an option is invalid.
   * @throws UnburdenError with `failOpen: false`, if the service cannot do it.
   */
  async offload<M>(messages: readonly M[], options: OffloadOptions = {}): Promise<Offloaded<M>> {
    if (!Array.isArray(messages)) throw new TypeError('unburden: messages is no array');
    const { system, tools, storeDir, ...given } = options;
    const settings: Record<string, unknown> = { ...this.#defaults, ...wireSettings(given) };
    if (given.reloadTools) Object.assign(settings, this.#named(given.reloadTools));
    this.noteTools(tools, given.reloadTools);
    settings['store_dir'] = filled(storeDir ?? this.storeDir, 'storeDir');
    if (system !== undefined && system !== null) settings['system'] = system;
    if (tools !== undefined && tools !== null) settings['tools'] = tools;
    const paused = this.#failOpen ? this.#outage.paused() : null;
    if (paused) return unchanged(messages, system, paused);
    const asked = performance.now();
    try {
      const done = await this.#offload(messages, settings);
      if (done.error) this.#outage.began(done.error);
      else this.#outage.ended();
      if (done.report) this.#totals = addReport(this.#totals, done.report);
      return done;
    } catch (error) {
      const known = named(error);
      if (!this.#failOpen) throw known;
      this.#outage.began(known, asked);
      return unchanged(messages, system, known);
    }
  }

  /**
   * For adapters: does `work`, which turns a framework's messages into those of a format and back.
   * Where it throws, the turn goes on without it: undefined, and a warning.
   *
   * @throws UnburdenError with `failOpen: false`.
   */
  async attempt<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      const done = await work();
      this.#misfit.ended();
      return done;
    } catch (error) {
      const known = named(error);
      if (!this.#failOpen) throw known;
      this.#misfit.began(known);
      return undefined;
    }
  }

  async #offload<M>(messages: readonly M[], settings: Record<string, unknown>): Promise<Offloaded<M>> {
    const texts = messages.map(toJson);
    // Each message is written once: what is compared later is what was sent.
    const body = `{"messages":[${texts.join(',')}],${toJson(settings).slice(1)}`;
    const answer = await this.#transport.post('/context_offload', body);
    if (answer.messages.length === 0 && messages.length > 0) {
      throw new UnburdenError('the service gave back no messages', {
        code: 'answer_unreadable',
        status: 200,
      });
    }
    const { messages: next, origins } = graft(messages, texts, answer.messages);
    const isSame = next.length === messages.length && next.every((each, at) => each === messages[at]);
    const system = same(settings['system'], answer.system) ? settings['system'] : answer.system;
    return {
      messages: isSame ? (messages as M[]) : next,
      origins,
      system,
      report: camel<OffloadReport>(answer.metadata['report'] ?? null),
      answer: answer.answer,
      changed: !isSame || system !== settings['system'],
      error: undone(answer),
    };
  }

  /** Searches the files of the store: POST /grep. @throws UnburdenError if it fails. */
  async grep(pattern: string, options: GrepOptions = {}): Promise<GrepResult> {
    return this.#result('/grep', { pattern, path: this.storeDir, ...wire(options) });
  }

  /** Reads a file, or a part: POST /read_file. @throws UnburdenError if it fails. */
  async readFile(path: string, options: ReadFileOptions = {}): Promise<ReadFileResult> {
    return this.#result('/read_file', { absolute_path: path, ...wire(options) });
  }

  /**
   * Reads a part of a tool result by the id of its call: POST /read_tool_result.
   *
   * @throws UnburdenError if it fails.
   */
  async readToolResult(resultId: string, options: ReadToolResultOptions = {}): Promise<ToolResultResult> {
    return this.#result('/read_tool_result', {
      result_id: resultId,
      store_dir: this.storeDir,
      ...wire(options),
    });
  }

  /** Queries a file of records: POST /lro_extract. @throws UnburdenError if it fails. */
  async extract(filePath: string, options: ExtractOptions): Promise<ExtractResult> {
    const data = ['records', 'groups', 'present', 'absent', 'outputs', 'values'];
    return this.#result('/lro_extract', { file_path: filePath, ...wire(options) }, data);
  }

  /**
   * Moves a large result to a file before it enters a history: POST /offload_result.
   *
   * @param operation name of the tool that returned the result.
   * @throws TypeError without an operation, and unless exactly one of `results` and `content` is given.
   * @throws UnburdenError if it fails.
   */
  async offloadResult(operation: string, options: OffloadResultOptions): Promise<OffloadResultResult> {
    const example = "such as offloadResult('list_orders', { results })";
    if (typeof operation !== 'string') {
      throw new TypeError(`unburden: operation is no string; accepted is the name of the tool, ${example}`);
    }
    if ((options?.results == null) === (options?.content == null)) {
      throw new TypeError(`unburden: exactly one of results and content is needed, ${example}`);
    }
    const isOwn = (options.profile ?? 'general') === 'general';
    // With a profile the descriptor is what its specification has.
    const compact = isOwn ? { descriptor: 'compact' } : {};
    const tools = this.#named(options.reloadTools ?? this.#reloadTools);
    const body = { operation, output_dir: this.storeDir, ...compact, ...wire(options), ...tools };
    return this.#result('/offload_result', body, ['offload', 'results', 'file']);
  }

  /** Counts tokens: POST /count_tokens. @throws UnburdenError if it fails. */
  async countTokens(messages: readonly unknown[], options: CountOptions = {}): Promise<CountResult> {
    return this.#result('/count_tokens', { messages, ...wire(options) });
  }

  /** Lists what a provider would reject: POST /validate. @throws UnburdenError if it fails. */
  async validate(messages: readonly unknown[], options: { format?: Format } = {}): Promise<ValidateResult> {
    return this.#result('/validate', { messages, ...wire(options) });
  }

  /** Restores the original history: POST /rehydrate. @throws UnburdenError if it fails. */
  async rehydrate<M>(
    messages: readonly M[],
    options: { system?: unknown; format?: Format } = {},
  ): Promise<RehydrateResult<M>> {
    const answer = await this.#transport.post('/rehydrate', { messages, ...wire(options) });
    return {
      ...camel<RehydrateResult<M>>(answer.metadata, ['system']),
      text: answer.answer,
      messages: answer.messages as M[],
      system: answer.system,
    };
  }

  /** Whether the service answers, within `connectTimeoutMs`. Never throws. */
  healthy(): Promise<boolean> {
    return this.#transport.healthy();
  }

  /** The retrieval tools in a provider's form, with the agent's names; see {@link toolDefinitions}. */
  toolDefinitions(format: ToolFormat, only?: readonly ReloadToolName[]): Record<string, unknown>[] {
    const names = this.toolNames();
    return toolDefinitions(format, only ?? owned(names), names);
  }

  /**
   * For adapters: the definitions of the reload tools under the agent's names.
   *
   * @param only the names of those that are wanted; default the client's.
   * @param tools settings for the adapter alone.
   */
  reloadToolDefinitions(only?: readonly ReloadToolName[], tools?: ReloadTools): ReloadToolDefinition[] {
    const names = this.toolNames(tools);
    return reloadToolDefinitions(only ?? owned(names), names);
  }

  /** The agent's name for each tool that it has. */
  toolNames(tools: ReloadTools | undefined = this.#reloadTools): ToolNames {
    return toolNames(tools, this.#prefix);
  }

  /** For adapters: warns where a tool of the agent has the name of a reload tool, once for each name. */
  noteTools(tools: unknown, reloadTools?: ReloadTools): void {
    const found = collisions(tools, this.toolNames(reloadTools)).filter((name) => !this.#collided.has(name));
    if (found.length === 0) return;
    found.forEach((name) => this.#collided.add(name));
    const clash =
      `the agent has tools of its own with the names of retrieval tools: ${found.join(', ')}; ` +
      "one of each two is lost. Set prefix: 'unburden_' for the client, or leave these out of " +
      "reloadTools and of the agent's tools";
    this.#warn(`unburden: ${clash}.`, new UnburdenError(clash, { code: 'tool_names_clash' }));
  }

  /**
   * Runs a retrieval tool for a model. Returns at most 8000 tokens; the header of a truncated page
   * says how to continue. Never throws: an error is returned as a sentence, so that the model can
   * correct its call.
   *
   * @param args the model's arguments, an object or its JSON.
   */
  runTool(name: string, args: unknown): Promise<string> {
    const post = (path: string, body: Record<string, unknown>) => this.#transport.post(path, body);
    return runTool({ post, storeDir: this.storeDir, toolNames: this.toolNames() }, name, args);
  }

  /** Whether the client's own service has another address, after it was started again where it had ended. */
  async #hasMoved(own: OwnService, url: string, found: UnburdenError): Promise<boolean> {
    const restarted = await own.restart(url).catch((error: unknown) => {
      const message = `${found.message}; it could not be started again: ${reason(error)}`;
      throw new UnburdenError(message, { code: found.code, cause: error });
    });
    if (restarted) {
      const news = `the service at ${url} has ended; started again at ${own.url}`;
      this.#warn(`unburden: ${news}. Its log: ${own.log}`, found);
    }
    return restarted || own.url !== url;
  }

  /** The setting under its name in the contract; empty where nothing is named. */
  #named(tools: ReloadTools | undefined): Record<string, unknown> {
    if (!this.#prefix) return tools === undefined ? {} : { reload_tools: tools };
    return { reload_tools: this.toolNames(tools) };
  }

  async #result<T>(path: string, body: Record<string, unknown>, opaque: string[] = []): Promise<T> {
    const answer = await this.#transport.post(path, body);
    return { ...camel<object>(answer.metadata, opaque), text: answer.answer } as T;
  }
}

function owned(names: ToolNames): ReloadToolName[] {
  return (Object.keys(names) as (keyof ToolNames)[]).filter((name) => name !== 'shell');
}

/** Options under the names of the contract; their values may hold data of others and stay. */
function wire(options: object): Record<string, unknown> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [wireName(name), value]));
}

function named(error: unknown): UnburdenError {
  if (error instanceof UnburdenError) return error;
  const message = `the messages cannot be offloaded: ${reason(error)}`;
  return new UnburdenError(message, { code: 'arguments_unreadable', cause: error });
}

/** The service itself fails open, too: a full disk, say, is a success with a warning. */
function undone(answer: Envelope): UnburdenError | null {
  if (!answer.answer.startsWith('Nothing was done:')) return null;
  return new UnburdenError(answer.answer.replace(/\.$/, ''), { code: 'not_done', status: 200 });
}

function unchanged<M>(messages: readonly M[], system: unknown, error: UnburdenError): Offloaded<M> {
  return {
    messages: messages as M[],
    origins: messages.map((_, at) => at),
    system,
    report: null,
    answer: error.message,
    changed: false,
    error,
  };
}

function same(sent: unknown, returned: unknown): boolean {
  return returned === undefined || returned === null || toJson(sent ?? null) === toJson(returned);
}

function filled(value: unknown, name: string): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw new TypeError(`unburden: ${name} is no path`);
}

function duration(value: unknown, name: string): number {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value;
  throw new TypeError(`unburden: ${name} is no number of milliseconds above 0`);
}

/** The token without white space at its ends, as a file has it. Errors do not show it. */
function bearer(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new TypeError(`unburden: ${name} is no string`);
  const token = value.trim();
  const at = token.search(/[^ -~]/);
  if (at < 0) return token;
  throw new TypeError(
    `unburden: ${name}: a header cannot hold its character ${at + 1}; accepted is printable ASCII`,
  );
}

function address(value: unknown): string {
  const isUrl = typeof value === 'string' && /^https?:\/\/[^/]/.test(value) && URL.canParse(value);
  if (!isUrl)
    throw new TypeError(`unburden: baseUrl is ${String(value)}; accepted is an address such as ${DEFAULT_URL}`);
  return value.replace(/\/+$/, '');
}
