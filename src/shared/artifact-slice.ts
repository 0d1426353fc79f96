import type { Json } from './json';

/**
 * Optional filter of `artifacts.read`: a line range (1-based, inclusive), or only lines that contain a text.
 */
export interface ArtifactSlice {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly grep?: string | undefined;
}

/** Returns the whole text, the text of some lines, or `[{line, text}]` for the lines that contain `grep`. */
export function readSlice(text: string, { from, to, grep }: ArtifactSlice): Json {
  if (from === undefined && to === undefined && grep === undefined) return text;
  const first = from ?? 1;
  const lines = text.split('\n').slice(first - 1, to);
  if (grep === undefined) return lines.join('\n');
  return lines.flatMap((line, at) => (line.includes(grep) ? [{ line: first + at, text: line }] : []));
}
