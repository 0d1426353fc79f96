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
  /** The current design record of an id; null when there is none or it cannot be read. */
  readonly ddr: (id: string) => Ddr | null;
  readonly onDdrChange: (listener: () => void) => () => void;
}

/** The workflow registry over a replaceable store (TUL-006 §8.7). */
export type WorkflowRegistry = ReturnType<typeof createWorkflowRegistry>;

/** Maximum cached views of sessions that started at different times; others are rebuilt on demand. */
const maxCachedViews = 8;

/** The published workflows, before the check against design records. */
interface Published {
  readonly rows: readonly WorkflowRow[];
  readonly problems: readonly UnreadableWorkflow[];
}

interface RegistrySnapshot {
  readonly rows: readonly GovernedWorkflow[];
  readonly problems: readonly UnreadableWorkflow[];
  readonly removed: RemovedWorkflows;
}

/**
 * The removed workflows with their reasons. An unreadable history gives no reason; `published` reports the
 * failure.
 */
function removedFrom(store: WorkflowStore): RemovedWorkflows {
  const removed = store.removed();
  const reasonOf = (id: string): string => {
    const history = store.history(id);
    return (history.ok && history.value.at(-1)?.decision.reason) || 'no reason is recorded.';
  };
  const ids = removed.ok ? removed.value.map(({ WorkflowId }) => WorkflowId) : [];
  return new Map(ids.map((id) => [id, reasonOf(id)]));
}

function unreadable(reason: string): UnreadableWorkflow {
  return { file: 'workflows', field: '', rule: 'readable', reason, workflowId: null };
}

/** The reason why each workflow with an unusable file is halted, by its id. */
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

/** The definition that a session started with; empty when it is gone or no longer stored. */
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

export function createWorkflowRegistry(deps: RegistryDeps) {
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
  const versionLock = (): WorkflowVersionLock =>
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
    /** Locks the versions published now, for a session that starts. */
    lockVersions: versionLock,
    /** Problems in the files of published definitions; these workflows are halted and in no view. */
    problems: (): readonly UnreadableWorkflow[] => published().problems,
    /** Problems in the files of drafts. */
    draftProblems: deps.store.draftProblems,
    /**
     * Notifies the listener when a published workflow or a draft may have changed. Returns the function that
     * unsubscribes.
     */
    onChange: (listener: () => void): (() => void) => deps.store.onChange(listener),
    /** Does the same, also for design records, whose approvals decide which workflows can start. */
    onItemsChange(listener: () => void): () => void {
      const stops = [deps.store.onChange(listener), deps.onDdrChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    /** The definitions that a session started with; `null` gives those published now. */
    view(wanted: WorkflowVersionLock | null): RegistryView {
      const key = wanted === null ? '' : canonicalHash(wanted);
      const cached = views.get(key);
      if (cached) return cached;
      const made = make(wanted);
      const [oldest] = views.keys();
      if (views.size >= maxCachedViews && oldest !== undefined) views.delete(oldest);
      views.set(key, made);
      return made;
    },
    close: (): void => unsubscribe.forEach((stop) => stop()),
  };
}
