/**
 * An agent of Mastra whose history stays small. Needs Node 22 and a running sidecar:
 *
 *   unburden serve &
 *   node examples/mastra-agent.ts
 */
import { fileURLToPath } from 'node:url';
import { Agent } from '@mastra/core/agent';
import type { AgentConfig } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Unburden } from 'unburden';
import type { OffloadSettings } from 'unburden';
import { offloadProcessor, reloadTools } from 'unburden/mastra';
import { z } from 'zod';
import { scriptedModel } from './ai-sdk-agent.ts';
import { INSTRUCTIONS, TASK, listOrders, readLog } from './depots.ts';

const tools = {
  read_log: createTool({
    id: 'read_log',
    description: 'The log of a depot.',
    inputSchema: z.object({ depot: z.number() }),
    execute: async ({ depot }) => readLog(depot),
  }),
  list_orders: createTool({
    id: 'list_orders',
    description: 'The orders of a region.',
    inputSchema: z.object({ region: z.string() }),
    execute: async ({ region }) => JSON.parse(listOrders(region)),
  }),
};

/** Runs the audit. `settings: null` runs it without the sidecar, to see the difference. */
export async function audit(
  client: Unburden,
  model: AgentConfig['model'],
  settings: OffloadSettings | null = { maxTotalTokens: 8000, targetTokens: 12000 },
): Promise<string> {
  const agent = new Agent({
    id: 'auditor',
    name: 'auditor',
    instructions: INSTRUCTIONS,
    model,
    tools: { ...tools, ...reloadTools(client) },
    ...(settings && { inputProcessors: [offloadProcessor(client, settings)] }),
  });
  const { text } = await agent.generate(TASK, { maxSteps: 50 });
  return text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // A real model: the string 'openai/gpt-5.1'.
  const model = scriptedModel() as AgentConfig['model'];
  console.log(await audit(new Unburden(), model));
}
