import { isPlain } from './json.js';

/**
 * An object of the contract with its names as TypeScript spells them.
 *
 * @param opaque members that hold data of others (records, schemas, messages): their own names stay.
 */
export function camel<T>(value: unknown, opaque: readonly string[] = []): T {
  if (Array.isArray(value)) return value.map((each) => camel(each, opaque)) as T;
  if (!isPlain(value)) return value as T;
  const entries = Object.entries(value).map(([name, each]) => [
    name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
    opaque.includes(name) ? each : camel(each, opaque),
  ]);
  return Object.fromEntries(entries) as T;
}
