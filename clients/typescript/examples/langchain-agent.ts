/**
 * An agent of LangChain.js whose history stays small. Needs Node 22 and a running sidecar:
 *
 *   unburden serve &
 *   node examples/langchain-agent.ts
 */
import { fileURLToPath } from 'node:url';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import type { BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { createAgent, tool } from 'langchain';
import { Unburden } from 'unburden';
import type { OffloadSettings } from 'unburden';
import { offloadMiddleware } from 'unburden/langchain';
import { z } from 'zod';
import { INSTRUCTIONS, TASK, listOrders, readLog } from './depots.ts';
import { ScriptedAuditor } from './scripted-auditor.ts';

const tools = [
  tool(({ depot }) => readLog(depot), {
    name: 'read_log',
    description: 'The log of a depot.',
    schema: z.object({ depot: z.number() }),
  }),
  tool(({ region }) => listOrders(region), {
    name: 'list_orders',
    description: 'The orders of a region.',
    schema: z.object({ region: z.string() }),
  }),
];

/** Runs the audit. `settings: null` runs it without the sidecar, to see the difference. */
export async function audit(
  client: Unburden,
  model: BaseChatModel,
  settings: OffloadSettings | null = { maxTotalTokens: 8000, targetTokens: 12000 },
): Promise<string> {
  const agent = createAgent({
    model,
    systemPrompt: INSTRUCTIONS,
    tools,
    middleware: settings ? [offloadMiddleware(client, settings)] : [],
  });
  const { messages } = await agent.invoke(
    { messages: [{ role: 'user', content: TASK }] },
    { recursionLimit: 200 },
  );
  return messages.at(-1)?.text ?? '';
}

/** A model that plays a script. */
export class ScriptedModel extends BaseChatModel {
  readonly #auditor = new ScriptedAuditor();
  readonly #onCall: (messages: BaseMessage[]) => unknown;

  /** @param onCall sees what the model is sent. */
  constructor(onCall: (messages: BaseMessage[]) => unknown = () => {}) {
    super({});
    this.#onCall = onCall;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    await this.#onCall(messages);
    const { calls, text } = this.#auditor.next(messages.map((message) => message.content));
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map(({ id, name, args }) => ({ id, name, args, type: 'tool_call' as const })),
    });
    return { generations: [{ text, message }] };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // A real model: `const model = await initChatModel('openai:gpt-5.1')` of langchain.
  const model = new ScriptedModel();
  console.log(await audit(new Unburden(), model));
}
