/** The change to one text, or to one group of messages. */
export interface OffloadAction {
  /** The index of the message in the request, from 0. */
  index: number;
  action: 'compact' | 'materialize' | 'compress' | 'keep';
  toolCallId: string | null;
  tool: string | null;
  tokensBefore: number;
  tokensAfter: number;
  path: string | null;
  why: string;
}

/** The snapshots of a compression. */
export interface SnapshotReport {
  source: 'llm' | 'extractive';
  model: string | null;
  /** Whether snapshots of an earlier call are reused. */
  reused: boolean;
  groups: {
    path: string;
    first: number;
    last: number;
    tokensBefore: number;
    tokensAfter: number;
    source: 'llm' | 'extractive';
  }[];
  rejected: string[];
  /** Sentences that were rejected in accepted texts of the model, each with the reason. */
  dropped: string[];
  cost: { calls: number; promptTokens: number; replyTokens: number; milliseconds: number };
}

/** The changes to a history, with reasons. Counts are in tokens unless the name says otherwise. */
export interface OffloadReport {
  outcome: 'unchanged' | 'compacted' | 'compressed' | 'compacted_and_compressed';
  format: string;
  formatSource?: string;
  tokenizer: string;
  tokensBefore: number;
  tokensAfter: number;
  compactionRatio: number;
  messagesBefore: number;
  messagesAfter: number;
  /** A provider's prompt cache is lost from this message on; null if nothing changed. */
  firstChangedIndex: number | null;
  /** Tokens that a provider with a prompt cache bills at the full price: all from the first new change on. */
  rewrittenTokens: number;
  dryRun: boolean;
  actions: OffloadAction[];
  snapshot: SnapshotReport | null;
  retention: { kept: number; recoverable: number; lost: number } | null;
  checks: {
    pairing: boolean;
    referencesReadable: boolean;
    protectedUntouched: boolean;
    notLarger: boolean;
  };
  repairs?: {
    index: number;
    rule: string;
    toolCallId: string | null;
    action: 'moved' | 'dropped' | 'answered';
  }[];
  warnings: string[];
}

/** The totals of all offloads so far. The service keeps no session and no totals. */
export interface Totals {
  /** Answers of the service; those of dry runs do not count. */
  posts: number;
  /** Answers that changed messages that no earlier answer had changed. */
  rewrites: number;
  /** Tokens that a provider with a prompt cache bills at the full price because of them. */
  rewrittenTokens: number;
  tokensBefore: number;
  tokensAfter: number;
}

export const noTotals: Readonly<Totals> = {
  posts: 0,
  rewrites: 0,
  rewrittenTokens: 0,
  tokensBefore: 0,
  tokensAfter: 0,
};

/** The totals with one more answer. */
export function addReport(totals: Readonly<Totals>, report: OffloadReport): Totals {
  if (report.dryRun) return totals;
  const rewritten = report.rewrittenTokens ?? 0;
  return {
    posts: totals.posts + 1,
    rewrites: totals.rewrites + (rewritten > 0 ? 1 : 0),
    rewrittenTokens: totals.rewrittenTokens + rewritten,
    tokensBefore: totals.tokensBefore + (report.tokensBefore ?? 0),
    tokensAfter: totals.tokensAfter + (report.tokensAfter ?? 0),
  };
}
