import type { ResolverItem, SourceDefinition } from '#shared/resolver';
import { ok, type Result } from '#shared/result';
import type { WorkspaceState } from '#shared/workspace';
import type { ItemSource, SourceScope } from '../ports/item-source';
import type { WorkspaceFolders } from '../ports/workspace-files';
import type { SessionLog } from '../session/session-log';
import { findScope } from '../workspace/scopes';
import type { Snapshots } from '../workspace/snapshots';
import type { WorkspaceContent } from '../workspace/workspace-content';
import {
  promptPacksDefinition,
  snapshotsDefinition,
  toolCatalogsDefinition,
  workspacesDefinition,
} from './workspace-definitions';

export interface WorkspaceSourcesDeps {
  readonly log: Pick<SessionLog, 'peek'>;
  readonly snapshots: Pick<Snapshots, 'get' | 'builtIn'>;
  readonly folders: Pick<WorkspaceFolders, 'names'>;
}

const item = (id: string, displayName: string, description?: string): ResolverItem => ({
  header: { id, displayName },
  ...(description !== undefined && { description }),
  aliases: [],
  keywords: [],
  userTitled: true,
});

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const packItems = ({ packs }: WorkspaceContent): readonly ResolverItem[] =>
  [...packs.values()].map(({ id, templates, context }) =>
    item(id, id, `${counted(templates.length, 'template')}, ${counted(context.length, 'context file')}`),
  );

const catalogItems = ({ catalogs }: WorkspaceContent): readonly ResolverItem[] =>
  [...catalogs.values()].map(({ id, tools }) => item(id, id, tools.slice(0, 8).join(', ')));

/** Snapshots that a session can roll back to, latest first; excludes the active one. */
function snapshotItems({ history, active }: WorkspaceState): readonly ResolverItem[] {
  const earlier = new Map(history.map((applied) => [applied.hash, applied]));
  return [...earlier.values()]
    .filter(({ hash }) => hash !== active)
    .reverse()
    .map(({ hash, workspace, at }) =>
      item(
        hash,
        hash.slice(0, 12),
        `${workspace}, applied ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')}`,
      ),
    );
}

/**
 * Lists of the agent workspace to choose from: the active snapshot's contents, earlier
 * snapshots, and workspaces.
 */
export function createWorkspaceSources({
  log,
  snapshots,
  folders,
}: WorkspaceSourcesDeps): readonly ItemSource[] {
  const stateOf = ({ sessionId, project }: SourceScope): Result<WorkspaceState> => {
    const found = findScope(log.peek, sessionId === null ? { project } : { sessionId });
    return found.ok ? ok(found.value.state.workspace) : found;
  };
  const activeIn = (scope: SourceScope): string => {
    const state = stateOf(scope);
    return state.ok ? (state.value.active ?? snapshots.builtIn.hash) : '';
  };
  const ofContent = (
    definition: SourceDefinition,
    items: (content: WorkspaceContent) => readonly ResolverItem[],
  ): ItemSource => ({
    source: { providerId: definition.id },
    definition,
    scopeKey: activeIn,
    load(scope) {
      const snapshot = snapshots.get(activeIn(scope) || null);
      return Promise.resolve(snapshot.ok ? ok(items(snapshot.value.content)) : snapshot);
    },
  });
  return [
    ofContent(promptPacksDefinition, packItems),
    ofContent(toolCatalogsDefinition, catalogItems),
    {
      source: { providerId: snapshotsDefinition.id },
      definition: snapshotsDefinition,
      scopeKey: (scope) => {
        const state = stateOf(scope);
        return state.ok ? `${scope.sessionId ?? ''} ${state.value.active} ${state.value.history.length}` : '';
      },
      load(scope) {
        const state = stateOf(scope);
        return Promise.resolve(state.ok ? ok(snapshotItems(state.value)) : state);
      },
    },
    {
      source: { providerId: workspacesDefinition.id },
      definition: workspacesDefinition,
      ttlSeconds: 10,
      scopeKey: () => '',
      load() {
        const names = folders.names();
        return Promise.resolve(names.ok ? ok(names.value.map((name) => item(name, name))) : names);
      },
    },
  ];
}
