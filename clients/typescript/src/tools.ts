import { TOOL_NAME } from './settings.js';
import type { ReloadTools } from './settings.js';
import { TOOLS } from './tools.generated.js';

/** A reload tool that the client can run. */
export type ReloadToolName = (typeof TOOLS)[number]['name'];

/** Whose spelling of a tool definition. */
export type ToolFormat = 'openai' | 'openai-responses' | 'anthropic' | 'gemini' | 'mcp';

/** JSON Schema of a tool's arguments. */
export interface ToolSchema {
  type: 'object';
  properties: Record<string, Record<string, unknown>>;
  required: string[];
}

/** A reload tool as the product defines it. */
export interface ReloadToolDefinition {
  tool: ReloadToolName;
  /** The agent's name for it. */
  name: string;
  title: string;
  description: string;
  annotations: Record<string, boolean>;
  input_schema: ToolSchema;
}

/** The agent's name for each tool that it has; a shell is among them. */
export type ToolNames = { readonly [tool in ReloadToolName | 'shell']?: string };

const EVERY = [...TOOLS.map((tool) => tool.name), 'shell'] as const;

/**
 * The agent's names for its tools.
 *
 * @param tools a list of them, or an object with the names; default all.
 * @param prefix of the names of a list, but for a shell's.
 * @throws TypeError for a prefix that no name can have, and for one beside names.
 */
export function toolNames(tools: ReloadTools = EVERY, prefix = ''): ToolNames {
  if (!isList(tools)) {
    if (prefix) throw new TypeError('unburden: prefix is for a list of reloadTools; an object has the names');
    return tools;
  }
  if (prefix && !TOOL_NAME.test(`${prefix}read_tool_result`)) {
    throw new TypeError(`unburden: prefix is ${prefix}; accepted are letters, digits, _ - . : /`);
  }
  return Object.fromEntries(tools.map((tool) => [tool, tool === 'shell' ? tool : `${prefix}${tool}`]));
}

const isList = (tools: ReloadTools): tools is Extract<ReloadTools, readonly unknown[]> => Array.isArray(tools);

/**
 * The definitions of the reload tools, each call a copy of its own.
 *
 * @param only the names of those that are wanted; default all four.
 * @param names the agent's name for each; default their own.
 * @throws TypeError for a name that is none.
 */
export function reloadToolDefinitions(
  only?: readonly ReloadToolName[],
  names: ToolNames = {},
): ReloadToolDefinition[] {
  const unknown = only?.find((name) => !TOOLS.some((tool) => tool.name === name));
  if (unknown !== undefined) throw new TypeError(`unburden: ${unknown} is no reload tool`);
  const own = (tool: string): string => names[tool as ReloadToolName] ?? tool;
  // A description may name another of the tools.
  const words = new RegExp(`\\b(?:${TOOLS.map((tool) => tool.name).join('|')})\\b`, 'g');
  return TOOLS.filter((tool) => !only || only.includes(tool.name)).map((tool) => ({
    ...(structuredClone(tool) as unknown as ReloadToolDefinition),
    tool: tool.name,
    name: own(tool.name),
    description: tool.description.replace(words, own),
  }));
}

/**
 * The reload tools as a provider takes them in `tools`. Needs no service.
 *
 * @param format `openai` for chat completions, `openai-responses`, `anthropic`, `gemini` (one
 *   element with `functionDeclarations`), `mcp` (as `tools/list` gives them).
 * @param only the names of those that are wanted; default all four.
 * @param names the agent's name for each; default their own.
 */
export function toolDefinitions(
  format: ToolFormat,
  only?: readonly ReloadToolName[],
  names?: ToolNames,
): Record<string, unknown>[] {
  const tools = reloadToolDefinitions(only, names);
  switch (format) {
    case 'openai':
      return tools.map((tool) => ({ type: 'function', function: named(tool, 'parameters') }));
    case 'openai-responses':
      // Strict mode asks for every member to be required.
      return tools.map((tool) => ({ type: 'function', ...named(tool, 'parameters'), strict: false }));
    case 'anthropic':
      return tools.map((tool) => named(tool, 'input_schema'));
    case 'gemini':
      // `parameters` takes a part of JSON Schema only, without lists of types.
      return [{ functionDeclarations: tools.map((tool) => named(tool, 'parametersJsonSchema')) }];
    case 'mcp':
      return tools.map((tool) => ({
        ...named(tool, 'inputSchema'),
        title: tool.title,
        annotations: tool.annotations,
      }));
    default:
      throw new TypeError(`unburden: ${String(format)} is no format of tools`);
  }
}

function named(tool: ReloadToolDefinition, schema: string): Record<string, unknown> {
  return { name: tool.name, description: tool.description, [schema]: tool.input_schema };
}
