import { appError, type AppError } from '#shared/app-error';
import { nodeBudgetOf } from '#shared/budgets';
import type { ExecutionUnit, ResultEnvelope } from '#shared/execution';
import { err, ok, type Result } from '#shared/result';
import { readUnit } from './agent/exec-unit';
import type { Clock } from './ports/clock';
import type { PolicyFiles } from './ports/policy';
import type { CallTool, SandboxEngine } from './ports/sandbox';
import type { ToolCalls } from './tools/call';
import { createFactBuffer } from './tools/fact-buffer';
import { createRunWrites } from './tools/node-writes';
import { createOriginTrail } from './tools/origin-trail';

export interface ExecuteDeps {
  readonly engine: SandboxEngine;
  readonly policy: PolicyFiles;
  readonly calls: (project: string) => ToolCalls;
  readonly clock: Clock;
}

const noFolder = appError(
  'HOST',
  'INVALID_INPUT',
  'The unit names tools, and there is no project folder for them.',
  {
    hint: 'Name one with --project DIR.',
  },
);

const refuseTools: CallTool = (tool) =>
  Promise.resolve(
    err(appError('POLICY', 'CAPABILITY_DENIED', 'The unit allows no tools.', { tool, layer: 'capability' })),
  );

async function callToolFor(
  deps: ExecuteDeps,
  unit: ExecutionUnit,
  project: string | null,
): Promise<Result<CallTool>> {
  if (unit.allowed_tools.length === 0) return ok(refuseTools);
  if (project === null) return err(noFolder);
  const capabilities = deps.policy.capabilities(project);
  if (!capabilities.ok) return capabilities;
  const calls = deps.calls(project);
  const listing = await calls.list(undefined, 'live');
  if (!listing.ok) return listing;
  const callsAllowed = unit.budgets.tool_calls ?? 1;
  const scope = {
    ...{ turn: 0, runId: 'exec', nodeId: 'unit', declared: unit.allowed_tools },
    ...{ capabilities: capabilities.value, approve: 'none' as const, callsAllowed },
    lists: {},
    origins: createOriginTrail([]),
    writes: createRunWrites().attempt('unit'),
    callsLeftInRun: () => callsAllowed,
    onAttempt: () => undefined,
    onBreach: () => undefined,
    onWaiting: () => () => undefined,
    // A unit on its own belongs to no session: there is nothing to write its facts to.
    facts: createFactBuffer(
      deps.clock,
      () => true,
      () => undefined,
    ),
  };
  return ok(calls.forNode(scope, listing.value));
}

/** A budget error that says which budget of the unit to raise; any other error as it is. */
function withUnitBudget(error: AppError, { budgets }: ExecutionUnit): AppError {
  const field = nodeBudgetOf(error);
  if (field === undefined) return error;
  const hint = `The unit may use ${field}: ${budgets[field]}. To allow more, set "budgets": {"${field}": …} in the unit.`;
  return { ...error, hint: [error.hint, hint].filter(Boolean).join(' ') };
}

/** What `patina exec` does: one checked unit in the sandbox, its tools through the gate. Never throws. */
export async function executeUnit(
  deps: ExecuteDeps,
  value: unknown,
  project: string | null,
  signal: AbortSignal,
): Promise<Result<ResultEnvelope>> {
  const budgets = deps.policy.budgets(project ?? '/');
  if (!budgets.ok) return budgets;
  const unit = readUnit(value, deps.engine.name, budgets.value.node);
  if (!unit.ok) return unit;
  const callTool = await callToolFor(deps, unit.value, project);
  if (!callTool.ok) return callTool;
  const run = await deps.engine.execute(unit.value, callTool.value, signal);
  if (run.envelope.ok || run.metrics === undefined) return run.envelope;
  return err({ ...withUnitBudget(run.envelope.error, unit.value), metrics: run.metrics });
}
