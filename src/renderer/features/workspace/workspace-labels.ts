import type { Result } from '#shared/result';
import type { ApplyWhen, AppliedSnapshot, SnapshotHash, WorkspaceBinding } from '#shared/workspace';
import type { WorkspaceCall, WorkspaceContents, WorkspaceView } from '#shared/workspace-call';
import { formatMany } from '../../ui/format';

/** The outcome of an action. */
export interface Outcome {
  readonly good: boolean;
  readonly text: string;
}

/** A readable short form of a snapshot hash. */
export const shortHash = (hash: SnapshotHash): string => hash.slice(0, 12);

export const versionText = (version: WorkspaceBinding['version']): string =>
  version === 'latest' ? 'latest' : shortHash(version);

export const whenNames: Readonly<Record<ApplyWhen, string>> = {
  next_run: 'With the next line',
  next_step_boundary: 'At the next step',
  immediate_if_idle: 'Now, or as soon as nothing is under way',
};

export const boundaryTexts: Readonly<Record<AppliedSnapshot['boundary'], string>> = {
  idle: 'while nothing was under way',
  'run-start': 'as a line began',
  step: 'between two steps of a line',
  start: 'from the beginning',
};

/** `2 packs, 2 catalogs, 14 tools shown`. */
export function countsOf({ packs, catalogs, toolCatalog }: WorkspaceContents): string {
  const shown = catalogs.find(({ id }) => id === toolCatalog)?.tools.length ?? 0;
  const entries = `${shown} ${shown === 1 ? 'entry' : 'entries'} in ${toolCatalog || 'no catalog'}`;
  return [formatMany(packs.length, 'pack'), formatMany(catalogs.length, 'catalog'), entries].join(', ');
}

function afterSync({ state }: WorkspaceView): string {
  if (state.sync?.status === 'unchanged') return 'Unchanged: the files are those that were last read.';
  return state.pending
    ? 'Read and found to hold. It becomes active when you apply it.'
    : 'The files are those of the active snapshot.';
}

function done(op: WorkspaceCall['op'], view: WorkspaceView): string {
  switch (op) {
    case 'sync':
      return afterSync(view);
    case 'apply':
    case 'rollback':
      return view.state.waiting ? 'Asked for; it is taken at its moment.' : 'The snapshot is active.';
    case 'choose':
      return 'Kept.';
    case 'gc':
      return `${formatMany(view.removed?.length ?? 0, 'snapshot')} removed.`;
    default:
      return '';
  }
}

/** The message after a call. A refused sync says that nothing was replaced; the findings say why. */
export function afterwards({ op }: Pick<WorkspaceCall, 'op'>, answer: Result<WorkspaceView>): Outcome {
  if (answer.ok) return { good: true, text: done(op, answer.value) };
  const { message, hint, problems } = answer.error;
  if (op === 'sync' && problems) {
    return { good: false, text: 'Refused; the findings say why. The active snapshot is untouched.' };
  }
  return { good: false, text: [message, hint].filter(Boolean).join(' ') };
}
