import { appError, type AppError } from '#shared/app-error';
import type { Grant } from '#shared/grant';
import { isObject, type Json } from '#shared/json';
import { writeTarget } from '#shared/ledger';
import { err, ok, type Result } from '#shared/result';
import type { CallTool } from '../ports/sandbox';
import { createApprovalBatcher, type ApprovalBatcher } from './approval-batcher';
import type { CallScope, CallToolDeps, ToolListing } from './call-scope';
import { callRecord } from './call-record';
import { canonicalHash } from './canonical-hash';
import { isWrite, judgeCall, type GateCall, type GateContext } from './gate';
import { dispatchRead, dispatchWrite, type DispatchContext, type DispatchResult } from './dispatch-call';
import { writeNotRepeated } from './unknown-outcome';
import { findSavedPermission, type SavedPermission } from './grants';
import { isPinned } from './pins';

/** Maximum number of concurrent server calls of one node; further calls wait in a queue. */
const maxConcurrentCalls = 32;

/** Longer results of writes are not recorded; a resumed run reads null for them. */
const maxStoredResultBytes = 65_536;

const cancelled = (tool: string): AppError =>
  appError('HOST', 'CANCELLED', 'The call was cancelled.', { tool });

/** The context of one call; `context` is the gate's view when the call was made. */
interface CallContext extends DispatchContext {
  readonly approvalBatcher: ApprovalBatcher;
  readonly acquireSlot: () => Promise<() => void>;
  readonly callId: string;
}

/** The outcome of a call; `arguments` are those it ran with, which the user may have edited. */
interface CallOutcome {
  readonly arguments: Json;
  readonly result: Result<Json>;
  /** An earlier attempt of the same node made this write; no call was made now. */
  readonly replayed?: boolean;
  readonly allowedBy?: Grant | undefined;
  readonly cached?: boolean | undefined;
}

function readCall(tool: string, args: Json): Result<GateCall> {
  if (isObject(args)) {
    return ok({ tool, arguments: args, hash: canonicalHash({ tool, arguments: args }) });
  }
  const message = `${tool}: arguments must be one object.`;
  return err(appError('TOOL', 'INVALID_ARGUMENTS', message, { layer: 'arguments', tool }));
}

/** The saved permission that applies to a call now; untrusted text in the node rules out an `allow`. */
function savedPermissionFor(
  { savedPermissions }: CallToolDeps,
  scope: CallScope,
  tools: GateContext['tools'],
) {
  const { sessionId, runId, origins } = scope;
  return ({ tool, arguments: args }: GateCall): SavedPermission | null => {
    if (!savedPermissions) return null;
    const tainted = origins.all().some(({ trusted }) => !trusted);
    const place = { project: savedPermissions.project, sessionId, runId };
    const known = tools.get(tool);
    const definition = known && isPinned(known) ? known.hash : undefined;
    return findSavedPermission(savedPermissions.grants(), {
      tool,
      arguments: args,
      definition,
      tainted,
      context: place,
    });
  };
}

/** Sends every call of one node through the gate; one card shows all questions that wait at the same time. */
export function createNodeCallTool(deps: CallToolDeps, scope: CallScope, listing: ToolListing): CallTool {
  const byName = new Map(listing.tools.map((definition) => [definition.uri, definition]));
  const semaphore = createSemaphore(maxConcurrentCalls);
  const approvalBatcher = createApprovalBatcher({ ...deps, ...scope });
  let attempts = 0;
  const contextNow = (): GateContext => ({
    lists: scope.lists,
    tools: byName,
    declared: scope.declared,
    capabilities: scope.capabilities,
    checkSchema: deps.checkSchema,
    callsLeftInNode: scope.callsAllowed - attempts,
    callsLeftInRun: scope.callsLeftInRun(),
    rateWaitMs: deps.rates.waitMs,
    approved: () => false,
    ...(scope.constraints && { constraints: scope.constraints }),
    ...(scope.recorded && { recorded: scope.recorded }),
    savedPermission: savedPermissionFor(deps, scope, byName),
  });
  return async (tool, args, signal) => {
    const callEnded = approvalBatcher.trackCall();
    const context = contextNow();
    attempts += 1;
    scope.onAttempt();
    const callId = deps.ids.next('call');
    const started = deps.clock.elapsed();
    const callContext = {
      deps,
      scope,
      context,
      approvalBatcher,
      acquireSlot: semaphore.acquire,
      callId,
      signal,
    };
    try {
      const outcome = await judgeAndDispatch(callContext, tool, args ?? {});
      recordOutcome(callContext, { tool, started }, outcome);
      return outcome.result;
    } finally {
      callEnded();
    }
  };
}

async function judgeAndDispatch(callContext: CallContext, tool: string, args: Json): Promise<CallOutcome> {
  const read = readCall(tool, args);
  if (!read.ok) return { arguments: args, result: read };
  if (callContext.signal.aborted) return { arguments: args, result: err(cancelled(tool)) };
  const first = judgeCall(read.value, callContext.context);
  if (first.type === 'deny') return { arguments: args, result: err(first.error) };
  const before =
    isWrite(read.value, callContext.context) && callContext.scope.writes.findCompleted(read.value.hash);
  if (before) return { arguments: args, result: ok(before.result), replayed: true };
  if (callContext.scope.writes.isOutcomeUnknown(read.value.hash))
    return { arguments: args, result: err(writeNotRepeated(tool)) };
  if (first.type === 'allow') {
    const made = await dispatch(callContext, read.value, callContext.context);
    return { arguments: args, ...made, allowedBy: first.by };
  }
  const asked = await askForApproval(callContext, read.value);
  if (!asked.ok) return { arguments: args, result: asked };
  const { hash } = asked.value;
  // The approval covers this hash and this one call.
  const context = { ...callContext.context, approved: (other: string) => other === hash };
  return { arguments: asked.value.arguments, ...(await dispatch(callContext, asked.value, context)) };
}

/** Judges the call again once it has a slot: other calls may have used up the rate in the meantime. */
async function dispatch(
  callContext: CallContext,
  call: GateCall,
  context: GateContext,
): Promise<DispatchResult> {
  const { signal, acquireSlot } = callContext;
  const { tool } = call;
  const done = await acquireSlot();
  try {
    const verdict = judgeCall(call, context);
    if (verdict.type === 'deny') return { result: err(verdict.error) };
    if (verdict.type === 'ask' || signal.aborted) return { result: err(cancelled(tool)) };
    const refused = recordIntent(callContext, call, context);
    if (refused) return { result: err(refused) };
    return await (isWrite(call, context)
      ? dispatchWrite(callContext, call)
      : dispatchRead(callContext, call));
  } finally {
    done();
  }
}

/** Records the used approval and the intent to write before the call is made. */
function recordIntent({ scope, callId }: CallContext, call: GateCall, context: GateContext): AppError | null {
  const { tool, hash } = call;
  const write = isWrite(call, context);
  if (context.recorded?.needed(call, write) && !context.recorded.use(hash)) return useNotRecorded(tool);
  if (!write) return null;
  const { turn, runId, nodeId } = scope;
  const intent = { turn, runId, nodeId, callId, tool, arguments: call.arguments, hash };
  return scope.facts.record([{ type: 'write-intended', ...intent }]) ? null : intentNotRecorded(tool);
}

const useNotRecorded = (tool: string): AppError =>
  appError('HOST', 'STORAGE', 'The approval could not be recorded as used.', { tool });

const intentNotRecorded = (tool: string): AppError =>
  appError('HOST', 'STORAGE', 'The write was not made: its intent could not be recorded.', { tool });

/** The call as the user approved it, possibly with edited arguments, or the refusal. */
async function askForApproval(
  { scope, context, approvalBatcher, signal }: CallContext,
  call: GateCall,
): Promise<Result<GateCall>> {
  const { tool } = call;
  const { turn, runId, nodeId, asksAt = nodeId } = scope;
  const check = (args: Json): Result<GateCall> => {
    const read = readCall(tool, args);
    if (!read.ok) return read;
    const verdict = judgeCall(read.value, context);
    return verdict.type === 'deny' ? err(verdict.error) : read;
  };
  const before = scope.writes.findAnswer(call.hash);
  if (before === true) return ok(call);
  if (before === false) return err(denied(tool));
  const origins = scope.origins.all();
  const question = { turn, runId, nodeId: asksAt, ...call, ...(origins.length > 0 && { origins }) };
  const { answer, arguments: args } = await approvalBatcher.ask(question, signal, (edited) => {
    const checked = check(edited);
    return checked.ok ? ok({ arguments: checked.value.arguments, hash: checked.value.hash }) : checked;
  });
  if (answer === 'approved') return readCall(tool, args);
  if (answer === 'withdrawn') return err(cancelled(tool));
  return err(denied(tool, scope.approve === 'none' ? 'This run approves no writes.' : undefined));
}

function denied(tool: string, hint?: string): AppError {
  const more = { layer: 'approval', tool, ...(hint !== undefined && { hint }) };
  return appError('POLICY', 'APPROVAL_DENIED', `${tool} was not approved.`, more);
}

/** The record of a write that a gate layer refused; null when the write failed or was cancelled instead. */
function refusalOf(tool: string, { kind, code, layer }: AppError, args: Json) {
  return layer === undefined ? null : { tool, target: writeTarget(args), layer, code: `${kind}/${code}` };
}

function storedResult(result: Result<Json>, bytes: number): { readonly result?: Json } {
  return result.ok && bytes <= maxStoredResultBytes ? { result: result.value } : {};
}

/** Taints the node with this tool's origin; error text counts as tool output. */
function taintNode(scope: CallScope, { tools }: GateContext, tool: string, result: Result<Json>): void {
  if (!result.ok && result.error.kind !== 'TOOL') return;
  scope.origins.add({ source: tool, nodeId: scope.nodeId, trusted: tools.get(tool)?.trusted === true });
}

function recordOutcome(
  { deps, scope, context, callId }: CallContext,
  { tool, started }: { readonly tool: string; readonly started: number },
  { arguments: args, result, replayed = false, allowedBy, cached }: CallOutcome,
): void {
  if (replayed) return;
  const ms = Math.max(0, deps.clock.elapsed() - started);
  const call = callRecord({ callId, tool, arguments: args, ms, allowedBy, cached }, result);
  const { turn, runId, nodeId } = scope;
  const write = isWrite({ tool, arguments: isObject(args) ? args : {} }, context);
  const fact = { type: 'tool-called' as const, turn, runId, nodeId, call };
  // A call of an unknown tool is not a write: nothing could have been written.
  const refusal = write && !result.ok && context.tools.has(tool) ? refusalOf(tool, result.error, args) : null;
  if (refusal) {
    scope.facts.record([fact, { type: 'write-refused', turn, runId, nodeId, callId, ...refusal }]);
    scope.writes.refused();
  } else if (write) scope.facts.record([{ ...fact, ...storedResult(result, call.bytes) }]);
  else scope.facts.add(fact);
  taintNode(scope, context, tool, result);
  if (!result.ok && result.error.kind === 'BUDGET') scope.onBreach(result.error);
}

/** Admits at most `limit` holders at a time; the others wait in order. */
export function createSemaphore(limit: number): { readonly acquire: () => Promise<() => void> } {
  let free = limit;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return {
    acquire: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return release;
    },
  };
}
