import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import {
  WorkflowDefinition,
  type WorkflowListRow,
  type WorkflowManifest,
  type WorkflowMatch,
  type WorkflowRow,
} from '#shared/workflow';
import { driftAdvice, type ApprovalStatus } from './governance';
import { createMatcher, type Matcher } from './match';
import { mentionsId, type NamedByUser } from './named-by-user';

/** A published definition with its approval status. */
export interface GovernedWorkflow extends WorkflowRow {
  readonly approval: ApprovalStatus;
}

/** The unmet preconditions of a workflow, as sentences. */
export type UnmetPreconditions = (definition: WorkflowDefinition) => readonly string[];

/** The registry as one session sees it. Reading it changes nothing and invents nothing (TUL-006 §5.4). */
export interface RegistryView {
  /** The workflows that a model may choose from, in the order of their ids. */
  list(): readonly WorkflowListRow[];
  /** The definition, word for word, with warnings; or the reason why it cannot be used. */
  manifest(workflowId: string, named: NamedByUser): Result<WorkflowManifest>;
  /**
   * `unmet` gives a definition's unmet preconditions; a workflow that has any is not runnable (TUL-006 §3.2).
   */
  match(message: string, named: NamedByUser, unmet?: UnmetPreconditions): readonly WorkflowMatch[];
  find(workflowId: string): GovernedWorkflow | undefined;
  readonly all: readonly GovernedWorkflow[];
  readonly drifted: readonly GovernedWorkflow[];
  /** Workflows halted because their published file cannot be used. */
  readonly unreadable: UnreadableWorkflows;
}

const tool = 'agent_workflow_registry';

/** The reason why a workflow cannot run, in the wording of TUL-006 §4.3; null when it can. */
export function blockedBecause({ definition, approval }: GovernedWorkflow): string | null {
  const { WorkflowId: id, Status } = definition;
  if (Status === 'disabled') return `Workflow ‘${id}’ is disabled.`;
  if (approval.kind === 'unapproved') return 'Workflow requires approval before use.';
  if (approval.kind === 'drifted') return `Workflow ‘${id}’ is halted: ${approval.reason}.`;
  return null;
}

function hintFor({ definition, approval }: GovernedWorkflow): string | undefined {
  if (definition.Status === 'disabled') return 'Choose another workflow.';
  if (approval.kind === 'drifted') return driftAdvice(definition.Ddr);
  return approval.kind === 'unapproved' ? `Of ‘${definition.WorkflowId}’: ${approval.reason}.` : undefined;
}

/** Warnings about a runnable workflow before its use (TUL-006 §7.8, §8.5). */
export function warningsOf({ WorkflowId: id, Status, Visibility }: WorkflowDefinition): readonly string[] {
  return [
    ...(Status === 'deprecated' ? [`Workflow ‘${id}’ is deprecated.`] : []),
    ...(Visibility === 'experimental'
      ? [`Workflow ‘${id}’ is experimental: the user confirms its start.`]
      : []),
  ];
}

const others = 'Call agent_workflow_registry with list_workflows or match_workflow; there are no others.';

const sentence = (text: string): string => (/[.!?…]$/u.test(text) ? text : `${text}.`);

/**
 * `removed` is the reason for the removal from the registry (TUL-006 §8.9), for a caller that still names the
 * workflow.
 */
function unknown(id: string, removed: string | undefined): AppError {
  const hint =
    removed === undefined ? others : `It was removed: ${sentence(removed.slice(0, 200))} ${others}`;
  return appError('HOST', 'NOT_FOUND', `Unknown workflow ‘${id.slice(0, 100)}’.`, { tool, hint });
}

/** A backend may break the port's contract; an incomplete script is never returned (TUL-006 §4.4). */
function incomplete(definition: WorkflowDefinition): AppError | null {
  const parsed = WorkflowDefinition.safeParse(definition);
  if (parsed.success) return null;
  const [issue] = parsed.error.issues;
  const what = `${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
  return appError('HOST', 'STATE', `Workflow ‘${definition.WorkflowId}’ is incomplete: ${what}.`, { tool });
}

const rowOf = ({ WorkflowId, Title, Description, UserIntentPatterns, Visibility }: WorkflowDefinition) => ({
  WorkflowId,
  Title,
  Description,
  UserIntentPatterns,
  ...(Visibility === 'experimental' && { Visibility }),
});

/** The reason for each removal, by workflow id. */
export type RemovedWorkflows = ReadonlyMap<string, string>;

/**
 * File, field and reason of each workflow with an unusable published file, by its id. A file whose name is
 * not an id is listed by its path.
 */
export type UnreadableWorkflows = ReadonlyMap<string, string>;

/** The refusal for a workflow with an unusable published file, wherever it is named (TUL-006 §8.8). */
export const unreadableMessage = (id: string): string =>
  `Workflow ‘${id}’ is halted: its published definition cannot be read.`;

function unreadableError(id: string, problem: string): AppError {
  const hint = `Fix the file or move it elsewhere. Patina reads it again immediately. ${problem}`;
  return appError('HOST', 'STATE', unreadableMessage(id), { tool, hint });
}

/**
 * The match for a message that names a halted workflow by its id; its patterns are in the unreadable file.
 */
const haltedMatch = (workflowId: string): WorkflowMatch => ({
  workflowId,
  matchScore: 1,
  explanation: 'The message names the workflow.',
  runnable: false,
  note: unreadableMessage(workflowId),
});

/** Creates a view of governed definitions. Pure; builds the matching index on first use. */
export function createRegistryView(
  unsorted: readonly GovernedWorkflow[],
  removed: RemovedWorkflows = new Map(),
  unreadable: UnreadableWorkflows = new Map(),
): RegistryView {
  const all = [...unsorted].sort((a, b) => (a.definition.WorkflowId < b.definition.WorkflowId ? -1 : 1));
  const byId = new Map(all.map((row) => [row.definition.WorkflowId, row]));
  const hidden = (row: GovernedWorkflow): boolean => row.definition.Visibility === 'hidden';
  let matcher: Matcher | null = null;
  const visible = (id: string, named: NamedByUser): GovernedWorkflow | undefined => {
    const row = byId.get(id);
    return row && hidden(row) && !named(id) ? undefined : row;
  };
  return {
    all,
    drifted: all.filter(({ approval }) => approval.kind === 'drifted'),
    unreadable,
    find: (id) => byId.get(id),
    list: () =>
      all.filter((row) => !hidden(row) && blockedBecause(row) === null).map((row) => rowOf(row.definition)),
    manifest(id, named) {
      const problem = unreadable.get(id);
      if (problem !== undefined) return err(unreadableError(id, problem));
      const row = visible(id, named);
      if (!row) return err(unknown(id, removed.get(id)));
      const blocked = blockedBecause(row);
      const hint = hintFor(row);
      if (blocked !== null) return err(appError('HOST', 'STATE', blocked, { tool, ...(hint && { hint }) }));
      const broken = incomplete(row.definition);
      if (broken) return err(broken);
      const warnings = warningsOf(row.definition);
      return ok({ ...row.definition, ...(warnings.length > 0 && { Warnings: warnings }) });
    },
    match(message, named, unmet = () => []) {
      matcher ??= createMatcher(all.map(({ definition }) => definition));
      const halted = [...unreadable.keys()].filter((id) => mentionsId(message, id)).map(haltedMatch);
      const found = matcher(message).flatMap(({ workflowId, score, explanation }) => {
        const row = visible(workflowId, named);
        if (!row) return [];
        const failing = unmet(row.definition);
        const blocked = blockedBecause(row) ?? (failing.length > 0 ? failing.join(' ') : null);
        const note = blocked ?? warningsOf(row.definition).join(' ');
        return [
          {
            workflowId,
            matchScore: score,
            explanation,
            runnable: blocked === null,
            ...(note !== '' && { note }),
          },
        ];
      });
      return [...halted, ...found];
    },
  };
}
