/**
 * Adapter for Mastra 1.x: an input processor that makes the prompt of each model call smaller,
 * and the reload tools.
 *
 * @packageDocumentation
 */
import type { ProcessLLMRequestArgs, ProcessLLMRequestResult } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import type { ToolAction } from '@mastra/core/tools';
import type { Unburden } from './client.js';
import { wireSettings } from './settings.js';
import type { OffloadSettings } from './settings.js';
import type { ReloadToolName } from './tools.js';

/** A processor for an agent's `inputProcessors`. */
export interface OffloadProcessor {
  readonly id: 'unburden';
  processLLMRequest(args: ProcessLLMRequestArgs): Promise<ProcessLLMRequestResult>;
}

/**
 * A processor that keeps the prompt of each model call small; memory keeps everything. Messages
 * that did not change stay the same objects. Where the service fails, the prompt stays as it is.
 *
 * @param settings those of `offload`; the model's id picks the tokenizer unless `model` is set.
 * @throws TypeError for settings of the wrong type or out of range.
 */
export function offloadProcessor(client: Unburden, settings: OffloadSettings = {}): OffloadProcessor {
  wireSettings(settings);
  return {
    id: 'unburden',
    processLLMRequest: ({ prompt, model }) =>
      client.attempt(async () => {
        // Mastra's prompt is what the AI SDK gives a provider.
        const asked = { model: model.modelId, ...settings, format: 'ai-sdk' as const };
        const done = await client.offload(prompt, asked);
        return done.changed ? { prompt: done.messages.map(inParts) } : undefined;
      }),
  };
}

type Message = ProcessLLMRequestArgs['prompt'][number];

/** A prompt has texts of users in parts; the service's own messages come without. */
function inParts(message: Message): Message {
  const { role, content } = message as { role: string; content: unknown };
  if (role === 'system' || typeof content !== 'string') return message;
  return { ...message, content: [{ type: 'text', text: content }] } as Message;
}

/**
 * The reload tools for an agent's `tools`, under their own names.
 *
 * @param only the names of those that are wanted, default the client's; give the same in
 *   `settings.reloadTools`.
 */
export function reloadTools(
  client: Unburden,
  only?: readonly ReloadToolName[],
): Record<string, ToolAction<Record<string, unknown>, unknown>> {
  const tools = client.reloadToolDefinitions(only).map(({ tool: own, name, description, input_schema }) => [
    name,
    createTool({
      id: name,
      description,
      inputSchema: input_schema as never,
      execute: (input: unknown) => client.runTool(own, input),
    }),
  ]);
  return Object.fromEntries(tools) as Record<string, ToolAction<Record<string, unknown>, unknown>>;
}
