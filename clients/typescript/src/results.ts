/** The common members of all results. */
export interface TextResult {
  /** The answer as text for a model. */
  text: string;
}

/** One matching line. */
export interface GrepMatch {
  /** Relative to the searched folder; the file's name if a file was searched. */
  path: string;
  /** Line number, from 1. */
  line: number;
  /** Start of the first match, in stored bytes from 1. */
  column: number;
  text: string;
  textTruncated: boolean;
}

/** The matching lines. */
export interface GrepResult extends TextResult {
  matches: GrepMatch[];
  truncated: boolean;
  /**
   * The limit that truncated the answer: `limit`, `max_tokens`, `max_matches`, `answer_bytes`, `files`,
   * `deadline`.
   */
  truncatedBy: string | null;
  filesSearched: number;
  filesSkipped: number;
  skipped: { path: string; why: string }[];
}

/** A page of a file. */
export interface ReadFileResult extends TextResult {
  totalLines: number;
  totalBytes: number;
  /** The next offset, in the unit of the request; null at the end. */
  nextOffset: number | null;
  /** The same position in bytes. */
  nextByteOffset: number | null;
  truncated: boolean;
  truncatedBy: string | null;
}

/** A part of a tool result. */
export interface ToolResultResult extends TextResult {
  /** Absent with `grep:`. */
  totalLines?: number;
  /** The `lines` to request next; absent with `grep:`. */
  nextLines?: string | null;
  /** With `grep:`. */
  matches?: GrepMatch[];
  truncated: boolean;
  truncatedBy: string | null;
  path: string;
  others?: string[];
}

/** The result of a query on records. */
export interface ExtractResult extends TextResult {
  /** Number of matching records, if the query determines it. */
  count?: number;
  records?: unknown[];
  groups?: unknown[];
  present?: (string | number)[];
  absent?: (string | number)[];
  truncated: boolean;
  nextOffset: number | null;
  complete?: boolean;
  notes?: string[];
  /** Other members, such as the outputs of a jq filter. */
  [member: string]: unknown;
}

/** The file of a large result, or a small result itself. */
export interface OffloadResultResult extends TextResult {
  /** The descriptor as the contract spells it: `offloaded`, and if so `file_path`, `summary`, … */
  offload: { offloaded?: boolean; file_path?: string; [member: string]: unknown };
  /** The result, if it stayed inline. */
  results?: unknown;
  /** The facts about the file. */
  file?: Record<string, unknown>;
}

/** Counts, in tokens. */
export interface CountResult extends TextResult {
  tokens: number;
  tokensByPart: { messages: number; tools: number; system: number };
  tokensByMessage: number[];
  tokenizer: string;
  /** Whether the model's own vocabulary was used. */
  exact: boolean;
  format: string;
}

/** A rule of a provider that a history breaks. */
export interface Problem {
  /** The message, from 0. */
  index: number;
  rule: string;
  id: string | null;
  /** The provider's message for such a request. */
  says: string;
}

/** The parts of a history that a provider would reject. */
export interface ValidateResult extends TextResult {
  valid: boolean;
  format: string;
  formatSource: string;
  count: number;
  problems: Problem[];
}

/** The restored history. */
export interface RehydrateResult<M = unknown> extends TextResult {
  messages: M[];
  /** The system prompt without snapshots, if one was sent. */
  system: unknown;
  restored: number;
  messagesRestored: number;
  unresolved: { index: number; path: string; why: string }[];
}
