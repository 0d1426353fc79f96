import { createTwoFilesPatch } from 'diff';
import type { PathState } from '#shared/undo';
import type { UndoFiles } from '../ports/undo-files';
import { maxEdits } from '../tools/line-diff';

/** Longer texts are not compared line by line. */
const maxDiffBytes = 2 * 1024 * 1024;

/** The lines that differ between two contents, or why none are shown. */
export interface ContentDiff {
  readonly patch: string;
  readonly added: number;
  readonly removed: number;
  readonly withoutLines?: 'binary' | 'too-long' | 'not-kept';
}

const without = (reason: NonNullable<ContentDiff['withoutLines']>): ContentDiff => ({
  patch: '',
  added: 0,
  removed: 0,
  withoutLines: reason,
});

async function textOf(
  files: Pick<UndoFiles, 'read'>,
  state: PathState | null,
): Promise<string | NonNullable<ContentDiff['withoutLines']>[]> {
  if (state?.kind !== 'file') return '';
  if (state.bytes > maxDiffBytes) return ['too-long'];
  const content = await files.read(state.hash);
  if (content.kind === 'text') return content.text;
  return [content.kind === 'bytes' ? 'binary' : 'not-kept'];
}

const nameOf = (side: 'a' | 'b', state: PathState | null): string =>
  state === null || state.kind === 'missing' ? '/dev/null' : `${side}/${state.path}`;

/** A unified diff of two states of a file whose contents are saved. */
export async function diffStates(
  files: Pick<UndoFiles, 'read'>,
  before: PathState | null,
  after: PathState | null,
): Promise<ContentDiff> {
  const [old, now] = [await textOf(files, before), await textOf(files, after)];
  if (typeof old !== 'string') return without(old[0] ?? 'not-kept');
  if (typeof now !== 'string') return without(now[0] ?? 'not-kept');
  const names = [nameOf('a', before), nameOf('b', after)] as const;
  const patch = createTwoFilesPatch(...names, old, now, undefined, undefined, {
    context: 3,
    // A content that is all new or all gone needs no search.
    ...(old !== '' && now !== '' && { maxEditLength: maxEdits }),
  });
  if (patch === undefined) return without('too-long');
  const lines = patch.split('\n').slice(3);
  return {
    patch: patch.replace(/^=+\n/, ''),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}
