// One call each with the generated types; compiled beside `schema.ts`.
import createClient from 'openapi-fetch';

import type { components, paths } from './schema.js';

declare const process: { argv: string[] };

const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const log = Array.from({ length: 2_000 }, (_, number) => `line ${number} of the log`).join('\n');
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
const messages: components['schemas']['Message'][] = [
  { role: 'user', content: 'read the log' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_1', content: log },
  { role: 'user', content: 'go on' },
];

function check(holds: boolean, what: unknown): void {
  if (!holds) throw new Error(JSON.stringify(what));
}

const offloaded = await client.POST('/context_offload', {
  body: { messages, store_dir: 'types', max_total_tokens: 1_000 },
});
const report: components['schemas']['OffloadReport'] | undefined = offloaded.data?.metadata.report;
check(report?.outcome === 'compacted' && report.checks.pairing, offloaded);
const found = await client.POST('/grep', { body: { pattern: 'line 1999 of', path: 'types' } });
check(found.data?.metadata.matches_total === 1, found);
const missing = await client.POST('/lro_extract', {
  body: { file_path: 'types/no.jsonl', count: true },
});
check(missing.error?.metadata.error.code === 'file_not_found', missing);
