import { z } from 'zod';
import { appError, type AppError } from '#shared/app-error';
import { writeTarget } from '#shared/ledger';
import { err, ok, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { PathState, RefusedUndo, RunDiff, UndoReport } from '#shared/undo';
import type { UndoFiles } from '../ports/undo-files';
import { findRun, type FoundRun, type RunRef } from './run-controls';
import type { SessionLog } from './session-log';
import { diffStates } from './undo-diff';
import {
  checkStep,
  createPathView,
  movedContents,
  isInFolderOf,
  resultOf,
  shareFile,
  undoSteps,
  type RemainingWrite,
  type UndoStep,
} from './undo-plan';
import { lostReason, performStep, type UndoStepDeps } from './undo-step';
import { runDiff } from './run-diff';

export interface UndoRequest extends RunRef {
  /** The call of one write; absent: the whole run. */
  readonly write?: string | undefined;
  /** Undo the files that can be undone even if others cannot. */
  readonly partial?: boolean | undefined;
}

export interface UndoDeps extends UndoStepDeps {
  readonly log: SessionLog;
  /** The lines of a session that are being answered or wait. */
  readonly pending: (sessionId: string) => readonly number[];
}

/** A user's undo of what runs wrote. */
export interface Undo {
  /**
   * Undoes one write or all writes of a run, newest first. A run is undone as a whole or, unless `partial`, not
   * at all. HOST/STATE while the run is under way; HOST/NOT_FOUND for an unknown run or write. An undo that was
   * interrupted continues.
   */
  readonly undo: (request: UndoRequest) => Promise<Result<UndoReport>>;
  /** Everything that a run wrote to project files, without what was undone. */
  readonly diff: (place: RunRef) => Promise<Result<RunDiff>>;
}

const noRun = appError('HOST', 'NOT_FOUND', 'There is no such run in this session.');
const noWrite = appError('HOST', 'NOT_FOUND', 'This run has no such write.');
const underWay = appError('HOST', 'STATE', 'Nothing was undone: this run is still running.', {
  hint: 'Stop the run or wait for its end, then undo it.',
});
const undoing = appError('HOST', 'STATE', 'Another undo in this session is still running.');

const isUnderWay = ({ turn, run }: FoundRun, pending: readonly number[]): boolean =>
  run.status === 'running' || run.status === 'planning' || pending.includes(turn.turn);

const kindWord = { missing: 'deleted', folder: 'replaced by a folder', file: 'changed' } as const;

function reasonOf({ expected, found, path }: NonNullable<RemainingWrite['differs']>): string {
  if (!found) return `${path} can no longer be read as a file of the project.`;
  if (expected.kind === 'missing') return `${path} exists again, so undoing would overwrite it.`;
  return `${path} was ${kindWord[found.kind]} after the run wrote it.`;
}

const olderStays = 'Another write to this file cannot be undone, so the file stays as it is.';

const skip = (step: UndoStep, reason: string, differs?: RemainingWrite['differs']): RemainingWrite => ({
  write: step.write,
  target: step.target,
  reason,
  file: true,
  ...(differs && { differs }),
});

interface Checked {
  readonly accepted: readonly UndoStep[];
  readonly refused: readonly RemainingWrite[];
}

const maxNamed = 3;

/** Refuses to move a folder back with what the run did not move: someone put it there afterwards. */
async function addedTo(
  files: UndoFiles,
  view: ReturnType<typeof createPathView>,
  step: UndoStep,
): Promise<RemainingWrite | null> {
  const [hash, folder = ''] = [movedContents(step), step.from[1]?.path];
  const list = hash === undefined ? null : await files.read(hash);
  const now = list?.kind === 'text' ? await view.contentsOf(folder) : null;
  if (list?.kind !== 'text' || !now) return null;
  const before = new Set(z.array(z.string()).parse(JSON.parse(list.text)));
  const added = now.filter((path) => !before.has(path));
  if (added.length === 0) return null;
  const named = added.slice(0, maxNamed).map((path) => `${folder}/${path}`);
  const more = added.length > maxNamed ? [`${added.length - maxNamed} more`] : [];
  const reason = `${[...named, ...more].join(', ')} came into the folder after the run moved it, and would move back with it. Move it elsewhere, then undo again.`;
  return skip(step, reason);
}

async function whyNot(
  { files }: UndoDeps,
  view: ReturnType<typeof createPathView>,
  step: UndoStep,
): Promise<RemainingWrite | null> {
  const differs = await checkStep(view, step);
  if (differs) return skip(step, reasonOf(differs), differs);
  if (step.tool === 'move_file') return addedTo(files, view, step);
  for (const state of step.to) {
    const lost = await lostReason(files, state);
    if (lost !== null) return skip(step, lost);
  }
  return null;
}

/** Checks the steps, newest first, each as the disk will be after those before it. */
async function checkSteps(deps: UndoDeps, steps: readonly UndoStep[]): Promise<Checked> {
  const project = steps[0]?.project ?? '';
  const view = createPathView(
    (path) => deps.files.look(project, path),
    (folder) => deps.files.contentsOf(project, folder),
  );
  const refused = new Map<UndoStep, RemainingWrite>();
  for (const step of steps) {
    const newer = [...refused.keys()].some((one) => shareFile(one, step) || isInFolderOf(step, one));
    const skipped = newer ? skip(step, olderStays) : await whyNot(deps, view, step);
    if (skipped) refused.set(step, skipped);
    else view.apply(step);
  }
  // A file goes back to its content before the run, or it stays: a newer write to it is not undone alone.
  for (let grew = true; grew;) {
    grew = false;
    for (const step of steps) {
      if (refused.has(step) || ![...refused.keys()].some((one) => shareFile(one, step))) continue;
      refused.set(step, skip(step, olderStays));
      grew = true;
    }
  }
  return { accepted: steps.filter((step) => !refused.has(step)), refused: [...refused.values()] };
}

/** A difference as lines; what was not text is one line that says so. */
async function diffText(
  { files }: UndoDeps,
  project: string,
  skipped: RemainingWrite,
): Promise<string | null> {
  const { differs } = skipped;
  if (!differs) return null;
  const { expected, path } = differs;
  const saved = differs.found?.kind === 'file' ? await files.save(project, path) : null;
  const found: PathState | null = saved?.ok ? saved.value : differs.found;
  const { patch, withoutLines } = await diffStates(files, expected, found);
  if (!withoutLines) return patch;
  return withoutLines === 'binary' ? `Binary files a/${expected.path} and b/${expected.path} differ\n` : null;
}

async function refusals(
  deps: UndoDeps,
  project: string,
  skipped: readonly RemainingWrite[],
): Promise<readonly RefusedUndo[]> {
  const all: RefusedUndo[] = [];
  for (const one of skipped) {
    const { write, target, reason } = one;
    all.push({ callId: write.callId, target, reason, diff: await diffText(deps, project, one) });
  }
  return all;
}

/** One undo: its facts and its outcome. */
interface Work {
  readonly deps: UndoDeps;
  readonly place: RunRef;
  readonly turn: number;
  readonly partial: boolean;
}

type UndoFact = 'write-undo-intended' | 'write-undone';

function record({ deps, place, turn }: Work, facts: readonly { type: UndoFact; callId: string }[]) {
  const { sessionId, runId } = place;
  const full = facts.map((fact) => ({ ...fact, turn, runId }) as SessionFact);
  return deps.log.append(sessionId, full);
}

const intents = (steps: readonly UndoStep[]) =>
  steps.map(({ write }) => ({ type: 'write-undo-intended' as const, callId: write.callId }));
const ended = (step: UndoStep) => ({
  type: 'write-undone' as const,
  callId: step.write.callId,
  result: resultOf(step),
});
const skippedFact = (step: UndoStep, reason: string) => ({
  type: 'write-undone' as const,
  callId: step.write.callId,
  result: 'kept' as const,
  reason,
});

/** Takes back the steps of an undo that failed. One that cannot be taken back stays undone. */
async function takeBack(work: Work, done: readonly UndoStep[], reason: string): Promise<Result<UndoStep[]>> {
  const recorded = record(work, intents(done));
  if (!recorded.ok) return recorded;
  const stays: UndoStep[] = [];
  for (const step of [...done].reverse()) {
    const redone = await performStep(work.deps, step, 'redo');
    if (!redone.ok) stays.push(step);
    const noted = record(work, [redone.ok ? skippedFact(step, reason) : ended(step)]);
    if (!noted.ok) return noted;
  }
  return ok(stays);
}

interface Outcome {
  readonly undone: readonly UndoStep[];
  readonly refused: readonly RemainingWrite[];
}

const words = ({ message, hint }: AppError): string => [message, hint].filter(Boolean).join(' ');

/** Undoes one step; null, or the reason why it stays. */
async function tryStep({ deps }: Work, step: UndoStep): Promise<string | null> {
  const result = await performStep(deps, step, 'undo');
  return result.ok ? null : words(result.error);
}

/** The error that ended an undo, with the files that it had changed until then. */
function endedBy(error: AppError, done: readonly UndoStep[]): Result<never> {
  if (done.length === 0) return err(error);
  const changed = done.map(({ target }) => target).join(', ');
  return err({ ...error, message: `${error.message} Undone until then: ${changed}.` });
}

/** Undoes the steps in order, recorded before and after each one. */
async function applyUndo(work: Work, steps: readonly UndoStep[]): Promise<Result<Outcome>> {
  const intended = record(work, intents(steps));
  if (!intended.ok) return intended;
  const done: UndoStep[] = [];
  const refused = new Map<UndoStep, RemainingWrite>();
  for (const [at, step] of steps.entries()) {
    const blocked = [...refused.keys()].some((one) => shareFile(one, step));
    const reason = blocked ? olderStays : await tryStep(work, step);
    if (reason === null) {
      done.push(step);
      const noted = record(work, [ended(step)]);
      if (!noted.ok) return endedBy(noted.error, done);
      continue;
    }
    refused.set(step, skip(step, reason));
    // A folder that is in use again stays, and so do the files that cannot be undone in part.
    const alone = work.partial || step.tool === 'create_directory' || steps.length === 1;
    const ending = alone ? [step] : steps.slice(at);
    const noted = record(
      work,
      ending.map((one) => skippedFact(one, reason)),
    );
    if (!noted.ok) return endedBy(noted.error, done);
    if (alone) continue;
    const stays = await takeBack(work, done, reason);
    return stays.ok ? ok({ undone: stays.value, refused: [...refused.values()] }) : stays;
  }
  return ok({ undone: done, refused: [...refused.values()] });
}

/** Ends an interrupted undo that cannot continue: each of its writes is undone or not, as the disk says. */
async function endInterrupted(work: Work, steps: readonly UndoStep[]): Promise<Result<readonly UndoStep[]>> {
  const open = steps.filter(({ write }) => write.undone?.status === 'intended');
  const done: UndoStep[] = [];
  for (const step of open) {
    const view = createPathView((path) => work.deps.files.look(step.project, path));
    const isDone = (await checkStep(view, { ...step, from: step.to })) === null;
    if (isDone) done.push(step);
    const noted = record(work, [
      isDone ? ended(step) : skippedFact(step, 'Another file of the run has changed.'),
    ]);
    if (!noted.ok) return noted;
  }
  return ok(done);
}

async function undoSelected(
  work: Work,
  { run }: FoundRun,
  write: string | undefined,
): Promise<Result<UndoReport>> {
  const { deps, place, partial } = work;
  const { steps, remaining: skipped } = undoSteps(run, write);
  const project = steps[0]?.project ?? '';
  const { accepted, refused } = await checkSteps(deps, steps);
  const blocks = [...refused, ...skipped].some(({ file }) => file) && !partial && write === undefined;
  const worked = blocks ? await endInterrupted(work, steps) : await applyUndo(work, accepted);
  if (!worked.ok) return worked;
  const outcome: Outcome = 'undone' in worked.value ? worked.value : { undone: worked.value, refused: [] };
  const all = [...refused, ...outcome.refused, ...skipped];
  return ok({
    runId: place.runId,
    undone: outcome.undone.map((step) => ({
      callId: step.write.callId,
      target: step.target,
      result: resultOf(step),
    })),
    refused: await refusals(deps, project, all),
  });
}

function alreadyUndone(place: RunRef, { run }: FoundRun, callId: string): UndoReport | null {
  const write = run.writes.find((one) => one.callId === callId);
  if (write?.undone?.status !== 'done') return null;
  const target = writeTarget(write.arguments);
  const refused = [{ callId, target, reason: 'It was undone already.', diff: null }];
  return { runId: place.runId, undone: [], refused };
}

/** The undo of writes; one at a time per session. */
export function createUndo(deps: UndoDeps): Undo {
  const active = new Set<string>();
  const find = (place: RunRef): Result<FoundRun> => {
    const opened = deps.log.open(place.sessionId);
    if (!opened.ok) return opened;
    if (opened.value.readOnly) return err(opened.value.readOnly);
    const found = findRun(opened.value.state, place.runId);
    if (!found) return err(noRun);
    return isUnderWay(found, deps.pending(place.sessionId)) ? err(underWay) : ok(found);
  };
  return {
    async undo({ sessionId, runId, write, partial = false }) {
      const place = { sessionId, runId };
      if (active.has(sessionId)) return err(undoing);
      const found = find(place);
      if (!found.ok) return found;
      const { writes } = found.value.run;
      if (write !== undefined && !writes.some(({ callId }) => callId === write)) return err(noWrite);
      const already = write === undefined ? null : alreadyUndone(place, found.value, write);
      if (already) return ok(already);
      active.add(sessionId);
      try {
        const work = { deps, place, turn: found.value.turn.turn, partial };
        return await undoSelected(work, found.value, write);
      } finally {
        active.delete(sessionId);
      }
    },
    async diff({ sessionId, runId }) {
      const state = deps.log.peek(sessionId);
      if (!state.ok) return state;
      const found = findRun(state.value, runId);
      return found ? ok(await runDiff(deps.files, found.run)) : err(noRun);
    },
  };
}
