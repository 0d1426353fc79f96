import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication } from '@playwright/test';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the thread's own CPU time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Begins to record the tasks of every thread of the app. The function given ends the record and gives how long each
 * task of the window's main thread had the processor, in milliseconds: what else the machine did meanwhile is not in it.
 */
export async function recordTasks(
  app: ElectronApplication,
  folder: string,
): Promise<() => Promise<number[]>> {
  await app.evaluate(({ contentTracing }) =>
    contentTracing.startRecording({ included_categories: ['toplevel'], excluded_categories: ['*'] }),
  );
  return async () => {
    const file = join(folder, 'tasks.json');
    await app.evaluate(({ contentTracing }, to) => contentTracing.stopRecording(to), file);
    const { traceEvents } = JSON.parse(readFileSync(file, 'utf8')) as { traceEvents: TraceEvent[] };
    return tasksOfWindow(traceEvents);
  };
}

function tasksOfWindow(events: readonly TraceEvent[]): number[] {
  const thread = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;
  const mains = new Set(
    events.filter(({ ph, args }) => ph === 'M' && args?.name === 'CrRendererMain').map(thread),
  );
  const tasks = events.filter(
    (event) => event.name === 'ThreadControllerImpl::RunTask' && mains.has(thread(event)),
  );
  if (tasks.length === 0) throw new Error('The record holds no task of the window.');
  return tasks.map(({ tdur = 0 }) => tdur / 1_000);
}
