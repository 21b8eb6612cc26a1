/** The examples of the package, each with how to read what its model is sent. */
import { readFileSync } from 'node:fs';
import type { BaseMessage } from '@langchain/core/messages';
import type { Format, OffloadSettings, Unburden } from 'unburden';
import * as aiSdk from '../examples/ai-sdk-agent.ts';
import * as langchain from '../examples/langchain-agent.ts';
import * as mastra from '../examples/mastra-agent.ts';
import * as openaiAgents from '../examples/openai-agents-agent.ts';
import type { ResponsesRequest } from '../examples/openai-agents-agent.ts';

/** What a model is sent, in a format that the service counts and validates. */
export interface Sent {
  messages: unknown[];
  system?: string | undefined;
  format: Format;
}

export type OnCall = (sent: Sent) => unknown;

/** An example agent. */
export interface Framework {
  name: string;
  version: string;
  run(client: Unburden, settings: OffloadSettings | null, onCall: OnCall): Promise<string>;
}

export const FRAMEWORKS: Framework[] = [
  {
    name: 'ai',
    version: version('ai'),
    run: (client, settings, onCall) => {
      const model = aiSdk.scriptedModel((messages) => onCall({ messages, format: 'ai-sdk' }));
      return aiSdk.audit(client, model, settings);
    },
  },
  {
    name: 'langchain',
    version: version('langchain'),
    run: (client, settings, onCall) => {
      const sent = (messages: BaseMessage[]): Sent => ({
        messages: messages.map((message) => message.toDict()),
        format: 'langchain',
      });
      const model = new langchain.ScriptedModel((messages) => onCall(sent(messages)));
      return langchain.audit(client, model, settings);
    },
  },
  {
    name: '@openai/agents',
    version: version('@openai/agents'),
    run: (client, settings, onCall) => {
      // What the SDK itself makes of its items and posts to the API.
      const sent = ({ input, instructions }: ResponsesRequest): Sent => ({
        messages: input,
        system: instructions,
        format: 'openai-responses',
      });
      const model = openaiAgents.scriptedModel((request) => onCall(sent(request)));
      return openaiAgents.audit(client, model, settings);
    },
  },
  {
    name: '@mastra/core',
    version: version('@mastra/core'),
    run: (client, settings, onCall) => {
      const model = aiSdk.scriptedModel((messages) => onCall({ messages, format: 'ai-sdk' }));
      return mastra.audit(client, model as Parameters<typeof mastra.audit>[1], settings);
    },
  },
];

function version(name: string): string {
  const url = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version;
}
