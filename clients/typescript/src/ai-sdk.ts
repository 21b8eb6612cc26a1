/**
 * Adapter for the Vercel AI SDK 7: `prepareStep` for `generateText`, `streamText` and
 * `ToolLoopAgent`, and the reload tools.
 *
 * @packageDocumentation
 */
import { jsonSchema, tool } from 'ai';
import type { Instructions, LanguageModel, ModelMessage, Tool } from 'ai';
import type { Unburden } from './client.js';
import { wireSettings } from './settings.js';
import type { OffloadSettings } from './settings.js';
import type { ReloadToolName } from './tools.js';

/** What `prepareStep` is told, as far as it matters here. */
export interface Step {
  messages: ModelMessage[];
  instructions: Instructions | undefined;
  model: LanguageModel;
}

/** What it overrides; the SDK carries both forward to later steps. */
export interface StepOverride {
  messages: ModelMessage[];
  instructions?: Instructions;
}

/**
 * A `prepareStep` that keeps the messages of each step small. A snapshot goes into the
 * instructions where there are some, else into a user's message in front. Messages that did not
 * change stay the same objects. Where the service fails, the step goes on as it is.
 *
 * @param settings those of `offload`; the model's id picks the tokenizer unless `model` is set.
 * @throws TypeError for settings of the wrong type or out of range.
 */
export function offloadStep(
  client: Unburden,
  settings: OffloadSettings = {},
): (step: Step) => Promise<StepOverride | undefined> {
  wireSettings(settings);
  return (step) => client.attempt(() => smaller(client, settings, step));
}

async function smaller(
  client: Unburden,
  settings: OffloadSettings,
  { messages, instructions, model }: Step,
): Promise<StepOverride | undefined> {
  const done = await client.offload(messages, {
    model: typeof model === 'string' ? model : model.modelId,
    ...settings,
    format: 'ai-sdk',
    system: toSystem(instructions),
  });
  if (!done.changed) return undefined;
  const next = fromSystem(done.system, instructions);
  return next === undefined ? { messages: done.messages } : { messages: done.messages, instructions: next };
}

/**
 * The reload tools for `tools`, under their own names.
 *
 * @param only the names of those that are wanted, default the client's; give the same in `settings.reloadTools`.
 */
export function reloadTools(client: Unburden, only?: readonly ReloadToolName[]): Record<string, Tool> {
  const tools = client.reloadToolDefinitions(only).map(({ tool: own, name, title, description, input_schema }) => [
    name,
    tool({
      title,
      description,
      inputSchema: jsonSchema<Record<string, unknown>>(input_schema as Parameters<typeof jsonSchema>[0]),
      execute: (input: Record<string, unknown>) => client.runTool(own, input),
    }),
  ]);
  return Object.fromEntries(tools) as Record<string, Tool>;
}

type Block = string | { text?: string };

/** Instructions as the service takes a system prompt: a text, or blocks of text. */
function toSystem(instructions: Instructions | undefined): unknown {
  // An empty prompt is none: a snapshot in it would begin with empty lines.
  if (!instructions || typeof instructions === 'string') return instructions || undefined;
  const messages = Array.isArray(instructions) ? instructions : [instructions];
  return messages.map((message) => ({ type: 'text', text: message.content }));
}

/** The same way back; settings of a provider stay with the block that had them. */
function fromSystem(system: unknown, was: Instructions | undefined): Instructions | undefined {
  if (!was || typeof system === 'string') return was === system ? undefined : (system as string | undefined);
  const messages = typeof was === 'string' ? [] : Array.isArray(was) ? was : [was];
  const texts = (system as Block[]).map((block) => (typeof block === 'string' ? block : (block.text ?? '')));
  if (texts.length === messages.length && texts.every((text, at) => text === messages[at]?.content))
    return undefined;
  return texts.map((content, at) => {
    const message = messages[at];
    return message?.content === content ? message : { ...message, role: 'system' as const, content };
  });
}
