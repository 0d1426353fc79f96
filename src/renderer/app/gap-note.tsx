import { CircleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { EventGap } from '#shared/session-state';
import { text } from '../locales/text';
import { useApp, useCurrentSession } from '../store/app-context';
import { Button } from '../ui/button';

const sizeOf = ({ fromSeq, toSeq }: EventGap): number => toSeq - fromSeq + 1;
const nameOf = ({ fromSeq, toSeq }: EventGap): string =>
  fromSeq === toSeq ? String(fromSeq) : `${fromSeq}–${toSeq}`;

/** Whether a repair could restore any event of the session; null until known. */
function useRepairable(sessionId: string): boolean | null {
  const { commands } = useApp();
  const [repairable, setRepairable] = useState<boolean | null>(null);
  useEffect(() => {
    let wanted = true;
    void commands.canRepairSession(sessionId).then((can) => {
      if (wanted) setRepairable(can);
    });
    return () => {
      wanted = false;
    };
  }, [commands, sessionId]);
  return repairable;
}

function Repair({ sessionId }: { readonly sessionId: string }) {
  const { commands } = useApp();
  const repairable = useRepairable(sessionId);
  if (repairable === null) return null;
  if (!repairable) return <span>{text('app.gap.noCopy')}</span>;
  return (
    <Button className="h-7 px-2 text-xs" onClick={() => void commands.repairSession(sessionId)}>
      {text('app.gap.repair')}
    </Button>
  );
}

/**
 * Lists the stored events after this line that could not be read, and offers to restore them if a daily copy
 * contains any.
 */
export function GapNote({ turn }: { readonly turn: number }) {
  const sessionId = useCurrentSession((session) => session?.id);
  const gaps = useCurrentSession((session) => session?.gaps);
  const here = gaps?.filter((gap) => Math.max(0, gap.turn) === turn) ?? [];
  if (sessionId === undefined || here.length === 0) return null;
  const count = here.reduce((sum, gap) => sum + sizeOf(gap), 0);
  return (
    <div
      role="note"
      aria-label={text('app.gap.label')}
      className="mt-3 flex flex-wrap items-center gap-x-2 gap-y-1 border-y border-line py-1.5 text-xs text-copper-text"
    >
      <CircleAlert aria-hidden size={14} className="shrink-0" />
      <span className="min-w-0 grow">
        {text('app.gap.text', { count, numbers: here.map(nameOf).join(', ') })}
      </span>
      <Repair sessionId={sessionId} />
    </div>
  );
}
