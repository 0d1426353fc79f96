import { Ban, CircleHelp, TriangleAlert, Unplug, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunState } from '#shared/session-state';
import { Button } from '../../ui/button';
import { ErrorCard } from '../../ui/error-card';
import { hasEnded } from '../../ui/run-facts';

function Note({
  icon: Icon,
  children,
  action,
}: {
  icon: LucideIcon;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="mt-3 flex items-start gap-3 rounded-lg border border-line bg-surface p-3 text-sm">
      <div className="flex min-w-0 grow items-start gap-2.5 self-center">
        <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <div className="readable min-w-0 grow wrap-anywhere">{children}</div>
      </div>
      {action}
    </div>
  );
}

/** Writes that were announced and whose end nobody saw: never repeated by the app, so the user must look. */
function UnknownWrites({ run }: { run: RunState }) {
  const unknown = run.writes.filter((write) => write.outcome === 'unknown');
  if (unknown.length === 0) return null;
  return (
    <Note icon={CircleHelp}>
      <p>
        {unknown.length === 1 ? 'One write was' : `${unknown.length} writes were`} under way when Patina was
        closed. It is unknown whether it happened; it is not repeated.
      </p>
      <ul className="mt-1 font-mono text-xs">
        {unknown.map((write) => (
          <li key={write.callId}>
            {write.tool} {JSON.stringify(write.arguments).slice(0, 300)}
          </li>
        ))}
      </ul>
    </Note>
  );
}

function Again({ onRetry }: { onRetry: () => void }) {
  return <Button onClick={onRetry}>Run again</Button>;
}

function Ended({ run, onRetry }: { run: RunState; onRetry: () => void }) {
  if (run.error && run.status !== 'cancelled') {
    return (
      <div className="mt-3">
        <ErrorCard error={run.error} at={run.endedAt} onRetry={onRetry} />
      </div>
    );
  }
  if (run.status === 'cancelled') {
    return (
      <Note icon={Ban} action={<Again onRetry={onRetry} />}>
        Cancelled.{' '}
        {run.nodes.filter(hasEnded).length === 0 ? 'Nothing was done.' : 'What was done until then is kept.'}
      </Note>
    );
  }
  if (run.status === 'interrupted') {
    return (
      <Note icon={Unplug} action={<Again onRetry={onRetry} />}>
        Interrupted: Patina was closed during this run. What was done until then is kept.
      </Note>
    );
  }
  if (run.status !== 'partial') return null;
  return <Note icon={TriangleAlert}>Some nodes did not succeed; the answer covers the others.</Note>;
}

/** How a run ended when that is not simply done, and what to do next. */
export function RunEnding({ run, onRetry }: { run: RunState; onRetry: () => void }) {
  return (
    <>
      <Ended run={run} onRetry={onRetry} />
      <UnknownWrites run={run} />
    </>
  );
}
