export interface Comparison {
  readonly query: string;
  /** Only the beginning of a long text is compared. */
  readonly texts: readonly string[];
  /**
   * The set that the texts are, if it is compared again: what is computed of them is stored under this name, in place
   * of that of the set's earlier texts.
   */
  readonly set?: 'actions' | 'sessions';
}

/** Tells how close sentences are in meaning. Optional: whoever asks has an answer without it. */
export interface SentenceEncoder {
  /** Whether a comparison can be asked for now. */
  available(): boolean;
  /**
   * How close each text is to the query, in the order of the texts: 1 is the same, 0 unrelated. Null when the encoder
   * is not available, fails, or a newer comparison took the place of this one.
   */
  compare(comparison: Comparison): Promise<readonly number[] | null>;
}
