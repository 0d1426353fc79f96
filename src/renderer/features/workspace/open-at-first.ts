import type { SnapshotDiffHunk } from '#shared/workspace-call';

interface Change {
  readonly hunks: readonly SnapshotDiffHunk[];
}

/** Maximum lines shown without a request. */
const readableLines = 400;

const lengthOf = ({ hunks }: Change): number => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

/** How many changes start open: as many as the user can read at once, and always the first. */
export function openAtFirst(changes: readonly Change[]): number {
  let lines = 0;
  const end = changes.findIndex((change) => (lines += lengthOf(change)) > readableLines);
  return end === -1 ? changes.length : Math.max(1, end);
}
