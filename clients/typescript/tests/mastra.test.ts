import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offloadProcessor, reloadTools } from 'unburden/mastra';
import type { OffloadProcessor } from 'unburden/mastra';
import { ScriptedServer, clientOf, nowhere, report } from './support.ts';
import type { Json } from './support.ts';

type Asked = Parameters<OffloadProcessor['processLLMRequest']>[0];

const PROMPT = [
  { role: 'system', content: 'be kind' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'go' },
      { type: 'file', data: new Uint8Array([1, 2, 3]), mediaType: 'image/png' },
    ],
  },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} }] },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'text', value: 'long' } },
    ],
  },
] as Asked['prompt'];

const asked = { prompt: PROMPT, model: { modelId: 'gpt-5' } } as Asked;

test('mastra: a result becomes smaller, everything else stays the same object', async (t) => {
  const server = await ScriptedServer.start(t, ({ body }) => ({
    messages: JSON.parse(JSON.stringify(body['messages']).replaceAll('"long"', '"short"')) as Json[],
    metadata: report(4),
  }));
  const { client } = clientOf(server.url);
  const done = await offloadProcessor(client, { maxTotalTokens: 5 }).processLLMRequest(asked);
  const prompt = done?.prompt ?? [];
  assert.deepEqual(
    prompt.map((message, at) => message === PROMPT[at]),
    [true, true, true, false],
  );
  assert.deepEqual(prompt[3], JSON.parse(JSON.stringify(PROMPT[3]).replace('long', 'short')));
  assert.deepEqual([server.asked[0]!.body['format'], server.asked[0]!.body['model']], ['ai-sdk', 'gpt-5']);
});

test('mastra: what the service adds has the shape of a prompt', async (t) => {
  const added = [
    { role: 'system', content: '<state_snapshot>\n</state_snapshot>' },
    { role: 'user', content: 'go on' },
  ];
  const server = await ScriptedServer.start(t, ({ body }) => ({
    messages: [(body['messages'] as Json[])[0]!, ...added],
    metadata: { report: { ...(report(3)['report'] as Json), snapshot: {} } },
  }));
  const { client } = clientOf(server.url);
  const done = await offloadProcessor(client).processLLMRequest(asked);
  assert.equal(done?.prompt?.[0], PROMPT[0]);
  assert.deepEqual(done?.prompt?.slice(1), [
    added[0],
    { role: 'user', content: [{ type: 'text', text: 'go on' }] },
  ]);
});

test('mastra: nothing is overridden where nobody answers', async () => {
  const { client, warnings } = clientOf(await nowhere());
  const processor = offloadProcessor(client);
  assert.equal(await processor.processLLMRequest(asked), undefined);
  assert.equal(await processor.processLLMRequest(asked), undefined);
  assert.equal(warnings.length, 1);
  assert.throws(() => offloadProcessor(client, { targetTokens: 0 }), TypeError);
});

test('mastra: the reload tools run under the names of the agent', async (t) => {
  const server = await ScriptedServer.start(t, ({ path }) => ({ answer: path }));
  const { client } = clientOf(server.url, { prefix: 'unburden_' });
  const tools = reloadTools(client, ['grep']);
  assert.deepEqual(Object.keys(tools), ['unburden_grep']);
  assert.equal(await tools['unburden_grep']!.execute!({ pattern: 'x' }, {} as never), '/grep');
});
