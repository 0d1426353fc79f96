import { ok, type Result } from '#shared/result';
import { defaultWorkspace } from '#shared/workspace';
import type { WorkspaceFolders } from '../ports/workspace-files';
import type { SessionLog } from '../session/session-log';
import { findScope } from './scopes';
import type { Snapshots } from './snapshots';

export interface WorkspaceCheckDeps {
  readonly log: Pick<SessionLog, 'peek'>;
  readonly folders: Pick<WorkspaceFolders, 'names'>;
  readonly snapshots: Pick<Snapshots, 'get'>;
}

/**
 * Describes the workspace that new sessions of a project start with, for `patina doctor`. An error when the
 * list of workspaces is invalid, or when the active snapshot cannot be read: then no line is answered.
 */
export function checkWorkspace(deps: WorkspaceCheckDeps, project: string | null): Result<string> {
  const names = deps.folders.names();
  if (!names.ok) return names;
  const scope = findScope(deps.log.peek, { project });
  if (!scope.ok) return scope;
  const { active, binding } = scope.value.state.workspace;
  const snapshot = deps.snapshots.get(active);
  if (!snapshot.ok) return snapshot;
  const own = active === null && binding.workspace === defaultWorkspace;
  return ok(
    own ? 'what Patina brings' : `${binding.workspace}, snapshot ${snapshot.value.hash.slice(0, 12)}`,
  );
}
