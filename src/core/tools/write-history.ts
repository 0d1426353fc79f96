import type { Json, JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import { isUndoableTool, type PathState, type UndoObstacle, type WriteBefore } from '#shared/undo';
import type { ToolDefinition } from '../ports/tool-definition';
import type { UndoFiles } from '../ports/undo-files';
import { bytesHash } from './canonical-hash';
import { utf8Length } from './call-record';

/** A write whose previous content is saved. */
export interface SavedWrite {
  readonly undo: WriteBefore;
  /** What the write left; undefined when that is not known. */
  readonly after: (result: Result<Json>) => Promise<readonly PathState[] | undefined>;
  /** Lets the next write to a file of the project begin. */
  readonly release: () => void;
}

/** Saves what a write is about to change, so that it can be undone; one write at a time per project. */
export interface WriteHistory {
  readonly begin: (tool: ToolDefinition, args: JsonObject) => Promise<SavedWrite>;
}

const impossible = (obstacle: UndoObstacle): SavedWrite => ({
  undo: { impossible: obstacle },
  after: () => Promise.resolve(undefined),
  release: () => undefined,
});

const pathsOf = (tool: string, args: JsonObject): readonly string[] => {
  const named = tool === 'move_file' ? [args['source'], args['destination']] : [args['path']];
  return named.flatMap((one) => (typeof one === 'string' ? [one] : []));
};

/** The folders that a call creates, outermost first. */
async function missingFolders(files: UndoFiles, project: string, state: PathState): Promise<PathState[]> {
  const parent = state.path.split('/').slice(0, -1).join('/');
  if (state.kind !== 'missing' || parent === '') return [state];
  const above = await files.look(project, parent);
  return above?.kind === 'missing' ? [...(await missingFolders(files, project, above)), state] : [state];
}

/** A folder with the list of what it holds, so that nothing else moves back with it. */
async function withContents(files: UndoFiles, project: string, state: PathState): Promise<PathState> {
  const contents = state.kind === 'folder' ? await files.contentsOf(project, state.path) : null;
  const hash = contents && (await files.saveText(JSON.stringify(contents)));
  return state.kind === 'folder' && hash ? { ...state, contents: hash } : state;
}

/** The states of a call's paths, with the content of each file saved. */
async function saveBefore(
  files: UndoFiles,
  project: string,
  { tool }: ToolDefinition,
  args: JsonObject,
): Promise<Result<readonly PathState[], UndoObstacle>> {
  const states: PathState[] = [];
  for (const path of pathsOf(tool, args)) {
    const saved = await files.save(project, path);
    if (!saved.ok) return saved;
    states.push(saved.value);
  }
  const [first, ...rest] = states;
  if (tool === 'create_directory' && first) return ok(await missingFolders(files, project, first));
  if (tool === 'move_file' && first) return ok([await withContents(files, project, first), ...rest]);
  return ok(states);
}

const encoder = new TextEncoder();

/** What a write leaves as far as its arguments say: no later change of the file can be taken for it. */
function expectedAfter(
  tool: string,
  args: JsonObject,
  before: readonly PathState[],
): readonly PathState[] | null {
  const [first, second] = before;
  if (!first) return null;
  switch (tool) {
    case 'write_file': {
      const { content } = args;
      if (typeof content !== 'string') return null;
      const mode = first.kind === 'file' ? first.mode & 0o777 : 0o644;
      const hash = bytesHash(encoder.encode(content));
      return [{ kind: 'file', path: first.path, hash, bytes: utf8Length(content), mode }];
    }
    case 'move_file':
      return second
        ? [
            { kind: 'missing', path: first.path },
            { ...first, path: second.path },
          ]
        : null;
    case 'delete_file':
      return [{ kind: 'missing', path: first.path }];
    case 'create_directory':
      return before.map((state) => ({ kind: 'folder', path: state.path }));
    default:
      return null;
  }
}

/** The states of the paths after a write; a file's content is saved too, so that a diff can show it later. */
async function observeAfter(
  files: UndoFiles,
  project: string,
  {
    tool,
    args,
    before,
  }: { readonly tool: string; readonly args: JsonObject; readonly before: readonly PathState[] },
): Promise<readonly PathState[] | undefined> {
  const seen: PathState[] = [];
  for (const { path } of before) {
    const saved = await files.save(project, path);
    const state = saved.ok ? saved.value : await files.look(project, path);
    if (state) seen.push(state);
  }
  const expected = expectedAfter(tool, args, before);
  if (!expected) return seen.length === before.length ? seen : undefined;
  // The mode is the server's choice for a new file; the content is the one that the call gave.
  return expected.map((state, at) => {
    const found = seen[at];
    return state.kind === 'file' && found?.kind === 'file' ? { ...state, mode: found.mode } : state;
  });
}

/** The states of a finished write's paths by its arguments alone, where its result was not observed. */
export const afterByArguments = expectedAfter;

/** One at a time, in order. */
function createTurns(): () => Promise<() => void> {
  let last = Promise.resolve();
  return async () => {
    const before = last;
    let release = (): void => undefined;
    last = new Promise((resolve) => (release = resolve));
    await before;
    return release;
  };
}

/** The history of one project's writes. */
export function createWriteHistory(files: UndoFiles, project: string): WriteHistory {
  const takeTurn = createTurns();
  return {
    async begin(definition, args) {
      if (!isUndoableTool(definition)) return impossible('other-tool');
      const release = await takeTurn();
      const saved = await saveBefore(files, project, definition, args);
      if (!saved.ok) return { ...impossible(saved.error), release };
      const before = saved.value;
      const { tool } = definition;
      return {
        undo: { project, before: [...before] },
        after: async (result) =>
          result.ok ? observeAfter(files, project, { tool, args, before }) : undefined,
        release,
      };
    },
  };
}
