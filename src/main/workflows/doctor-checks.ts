import type { AppError } from '#shared/app-error';
import { brokenPublished } from './check-published';
import { driftAdvice } from './governance';
import type { WorkflowRegistry } from './registry';

/** A line of `patina doctor` about workflows. */
interface WorkflowCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** A definition that cannot be read; Patina starts only when it is mended. */
  readonly error?: AppError;
}

/** More than these are counted only. */
const mostNamed = 5;

/** Which workflows wait for an approval, and why. */
function notApproved(all: ReturnType<WorkflowRegistry['view']>['all']): string {
  const waiting = all.flatMap(({ definition, standing }) =>
    standing.kind === 'unapproved' ? [`${definition.WorkflowId} (${standing.reason})`] : [],
  );
  if (waiting.length === 0) return '';
  const more = waiting.length > mostNamed ? ` and ${waiting.length - mostNamed} more` : '';
  return `, ${waiting.length} not approved: ${waiting.slice(0, mostNamed).join('; ')}${more}`;
}

/** Fails for a definition that cannot be read and for one that is not what was approved (TUL-006 §8.8). */
export function checkWorkflows(registry: WorkflowRegistry): readonly WorkflowCheck[] {
  const { all, drifted } = registry.view(null);
  const problems = registry.problems();
  const broken = problems.map(({ file, field, reason }) => `${file}: ${field}: ${reason}`);
  const counted = `${all.length} published${notApproved(all)}`;
  return [
    broken.length === 0
      ? { name: 'workflows', ok: true, detail: counted }
      : { name: 'workflows', ok: false, detail: broken.join(' '), error: brokenPublished(problems) },
    ...drifted.map(({ definition, standing }) => ({
      name: `workflow ${definition.WorkflowId}`,
      ok: false,
      detail: `Halted: ${standing.kind === 'drifted' ? standing.reason : ''}. ${driftAdvice(definition.Ddr)} Until then no workflow starts by itself.`,
    })),
  ];
}
