import { isObject, type JsonObject } from '#shared/json';
import { undoOfWrite, writeTarget } from '#shared/ledger';
import type { RunState, WriteState } from '#shared/session-state';
import { sameContent, type PathState, type UndoObstacle, type UndoResult } from '#shared/undo';
import { afterByArguments } from '../tools/write-history';

const toolNames = ['write_file', 'edit_file', 'move_file', 'create_directory', 'delete_file'] as const;

/** A write that can be undone: its paths go back from `from`, the state that it left, to `to`, the state before it. */
export interface UndoStep {
  readonly write: WriteState;
  readonly target: string;
  readonly tool: (typeof toolNames)[number];
  readonly project: string;
  readonly from: readonly PathState[];
  readonly to: readonly PathState[];
}

interface Difference {
  readonly expected: PathState;
  readonly found: PathState | null;
  readonly path: string;
}

/** A write that is not undone, and why. */
export interface RemainingWrite {
  readonly write: WriteState;
  readonly target: string;
  readonly reason: string;
  /** The expected and the found state of the path that differs; `path`: where it is on disk now. */
  readonly differs?: Difference;
  /** Whether it is a write to a project file, so that a run is not undone without it. */
  readonly file: boolean;
}

const obstacles: Readonly<Record<UndoObstacle, string>> = {
  'other-tool': 'Only the file writes of the bundled servers can be undone. Undo this one where it was made.',
  outside: 'It is not a file or folder of the project that Patina can read, so its content was not kept.',
  'too-large': 'The file was larger than 64 MB, so its previous content was not kept.',
  'not-saved': 'Its previous content could not be saved before the write.',
  unobserved: 'What the write left in the file was not observed. Compare the file yourself.',
};

const targetOf = (write: WriteState): string => writeTarget(write.arguments);

function remainingWrite(write: WriteState): RemainingWrite {
  const { obstacle } = undoOfWrite(write);
  const target = targetOf(write);
  const file = obstacle !== undefined && obstacle !== 'other-tool';
  if (write.outcome !== 'done')
    return { write, target, file, reason: 'This write was not made, or its outcome is unknown.' };
  const reason = obstacle
    ? obstacles[obstacle]
    : 'It was made before Patina saved the previous content of files.';
  return { write, target, file, reason };
}

/** The step that undoes a write, or why there is none. */
function stepOf(write: WriteState): UndoStep | RemainingWrite {
  const tool = toolNames.find((name) => write.tool.endsWith(`.${name}`));
  const { undo } = write;
  if (!tool || !undo || 'impossible' in undo || undoOfWrite(write).undo !== 'possible')
    return remainingWrite(write);
  const args: JsonObject = isObject(write.arguments) ? write.arguments : {};
  const from = write.after ?? afterByArguments(tool, args, undo.before);
  return from
    ? { write, target: targetOf(write), tool, project: undo.project, from, to: undo.before }
    : remainingWrite(write);
}

/** The made writes of a run that are not undone yet, newest first: what to undo, and what cannot be. */
export function undoSteps(run: RunState, callId?: string) {
  const chosen = run.writes.filter(
    (write) =>
      (callId === undefined || write.callId === callId) &&
      (callId !== undefined || write.outcome === 'done') &&
      write.undone?.status !== 'done',
  );
  const all = chosen.map(stepOf).reverse();
  return {
    steps: all.filter((one) => 'from' in one),
    remaining: all.filter((one) => 'reason' in one),
  };
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** The hash of the list of what a folder contained when this step moved it. */
export const movedContents = (step: UndoStep): string | undefined => {
  const [, folder] = step.from;
  return movesFolder(step) && folder?.kind === 'folder' ? folder.contents : undefined;
};

/** Whether a step moves a folder: then all paths below it move with it. */
const movesFolder = ({ tool, from }: UndoStep): boolean => tool === 'move_file' && from[1]?.kind === 'folder';

/** Looks at paths as they will be after the steps that were checked before. */
export function createPathView(
  look: (path: string) => Promise<PathState | null>,
  contentsOf: (folder: string) => Promise<readonly string[] | null> = () => Promise.resolve(null),
) {
  const known = new Map<string, PathState>();
  const moves: { readonly from: string; readonly to: string }[] = [];
  /** Where a path is on disk now, before the moves that were only planned. */
  const onDisk = (path: string): string =>
    moves.reduceRight((now, { from, to }) => (isBelow(now, to) ? from + now.slice(to.length) : now), path);
  return {
    onDisk,
    async at(path: string): Promise<PathState | null> {
      const planned = known.get(path);
      if (planned) return planned;
      const disk = onDisk(path);
      const found = await look(disk);
      if (!found) return null;
      // A link took its place when the path that it leads to is another one.
      return found.path === disk ? { ...found, path } : null;
    },
    /** What a folder will hold, as paths below it; null: it is not known. */
    async contentsOf(folder: string): Promise<readonly string[] | null> {
      const found = await contentsOf(onDisk(folder));
      if (!found || known.has(folder)) return null;
      const gone = [...known.values()].flatMap(({ kind, path }) =>
        kind === 'missing' && isBelow(path, folder) ? [path.slice(folder.length + 1)] : [],
      );
      return found.filter((one) => !gone.some((path) => one === path || isBelow(one, path)));
    },
    apply(step: UndoStep): void {
      const [home, away] = [step.to[0]?.path, step.from[1]?.path];
      if (movesFolder(step) && home !== undefined && away !== undefined) {
        for (const [path, state] of [...known]) {
          if (!isBelow(path, away)) continue;
          known.delete(path);
          known.set(home + path.slice(away.length), state);
        }
        moves.push({ from: away, to: home });
      }
      for (const state of step.to) known.set(state.path, state);
    },
  };
}

const differences = (expected: readonly PathState[], found: readonly (PathState | null)[]) =>
  expected.flatMap((state, at) => {
    const now = found[at] ?? null;
    return now && sameContent(now, state) ? [] : [{ expected: state, found: now }];
  });

/**
 * The first difference between what a step expects and what is there; null: it can be undone, or is undone
 * already.
 */
export async function checkStep(
  view: Pick<ReturnType<typeof createPathView>, 'at' | 'onDisk'>,
  { from, to }: UndoStep,
): Promise<Difference | null> {
  const found: (PathState | null)[] = [];
  for (const { path } of from) found.push(await view.at(path));
  const [first] = differences(from, found);
  if (!first || differences(to, found).length === 0) return null;
  return { ...first, path: view.onDisk(first.expected.path) };
}

const filesOf = ({ tool, from }: UndoStep): readonly string[] =>
  tool === 'create_directory' ? [] : from.map(({ path }) => path);

/** Whether a step moved a folder that another one wrote to. */
const movesFilesOf = (step: UndoStep, other: UndoStep): boolean =>
  movesFolder(step) && filesOf(other).some((path) => step.from.some((folder) => isBelow(path, folder.path)));

/**
 * Whether two writes changed the same file: its content goes back as a whole or stays as a whole. Moving a folder
 * moves the files in it.
 */
export const shareFile = (one: UndoStep, other: UndoStep): boolean =>
  filesOf(one).some((path) => filesOf(other).includes(path)) ||
  movesFilesOf(one, other) ||
  movesFilesOf(other, one);

/** Whether a newer write changed something in a folder that this one created or moved. */
export const isInFolderOf = (step: UndoStep, newer: UndoStep): boolean =>
  newer.from.some(({ path }) => step.from.some((folder) => isBelow(path, folder.path)));

/** What an undone write is called in a report. */
export function resultOf({ tool, to }: Pick<UndoStep, 'tool' | 'to'>): Exclude<UndoResult, 'kept'> {
  if (tool === 'move_file') return 'moved';
  return to.every(({ kind }) => kind === 'missing') ? 'deleted' : 'restored';
}
