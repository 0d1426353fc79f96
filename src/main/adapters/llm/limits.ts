/** What a provider may take of our time and memory. */
export interface LlmLimits {
  /** From sending a request to its response headers; a local model may first have to load. */
  readonly headersMs: number;
  /** Between two pieces of a reply. */
  readonly idleMs: number;
  /** For a whole model list. */
  readonly listMs: number;
  /** For a whole model list of a server looked for on loopback. */
  readonly discoverMs: number;
  /** A whole reply on the wire, where a word may take some hundred bytes. */
  readonly replyBytes: number;
  /** The text of a reply with the arguments of its calls, in UTF-16 units: some times what the largest models can write at once. */
  readonly replyLength: number;
  /** One event of a reply. */
  readonly eventLength: number;
  /** The first wait before trying again without being told how long; doubles each time. */
  readonly retryMs: number;
  /** A server that asks for a longer wait gets none: the user is told how long instead. */
  readonly maxRetryMs: number;
}

export const llmLimits: LlmLimits = {
  headersMs: 180_000,
  idleMs: 120_000,
  listMs: 8_000,
  discoverMs: 800,
  replyBytes: 64 * 1024 * 1024,
  replyLength: 6_000_000,
  eventLength: 8 * 1024 * 1024,
  retryMs: 1_000,
  maxRetryMs: 60_000,
};
