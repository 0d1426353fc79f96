/** Persistent text cache, keyed by hash. Entries may disappear at any time; nothing here throws. */
export interface TextCache {
  get(key: string): string | null;
  put(key: string, text: string): void;
}
