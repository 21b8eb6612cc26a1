import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Unburden, toolDefinitions } from 'unburden';
import type { ToolFormat } from 'unburden';
import { TOOLS } from '../dist/tools.generated.js';
import { ScriptedServer, report } from './support.ts';

const NAMES = ['read_file', 'grep', 'lro_extract', 'read_tool_result'];
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The definitions of the product; a copy of the package stands elsewhere and is told where they are. */
const SOURCE = process.env['UNBURDEN_TOOLS'] ?? here('../../../prompts/tools');

test('the module, the JSON file and the product have the same definitions', (t) => {
  assert.deepEqual(TOOLS, read(here('../tools.json')));
  assert.deepEqual(
    TOOLS.map((tool) => tool.name),
    NAMES,
  );
  if (!existsSync(SOURCE)) return t.skip('the product’s definitions are not here');
  assert.deepEqual(
    TOOLS,
    NAMES.map((name) => read(join(SOURCE, `${name}.json`))),
  );
});

test('each provider gets its own spelling', () => {
  const [first] = TOOLS;
  const { name, description, input_schema } = first;
  const expected: Record<ToolFormat, unknown> = {
    openai: { type: 'function', function: { name, description, parameters: input_schema } },
    'openai-responses': { type: 'function', name, description, parameters: input_schema, strict: false },
    anthropic: { name, description, input_schema },
    gemini: { functionDeclarations: [{ name, description, parametersJsonSchema: input_schema }] },
    mcp: { name, title: first.title, description, inputSchema: input_schema, annotations: first.annotations },
  };
  for (const [format, tool] of Object.entries(expected)) {
    assert.deepEqual(toolDefinitions(format as ToolFormat, ['read_file']), [tool]);
  }
  assert.equal(toolDefinitions('openai').length, 4);
  assert.throws(() => toolDefinitions('openai', ['shell' as never]), /shell is no reload tool/);
  assert.throws(() => toolDefinitions('cohere' as never), /cohere is no format of tools/);
});

test('a caller may change what it got', () => {
  const [tool] = toolDefinitions('anthropic');
  (tool!['input_schema'] as { required: string[] }).required.push('limit');
  assert.deepEqual(TOOLS[0].input_schema.required, ['absolute_path']);
});

test('an agent may have the tools under names of its own', async (t) => {
  const named = new Unburden({ reloadTools: { grep: 'mcp__unburden__grep', read_file: 'open_stored' } });
  const [read, grep] = named.toolDefinitions('anthropic');
  assert.deepEqual([read!['name'], grep!['name']], ['open_stored', 'mcp__unburden__grep']);
  assert.match(String(grep!['description']), /with `open_stored`, start_line/);
  assert.deepEqual(Object.keys(read!), ['name', 'description', 'input_schema']);

  const server = await ScriptedServer.start(t, () => ({ messages: [{ role: 'user' }], metadata: report(1) }));
  const client = new Unburden({ baseUrl: server.url, prefix: 'unburden_' });
  await client.offload([{ role: 'user' }], { reloadTools: ['grep', 'shell'] });
  await client.offload([{ role: 'user' }]);
  await client.runTool('unburden_grep', { pattern: 'x' });
  await client.runTool('grep', { pattern: 'x' });
  assert.deepEqual(server.asked[0]!.body['reload_tools'], { grep: 'unburden_grep', shell: 'shell' });
  const every = Object.fromEntries(NAMES.map((name) => [name, `unburden_${name}`]));
  assert.deepEqual(server.asked[1]!.body['reload_tools'], { ...every, shell: 'shell' });
  assert.deepEqual(
    server.asked.slice(2).map(({ path }) => path),
    ['/grep', '/grep'],
  );
  assert.match(await client.runTool('cat', {}), /there are unburden_read_file, /);
  for (const wrong of [{ grep: 1 }, { grep: 'a b' }, { cat: 'x' }, { grep: 'x', read_file: 'x' }, 'grep']) {
    assert.throws(() => new Unburden({ reloadTools: wrong as never }), TypeError);
  }
  assert.throws(() => new Unburden({ prefix: 'un burden' }), TypeError);
  assert.throws(() => new Unburden({ prefix: 'u_', reloadTools: { grep: 'x' } }), TypeError);
});

test('a tool of the agent with the name of one of these gives one warning', async (t) => {
  const server = await ScriptedServer.start(t, () => ({ messages: [{ role: 'user' }], metadata: report(1) }));
  const said: string[] = [];
  const mine = ['bash', 'read_file', 'edit_file', 'grep', 'task'].map((name) => ({ name, description: name }));
  const offload = async (tools: unknown[], reloadTools?: 'lro_extract'[]): Promise<number> => {
    const client = new Unburden({ baseUrl: server.url, onWarning: (message) => said.push(message) });
    const before = said.length;
    for (let turn = 0; turn < 2; turn += 1) {
      await client.offload([{ role: 'user' }], { tools, ...(reloadTools ? { reloadTools } : {}) });
    }
    return said.length - before;
  };
  const ours = toolDefinitions('anthropic') as { name: string }[];
  assert.equal(await offload([...mine, ...ours]), 1);
  // As an object does that keeps tools by their names.
  const merged = { ...byName(mine), ...byName(ours) };
  assert.equal(await offload(Object.values(merged)), 1);
  assert.ok(said.every((message) => /retrieval tools: read_file, grep;/.test(message)));
  assert.equal(await offload([...mine, ...ours.slice(1, 3)], ['lro_extract']), 0);
  assert.equal(await offload(mine), 0);
  assert.equal(await offload(ours), 0);
  assert.equal(await offload([...ours, { name: 'sort' }].sort((a, b) => (a.name < b.name ? -1 : 1))), 0);
});

function byName(tools: { name: string }[]): Record<string, unknown> {
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}
