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
  name: ReloadToolName;
  title: string;
  description: string;
  annotations: Record<string, boolean>;
  input_schema: ToolSchema;
}

/**
 * The definitions of the reload tools, each call a copy of its own.
 *
 * @param only the names of those that are wanted; default all four.
 * @throws TypeError for a name that is none.
 */
export function reloadToolDefinitions(only?: readonly ReloadToolName[]): ReloadToolDefinition[] {
  const all = structuredClone(TOOLS) as unknown as ReloadToolDefinition[];
  const unknown = only?.find((name) => !all.some((tool) => tool.name === name));
  if (unknown !== undefined) throw new TypeError(`unburden: ${unknown} is no reload tool`);
  return only ? all.filter((tool) => only.includes(tool.name)) : all;
}

/**
 * The reload tools as a provider takes them in `tools`. Needs no service.
 *
 * @param format `openai` for chat completions, `openai-responses`, `anthropic`, `gemini` (one
 *   element with `functionDeclarations`), `mcp` (as `tools/list` gives them).
 * @param only the names of those that are wanted; default all four.
 */
export function toolDefinitions(
  format: ToolFormat,
  only?: readonly ReloadToolName[],
): Record<string, unknown>[] {
  const tools = reloadToolDefinitions(only);
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
