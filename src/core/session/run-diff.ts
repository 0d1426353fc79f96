import { undoOfWrite } from '#shared/ledger';
import type { RunState, WriteState } from '#shared/session-state';
import { sameContent, type ChangedFile, type PathState, type RunDiff } from '#shared/undo';
import type { UndoFiles } from '../ports/undo-files';
import { diffStates } from './undo-diff';
import { undoSteps, type UndoStep } from './undo-plan';

/** A file as the run found it and as it left it. */
interface Tracked {
  readonly before: PathState;
  readonly after: PathState;
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

function moved(files: Map<string, Tracked>, [source, target]: readonly PathState[]): void {
  if (!source || !target) return;
  for (const [path, tracked] of [...files]) {
    // A file that was deleted is not in the folder any more.
    if (tracked.after.kind === 'missing' || (path !== source.path && !isBelow(path, source.path))) continue;
    const now = target.path + path.slice(source.path.length);
    files.delete(path);
    files.set(now, { before: tracked.before, after: { ...tracked.after, path: now } });
  }
}

/** Where a path that the run had not written was before the moves of folders that it was in. */
const beforeMoves = (moves: readonly UndoStep[], path: string): string =>
  moves.reduceRight((now, { to: [source, target] }) => {
    if (!source || !target || !isBelow(now, target.path)) return now;
    return source.path + now.slice(target.path.length);
  }, path);

/** Adds one write to what the run changed so far; `moves`: the moves before it. */
function track(files: Map<string, Tracked>, { tool, from, to }: UndoStep, moves: readonly UndoStep[]): void {
  const first = (state: PathState): PathState =>
    state.kind === 'missing' ? state : { ...state, path: beforeMoves(moves, state.path) };
  if (tool === 'move_file') {
    const [source, target] = to;
    const [, after] = from;
    if (!source || !target || !after) return;
    if (!files.has(source.path)) files.set(source.path, { before: first(source), after: source });
    moved(files, [source, target]);
    return;
  }
  for (const [at, after] of from.entries()) {
    const before = to[at];
    const known = files.get(after.path)?.before ?? (before && first(before));
    if (known) files.set(after.path, { before: known, after });
  }
}

function kindOf({ before, after }: Tracked): ChangedFile['change'] {
  if (after.kind === 'folder') return before.kind === 'folder' ? 'moved' : 'folder';
  if (after.kind === 'missing') return 'deleted';
  if (before.kind === 'missing') return 'created';
  return before.path === after.path ? 'changed' : 'moved';
}

const isUnchanged = ({ before, after }: Tracked): boolean => {
  if (before.kind === 'missing' || after.kind === 'missing') return before.kind === after.kind;
  return before.path === after.path && sameContent(before, after);
};

const isShown = (write: WriteState): boolean => undoOfWrite(write).undo === 'possible';

/** What a run changed in project files, all its writes to a file together, in the order of their paths. */
export async function runDiff(saved: Pick<UndoFiles, 'read'>, run: RunState): Promise<RunDiff> {
  const { steps } = undoSteps(run);
  const files = new Map<string, Tracked>();
  const moves: UndoStep[] = [];
  for (const step of steps.toReversed()) {
    track(files, step, moves);
    if (step.tool === 'move_file') moves.push(step);
  }
  const changes: ChangedFile[] = [];
  for (const [path, tracked] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (isUnchanged(tracked)) continue;
    const { before, after } = tracked;
    const lines = await diffStates(saved, before, after);
    const movedFrom = before.kind !== 'missing' && before.path !== path ? { movedFrom: before.path } : {};
    changes.push({ path, ...movedFrom, change: kindOf(tracked), ...lines });
  }
  const others = run.writes.filter((write) => {
    return write.outcome === 'done' && write.undone?.status !== 'done' && !isShown(write);
  }).length;
  return { runId: run.runId, files: changes, others };
}
