/**
 * Adapter for the OpenAI Agents SDK for JavaScript: a `callModelInputFilter`, and the reload tools.
 *
 * @packageDocumentation
 */
import { tool } from '@openai/agents';
import type { AgentInputItem, CallModelInputFilter, ModelInputData, Tool } from '@openai/agents';
import type { Unburden } from './client.js';
import { fromResponses, toResponses, withTexts } from './responses-items.js';
import { wireSettings } from './settings.js';
import type { OffloadSettings } from './settings.js';
import type { ReloadToolName } from './tools.js';

/**
 * A `callModelInputFilter` that keeps the input of each model call small. A snapshot goes into
 * the instructions where the agent has some, else into a system message. Items that did not
 * change stay the same objects. Where the service fails, the input stays as it is.
 *
 * @param settings those of `offload`; the agent's model picks the tokenizer unless `model` is set.
 * @throws TypeError for settings of the wrong type or out of range.
 */
export function offloadFilter(client: Unburden, settings: OffloadSettings = {}): CallModelInputFilter {
  wireSettings(settings);
  return async ({ modelData, agent }) => {
    client.noteTools(agent.tools, settings.reloadTools);
    const named = typeof agent.model === 'string' && agent.model ? { model: agent.model } : {};
    const next = await client.attempt(() => smaller(client, { ...named, ...settings }, modelData));
    return next ?? modelData;
  };
}

async function smaller(
  client: Unburden,
  settings: OffloadSettings,
  { input, instructions }: ModelInputData,
): Promise<ModelInputData | undefined> {
  const items = input.map(toResponses);
  // An empty prompt is none: a snapshot in it would begin with empty lines.
  const system = instructions || undefined;
  const done = await client.offload(items, { ...settings, format: 'openai-responses', system });
  if (!done.changed) return undefined;
  const next = done.messages.map((now, at): AgentInputItem => {
    const origin = done.origins[at] ?? null;
    const was = origin === null ? undefined : input[origin];
    if (!was) return fromResponses(now, input);
    return items[origin as number] === now ? was : withTexts(was, now);
  });
  return typeof done.system === 'string'
    ? { input: next, instructions: done.system }
    : { ...(instructions === undefined ? {} : { instructions }), input: next };
}

/**
 * The reload tools for an agent's `tools`.
 *
 * @param only the names of those that are wanted, default the client's; give the same in `settings.reloadTools`.
 */
export function reloadTools(client: Unburden, only?: readonly ReloadToolName[]): Tool[] {
  return client.reloadToolDefinitions(only).map(({ tool: own, name, description, input_schema }) =>
    tool({
      name,
      description,
      parameters: { ...input_schema, additionalProperties: true as const } as never,
      // Strict mode asks for every member to be required.
      strict: false,
      execute: (input: unknown) => client.runTool(own, input),
    }),
  );
}
