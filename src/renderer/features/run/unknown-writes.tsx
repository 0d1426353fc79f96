import { CircleHelp } from 'lucide-react';
import type { RunState, WriteState } from '#shared/session-state';
import { withoutUnknownOutcome } from '#shared/unknown-outcome';
import { text } from '../../locales/text';
import type { RunAction } from '../../store/turn-actions';
import { Button } from '../../ui/button';
import { CallArguments } from '../../ui/call-arguments';
import { formatTime } from '../../ui/format';
import { titleOf } from '../run-parts/run-facts';
import { useClock } from '../../ui/use-clock';

/** What is known about a write: the error message of its call, or that Patina was closed during it. */
function knownOf(
  { nodes, revisions = [] }: RunState,
  { callId }: WriteState,
): { readonly text: string; readonly code?: string } {
  const everyNode = [...nodes, ...revisions.flatMap(({ replaced }) => replaced)];
  const call = everyNode.flatMap(({ calls }) => calls).find((one) => one.callId === callId);
  if (!call?.error) return { text: text('run.unknown.closed') };
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
  useClock();
  const known = knownOf(run, write);
  return (
    <li className="mt-3 border-t border-copper/30 pt-2.5">
      <p className="wrap-anywhere">
        <span className="font-mono text-xs">{write.tool}</span>{' '}
        <span className="text-xs text-muted">
          {text('run.unknown.inStep', { step: titleOf(run, write.nodeId) })}
        </span>
      </p>
      <CallArguments value={write.arguments} />
      <p dir="auto" className="mt-1.5 text-xs text-muted wrap-anywhere">
        {known.text} {known.code && <span className="font-mono text-2xs">{known.code}</span>}
      </p>
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <Button
          aria-label={text('run.unknown.noTool', { tool: write.tool })}
          onClick={() => onConfirm(false)}
        >
          {text('run.unknown.no')}
        </Button>
        <Button
          aria-label={text('run.unknown.yesTool', { tool: write.tool })}
          onClick={() => onConfirm(true)}
        >
          {text('run.unknown.yes')}
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
      aria-label={text('run.unknown.name')}
      className="readable mt-3 rounded-lg border border-copper/45 bg-copper-soft p-3 text-sm"
    >
      <div className="flex items-start gap-2.5">
        <CircleHelp aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <div className="min-w-0 grow">
          <p className="text-base font-medium">
            {text(unknown.length === 1 ? 'run.unknown.title' : 'run.unknown.titleMany', {
              count: unknown.length,
            })}
          </p>
          <p className="text-muted">{text('run.unknown.about', { count: unknown.length })}</p>
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
