/** A format of messages that the service understands; `auto` finds it out. */
export type Format =
  | 'auto'
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'ai-sdk'
  | 'langchain'
  | 'bedrock'
  | 'pi';

/** A tool that reads back what was moved. */
export type ReloadTool = 'read_file' | 'grep' | 'lro_extract' | 'read_tool_result' | 'shell';

/**
 * Settings of `offload`; what is absent is the service's default. Counts are in tokens unless
 * said otherwise.
 */
export interface OffloadSettings {
  /** `compact` moves results, `compress` summarises, `auto` (default) the second where the first is too little. */
  contextManageMode?: 'auto' | 'compact' | 'compress';
  /** Below it nothing happens. Default 20000. */
  maxTotalTokens?: number;
  /** A tool result with more may move. Default 2000. */
  maxToolMessageTokens?: number;
  /** In messages: the newest, which are left alone. Default 1 for compaction, 2 for compression. */
  keepRecentCount?: number;
  /** 0 to 1: `auto` compresses where compaction leaves more than this fraction. Default 0.75. */
  compactRatioThreshold?: number;
  /** A hard budget for the whole answer. Default: none. */
  targetTokens?: number;
  /** A pass that would free less is not made: each edit costs the provider's prompt cache. Default 0. */
  minSavingsTokens?: number;
  /** Size of what stays of a moved result; 0 = its reference only. Default 120. */
  previewTokens?: number;
  /** The same in characters; `previewTokens` wins. */
  previewCharLength?: number;
  /** Whose texts may move. Default `['tool']`. */
  compactRoles?: ('tool' | 'user')[];
  /** The reload tools that the agent has; references name only those. Default: all. */
  reloadTools?: ReloadTool[];
  /** Ask for the content of each file in `metadata.write_file_dict`. Default false, unlike the service's. */
  includeFiles?: boolean;
  /** Report what would be done, write nothing. Default false. */
  dryRun?: boolean;
  /** Mend broken pairs of calls and results first. Default false. */
  repair?: boolean;
  /** Names the chat in the files of a compression; at most 64 characters count. */
  chatId?: string;
  /** A snapshot for each so many tokens; 0 (default) = one for all. */
  groupTokenThreshold?: number;
  /** 0 to 1: a compression that would lose a larger fraction of names is not made. */
  maxLoss?: number;
  /** Arrays of records move as JSONL that can be asked questions. Default true. */
  materialize?: boolean;
  /** How much stays of a file of records. Default `pointer`. */
  descriptor?: 'pointer' | 'compact' | 'full';
  /** Format of the messages. Default `auto`. */
  format?: Format;
  /** Name of the model that will read the history; picks the tokenizer. */
  model?: string;
}

type Check = (value: unknown) => string | null;

const count: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? null : 'a whole number from 0';
const positive: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 1 ? null : 'a whole number from 1';
const fraction: Check = (value) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? null : 'a number from 0 to 1';
const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false');
const text: Check = (value) => (typeof value === 'string' ? null : 'a string');
const word =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value as string) ? null : `one of ${words.join(', ')}`;
const words =
  (...accepted: string[]): Check =>
  (value) =>
    Array.isArray(value) && value.every((each) => accepted.includes(each))
      ? null
      : `a list of ${accepted.join(', ')}`;

const CHECKS: Record<keyof OffloadSettings, Check> = {
  contextManageMode: word('auto', 'compact', 'compress'),
  maxTotalTokens: count,
  maxToolMessageTokens: count,
  keepRecentCount: count,
  compactRatioThreshold: fraction,
  targetTokens: positive,
  minSavingsTokens: count,
  previewTokens: count,
  previewCharLength: count,
  compactRoles: words('tool', 'user'),
  reloadTools: words('read_file', 'grep', 'lro_extract', 'read_tool_result', 'shell'),
  includeFiles: flag,
  dryRun: flag,
  repair: flag,
  chatId: text,
  groupTokenThreshold: count,
  maxLoss: fraction,
  materialize: flag,
  descriptor: word('pointer', 'compact', 'full'),
  // The service knows its formats: a newer one may know more.
  format: text,
  model: text,
};

/** The name of a setting in the service's contract. */
export const wireName = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

/**
 * The settings among `options`, checked, under the names of the contract.
 *
 * @throws TypeError for a name that is none and for a value of the wrong type or out of range.
 */
export function wireSettings(options: object): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    if (!Object.hasOwn(CHECKS, name)) throw new TypeError(`unburden: ${name} is no setting`);
    const accepted = CHECKS[name as keyof OffloadSettings](value);
    if (accepted) throw new TypeError(`unburden: ${name} is ${shown(value)}; accepted is ${accepted}`);
    wire[wireName(name)] = value;
  }
  return wire;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 60)}"` : String(value).slice(0, 60);
}
