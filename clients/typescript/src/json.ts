/**
 * A value as JSON. Bytes become base64, as the formats have them, and integers that JSON's
 * readers cannot hold become text: what frameworks keep in messages is not always JSON.
 *
 * @throws TypeError for a value that contains itself.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, plain) ?? 'null';
}

function plain(this: unknown, key: string, value: unknown): unknown {
  // A Buffer has made itself an object of numbers before it comes here as `value`.
  const raw = (this as Record<string, unknown>)[key];
  if (raw instanceof Uint8Array) return base64(raw);
  if (raw instanceof ArrayBuffer) return base64(new Uint8Array(raw));
  return typeof value === 'bigint' ? String(value) : value;
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // More arguments than this overflow the stack of some runtimes.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return btoa(parts.join(''));
}

/** True for an object that JSON could have made. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
