import { ACCEPTED } from './settings.generated.js';
import type { Accepted, OffloadSettings } from './settings.generated.js';

export type { Format, OffloadSettings, ReloadTool } from './settings.generated.js';

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
    if (!Object.hasOwn(ACCEPTED, name)) throw new TypeError(`unburden: ${name} is no setting`);
    const accepted = refusal(ACCEPTED[name as keyof OffloadSettings], value);
    if (accepted) throw new TypeError(`unburden: ${name} is ${shown(value)}; accepted is ${accepted}`);
    wire[wireName(name)] = value;
  }
  return wire;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 60)}"` : String(value).slice(0, 60);
}
