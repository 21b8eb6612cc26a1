/** What was done to one text, or to one group of messages. */
export interface OffloadAction {
  /** The message among those that were sent, from 0. */
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
  /** Whether snapshots of an earlier call serve again. */
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
  /** Sentences that were taken out of accepted texts of the model, each with the reason. */
  dropped: string[];
  cost: { calls: number; promptTokens: number; replyTokens: number; milliseconds: number };
}

/** What the service did with a history, and why. Counts are in tokens unless the name says otherwise. */
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
  /** A provider's prompt cache is lost from this message on; null where nothing changed. */
  firstChangedIndex: number | null;
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
