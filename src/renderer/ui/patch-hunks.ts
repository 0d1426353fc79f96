import type { DiffHunk } from './diff-hunks';

const kinds: Readonly<Record<string, DiffHunk['lines'][number]['kind']>> = {
  ' ': 'same',
  '+': 'added',
  '-': 'removed',
};

/** The hunks of a unified diff of one file; a text that is none, such as a note on binary files, is one line. */
export function patchHunks(patch: string): readonly DiffHunk[] {
  const hunks: { oldStart: number; newStart: number; lines: DiffHunk['lines'][number][] }[] = [];
  for (const line of patch.split('\n')) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (head) hunks.push({ oldStart: Number(head[1]), newStart: Number(head[2]), lines: [] });
    const kind = kinds[line.charAt(0)];
    const hunk = hunks.at(-1);
    if (!head && hunk && kind) hunk.lines.push({ kind, text: line.slice(1).replace(/\r$/, '␍') });
  }
  if (hunks.length > 0 || patch.trim() === '') return hunks;
  return [{ lines: [{ kind: 'same', text: patch.trim() }] }];
}
