/** What every result has. */
export interface TextResult {
  /** The answer as a model reads it. */
  text: string;
}

/** One matching line. */
export interface GrepMatch {
  /** Relative to the searched folder; the name where a file was searched. */
  path: string;
  /** Line number, from 1. */
  line: number;
  /** Where the first match begins, from 1, in bytes as stored. */
  column: number;
  text: string;
  textTruncated: boolean;
}

/** The lines that match. */
export interface GrepResult extends TextResult {
  matches: GrepMatch[];
  truncated: boolean;
  /** The limit that cut the answer: `limit`, `max_tokens`, `max_matches`, `answer_bytes`, `files`, `deadline`. */
  truncatedBy: string | null;
  filesSearched: number;
  filesSkipped: number;
  skipped: { path: string; why: string }[];
}

/** A page of a file. */
export interface ReadFileResult extends TextResult {
  totalLines: number;
  totalBytes: number;
  /** Where to go on, in the unit that was asked for; null at the end. */
  nextOffset: number | null;
  /** The same place as a byte. */
  nextByteOffset: number | null;
  truncated: boolean;
  truncatedBy: string | null;
}

/** A part of a tool result. */
export interface ToolResultResult extends TextResult {
  /** Absent with `grep:`. */
  totalLines?: number;
  /** The `lines` to go on with; absent with `grep:`. */
  nextLines?: string | null;
  /** With `grep:`. */
  matches?: GrepMatch[];
  truncated: boolean;
  truncatedBy: string | null;
  path: string;
  others?: string[];
}

/** What a question about records gave. */
export interface ExtractResult extends TextResult {
  /** How many records match, where the question says so. */
  count?: number;
  records?: unknown[];
  groups?: unknown[];
  present?: (string | number)[];
  absent?: (string | number)[];
  truncated: boolean;
  nextOffset: number | null;
  complete?: boolean;
  notes?: string[];
  /** Further members, such as the outputs of a jq filter. */
  [member: string]: unknown;
}

/** A large result's file, or the result itself where it is small. */
export interface OffloadResultResult extends TextResult {
  /** The descriptor as the contract spells it: `offloaded`, and if so `file_path`, `summary`, … */
  offload: { offloaded?: boolean; file_path?: string; [member: string]: unknown };
  /** The result, where it stayed. */
  results?: unknown;
  /** What is known of the file. */
  file?: Record<string, unknown>;
}

/** Counts, in tokens. */
export interface CountResult extends TextResult {
  tokens: number;
  tokensByPart: { messages: number; tools: number; system: number };
  tokensByMessage: number[];
  tokenizer: string;
  /** Whether the model's own vocabulary counted. */
  exact: boolean;
  format: string;
}

/** A rule of a provider that a history breaks. */
export interface Problem {
  /** The message, from 0. */
  index: number;
  rule: string;
  id: string | null;
  /** What the provider says of such a request. */
  says: string;
}

/** What a provider would reject. */
export interface ValidateResult extends TextResult {
  valid: boolean;
  format: string;
  formatSource: string;
  count: number;
  problems: Problem[];
}

/** A history with its texts back. */
export interface RehydrateResult<M = unknown> extends TextResult {
  messages: M[];
  /** The system prompt without snapshots, where one was sent. */
  system: unknown;
  restored: number;
  messagesRestored: number;
  unresolved: { index: number; path: string; why: string }[];
}
