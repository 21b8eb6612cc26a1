import { UnburdenError } from './errors.js';
import type { ToolNames } from './tools.js';
import { TOOLS } from './tools.generated.js';
import type { Envelope } from './transport.js';

/** The most tokens of a reload tool's answer, unless the model asked for fewer. */
const MOST_TOKENS = 8000;

type Arguments = Record<string, unknown>;

/** What a reload tool needs of a client. */
export interface ToolBackend {
  post(path: string, body: Arguments): Promise<Envelope>;
  storeDir: string;
  /** The agent's name for each tool. */
  toolNames: ToolNames;
}

/**
 * Runs a reload tool for a model. What goes wrong is a sentence that the model can act on:
 * nothing is thrown for an answer of the service, or for none.
 */
export async function runTool(backend: ToolBackend, called: string, given: unknown): Promise<string> {
  const own = TOOLS.map((tool) => [tool.name, backend.toolNames[tool.name] ?? tool.name] as const);
  // Adapters know a tool by both names.
  const name = (own.find(([, shown]) => shown === called) ?? own.find(([tool]) => tool === called))?.[0];
  if (!name) return `Error: there is no tool ${called}; there are ${own.map((pair) => pair[1]).join(', ')}.`;
  const args = parsed(given);
  const required: readonly string[] = TOOLS.find((tool) => tool.name === name)?.input_schema.required ?? [];
  if (!args) return `Error: the arguments of ${called} are not a JSON object.`;
  try {
    // Without what is required the service refuses, and repeats what it got in the call that it suggests.
    const isWhole = required.every((key) => args[key] != null);
    const body = isWhole ? { ...args, ...defaults(name, args, backend.storeDir) } : args;
    const { answer, metadata } = await backend.post(`/${name}`, body);
    return metadata['truncated'] === true ? goesOn(answer, change(args, metadata)) : answer;
  } catch (error) {
    if (error instanceof UnburdenError) return `Error: ${error.message}`;
    throw error;
  }
}

/** An object, or the JSON of one; a model without arguments to give sends an empty string. */
function parsed(given: unknown): Arguments | null {
  if (given === undefined || given === null || given === '') return {};
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Arguments) : null;
  } catch {
    return null;
  }
}

function defaults(name: string, args: Arguments, storeDir: string): Arguments {
  const asked = args['max_tokens'];
  const fewer = typeof asked !== 'number' || asked < MOST_TOKENS;
  const ceiling = { max_tokens: fewer ? (asked ?? MOST_TOKENS) : MOST_TOKENS };
  // Without a folder the service would look into the stores of other agents, too.
  if (name === 'grep') return { ...ceiling, path: args['path'] ?? storeDir };
  if (name === 'read_tool_result') return { ...ceiling, store_dir: args['store_dir'] ?? storeDir };
  return ceiling;
}

/** What stands between a page's header and the page. */
const RULE = '\n\n---\n\n';

/**
 * A page whose header says how to go on. Below the header stands what the file holds and nothing
 * else: by that the service knows it as read back and keeps no copy. Answers about records and
 * searches say themselves what was cut.
 */
function goesOn(page: string, change: string | null): string {
  const at = page.indexOf(RULE);
  if (!change || at < 0 || !page.startsWith('Showing ') || page.slice(0, at).includes('\n')) return page;
  return `${page.slice(0, at)} More: the same call with ${change}.${page.slice(at)}`;
}

/** What changes in the call that goes on; null where there is none. */
function change(args: Arguments, metadata: Arguments): string | null {
  const [lines, line, byte] = ['next_lines', 'next_start_line', 'next_byte_offset'].map((key) => metadata[key]);
  const without = args['offset'] != null ? ' and without offset' : '';
  if (lines != null) return `lines=${String(lines)}`;
  if (line != null) return `start_line=${String(line)}${without}`;
  // A line too long for the ceiling can only be read on by bytes.
  return byte != null ? `byte_offset=${String(byte)}` : null;
}
