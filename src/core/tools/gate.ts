import { appError, type AppError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import type { DataFlow } from '#shared/data-flow';
import type { Grant } from '#shared/grant';
import type { JsonObject } from '#shared/json';
import type { EnforcedConstraint } from '#shared/plan-constraint';
import type { ToolDefinition } from '../ports/tool-definition';
import { brokenConstraint as brokenConstraintOf } from './constraints';
import type { SavedPermission } from './grants';
import { didYouMean } from './nearest-names';
import type { SchemaCheck } from './schema-check';
import { allowHint } from './server-permission';
import { listNames } from './tool-lists';
import { brokenConstraint, patternApplies, patternNames } from './tool-pattern';
import type { ToolLists } from '../ports/tool-lists';

/** A call as the gate judges it; `hash` is the SHA-256 of its canonical `{arguments, tool}`. */
export interface GateCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly hash: string;
}

/** Approvals recorded before a call, in a workflow: the call itself does not ask (TUL-006 §7.3). */
export interface RecordedApprovals {
  readonly needed: (call: Omit<GateCall, 'hash'>, write: boolean) => boolean;
  readonly isApproved: (hash: string) => boolean;
  /** Records the use of one approval; false: the use could not be recorded. */
  readonly use: (hash: string) => boolean;
}

/** Everything that the gate may read; built for each call and never changed by a layer. */
export interface GateContext {
  readonly lists: ToolLists;
  /** The tools that the servers list now, by name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** The tools the calling step declares; absent: any. */
  readonly declared?: readonly string[];
  readonly capabilities: Capabilities;
  /** The plan's constraints on writes, and the folder that its paths are relative to; absent: none. */
  readonly constraints?: { readonly rules: readonly EnforcedConstraint[]; readonly project: string };
  readonly checkSchema: SchemaCheck;
  readonly callsLeftInNode: number;
  readonly callsLeftInRun: number;
  /** Milliseconds until a pattern's rate allows one more call; 0: now. */
  readonly rateWaitMs: (pattern: string, perMinute: number) => number;
  /** Whether a person approved exactly this call and the approval is still unused. */
  readonly approved: (hash: string) => boolean;
  readonly recorded?: RecordedApprovals;
  /** The flows from other servers that the call would make and nobody has allowed; absent: none. */
  readonly dataFlows?: (call: GateCall) => readonly DataFlow[];
  /** The saved permission that applies to the call now, if any. */
  readonly savedPermission?: (call: GateCall) => SavedPermission | null;
}

export type Verdict =
  /** `by`: the saved permission without which the user would have been asked. */
  | { readonly type: 'allow'; readonly by?: Grant }
  /** `flows`: content of other servers that the call would pass on. */
  | { readonly type: 'ask'; readonly flows: readonly DataFlow[] }
  | { readonly type: 'deny'; readonly error: AppError };

/** One layer of the gate: a pure function of the call and its context. */
export interface GateLayer {
  readonly name: string;
  /** The origin of the layer's rule, for the person who reads a refusal. */
  readonly source: string;
  readonly judge: (call: GateCall, context: GateContext) => Verdict;
}

const allow: Verdict = { type: 'allow' };
const deny = (error: AppError): Verdict => ({ type: 'deny', error });

function judgeList(
  { list, layer, what }: (typeof listNames)[number],
  call: GateCall,
  lists: ToolLists,
): Verdict {
  const patterns = lists[list];
  if (!patterns || patterns.some((pattern) => patternNames(pattern, call.tool))) return allow;
  const more = { layer, tool: call.tool };
  return deny(appError('POLICY', 'CAPABILITY_DENIED', `${what} does not offer ${call.tool}.`, more));
}

const changedTool = (tool: string): AppError =>
  appError('POLICY', 'TOOL_CHANGED', `The definition of ${tool} has changed since you allowed it.`, {
    layer: 'binding',
    tool,
    hint: 'Review the change, then accept it in Settings → Servers or with patina tools --accept.',
  });

function judgeBinding(call: GateCall, context: GateContext): Verdict {
  const { tool } = call;
  if (!context.tools.has(tool)) {
    const hint = didYouMean(tool, [...context.tools.keys()]);
    const more = { layer: 'binding', tool, ...(hint && { hint }) };
    return deny(appError('TOOL', 'NOT_FOUND', `No server offers ${tool}.`, more));
  }
  if (context.tools.get(tool)?.changed) return deny(changedTool(tool));
  if (!context.declared || context.declared.includes(tool)) return allow;
  const message = `This step does not declare ${tool}.`;
  return deny(appError('POLICY', 'CAPABILITY_DENIED', message, { layer: 'binding', tool }));
}

function deniedByManifest(call: GateCall, reason: string, hint: string): Verdict {
  const more = { layer: 'capability', tool: call.tool, hint };
  return deny(appError('POLICY', 'CAPABILITY_DENIED', `${call.tool}: ${reason}`, more));
}

/** A plan's own constraints narrow what the project allows. */
function judgeConstraints(call: GateCall, context: GateContext): Verdict {
  const { constraints } = context;
  if (!constraints || !isWrite(call, context)) return allow;
  const violated = brokenConstraintOf(constraints.rules, call.arguments, constraints.project);
  if (!violated) return allow;
  const message = `${call.tool}: the plan's constraint “${violated.text}” forbids this write.`;
  return deny(appError('POLICY', 'CAPABILITY_DENIED', message, { layer: 'constraint', tool: call.tool }));
}

function judgeCapability(call: GateCall, context: GateContext): Verdict {
  const allowed = judgeManifest(call, context);
  return allowed.type === 'allow' ? judgeConstraints(call, context) : allowed;
}

function judgeManifest(call: GateCall, { capabilities, tools }: GateContext): Verdict {
  const { tool } = call;
  if (tools.get(tool)?.builtIn) return allow;
  const denying = capabilities.deny.find((pattern) => patternApplies(pattern, tool, call.arguments));
  if (denying)
    return deniedByManifest(call, `denied by ${denying}.`, 'A deny line wins over every allow line.');
  const named = capabilities.allow.filter((pattern) => patternNames(pattern, tool));
  const broken = named.map((pattern) => brokenConstraint(pattern, call.arguments));
  if (broken.includes(undefined)) return allow;
  const [argument] = broken;
  if (argument === undefined) {
    return deniedByManifest(call, 'not allowed in this project.', allowHint(tools.get(tool)?.server ?? ''));
  }
  return deniedByManifest(
    call,
    `the argument ${argument} is outside the allowed values.`,
    `Allowed: ${named.join(' ')}`,
  );
}

function judgeArguments(call: GateCall, context: GateContext): Verdict {
  const definition = context.tools.get(call.tool);
  if (!definition) return allow;
  const checked = context.checkSchema(definition.inputSchema, call.arguments);
  if (checked.ok) return allow;
  const message = `${call.tool}: ${checked.error.join('; ')}`;
  return deny(appError('TOOL', 'INVALID_ARGUMENTS', message, { layer: 'arguments', tool: call.tool }));
}

function judgeBudget(call: GateCall, context: GateContext): Verdict {
  const more = { layer: 'budget', tool: call.tool };
  if (context.callsLeftInNode <= 0) {
    return deny(appError('BUDGET', 'TOOL_CALLS', 'Tool call limit reached for this step.', more));
  }
  if (context.callsLeftInRun <= 0) {
    return deny(
      appError('BUDGET', 'TOOL_CALLS', 'Tool call limit reached for this run.', {
        ...more,
        hint: 'To allow more, set "run": {"tool_calls": …} in .patina/budgets.json.',
      }),
    );
  }
  return judgeRate(call, context);
}

function judgeRate(call: GateCall, context: GateContext): Verdict {
  for (const [pattern, perMinute] of Object.entries(context.capabilities.rateLimits)) {
    const wait = patternApplies(pattern, call.tool, call.arguments)
      ? context.rateWaitMs(pattern, perMinute)
      : 0;
    if (wait <= 0) continue;
    const message = `${call.tool}: more than ${perMinute} calls a minute (${pattern}).`;
    const more = { layer: 'rate', tool: call.tool, retryable: true, retryAfterMs: wait };
    return deny(appError('POLICY', 'RATE_LIMITED', message, more));
  }
  return allow;
}

type WriteRules = Pick<GateContext, 'tools' | 'capabilities'>;

/** A tool writes unless a trusted server marks it read-only and no `write` line covers it (`forced`). */
const notKnownToRead = (tool: string, { tools }: WriteRules, forced: boolean): boolean =>
  forced || tools.get(tool)?.readOnly !== true;

/** Whether this call may change something. */
export function isWrite(call: Omit<GateCall, 'hash'>, rules: WriteRules): boolean {
  const { write } = rules.capabilities;
  const forced = write.some((pattern) => patternApplies(pattern, call.tool, call.arguments));
  return notKnownToRead(call.tool, rules, forced);
}

/** Whether any call of this tool may change something, whatever its arguments. */
export function mayWrite(tool: string, rules: WriteRules): boolean {
  const forced = rules.capabilities.write.some((pattern) => patternNames(pattern, tool));
  return notKnownToRead(tool, rules, forced);
}

function deniedBySavedPermission(tool: string, { id }: Grant): Verdict {
  const more = {
    layer: 'approval',
    tool,
    hint: `To be asked again, revoke the permission in Settings → Approvals or with patina tools --revoke ${id}.`,
  };
  return deny(appError('POLICY', 'APPROVAL_DENIED', `${tool} is blocked by a saved permission.`, more));
}

function judgeApproval(call: GateCall, context: GateContext): Verdict {
  const { recorded } = context;
  const savedPermission = context.savedPermission?.(call);
  if (savedPermission?.decision === 'never') return deniedBySavedPermission(call.tool, savedPermission.grant);
  const write = isWrite(call, context);
  if (recorded?.needed(call, write)) return judgeRecorded(call, recorded);
  if (context.approved(call.hash)) return allow;
  const flows = context.dataFlows?.(call) ?? [];
  if (!write && flows.length === 0) return allow;
  return savedPermission ? { type: 'allow', by: savedPermission.grant } : { type: 'ask', flows };
}

function judgeRecorded({ tool, hash }: GateCall, recorded: RecordedApprovals): Verdict {
  if (recorded.isApproved(hash)) return allow;
  const message = `${tool} needs the user's approval of exactly this call first.`;
  return deny(appError('POLICY', 'APPROVAL_DENIED', message, { layer: 'approval', tool }));
}

const listSources = {
  modeTools: "active mode's tools",
  workflowTools: "active workflow's PermittedTools",
  catalogTools: 'active tool set',
};

/** The layers of the gate, in order. A layer passes every call when the context has no list for it. */
export const gateLayers: readonly GateLayer[] = [
  ...listNames.map((named) => ({
    name: named.layer,
    source: listSources[named.list],
    judge: (call: GateCall, { lists }: GateContext) => judgeList(named, call, lists),
  })),
  { name: 'binding', source: 'tools the servers list', judge: judgeBinding },
  { name: 'capability', source: 'capabilities.json', judge: judgeCapability },
  { name: 'arguments', source: "the tool's input schema", judge: judgeArguments },
  { name: 'budget', source: 'budgets.json and rateLimits', judge: judgeBudget },
  { name: 'approval', source: 'the user', judge: judgeApproval },
];

/** The first layer that does not allow a call decides; a call that every layer allows is allowed. Pure. */
export function judgeCall(call: GateCall, context: GateContext, layers = gateLayers): Verdict {
  let last = allow;
  for (const layer of layers) {
    last = layer.judge(call, context);
    if (last.type !== 'allow') return last;
  }
  return last;
}
