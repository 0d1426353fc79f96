import { appError, type AppError } from '#shared/app-error';
import type { Grant } from '#shared/grant';
import { isObject, type Json } from '#shared/json';
import { writeTarget } from '#shared/ledger';
import { err, ok, type Result } from '#shared/result';
import type { CallTool } from '../ports/sandbox';
import { createAskDesk, type AskDesk } from './ask-user';
import type { CallScope, CallToolDeps, ToolListing } from './call-scope';
import { callRecord } from './call-record';
import { canonicalHash } from './canonical-hash';
import { isWrite, judgeCall, type GateCall, type GateContext } from './gate';
import { callToRead, callToWrite, type Making, type Dispatched } from './make-call';
import { notAgain } from './unseen-end';
import { standingAnswer, type StandingAnswer } from './grants';
import { isPinned } from './pins';

/** At most this many calls of a node are with their servers; the others wait their turn. */
const callsAtOnce = 32;

/** Longer results of writes are not kept in the record; a run that goes on is given null for them. */
const keptResultBytes = 65_536;

const cancelled = (tool: string): AppError =>
  appError('HOST', 'CANCELLED', 'The call was cancelled.', { tool });

/** What one call passes with; `context` is the gate's view at the moment the call was made. */
interface Passing extends Making {
  readonly desk: AskDesk;
  readonly takeTurn: () => Promise<() => void>;
  readonly callId: string;
}

/** How a call came out; `arguments` are those it was made with, which an edit may have changed. */
interface Passed {
  readonly arguments: Json;
  readonly result: Result<Json>;
  /** Made by an earlier attempt of the same node: nothing was called now. */
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

/** What the user's standing answers say about a call of this node now: what it has read may forbid a yes. */
function standingFor({ standing }: CallToolDeps, scope: CallScope, tools: GateContext['tools']) {
  const { sessionId, runId, origins } = scope;
  return ({ tool, arguments: args }: GateCall): StandingAnswer | null => {
    if (!standing) return null;
    const tainted = origins.all().some(({ trusted }) => !trusted);
    const place = { project: standing.project, sessionId, runId };
    const known = tools.get(tool);
    const definition = known && isPinned(known) ? known.hash : undefined;
    return standingAnswer(standing.grants(), { tool, arguments: args, definition, tainted, place });
  };
}

/** Every call of one node, through the gate; what waits for the user at the same time is asked on one card. */
export function nodeCalls(deps: CallToolDeps, scope: CallScope, listing: ToolListing): CallTool {
  const byName = new Map(listing.tools.map((definition) => [definition.uri, definition]));
  const turns = createTurns(callsAtOnce);
  const desk = createAskDesk({ ...deps, ...scope });
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
    standing: standingFor(deps, scope, byName),
  });
  return async (tool, args, signal) => {
    const over = desk.began();
    const context = contextNow();
    attempts += 1;
    scope.onAttempt();
    const callId = deps.ids.next('call');
    const started = deps.clock.elapsed();
    const passing = { deps, scope, context, desk, takeTurn: turns.take, callId, signal };
    try {
      const passed = await pass(passing, tool, args ?? {});
      settle(passing, { tool, started }, passed);
      return passed.result;
    } finally {
      over();
    }
  };
}

async function pass(passing: Passing, tool: string, args: Json): Promise<Passed> {
  const read = readCall(tool, args);
  if (!read.ok) return { arguments: args, result: read };
  if (passing.signal.aborted) return { arguments: args, result: err(cancelled(tool)) };
  const first = judgeCall(read.value, passing.context);
  if (first.type === 'deny') return { arguments: args, result: err(first.error) };
  const before = isWrite(read.value, passing.context) && passing.scope.writes.madeBefore(read.value.hash);
  if (before) return { arguments: args, result: ok(before.result), replayed: true };
  if (passing.scope.writes.unseen(read.value.hash)) return { arguments: args, result: err(notAgain(tool)) };
  if (first.type === 'allow') {
    const made = await dispatch(passing, read.value, passing.context);
    return { arguments: args, ...made, allowedBy: first.by };
  }
  const asked = await askForApproval(passing, read.value);
  if (!asked.ok) return { arguments: args, result: asked };
  const { hash } = asked.value;
  // The yes is for this hash and this one call.
  const context = { ...passing.context, approved: (other: string) => other === hash };
  return { arguments: asked.value.arguments, ...(await dispatch(passing, asked.value, context)) };
}

/** Judged once more with its turn in hand: while it waited, others may have used the rate up. */
async function dispatch(passing: Passing, call: GateCall, context: GateContext): Promise<Dispatched> {
  const { signal, takeTurn } = passing;
  const { tool } = call;
  const done = await takeTurn();
  try {
    const verdict = judgeCall(call, context);
    if (verdict.type === 'deny') return { result: err(verdict.error) };
    if (verdict.type === 'ask' || signal.aborted) return { result: err(cancelled(tool)) };
    const refused = announce(passing, call, context);
    if (refused) return { result: err(refused) };
    return await (isWrite(call, context) ? callToWrite(passing, call) : callToRead(passing, call));
  } finally {
    done();
  }
}

/** Puts on record what must be there before the call is made: the yes it uses up, and that it writes. */
function announce({ scope, callId }: Passing, call: GateCall, context: GateContext): AppError | null {
  const { tool, hash } = call;
  const write = isWrite(call, context);
  if (context.recorded?.needed(call, write) && !context.recorded.use(hash)) return notUsed(tool);
  if (!write) return null;
  const { turn, runId, nodeId } = scope;
  const intent = { turn, runId, nodeId, callId, tool, arguments: call.arguments, hash };
  return scope.facts.record([{ type: 'write-intended', ...intent }]) ? null : notAnnounced(tool);
}

const notUsed = (tool: string): AppError =>
  appError('HOST', 'STORAGE', 'The approval could not be recorded as used.', { tool });

const notAnnounced = (tool: string): AppError =>
  appError('HOST', 'STORAGE', 'The write was not made: its intent could not be recorded.', { tool });

/** The call as the user approved it, perhaps with other arguments, or the refusal. */
async function askForApproval(
  { scope, context, desk, signal }: Passing,
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
  const before = scope.writes.answeredBefore(call.hash);
  if (before === true) return ok(call);
  if (before === false) return err(denied(tool));
  const origins = scope.origins.all();
  const question = { turn, runId, nodeId: asksAt, ...call, ...(origins.length > 0 && { origins }) };
  const { answer, arguments: args } = await desk.ask(question, signal, (edited) => {
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

/** What is recorded of a write that a layer of the gate refused; null when none did: then it failed, or was called off. */
function refusalOf(tool: string, { kind, code, layer }: AppError, args: Json) {
  return layer === undefined ? null : { tool, target: writeTarget(args), layer, code: `${kind}/${code}` };
}

function keptResult(result: Result<Json>, bytes: number): { readonly result?: Json } {
  return result.ok && bytes <= keptResultBytes ? { result: result.value } : {};
}

/** From now on the node's hands hold what the tool said; an error's text is its server's as well. */
function noteOrigin(scope: CallScope, { tools }: GateContext, tool: string, result: Result<Json>): void {
  if (!result.ok && result.error.kind !== 'TOOL') return;
  scope.origins.add({ source: tool, nodeId: scope.nodeId, trusted: tools.get(tool)?.trusted === true });
}

function settle(
  { deps, scope, context, callId }: Passing,
  { tool, started }: { readonly tool: string; readonly started: number },
  { arguments: args, result, replayed = false, allowedBy, cached }: Passed,
): void {
  if (replayed) return;
  const ms = Math.max(0, deps.clock.elapsed() - started);
  const call = callRecord({ callId, tool, arguments: args, ms, allowedBy, cached }, result);
  const { turn, runId, nodeId } = scope;
  const write = isWrite({ tool, arguments: isObject(args) ? args : {} }, context);
  const fact = { type: 'tool-called' as const, turn, runId, nodeId, call };
  // A name that no tool has is no write: nothing could have been written.
  const refusal = write && !result.ok && context.tools.has(tool) ? refusalOf(tool, result.error, args) : null;
  if (refusal) {
    scope.facts.record([fact, { type: 'write-refused', turn, runId, nodeId, callId, ...refusal }]);
    scope.writes.refused();
  } else if (write) scope.facts.record([{ ...fact, ...keptResult(result, call.bytes) }]);
  else scope.facts.add(fact);
  noteOrigin(scope, context, tool, result);
  if (!result.ok && result.error.kind === 'BUDGET') scope.onBreach(result.error);
}

/** Lets at most `limit` holders in at once; the rest wait in order. */
export function createTurns(limit: number): { readonly take: () => Promise<() => void> } {
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
