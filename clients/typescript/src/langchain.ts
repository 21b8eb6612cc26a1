/**
 * Adapter for LangChain.js 1.x: a middleware for `createAgent` that replaces the messages of the
 * state, and the reload tools.
 *
 * @packageDocumentation
 */
import { HumanMessage, RemoveMessage, mapStoredMessagesToChatMessages } from '@langchain/core/messages';
import type { BaseMessage, StoredMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import type { DynamicStructuredTool } from '@langchain/core/tools';
import { createMiddleware } from 'langchain';
import type { AgentMiddleware } from 'langchain';
import type { Unburden } from './client.js';
import { wireSettings } from './settings.js';
import type { OffloadSettings } from './settings.js';
import type { ReloadToolDefinition, ReloadToolName } from './tools.js';

/** LangGraph's own constant; its package is a dependency of `langchain` and cannot be counted on. */
const REMOVE_ALL_MESSAGES = '__remove_all__';
const MARK = 'unburden';

/** A message as LangChain dumps it. */
interface Dumped {
  type: string;
  data: Record<string, unknown>;
}

/**
 * A middleware that keeps the messages of the state small, before each call of the model, and
 * gives the agent the reload tools. Messages that did not change stay the same objects. Where
 * the service fails, the state stays as it is.
 *
 * @param settings those of `offload`; `reloadTools` also says which tools the agent gets.
 * @throws TypeError for settings of the wrong type or out of range.
 */
export function offloadMiddleware(client: Unburden, settings: OffloadSettings = {}): AgentMiddleware {
  wireSettings(settings);
  return createMiddleware({
    name: 'UnburdenMiddleware',
    tools: client.reloadToolDefinitions(undefined, settings.reloadTools).map((made) => asTool(client, made)),
    wrapModelCall: (request, handler) => {
      client.noteTools(request.tools, settings.reloadTools);
      return handler(request);
    },
    beforeModel: async (state) => {
      const messages = await offloadMessages(client, state.messages as BaseMessage[], settings);
      if (!messages) return undefined;
      return { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...messages] };
    },
  }) as AgentMiddleware;
}

/**
 * The smaller history, as the middleware makes it, for graphs of one's own. A snapshot that finds
 * no system message goes into a human's message in front, since models take system messages at the
 * very beginning only, where an agent has its own.
 *
 * @returns null where the history stays as it is: nothing is too large, or the service failed. Go
 *   on with `messages` then: `(await offloadMessages(client, messages)) ?? messages`.
 */
export async function offloadMessages(
  client: Unburden,
  messages: readonly BaseMessage[],
  settings: OffloadSettings = {},
): Promise<BaseMessage[] | null> {
  return (await client.attempt(() => smaller(client, messages, settings))) ?? null;
}

async function smaller(
  client: Unburden,
  messages: readonly BaseMessage[],
  settings: OffloadSettings,
): Promise<BaseMessage[] | undefined> {
  const dumped = messages.map(dump);
  const done = await client.offload(dumped, { ...settings, format: 'langchain' });
  if (!done.changed) return undefined;
  return done.messages.map((now, at) => {
    const origin = done.origins[at] ?? null;
    const was = origin === null ? undefined : messages[origin];
    return was && dumped[origin as number] === now ? was : load(now, was);
  });
}

/**
 * The reload tools for `createAgent` or `bindTools`. The middleware brings them along.
 *
 * @param only the names of those that are wanted; give the same in `settings.reloadTools`.
 */
export function reloadTools(client: Unburden, only?: readonly ReloadToolName[]): DynamicStructuredTool[] {
  return client.reloadToolDefinitions(only).map((made) => asTool(client, made));
}

function asTool(client: Unburden, made: ReloadToolDefinition): DynamicStructuredTool {
  const { name, description, input_schema: schema } = made;
  const run = (input: unknown): Promise<string> => client.runTool(made.tool, input);
  return tool(run, { name, description, schema }) as unknown as DynamicStructuredTool;
}

/** The service looks for its snapshots in system messages, so one of a human's goes as one. */
function dump(message: BaseMessage): Dumped {
  const { type, data } = message.toDict() as unknown as Dumped;
  return { type: isSnapshot(message) ? 'system' : type, data };
}

function isSnapshot(message: BaseMessage): boolean {
  return message.getType() === 'human' && message.additional_kwargs?.[MARK] === 'snapshot';
}

function load(now: Dumped, was: BaseMessage | undefined): BaseMessage {
  if (was) return edited(was, now.data['content'] as BaseMessage['content']);
  if (now.type !== 'system') {
    return mapStoredMessagesToChatMessages([now as unknown as StoredMessage])[0] as BaseMessage;
  }
  return new HumanMessage({
    content: now.data['content'] as string,
    additional_kwargs: { [MARK]: 'snapshot' },
  });
}

/** A message of the same class, with everything but its content. */
function edited(was: BaseMessage, content: BaseMessage['content']): BaseMessage {
  const Same = was.constructor as new (fields: Record<string, unknown>) => BaseMessage;
  const now = was as unknown as Record<string, unknown>;
  // What it was made of, as it is now: frameworks set ids and metadata later.
  const names = [...Object.keys(was.lc_kwargs), 'id', 'name', 'additional_kwargs', 'response_metadata'];
  const fields = names.map((name) => [name, now[name] ?? (was.lc_kwargs as Record<string, unknown>)[name]]);
  return new Same({ ...Object.fromEntries(fields), content });
}
