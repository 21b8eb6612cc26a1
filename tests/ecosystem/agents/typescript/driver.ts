/**
 * Runs each example agent against the real program: with its adapter, with the program killed
 * half-way, and without the adapter. Stands in a copy of the package's folder, where `run` puts it.
 *
 *   node agents/driver.ts path/to/unburden
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unburden } from 'unburden';
import type { OffloadSettings } from 'unburden';
import { INSTRUCTIONS, ordersOf, seal } from '../examples/depots.ts';
import { FRAMEWORKS } from './frameworks.ts';
import type { Framework } from './frameworks.ts';
import { Service } from './service.ts';
import { SNAPSHOT, WatchedClient, Watch } from './watch.ts';

const BUDGET = 12_000;
const RAW = 80_000;
const SETTINGS = { contextManageMode: 'compact' as const, maxTotalTokens: 8000, targetTokens: BUDGET };
/** Older messages become a snapshot as soon as what is left of them has so many tokens. */
const COMPRESSING = { maxTotalTokens: 2000, compactRatioThreshold: 0, targetTokens: BUDGET };
/** The call of the model at which the program is killed; 28 turns of calls come in all. */
const KILLED_AT = 15;

const EXPRESS = ordersOf('東京').filter((order) => order.express).length;
const ANSWER = `Seal: ${seal(4)}. Express orders of 東京: ${EXPRESS}.`;

/** What a run found; a failed check is thrown. */
interface Row {
  case: string;
  calls: number;
  largest: number;
  tools: string;
}

type Case = (framework: Framework, service: Service) => Promise<Row>;

function watched(service: Service): { watch: Watch; client: WatchedClient } {
  const options = { baseUrl: service.url, token: '' };
  const watch = new Watch(new Unburden(options));
  return { watch, client: new WatchedClient(options, watch) };
}

/** The history stays under the budget, and the model finds in files what it no longer has. */
const adapted: Case = async (framework, service) => {
  const { row, watch } = await found(framework, service, SETTINGS);
  assert.ok(!watch.said.some((said) => said.includes(SNAPSHOT)), 'compaction alone was to do');
  return { ...row, case: 'adapter' };
};

/** The same where older messages become a snapshot. */
const compressed: Case = async (framework, service) => {
  const { row, watch } = await found(framework, service, COMPRESSING);
  const with_ = watch.said.filter((said) => said.includes(SNAPSHOT));
  assert.ok(with_.length > 8, `${with_.length} calls had a snapshot`);
  assert.ok(
    with_.every((said) => said.split(SNAPSHOT).length === 2),
    'snapshots were stacked',
  );
  assert.ok(
    watch.said.every((said) => said.includes(INSTRUCTIONS)),
    'the instructions were lost',
  );
  return { ...row, case: 'snapshot' };
};

async function found(
  framework: Framework,
  service: Service,
  settings: OffloadSettings,
): Promise<{ row: Row; watch: Watch }> {
  const { watch, client } = watched(service);
  const answer = await framework.run(client, settings, async (sent) => {
    await watch.judge(sent);
    const said = watch.said.at(-1) ?? '';
    const hasAll = client.snapshots.every((snapshot) => said.includes(snapshot));
    assert.ok(hasAll, `call ${watch.calls} lacks the newest snapshot`);
  });

  assert.equal(answer, ANSWER);
  assert.ok(watch.largest <= BUDGET, `a history had ${watch.largest} tokens, above ${BUDGET}`);
  assert.deepEqual(watch.problems, []);
  assert.deepEqual(client.warnings, []);
  assert.ok(
    watch.said.slice(0, 8).some((said) => said.includes(seal(4))),
    'the seal never came by',
  );
  // What the model had before it when it asked.
  const before = (tool: string): string => {
    const asked = client.used.find((each) => each.tool === tool);
    assert.ok(asked, `${tool} was not used`);
    return watch.said[asked.call - 1] as string;
  };
  assert.ok(!before('grep').includes(seal(4)), 'the seal still stood in a message');
  assert.ok(!before('lro_extract').includes(`${EXPRESS} of 110`), 'the count stood in a message');
  const row = { case: '', calls: watch.calls, largest: watch.largest, tools: client.tools };
  return { row, watch };
}

/** The agent ends its work with what it has, and says so once. */
const killed: Case = async (framework, service) => {
  const { watch, client } = watched(service);
  const answer = await framework.run(client, SETTINGS, async (sent) => {
    if (watch.calls + 1 < KILLED_AT) return watch.judge(sent);
    if (watch.calls + 1 === KILLED_AT) await service.kill();
    return watch.note(sent);
  });

  assert.match(answer, /^Seal: .*Express orders of 東京: /);
  assert.equal(client.warnings.length, 1, client.warnings.join('\n'));
  assert.match(client.warnings[0] as string, /no service at/);
  assert.ok(watch.largest > 0 && watch.largest <= BUDGET, `a history had ${watch.largest} tokens`);
  assert.ok(watch.said.at(-1)?.includes('depot 27 gate 8'), 'the last log is missing');
  assert.ok(client.used.length > 0, 'no reload tool was tried');
  assert.match(watch.said.at(-1) as string, /Error: .*no service at/);
  return { case: 'killed', calls: watch.calls, largest: watch.largest, tools: client.tools };
};

/** Without the adapter the same checks fail: the budget is broken, and nothing has to be found. */
const bare: Case = async (framework, service) => {
  const { watch, client } = watched(service);
  await framework.run(client, null, (sent) => watch.judge(sent));

  assert.ok(watch.largest > RAW, `the raw history had only ${watch.largest} tokens`);
  assert.ok(
    watch.said.slice(8).every((said) => said.includes(seal(4))),
    'a bare history lost the seal',
  );
  assert.deepEqual(watch.problems, []);
  return { case: 'no adapter', calls: watch.calls, largest: watch.largest, tools: '' };
};

async function within(binary: string, framework: Framework, run: Case): Promise<Row> {
  const root = await mkdtemp(join(tmpdir(), 'unburden-agents-'));
  const service = await Service.start(binary, root);
  try {
    return await run(framework, service);
  } finally {
    await service.kill();
    await rm(root, { recursive: true, force: true });
  }
}

function show(cells: (string | number)[]): void {
  const widths = [16, 10, 11, 12, 11, 15, 19];
  console.log(
    cells
      .map((cell, at) => String(cell).padEnd(widths[at] ?? 0))
      .join(' ')
      .trimEnd(),
  );
}

async function main(binary: string): Promise<number> {
  const failures: string[] = [];
  let passed = 0;
  show([
    'framework',
    'version',
    'case',
    'model calls',
    'raw tokens',
    'largest history',
    'reload tools',
    'ok',
  ]);
  for (const framework of FRAMEWORKS) {
    let raw: string | number = '?';
    for (const [name, run] of Object.entries({
      'no adapter': bare,
      adapter: adapted,
      snapshot: compressed,
      killed,
    })) {
      try {
        const row = await within(binary, framework, run);
        // The bare run measures what the others would have grown to.
        if (run === bare) raw = row.largest;
        show([framework.name, framework.version, row.case, row.calls, raw, row.largest, row.tools, 'ok']);
        passed += 1;
      } catch (error) {
        failures.push(`${framework.name}, ${name}: ${error instanceof Error ? error.stack : String(error)}`);
        show([framework.name, framework.version, name, '', raw, '', '', 'FAILED']);
      }
    }
  }
  failures.forEach((failure) => console.log(`\n${failure}`));
  console.log(`${passed} passed, ${failures.length} failed, 0 skipped`);
  return failures.length ? 1 : 0;
}

const binary = process.argv[2];
if (!binary) {
  console.error('driver.ts: the path of the unburden program is missing');
  process.exit(2);
}
process.exit(await main(binary));
