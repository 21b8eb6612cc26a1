/**
 * Runs the TypeScript of the repository's README against the real program: every line that it
 * promises, as a comment behind a `console.log`, must be said.
 *
 *   node agents/quickstart.ts path/to/unburden path/to/README.md
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Service } from './service.ts';

const [binary, page] = process.argv.slice(2);
if (!binary || !page) throw new Error('quickstart.ts: give the program and the README');

const code = /^```ts\n(.*?)^```$/ms.exec(await readFile(page, 'utf8'))?.[1];
assert.ok(code, 'the README has no TypeScript');
const promised = [...code.matchAll(/^console\.log.*; \/\/ (.*)$/gm)].map(([, line]) => line as string);
assert.ok(promised.length > 1, 'the README promises nothing');

// Beside this folder, where the package finds itself by its name.
await writeFile('quickstart.ts', code);
const root = await mkdtemp(join(tmpdir(), 'unburden-quickstart-'));
const service = await Service.start(binary, root);
try {
  const env = { ...process.env, UNBURDEN_URL: service.url };
  const { stdout } = await promisify(execFile)(process.execPath, ['quickstart.ts'], { env });
  for (const line of promised) assert.ok(stdout.includes(line), `${line} is not in: ${stdout}`);
} finally {
  await service.kill();
  await rm(root, { recursive: true, force: true });
}
console.log("the README's TypeScript says what it promises");
