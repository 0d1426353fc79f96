import type { AppError } from '#shared/app-error';
import { ok } from '#shared/result';
import { nodeBudgets, withNodeBudget } from '#shared/budgets';
import type { ExecutionUnit, ResultEnvelope } from '#shared/execution';
import type { CallTool, SandboxRun } from '../ports/sandbox';
import { createSlots, toolsByName, type CallScope } from '../tools/call-scope';
import { createTaintTracker, type TaintTracker } from '../tools/taint-tracker';
import { placedBy, withReturn } from './check-code';
import { raceAbort } from './run-lifecycle';
import { hydrateInputs, labelArtifacts, originsOfRead } from './node-artifacts';
import { scriptResult } from './json-text';
import { differingNames } from './script-tools';
import { failed, type NodeOutcome, type NodeTask, type RunContext } from './node-run';
import type { StepCards } from '../tools/approval-cards';
import { createApprovalBatcher } from '../tools/approvals';

/** Aborts a node when its run is aborted or one of its calls exceeds a budget. */
function createBreach(signal: AbortSignal) {
  const controller = new AbortController();
  let breach: AppError | null = null;
  const onAbort = (): void => controller.abort();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    error: () => breach,
    report: (error: AppError): void => {
      breach ??= error;
      controller.abort();
    },
    end: () => signal.removeEventListener('abort', onAbort),
  };
}

interface NodeTracking {
  readonly breach: ReturnType<typeof createBreach>;
  readonly origins: TaintTracker;
  readonly counted: Counted;
  readonly callsAllowed: number;
  readonly cards: StepCards;
}

/** The scope of the calls that one attempt of a node makes. */
function scriptScope(
  run: RunContext,
  { node, tools, asksAt, shown, constraints = [] }: NodeTask,
  { breach, origins, counted, callsAllowed, cards }: NodeTracking,
): CallScope {
  const { sessionId = null, turn, project, approve, lists } = run.request;
  const { approvals, clock, ids, facts } = run;
  const onWaiting = run.life.wait;
  return {
    actor: 'script',
    sessionId,
    turn,
    project,
    tools: toolsByName(run.listing),
    declared: tools,
    lists: lists(),
    capabilities: run.capabilities,
    constraints: { rules: constraints, project },
    approve,
    approvals: createApprovalBatcher({ approvals, clock, ids, facts, approve, onWaiting, cards }),
    recorder: {
      turn,
      runId: run.runId,
      stage: run.stage,
      nodeId: node.id,
      ...(asksAt !== undefined && { asksAt }),
      facts,
      origins,
      flows: run.flows,
      shown,
      writes: run.writes.attempt(node.id),
      names: run.names,
    },
    budget: {
      callsLeft: () => ({ inNode: callsAllowed - counted.attempts, inRun: run.meter.callsLeft() }),
      onAttempt: () => {
        counted.attempts += 1;
        run.meter.countCall();
      },
      onBreach: breach.report,
      onWaiting,
      acquireSlot: createSlots(),
    },
    cache: { bypass: run.request.fresh ?? false, onHit: () => void (counted.hits += 1) },
  };
}

/** Runs one script in the sandbox; the gate judges each of its tool calls as this node's. Never throws. */
export async function runScriptNode(run: RunContext, task: NodeTask): Promise<NodeOutcome> {
  const { node, tools } = task;
  const origins = createTaintTracker(task.origins);
  const hydrated = hydrateInputs(run, task, origins);
  if (!hydrated.ok) return failed(node.id, hydrated.error);
  const inputs = hydrated.value;
  const budgets = nodeBudgets(run.budgets.node, node.budgets);
  const breach = createBreach(run.life.signal);
  const counted: Counted = { attempts: 0, hits: 0 };
  const cards = run.cards.begin(task.place);
  const scope = scriptScope(run, task, { breach, origins, counted, callsAllowed: budgets.tool_calls, cards });
  const names = differingNames(
    run.listing.tools.map(({ uri }) => uri),
    tools,
  );
  const { code, written } = withReturn(node.code ?? '');
  const unit: ExecutionUnit = {
    engine: run.sandbox.name === 'null' ? 'quickjs' : run.sandbox.name,
    code,
    params: node.params ?? {},
    inputs,
    allowed_tools: [...tools],
    ...(names && { tool_names: names }),
    budgets,
  };
  const definitions = toolsByName(run.listing);
  const callTool: CallTool = async (tool, args, signal) => {
    const whenResumed = run.life.whenResumed();
    if (whenResumed) await raceAbort(whenResumed, breach.signal);
    const ended = run.tokenTally?.startCall(tool, args);
    const { result } = await run.toolCalls.callTool(scope, { tool, arguments: args ?? {} }, signal);
    ended?.(result.ok ? result.value : result.error.message);
    // A script from before text was parsed reads its results as text.
    if (!result.ok || node.api !== 2) return result;
    return ok(scriptResult(definitions.get(tool), result.value));
  };
  const onRead = (handle: string): void => originsOfRead(run, node.id, handle).forEach(origins.add);
  const ran = await run.sandbox.execute(unit, callTool, breach.signal, onRead);
  const { envelope, log } = ran;
  breach.end();
  cards.end();
  const details = {
    ...(log.length > 0 && { log }),
    ...resourcesUsed(ran, counted),
    origins: origins.all(),
  };
  const broken = breach.error();
  const named = (error: AppError) =>
    withNodeBudget(placedBy(written, error), { allowed: run.budgets.node, wanted: node.budgets });
  if (broken) return failed(node.id, named(broken), details);
  const ended = envelope.ok ? labelArtifacts(run, envelope.value, origins.all()) : envelope;
  if (!ended.ok) return failed(node.id, named(ended.error), details);
  return { id: node.id, ...finished(ended.value, counted), ...details };
}

/** The number of calls a script started, and how many of them were cache hits. */
interface Counted {
  attempts: number;
  hits: number;
}

/** The resources a step used; cache hits do not count as tool calls. */
function resourcesUsed({ envelope, metrics }: SandboxRun, { hits }: Counted): Pick<NodeOutcome, 'metrics'> {
  const spent = envelope.ok ? envelope.value.metrics : metrics;
  return spent ? { metrics: { ...spent, tool_calls: Math.max(0, spent.tool_calls - hits) } } : {};
}

function finished(envelope: ResultEnvelope, { attempts, hits }: Counted): Omit<NodeOutcome, 'id'> {
  const { summary, artifacts, state_updates: state } = envelope;
  return { status: 'done', summary, state, artifacts, cached: hits > 0 && hits === attempts };
}
