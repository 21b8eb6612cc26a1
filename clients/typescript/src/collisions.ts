import { reloadToolDefinitions } from './tools.js';
import type { ReloadToolName, ToolNames } from './tools.js';

type Definition = { name: string; text: string };

/**
 * The names that both a reload tool and a tool of the agent's own have.
 *
 * A framework that keeps its tools by name may have dropped one of the two already. The reload
 * tools stand together in a list of tools; one that stands elsewhere took the place of another
 * tool. An agent without any reload tool reads the files with tools of its own.
 *
 * @param tools tool definitions in any provider's or framework's format.
 * @param names the agent's name for each reload tool that it has.
 */
export function collisions(tools: unknown, names: ToolNames): string[] {
  const has = (tool: string): boolean => names[tool as ReloadToolName] !== undefined;
  const defined = reloadToolDefinitions(undefined, names).filter(({ tool }) => has(tool));
  const ours = new Map(defined.map(({ name, description }) => [name, head(description)]));
  const found = definitions(tools);
  const isOurs = ({ name, text }: Definition): boolean => ours.get(name) === head(text);
  const places = found.flatMap((each, at) => (isOurs(each) ? [at] : []));
  if (places.length === 0) return [];
  const taken = new Set(found.filter((each) => ours.has(each.name) && !isOurs(each)).map(({ name }) => name));
  const inOrder = found.map(({ name }) => name);
  // A list in the order of the alphabet says nothing of who came first.
  if (inOrder.join() !== [...inOrder].sort().join()) {
    const together = longestRun(places);
    places.filter((at) => !together.includes(at)).forEach((at) => taken.add(inOrder[at] as string));
  }
  return [...ours.keys()].filter((name) => taken.has(name));
}

function longestRun(places: number[]): number[] {
  const runs: number[][] = [];
  for (const at of places) {
    const last = runs.at(-1);
    if (last?.at(-1) === at - 1) last.push(at);
    else runs.push([at]);
  }
  return runs.reduce((longest, run) => (run.length >= longest.length ? run : longest), []);
}

/** Frameworks wrap and strip descriptions. */
const head = (text: string): string => text.split(/\s+/).filter(Boolean).join(' ').slice(0, 60);

const PLACES = ['function', 'functionDeclarations', 'function_declarations', 'toolSpec', 'tools'];

/** Name and description of each definition, wherever a format has them. */
function definitions(tools: unknown): Definition[] {
  if (Array.isArray(tools)) return tools.flatMap(definitions);
  if (typeof tools !== 'object' || tools === null) return [];
  const members = tools as Record<string, unknown>;
  const { name, description } = members;
  if (typeof name === 'string') return [{ name, text: typeof description === 'string' ? description : '' }];
  return PLACES.flatMap((place) => definitions(members[place]));
}
