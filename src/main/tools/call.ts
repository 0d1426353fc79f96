import { appError, type AppError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import { isObject, type Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { CallTool } from '../ports/sandbox';
import type { ToolDefinition } from '../ports/tool-definition';
import type { ServerStatus } from '../ports/server-status';
import type { Tools } from '../ports/tools';
import type { Approvals } from './approvals';
import { askUser, type WritePolicy } from './ask-user';
import { callRecord } from './call-record';
import { canonicalHash } from './canonical-hash';
import type { FactBuffer } from './fact-buffer';
import { isWrite, judgeCall, type GateCall, type GateContext, type RecordedApprovals } from './gate';
import type { RateMeter } from './rate-meter';
import type { SchemaCheck } from './schema-check';
import type { ToolLists } from './tool-lists';

/** On whose behalf calls are made: one node of one run, with what it may do and where its facts go. */
export interface CallScope {
  readonly turn: number;
  readonly runId: string;
  readonly nodeId: string;
  /** The tools the node declares, by full name. */
  readonly declared: readonly string[];
  readonly capabilities: Capabilities;
  readonly lists: ToolLists;
  /** In a workflow: what was approved before the call, instead of a question at the call. */
  readonly recorded?: RecordedApprovals;
  readonly approve: WritePolicy;
  readonly callsAllowed: number;
  readonly callsLeftInRun: () => number;
  /** Called before each call is judged: attempts count, so a script that only collects refusals ends too. */
  readonly onAttempt: () => void;
  /** A call broke a budget: whoever runs the node ends it. */
  readonly onBreach: (error: AppError) => void;
  /** A person is being waited for; returns how to say that the wait is over. */
  readonly onWaiting: () => () => void;
  readonly facts: FactBuffer;
}

export interface ToolListing {
  readonly tools: readonly ToolDefinition[];
  readonly servers: readonly ServerStatus[];
}

/** The way to tools for everything but the MCP adapter: first the gate, then dispatch. */
export interface ToolCalls {
  /** What the servers named (all when none is) offer; a server that did not start is told by its status. */
  readonly list: (servers?: readonly string[]) => Promise<Result<ToolListing>>;
  /** `tools/call` for one node; `listing` is what the gate takes for bound. Never throws. */
  readonly forNode: (scope: CallScope, listing: ToolListing) => CallTool;
}

export interface CallToolDeps {
  readonly tools: Tools;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly approvals: Approvals;
  readonly rates: RateMeter;
  readonly checkSchema: SchemaCheck;
}

/** At most this many calls of a node are under way; the others wait their turn. */
const callsAtOnce = 32;

const cancelled = (tool: string): AppError =>
  appError('HOST', 'CANCELLED', 'The call was cancelled.', { tool });

/** The one place that is handed the tools: nothing reaches a server without passing the gate. */
export function createCallTool(deps: CallToolDeps): ToolCalls {
  return {
    list: async (servers) => {
      const listed = await deps.tools.list(servers);
      return listed.ok ? ok({ tools: listed.value, servers: deps.tools.servers() }) : listed;
    },
    forNode: (scope, listing) => nodeCalls(deps, scope, listing),
  };
}

function nodeCalls(deps: CallToolDeps, scope: CallScope, listing: ToolListing): CallTool {
  const byName = new Map(listing.tools.map((definition) => [definition.uri, definition]));
  const turns = createTurns(callsAtOnce);
  const approvedOnce = new Set<string>();
  let attempts = 0;
  const attempt = async (tool: string, args: Json, signal: AbortSignal): Promise<Result<Json>> => {
    const callsLeftInNode = scope.callsAllowed - attempts;
    const callsLeftInRun = scope.callsLeftInRun();
    attempts += 1;
    scope.onAttempt();
    if (signal.aborted) return err(cancelled(tool));
    const context: GateContext = {
      lists: scope.lists,
      tools: byName,
      declared: scope.declared,
      capabilities: scope.capabilities,
      checkSchema: deps.checkSchema,
      callsLeftInNode,
      callsLeftInRun,
      rateWaitMs: deps.rates.waitMs,
      approved: (hash) => approvedOnce.has(hash),
      ...(scope.recorded && { recorded: scope.recorded }),
    };
    const callId = deps.ids.next('call');
    const started = deps.clock.elapsed();
    const passing = { deps, scope, context, approvedOnce };
    const result = await pass(passing, { tool, args, callId }, signal);
    settle(passing, { tool, args, callId, started }, result);
    return result;
  };
  return async (tool, args, signal) => {
    const done = await turns.take();
    try {
      return await attempt(tool, args ?? {}, signal);
    } finally {
      done();
    }
  };
}

interface Passing {
  readonly deps: CallToolDeps;
  readonly scope: CallScope;
  readonly context: GateContext;
  readonly approvedOnce: Set<string>;
}
interface Attempt {
  readonly tool: string;
  readonly args: Json;
  readonly callId: string;
}

async function pass(passing: Passing, attempt: Attempt, signal: AbortSignal): Promise<Result<Json>> {
  const { deps, scope, context, approvedOnce } = passing;
  const { tool, args, callId } = attempt;
  if (!isObject(args)) {
    const message = `${tool}: arguments must be one object.`;
    return err(appError('TOOL', 'INVALID_ARGUMENTS', message, { layer: 'arguments', tool }));
  }
  const call: GateCall = { tool, arguments: args, hash: canonicalHash({ tool, arguments: args }) };
  let verdict = judgeCall(call, context);
  if (verdict.type === 'ask') {
    const refusal = await askForApproval(deps, scope, call, signal);
    if (refusal) return err(refusal);
    approvedOnce.add(call.hash);
    verdict = judgeCall(call, context);
    approvedOnce.delete(call.hash);
  }
  if (verdict.type === 'deny') return err(verdict.error);
  if (signal.aborted) return err(cancelled(tool));
  return dispatch(passing, { call, callId }, signal);
}

async function dispatch(
  { deps, scope, context }: Passing,
  { call, callId }: { readonly call: GateCall; readonly callId: string },
  signal: AbortSignal,
): Promise<Result<Json>> {
  const { turn, runId, nodeId } = scope;
  const { tool, hash } = call;
  if (context.recorded?.needed(call, isWrite(call, context)) && !context.recorded.use(hash)) {
    return err(appError('HOST', 'STORAGE', 'The approval could not be recorded as used.', { tool }));
  }
  if (isWrite(call, context)) {
    const intent = { turn, runId, nodeId, callId, tool, arguments: call.arguments, hash };
    if (!scope.facts.record([{ type: 'write-intended', ...intent }])) {
      return err(
        appError('HOST', 'STORAGE', 'The write was not made: its intent could not be recorded.', { tool }),
      );
    }
  }
  deps.rates.count(tool);
  const result = await deps.tools.call(tool, call.arguments, signal);
  return result.ok ? result : err({ ...result.error, tool });
}

/** Asks as the run's policy says; gives the refusal, or null when the call was approved. */
async function askForApproval(
  deps: CallToolDeps,
  scope: CallScope,
  call: GateCall,
  signal: AbortSignal,
): Promise<AppError | null> {
  const { tool, hash } = call;
  const question = {
    turn: scope.turn,
    runId: scope.runId,
    nodeId: scope.nodeId,
    tool,
    arguments: call.arguments,
    hash,
  };
  const outcome = await askUser({ ...deps, ...scope }, question, signal);
  if (outcome === 'approved') return null;
  if (outcome === 'withdrawn') return cancelled(tool);
  const hint = scope.approve === 'none' ? 'This run approves no writes.' : undefined;
  const more = { layer: 'approval', tool, ...(hint && { hint }) };
  return appError('POLICY', 'APPROVAL_DENIED', `${tool} was not approved.`, more);
}

function settle(
  { deps, scope, context }: Passing,
  done: Attempt & { readonly started: number },
  result: Result<Json>,
): void {
  const ms = Math.max(0, deps.clock.elapsed() - done.started);
  const call = callRecord({ callId: done.callId, tool: done.tool, arguments: done.args, ms }, result);
  const { turn, runId, nodeId } = scope;
  const fact = { type: 'tool-called' as const, turn, runId, nodeId, call };
  const write = isObject(done.args) && isWrite({ tool: done.tool, arguments: done.args }, context);
  if (write) scope.facts.record([fact]);
  else scope.facts.add(fact);
  if (!result.ok && result.error.kind === 'BUDGET') scope.onBreach(result.error);
}

/** Lets at most `limit` holders in at once; the rest wait in order. */
function createTurns(limit: number): { readonly take: () => Promise<() => void> } {
  let free = limit;
  const waiting: (() => void)[] = [];
  const give = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    take: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return give;
    },
  };
}
