import { readSlice, type ArtifactSlice } from '#shared/artifact-slice';
import type { ArtifactText } from '#shared/ipc-artifacts';
import type { Json } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { ArtifactStore } from '../../core/ports/sandbox';
import { utf8Length } from '../../core/tools/call-record';

/** Maximum number of characters per answer. */
const maxLength = 1_000_000;

/** Formats a slice as text; lines found by a search keep their line numbers. */
function asText(slice: Json): string {
  if (typeof slice === 'string') return slice;
  const rows = slice as unknown as readonly { readonly line: number; readonly text: string }[];
  return rows.map(({ line, text }) => `${line}: ${text}`).join('\n');
}

/** Reads an artifact for a person: the same slice a script would read, and the total size. */
export function readArtifact(
  store: Pick<ArtifactStore, 'get'>,
  handle: string,
  slice: ArtifactSlice,
): Result<ArtifactText> {
  const whole = store.get(handle);
  if (!whole.ok) return whole;
  const text = asText(readSlice(whole.value, slice));
  const lines = whole.value.split('\n').length;
  return ok({
    text: text.slice(0, maxLength),
    bytes: utf8Length(whole.value),
    lines,
    cut: text.length > maxLength,
  });
}
