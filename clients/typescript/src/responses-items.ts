/**
 * The items of the OpenAI Agents SDK for JavaScript as those of the Responses API, and back. The
 * SDK spells some members and types another way; the service knows the API's.
 */
import type { AgentInputItem } from '@openai/agents';
import { isPlain } from './json.js';

/** An item, or a part of one. */
export type Item = Record<string, unknown>;

/** Types that the SDK calls otherwise. */
const TYPES: Record<string, string> = {
  function_call_result: 'function_call_output',
  computer_call_result: 'computer_call_output',
};

const HOSTED = ['web_search', 'file_search', 'code_interpreter', 'image_generation'];

/** An item of the SDK in the API's words. */
export function toResponses(item: AgentInputItem): Item {
  const { providerData, callId, ...rest } = item as unknown as Item;
  const extra = snake(providerData);
  const type = rest['type'] as string | undefined;
  const known: Item = { ...extra, ...rest };
  if (type) known['type'] = TYPES[type] ?? type;
  if (callId !== undefined && callId !== null) known['call_id'] = callId;
  if (rest['caller']) known['caller'] = snake(rest['caller']);
  if (rest['role'] !== undefined) return { ...known, content: parts(rest['content']) };
  switch (type) {
    case 'function_call_result':
      return { ...without(known, 'name', 'namespace'), output: output(rest['output']) };
    case 'computer_call_result':
      return { ...known, output: renamed((rest['output'] ?? {}) as Item, 'data', 'image_url') };
    case 'shell_call_output':
      return {
        ...renamed(known, 'maxOutputLength', 'max_output_length'),
        output: list(rest['output']).map(shellOutput),
      };
    case 'shell_call':
      return { ...known, action: snake(rest['action']) };
    case 'program_output':
      return renamed(known, 'output', 'result');
    case 'reasoning':
      return { ...renamed(known, 'content', 'summary'), summary: list(rest['content']).map(summary) };
    case 'hosted_tool_call':
      return { ...without(known, 'name'), ...named(extra), type: hosted(extra['type'] ?? rest['name']) };
    case 'unknown':
      return { ...known, type: extra['type'] ?? 'unknown' };
    default:
      return known;
  }
}

/** The SDK's item `was` with the texts that its item of the API has now. */
export function withTexts(was: AgentInputItem, now: Item): AgentInputItem {
  const item = was as unknown as Item;
  const next = (member: string, value: unknown) =>
    ({ ...item, [member]: value }) as unknown as AgentInputItem;
  if (item['role'] !== undefined) return next('content', partsBack(item['content'], now['content']));
  switch (item['type']) {
    case 'function_call_result':
      return next('output', outputBack(item['output'], now['output']));
    case 'shell_call_output':
      return next(
        'output',
        list(item['output']).map((each, at) => shellBack(each, list(now['output'])[at])),
      );
    case 'apply_patch_call_output':
      return next('output', now['output']);
    default:
      // The service rewrites nothing else.
      return was;
  }
}

/** An item of the service's own: a snapshot, or the result that a broken history lacked. */
export function fromResponses(now: Item, calls: readonly AgentInputItem[]): AgentInputItem {
  if (now['role'] === undefined) return missing(now, calls) as unknown as AgentInputItem;
  const text =
    typeof now['content'] === 'string'
      ? now['content']
      : list(now['content'])
          .map((p) => p['text'])
          .join('');
  // The SDK has no developer's messages.
  const role = now['role'] === 'user' ? 'user' : 'system';
  return { type: 'message', role, content: text } as AgentInputItem;
}

function missing(now: Item, calls: readonly AgentInputItem[]): Item {
  const { call_id: callId, type, ...rest } = now;
  if (type !== 'function_call_output') return { ...rest, type, callId };
  const call = (calls as unknown as Item[]).find(
    (each) => each['type'] === 'function_call' && each['callId'] === callId,
  );
  return {
    ...rest,
    type: 'function_call_result',
    name: call?.['name'] ?? 'unknown',
    callId,
    status: 'incomplete',
  };
}

function parts(content: unknown): unknown {
  return Array.isArray(content) ? content.map(part) : content;
}

function part(value: unknown): unknown {
  if (!isPlain(value)) return value;
  const { providerData, promptCacheBreakpoint, image, file, ...rest } = value;
  const known: Item = { ...snake(providerData), ...rest };
  if (promptCacheBreakpoint) known['prompt_cache_breakpoint'] = promptCacheBreakpoint;
  if (image !== undefined) Object.assign(known, source(image, 'image_url', 'image_url'));
  if (file !== undefined) Object.assign(known, source(file, 'file_url', 'file_data'));
  return known;
}

/** Where media come from: an id, an address, or the data themselves. */
function source(value: unknown, url: string, data: string): Item {
  if (isPlain(value))
    return 'id' in value ? { file_id: value['id'] } : 'url' in value ? { [url]: value['url'] } : value;
  return { [/^https?:/.test(String(value)) ? url : data]: value };
}

function output(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(part);
  if (!isPlain(value)) return value;
  if (value['type'] === 'text') return value['text'];
  // A single image or file: the API has them in lists only.
  return [part({ ...value, type: `input_${String(value['type'])}` })];
}

function outputBack(was: unknown, now: unknown): unknown {
  if (isPlain(was)) return was['type'] === 'text' && typeof now === 'string' ? { ...was, text: now } : was;
  return partsBack(was, now);
}

/** Texts as they are now, everything else as it was, in the order that they have now. */
function partsBack(was: unknown, now: unknown): unknown {
  if (!Array.isArray(was) || !Array.isArray(now)) return now;
  const texts = was.filter(hasText);
  const others = was.filter((each) => !hasText(each));
  return now.map((each: Item) => {
    if (!hasText(each)) return others.shift() ?? each;
    const like = texts.shift() as Item | undefined;
    return like?.['text'] === each['text']
      ? like
      : { ...(like ?? { type: 'input_text' }), text: each['text'] };
  });
}

function hasText(value: unknown): boolean {
  return isPlain(value) && typeof value['text'] === 'string';
}

function shellOutput(value: Item): Item {
  const { outcome, ...rest } = value;
  const { exitCode, ...ended } = (outcome ?? {}) as Item;
  return { ...rest, outcome: exitCode === undefined ? ended : { ...ended, exit_code: exitCode } };
}

function shellBack(was: Item, now: Item | undefined): Item {
  return now ? { ...was, stdout: now['stdout'], stderr: now['stderr'] } : was;
}

function summary(value: Item): Item {
  return { type: 'summary_text', text: value['text'] };
}

function hosted(type: unknown): unknown {
  return HOSTED.includes(type as string) ? `${String(type)}_call` : type;
}

/** The name that the provider gave: the SDK's own says which tool it is. */
function named(extra: Item): Item {
  return extra['name'] === undefined ? {} : { name: extra['name'] };
}

function without(item: Item, ...names: string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
}

function renamed(item: Item, from: string, to: string): Item {
  const { [from]: value, ...rest } = item;
  return value === undefined ? rest : { ...rest, [to]: value };
}

function list(value: unknown): Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}

/** The members of an object under the API's names; their values stay. */
function snake(value: unknown): Item {
  if (!isPlain(value)) return {};
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(
    entries.map(([name, each]) => [name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), each]),
  );
}
