import { problemLine } from '#shared/app-error';
import type { Ddr } from '#shared/ddr';
import type { WorkflowVersionLock, WorkflowRow } from '#shared/workflow';
import type { UnreadableWorkflow, WorkflowStore } from '../ports/workflow-store';
import { canonicalHash } from '../tools/canonical-hash';
import { approvalStatusOf } from './governance';
import {
  createRegistryView,
  type GovernedWorkflow,
  type RegistryView,
  type RemovedWorkflows,
  type UnreadableWorkflows,
} from './registry-view';

export interface RegistryDeps {
  readonly store: WorkflowStore;
  /** The design record of an id, as it is now; null: there is none that can be read. */
  readonly ddr: (id: string) => Ddr | null;
  readonly onDdrChange: (listener: () => void) => () => void;
}

/** The workflow registry over a replaceable store (TUL-006 §8.7). */
export interface WorkflowRegistry {
  /** What a session sees: the definitions it was begun with. `null`: those that are published now. */
  view(pin: WorkflowVersionLock | null): RegistryView;
  /** The published definitions of this moment, for a session that begins. */
  pin(): WorkflowVersionLock;
  /** What is wrong with files of published definitions; these workflows are halted, and in no view. */
  problems(): readonly UnreadableWorkflow[];
  /** What is wrong with files of drafts. */
  draftProblems(): readonly UnreadableWorkflow[];
  /** Told when a published workflow or a draft may have changed. Returns the way to stop. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** The most cached views of sessions that began at different times; others are rebuilt on demand. */
const maxCachedViews = 8;

/** What is published, without a look at the design records. */
interface Published {
  readonly rows: readonly WorkflowRow[];
  readonly problems: readonly UnreadableWorkflow[];
}

interface RegistrySnapshot {
  readonly rows: readonly GovernedWorkflow[];
  readonly problems: readonly UnreadableWorkflow[];
  readonly removed: RemovedWorkflows;
}

/** A history that cannot be read gives no reason; what is published says so. */
function removedFrom(store: WorkflowStore): RemovedWorkflows {
  const removed = store.removed();
  const reasonOf = (id: string): string => {
    const history = store.history(id);
    return (history.ok && history.value.at(-1)?.decision.reason) || 'no reason is kept.';
  };
  const ids = removed.ok ? removed.value.map(({ WorkflowId }) => WorkflowId) : [];
  return new Map(ids.map((id) => [id, reasonOf(id)]));
}

function unreadable(reason: string): UnreadableWorkflow {
  return { file: 'workflows', field: '', rule: 'readable', reason, workflowId: null };
}

/** Why each workflow whose file cannot be used is halted, by its id. */
const haltedIn = (problems: readonly UnreadableWorkflow[]): UnreadableWorkflows =>
  new Map(problems.flatMap((problem) => [[problem.workflowId ?? problem.file, problemLine(problem)]]));

function readPublished(store: WorkflowStore): Published {
  const published = store.published();
  return published.ok ? published.value : { rows: [], problems: [unreadable(published.error.message)] };
}

function readSnapshot({ store, ddr }: RegistryDeps, { rows, problems }: Published): RegistrySnapshot {
  const govern = (row: WorkflowRow): GovernedWorkflow => ({
    ...row,
    approval: approvalStatusOf(row, ddr(row.definition.Ddr)),
  });
  return { rows: rows.map(govern), problems, removed: removedFrom(store) };
}

/** A definition as a session began with it; one that is gone or no longer kept is not there. */
function resolvePinned(
  store: WorkflowStore,
  row: GovernedWorkflow,
  hash: string | undefined,
): readonly GovernedWorkflow[] {
  if (hash === undefined) return [];
  if (hash === row.hash) return [row];
  const earlier = store.definition(hash);
  return earlier.ok && earlier.value ? [{ ...row, definition: earlier.value, hash }] : [];
}

export function createWorkflowRegistry(deps: RegistryDeps): WorkflowRegistry {
  let read: Published | null = null;
  let snapshot: RegistrySnapshot | null = null;
  const views = new Map<string, RegistryView>();
  const forget = (): void => {
    read = null;
    snapshot = null;
    views.clear();
  };
  const unsubscribe = [deps.store.onChange(forget), deps.onDdrChange(forget)];
  const published = (): Published => (read ??= readPublished(deps.store));
  const now = (): RegistrySnapshot => (snapshot ??= readSnapshot(deps, published()));
  const pin = (): WorkflowVersionLock =>
    Object.fromEntries(now().rows.map(({ definition, hash }) => [definition.WorkflowId, hash]));
  const make = (wanted: WorkflowVersionLock | null): RegistryView => {
    const { rows, removed, problems } = now();
    const unreadable = haltedIn(problems);
    if (wanted === null) return createRegistryView(rows, removed, unreadable);
    const pinnedRows = rows.flatMap((row) =>
      resolvePinned(deps.store, row, wanted[row.definition.WorkflowId]),
    );
    return createRegistryView(pinnedRows, removed, unreadable);
  };
  return {
    pin,
    problems: () => published().problems,
    draftProblems: deps.store.draftProblems,
    onChange: (listener) => deps.store.onChange(listener),
    view(wanted) {
      const key = wanted === null ? '' : canonicalHash(wanted);
      const cached = views.get(key);
      if (cached) return cached;
      const made = make(wanted);
      const [oldest] = views.keys();
      if (views.size >= maxCachedViews && oldest !== undefined) views.delete(oldest);
      views.set(key, made);
      return made;
    },
    close: () => unsubscribe.forEach((stop) => stop()),
  };
}
