import { appError, type AppError } from '#shared/app-error';
import type { DataFlow } from '#shared/data-flow';
import { undoOf, type FileChange } from '#shared/file-change';
import { pathArguments, type Grant } from '#shared/grant';
import { isObject, parseJson, type Json, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { isUndoableTool, type PathState } from '#shared/undo';
import type { CallRecord } from '#shared/session-event';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { Clock } from '../ports/clock';
import type { DiscoveryMode } from '../ports/discovery-mode';
import type { Ids } from '../ports/ids';
import type { ModelTool } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import type { ToolLists } from '../ports/tool-lists';
import { answerOf, type ApprovalResult } from './approvals';
import { callRecord, recordOutcome } from './call-record';
import type { CallRecorder, CallScope, ToolListing } from './call-scope';
import { canonicalHash } from './canonical-hash';
import { fileChangeOf } from './file-change';
import { isWrite, judgeCall, type GateCall, type GateContext } from './gate';
import { findSavedPermission, type GrantedCall } from './grants';
import { isPinned } from './pins';
import { createRateMeter, type RateMeter } from './rate-meter';
import type { SchemaCheck } from './schema-check';
import { createBuiltInTools, listServerTools, type KnownBuiltInTool, type ServerAccess } from './tool-table';
import type { WriteKey } from './node-writes';
import type { SavedWrite } from './write-history';
import { effectOf, replacesTarget, targetsOf } from './write-targets';
import { toReadError, toWriteError, writeNotRepeated } from './unknown-outcome';

/** A call of a tool by its name in the scope. */
interface ToolCall {
  readonly tool: string;
  readonly arguments: Json;
  /** The arguments as a model or a person wrote them, for a built-in tool that reports their errors itself. */
  readonly argumentsJson?: string;
}

/** The result of a call and its record; the result of a built-in tool is a text. */
export interface CallOutcome {
  readonly result: Result<Json>;
  readonly record: CallRecord;
}

/** Calls every tool of Patina: its own and those of servers. */
export interface ToolCalls {
  /**
   * The one path of a tool call: the gate judges it in its scope, then the tool runs. Never throws. Refusals:
   * POLICY/CAPABILITY_DENIED and POLICY/APPROVAL_DENIED with their layer, TOOL/NOT_FOUND,
   * TOOL/INVALID_ARGUMENTS, BUDGET/TOOL_CALLS, POLICY/RATE_LIMITED.
   */
  callTool(scope: CallScope, call: ToolCall, signal: AbortSignal): Promise<CallOutcome>;
  /** Lists the tools of a project's servers, of the named ones or of all. */
  list(project: string, servers?: readonly string[], how?: DiscoveryMode): Promise<Result<ToolListing>>;
  /** Adds built-in tools. A model is offered them in the order of their additions. */
  add(tools: readonly BuiltInTool[]): void;
  /** The built-in tools offered to a model under these lists. */
  offered(lists: ToolLists): readonly ModelTool[];
  /** A built-in tool of this name. */
  find(name: string): KnownBuiltInTool | undefined;
  /** The built-in tools in the order in which they were added. */
  builtInTools(): readonly KnownBuiltInTool[];
}

export interface ToolCallsDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly checkSchema: SchemaCheck;
  /** The servers of a project folder; nothing starts before the first call. */
  readonly servers: (project: string) => Promise<ServerAccess>;
}

/** A call whose arguments are JSON text; blank text means no arguments. */
export function writtenCall(tool: string, argumentsJson: string): ToolCall {
  const parsed = parseJson(argumentsJson);
  return { tool, arguments: parsed.ok ? parsed.value : argumentsJson, argumentsJson };
}

/** The result of a call as text; the result of a built-in tool is one already. */
export function resultText({ result }: CallOutcome): Result<string> {
  if (!result.ok) return result;
  return ok(typeof result.value === 'string' ? result.value : JSON.stringify(result.value));
}

/** The context of one call; `gate` is the gate's view when the call was made. */
interface CallContext {
  readonly clock: Clock;
  readonly rates: RateMeter;
  readonly scope: CallScope;
  readonly gate: GateContext;
  readonly callId: string;
  /** Counts calls in the order in which they were made. */
  readonly order: number;
  readonly signal: AbortSignal;
  /** The built-in tool that is called. */
  readonly builtIn: BuiltInTool | undefined;
  /** The servers of the scope; null for built-in tools. */
  readonly servers: ServerAccess | null;
  readonly argumentsJson: string;
  /** Runs approved file writes one after another. */
  readonly fileWrites: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A dispatched call; `cached`: no call was made. */
interface DispatchResult {
  readonly result: Result<Json>;
  readonly cached?: boolean;
  /** What a write left in the paths that it changed. */
  readonly after?: readonly PathState[] | undefined;
}

/** An ended call; `arguments` are those it ran with, which the user may have edited. */
interface EndedCall extends DispatchResult {
  readonly arguments: Json;
  /** An earlier attempt of the same node made this write; no call was made now. */
  readonly replayed?: boolean;
  /** The user refused it and said what to do instead. */
  readonly answered?: true;
  readonly allowedBy?: Grant | undefined;
}

const cancelled = (tool: string): AppError =>
  appError('HOST', 'CANCELLED', 'The call was cancelled.', { tool });

/** The only function that receives the tools, so no call reaches one without passing the gate. */
export function createToolCalls(deps: ToolCallsDeps): ToolCalls {
  const { clock, ids, checkSchema } = deps;
  const builtIns = createBuiltInTools();
  const rates = createRateMeter(clock);
  const fileWrites = createSequence();
  let calls = 0;

  const gateContext = (
    scope: CallScope,
    tools: GateContext['tools'],
    builtIn: BuiltInTool | undefined,
    servers: ServerAccess | null,
    paths: GrantedCall['paths'],
  ): GateContext => {
    const left = scope.budget?.callsLeft() ?? { inNode: 1, inRun: 1 };
    // A tool that asks the user itself shows more than its arguments, so recorded approvals do not apply.
    const recorded = builtIn?.asksItself ? undefined : scope.recorded;
    return {
      lists: scope.tools ? scope.lists : builtIns.withAlways(scope.lists),
      tools,
      ...(scope.declared && { declared: scope.declared }),
      capabilities: scope.capabilities,
      ...(scope.constraints && { constraints: scope.constraints }),
      checkSchema,
      callsLeftInNode: left.inNode,
      callsLeftInRun: left.inRun,
      rateWaitMs: rates.waitMs,
      approved: () => false,
      ...(recorded && { recorded }),
      ...(scope.recorder && { dataFlows: flowsOf(scope.recorder) }),
      ...(servers && { savedPermission: savedPermissionFor(servers, scope, tools, paths) }),
    };
  };

  /** The context of a call as it begins; an attempt counts, whatever the gate says. */
  const begin = async (scope: CallScope, call: ToolCall, signal: AbortSignal): Promise<CallContext> => {
    const order = (calls += 1);
    const tools = scope.tools ?? builtIns.definitionsFor(scope.actor);
    const builtIn = scope.tools ? undefined : builtIns.find(call.tool);
    const servers = scope.project === null ? null : await deps.servers(scope.project);
    const paths = await resolvePaths(servers, tools.get(call.tool), call.arguments);
    const gate = gateContext(scope, tools, builtIn, servers, paths);
    scope.budget?.onAttempt();
    const argumentsJson = call.argumentsJson?.trim() || '{}';
    const callId = ids.next('call');
    return { clock, rates, scope, gate, callId, order, signal, builtIn, servers, argumentsJson, fileWrites };
  };

  const callTool: ToolCalls['callTool'] = async (scope, call, signal) => {
    const callEnded = scope.approvals?.trackCall();
    try {
      const context = await begin(scope, call, signal);
      const run = (): Promise<CallOutcome> => judgeAndRecord(context, call);
      return await (context.servers?.track?.(run) ?? run());
    } finally {
      callEnded?.();
    }
  };

  return {
    callTool,
    async list(project, names, how = 'needed') {
      const servers = await deps.servers(project);
      const list = () => listServerTools(servers, names, how);
      return servers.track?.(list) ?? list();
    },
    add: builtIns.add,
    offered: builtIns.offered,
    find: builtIns.find,
    builtInTools: builtIns.all,
  };
}

async function judgeAndRecord(context: CallContext, call: ToolCall): Promise<CallOutcome> {
  const { clock, scope, gate, callId, servers } = context;
  const { tool } = call;
  const started = clock.elapsed();
  const ended = await judgeAndDispatch(context, call);
  const { arguments: args, result, allowedBy, cached, replayed } = ended;
  const ms = Math.max(0, clock.elapsed() - started);
  const record = callRecord({ callId, tool, arguments: args, ms, allowedBy, cached }, result);
  if (!replayed) recordOutcome(scope, gate, { ...ended, tool }, record);
  const definition = gate.tools.get(tool);
  if (result.ok && definition) servers?.onResult?.(definition, result.value);
  if (result.ok && definition?.readOnly) scope.recorder?.names?.note(tool, result.value);
  return { result, record };
}

/** The flows of a call that nobody has allowed; a call is compared once, however often it is judged. */
function flowsOf({ flows, origins, shown = [] }: CallRecorder): NonNullable<GateContext['dataFlows']> {
  const compared = new Map<string, readonly DataFlow[]>();
  return (call) => {
    const known = compared.get(call.hash);
    if (known) return known;
    const found = flows?.undecided(call, { origins: origins.all(), shown }) ?? [];
    compared.set(call.hash, found);
    return found;
  };
}

const writesFiles = (definition: ToolDefinition): boolean =>
  definition.bundled === 'filesystem' || isUndoableTool(definition);

/** Where the paths of a call lead; absent without a permission that depends on it. */
async function resolvePaths(
  servers: ServerAccess | null,
  definition: ToolDefinition | undefined,
  args: Json,
): Promise<GrantedCall['paths']> {
  const { resolvePath, savedPermissions } = servers ?? {};
  if (!definition || !writesFiles(definition) || !resolvePath || !isObject(args)) return undefined;
  if (!savedPermissions?.grants().some(({ tool }) => tool === definition.uri)) return undefined;
  const named = pathArguments.flatMap((name) => {
    const written = args[name];
    return typeof written === 'string' ? [{ name, written }] : [];
  });
  const resolved = named.map(async ({ name, written }) => {
    return [name, { written, real: await resolvePath(written) }] as const;
  });
  return new Map(await Promise.all(resolved));
}

/** The saved permission that applies to a call now; untrusted text in the node rules out an `allow`. */
function savedPermissionFor(
  { savedPermissions }: ServerAccess,
  { sessionId, recorder }: CallScope,
  tools: GateContext['tools'],
  paths: GrantedCall['paths'],
): NonNullable<GateContext['savedPermission']> {
  return ({ tool, arguments: args }) => {
    if (!savedPermissions || !recorder) return null;
    const tainted = recorder.origins.all().some(({ trusted }) => !trusted);
    const { runId, stage } = recorder;
    const context = { project: savedPermissions.project, sessionId: sessionId ?? undefined, runId, stage };
    const known = tools.get(tool);
    const definition = known && isPinned(known) ? known.hash : undefined;
    return findSavedPermission(savedPermissions.grants(), {
      tool,
      arguments: args,
      definition,
      tainted,
      context,
      ...(paths && { paths }),
    });
  };
}

/** The call as the gate judges it. */
function readCall(
  { tool, arguments: args, argumentsJson }: ToolCall,
  builtIn: BuiltInTool | undefined,
): Result<GateCall> {
  const value = argumentsJson?.trim() === '' ? {} : args;
  const judged = isObject(value) ? value : builtIn?.answersArguments ? {} : undefined;
  if (judged) return ok(gateCall(tool, judged));
  const form =
    argumentsJson === undefined ? 'arguments must be one object.' : 'the arguments must be one JSON object.';
  return err(appError('TOOL', 'INVALID_ARGUMENTS', `${tool}: ${form}`, { layer: 'arguments', tool }));
}

const gateCall = (tool: string, args: JsonObject): GateCall => ({
  tool,
  arguments: args,
  hash: canonicalHash({ tool, arguments: args }),
});

async function judgeAndDispatch(context: CallContext, called: ToolCall): Promise<EndedCall> {
  const { gate, scope, signal } = context;
  const { tool, arguments: args } = called;
  const ended = (result: Result<Json>): EndedCall => ({ arguments: args, result });
  const read = readCall(called, context.builtIn);
  if (!read.ok) return ended(read);
  const call = read.value;
  if (signal.aborted) return ended(err(cancelled(tool)));
  const first = judgeCall(call, gate);
  if (first.type === 'deny') return ended(err(first.error));
  const writes = scope.recorder?.writes;
  const before = isWrite(call, gate) ? writes?.findCompleted(writeKey(context, call)) : null;
  if (before) return { ...ended(ok(before.result)), replayed: true };
  if (writes?.isOutcomeUnknown(call.hash)) return ended(err(writeNotRepeated(tool)));
  if (first.type === 'allow') {
    const made = await dispatch(context, call, gate);
    return { arguments: args, ...made, allowedBy: first.by };
  }
  return askAndDispatch(context, call, first.flows);
}

/** What the run's other writes know a write by. */
function writeKey({ gate, scope }: CallContext, { tool, arguments: args, hash }: GateCall): WriteKey {
  const replaces = replacesTarget(tool, gate.tools.get(tool));
  if (!replaces) return { hash, targets: [] };
  return { hash, targets: targetsOf(tool, args, scope.project), effect: effectOf(tool, args) };
}

/** Asks until the user refuses or the file at the call is the one that the user saw. */
async function askAndDispatch(
  context: CallContext,
  called: GateCall,
  flows: readonly DataFlow[],
): Promise<EndedCall> {
  let call = called;
  for (let fileChanged = false; ; fileChanged = true) {
    const approval = await askForApproval(context, {
      ...(await showCall(context, call)),
      flows,
      fileChanged,
    });
    if (approval.type === 'refused') {
      const { error, answered: isAnswered } = approval;
      await context.scope.approvals?.deferRefusal();
      return { arguments: call.arguments, result: err(error), ...(isAnswered && { answered: true }) };
    }
    call = approval.call;
    const made = await dispatchAsShown(context, call, approval.file);
    if (made) return { arguments: call.arguments, ...made };
  }
}

/** Makes an approved call; null: the file is no longer the one that the card showed. */
async function dispatchAsShown(
  context: CallContext,
  call: GateCall,
  file: FileChange | null,
): Promise<DispatchResult | null> {
  const { gate, fileWrites } = context;
  // The approval covers this hash and this one call.
  const approved = { ...gate, approved: (other: string) => other === call.hash };
  if (!file) return dispatch(context, call, approved);
  // One at a time, because an approved write may change the file that another card showed.
  return fileWrites(async () => {
    const now = await showCall(context, call);
    return now.file?.hash === file.hash ? dispatch(context, call, approved) : null;
  });
}

/** Runs work one after another. */
export function createSequence(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Judges the call again once it has a slot: other calls may have used up the rate in the meantime. */
async function dispatch(context: CallContext, call: GateCall, gate: GateContext): Promise<DispatchResult> {
  const { signal, scope } = context;
  const { tool } = call;
  const done = await scope.budget?.acquireSlot();
  const saved = await saveForUndo(context, call, gate);
  try {
    const verdict = judgeCall(call, gate);
    if (verdict.type === 'deny') return { result: err(verdict.error) };
    if (verdict.type === 'ask' || signal.aborted) return { result: err(cancelled(tool)) };
    const refused = recordIntent(context, call, gate, saved);
    if (refused) return { result: err(refused) };
    if (context.builtIn) return await executeBuiltIn(context, context.builtIn, call);
    if (!isWrite(call, gate)) return await callForRead(context, call);
    const made = await callForWrite(context, call);
    return { ...made, after: await saved?.after(made.result) };
  } finally {
    saved?.release();
    done?.();
  }
}

/** Saves what a write of a session's run is about to change; null for any other call. */
async function saveForUndo(
  { servers, scope, signal }: CallContext,
  call: GateCall,
  gate: GateContext,
): Promise<SavedWrite | null> {
  const definition = gate.tools.get(call.tool);
  const recorded = scope.recorder !== undefined && scope.sessionId !== null;
  if (!servers?.history || !definition || !recorded || signal.aborted || !isWrite(call, gate)) return null;
  return servers.history.begin(definition, call.arguments);
}

/** Records the used approval and the intent to write before the call is made. */
function recordIntent(
  { scope, callId }: CallContext,
  call: GateCall,
  gate: GateContext,
  saved: SavedWrite | null,
): AppError | null {
  const { tool, hash } = call;
  const write = isWrite(call, gate);
  if (gate.recorded?.needed(call, write) && !gate.recorded.use(hash)) return useNotRecorded(tool);
  if (!write || !scope.recorder) return null;
  const { turn, runId, nodeId, facts } = scope.recorder;
  const intent = {
    turn,
    runId,
    nodeId,
    callId,
    tool,
    arguments: call.arguments,
    hash,
    ...(saved && { undo: saved.undo }),
  };
  return facts.record([{ type: 'write-intended', ...intent }]) ? null : intentNotRecorded(tool);
}

const useNotRecorded = (tool: string): AppError =>
  appError('HOST', 'STORAGE', 'The approval could not be recorded as used.', { tool });

const intentNotRecorded = (tool: string): AppError =>
  appError('HOST', 'STORAGE', 'The write was not made: its intent could not be recorded.', { tool });

/** A call as a card shows it; `hash` covers the arguments and the content that was read to show them. */
interface ShownCall {
  readonly call: GateCall;
  readonly file: FileChange | null;
  readonly hash: string;
}

async function showCall({ gate, scope, servers }: CallContext, call: GateCall): Promise<ShownCall> {
  const { tool, arguments: args, hash } = call;
  const definition = scope.approve === 'all' ? undefined : gate.tools.get(tool);
  const file = await fileChangeOf(definition, args, servers?.readFile);
  return { call, file, hash: file ? canonicalHash({ tool, arguments: args, content: file.hash }) : hash };
}

const questionOf = ({ call, file, hash }: ShownCall, gate: GateContext) => ({
  arguments: call.arguments,
  hash,
  ...(file && { file }),
  ...(isWrite(call, gate) && { undo: undoOf(file ?? undefined) }),
});

/** A call as the user approved it, or the refusal; `answered`: the user said what to do instead. */
type ApprovedCall =
  | { readonly type: 'approved'; readonly call: GateCall; readonly file: FileChange | null }
  | { readonly type: 'refused'; readonly error: AppError; readonly answered?: true };

/** What a question shows besides the call. */
interface AskedAbout extends ShownCall {
  readonly flows: readonly DataFlow[];
  /** The file has changed since the user approved the same call. */
  readonly fileChanged: boolean;
}

/** Asks the user about a call, whose arguments the user may edit. */
async function askForApproval(context: CallContext, shown: AskedAbout): Promise<ApprovedCall> {
  const { scope, signal } = context;
  const { call, flows } = shown;
  const { tool } = call;
  const { recorder, approvals, approve } = scope;
  if (!recorder || !approvals) return refused(denied(tool));
  const { writes } = recorder;
  // A run that approves everything reads no file for a card, but a refusal of the user still holds.
  const before = writes.findAnswer(shown.hash) ?? (approve === 'all' ? writes.findRefusal(call.hash) : null);
  if (before)
    return askedCall({ ...questionOf(shown, context.gate), answer: answerOf(before) }, denied(tool));
  const question = askedQuestion(context, recorder, shown);
  const ask = () => approvals.ask(question, signal, (edited) => checkEdit(context, tool, edited));
  if (isWrite(call, context.gate) || !recorder.flows) {
    const result = await ask();
    if (result.answer.type === 'approved') recorder.flows?.allow(flows);
    return askedCall(result, denied(tool, approve === 'none' ? 'This run approves no writes.' : undefined));
  }
  // A read is asked about because of its flows alone: the answer holds for every call with the same flows.
  const { result, answer } = await recorder.flows.decide(flows, ask, approvals.suspendCall);
  return askedCall(result ?? { ...questionOf(shown, context.gate), answer }, flowDenied(tool, flows));
}

function askedQuestion(context: CallContext, recorder: CallRecorder, shown: AskedAbout) {
  const { turn, runId, nodeId, asksAt = nodeId } = recorder;
  const { call, flows, fileChanged } = shown;
  const origins = recorder.origins.all();
  return {
    turn,
    runId,
    nodeId: asksAt,
    tool: call.tool,
    order: context.order,
    ...questionOf(shown, context.gate),
    ...(origins.length > 0 && { origins }),
    ...(flows.length > 0 && { flows: [...flows] }),
    ...(fileChanged && { again: true as const }),
    ...describedArguments(context, call),
  };
}

const refused = (error: AppError): ApprovedCall => ({ type: 'refused', error });

/** What a card may say about the arguments of a call beside their values. */
function describedArguments({ scope, gate }: CallContext, { tool, arguments: args }: GateCall) {
  const names = scope.recorder?.names?.of(args) ?? [];
  const sources = scope.recorder?.flows?.sourcesOf(args) ?? [];
  const properties = gate.tools.get(tool)?.inputSchema['properties'] ?? {};
  const titles = Object.keys(args).flatMap((name): readonly (readonly [string, string])[] => {
    const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const title = property !== undefined && isObject(property) ? property['title'] : undefined;
    return typeof title === 'string' && title !== '' ? [[name, title.slice(0, 200)]] : [];
  });
  return {
    ...(names.length > 0 && { names }),
    ...(sources.length > 0 && { sources }),
    ...(titles.length > 0 && { labels: Object.fromEntries(titles) }),
  };
}

/** The call with the arguments that the user approved, or the refusal. */
function askedCall({ answer, file, arguments: args }: ApprovalResult, refusal: AppError): ApprovedCall {
  const { tool = '' } = refusal;
  switch (answer.type) {
    case 'withdrawn':
      return refused(cancelled(tool));
    case 'denied':
      if (answer.instead === undefined) return refused(refusal);
      return {
        type: 'refused',
        error: denied(tool, `The user said what to do instead: ${answer.instead}`),
        answered: true,
      };
    case 'approved': {
      const call = readCall({ tool, arguments: args }, undefined);
      return call.ok ? { type: 'approved', call: call.value, file: file ?? null } : refused(call.error);
    }
  }
}

/** Edited arguments as the card shows them, or why the gate refuses them. */
async function checkEdit(context: CallContext, tool: string, edited: Json) {
  const read = readCall({ tool, arguments: edited }, undefined);
  if (!read.ok) return read;
  const verdict = judgeCall(read.value, context.gate);
  return verdict.type === 'deny'
    ? err(verdict.error)
    : ok(questionOf(await showCall(context, read.value), context.gate));
}

function flowDenied(tool: string, flows: readonly DataFlow[]): AppError {
  const sources = flows.map(({ from }) => from).join(' and ');
  const { to = '' } = flows[0] ?? {};
  const lines = flows.map((flow) => JSON.stringify(flow)).join(', ');
  const message = `${tool} would pass text from ${sources} to ${to}, which was not allowed.`;
  const hint = `To allow it in this project, add ${lines} to "dataFlows" in .patina/capabilities.json.`;
  return appError('POLICY', 'APPROVAL_DENIED', message, { layer: 'approval', tool, hint });
}

function denied(tool: string, hint?: string): AppError {
  const more = { layer: 'approval', tool, ...(hint !== undefined && { hint }) };
  return appError('POLICY', 'APPROVAL_DENIED', `${tool} was not approved.`, more);
}

async function executeBuiltIn(
  { scope, gate, callId, signal, argumentsJson }: CallContext,
  tool: BuiltInTool,
  call: GateCall,
): Promise<DispatchResult> {
  const { sessionId, turn, cause = { toolCallId: callId } } = scope;
  const actor = scope.actor === 'user' ? 'user' : 'model';
  // One write asks once: the tool does not ask again about a call that the user already approved.
  const approve = gate.recorded?.needed(call, false) ? 'all' : scope.approve;
  try {
    const result = await tool.execute(argumentsJson, {
      sessionId,
      turn,
      callId,
      actor,
      cause,
      approve,
      signal,
    });
    return { result };
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    const message = `Internal error in Patina, so ${tool.name} failed: ${reason}`;
    return { result: err(appError('TOOL', 'FAILED', message, { tool: tool.name })) };
  }
}

async function sendToServer(
  { rates, servers, scope, gate, signal }: CallContext,
  { tool, arguments: args }: GateCall,
): Promise<Result<Json>> {
  if (!servers) return err(appError('TOOL', 'NOT_FOUND', `There is no tool ${tool}.`, { tool }));
  rates.count(tool);
  const definition = gate.tools.get(tool);
  const onWaiting = scope.budget?.onWaiting ?? (() => () => undefined);
  const unwatch = servers.elicitations?.watchWaiting(definition?.server ?? '', onWaiting);
  const result = await servers.tools.call(tool, args, signal, definition?.hash);
  unwatch?.();
  if (result.ok) return result;
  await refreshPinOnChange(servers, definition, result.error);
  return err({ ...result.error, tool });
}

/** The definition changed before the call: stores the new one beside the pinned one to show the diff. */
async function refreshPinOnChange(
  { tools, pins }: ServerAccess,
  definition: ToolDefinition | undefined,
  { code }: AppError,
): Promise<void> {
  if (code !== 'TOOL_CHANGED' || !definition) return;
  const listed = await tools.list([definition.server], 'live');
  if (listed.ok) pins?.enforce(listed.value);
}

async function callForWrite(context: CallContext, call: GateCall): Promise<DispatchResult> {
  const { servers, gate, scope } = context;
  servers?.cache?.invalidate(gate.tools.get(call.tool)?.server ?? '');
  const recordResult = scope.recorder?.writes.started(writeKey(context, call));
  const called = await sendToServer(context, call);
  const result = called.ok ? called : err(toWriteError(called.error));
  recordResult?.(result);
  return { result };
}

/** Answers a read from the cache while an equal read's result is still valid. */
async function callForRead(context: CallContext, call: GateCall): Promise<DispatchResult> {
  const { servers, gate, scope } = context;
  // A failed read changed nothing, so an unknown outcome counts as a plain failure.
  const read = async (): Promise<Result<Json>> => {
    const result = await sendToServer(context, call);
    return result.ok ? result : err(toReadError(result.error));
  };
  const definition = gate.tools.get(call.tool);
  if (!definition || !servers?.cache || !scope.cache) return { result: await read() };
  const { hit, store } = await servers.cache.lookUp(definition, call.arguments, scope.cache.bypass);
  if (hit) {
    scope.cache.onHit();
    return { result: ok(hit.value), cached: true };
  }
  const result = await read();
  if (result.ok) store(result.value);
  return { result };
}
