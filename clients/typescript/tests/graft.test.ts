import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graft } from '../dist/graft.js';
import { toJson } from '../dist/json.js';

const through = (value: unknown): unknown => JSON.parse(toJson(value));
const bytes = new Uint8Array([1, 2, 250]);

test('bytes, buffers and addresses become what the formats have', () => {
  const value = {
    a: bytes,
    b: Buffer.from(bytes),
    c: bytes.buffer,
    d: new URL('http://x/y'),
    e: 10n,
    f: undefined,
  };
  assert.deepEqual(through(value), { a: 'AQL6', b: 'AQL6', c: 'AQL6', d: 'http://x/y', e: '10' });
  assert.equal((through({ a: new Uint8Array(200_000) }) as { a: string }).a.length, 266_668);
});

test('what JSON cannot hold survives beside a text that moved', () => {
  const was = [
    { role: 'user', content: [{ type: 'image', image: bytes }] },
    {
      role: 'tool',
      content: [
        { toolCallId: 'c', output: { value: 'long' } },
        { toolCallId: 'd', image: bytes },
      ],
    },
  ];
  const now = through(was) as typeof was;
  (now[1]!.content[0] as { output: { value: string } }).output.value = 'short';
  const { messages } = graft(was, was.map(toJson), now);
  assert.equal(messages[0], was[0]);
  assert.notEqual(messages[1], was[1]);
  assert.equal(messages[1]!.content[1], was[1]!.content[1]);
  assert.deepEqual(messages[1]!.content[0], { toolCallId: 'c', output: { value: 'short' } });
});

test('after a compression each message finds its original', () => {
  const was = [
    { role: 'system', content: 'be kind' },
    { role: 'user', content: 'again' },
    { role: 'tool', tool_call_id: 'c', content: 'long' },
    { role: 'user', content: 'again' },
    { role: 'tool', tool_call_id: 'd', content: 'long' },
  ];
  const now = [
    { role: 'system', content: 'be kind\n<state_snapshot>' },
    { role: 'user', content: 'again' },
    { role: 'tool', tool_call_id: 'd', content: 'short' },
  ];
  const { messages, origins } = graft(was, was.map(toJson), now);
  assert.deepEqual(origins, [null, 1, 4]);
  assert.deepEqual(messages, now);
});

test('equal messages are paired in their order', () => {
  const was = ['a', 'b', 'a'].map((content) => ({ role: 'user', content }));
  const { messages, origins } = graft(
    was,
    was.map(toJson),
    [{ role: 'system', content: 's' }, was[0], was[2]].map(through),
  );
  assert.deepEqual(origins, [null, 0, 2]);
  assert.equal(messages[1], was[0]);
  assert.equal(messages[2], was[2]);
});
