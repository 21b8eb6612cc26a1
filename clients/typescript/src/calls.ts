import type { Format, ReloadTools } from './settings.js';

/** Options of `grep`. */
export interface GrepOptions {
  /** A file or a folder; default: the client's store. */
  path?: string;
  /** Glob that selects the files to search, like `-g` of ripgrep. */
  glob?: string;
  /** Maximum number of matching lines; 0 means the service's limit. */
  limit?: number;
  /** Lines around each match, at most 50. */
  context?: number;
  /** Default true. */
  ignoreCase?: boolean;
  /** The pattern is plain text. Default false. */
  literal?: boolean;
  /** Maximum size of the text, in tokens. */
  maxTokens?: number;
}

/** Options of `readFile`: lines or bytes, not both. */
export interface ReadFileOptions {
  /** First line, from 0. */
  offset?: number;
  /** Maximum number of lines. */
  limit?: number;
  /** First byte, from 0. */
  byteOffset?: number;
  /** Maximum number of bytes. */
  byteLimit?: number;
  /** Maximum size of the text, in tokens. */
  maxTokens?: number;
}

/** Options of `readToolResult`. */
export interface ReadToolResultOptions {
  /** `all` (default), `first:100`, `last:50`, `10-80`, `head_tail:20`, `grep:PATTERN`. */
  lines?: string;
  /** Default: the client's store. */
  storeDir?: string;
  /** Maximum size of the text, in tokens. */
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

/** A condition on a record; in short form, an object of fields and the values that they equal. */
export type Condition =
  | Comparison
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { [field: string]: unknown };

/** A query on records: `where` with the members that accompany it, or `ids`, `sql`, `recipe` or `query`. */
export interface ExtractOptions {
  where?: Condition;
  /** The ids to look up. */
  ids?: (string | number)[];
  /** Default `id`. */
  idField?: string;
  select?: string | string[];
  count?: boolean;
  groupBy?: string;
  /** `-` before a name reverses the order. */
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
  /** Maximum size of the text, in tokens. Default 8000. */
  maxTokens?: number;
}

/** A result that has not entered a history yet: records or a text. */
export interface OffloadResultOptions {
  /** The records; this or `content`. */
  results?: unknown[];
  /** A text that the service searches for records; this or `results`. */
  content?: string;
  /** The question that the operation answered. */
  query?: string;
  detail?: string;
  /** Maximum estimated tokens of a result that is returned inline. Default 1600. */
  thresholdTokens?: number;
  /** Lifetime of the file after it was last returned, in seconds. Default 3600. */
  ttlSeconds?: number;
  /** Default: the client's store. */
  outputDir?: string;
  profile?: 'general' | 'mif' | 'mif-6400';
  /** Default `compact`; with a profile `full`, as in its specification. */
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
