import type { Format, ReloadTools } from './settings.js';

/** Options of `grep`. */
export interface GrepOptions {
  /** A file or a folder; default: the client's store. */
  path?: string;
  /** Only files that it matches, as ripgrep's `-g`. */
  glob?: string;
  /** The most matching lines; 0 = the service's own ceiling. */
  limit?: number;
  /** Lines around each match, at most 50. */
  context?: number;
  /** Default true. */
  ignoreCase?: boolean;
  /** The pattern is plain text. Default false. */
  literal?: boolean;
  /** Ceiling of the text. */
  maxTokens?: number;
}

/** Options of `readFile`: lines or bytes, not both. */
export interface ReadFileOptions {
  /** First line, from 0. */
  offset?: number;
  /** The most lines. */
  limit?: number;
  /** First byte, from 0. */
  byteOffset?: number;
  /** The most bytes. */
  byteLimit?: number;
  /** Ceiling of the text. */
  maxTokens?: number;
}

/** Options of `readToolResult`. */
export interface ReadToolResultOptions {
  /** `all` (default), `first:100`, `last:50`, `10-80`, `head_tail:20`, `grep:PATTERN`. */
  lines?: string;
  /** Default: the client's store. */
  storeDir?: string;
  /** Ceiling of the text. */
  maxTokens?: number;
}

/** One field compared with one value. */
export interface Comparison {
  field: string;
  op:
    | '='
    | '!='
    | '>'
    | '>='
    | '<'
    | '<='
    | 'contains'
    | 'starts_with'
    | 'ends_with'
    | 'matches'
    | 'in'
    | 'exists';
  value?: unknown;
}

/** What is asked of a record; in short an object of fields and the values that they equal. */
export type Condition =
  | Comparison
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { [field: string]: unknown };

/** A question about records: `where` and what stands with it, or `ids`, `sql`, `recipe` or `query`. */
export interface ExtractOptions {
  where?: Condition;
  /** Which of these ids there are. */
  ids?: (string | number)[];
  /** Default `id`. */
  idField?: string;
  select?: string | string[];
  count?: boolean;
  groupBy?: string;
  /** `-` before a name turns it round. */
  sortBy?: string | string[];
  /** Number of a recipe of the file, 1 to 10. */
  recipe?: number;
  /** A jq filter. */
  query?: string;
  /** A SELECT over the table `records`, in SQLite's dialect. */
  sql?: string;
  slurp?: boolean;
  /** Values for a recipe's parameters or the filter's variables. */
  params?: Record<string, unknown>;
  limit?: number;
  offset?: number;
  /** Ceiling of the text. Default 8000. */
  maxTokens?: number;
}

/** A result that has not entered a history yet: records or a text. */
export interface OffloadResultOptions {
  /** The records; this or `content`. */
  results?: unknown[];
  /** A text in which records are looked for; this or `results`. */
  content?: string;
  /** What was asked of the operation. */
  query?: string;
  detail?: string;
  /** The most estimated tokens that stay. Default 1600. */
  thresholdTokens?: number;
  /** Life of the file in seconds. Default 3600. */
  ttlSeconds?: number;
  /** Default: the client's store. */
  outputDir?: string;
  profile?: 'general' | 'mif' | 'mif-6400';
  /** Default `compact`; with a profile `full`, as its specification has it. */
  descriptor?: 'full' | 'no_recipes' | 'no_schema' | 'compact' | 'pointer';
  scoreField?: string;
  reloadTools?: ReloadTools;
}

/** Options of `countTokens`. */
export interface CountOptions {
  /** Tool definitions in the provider's format. */
  tools?: unknown;
  system?: unknown;
  model?: string;
  format?: Format;
}
