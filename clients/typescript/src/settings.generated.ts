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
  /** Selects how the history is reduced. Default: auto. */
  contextManageMode?: Mode;
  /** In tokens. A history with fewer tokens is returned unchanged. Default: 20000. */
  maxTotalTokens?: number;
  /** In tokens. A tool result with more tokens may move to a file. Default: 2000. */
  maxToolMessageTokens?: number;
  /**
   * In messages. Number of newest messages that stay unchanged. Default: 1 for compaction, 2 for
   * compression.
   */
  keepRecentCount?: number;
  /** `auto` compresses if compaction leaves more than this fraction of the tokens. Default: 0.75. */
  compactRatioThreshold?: number;
  /**
   * In tokens. Hard token budget of the answer; `countedParts` selects the parts that count.
   * Default: no target.
   */
  targetTokens?: number;
  /** A history that exceeds `targetTokens` is reduced to this fraction of it. Default: 0.5. */
  lowWaterRatio?: number;
  /** Delays a change until it frees this fraction of the tokens that it rewrites. Default: 0. */
  rewriteWhenSavedRatio?: number;
  /** Whether the provider's prompt cache still holds the previous history. Default: warm. */
  cache?: PromptCache;
  /** The parts of the request that the limits and the report count. Default: all. */
  countedParts?: CountedParts;
  /** In tokens. Skips a pass of compaction or compression that would save less. Default: 0. */
  minSavingsTokens?: number;
  /** In tokens. Size of the preview of a moved result; 0 removes the preview. Default: 120. */
  previewTokens?: number;
  /** In characters. Size of the preview; `previewTokens` takes precedence if both are given. */
  previewCharLength?: number;
  /** The roles whose texts may move. Default: tool. */
  compactRoles?: Role[];
  /**
   * The retrieval tools that the agent has; references name only those. Default: read_file,
   * grep, lro_extract, read_tool_result, shell.
   */
  reloadTools?: ReloadTool[];
  /**
   * Whether the answer includes the content of every file of the call. Default: false, unlike
   * the service's.
   */
  includeFiles?: boolean;
  /** Whether to plan and report only. Default: false. */
  dryRun?: boolean;
  /** Whether to repair an invalid history first. Default: false. */
  repair?: boolean;
  /**
   * Name of the chat; a part of the names of the files of a compression. Default: the name in
   * the files of earlier snapshots of the history, else 16 hex digits of the BLAKE3 hash of the
   * first message that a snapshot replaces.
   */
  chatId?: string;
  /**
   * In tokens. Maximum size of the messages that one snapshot replaces; 0 makes one snapshot.
   * Default: 0.
   */
  groupTokenThreshold?: number;
  /** The maximum fraction of identifiers that a compression may lose. Default: any. */
  maxLoss?: number;
  /** Whether arrays of records become files of records that the agent can query. Default: true. */
  materialize?: boolean;
  /** Level of detail of the description of a file of records in the history. Default: pointer. */
  descriptor?: Descriptor;
  /**
   * Name of the model that will read the history; it selects only the tokenizer. Default:
   * `o200k_base`.
   */
  model?: string;
  /** Format of the messages. Default: auto. */
  format?: Format;
}

/** The accepted value: the minimum of a whole number, a kind of value, one word, or several words. */
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
