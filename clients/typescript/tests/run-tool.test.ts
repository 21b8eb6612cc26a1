import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScriptedServer, clientOf, nowhere, refuse } from './support.ts';
import type { Json } from './support.ts';

const HEADER = 'Showing lines 1-120 of 500 total lines.';

const MORE: [string, Json, Json, string][] = [
  ['read_file', { absolute_path: 'a b.txt' }, { next_start_line: 121, next_byte_offset: 9000 }, 'start_line=121'],
  ['read_file', { absolute_path: 'a' }, { next_start_line: null, next_byte_offset: 9000 }, 'byte_offset=9000'],
  ['read_file', { absolute_path: 'a', byte_offset: 10 }, { next_start_line: null, next_byte_offset: 60 }, 'byte_offset=60'],
  ['read_tool_result', { result_id: 'c' }, { next_lines: '81-160' }, 'lines=81-160'],
];

test('the header of a page that was cut says how to go on', async (t) => {
  let metadata: Json = {};
  const server = await ScriptedServer.start(t, () => ({ answer: `${HEADER}\n\n---\n\nline\n`, metadata }));
  const { client } = clientOf(server.url);
  for (const [name, args, found, more] of MORE) {
    metadata = { ...found, truncated: true };
    const page = `${HEADER} More: the same call with ${more}.\n\n---\n\nline\n`;
    assert.equal(await client.runTool(name, args), page);
    metadata = { ...found, truncated: false };
    assert.equal(await client.runTool(name, JSON.stringify(args)), `${HEADER}\n\n---\n\nline\n`);
  }
});

test('an answer about records says itself how to go on', async (t) => {
  const answer = '3 of 9 records match.\n{}\n[3 of 9 shown; offset=3 for more]';
  const server = await ScriptedServer.start(t, () => ({ answer, metadata: { truncated: true, next_offset: 3 } }));
  const { client } = clientOf(server.url);
  assert.equal(await client.runTool('lro_extract', { file_path: 'f', query: '.' }), answer);
});

test('answers are capped, and searches stay in the store', async (t) => {
  const server = await ScriptedServer.start(t, () => ({}));
  const { client } = clientOf(server.url, { storeDir: 'mine' });
  await client.runTool('grep', { pattern: 'x' });
  await client.runTool('grep', { pattern: 'x', path: 'other', max_tokens: 100 });
  await client.runTool('read_tool_result', { result_id: 'c', max_tokens: 100_000 });
  await client.runTool('read_file', '{"absolute_path": "p"}');
  // The answer of the service repeats these, without the members that the client adds.
  await client.runTool('lro_extract', '');
  await client.runTool('grep', { patern: 'x' });
  assert.deepEqual(
    server.asked.map(({ path, body }) => [path, body]),
    [
      ['/grep', { pattern: 'x', max_tokens: 8000, path: 'mine' }],
      ['/grep', { pattern: 'x', path: 'other', max_tokens: 100 }],
      ['/read_tool_result', { result_id: 'c', max_tokens: 8000, store_dir: 'mine' }],
      ['/read_file', { absolute_path: 'p', max_tokens: 8000 }],
      ['/lro_extract', {}],
      ['/grep', { patern: 'x' }],
    ],
  );
});

test('what goes wrong comes back as a sentence', async (t) => {
  const server = await ScriptedServer.start(t, (_, response) =>
    refuse(response, 422, 'field_unknown', 'nearest: kind'),
  );
  const { client } = clientOf(server.url);
  assert.equal(await client.runTool('lro_extract', { file_path: 'f' }), 'Error: nearest: kind');
  assert.match(
    await client.runTool('shell', {}),
    /^Error: there is no tool shell; there are read_file, grep/,
  );
  assert.equal(
    await client.runTool('grep', '{"pattern": '),
    'Error: the arguments of grep are not a JSON object.',
  );
  assert.equal(await client.runTool('grep', '[1]'), 'Error: the arguments of grep are not a JSON object.');
  const { client: alone } = clientOf(await nowhere());
  assert.match(await alone.runTool('grep', { pattern: 'x' }), /^Error: .*no service at/);
});
