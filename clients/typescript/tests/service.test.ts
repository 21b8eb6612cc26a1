/** Against the real program: UNBURDEN_BINARY names it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { UnburdenError } from 'unburden';
import type { Unburden } from 'unburden';
import { clientOf } from './support.ts';

const BINARY = process.env['UNBURDEN_BINARY'];

const log = Array.from({ length: 900 }, (_, n) => `Compiling package ${n} of the release`).join('\n');
const records = Array.from({ length: 200 }, (_, n) => ({ id: n, name: `名前${n}`, kind: n % 4 ? 'a' : 'b' }));
const call = (id: string): object => ({ id, type: 'function', function: { name: 'run', arguments: '{}' } });
const HISTORY = [
  { role: 'user', content: 'build it' },
  { role: 'assistant', content: null, tool_calls: [call('call_1'), call('call_2')] },
  { role: 'tool', tool_call_id: 'call_1', content: log },
  { role: 'tool', tool_call_id: 'call_2', content: JSON.stringify(records) },
  { role: 'assistant', content: 'done' },
  { role: 'user', content: 'and now?' },
];

suite('the real program', { skip: BINARY ? false : 'UNBURDEN_BINARY is not set' }, () => {
  const root = mkdtempSync(join(tmpdir(), 'unburden-client-'));
  let child: ChildProcess;
  let url: string;
  let client: Unburden;
  let warnings: string[];

  async function serve(address: string): Promise<string> {
    const args = ['serve', '--listen', address, '--root', root];
    child = spawn(BINARY as string, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    for await (const line of createInterface({ input: child.stdout! }))
      return line.replace('listening on ', '');
    throw new Error('the program did not start');
  }

  async function stop(): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  before(async () => {
    url = await serve('127.0.0.1:0');
    ({ client, warnings } = clientOf(url, { maxTotalTokens: 1000 }));
  });
  after(async () => {
    await stop();
    rmSync(root, { recursive: true, force: true });
  });

  test('a history shrinks, stays valid, and comes back whole', async () => {
    const done = await client.offload(HISTORY, { model: 'gpt-4o' });
    assert.equal(done.error, null);
    assert.equal(done.changed, true);
    assert.equal(done.report?.outcome, 'compacted');
    assert.ok(done.report!.tokensAfter < done.report!.tokensBefore / 5);
    assert.equal(done.messages[1], HISTORY[1]);
    assert.equal(
      done.report!.actions.some((each) => each.action === 'materialize' && each.toolCallId === 'call_2'),
      true,
    );
    assert.equal((await client.validate(done.messages)).valid, true);
    const counted = await client.countTokens(done.messages, { model: 'gpt-4o' });
    assert.equal(counted.tokens, done.report!.tokensAfter);
    assert.equal(counted.tokensByPart.messages, counted.tokens);
    const whole = await client.rehydrate(done.messages);
    assert.deepEqual(whole.messages, HISTORY);
    assert.equal(whole.restored, 2);
    assert.deepEqual(whole.unresolved, []);
  });

  test('a history that is small enough stays the same array', async () => {
    const done = await client.offload(HISTORY, { maxTotalTokens: 100_000 });
    assert.equal(done.messages, HISTORY);
    assert.match(done.answer, /^Nothing to do:/);
  });

  test('a compression puts a snapshot into system', async () => {
    const turns = Array.from({ length: 6 }, () => HISTORY).flat();
    const done = await client.offload(turns, {
      contextManageMode: 'compress',
      system: 'be kind',
      format: 'openai-chat',
    });
    assert.match(String(done.system), /^be kind\n\n<state_snapshot>/);
    assert.equal(done.report?.snapshot?.source, 'extractive');
    // The user speaks first, in the words of the service where its own have left.
    const [first, ...rest] = done.origins;
    assert.equal(first, null);
    assert.ok(rest.every((origin, at) => turns[origin!] === done.messages[at + 1]));
  });

  test('what was moved can be searched, read and asked', async () => {
    const found = await client.grep('package 450 ', { glob: 'tool_call_*' });
    assert.deepEqual(
      found.matches.map(({ path, line }) => [path, line]),
      [['tool_call_1.txt', 451]],
    );
    const page = await client.readFile('./context_store/tool_call_1.txt', { offset: 450, limit: 1 });
    assert.match(page.text, /Compiling package 450 of the release/);
    assert.deepEqual([page.totalLines, page.nextOffset], [900, 451]);
    const last = await client.readToolResult('call_1', { lines: 'last:1' });
    assert.match(last.text, /package 899/);
    const { path } = (await client.offload(HISTORY)).report!.actions.find(
      (each) => each.action === 'materialize',
    )!;
    const answer = await client.extract(path!, { where: { kind: 'b' }, select: ['name'], limit: 1 });
    assert.deepEqual([answer.count, answer.records, answer.nextOffset], [50, [{ name: '名前0' }], 1]);
  });

  test('run tools answer a model', async () => {
    const page = await client.runTool('read_file', {
      absolute_path: './context_store/tool_call_1.txt',
      max_tokens: 100,
    });
    const more = /^Showing lines .* More: the same call with start_line=(\d+)\.\n\n---\n\n/.exec(page);
    assert.ok(more, page);
    const next = await client.runTool(
      'read_file',
      JSON.stringify({ absolute_path: './context_store/tool_call_1.txt', start_line: Number(more[1]), limit: 1 }),
    );
    assert.match(next, new RegExp(`package ${Number(more[1]) - 1} of`));
    assert.match(await client.runTool('grep', { pattern: '(' }), /^Error: .*pattern/);
    assert.match(
      await client.runTool('read_tool_result', { result_id: 'call_77' }),
      /^Error: no stored result "call_77"/,
    );
    assert.match(
      await client.runTool('read_file', { absolute_path: 'x', offset: 'first' }),
      /^Error: .*offset/,
    );
  });

  test('a large result goes to a file before it enters a history', async () => {
    const small = await client.offloadResult('list', { results: [1, 2] });
    assert.deepEqual([small.offload.offloaded, small.results], [false, [1, 2]]);
    const large = await client.offloadResult('list', { results: records, thresholdTokens: 10 });
    assert.equal(large.offload.offloaded, true);
    assert.equal(readFileSync(large.offload.file_path!, 'utf8').trim().split('\n').length, 201);
    assert.equal(basename(dirname(large.offload.file_path!)), 'context_store');
    assert.match(await client.runTool('grep', { pattern: '名前177', glob: 'lro-*' }), /名前177/);
  });

  test('a refusal is typed where it is asked for, and fails open where a turn is at stake', async () => {
    await assert.rejects(client.readFile('/etc/passwd'), (error: unknown) => {
      assert.ok(error instanceof UnburdenError);
      assert.deepEqual([error.code, error.status, error.field], ['file_not_found', 404, 'absolute_path']);
      return true;
    });
    const done = await client.offload(HISTORY, { storeDir: '/proc/nowhere' });
    assert.equal(done.messages, HISTORY);
    assert.equal(done.error?.status, 422);
    assert.match(warnings.splice(0).join(), /is outside the allowed roots/);
  });

  test('a crash costs no turn, and a new start is noticed', async () => {
    assert.equal(await client.healthy(), true);
    assert.equal((await client.offload(HISTORY)).changed, true);
    await stop();
    assert.equal((await client.offload(HISTORY)).messages, HISTORY);
    assert.equal((await client.offload(HISTORY)).error?.code, 'unreachable');
    assert.equal(await client.healthy(), false);
    assert.equal(warnings.length, 1);
    await serve(new URL(url).host);
    assert.equal((await client.offload(HISTORY)).changed, true);
    assert.equal(await client.healthy(), true);
  });
});
