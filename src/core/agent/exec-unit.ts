import { appError, type AppError } from '#shared/app-error';
import type { NodeBudgets } from '#shared/budgets';
import { ExecutionUnit } from '#shared/execution';
import { err, ok, type Result } from '#shared/result';
import { readCode } from './check-code';

/**
 * Validates a unit for `patina exec` and fills in missing budgets. HOST/INVALID_INPUT names each invalid
 * field; CODE/SYNTAX_ERROR and CODE/FORBIDDEN are returned before anything starts; an engine other than the
 * one in use is SANDBOX/UNSUPPORTED, except with the null engine, which accepts every unit.
 */
export function readUnit(value: unknown, engine: string, defaults: NodeBudgets): Result<ExecutionUnit> {
  const parsed = ExecutionUnit.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `${issue.path.join('.') || 'unit'}: ${issue.message}`,
    );
    return err(appError('HOST', 'INVALID_INPUT', problems.join('; ')));
  }
  const unit = parsed.data;
  if (engine === 'null') return ok({ ...unit, budgets: { ...defaults, ...stepBudgets(unit) } });
  if (unit.engine !== engine) {
    const message = `The engine "${unit.engine}" is not in use here.`;
    return err(appError('SANDBOX', 'UNSUPPORTED', message, { hint: `SANDBOX_ENGINE is "${engine}".` }));
  }
  const [forbidden]: readonly AppError[] = readCode(unit.code, false).forbidden;
  return forbidden ? err(forbidden) : ok({ ...unit, budgets: { ...defaults, ...stepBudgets(unit) } });
}

function stepBudgets(unit: ExecutionUnit): Partial<NodeBudgets> {
  return Object.fromEntries(Object.entries(unit.budgets).filter(([, value]) => value !== undefined));
}
