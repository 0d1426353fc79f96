import { appError, type AppError } from '#shared/app-error';
import { isObject, parseJson, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { CallRecord } from '#shared/session-event';
import type { ChangeCause } from '#shared/work-context';
import type { Clock } from '../ports/clock';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { Ids } from '../ports/ids';
import type { ModelTool } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import { callRecord } from './call-record';
import { canonicalHash } from './canonical-hash';
import { judgeCall, type GateContext, type RecordedApprovals } from './gate';
import type { SchemaCheck } from './schema-check';
import { excludedBy, withNames } from './tool-lists';
import type { ToolLists } from '../ports/tool-lists';

/** The caller of a host tool. */
export interface HostCallScope {
  readonly sessionId: string | null;
  readonly turn: number | null;
  readonly actor: 'user' | 'model';
  /** The lists that bind a model's call; they do not bind a user's own command. */
  readonly lists?: ToolLists;
  /** In a workflow: the approvals recorded before the call. */
  readonly recorded?: RecordedApprovals;
  /** The recorded cause of a change; absent: the call itself is the cause. */
  readonly cause?: ChangeCause;
  /** Default: `ask`. */
  readonly approve?: 'all' | 'none' | 'ask';
  readonly signal: AbortSignal;
}

export interface HostCall {
  readonly name: string;
  readonly argumentsJson: string;
}

/** The result of a call and its record. */
export interface HostCallOutcome {
  readonly result: Result<string>;
  readonly record: CallRecord;
}

/** Calls the host's own tools: first the gate, then dispatch. */
export interface HostToolCaller {
  /** The tools offered to a model: those that every list names, plus the few that are always offered. */
  offered(lists: ToolLists): readonly ModelTool[];
  /** Whether a command may name a tool of this name. */
  has(name: string): boolean;
  find(name: string): BuiltInTool | undefined;
  /** The tools in the order in which they were added. */
  tools(): readonly BuiltInTool[];
  /** Adds tools. A model is offered them in the order of their additions. */
  add(tools: readonly BuiltInTool[]): void;
  /**
   * Never throws. Refusals: POLICY/CAPABILITY_DENIED with its layer, TOOL/NOT_FOUND, TOOL/INVALID_ARGUMENTS.
   */
  call(call: HostCall, scope: HostCallScope): Promise<HostCallOutcome>;
}

export interface HostToolCallerDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly checkSchema: SchemaCheck;
}

const definitionOf = ({
  name,
  toolUsageMetadata,
  schema,
  answersArguments,
}: BuiltInTool): ToolDefinition => ({
  uri: name,
  server: '',
  tool: name,
  serverVersion: '',
  description: toolUsageMetadata,
  inputSchema: answersArguments ? { type: 'object' } : schema,
  readOnly: true,
  builtIn: true,
});

/** The arguments as the gate judges them; tools with `answersArguments` reject non-objects themselves. */
function readArguments({ name, argumentsJson }: HostCall, tool: BuiltInTool | undefined): Result<JsonObject> {
  const parsed = parseJson(argumentsJson.trim() === '' ? '{}' : argumentsJson);
  if (parsed.ok && isObject(parsed.value)) return ok(parsed.value);
  if (tool?.answersArguments) return ok({});
  const message = `${name}: the arguments must be one JSON object.`;
  return err(appError('TOOL', 'INVALID_ARGUMENTS', message, { layer: 'arguments', tool: name }));
}

function unexpected(name: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return appError('TOOL', 'FAILED', `${name} failed by a fault of Patina: ${reason}`, { tool: name });
}

/** The tools per actor: a model gets neither command-only tools nor those that its mode does not offer. */
function createGate(tools: readonly BuiltInTool[], checkSchema: SchemaCheck) {
  const forModel = tools.filter((tool) => !tool.commandOnly);
  const always = forModel.filter((tool) => tool.alwaysOffered).map((tool) => tool.name);
  const definitions = {
    user: new Map(tools.map((tool) => [tool.name, definitionOf(tool)])),
    model: new Map(forModel.map((tool) => [tool.name, definitionOf(tool)])),
  };
  const nothing = { allow: [], deny: [], write: [], rateLimits: {} };
  return {
    forModel,
    always,
    context: ({ actor, lists, recorded }: HostCallScope): GateContext => ({
      lists: actor === 'model' && lists ? withNames(lists, always) : {},
      tools: definitions[actor],
      capabilities: nothing,
      checkSchema,
      callsLeftInNode: 1,
      callsLeftInRun: 1,
      rateWaitMs: () => 0,
      approved: () => false,
      ...(actor === 'model' && recorded && { recorded }),
    }),
  };
}

/** Recorded approvals do not apply to a tool that asks the user itself. */
const applicableScope = (
  { recorded, ...scope }: HostCallScope,
  tool: BuiltInTool | undefined,
): HostCallScope => (recorded && !tool?.asksItself ? { ...scope, recorded } : scope);

/** The only code that receives the host's tools. */
export function createHostToolCaller(deps: HostToolCallerDeps): HostToolCaller {
  const byName = new Map<string, BuiltInTool>();
  let gate = createGate([], deps.checkSchema);

  /** Returns the tool, and whether this call used up a recorded approval of exactly this call. */
  const judge = (
    call: HostCall,
    requested: HostCallScope,
  ): Result<{ tool: BuiltInTool; approved: boolean }> => {
    const tool = byName.get(call.name);
    const scope = applicableScope(requested, tool);
    const args = readArguments(call, tool);
    if (!args.ok) return args;
    const { name } = call;
    const hash = canonicalHash({ tool: name, arguments: args.value });
    const verdict = judgeCall({ tool: name, arguments: args.value, hash }, gate.context(scope));
    if (verdict.type === 'deny') return err(verdict.error);
    if (!tool) return err(appError('TOOL', 'NOT_FOUND', `There is no tool ${name}.`, { tool: name }));
    const { recorded } = scope;
    const approved = recorded?.needed({ tool: name, arguments: args.value }, false) ?? false;
    if (!approved || recorded?.use(hash)) return ok({ tool, approved });
    return err(appError('HOST', 'STORAGE', 'The approval could not be recorded as used.', { tool: name }));
  };

  const dispatch = async (call: HostCall, callId: string, scope: HostCallScope): Promise<Result<string>> => {
    const judged = judge(call, scope);
    if (!judged.ok) return judged;
    const { tool, approved } = judged.value;
    // One write asks once: the tool does not ask again about a call that the user already approved.
    const { cause = { toolCallId: callId }, approve: policy = 'ask' } = scope;
    const approve = approved ? 'all' : policy;
    const { sessionId, turn, actor, signal } = scope;
    try {
      const context = { sessionId, turn, callId, actor, cause, approve, signal };
      return await tool.execute(call.argumentsJson.trim() || '{}', context);
    } catch (fault) {
      return err(unexpected(call.name, fault));
    }
  };

  return {
    offered: (lists) =>
      gate.forModel
        .filter(({ name }) => !excludedBy(withNames(lists, gate.always), name))
        .map(({ name, toolUsageMetadata, schema }) => ({
          name,
          description: toolUsageMetadata,
          parameters: schema,
        })),
    has: (name) => byName.has(name),
    find: (name) => byName.get(name),
    tools: () => [...byName.values()],
    add(tools) {
      for (const tool of tools) byName.set(tool.name, tool);
      gate = createGate([...byName.values()], deps.checkSchema);
    },
    async call(call, scope) {
      const callId = deps.ids.next('call');
      const started = deps.clock.elapsed();
      const result = await dispatch(call, callId, scope);
      const ms = Math.max(0, deps.clock.elapsed() - started);
      const args = parseJson(call.argumentsJson);
      const shown = args.ok ? args.value : call.argumentsJson;
      return { result, record: callRecord({ callId, tool: call.name, arguments: shown, ms }, result) };
    },
  };
}
