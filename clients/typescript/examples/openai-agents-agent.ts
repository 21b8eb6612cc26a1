/**
 * An agent of the OpenAI Agents SDK whose history stays small. Needs Node 22 and a running sidecar:
 *
 *   unburden serve &
 *   node examples/openai-agents-agent.ts
 */
import { fileURLToPath } from 'node:url';
import { Agent, OpenAIResponsesModel, Runner, tool } from '@openai/agents';
import type { Model } from '@openai/agents';
import OpenAI from 'openai';
import { Unburden } from 'unburden';
import type { OffloadSettings } from 'unburden';
import { offloadFilter, reloadTools } from 'unburden/openai-agents';
import { z } from 'zod';
import { INSTRUCTIONS, TASK, listOrders, readLog } from './depots.ts';
import { ScriptedAuditor } from './scripted-auditor.ts';
import type { Move } from './scripted-auditor.ts';

const tools = [
  tool({
    name: 'read_log',
    description: 'The log of a depot.',
    parameters: z.object({ depot: z.number() }),
    execute: ({ depot }) => readLog(depot),
  }),
  tool({
    name: 'list_orders',
    description: 'The orders of a region.',
    parameters: z.object({ region: z.string() }),
    execute: ({ region }) => listOrders(region),
  }),
];

/** Runs the audit. `settings: null` runs it without the sidecar, to see the difference. */
export async function audit(
  client: Unburden,
  model: string | Model,
  settings: OffloadSettings | null = { maxTotalTokens: 8000, targetTokens: 12000 },
): Promise<string> {
  const agent = new Agent({
    name: 'auditor',
    instructions: INSTRUCTIONS,
    model,
    tools: [...tools, ...reloadTools(client)],
  });
  const runner = new Runner({
    tracingDisabled: true,
    ...(settings && { callModelInputFilter: offloadFilter(client, settings) }),
  });
  const { finalOutput } = await runner.run(agent, TASK, { maxTurns: 50 });
  return finalOutput ?? '';
}

/** What the API is asked. */
export interface ResponsesRequest {
  instructions?: string;
  input: unknown[];
}

/** The SDK's own model for the Responses API, over an API that plays a script. @param onCall sees each request. */
export function scriptedModel(onCall: (request: ResponsesRequest) => unknown = () => {}): Model {
  const auditor = new ScriptedAuditor();
  const api = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const request = JSON.parse(String(init?.body)) as ResponsesRequest;
    await onCall(request);
    return Response.json(response(auditor.next([request.instructions, request.input])));
  };
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://scripted.invalid/v1',
    fetch: api as typeof fetch,
  });
  return new OpenAIResponsesModel(client as never, 'gpt-5.1');
}

function response({ calls, text }: Move): unknown {
  const said = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  const called = calls.map(({ id, name, args }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  }));
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  return {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: calls.length ? called : [said],
    usage,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // A real model: `const model = 'gpt-5.1'`, with OPENAI_API_KEY set.
  const model = scriptedModel();
  console.log(await audit(new Unburden(), model));
}
