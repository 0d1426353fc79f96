import type { ToolChange } from '#shared/tool-pin';
import { useState } from 'react';
import { ToolBlockedLine } from '../run-parts/tool-blocked-line';
import { ToolChangeCard } from '../run-parts/tool-change-card';

export interface ToolChangesProps {
  readonly changes: readonly ToolChange[];
  readonly busy: boolean;
  readonly onAccept: (change: ToolChange) => void;
  readonly onKeep: (change: ToolChange) => void;
}

const toolName = (uri: string): string => uri.slice(uri.indexOf('.', 'mcp://'.length) + 1);

function Change({
  change,
  busy,
  onAccept,
  onKeep,
}: Omit<ToolChangesProps, 'changes'> & { change: ToolChange }) {
  const [reviewing, setReviewing] = useState(false);
  const [kept, setKept] = useState(false);
  const tool = toolName(change.uri);
  if (change.keptBlocked && !reviewing) {
    return <ToolBlockedLine tool={tool} focused={kept} onReview={() => setReviewing(true)} />;
  }
  const keep = () => {
    setKept(true);
    setReviewing(false);
    if (!change.keptBlocked) onKeep(change);
  };
  return (
    <ToolChangeCard
      tool={tool}
      change={change}
      busy={busy}
      onAccept={onAccept}
      focused={reviewing}
      onKeep={keep}
    />
  );
}

/** Tools whose server defines them otherwise than when they were first used: what changed, and the two answers to it. */
export function ToolChanges({ changes, ...rest }: ToolChangesProps) {
  if (changes.length === 0) return null;
  return (
    <div className="space-y-2 px-3 pb-3 pl-10">
      {changes.map((change) => (
        <Change key={`${change.uri} ${change.hash}`} change={change} {...rest} />
      ))}
    </div>
  );
}
