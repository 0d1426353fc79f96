import type { Result } from '#shared/result';
import type { ApplyWhen, SnapshotHash, WorkspaceBinding } from '#shared/workspace';
import type { WorkspaceCall, WorkspaceContents, WorkspaceView } from '#shared/workspace-call';
import { text } from '../../locales/text';

/** The outcome of an action. */
export interface Outcome {
  readonly good: boolean;
  readonly text: string;
}

/** Patina's own files change only with Patina: mostly there is nothing to choose or to read again. */
export const nothingToSync = ({ builtIn, workspaces, folderChanged }: WorkspaceView): boolean =>
  builtIn && workspaces.length === 1 && folderChanged !== true;

/** A readable short form of a snapshot hash. */
export const shortHash = (hash: SnapshotHash): string => hash.slice(0, 12);

export const versionText = (version: WorkspaceBinding['version']): string =>
  version === 'latest' ? text('workspace.source.latest') : shortHash(version);

/** When a version can be used, in display order. */
export const applyTimes: readonly ApplyWhen[] = ['next_run', 'next_step_boundary', 'immediate_if_idle'];

/** How much a version contains. */
export function countsOf({ packs, catalogs, toolCatalog }: WorkspaceContents): string {
  const shown = catalogs.find(({ id }) => id === toolCatalog)?.tools.length ?? 0;
  return text('workspace.versions.counts', {
    packs: packs.length,
    sets: catalogs.length,
    tools: shown,
    name: toolCatalog || text('workspace.versions.noToolSet'),
  });
}

function afterSync({ state }: WorkspaceView): string {
  if (state.sync?.status === 'unchanged') return text('workspace.outcome.unchanged');
  return text(state.pending ? 'workspace.outcome.valid' : 'workspace.outcome.sameAsActive');
}

function done(op: WorkspaceCall['op'], view: WorkspaceView): string {
  switch (op) {
    case 'sync':
      return afterSync(view);
    case 'apply':
    case 'rollback':
      return text(view.state.waiting ? 'workspace.outcome.scheduled' : 'workspace.outcome.active');
    case 'choose':
      return text('workspace.outcome.saved');
    case 'gc':
      return text('workspace.outcome.removed', { count: view.removed?.length ?? 0 });
    default:
      return '';
  }
}

/** The message after a call. After a refused sync it points to the findings. */
export function afterwards({ op }: Pick<WorkspaceCall, 'op'>, answer: Result<WorkspaceView>): Outcome {
  if (answer.ok) return { good: true, text: done(op, answer.value) };
  const { message, hint, problems } = answer.error;
  if (op === 'sync' && problems) {
    return { good: false, text: text('workspace.outcome.refused') };
  }
  return { good: false, text: [message, hint].filter(Boolean).join(' ') };
}
