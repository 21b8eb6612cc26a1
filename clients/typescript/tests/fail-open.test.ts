import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Unburden } from 'unburden';
import type { Offloaded } from 'unburden';
import { ScriptedServer, clientOf, nowhere, refuse, send } from './support.ts';
import type { Answer } from './support.ts';

const HISTORY = [{ role: 'user', content: 'go' }];
const NOWHERE = await nowhere();

const FAILURES: Record<string, { answer: Answer; code: string; says: RegExp }> = {
  'a server that hangs': { answer: () => undefined, code: 'timeout', says: /did not answer within 150 ms/ },
  'an answer that stalls': {
    answer: (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"success":');
      return undefined;
    },
    code: 'timeout',
    says: /did not answer within 150 ms/,
  },
  'a 500': {
    answer: (_, response) => refuse(response, 500, 'internal', 'something broke, id 7'),
    code: 'internal',
    says: /something broke, id 7/,
  },
  'a 500 of a proxy': {
    answer: (_, response) => void send(response, 502, '<html>bad gateway</html>'),
    code: 'answer_unreadable',
    says: /answered 502 with what is no envelope/,
  },
  'a 422': {
    answer: (_, response) => refuse(response, 422, 'field_invalid', 'store_dir: is outside', 'store_dir'),
    code: 'field_invalid',
    says: /store_dir: is outside/,
  },
  garbage: {
    answer: (_, response) => void send(response, 200, '{"success":true,"mess'),
    code: 'answer_unreadable',
    says: /no envelope/,
  },
  'JSON that is no envelope': {
    answer: (_, response) => void send(response, 200, '{"success":true,"answer":"","metadata":{}}'),
    code: 'answer_unreadable',
    says: /no envelope/,
  },
  'an answer without messages': {
    answer: () => ({ messages: [] }),
    code: 'answer_unreadable',
    says: /no messages/,
  },
  'a dropped connection': {
    answer: (_, response) => void response.socket?.destroy(),
    code: 'unreachable',
    says: /broke the connection off/,
  },
  'an answer that breaks off': {
    answer: (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"success":', () => response.socket?.destroy());
      return undefined;
    },
    code: 'unreachable',
    says: /broke the connection off/,
  },
  'a service that could not write': {
    answer: ({ body }) => ({ messages: body['messages'], answer: 'Nothing was done: the disk is full.' }),
    code: 'not_done',
    says: /the disk is full/,
  },
};

for (const [name, { answer, code, says }] of Object.entries(FAILURES)) {
  test(`${name} costs no turn`, async (t) => {
    const server = await ScriptedServer.start(t, answer);
    const { client, warnings, errors } = clientOf(server.url, {
      timeoutMs: code === 'timeout' ? 150 : 10_000,
    });
    for (let turn = 0; turn < 2; turn += 1) {
      const done = await client.offload(HISTORY, { system: 'be kind' });
      assert.equal(done.messages, HISTORY);
      assert.equal(done.system, 'be kind');
      assert.equal(done.changed, false);
      assert.equal(done.error?.code, code);
    }
    assert.equal(warnings.length, 1, 'an outage is told once');
    assert.match(warnings[0]!, says);
    assert.equal(errors[0]!.code, code);
  });
}

test('where nothing listens the turn goes on at once', async () => {
  const { client, warnings } = clientOf(NOWHERE);
  const began = Date.now();
  const done = await client.offload(HISTORY);
  assert.ok(Date.now() - began < 1000);
  assert.equal(done.messages, HISTORY);
  assert.equal(done.error?.code, 'unreachable');
  assert.match(warnings[0]!, /^unburden: no service at http.*ECONNREFUSED.*; continuing with the original messages. Start it: unburden serve --listen 127.0.0.1:\d+$/);
  assert.equal(await client.healthy(), false);
});

test('https where the service speaks http is told in one line', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { client, warnings, errors } = clientOf(`https://${address}`);
  await client.offload(HISTORY);
  assert.equal(errors[0]?.code, 'tls_failed');
  assert.deepEqual(warnings, [
    `unburden: the service at https://${address} speaks http, not https; set baseUrl (UNBURDEN_URL) to ` +
      `http://${address}; continuing with the original messages`,
  ]);
});

test('what fails below fetch is told in one line, with a remedy that helps', async () => {
  const failing = (cause: Error): typeof fetch => () =>
    Promise.reject(new TypeError('fetch failed', { cause }));
  const expired = Object.assign(new Error('certificate has expired\nmore'), { code: 'CERT_HAS_EXPIRED' });
  const { client, warnings } = clientOf('https://127.0.0.1:8002', { fetch: failing(expired) });
  assert.equal((await client.offload(HISTORY)).error?.code, 'tls_failed');
  assert.deepEqual(warnings, [
    'unburden: no TLS with https://127.0.0.1:8002: certificate has expired; continuing with the original messages',
  ]);
});

test('a port that fetch blocks is no place to start the service', async () => {
  const { client, warnings } = clientOf('http://127.0.0.1:1');
  assert.equal((await client.offload(HISTORY)).error?.code, 'port_blocked');
  assert.deepEqual(warnings, [
    'unburden: fetch blocks the port of http://127.0.0.1:1; let the service listen on another port, such as ' +
      '8002; continuing with the original messages',
  ]);
});

test('an address that swallows everything costs the time of a connect, not of a call', async (t) => {
  // A timeout's timer alone does not keep the process, unlike the socket of a real call.
  const alive = setInterval(() => {}, 50);
  t.after(() => clearInterval(alive));
  const swallow = ((_: unknown, init?: RequestInit) =>
    new Promise((_resolve, fail) =>
      init?.signal?.addEventListener('abort', () => fail(init.signal?.reason)),
    )) as typeof fetch;
  const { client, warnings } = clientOf('http://10.0.0.1', {
    fetch: swallow,
    connectTimeoutMs: 100,
    timeoutMs: 10_000,
  });
  const began = Date.now();
  assert.equal((await client.offload(HISTORY)).error?.code, 'timeout');
  assert.ok(Date.now() - began < 2000);
  assert.match(warnings[0]!, /within 100 ms/);
});

test('a service that hangs is not asked on every turn', async (t) => {
  let hangs = true;
  const server = await ScriptedServer.start(t, ({ body }) =>
    hangs ? undefined : { messages: body['messages'] },
  );
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  const { client, warnings } = clientOf(server.url, { timeoutMs: 50 });
  const turn = (): Promise<Offloaded<object>> => client.offload<object>(HISTORY);
  for (const [at, pause] of [5, 10, 20, 40, 60, 60].entries()) {
    assert.equal((await turn()).messages, HISTORY);
    now += (pause - 1) * 1000;
    const passed = await turn();
    assert.equal(passed.messages, HISTORY);
    assert.equal(passed.error?.code, 'timeout');
    assert.match(passed.error!.message, /within 50 ms; it is asked again in 1 s$/);
    assert.equal(server.asked.length, at + 1);
    now += 1000;
  }
  assert.equal(warnings.length, 1);
  // It answers again, and a new outage begins with the shortest pause.
  hangs = false;
  assert.equal((await turn()).error, null);
  hangs = true;
  // Calls of the same time make one pause.
  await Promise.all([turn(), turn(), turn()]);
  assert.match((await turn()).error!.message, /it is asked again in 5 s$/);
  assert.equal(server.asked.length, 10);
  assert.equal(warnings.length, 2);
});

test('who wants errors asks on every turn', async (t) => {
  const server = await ScriptedServer.start(t, () => undefined);
  const { client } = clientOf(server.url, { timeoutMs: 50, failOpen: false });
  for (let n = 0; n < 2; n += 1) await assert.rejects(client.offload(HISTORY), { code: 'timeout' });
  assert.equal(server.asked.length, 2);
});

test('an outage that ends and comes back is told again', async (t) => {
  const server = await ScriptedServer.start(t, ({ body }) => ({ messages: body['messages'] }));
  const { port } = new URL(server.url);
  const { client, warnings } = clientOf(server.url);
  const turn = async (): Promise<boolean> => (await client.offload(HISTORY)).error === null;
  assert.equal(await turn(), true);
  await server.close();
  assert.equal(await turn(), false);
  assert.equal(await turn(), false);
  assert.equal(warnings.length, 1);
  await server.listen(Number(port));
  assert.equal(await turn(), true);
  await server.close();
  assert.equal(await turn(), false);
  assert.equal(warnings.length, 2);
  await server.listen(Number(port));
});

test('messages that JSON cannot hold cost no turn either', async (t) => {
  const server = await ScriptedServer.start(t, () => ({}));
  const { client, warnings } = clientOf(server.url);
  const circular: Record<string, unknown> = { role: 'user' };
  circular['self'] = circular;
  const history = [circular];
  const done = await client.offload(history);
  assert.equal(done.messages, history);
  assert.equal(done.error?.code, 'arguments_unreadable');
  assert.equal(warnings.length, 1);
  assert.equal(server.asked.length, 0);
});

test('failOpen: false throws, and does not warn', async () => {
  const { client, warnings } = clientOf(NOWHERE, { failOpen: false });
  await assert.rejects(client.offload(HISTORY), { name: 'UnburdenError', code: 'unreachable', status: null });
  assert.equal(warnings.length, 0);
});

test('the default warning goes to the console', async (t) => {
  const warn = t.mock.method(console, 'warn', () => {});
  await new Unburden({ baseUrl: NOWHERE }).offload(HISTORY);
  assert.equal(warn.mock.callCount(), 1);
  assert.match(String(warn.mock.calls[0]!.arguments[0]), /continuing with the original messages/);
});
