import { nearest } from './nearest.js';
import { ACCEPTED } from './settings.generated.js';
import type { Accepted, OffloadSettings as Declared, ReloadTool } from './settings.generated.js';

export type { Format, ReloadTool } from './settings.generated.js';

/** The retrieval tools that an agent has, or its name for each. */
export type ReloadTools = readonly ReloadTool[] | { readonly [tool in ReloadTool]?: string };

/** Settings of `offload`; an absent one is the service's default. */
export interface OffloadSettings extends Omit<Declared, 'reloadTools'> {
  /**
   * The retrieval tools that the agent has, or its name for each; references name only those.
   * Default: read_file, grep, lro_extract, read_tool_result, shell.
   */
  reloadTools?: ReloadTools;
}

/** A name that an agent may have for a tool. */
export const TOOL_NAME = /^[A-Za-z0-9_.:/-]{1,128}$/;

function namesRefusal(words: readonly string[], names: object): string | null {
  const own = Object.values(names);
  const taken =
    Object.keys(names).every((tool) => words.includes(tool)) &&
    own.every((name) => typeof name === 'string' && TOOL_NAME.test(name)) &&
    new Set(own).size === own.length;
  const accepted = 'one name each, of letters, digits, _ - . : /, at most 128';
  return taken ? null : `an object with ${words.join(', ')} and ${accepted}`;
}

/** What a setting takes, in words; null for a value that is taken. */
function refusal(accepted: Accepted, value: unknown): string | null {
  const said = (taken: boolean, words: string): string | null => (taken ? null : words);
  if (typeof accepted === 'number') {
    const taken = Number.isSafeInteger(value) && (value as number) >= accepted;
    return said(taken, `a whole number from ${accepted}`);
  }
  if (accepted === 'fraction') {
    return said(typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1');
  }
  if (accepted === 'flag') return said(typeof value === 'boolean', 'true or false');
  if (accepted === 'text') return said(typeof value === 'string', 'a string');
  if ('word' in accepted) {
    return said(accepted.word.includes(value as string), `one of ${accepted.word.join(', ')}`);
  }
  const { words } = accepted;
  const taken = Array.isArray(value) && value.every((each) => words.includes(each));
  return said(taken, `a list of ${words.join(', ')}`);
}

/** The name of a setting in the service's contract. */
export const wireName = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

/**
 * The settings among `options`, checked, under the names of the contract.
 *
 * @throws TypeError for a name that is none and for a value of the wrong type or out of range.
 */
export function wireSettings(options: object): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    if (!Object.hasOwn(ACCEPTED, name)) {
      const near = nearest(name, Object.keys(ACCEPTED));
      const hint = near ? `; did you mean ${near}?` : `; accepted are ${Object.keys(ACCEPTED).join(', ')}`;
      throw new TypeError(`unburden: ${name} is no setting${hint}`);
    }
    const declared = ACCEPTED[name as keyof Declared];
    const isNames = name === 'reloadTools' && typeof value === 'object' && !Array.isArray(value);
    const accepted =
      isNames && typeof declared === 'object' && 'words' in declared
        ? namesRefusal(declared.words, value)
        : refusal(declared, value);
    if (accepted) throw new TypeError(`unburden: ${name} is ${shown(value)}; accepted is ${accepted}`);
    wire[wireName(name)] = value;
  }
  return wire;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value.slice(0, 60)}"`;
  return (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 60);
}
