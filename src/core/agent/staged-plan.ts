import { z } from 'zod';
import { appError, type AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { PlanAnswer, type Plan } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';
import { checkListed, type CheckedListing, type CheckNeeds } from './check-listed';
import { readableNodes } from './check-plan';

/** A given plan of several stages, before its stages are checked. */
const Stages = z.strictObject({ stages: z.array(z.looseObject({})).min(1), answer: PlanAnswer });

const finding = (message: string, hint?: string): AppError =>
  appError('CODE', 'INVALID_PLAN', message, hint === undefined ? {} : { hint });

const hasStages = (value: unknown): value is { readonly stages: unknown } =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'stages');

/**
 * The stages of a given plan, `{stages: [Plan, …], answer}` or one plan, in order; only the last one has an answer.
 * Each finding names its field.
 */
export function readStages(
  value: unknown,
  maxStages: number,
): Result<readonly unknown[], readonly AppError[]> {
  if (!hasStages(value)) return ok([value]);
  const parsed = Stages.safeParse(value);
  if (!parsed.success)
    return err(
      parsed.error.issues.map(({ path, message }) => finding(`${path.join('.') || 'plan'}: ${message}`)),
    );
  const { stages, answer } = parsed.data;
  if (stages.length > maxStages) {
    const message = `stages: the plan has ${stages.length} stages, and a run has at most ${maxStages}.`;
    return err([finding(message, 'To allow more, set "run": {"stages": …} in .patina/budgets.json.')]);
  }
  return ok(stages.map((stage, at) => ({ ...stage, answer: at === stages.length - 1 ? answer : '' })));
}

/** The first of several checked stages, and the plans of those after it. */
export interface CheckedStages extends CheckedListing {
  readonly following: readonly Plan[];
}

function inStage({ node, ...error }: AppError, at: number, of: number): AppError {
  if (of === 1) return node === undefined ? error : { ...error, node };
  const field = node === undefined ? `stages.${at}` : `stages.${at}.nodes.${node}`;
  return { ...error, message: `${field}: ${error.message}` };
}

/** Checks all stages before the first one runs; a stage may read the results of those before it. */
export async function checkStages(
  needs: CheckNeeds,
  stages: readonly unknown[],
): Promise<Result<CheckedStages, readonly AppError[]>> {
  const done = new Set<string>();
  const listed: CheckedListing[] = [];
  const findings: AppError[] = [];
  for (const [at, stage] of stages.entries()) {
    const earlier = { done: new Set(done), approvals: new Set<string>() };
    const checked = await checkListed(needs, stage, 'needed', earlier);
    if (checked.ok) listed.push(checked.value);
    else findings.push(...checked.error.map((error) => inStage(error, at, stages.length)));
    for (const { id } of readableNodes(stage)) done.add(id);
  }
  const [first, ...rest] = listed;
  if (findings.length > 0 || !first) return err(findings);
  return ok({ ...first, following: rest.map(({ checked }) => checked.plan) });
}

/** Stages that have not run, with the parameters that the user changed meanwhile. */
export function withChangedParams(
  following: readonly Plan[],
  before: JsonObject,
  now: JsonObject,
): readonly Plan[] {
  const changed = Object.entries(now).filter(([name, value]) => before[name] !== value);
  const paramsOf = (params: JsonObject): JsonObject => ({
    ...params,
    ...Object.fromEntries(changed.filter(([name]) => params[name] === before[name])),
  });
  return following.map((plan) => ({
    ...plan,
    nodes: plan.nodes.map((node) => (node.params ? { ...node, params: paramsOf(node.params) } : node)),
  }));
}
