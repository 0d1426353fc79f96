import { appError, type AppError } from '#shared/app-error';
import { nodeBudgetOf } from '#shared/budgets';
import type { ExecutionUnit, ResultEnvelope } from '#shared/execution';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { readUnit } from '../../core/agent/exec-unit';
import type { Clock } from '../../core/ports/clock';
import type { Ids } from '../../core/ports/ids';
import type { PolicyFiles } from '../../core/ports/policy';
import type { CallTool, SandboxEngine } from '../../core/ports/sandbox';
import { unitScope, type CallScope } from '../../core/tools/call-scope';
import type { ToolCalls } from '../../core/tools/call-tool';

export interface ExecuteDeps {
  readonly engine: SandboxEngine;
  readonly policy: PolicyFiles;
  readonly toolCalls: ToolCalls;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface ServerToolCall {
  /** `mcp://server.tool` */
  readonly uri: string;
  readonly args: JsonObject;
  /** Outside a session, nobody can be asked. */
  readonly approve: 'all' | 'none';
  readonly project: string;
}

const noFolder = appError('HOST', 'INVALID_INPUT', 'The unit uses tools, but there is no project folder.', {
  hint: 'Name one with --project DIR.',
});

const refuseTools: CallTool = (tool) =>
  Promise.resolve(
    err(
      appError('POLICY', 'CAPABILITY_DENIED', 'The unit does not allow tools.', {
        tool,
        layer: 'capability',
      }),
    ),
  );

/** What calls outside a session may access. */
interface UnitAccess {
  readonly declared: readonly string[];
  readonly callsAllowed: number;
  readonly approve: 'all' | 'none';
}

async function callToolFor(
  deps: ExecuteDeps,
  { allowed_tools: declared, budgets }: ExecutionUnit,
  project: string | null,
): Promise<Result<CallTool>> {
  if (declared.length === 0) return ok(refuseTools);
  if (project === null) return err(noFolder);
  const callsAllowed = budgets.tool_calls ?? 1;
  const scope = await openScope(deps, { declared, callsAllowed, approve: 'none' }, project);
  if (!scope.ok) return scope;
  return ok(async (tool, args, signal) => {
    const call = { tool, arguments: args ?? {} };
    return (await deps.toolCalls.callTool(scope.value, call, signal)).result;
  });
}

type CallDeps = Pick<ExecuteDeps, 'policy' | 'toolCalls' | 'clock' | 'ids'>;

async function openScope(deps: CallDeps, access: UnitAccess, project: string): Promise<Result<CallScope>> {
  const capabilities = deps.policy.capabilities(project);
  if (!capabilities.ok) return capabilities;
  const listing = await deps.toolCalls.list(project, undefined, 'live');
  if (!listing.ok) return listing;
  const known = { project, capabilities: capabilities.value, listing: listing.value };
  return ok(unitScope(deps, { ...access, ...known }));
}

/** Adds to a budget error which of the unit's budgets to raise; returns any other error unchanged. */
function withUnitBudget(error: AppError, { budgets }: ExecutionUnit): AppError {
  const field = nodeBudgetOf(error);
  if (field === undefined) return error;
  const hint = `The unit may use ${field}: ${budgets[field]}. To allow more, set "budgets": {"${field}": …} in the unit.`;
  return { ...error, hint: [error.hint, hint].filter(Boolean).join(' ') };
}

/** Calls a server's tool once from the command line, through the gate. Never throws. */
export async function callServerTool(
  deps: CallDeps,
  { uri, args, approve, project }: ServerToolCall,
  signal: AbortSignal,
): Promise<Result<Json>> {
  const scope = await openScope(deps, { declared: [uri], callsAllowed: 1, approve }, project);
  if (!scope.ok) return scope;
  return (await deps.toolCalls.callTool(scope.value, { tool: uri, arguments: args }, signal)).result;
}

/**
 * Implements `patina exec`: runs one validated unit in the sandbox, with its tools behind the gate. Never
 * throws.
 */
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
