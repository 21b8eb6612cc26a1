import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph';
import type { AgentInputItem } from '@openai/agents';
import { ToolLoopAgent, streamText } from 'ai';
import type { ModelMessage, SystemModelMessage } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { offloadStep, reloadTools as aiTools } from 'unburden/ai-sdk';
import { offloadMessages, offloadMiddleware, reloadTools as langchainTools } from 'unburden/langchain';
import { offloadFilter, reloadTools as agentsTools } from 'unburden/openai-agents';
import { ScriptedServer, clientOf, nowhere, report } from './support.ts';
import type { Json } from './support.ts';

const SNAPSHOT = '<state_snapshot>\n</state_snapshot>';
const NAMES = ['grep', 'lro_extract', 'read_file', 'read_tool_result'];

/** Shortens every text `long`, and puts a snapshot into `system`, if there is one. */
function shortened({ body }: { body: Json }): Json {
  const messages = JSON.parse(JSON.stringify(body['messages']).replaceAll('"long"', '"short"')) as Json[];
  const system = body['system'];
  const next = Array.isArray(system)
    ? [...system, { type: 'text', text: SNAPSHOT }]
    : system && `${String(system)}\n\n${SNAPSHOT}`;
  return { messages, ...(next ? { system: next } : {}), metadata: report(messages.length) };
}

test('ai-sdk: bytes, ids and settings of a provider survive, and so do objects', async (t) => {
  const server = await ScriptedServer.start(t, shortened);
  const { client } = clientOf(server.url);
  const image = new Uint8Array([1, 2, 3]);
  const messages: ModelMessage[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'go' },
        { type: 'image', image },
      ],
    },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'c',
          toolName: 'f',
          input: {},
          providerOptions: { google: { thoughtSignature: 's' } },
        },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'text', value: 'long' } },
      ],
    },
  ];
  const step = offloadStep(client, { maxTotalTokens: 5 });
  const done = await step({ messages, instructions: 'be kind', model: 'gpt-5' });
  assert.equal(done?.instructions, `be kind\n\n${SNAPSHOT}`);
  assert.equal(done?.messages[0], messages[0]);
  assert.equal(done?.messages[1], messages[1]);
  assert.deepEqual(done?.messages[2], JSON.parse(JSON.stringify(messages[2]).replace('long', 'short')));
  const { body } = server.asked[0]!;
  assert.equal(body['format'], 'ai-sdk');
  assert.equal(body['model'], 'gpt-5');
  assert.equal((body['messages'] as { content: { image: string }[] }[])[0]!.content[1]!.image, 'AQID');
});

test('ai-sdk: instructions with settings of a provider keep them', async (t) => {
  const server = await ScriptedServer.start(t, shortened);
  const { client } = clientOf(server.url);
  const cached: SystemModelMessage = {
    role: 'system',
    content: 'be kind',
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  };
  const messages: ModelMessage[] = [{ role: 'user', content: 'long' }];
  for (const instructions of [cached, [cached]]) {
    const done = await offloadStep(client)({ messages, instructions, model: 'm' });
    const next = done?.instructions as SystemModelMessage[];
    assert.equal(next[0], cached);
    assert.deepEqual(next[1], { role: 'system', content: SNAPSHOT });
  }
  const none = await offloadStep(client)({ messages, instructions: undefined, model: 'm' });
  assert.deepEqual(none, { messages: [{ role: 'user', content: 'short' }] });
});

test('ai-sdk: nothing is overridden where nothing changed or nobody answers', async (t) => {
  const server = await ScriptedServer.start(t, ({ body }) => ({
    messages: body['messages'],
    system: body['system'],
    metadata: report(1),
  }));
  const messages: ModelMessage[] = [{ role: 'user', content: 'go' }];
  for (const url of [server.url, await nowhere()]) {
    const step = offloadStep(clientOf(url).client);
    assert.equal(await step({ messages, instructions: 'be kind', model: 'm' }), undefined);
  }
});

test('ai-sdk: the same step serves agents and streams', async (t) => {
  const server = await ScriptedServer.start(t, shortened);
  const { client } = clientOf(server.url);
  const usage = {
    inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 },
  };
  const finishReason = { unified: 'stop' as const, raw: undefined };
  const model = new MockLanguageModelV4({
    doGenerate: { content: [{ type: 'text', text: 'yes' }], finishReason, usage, warnings: [] },
    doStream: {
      stream: simulateReadableStream({
        chunks: [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'yes' },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason, usage },
        ],
      }),
    },
  });
  const options = {
    model,
    instructions: 'be kind',
    tools: aiTools(client),
    prepareStep: offloadStep(client),
  };
  assert.equal((await new ToolLoopAgent(options).generate({ prompt: 'long' })).text, 'yes');
  assert.equal(await streamText({ ...options, prompt: 'long' }).text, 'yes');
  for (const call of [...model.doGenerateCalls, ...model.doStreamCalls]) {
    assert.deepEqual(call.prompt[0], { role: 'system', content: `be kind\n\n${SNAPSHOT}` });
    assert.match(JSON.stringify(call.prompt[1]), /"short"/);
    assert.equal(call.tools?.length, 4);
  }
  assert.equal(server.asked.length, 2);
});

test('wrong settings are told when the agent is made, not in a turn', () => {
  const { client } = clientOf('http://127.0.0.1:8002');
  const wrong = { maxTotalTokens: -1 };
  for (const make of [offloadStep, offloadMiddleware, offloadFilter]) {
    assert.throws(() => make(client, wrong), { name: 'TypeError', message: /maxTotalTokens is -1/ });
  }
});

test('langchain: classes, ids and artifacts survive, and so do objects', async (t) => {
  const server = await ScriptedServer.start(t, shortened);
  const { client } = clientOf(server.url);
  const messages = [
    new SystemMessage({ content: 'be kind', id: 's' }),
    new HumanMessage({ content: 'go', id: 'h' }),
    new AIMessage({ content: '', id: 'a', tool_calls: [{ id: 'c', name: 'f', args: { x: 1 } }] }),
    new ToolMessage({
      content: 'long',
      id: 't',
      tool_call_id: 'c',
      name: 'f',
      status: 'error',
      artifact: { raw: [1] },
    }),
  ];
  const next = await offloadMessages(client, messages);
  assert.ok(next);
  for (const at of [0, 1, 2]) assert.equal(next[at], messages[at]);
  const result = next[3] as ToolMessage;
  assert.ok(result instanceof ToolMessage);
  const { content, id, tool_call_id, name, status, artifact } = result;
  assert.deepEqual(
    { content, id, tool_call_id, name, status, artifact },
    { content: 'short', id: 't', tool_call_id: 'c', name: 'f', status: 'error', artifact: { raw: [1] } },
  );
  assert.equal(result.artifact, (messages[3] as ToolMessage).artifact);
  assert.equal((messages[3] as ToolMessage).content, 'long');
  assert.equal(result.toDict().data.content, 'short', 'a checkpoint would write the old text');
  assert.equal(server.asked[0]!.body['format'], 'langchain');
});

test('langchain: a snapshot is a human’s message for models, and a system’s for the service', async (t) => {
  const kept = new HumanMessage({ content: 'and now?', id: 'h' });
  const server = await ScriptedServer.start(t, ({ body }) => {
    const messages = body['messages'] as Json[];
    const isFirst = messages[0]!['type'] !== 'system';
    const text = isFirst ? 'one' : 'two';
    return { messages: [{ type: 'system', data: { content: text } }, messages.at(-1)!], metadata: report(2) };
  });
  const { client } = clientOf(server.url);
  const once = await offloadMessages(client, [new HumanMessage('go'), new AIMessage('gone'), kept]);
  assert.deepEqual(
    once?.map((message) => [message.getType(), message.content]),
    [
      ['human', 'one'],
      ['human', 'and now?'],
    ],
  );
  assert.equal(once?.[1], kept);
  const twice = await offloadMessages(client, once!);
  const types = (server.asked[1]!.body['messages'] as Json[]).map((message) => message['type']);
  assert.deepEqual(types, ['system', 'human']);
  assert.deepEqual(
    twice?.map((message) => [message.getType(), message.content]),
    [
      ['human', 'two'],
      ['human', 'and now?'],
    ],
  );
});

test('langchain: the middleware replaces the state', async (t) => {
  const server = await ScriptedServer.start(t, shortened);
  const middleware = offloadMiddleware(clientOf(server.url).client);
  const before = middleware.beforeModel as unknown as (
    state: object,
    runtime: object,
  ) => Promise<{ messages: unknown[] } | undefined>;
  const state = { messages: [new HumanMessage({ content: 'long', id: 'h' })] };
  const { messages } = (await before(state, {}))!;
  assert.ok(messages[0] instanceof RemoveMessage);
  assert.equal(messages[0].id, REMOVE_ALL_MESSAGES);
  assert.deepEqual(
    messages.slice(1).map((each) => (each as HumanMessage).content),
    ['short'],
  );
  const alone = offloadMiddleware(clientOf(await nowhere()).client);
  assert.equal(await (alone.beforeModel as unknown as typeof before)(state, {}), undefined);
});

test('openai-agents: items that did not change are the same objects', async (t) => {
  const server = await ScriptedServer.start(t, shortened);
  const { client } = clientOf(server.url);
  const input = [
    { role: 'user', content: 'go' },
    { type: 'reasoning', id: 'rs', content: [], providerData: { encryptedContent: 'x' } },
    { type: 'function_call', id: 'fc', callId: 'c', name: 'f', arguments: '{}', status: 'completed' },
    {
      type: 'function_call_result',
      name: 'f',
      callId: 'c',
      status: 'completed',
      output: { type: 'text', text: 'long' },
    },
  ] as AgentInputItem[];
  const filter = offloadFilter(client);
  const agent = { model: 'gpt-5' } as never;
  const done = await filter({ modelData: { input, instructions: 'be kind' }, agent, context: undefined });
  for (const at of [0, 1, 2]) assert.equal(done.input[at], input[at]);
  assert.deepEqual(done.input[3], { ...input[3], output: { type: 'text', text: 'short' } });
  assert.equal(done.instructions, `be kind\n\n${SNAPSHOT}`);
  assert.equal(server.asked[0]!.body['format'], 'openai-responses');
  assert.equal(server.asked[0]!.body['model'], 'gpt-5');

  const alone = offloadFilter(clientOf(await nowhere()).client);
  const modelData = { input, instructions: 'be kind' };
  assert.equal(await alone({ modelData, agent, context: undefined }), modelData);
});

test('messages that cannot be converted cost no turn, and are told once', async (t) => {
  const server = await ScriptedServer.start(t, () => ({ messages: [null], system: 7, metadata: report(1) }));
  const { client, warnings } = clientOf(server.url);
  const step = { messages: [{ role: 'user' as const, content: 'go' }], instructions: 'be kind', model: 'm' };
  const modelData = { input: [{ role: 'user' as const, content: 'go' }], instructions: 'be kind' };
  for (let turn = 0; turn < 2; turn += 1) {
    assert.equal(await offloadMessages(client, [new HumanMessage('go')]), null);
    const filtered = await offloadFilter(client)({ modelData, agent: {} as never, context: undefined });
    assert.equal(filtered, modelData);
    assert.equal(await offloadStep(client)(step), undefined);
  }
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /the messages cannot be offloaded: /);
  const { client: strict } = clientOf(server.url, { failOpen: false });
  await assert.rejects(offloadMessages(strict, [new HumanMessage('go')]), { code: 'arguments_unreadable' });
});

test('each framework gets the reload tools, or those that are wanted', async (t) => {
  const server = await ScriptedServer.start(t, ({ path }) => ({ answer: path }));
  const { client } = clientOf(server.url);
  assert.deepEqual(Object.keys(aiTools(client)).sort(), NAMES);
  assert.deepEqual(
    langchainTools(client)
      .map((tool) => tool.name)
      .sort(),
    NAMES,
  );
  assert.deepEqual(
    agentsTools(client)
      .map((tool) => tool.name)
      .sort(),
    NAMES,
  );
  assert.deepEqual(Object.keys(aiTools(client, ['grep'])), ['grep']);
  assert.deepEqual(
    langchainTools(client, ['grep']).map((tool) => tool.name),
    ['grep'],
  );
  assert.deepEqual(
    agentsTools(client, ['grep']).map((tool) => tool.name),
    ['grep'],
  );
  const middleware = offloadMiddleware(client, { reloadTools: ['grep', 'shell'] });
  assert.deepEqual(
    middleware.tools?.map((tool) => (tool as { name: string }).name),
    ['grep'],
  );
  const named = offloadMiddleware(client, { reloadTools: { grep: 'search', shell: 'bash' } });
  const [search] = named.tools as unknown as ReturnType<typeof langchainTools>;
  assert.equal(search!.name, 'search');
  assert.equal(await search!.invoke({ pattern: 'x' }), '/grep');
  assert.equal(await langchainTools(client, ['grep'])[0]!.invoke({ pattern: 'x' }), '/grep');
  assert.equal(
    await aiTools(client)['read_file']!.execute!({ absolute_path: 'x' }, {} as never),
    '/read_file',
  );
});

test('a tool of the agent with the name of a reload tool gives one warning', async (t) => {
  const server = await ScriptedServer.start(t, shortened);
  const { client, warnings, errors } = clientOf(server.url);
  const mine = { type: 'function', name: 'grep', description: 'Mine.' };
  const modelData = { input: [{ role: 'user' as const, content: 'go' }] };
  const agent = { tools: [mine, ...agentsTools(client)], model: '' };
  await offloadFilter(client)({ modelData, agent, context: undefined } as never);
  const middleware = offloadMiddleware(client);
  const request = { tools: [mine, ...langchainTools(client)] };
  assert.equal(await middleware.wrapModelCall!(request as never, (() => 'answer') as never), 'answer');
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /names of retrieval tools: grep;/);
  assert.equal(errors[0]!.code, 'tool_names_clash');
});
