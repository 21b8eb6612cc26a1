/** The details of an {@link UnburdenError}. */
export interface ErrorDetails {
  /** Stable name: the service's (`file_not_found`, `field_invalid`, …) or one of the client's own. */
  code: string;
  /** HTTP status; null without an answer. */
  status?: number | null;
  /** The request field concerned, as the service spells it, or null. */
  field?: string | null;
  /** The underlying error, such as the failure of `fetch`. */
  cause?: unknown;
}

/**
 * A call that the service refused, or a service that could not be reached.
 *
 * Codes of the client itself: `unreachable` (nothing listens, the connection broke), `timeout`,
 * `tls_failed`, `port_blocked` (`fetch` refuses the port), `not_started` (of `startLocal`),
 * `answer_unreadable` (no JSON, or not what the contract says), `arguments_unreadable` (a value
 * that JSON cannot hold, messages that an adapter cannot convert), `not_done` (the service
 * worked, but could not offload: a full disk, say) and `tool_names_clash` (a warning only).
 */
export class UnburdenError extends Error {
  override readonly name = 'UnburdenError';
  readonly code: string;
  readonly status: number | null;
  readonly field: string | null;

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status ?? null;
    this.field = details.field ?? null;
  }
}
