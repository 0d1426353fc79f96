/** Texts kept between starts, by a key that is a hash. What was put may be gone at any time; nothing here throws. */
export interface TextCache {
  get(key: string): string | null;
  put(key: string, text: string): void;
}
