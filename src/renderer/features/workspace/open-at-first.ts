import type { SnapshotDiffHunk } from '#shared/workspace-call';

interface Change {
  readonly hunks: readonly SnapshotDiffHunk[];
}

/** More lines than this are not shown before they are asked for. */
const readableLines = 400;

const lengthOf = ({ hunks }: Change): number => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

/** How many of some changes begin open: as many as one reads at once, and always the first. */
export function openAtFirst(changes: readonly Change[]): number {
  let lines = 0;
  const end = changes.findIndex((change) => (lines += lengthOf(change)) > readableLines);
  return end === -1 ? changes.length : Math.max(1, end);
}
