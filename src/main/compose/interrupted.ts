import type { SessionEvent } from '#shared/session-event';
import type { CoreDeps } from './core-deps';
import type { ModelClient } from '../../core/ports/llm';
import type { SessionLog } from '../../core/session/session-log';

type Interrupted = Extract<SessionEvent, { type: 'run-interrupted' }>;
type Needs = Pick<CoreDeps, 'host' | 'knownSecrets'>;
type Priced = Pick<ModelClient, 'priceOf'>;

async function trace(
  needs: Needs,
  models: Priced,
  log: SessionLog,
  { sessionId, seq, runId }: Interrupted,
): Promise<void> {
  const stored = log.events(sessionId);
  if (!stored.ok) return;
  // Load this only after an interrupted run, so that no other start pays for it.
  const { writeInterrupted } = await import('./traces');
  await writeInterrupted(
    needs,
    models,
    stored.value.filter((event) => event.seq < seq),
    runId,
  );
}

/**
 * A killed process cannot write a run's trace, so the start that detects the interruption writes its summary,
 * exactly once, like the interruption itself. A run that this process ends traces itself.
 */
export function traceInterruptions(needs: Needs, models: Priced, log: SessionLog): void {
  const own = new Set<string>();
  log.subscribe((events) => {
    for (const event of events) {
      if (event.type === 'run-started' || event.type === 'run-resumed') own.add(event.runId);
      // A failure to write a trace has no other effect.
      if (event.type === 'run-interrupted' && !own.has(event.runId))
        void trace(needs, models, log, event).catch(() => undefined);
    }
  });
}
