// The core on the oldest Node that the package takes: node tests/oldest-node.mjs. The other tests
// and the AI SDK need Node 22, which reads TypeScript.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Unburden, toolDefinitions } from 'unburden';

const moved = [{ role: 'user', content: 'short' }];
const server = createServer((_, response) => {
  response.end(
    JSON.stringify({ success: true, answer: 'done', messages: moved, metadata: { report: null } }),
  );
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));

const warnings = [];
const options = {
  baseUrl: `http://127.0.0.1:${server.address().port}`,
  onWarning: (message) => warnings.push(message),
};
const client = new Unburden(options);
const history = [{ role: 'user', content: 'long' }];
assert.deepEqual((await client.offload(history)).messages, moved);
assert.equal(await client.healthy(), true);

server.closeAllConnections();
await new Promise((closed) => server.close(closed));
assert.equal((await client.offload(history)).messages, history);
assert.equal(warnings.length, 1);
assert.equal(toolDefinitions('mcp').length, 4);
