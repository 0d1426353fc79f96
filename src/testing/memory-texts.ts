import type { TextCache } from '../core/ports/text-cache';

/** A text cache in memory, for the duration of a test. */
export function createMemoryTexts(): TextCache {
  const texts = new Map<string, string>();
  return { get: (key) => texts.get(key) ?? null, put: (key, text) => void texts.set(key, text) };
}
