// Written by `UPDATE=1 cargo test --lib declared`; edits are lost.

export type Mode = 'auto' | 'compact' | 'compress';
export type PromptCache = 'warm' | 'cold';
export type CountedParts = 'all' | 'messages';
export type Role = 'tool' | 'user';
export type ReloadTool = 'read_file' | 'grep' | 'lro_extract' | 'read_tool_result' | 'shell';
export type Descriptor = 'pointer' | 'compact' | 'full';
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

/** Settings of `offload`; an absent one is the service's default. */
export interface OffloadSettings {
  /** How the history becomes smaller. Default: auto. */
  contextManageMode?: Mode;
  /** In tokens. A history below this is left alone. Default: 20000. */
  maxTotalTokens?: number;
  /** In tokens. A tool result above this may move. Default: 2000. */
  maxToolMessageTokens?: number;
  /**
   * In messages. The newest messages, which are left alone. Default: 1 for compaction, 2 for
   * compression.
   */
  keepRecentCount?: number;
  /** `auto` compresses if compaction leaves more than this fraction of the tokens. Default: 0.75. */
  compactRatioThreshold?: number;
  /**
   * In tokens. A hard budget for the answer; `countedParts` says for which parts of it. Default:
   * no target.
   */
  targetTokens?: number;
  /** The fraction of `targetTokens` that is left once it was exceeded. Default: 0.5. */
  lowWaterRatio?: number;
  /** Delays a change until it frees this fraction of the tokens that it rewrites. Default: 0. */
  rewriteWhenSavedRatio?: number;
  /**
   * Whether the provider's prompt cache still has the history that was sent before. Default:
   * warm.
   */
  cache?: PromptCache;
  /** The parts that the limits and the report count. Default: all. */
  countedParts?: CountedParts;
  /** In tokens. A pass of compaction or compression that would save less is skipped. Default: 0. */
  minSavingsTokens?: number;
  /** In tokens. Size of the preview of a moved result; 0 leaves the reference only. Default: 120. */
  previewTokens?: number;
  /** In characters. Size of the preview instead of `previewTokens`, which wins if both are given. */
  previewCharLength?: number;
  /** Whose texts may move. Default: tool. */
  compactRoles?: Role[];
  /**
   * The retrieval tools that the agent has; references name only those. Default: read_file,
   * grep, lro_extract, read_tool_result, shell.
   */
  reloadTools?: ReloadTool[];
  /**
   * Whether the answer repeats the content of every file of the call. Default: false, unlike the
   * service's.
   */
  includeFiles?: boolean;
  /** Whether to plan and report only. Default: false. */
  dryRun?: boolean;
  /** Whether to mend an invalid history first. Default: false. */
  repair?: boolean;
  /**
   * Name of the chat in the files of a compression. Default: the name in the files of its
   * earlier snapshots, else 16 hex digits of the BLAKE3 hash of the first message that leaves.
   */
  chatId?: string;
  /** In tokens. The most of one snapshot's group; 0 is one group for all. Default: 0. */
  groupTokenThreshold?: number;
  /** The largest fraction of identifiers that a compression may lose. Default: any. */
  maxLoss?: number;
  /** Whether arrays of records move to files of records that the agent can query. Default: true. */
  materialize?: boolean;
  /** How much of a file of records is described in the history. Default: pointer. */
  descriptor?: Descriptor;
  /**
   * Name of the model that will read the history; it picks the tokenizer only. Default:
   * `o200k_base`.
   */
  model?: string;
  /** Format of the messages. Default: auto. */
  format?: Format;
}

/** A whole number from the given one on, a kind of value, one of some words, or some of them. */
export type Accepted =
  | number
  | 'fraction'
  | 'flag'
  | 'text'
  | { word: readonly string[] }
  | { words: readonly string[] };

export const ACCEPTED: Record<keyof OffloadSettings, Accepted> = {
  contextManageMode: { word: ['auto', 'compact', 'compress'] },
  maxTotalTokens: 0,
  maxToolMessageTokens: 0,
  keepRecentCount: 0,
  compactRatioThreshold: 'fraction',
  targetTokens: 1,
  lowWaterRatio: 'fraction',
  rewriteWhenSavedRatio: 'fraction',
  cache: { word: ['warm', 'cold'] },
  countedParts: { word: ['all', 'messages'] },
  minSavingsTokens: 0,
  previewTokens: 0,
  previewCharLength: 0,
  compactRoles: { words: ['tool', 'user'] },
  reloadTools: { words: ['read_file', 'grep', 'lro_extract', 'read_tool_result', 'shell'] },
  includeFiles: 'flag',
  dryRun: 'flag',
  repair: 'flag',
  chatId: 'text',
  groupTokenThreshold: 0,
  maxLoss: 'fraction',
  materialize: 'flag',
  descriptor: { word: ['pointer', 'compact', 'full'] },
  model: 'text',
  format: 'text',
};
