/** Services that `startLocal` starts, shares and leaves behind; UNBURDEN_BINARY names the program. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unburden } from 'unburden';
import { startLocal } from 'unburden/local';
import type { LocalUnburden } from 'unburden/local';
import { clientOf, nowhere } from './support.ts';

const BINARY = process.env['UNBURDEN_BINARY'];
const LIVES = 20;

const log = Array.from({ length: 900 }, (_, n) => `Compiling package ${n} of the release`).join('\n');
const HISTORY = [
  { role: 'user', content: 'build it' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'run', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: `${log}\nerror: no space left` },
  { role: 'user', content: 'why?' },
];

const PARENT = `
import { startLocal } from 'unburden/local';
const client = await startLocal({ storeDir: process.argv[1] });
console.log(client.url);
await new Promise((ended) => process.stdin.once('end', ended).resume());
`;

suite('startLocal', { skip: BINARY ? false : 'UNBURDEN_BINARY is not set' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'unburden-local-'));
  const store = (name: string): string => join(folder, name);

  before(() => {
    // The files of these services, apart from those of the user's own.
    mkdirSync(join(folder, 'run'));
    process.env['XDG_RUNTIME_DIR'] = join(folder, 'run');
    delete process.env['UNBURDEN_URL'];
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Another process that starts a service, or joins one. */
  async function parent(storeDir: string): Promise<{ child: ChildProcess; url: string }> {
    const args = ['--input-type=module', '-e', PARENT, storeDir];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    for await (const url of createInterface({ input: child.stdout! })) return { child, url };
    throw new Error('the parent said nothing');
  }

  async function stops(url: string): Promise<boolean> {
    const client = new Unburden({ baseUrl: url });
    for (let n = 0; n < 1000; n += 1) {
      if (!(await client.healthy())) return true;
      await sleep(20);
    }
    return false;
  }

  test('one word, and a history shrinks', async () => {
    const client = await startLocal({ storeDir: store('one'), maxTotalTokens: 500 });
    const done = await client.offload(HISTORY);
    assert.equal(done.error, null);
    assert.equal(done.changed, true);
    assert.match(await client.runTool('grep', { pattern: 'no space' }), /no space left/);
    assert.ok(client.log && existsSync(client.log));
    const again = await startLocal({ storeDir: store('one') });
    assert.equal(again.url, client.url);
    client.close();
    client.close();
    assert.equal(await again.healthy(), true);
    again.close();
    assert.equal(await stops(client.url), true);
  });

  test('processes share a service, and the last one ends it', async () => {
    const [first, second] = await Promise.all([parent(store('shared')), parent(store('shared'))]);
    assert.equal(first.url, second.url);
    first.child.kill('SIGKILL');
    await sleep(300);
    assert.equal(await new Unburden({ baseUrl: first.url }).healthy(), true);
    // This one ends by itself, with the service still open.
    second.child.stdin!.end();
    const code = await new Promise((ended) => second.child.once('exit', ended));
    assert.equal(code, 0);
    assert.equal(await stops(second.url), true);
  });

  test('a killed parent leaves no orphan', async () => {
    const urls: string[] = [];
    const lives = Array.from({ length: LIVES }, (_, n) => n);
    const live = async (): Promise<void> => {
      for (let n = lives.pop(); n !== undefined; n = lives.pop()) {
        const { child, url } = await parent(store(`life-${n % 3}`));
        child.kill('SIGKILL');
        urls.push(url);
      }
    };
    await Promise.all([live(), live(), live()]);
    assert.equal(urls.length, LIVES);
    for (const url of new Set(urls)) assert.equal(await stops(url), true, url);
  });

  /** Kills the processes of a store's service, as a crash would; returns the number of them. */
  async function crash(storeDir: string): Promise<number> {
    const named = (pid: string): boolean => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith(`\0--root\0${storeDir}\0`);
      } catch {
        return false;
      }
    };
    const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && named(pid));
    for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
    while (pids.some(named)) await sleep(5);
    return pids.length;
  }

  /** A client that notes its warnings. */
  async function local(storeDir: string): Promise<{ client: LocalUnburden; warnings: string[] }> {
    const warnings: string[] = [];
    const client = await startLocal({ storeDir, onWarning: (message) => warnings.push(message) });
    return { client, warnings };
  }

  test('a service that was killed is started again', async () => {
    const { client, warnings } = await local(store('killed'));
    const other = await local(store('killed'));
    const { url } = client;
    assert.equal(await crash(store('killed')), 1);
    const turns = [client, other.client, client, other.client].map((each) => each.offload(HISTORY));
    const codes = (await Promise.all(turns)).map(({ error }) => error?.code);
    assert.deepEqual(codes, [undefined, undefined, undefined, undefined]);
    assert.notEqual(client.url, url);
    assert.equal(other.client.url, client.url);
    assert.deepEqual(
      [...warnings, ...other.warnings],
      [`unburden: the service at ${url} has ended; started again at ${client.url}. Its log: ${client.log}`],
    );
    assert.match(await client.runTool('grep', { pattern: 'x' }), /No matches/);
    client.close();
    assert.equal(await other.client.healthy(), true);
    other.client.close();
    assert.equal(await stops(client.url), true);
  });

  test('a service that ends again is not started on every turn', async (t) => {
    const { client, warnings } = await local(store('again'));
    await crash(store('again'));
    assert.equal((await client.offload(HISTORY)).error, null);
    await crash(store('again'));
    warnings.length = 0;
    for (let n = 0; n < 3; n += 1) assert.equal((await client.offload(HISTORY)).error?.code, 'unreachable');
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /; continuing with the original messages. Its log: /);
    const later = performance.now() + 11_000;
    t.mock.method(performance, 'now', () => later);
    assert.equal((await client.offload(HISTORY)).error, null);
    client.close();
  });

  test('a service that cannot start again says why once', async (t) => {
    const { client, warnings } = await local(store('never'));
    await crash(store('never'));
    process.env['UNBURDEN_BINARY'] = '/no/such/program';
    t.after(() => (process.env['UNBURDEN_BINARY'] = BINARY));
    for (let n = 0; n < 3; n += 1) assert.equal((await client.offload(HISTORY)).error?.code, 'unreachable');
    assert.match(await client.runTool('grep', { pattern: 'x' }), /^Error: .*it could not be started again/);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /it could not be started again: unburden: UNBURDEN_BINARY is "\/no\/such/);
    client.close();
  });

  test('a client follows the service that another process started', async () => {
    const { client } = await local(store('followed'));
    await crash(store('followed'));
    const { child, url } = await parent(store('followed'));
    assert.equal((await client.offload(HISTORY)).error, null);
    assert.equal(client.url, url);
    child.kill('SIGKILL');
    client.close();
    assert.equal(await stops(url), true);
  });

  test('the token that the service demands', async (t) => {
    writeFileSync(store('token'), 'a token of a file\n');
    const names = ['UNBURDEN_SERVER__TOKEN', 'UNBURDEN_SERVER__TOKEN_FILE', 'UNBURDEN_TOKEN'];
    const forget = (): void => names.forEach((name) => delete process.env[name]);
    t.after(forget);
    const variables = [
      { UNBURDEN_SERVER__TOKEN: 'a token of the service\n' },
      { UNBURDEN_SERVER__TOKEN: 'a token of the service', UNBURDEN_TOKEN: 'of another service' },
      { UNBURDEN_SERVER__TOKEN_FILE: store('token') },
    ];
    for (const [at, each] of variables.entries()) {
      Object.assign(process.env, each);
      const client = await startLocal({ storeDir: store(`token-${at}`) });
      assert.equal((await client.offload(HISTORY)).error, null);
      const { client: alone } = clientOf(client.url);
      assert.equal((await alone.offload(HISTORY)).error?.code, 'unauthorized');
      client.close();
      forget();
    }
  });

  test('what does not start says why', async () => {
    writeFileSync(store('file'), '');
    const started = (storeDir: string): Promise<unknown> => startLocal({ storeDir });
    await assert.rejects(started(store('file')), { code: 'not_started' });
    process.env['UNBURDEN_STORE__ROOT'] = 'x';
    await assert.rejects(started(store('x')), /the service did not start: error: .*root/);
    delete process.env['UNBURDEN_STORE__ROOT'];
    process.env['UNBURDEN_BINARY'] = '/no/such/program';
    await assert.rejects(started(store('y')), /UNBURDEN_BINARY is "\/no\/such\/program"/);
    process.env['UNBURDEN_BINARY'] = BINARY;
    await assert.rejects(startLocal({ maxTotalToken: 1 } as object), /did you mean maxTotalTokens\?/);
    await assert.rejects(startLocal({ baseUrl: 'http://x' } as object), /leave it out/);
  });

  test('an address of the environment wins', async () => {
    process.env['UNBURDEN_URL'] = await nowhere();
    const client = await startLocal();
    delete process.env['UNBURDEN_URL'];
    assert.equal(client.log, null);
    client.close();
  });
});
