import type { Json } from './json';

/** What `artifacts.read` may narrow: lines counted from 1, both ends included, or the lines that hold a text. */
export interface ArtifactSlice {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly grep?: string | undefined;
}

/** The whole text, the text of some lines, or `[{line, text}]` of those that hold `grep`. */
export function readSlice(text: string, { from, to, grep }: ArtifactSlice): Json {
  if (from === undefined && to === undefined && grep === undefined) return text;
  const first = from ?? 1;
  const lines = text.split('\n').slice(first - 1, to);
  if (grep === undefined) return lines.join('\n');
  return lines.flatMap((line, at) => (line.includes(grep) ? [{ line: first + at, text: line }] : []));
}
