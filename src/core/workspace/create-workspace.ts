import type { Result } from '#shared/result';
import type { Clock } from '../ports/clock';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { Ids } from '../ports/ids';
import type { SnapshotStore } from '../ports/snapshot-store';
import type { ToolDefinition } from '../ports/tool-definition';
import type { WorkspaceFolders } from '../ports/workspace-files';
import type { SessionLog } from '../session/session-log';
import { collectUnreferenced } from './collect-unreferenced';
import { checkWorkspace } from './doctor-checks';
import type { Snapshots } from './snapshots';
import { readStoredImage } from './stored-image';
import { createSyncSuggestions, type SuggestSyncDeps } from './suggest-sync';
import type { WorkspaceReader } from './sync-workspace';
import { raiseSyncNotices, type SyncNoticeDeps } from './sync-notices';
import type { KnownBindings } from './tool-findings';
import { createWorkspaceController } from './workspace-controller';
import { createWorkspaceTools } from './workspace-tools';
import { createWorkspaceViews } from './workspace-view';

export interface WorkspaceDeps {
  readonly log: SessionLog;
  readonly snapshots: Snapshots;
  readonly store: SnapshotStore;
  readonly folders: WorkspaceFolders;
  readonly reader: WorkspaceReader;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly notices: SyncNoticeDeps['notices'];
  readonly watch: SuggestSyncDeps['watch'];
  readonly builtInTool: (name: string) => Pick<BuiltInTool, 'schema'> | undefined;
  /** The tools that a project's servers listed in this process; null when none was queried. */
  readonly listedTools: (project: string) => readonly ToolDefinition[] | null;
}

/** The available tools: the host's, and those that servers listed in this process. */
function bindingsOf({ builtInTool, listedTools }: WorkspaceDeps) {
  return (project: string | null): KnownBindings => {
    const listed = project === null ? null : listedTools(project);
    const servers = new Set(listed?.map(({ server }) => server));
    const serverOf = (tool: string): string => tool.slice('mcp://'.length).split('.')[0] ?? '';
    return {
      schemaOf: (tool) => builtInTool(tool)?.schema ?? listed?.find(({ uri }) => uri === tool)?.inputSchema,
      complete: (tool) => !tool.startsWith('mcp://') || servers.has(serverOf(tool)),
    };
  };
}

/** Builds the control of workspaces; reads and watches nothing before the first request. */
export function createWorkspace(deps: WorkspaceDeps) {
  const { log, snapshots, store, folders, reader, ids, clock, notices, watch } = deps;
  const controller = createWorkspaceController({
    log,
    ids,
    reader,
    views: createWorkspaceViews({ snapshots, store, folders, reader, bindings: bindingsOf(deps) }),
    collect: ({ dryRun }) => collectUnreferenced(log, store, { builtIn: snapshots.builtIn.hash, dryRun }),
    allow: folders.allow,
    create: folders.create,
    image: (wanted) => readStoredImage(snapshots, wanted),
  });
  raiseSyncNotices(deps);
  const { raise, withdraw } = notices;
  return {
    controller,
    tools: createWorkspaceTools(controller),
    suggestions: createSyncSuggestions({ log, folders, snapshots, reader, clock, watch, raise, withdraw }),
    /** Checks the workspace of new sessions in a project, for `patina doctor`. */
    check: (project: string | null): Result<string> => checkWorkspace({ log, folders, snapshots }, project),
  };
}
