/**
 * An agent of the Vercel AI SDK whose history stays small. Needs Node 22 and a running sidecar:
 *
 *   unburden serve &
 *   node examples/ai-sdk-agent.ts
 */
import { fileURLToPath } from 'node:url';
import { generateText, isStepCount, tool } from 'ai';
import type { LanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { Unburden } from 'unburden';
import type { OffloadSettings } from 'unburden';
import { offloadStep, reloadTools } from 'unburden/ai-sdk';
import { z } from 'zod';
import { INSTRUCTIONS, TASK, listOrders, readLog } from './depots.ts';
import { ScriptedAuditor } from './scripted-auditor.ts';

const tools = {
  read_log: tool({
    description: 'The log of a depot.',
    inputSchema: z.object({ depot: z.number() }),
    execute: ({ depot }) => readLog(depot),
  }),
  list_orders: tool({
    description: 'The orders of a region.',
    inputSchema: z.object({ region: z.string() }),
    execute: ({ region }) => JSON.parse(listOrders(region)),
  }),
};

/** Runs the audit. `settings: null` runs it without the sidecar, to see the difference. */
export async function audit(
  client: Unburden,
  model: LanguageModel,
  settings: OffloadSettings | null = { maxTotalTokens: 8000, targetTokens: 12000 },
): Promise<string> {
  const { text } = await generateText({
    model,
    instructions: INSTRUCTIONS,
    prompt: TASK,
    tools: { ...tools, ...reloadTools(client) },
    stopWhen: isStepCount(50),
    ...(settings && { prepareStep: offloadStep(client, settings) }),
  });
  return text;
}

/** A model that plays a script. @param onCall sees what the model is sent. */
export function scriptedModel(onCall: (prompt: unknown[]) => unknown = () => {}): LanguageModel {
  const auditor = new ScriptedAuditor();
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      await onCall(prompt);
      const { calls, text } = auditor.next(prompt);
      const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
      return {
        content: calls.length
          ? calls.map(({ id, name, args }) => ({
              type: 'tool-call' as const,
              toolCallId: id,
              toolName: name,
              input: JSON.stringify(args),
            }))
          : [{ type: 'text' as const, text }],
        finishReason: { unified: calls.length ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
        usage: { inputTokens: none, outputTokens: { total: 0, text: 0, reasoning: 0 } },
        warnings: [],
      };
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // A real model: `const model = openai('gpt-5.1')` of @ai-sdk/openai, or the string 'openai/gpt-5.1'.
  const model = scriptedModel();
  console.log(await audit(new Unburden(), model));
}
