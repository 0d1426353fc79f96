import { appError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { isUndoableTool, sameContent, type PathState } from '#shared/undo';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { UndoFiles } from '../ports/undo-files';
import { unitScope, type CallScope } from '../tools/call-scope';
import type { ToolCalls } from '../tools/call-tool';
import type { UndoStep } from './undo-plan';

export interface UndoStepDeps {
  readonly toolCalls: Pick<ToolCalls, 'callTool' | 'list'>;
  readonly capabilities: (project: string) => Promise<Result<Capabilities>>;
  readonly files: UndoFiles;
  readonly clock: Clock;
  readonly ids: Ids;
}

type CallServer = (tool: string, args: JsonObject) => Promise<Result<null>>;

const noServer = appError('HOST', 'STATE', 'The bundled server that made this write is not available.', {
  hint: 'Enable the bundled servers in Settings → Servers, then undo again.',
});

const maxCalls = 100_000;

/** Calls the server that made a write, through the gate; the user's own command counts as approval. */
async function openServer(deps: UndoStepDeps, { write, project }: UndoStep): Promise<Result<CallServer>> {
  const capabilities = await deps.capabilities(project);
  if (!capabilities.ok) return capabilities;
  const server = write.tool.slice('mcp://'.length, write.tool.lastIndexOf('.'));
  const listing = await deps.toolCalls.list(project, [server]);
  if (!listing.ok) return listing;
  const tools = listing.value.tools.filter(isUndoableTool);
  if (tools.length === 0) return err(noServer);
  const access = {
    project,
    capabilities: capabilities.value,
    listing: { ...listing.value, tools },
    declared: tools.map(({ uri }) => uri),
    approve: 'all' as const,
    callsAllowed: maxCalls,
  };
  const scope: CallScope = { ...unitScope(deps, access), actor: 'user' };
  return ok(async (tool, args) => {
    const call = { tool: `mcp://${server}.${tool}`, arguments: args };
    const { result } = await deps.toolCalls.callTool(scope, call, new AbortController().signal);
    return result.ok ? ok(null) : result;
  });
}

const changed = (path: string) =>
  appError('HOST', 'STATE', `${path} changed while it was being undone, so it was left as it is.`);
const notThere = (path: string) =>
  appError('HOST', 'STATE', `${path} does not hold what the undo wrote. Compare it yourself.`);

const lostContent = {
  swept: 'its previous content is no longer kept: Patina keeps 30 days and up to 1 GB',
  damaged: 'its saved previous content is damaged',
} as const;

/** Why a saved content cannot be used; null: it can. */
export async function lostReason(files: Pick<UndoFiles, 'read'>, state: PathState): Promise<string | null> {
  if (state.kind !== 'file') return null;
  const content = await files.read(state.hash);
  return content.kind === 'lost' ? `${state.path}: ${lostContent[content.why]}.` : null;
}

/** A path that the server cannot take for the home folder. */
const written = (path: string): string => (path.startsWith('~') ? `./${path}` : path);

async function writeContent(
  { files }: UndoStepDeps,
  { project, tool }: UndoStep,
  [from, to]: readonly [PathState, Extract<PathState, { kind: 'file' }>],
  call: CallServer,
): Promise<Result<null>> {
  const content = await files.read(to.hash);
  if (content.kind === 'lost')
    return err(appError('HOST', 'STATE', `${to.path}: ${lostContent[content.why]}.`));
  // The server's tool writes UTF-8 text only, and the server that deletes a file writes none: the host writes
  // back any other content itself.
  if (content.kind === 'bytes' || tool === 'delete_file') return files.restore(project, from, to);
  return call('write_file', { path: written(to.path), content: content.text });
}

/** Changes one path from one state to another. */
async function changePath(
  deps: UndoStepDeps,
  step: UndoStep,
  [from, to]: readonly [PathState, PathState],
  call: CallServer,
): Promise<Result<null>> {
  if (sameContent(from, to)) return ok(null);
  switch (to.kind) {
    case 'missing':
      return deps.files.remove(step.project, from);
    case 'folder':
      return call('create_directory', { path: written(to.path) });
    case 'file':
      return writeContent(deps, step, [from, to], call);
  }
}

async function changePaths(
  deps: UndoStepDeps,
  step: UndoStep,
  [from, to]: readonly [readonly PathState[], readonly PathState[]],
  call: CallServer,
): Promise<Result<null>> {
  const pairs = to.flatMap((state, at) => {
    const before = from[at];
    return before ? [[before, state] as const] : [];
  });
  if (step.tool === 'move_file') {
    const source = pairs.find(([, after]) => after.kind === 'missing')?.[1].path ?? '';
    const destination = pairs.find(([, after]) => after.kind !== 'missing')?.[1].path ?? '';
    return call('move_file', { source: written(source), destination: written(destination) });
  }
  // Inner folders go first and come last.
  const ordered = to[0]?.kind === 'missing' ? [...pairs].reverse() : pairs;
  for (const pair of ordered) {
    const done = await changePath(deps, step, pair, call);
    if (!done.ok) return done;
  }
  return ok(null);
}

/** Gives files their permission bits back where the write had changed them. */
async function fixModes(
  { files }: UndoStepDeps,
  project: string,
  [from, to]: readonly [readonly PathState[], readonly PathState[]],
): Promise<Result<null>> {
  for (const [at, state] of to.entries()) {
    const before = from[at];
    const sameMode = before?.kind === 'file' && state.kind === 'file' && before.mode === state.mode;
    if (state.kind !== 'file' || sameMode) continue;
    const now = await files.look(project, state.path);
    if (now?.kind !== 'file' || now.mode === state.mode) continue;
    const fixed = await files.setMode(project, state.path, state.mode);
    if (!fixed.ok) return fixed;
  }
  return ok(null);
}

/**
 * Moves the paths of a step between its two states: `undo` from the state after the write to the one before it,
 * `redo` back. A path that is already in the target state stays; any state but the expected one is HOST/STATE.
 * Overwritten content is saved first.
 */
export async function performStep(
  deps: UndoStepDeps,
  step: UndoStep,
  direction: 'undo' | 'redo',
): Promise<Result<null>> {
  const [from, to] = direction === 'undo' ? [step.from, step.to] : [step.to, step.from];
  const { files } = deps;
  const { project } = step;
  const states = async (wanted: readonly PathState[]): Promise<boolean> => {
    for (const state of wanted) {
      const now = await files.look(project, state.path);
      if (!now || now.path !== state.path || !sameContent(now, state)) return false;
    }
    return true;
  };
  if (await states(to)) return fixModes(deps, project, [from, to]);
  if (!(await states(from))) return err(changed(step.target));
  for (const { kind, path } of step.tool === 'move_file' ? [] : from) {
    const saved = kind === 'file' ? await files.save(project, path) : ok(null);
    if (!saved.ok)
      return err(appError('HOST', 'STORAGE', `${path} could not be saved first, so it was left as it is.`));
  }
  const server = await openServer(deps, step);
  if (!server.ok) return server;
  const done = await changePaths(deps, step, [from, to], server.value);
  if (!done.ok) return done;
  return (await states(to)) ? fixModes(deps, project, [from, to]) : err(notThere(step.target));
}
