import { CircleHelp } from 'lucide-react';
import type { RunState, WriteState } from '#shared/session-state';
import { withoutUnknownOutcome } from '#shared/unknown-outcome';
import type { RunAction } from '../../store/turn-actions';
import { Button } from '../../ui/button';
import { CallArguments } from '../../ui/call-arguments';
import { formatTime } from '../../ui/format';
import { titleOf } from '../run-parts/run-facts';

/** What is known about a write: the error message of its call, or that Patina was closed during it. */
function knownOf(
  { nodes, revisions = [] }: RunState,
  { callId }: WriteState,
): { readonly text: string; readonly code?: string } {
  const everyNode = [...nodes, ...revisions.flatMap(({ replaced }) => replaced)];
  const call = everyNode.flatMap(({ calls }) => calls).find((one) => one.callId === callId);
  if (!call?.error) return { text: 'Patina was closed while it was under way.' };
  const at = call.endedAt === undefined ? '' : `${formatTime(call.endedAt)}: `;
  const { kind, code, message } = call.error;
  return { text: `${at}${withoutUnknownOutcome(message)}`, code: `${kind}/${code}` };
}

interface WriteProps {
  readonly run: RunState;
  readonly write: WriteState;
  readonly onConfirm: (happened: boolean) => void;
}

function UnknownWrite({ run, write, onConfirm }: WriteProps) {
  const known = knownOf(run, write);
  return (
    <li className="mt-3 border-t border-copper/30 pt-2.5">
      <p className="wrap-anywhere">
        <span className="font-mono text-xs">{write.tool}</span>{' '}
        <span className="text-xs text-muted">in {titleOf(run, write.nodeId)}</span>
      </p>
      <CallArguments value={write.arguments} />
      <p dir="auto" className="mt-1.5 text-xs text-muted wrap-anywhere">
        {known.text} {known.code && <span className="font-mono text-2xs">{known.code}</span>}
      </p>
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <Button aria-label={`It did not happen: ${write.tool}`} onClick={() => onConfirm(false)}>
          It did not happen
        </Button>
        <Button aria-label={`It happened: ${write.tool}`} onClick={() => onConfirm(true)}>
          It happened
        </Button>
      </div>
    </li>
  );
}

/** Announced writes with an unknown outcome: the app never repeats them, so the user must check. */
export function UnknownWrites({ run, onRun }: { run: RunState; onRun: (action: RunAction) => void }) {
  const unknown = run.writes.filter((write) => write.outcome === 'unknown');
  if (unknown.length === 0) return null;
  return (
    <section
      aria-label="Outcome unknown"
      className="readable mt-3 rounded-lg border border-copper/45 bg-copper-soft p-3 text-sm"
    >
      <div className="flex items-start gap-2.5">
        <CircleHelp aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <div className="min-w-0 grow">
          <p className="text-base font-medium">
            {unknown.length === 1 ? 'Did this write happen?' : `Did these ${unknown.length} writes happen?`}
          </p>
          <p className="text-muted">
            {unknown.length === 1 ? 'It is unknown whether it' : 'It is unknown whether they'} happened;{' '}
            {unknown.length === 1 ? 'it is not repeated' : 'they are not repeated'}. Look, then say how it
            ended: what happened is not made again, what did not is asked for anew when the run goes on.
          </p>
        </div>
      </div>
      <ul>
        {unknown.map((write) => (
          <UnknownWrite
            key={write.callId}
            run={run}
            write={write}
            onConfirm={(happened) =>
              onRun({ type: 'settle-write', runId: run.runId, callId: write.callId, happened })
            }
          />
        ))}
      </ul>
    </section>
  );
}
