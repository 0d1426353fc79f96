import type { Ddr, DdrStatus } from '#shared/ddr';
import { sameJson, type JsonObject } from '#shared/json';
import type { SessionState } from '#shared/session-state';
import type { CompletionCheck, WorkflowDefinition, WorkflowPrecondition } from '#shared/workflow';
import type { WorkflowRun } from '#shared/workflow-state';
import type { PathChangedAt } from '../ports/project-paths';

/** Lookups for preconditions beyond the session's own state. */
export interface PreconditionContext {
  readonly modeOf: (state: SessionState) => { readonly key: string };
  readonly ddr: (id: string) => Ddr | null;
  readonly changedAt: PathChangedAt;
}

/** The input of a condition: the session, and the workflow inputs given so far. */
interface ConditionScope {
  readonly preconditionContext: PreconditionContext;
  readonly state: SessionState;
  readonly inputs: JsonObject | null;
}

/** The id or path of a condition; undefined while its input is missing. */
function named(
  scope: ConditionScope,
  own: string | undefined,
  input: string | undefined,
): string | undefined {
  if (own !== undefined) return own;
  const inputValue = input === undefined ? undefined : scope.inputs?.[input];
  return typeof inputValue === 'string' ? inputValue : undefined;
}

const words = (statuses: readonly DdrStatus[]): string => statuses.join(' or ').replaceAll('_', ' ');

function ddrProblem(
  scope: ConditionScope,
  {
    ddr,
    input,
    statuses,
  }: { ddr?: string | undefined; input?: string | undefined; statuses: readonly DdrStatus[] },
): string | null {
  const id = named(scope, ddr, input);
  if (id === undefined) return scope.inputs === null ? null : 'No design record is named.';
  const found = scope.preconditionContext.ddr(id);
  if (!found) return `There is no design record ${id}.`;
  if (statuses.includes(found.status)) return null;
  return `${id} has to be ${words(statuses)}; it is ${words([found.status])}.`;
}

function fileProblem(
  scope: ConditionScope,
  { path, input }: { path?: string | undefined; input?: string | undefined },
): string | null {
  const at = named(scope, path, input);
  if (at === undefined) return scope.inputs === null ? null : 'No path is named.';
  const { project } = scope.state;
  if (project === null) return 'The session has no project folder.';
  const found = scope.preconditionContext.changedAt(project, at) !== null;
  return found ? null : `There is no ${at} in the project folder.`;
}

function workflowProblem(
  state: SessionState,
  { workflowId, state: wanted = 'completed' }: Extract<WorkflowPrecondition, { kind: 'workflow' }>,
): string | null {
  if (wanted === 'active') {
    const running = state.workflow?.definition.WorkflowId === workflowId;
    return running ? null : `The workflow ‘${workflowId}’ has to be running.`;
  }
  const completed = state.completedWorkflows.includes(workflowId);
  return completed ? null : `The workflow ‘${workflowId}’ has to be completed first.`;
}

function problemOf(scope: ConditionScope, row: WorkflowPrecondition): string | null {
  const { state, preconditionContext } = scope;
  switch (row.kind) {
    case 'mode':
      return row.modes.includes(preconditionContext.modeOf(state).key)
        ? null
        : `The session has to be in the mode ${row.modes.join(' or ')}.`;
    case 'focus':
      return state.context?.entityType === row.entityType
        ? null
        : `The session has to work on a ${row.entityType.replaceAll('_', ' ')}.`;
    case 'workflow':
      return workflowProblem(state, row);
    case 'ddr':
      return ddrProblem(scope, row);
    case 'file':
      return fileProblem(scope, row);
  }
}

/** The unmet Preconditions of a workflow, each as a sentence (TUL-006 §7.4). */
export function failingPreconditions(
  preconditionContext: PreconditionContext,
  state: SessionState,
  { Preconditions = [] }: Pick<WorkflowDefinition, 'Preconditions'>,
  inputs: JsonObject | null,
): readonly string[] {
  const scope = { preconditionContext, state, inputs };
  return Preconditions.flatMap((row) => {
    const problem = problemOf(scope, row);
    if (problem === null) return [];
    return [row.because === undefined ? problem : `${problem} ${row.because}`];
  });
}

/** Whether the call has the required value for every argument that a check names. */
const matchesArguments = (wanted: JsonObject, args: JsonObject): boolean =>
  Object.entries(wanted).every(([name, value]) => sameJson(args[name], value));

function isMet(scope: ConditionScope, run: WorkflowRun, check: CompletionCheck): boolean {
  if (check.kind === 'tool-called') {
    const { tool, arguments: wanted = {} } = check;
    return run.steps.some(
      (step) => step.tool === tool && step.outcome === 'done' && matchesArguments(wanted, step.arguments),
    );
  }
  return (check.kind === 'ddr' ? ddrProblem(scope, check) : fileProblem(scope, check)) === null;
}

/** File systems keep times less exactly than the clock, in milliseconds. */
const timeTolerance = 1_000;

/** The file of a criterion that was there before the workflow began and has not changed since; null otherwise. */
function unchangedFile(scope: ConditionScope, run: WorkflowRun, check: CompletionCheck): string | null {
  const { project } = scope.state;
  if (check.kind !== 'file' || project === null) return null;
  const path = named(scope, check.path, check.input);
  const changedAt = path === undefined ? null : scope.preconditionContext.changedAt(project, path);
  if (path === undefined || changedAt === null) return null;
  return changedAt + timeTolerance < run.startedAt ? path : null;
}

/**
 * The open CompletionCriteria: those that the host finds unmet, and those that only the user can confirm
 * (TUL-006 §6.6). A file that was there before shows nothing about the work, so the user confirms it.
 */
export function completionOf(
  preconditionContext: PreconditionContext,
  state: SessionState,
  run: WorkflowRun,
): { readonly unmet: readonly string[]; readonly toConfirm: readonly string[] } {
  const scope = { preconditionContext, state, inputs: run.inputs };
  const unmet: string[] = [];
  const toConfirm: string[] = [];
  for (const { text, check } of run.definition.CompletionCriteria) {
    if (!check) toConfirm.push(text);
    else if (!isMet(scope, run, check)) unmet.push(text);
    else {
      const unchanged = unchangedFile(scope, run, check);
      if (unchanged !== null)
        toConfirm.push(`${text} (${unchanged} has not changed since the workflow began.)`);
    }
  }
  return { unmet, toConfirm };
}
