import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toolDefinitions } from 'unburden';
import type { ToolFormat } from 'unburden';
import { TOOLS } from '../dist/tools.generated.js';

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
