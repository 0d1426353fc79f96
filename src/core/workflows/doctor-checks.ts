import { appError, problemLine, type AppError } from '#shared/app-error';
import type { UnreadableWorkflow } from '../ports/workflow-store';
import { driftAdvice } from './governance';
import type { WorkflowRegistry } from './registry';

/** A line of `patina doctor` about workflows. */
interface WorkflowCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** An unusable file; its workflow or draft is halted until the file is fixed. */
  readonly error?: AppError;
}

/** Maximum workflows listed by name; the rest are only counted. */
const maxNamed = 5;

/** Lists the workflows that wait for an approval, with the reasons. */
function notApproved(all: ReturnType<WorkflowRegistry['view']>['all']): string {
  const waiting = all.flatMap(({ definition, approval }) =>
    approval.kind === 'unapproved' ? [`${definition.WorkflowId} (${approval.reason})`] : [],
  );
  if (waiting.length === 0) return '';
  const more = waiting.length > maxNamed ? ` and ${waiting.length - maxNamed} more` : '';
  return `, ${waiting.length} not approved: ${waiting.slice(0, maxNamed).join('; ')}${more}`;
}

/** Reports unusable workflow or draft files, with advice on how to fix them. */
function unreadableCheck(name: string, problems: readonly UnreadableWorkflow[], then: string): WorkflowCheck {
  const hint = 'Fix these files or move them elsewhere. Patina reads them again immediately.';
  const error = appError('CONFIG', 'INVALID', then, { problems: [...problems], hint });
  const detail = [...problems.map(problemLine), then, hint].join(' ');
  return { name, ok: false, detail, error };
}

/**
 * Fails for a definition that cannot be read and for one that differs from the approved one (TUL-006 §8.8).
 */
export function checkWorkflows(
  registry: Pick<WorkflowRegistry, 'view' | 'problems' | 'draftProblems'>,
): readonly WorkflowCheck[] {
  const { all, drifted } = registry.view(null);
  const [problems, drafts] = [registry.problems(), registry.draftProblems()];
  const then = 'These workflows are halted, and no workflow starts by itself.';
  return [
    problems.length === 0
      ? { name: 'workflows', ok: true, detail: `${all.length} published${notApproved(all)}` }
      : unreadableCheck('workflows', problems, then),
    ...(drafts.length === 0
      ? []
      : [unreadableCheck('workflow drafts', drafts, 'These drafts cannot be used.')]),
    ...drifted.map(({ definition, approval }) => ({
      name: `workflow ${definition.WorkflowId}`,
      ok: false,
      detail: `Halted: ${approval.kind === 'drifted' ? approval.reason : ''}. ${driftAdvice(definition.Ddr)} Until then no workflow starts by itself.`,
    })),
  ];
}
