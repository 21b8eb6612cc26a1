import { isPlain, toJson } from './json.js';

/** A history that came back, over the objects that it was made of. */
export interface Grafted<M> {
  /** The messages; those that did not change are the caller's own objects. */
  messages: M[];
  /** For each of them the index of the message it was, null for a new one. */
  origins: (number | null)[];
}

// What names a message or the call that it answers, in the formats that the service knows.
const NAMES = ['id', 'call_id', 'tool_call_id', 'tool_use_id', 'toolCallId', 'toolUseId', 'callId'];

/**
 * Puts the caller's objects back into a history that went through JSON: whole messages where
 * nothing changed, and inside the others whatever did not (bytes of an image beside a text that
 * moved, say).
 *
 * @param originals the messages that were sent.
 * @param texts each of them as the JSON that was sent.
 * @param returned the messages of the answer.
 */
export function graft<M>(
  originals: readonly M[],
  texts: readonly string[],
  returned: readonly unknown[],
): Grafted<M> {
  const origins = pair(originals, texts, returned);
  const messages = returned.map((now, at) => {
    const origin = origins[at];
    return (origin == null ? now : over(originals[origin], now)) as M;
  });
  return { messages, origins };
}

/** The original of each message: the equal one, else the one of the same name. */
function pair(
  originals: readonly unknown[],
  texts: readonly string[],
  returned: readonly unknown[],
): (number | null)[] {
  if (
    originals.length === returned.length &&
    returned.every((now, at) => signature(now) === signature(originals[at]))
  ) {
    return returned.map((_, at) => at);
  }
  const equal = queues(texts);
  const origins = returned.map((now) => equal.get(toJson(now))?.shift() ?? null);
  const taken = new Set(origins);
  const named = queues(originals.map((message, at) => (taken.has(at) ? '' : signature(message))));
  return origins.map((origin, at) => {
    const name = signature(returned[at]);
    return origin ?? (name.includes('=') ? (named.get(name)?.shift() ?? null) : null);
  });
}

function queues(keys: readonly string[]): Map<string, number[]> {
  const map = new Map<string, number[]>();
  keys.forEach((key, at) => map.set(key, [...(map.get(key) ?? []), at]));
  return map;
}

/** Role, type and every id of a message: what an edit of its texts leaves alone. */
function signature(message: unknown): string {
  const found: string[] = [];
  const walk = (value: unknown, depth: number): void => {
    if (depth > 4 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach((each) => walk(each, depth + 1));
    for (const [name, member] of Object.entries(value)) {
      if (NAMES.includes(name) && typeof member === 'string') found.push(`${name}=${member}`);
      else if (['content', 'data', 'parts', 'kwargs', 'toolResult', 'message'].includes(name))
        walk(member, depth + 1);
    }
  };
  walk(message, 0);
  const { role, type } = (message ?? {}) as { role?: unknown; type?: unknown };
  return [role, type, ...found].join(' ');
}

function over(was: unknown, now: unknown): unknown {
  if (toJson(was) === toJson(now)) return was;
  if (Array.isArray(was) && Array.isArray(now) && was.length === now.length) {
    return now.map((each, at) => over(was[at], each));
  }
  if (!isPlain(was) || !isPlain(now)) return now;
  return Object.fromEntries(Object.entries(now).map(([name, each]) => [name, over(was[name], each)]));
}
