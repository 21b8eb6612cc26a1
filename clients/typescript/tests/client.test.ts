import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unburden, UnburdenError } from 'unburden';
import { ScriptedServer, clientOf, refuse, report } from './support.ts';
import type { Json } from './support.ts';

const HISTORY = [
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 't', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: 'long '.repeat(50) },
  { role: 'user', content: 'and now?' },
];

/** Moves the results of a history, as the service does. */
function moved(body: Json): Json[] {
  const messages = structuredClone(body['messages']) as Json[];
  return messages.map((each) => (each['role'] === 'tool' ? { ...each, content: 'short' } : each));
}

test('offload sends the names of the contract and the settings of both places', async (t) => {
  const server = await ScriptedServer.start(t, ({ body }) => ({
    messages: moved(body),
    metadata: report(4),
  }));
  const client = new Unburden({
    baseUrl: `${server.url}/`,
    token: 'secret',
    storeDir: 's',
    maxTotalTokens: 5,
    previewTokens: 7,
  });
  await client.offload(HISTORY, {
    maxTotalTokens: 6,
    chatId: 'x',
    system: 'be kind',
    tools: [{ name: 't' }],
    model: 'gpt-5',
  });
  const [asked] = server.asked;
  const { messages, ...rest } = asked!.body;
  assert.deepEqual(messages, HISTORY);
  assert.deepEqual(rest, {
    include_files: false,
    max_total_tokens: 6,
    preview_tokens: 7,
    chat_id: 'x',
    model: 'gpt-5',
    store_dir: 's',
    system: 'be kind',
    tools: [{ name: 't' }],
  });
  assert.equal(asked!.path, '/context_offload');
  assert.equal(asked!.headers.authorization, 'Bearer secret');
});

test('a client sums up its offloads', async (t) => {
  const server = await ScriptedServer.start(t, ({ body }) => {
    const { report: told } = report(4);
    return {
      messages: moved(body),
      metadata: { report: { ...(told as Json), dry_run: body['dry_run'] === true } },
    };
  });
  const { client } = clientOf(server.url);
  await client.offload(HISTORY);
  await client.offload(HISTORY, { dryRun: true });
  await client.offload(HISTORY);
  assert.deepEqual(client.totals, {
    posts: 2,
    rewrites: 2,
    rewrittenTokens: 14,
    tokensBefore: 200,
    tokensAfter: 20,
  });
});

test('messages that did not change are the caller’s own objects', async (t) => {
  const server = await ScriptedServer.start(t, ({ body }) => ({
    messages: moved(body),
    system: 'be kind\n\nsnapshot',
    metadata: report(4),
    answer: 'done',
  }));
  const { client } = clientOf(server.url);
  const done = await client.offload(HISTORY, { system: 'be kind' });
  assert.equal(done.changed, true);
  assert.equal(done.error, null);
  assert.deepEqual(done.origins, [0, 1, 2, 3]);
  for (const at of [0, 1, 3]) assert.equal(done.messages[at], HISTORY[at]);
  assert.deepEqual(done.messages[2], { ...HISTORY[2], content: 'short' });
  assert.equal(done.system, 'be kind\n\nsnapshot');
  assert.equal(done.report?.tokensBefore, 100);
  assert.equal(done.report?.actions[0]?.toolCallId, 'c');
  assert.equal(done.report?.checks.referencesReadable, true);
  assert.equal(HISTORY[2]!.content, 'long '.repeat(50));
});

test('a history that stays is the same array, and the same system', async (t) => {
  const server = await ScriptedServer.start(t, ({ body }) => ({
    messages: body['messages'],
    metadata: report(4),
  }));
  const { client } = clientOf(server.url);
  const system = [{ type: 'text', text: 'be kind' }];
  const done = await client.offload(HISTORY, { system });
  assert.equal(done.messages, HISTORY);
  assert.equal(done.system, system);
  assert.equal(done.changed, false);
});

test('calls share connections', async (t) => {
  const server = await ScriptedServer.start(t, ({ body }) => ({ messages: body['messages'] }));
  const { client } = clientOf(server.url);
  for (let turn = 0; turn < 5; turn += 1) await client.offload(HISTORY);
  assert.equal(server.asked.length, 5);
  // The first call's greeting may still hold one when its own request goes out.
  assert.ok(server.connections <= 2, `${server.connections} connections for 5 calls`);
});

test('wrong arguments are told before anything is sent', async (t) => {
  const server = await ScriptedServer.start(t, () => ({}));
  const { client } = clientOf(server.url);
  const options: [Json, RegExp][] = [
    [{ maxTotalTokens: '5' }, /maxTotalTokens is "5"; accepted is a whole number from 0/],
    [{ maxTotalTokens: 1.5 }, /whole number/],
    [{ targetTokens: 0 }, /targetTokens is 0; accepted is a whole number from 1/],
    [{ compactRatioThreshold: 2 }, /a number from 0 to 1/],
    [{ contextManageMode: 'shrink' }, /one of auto, compact, compress/],
    [{ compactRoles: 'tool' }, /a list of tool, user/],
    [{ repair: 1 }, /true or false/],
    [{ max_total_tokens: 5 }, /max_total_tokens is no setting/],
    [{ storeDir: ' ' }, /storeDir is no path/],
  ];
  for (const [given, message] of options) {
    await assert.rejects(client.offload(HISTORY, given), { name: 'TypeError', message });
    assert.throws(() => new Unburden(given), { name: 'TypeError', message });
  }
  await assert.rejects(client.offload(undefined as never), /messages is no array/);
  assert.throws(() => new Unburden({ baseUrl: 'localhost:8002' }), /baseUrl is localhost:8002/);
  assert.throws(() => new Unburden({ timeoutMs: 0 }), /timeoutMs/);
  assert.equal(server.asked.length, 0);
});

test('offloadResult says what it lacks', async (t) => {
  const server = await ScriptedServer.start(t, () => ({}));
  const { client } = clientOf(server.url);
  const wrong: [unknown[], RegExp][] = [
    [[{ operation: 'list', results: [] }], /operation is no string.*offloadResult\('list_orders', \{ results \}\)/],
    [['list'], /exactly one of results and content.*offloadResult\('list_orders', \{ results \}\)/],
    [['list', {}], /exactly one of results and content/],
    [['list', null], /exactly one of results and content/],
    [['list', { results: [], content: '' }], /exactly one of results and content/],
  ];
  for (const [given, message] of wrong) {
    await assert.rejects(client.offloadResult(...(given as [string, object])), { name: 'TypeError', message });
  }
  assert.equal(server.asked.length, 0);
});

test('address and token come from the environment where no option says otherwise', async (t) => {
  const server = await ScriptedServer.start(t, () => ({ metadata: { matches: [], truncated: false } }));
  process.env['UNBURDEN_URL'] = server.url;
  process.env['UNBURDEN_TOKEN'] = 'from the environment';
  t.after(() => {
    delete process.env['UNBURDEN_URL'];
    delete process.env['UNBURDEN_TOKEN'];
  });
  await new Unburden().grep('x');
  assert.equal(server.asked[0]!.headers.authorization, 'Bearer from the environment');
});

test('a token of a file works, and one that no header can hold is refused unseen', async (t) => {
  const server = await ScriptedServer.start(t, () => ({ metadata: { matches: [], truncated: false } }));
  await new Unburden({ baseUrl: server.url, token: ' secret\r\n' }).grep('x');
  process.env['UNBURDEN_TOKEN'] = 'secret\n';
  t.after(() => delete process.env['UNBURDEN_TOKEN']);
  await new Unburden({ baseUrl: server.url }).grep('x');
  process.env['UNBURDEN_TOKEN'] = ' \n';
  await new Unburden({ baseUrl: server.url }).grep('x');
  const sent = server.asked.map(({ headers }) => headers.authorization);
  assert.deepEqual(sent, ['Bearer secret', 'Bearer secret', undefined]);
  for (const token of ['sec\nret', 'sec\u20acret', 's\u00e9cret', 'sec\0ret']) {
    assert.throws(() => new Unburden({ token }), {
      name: 'TypeError',
      message: /^unburden: token: a header cannot hold its character [24]; accepted is printable ASCII$/,
    });
  }
  process.env['UNBURDEN_TOKEN'] = 'sec\nret';
  assert.throws(() => new Unburden(), /UNBURDEN_TOKEN: a header cannot hold/);
  assert.throws(() => new Unburden({ token: 5 as never }), /token is no string/);
});

test('reload calls give typed members, and keep the names inside data', async (t) => {
  const server = await ScriptedServer.start(t, ({ path }) => ({
    answer: path,
    metadata:
      path === '/grep'
        ? {
            matches: [{ path: 'a', line: 1, column: 1, text: 't', text_truncated: false }],
            truncated_by: null,
            files_searched: 2,
          }
        : { count: 1, records: [{ due_date: 1 }], next_offset: null },
  }));
  const { client } = clientOf(server.url, { storeDir: 'store' });
  const found = await client.grep('x', { ignoreCase: false, maxTokens: 9 });
  assert.equal(found.text, '/grep');
  assert.equal(found.filesSearched, 2);
  assert.equal(found.matches[0]!.textTruncated, false);
  const asked = await client.extract('f.jsonl', {
    where: { all: [{ field: 'due_date', op: '>', value: 1 }] },
    groupBy: 'x',
  });
  assert.deepEqual(asked.records, [{ due_date: 1 }]);
  assert.deepEqual(
    server.asked.map((each) => each.body),
    [
      { pattern: 'x', path: 'store', ignore_case: false, max_tokens: 9 },
      { file_path: 'f.jsonl', where: { all: [{ field: 'due_date', op: '>', value: 1 }] }, group_by: 'x' },
    ],
  );
});

test('a refused reload call throws what the service says', async (t) => {
  const server = await ScriptedServer.start(t, (_, response) =>
    refuse(response, 404, 'file_not_found', 'no such file', 'absolute_path'),
  );
  const { client } = clientOf(server.url);
  await assert.rejects(client.readFile('gone.txt'), (error: unknown) => {
    assert.ok(error instanceof UnburdenError);
    assert.deepEqual(
      { ...error, message: error.message },
      {
        name: 'UnburdenError',
        code: 'file_not_found',
        status: 404,
        field: 'absolute_path',
        message: 'no such file',
      },
    );
    return true;
  });
});
