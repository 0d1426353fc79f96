import type { SnapshotDiffHunk } from '#shared/workspace-call';
import { useState, type ReactNode } from 'react';

interface LazyDetailsProps {
  /** The initial state. */
  readonly open: boolean;
  readonly className?: string;
  readonly summaryClassName: string;
  readonly summary: ReactNode;
  readonly children: () => ReactNode;
}

/** A disclosure whose content exists only while it is open: hundreds of closed ones cost next to nothing. */
export function LazyDetails({ open, className, summaryClassName, summary, children }: LazyDetailsProps) {
  const [shown, setShown] = useState(open);
  return (
    <details
      open={shown}
      onToggle={(event) => setShown(event.currentTarget.open)}
      {...(className !== undefined && { className })}
    >
      <summary className={summaryClassName}>{summary}</summary>
      {shown && children()}
    </details>
  );
}

interface Change {
  readonly hunks: readonly SnapshotDiffHunk[];
}

/** Maximum lines shown without a request. */
const readableLines = 400;

const lengthOf = ({ hunks }: Change): number => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

/** How many changes start open: as many as the user can read at once, and always the first. */
export function initiallyOpen(changes: readonly Change[]): number {
  let lines = 0;
  const end = changes.findIndex((change) => (lines += lengthOf(change)) > readableLines);
  return end === -1 ? changes.length : Math.max(1, end);
}
