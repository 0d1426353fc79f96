/** Limits on the time and memory that one provider may use. */
export interface LlmLimits {
  /** From sending a request to its response headers; a local model may first have to load. */
  readonly headersMs: number;
  /** Between two chunks of a reply. */
  readonly idleMs: number;
  /** For a complete model list. */
  readonly listMs: number;
  /** For a complete model list of a discovered server on loopback. */
  readonly discoverMs: number;
  /** For everything that a server says of its models besides the list. */
  readonly detailsMs: number;
  /** A complete reply in bytes on the wire, where one word may take several hundred bytes. */
  readonly replyBytes: number;
  /**
   * The text of a reply plus its tool call arguments, in UTF-16 units: several times the output limit of the
   * largest models.
   */
  readonly replyLength: number;
  /** One event of a reply. */
  readonly eventLength: number;
  /** The first retry delay when the server names none; doubles each time. */
  readonly retryMs: number;
  /** If a server requests a longer delay, there is no retry: the error names the delay instead. */
  readonly maxRetryMs: number;
}

/** `maxRetryMs` where somebody sees the countdown and can end it (decision 252). */
export const watchedMaxRetryMs = 15 * 60_000;

export const llmLimits: LlmLimits = {
  headersMs: 180_000,
  idleMs: 120_000,
  listMs: 8_000,
  discoverMs: 800,
  detailsMs: 3_000,
  replyBytes: 64 * 1024 * 1024,
  replyLength: 6_000_000,
  eventLength: 8 * 1024 * 1024,
  retryMs: 1_000,
  maxRetryMs: 60_000,
};
