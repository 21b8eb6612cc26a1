/** The judge is the SDK itself: what its own model posts to the API for the same items. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenAIResponsesModel, setTracingDisabled, withTrace } from '@openai/agents';
import type { AgentInputItem } from '@openai/agents';
import OpenAI from 'openai';
import { fromResponses, toResponses, withTexts } from '../dist/responses-items.js';
import type { Item } from '../dist/responses-items.js';

const ITEMS = [
  { role: 'user', content: 'go' },
  { type: 'message', role: 'system', content: 'be kind' },
  {
    role: 'user',
    content: [
      { type: 'input_text', text: 'look', promptCacheBreakpoint: { mode: 'explicit' } },
      { type: 'input_image', image: 'data:image/png;base64,AAAA', detail: 'low' },
      { type: 'input_image', image: { id: 'file-1' }, detail: 'auto' },
      { type: 'input_file', file: { id: 'file-2' }, filename: 'a.pdf' },
      { type: 'input_file', file: { url: 'https://x/y.pdf' } },
      { type: 'input_file', file: 'data:text/plain;base64,AAAA' },
    ],
  },
  {
    type: 'reasoning',
    id: 'rs_1',
    content: [{ type: 'input_text', text: 'hm' }],
    providerData: { encryptedContent: 'gAAAA' },
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'I call', providerData: { annotations: [] } }],
  },
  {
    type: 'function_call',
    id: 'fc_1',
    callId: 'c1',
    name: 'f',
    arguments: '{"a":1}',
    status: 'completed',
    namespace: 'n',
  },
  { type: 'function_call', id: 'fc_2', callId: 'c2', name: 'f', arguments: '{}', status: 'completed' },
  { type: 'function_call', id: 'fc_3', callId: 'c3', name: 'f', arguments: '{}', status: 'completed' },
  { type: 'function_call_result', name: 'f', callId: 'c1', status: 'completed', output: 'long' },
  {
    type: 'function_call_result',
    name: 'f',
    callId: 'c2',
    status: 'completed',
    output: { type: 'text', text: 'long' },
  },
  {
    type: 'function_call_result',
    name: 'f',
    callId: 'c3',
    status: 'completed',
    output: [
      { type: 'input_text', text: 'long' },
      { type: 'input_image', image: 'https://x/y.png', detail: 'low' },
    ],
  },
  {
    type: 'shell_call',
    callId: 's1',
    status: 'completed',
    action: { commands: ['ls'], timeoutMs: 5, maxOutputLength: 9 },
  },
  {
    type: 'shell_call_output',
    callId: 's1',
    status: 'completed',
    maxOutputLength: 9,
    output: [{ stdout: 'long', stderr: '', outcome: { type: 'exit', exitCode: 1 } }],
  },
  {
    type: 'apply_patch_call',
    callId: 'p1',
    status: 'completed',
    operation: { type: 'delete_file', path: 'a' },
  },
  { type: 'apply_patch_call_output', callId: 'p1', status: 'failed', output: 'long' },
  {
    type: 'function_call',
    id: 'fc_4',
    callId: 'c4',
    name: 'f',
    arguments: '{}',
    status: 'completed',
    caller: { type: 'program', callerId: 'g1' },
  },
  { type: 'program', id: 'pr_1', callId: 'g1', code: 'x', fingerprint: 'z' },
  { type: 'program_output', id: 'po_1', callId: 'g1', output: 'y', status: 'completed' },
  { type: 'computer_call', id: 'cc_1', callId: 'u1', status: 'completed', action: { type: 'screenshot' } },
  {
    type: 'computer_call_result',
    callId: 'u1',
    output: { type: 'computer_screenshot', data: 'data:image/png;base64,AAAA' },
  },
  {
    type: 'hosted_tool_call',
    id: 'ws_1',
    name: 'web_search_call',
    status: 'completed',
    providerData: { type: 'web_search_call', action: { type: 'search', query: 'q' } },
  },
  { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAA' },
] as unknown as AgentInputItem[];

async function posted(input: AgentInputItem[]): Promise<Item[]> {
  let body: { input: Item[] } | undefined;
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    body = JSON.parse(String(init?.body)) as { input: Item[] };
    return Response.json({ id: 'r', object: 'response', status: 'completed', output: [], usage: {} });
  };
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://scripted.invalid/v1',
    fetch: fetch as typeof globalThis.fetch,
  });
  const model = new OpenAIResponsesModel(client as never, 'gpt-5.1');
  const request = { input, modelSettings: {}, tools: [], handoffs: [], outputType: 'text', tracing: false };
  setTracingDisabled(true);
  await withTrace('test', () => model.getResponse(request as never));
  assert.ok(body);
  return body.input;
}

const through = (value: unknown): Item => JSON.parse(JSON.stringify(value)) as Item;

test('items become what the SDK itself posts', async () => {
  const theirs = await posted(ITEMS);
  assert.equal(theirs.length, ITEMS.length);
  ITEMS.map(toResponses).forEach((item, at) => {
    const ours = through(item);
    // The type of a message may stand there or not.
    if (ours['type'] === 'message' && !theirs[at]!['type']) delete ours['type'];
    assert.deepEqual(ours, theirs[at], `item ${at}`);
  });
});

test('a text that moved comes back in the shape that it had', () => {
  const short = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll('"long"', '"short"'));
  let moved = 0;
  for (const item of ITEMS) {
    const now = short(toResponses(item)) as Item;
    const back = withTexts(item, now);
    assert.deepEqual(back, short(item));
    moved += Number(JSON.stringify(item).includes('"long"'));
  }
  assert.equal(moved, 5);
});

test('parts beside a text that moved stay the same objects', () => {
  const item = structuredClone(ITEMS[10]) as unknown as { output: Item[] };
  item.output.push({ type: 'input_text', text: 'stays', providerData: { x: 1 } });
  const now = structuredClone(toResponses(item as unknown as AgentInputItem));
  (now['output'] as Item[])[0]!['text'] = 'short';
  const back = withTexts(item as unknown as AgentInputItem, now) as unknown as { output: Item[] };
  assert.deepEqual(
    back.output.map((part) => part['text']),
    ['short', undefined, 'stays'],
  );
  assert.equal(back.output[1], item.output[1]);
  assert.equal(back.output[2], item.output[2]);
});

test('the service’s own items become items of the SDK', () => {
  const snapshot = {
    type: 'message',
    role: 'developer',
    content: [{ type: 'input_text', text: '<state_snapshot>' }],
  };
  assert.deepEqual(fromResponses(snapshot, ITEMS), {
    type: 'message',
    role: 'system',
    content: '<state_snapshot>',
  });
  const stub = { type: 'function_call_output', call_id: 'c2', output: 'no result' };
  assert.deepEqual(fromResponses(stub, ITEMS), {
    type: 'function_call_result',
    name: 'f',
    callId: 'c2',
    status: 'incomplete',
    output: 'no result',
  });
});
