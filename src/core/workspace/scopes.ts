import { err, ok, type Result } from '#shared/result';
import { emptySession, type SessionState } from '#shared/session-state';
import type { WorkspaceInheritance } from '#shared/workspace';
import type { WorkspaceCall } from '#shared/workspace-call';
import type { SessionLog } from '../session/session-log';
import { projectStream } from '../session/project-stream';
import type { Snapshots } from './snapshots';

/** The owner of a workspace: a session, or a project whose default its new sessions copy. */
export interface WorkspaceScope {
  /** The stream id of its events in the log. */
  readonly id: string;
  readonly sessionId: string | null;
  readonly project: string | null;
  readonly state: SessionState;
}

type Peek = SessionLog['peek'];

/** The state of a project's default workspace; empty if it was never changed. */
function projectState(peek: Peek, project: string | null): Result<SessionState> {
  const id = projectStream(project);
  const found = peek(id);
  return !found.ok && found.error.code === 'NOT_FOUND' ? ok({ ...emptySession(id), project }) : found;
}

/** Finds the scope of a call without becoming its writer. */
export function findScope(
  peek: Peek,
  { sessionId, project = null }: Pick<WorkspaceCall, 'sessionId' | 'project'>,
): Result<WorkspaceScope> {
  const found = sessionId === undefined ? projectState(peek, project) : peek(sessionId);
  if (!found.ok) return found;
  const state = found.value;
  return ok({ id: state.id, sessionId: sessionId ?? null, project: state.project, state });
}

/** Opens the scope as its only writer. HOST/STATE when another process is the writer. */
export function openScope(log: SessionLog, scope: WorkspaceScope): Result<WorkspaceScope> {
  const isNew = scope.sessionId === null && scope.state.seq === 0;
  if (isNew) {
    const made = log.createProjectStream(scope.project);
    return made.ok ? ok({ ...scope, state: made.value }) : made;
  }
  const opened = log.open(scope.id);
  if (!opened.ok) return opened;
  const { readOnly, state } = opened.value;
  return readOnly ? err(readOnly) : ok({ ...scope, state });
}

/**
 * The workspace that a new session of a project starts with; undefined when the state is unavailable: then
 * the built-in workspace applies.
 */
export function inheritanceOf(
  snapshots: Snapshots,
  peek: Peek,
  project: string | null,
): WorkspaceInheritance | undefined {
  const found = projectState(peek, project);
  const builtIn = snapshots.saveBuiltIn();
  if (!found.ok || !builtIn.ok) return undefined;
  const { binding, active, promptPack, toolCatalog } = found.value.workspace;
  return { binding, active: active ?? builtIn.value.hash, promptPack, toolCatalog };
}
