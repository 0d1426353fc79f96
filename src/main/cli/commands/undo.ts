import { appError } from '#shared/app-error';
import { ledgerOf } from '#shared/ledger';
import { err, ok, type Result } from '#shared/result';
import type { ChangedFile, RunDiff, UndoReport } from '#shared/undo';
import { findRun } from '../../../core/session/run-controls';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

export interface UndoOptions {
  readonly write?: string;
  readonly partial?: boolean;
  readonly diff?: boolean;
  readonly session?: string;
}

type Parts = Pick<App, 'log' | 'undo'>;

const unknownWrite = appError('HOST', 'NOT_FOUND', 'This run has no such write.', {
  hint: 'Use a number from the list of its writes, counted from 0, or the callId of a write.',
});

/** The call of a write named by its id, or by its place in the run's list of writes, counted from 0. */
function callOf(app: Parts, sessionId: string, runId: string, named: string): Result<string> {
  const state = app.log.peek(sessionId);
  if (!state.ok) return state;
  const found = findRun(state.value, runId);
  const ledger = found ? ledgerOf(found.run) : [];
  const entry =
    ledger.find(({ callId }) => callId === named) ??
    (/^\d{1,6}$/.test(named) ? ledger[Number(named)] : undefined);
  return entry ? ok(entry.callId) : err(unknownWrite);
}

const nothingUndone =
  'Nothing was undone. → --partial undoes the other writes; --diff shows everything that the run wrote.';

/** What an undo did; the target of a moved file reads as the run moved it. */
const results = { restored: 'restored', deleted: 'deleted', moved: 'moved back' } as const;

function reportText({ undone, refused }: UndoReport, { write, partial }: UndoOptions): string {
  if (undone.length + refused.length === 0)
    return 'Nothing to undo: this run has no writes that are still made.';
  return [
    ...undone.map(({ target, result }) => `${results[result]}: ${target}`),
    ...refused.map(({ target, reason, diff }) =>
      [`not undone: ${target}`, `  ${reason}`, ...(diff === null ? [] : [diff.trimEnd()])].join('\n'),
    ),
    ...(undone.length > 0 || write !== undefined || partial === true ? [] : [nothingUndone]),
  ].join('\n');
}

const noLines = {
  binary: 'not text',
  'too-long': 'too long to compare',
  'not-kept': 'its content is no longer kept',
} as const;

function changeText({ path, movedFrom, change, added, removed, withoutLines, patch }: ChangedFile): string {
  const moved = movedFrom === undefined ? '' : ` from ${movedFrom}`;
  const counts = withoutLines ? noLines[withoutLines] : `+${added} −${removed}`;
  const head = `${change}: ${path}${moved}${change === 'folder' ? '' : ` (${counts})`}`;
  return added + removed > 0 ? `${head}\n${patch.trimEnd()}` : head;
}

function diffText({ files, others }: RunDiff): string {
  const rest = others === 0 ? [] : [`${others} more ${others === 1 ? 'write' : 'writes'} without a diff`];
  if (files.length + rest.length === 0) return 'This run changed no files.';
  return [...files.map(changeText), ...rest].join('\n\n');
}

async function showDiff(app: Parts, terminal: Terminal, place: { sessionId: string; runId: string }) {
  const diff = await app.undo.diff(place);
  if (!diff.ok) return fail(terminal, diff.error);
  print(terminal, diff.value, () => diffText(diff.value));
  return 0;
}

/** `patina undo RUN`: exits with 1 when a write was refused. */
export async function undoCommand(
  app: Parts,
  terminal: Terminal,
  runId: string,
  options: UndoOptions,
): Promise<ExitCode> {
  const { write, partial = false, diff = false, session } = options;
  const found = session === undefined ? app.log.sessionOfRun(runId) : ok(session);
  if (!found.ok) return fail(terminal, found.error);
  const place = { sessionId: found.value, runId };
  if (diff) return showDiff(app, terminal, place);
  const call = write === undefined ? ok(undefined) : callOf(app, found.value, runId, write);
  if (!call.ok) return fail(terminal, call.error);
  const report = await app.undo.undo({ ...place, write: call.value, partial });
  if (!report.ok) return fail(terminal, report.error);
  print(terminal, report.value, () => reportText(report.value, options));
  return report.value.refused.length > 0 ? 1 : 0;
}
