import { costOf, noUsage, type ModelPrice, type ModelRef } from '#shared/model';
import type { SessionFact } from '#shared/session-event';
import type { RunSpan, RunTrace, SpanMoment, SpanValues } from '../ports/run-traces';
import type { RunReport } from '../ports/agent';
import { redactText } from './redact-text';

/** A fact of a run and the time it was recorded, in milliseconds since the epoch. */
export interface TimedFact {
  readonly at: number;
  readonly fact: SessionFact;
}

/** The outcome of a run as its trace shows it; `interrupted` when its process ended first. */
type TracedReport = Pick<RunReport, 'runId' | 'usage' | 'planHash' | 'summaryHash' | 'error'> & {
  readonly outcome: RunReport['outcome'] | 'interrupted';
  readonly nodes: readonly unknown[];
};

/** The source of a trace: the facts of one run, in order, and its report. */
export interface TracedRun {
  readonly goal: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly facts: readonly TimedFact[];
  readonly report: TracedReport;
  /** Secret values on this machine. */
  readonly secrets: readonly string[];
  /** The price of a model, if known. */
  readonly priceOf?: PriceOf | undefined;
}

export type PriceOf = (model: ModelRef) => ModelPrice | null;

/** Maximum number of calls and decisions listed; further ones are only counted. */
const maxMoments = 200;

type Called = Extract<SessionFact, { type: 'tool-called' }>;

/** The layer that refused a call and its code; null when no layer refused it. */
function refusal({ call: { tool, error } }: Called): string | null {
  return error?.layer === undefined ? null : `${tool}: ${error.layer} ${error.kind}/${error.code}`;
}

function callMoment({ at, fact }: TimedFact & { readonly fact: Called }): SpanMoment {
  const { tool, outcome, ms, bytes, error, allowedBy } = fact.call;
  return {
    name: 'tool call',
    at,
    values: {
      'patina.tool': tool,
      'patina.outcome': outcome,
      'patina.ms': ms,
      'patina.bytes': bytes,
      ...(error && { 'error.type': `${error.kind}/${error.code}` }),
      ...(error?.layer !== undefined && { 'patina.refused_by': error.layer }),
      ...(allowedBy && { 'patina.standing_yes': true }),
    },
  };
}

/** A call, a question or an answer as a moment of its node, without the arguments and results of calls. */
function momentOf(timed: TimedFact): SpanMoment | null {
  const { at, fact } = timed;
  if (fact.type === 'tool-called') return callMoment({ at, fact });
  if (fact.type === 'attempt-failed') {
    const { kind, code } = fact.error;
    return {
      name: 'attempt failed',
      at,
      values: { 'error.type': `${kind}/${code}`, 'patina.wait_ms': fact.waitMs },
    };
  }
  if (fact.type === 'approval-requested') {
    return {
      name: 'approval asked',
      at,
      values: { 'patina.tool': fact.tool, 'patina.approval': fact.approvalId },
    };
  }
  if (fact.type !== 'approval-answered') return null;
  const { approvalId, approved } = fact;
  return {
    name: 'approval answered',
    at,
    values: { 'patina.approval': approvalId, 'patina.approved': approved },
  };
}

/** The node that a fact belongs to; an answer belongs to the node that asked. */
function nodeOf(fact: SessionFact, askers: ReadonlyMap<string, string>): string | undefined {
  if (fact.type === 'approval-answered') return askers.get(fact.approvalId);
  return 'nodeId' in fact ? fact.nodeId : undefined;
}

type NodeEnded = Extract<SessionFact, { type: 'node-ended' }>;

/** A running node with its moments and counts so far. */
interface OpenNode {
  readonly startedAt: number;
  readonly moments: SpanMoment[];
  calls: number;
  attempts: number;
}

function spent({ metrics, usage = noUsage }: Partial<Pick<NodeEnded, 'metrics' | 'usage'>>): SpanValues {
  return {
    ...(metrics && {
      'patina.cpu_ms': metrics.cpu_ms,
      'patina.mem_mb': metrics.mem_mb,
      'patina.wall_ms': metrics.wall_ms,
    }),
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
  };
}

/** A node without an end was cancelled with its run. */
const cutOff = { status: 'cancelled', cached: false } as const;

function nodeValues(
  id: string,
  kind: string,
  { calls, attempts }: Pick<OpenNode, 'calls' | 'attempts'>,
  ended?: NodeEnded,
): SpanValues {
  const { status, cached } = ended ?? cutOff;
  const error = ended?.error;
  return {
    'patina.node.id': id,
    'patina.node.kind': kind,
    'patina.node.status': status,
    'patina.node.cached': cached,
    'patina.tool_calls': calls,
    'patina.attempts': attempts,
    ...spent(ended ?? {}),
    ...(error && { 'error.type': `${error.kind}/${error.code}` }),
  };
}

/** Adds a fact to the running node it belongs to. */
function addToNode(node: OpenNode | undefined, one: TimedFact): void {
  if (!node) return;
  const moment = momentOf(one);
  if (one.fact.type === 'tool-called') node.calls += 1;
  if (moment && node.moments.length < maxMoments) node.moments.push(moment);
}

function kindsOf(facts: readonly TimedFact[]): ReadonlyMap<string, string> {
  const nodes = facts.flatMap(({ fact }) =>
    fact.type === 'plan-made' || fact.type === 'plan-revised' ? fact.plan.nodes : [],
  );
  return new Map(nodes.map(({ id, kind }) => [id, kind]));
}

/** One span per node that ran, covering all its attempts. */
function nodeSpans({ facts, endedAt, secrets }: TracedRun): readonly RunSpan[] {
  const kinds = kindsOf(facts);
  const askers = new Map<string, string>();
  const open = new Map<string, OpenNode>();
  const spans: RunSpan[] = [];
  const close = (id: string, at: number, ended?: NodeEnded): void => {
    const begun = open.get(id);
    // A node that never started (cached or skipped) has no span.
    if (!begun) return;
    open.delete(id);
    const { calls, attempts, ...time } = begun;
    const values = nodeValues(id, kinds.get(id) ?? '', { calls, attempts }, ended);
    const failed = ended?.error && { failure: redactText(ended.error.message, secrets) };
    spans.push({ name: `node ${id}`, ...time, endedAt: at, values, ...failed });
  };
  for (const one of facts) {
    const { at, fact } = one;
    if (fact.type === 'approval-requested') askers.set(fact.approvalId, fact.nodeId);
    if (fact.type === 'node-started') {
      const restarted = open.get(fact.nodeId);
      if (restarted) restarted.attempts += 1;
      else open.set(fact.nodeId, { startedAt: at, moments: [], calls: 0, attempts: 1 });
    }
    addToNode(open.get(nodeOf(fact, askers) ?? ''), one);
    if (fact.type === 'node-ended') close(fact.nodeId, at, fact);
  }
  for (const id of [...open.keys()]) close(id, endedAt);
  return spans;
}

type ModelCalled = Extract<SessionFact, { type: 'model-called' }>;

/** A model call as a span. Local servers name models by file, so the name is redacted like any text. Pure. */
export function modelSpan(
  { at, fact }: TimedFact & { readonly fact: ModelCalled },
  { secrets, priceOf }: Pick<TracedRun, 'secrets' | 'priceOf'>,
): RunSpan {
  const { part, nodeId, model, usage, ms, firstMs, failure, failedAttempts = [] } = fact;
  const price = priceOf?.(model);
  const values: SpanValues = {
    'patina.part': part,
    'gen_ai.request.model': redactText(model.model, secrets),
    'gen_ai.provider.name': redactText(model.providerId, secrets),
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'patina.ms': ms,
    'patina.attempts': failedAttempts.length + 1,
    ...(price && { 'patina.cost_usd': costOf(usage, price) }),
    ...(usage.cachedTokens !== undefined && { 'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens }),
    ...(usage.estimated === true && { 'patina.usage.estimated': true }),
    ...(firstMs !== undefined && { 'patina.first_token_ms': firstMs }),
    ...(nodeId !== undefined && { 'patina.node.id': nodeId }),
    ...(failure !== undefined && { 'error.type': failure }),
  };
  const failed = failure === undefined ? {} : { failure };
  const startedAt = at - ms;
  const moments = failedAttempts.map((attempt) => ({
    name: 'attempt failed',
    at: startedAt + attempt.ms,
    values: { 'error.type': attempt.failure, 'patina.wait_ms': attempt.waitMs },
  }));
  return { name: `model ${part}`, startedAt, endedAt: at, moments, values, ...failed };
}

/** One span per model call. */
const modelSpans = (run: TracedRun): readonly RunSpan[] =>
  run.facts.flatMap(({ at, fact }) => (fact.type === 'model-called' ? [modelSpan({ at, fact }, run)] : []));

/** The total cost of a run's model calls; empty when the price of any of them is unknown. */
function runCost({ facts, priceOf }: TracedRun): SpanValues {
  const costs = facts.flatMap(({ fact }) => {
    if (fact.type !== 'model-called' || fact.usage.modelTurns === 0) return [];
    const price = priceOf?.(fact.model);
    return [price ? costOf(fact.usage, price) : null];
  });
  const known = costs.filter((cost) => cost !== null);
  if (known.length === 0 || known.length < costs.length) return {};
  return { 'patina.cost_usd': known.reduce((sum, cost) => sum + cost, 0) };
}

/** The decisions of the gate and the user, as text and counts. */
function decisions(facts: readonly TimedFact[]): SpanValues {
  const calls = facts.flatMap(({ fact }) => (fact.type === 'tool-called' ? [fact] : []));
  const answers = facts.flatMap(({ fact }) => (fact.type === 'approval-answered' ? [fact.approved] : []));
  const refused = calls.flatMap((call) => refusal(call) ?? []);
  return {
    'patina.tool_calls': calls.length,
    'patina.policy.refused': [...new Set(refused)].slice(0, maxMoments),
    'patina.policy.refused_count': refused.length,
    'patina.approvals.given': answers.filter((yes) => yes).length,
    'patina.approvals.denied': answers.filter((yes) => !yes).length,
  };
}

/** How often a failure was planned around: a stage after one that did not end with a look. */
function replansOf(facts: readonly TimedFact[]): number {
  const plans = facts.flatMap(({ fact }) => (fact.type === 'plan-made' ? [fact] : []));
  return plans.slice(1).filter((_plan, index) => plans[index]?.look !== true).length;
}

function runSpan(traced: TracedRun, full: boolean): RunSpan {
  const { goal, startedAt, endedAt, facts, report, secrets } = traced;
  const { runId, outcome, usage, planHash, summaryHash, error, nodes } = report;
  const made = facts.find(({ fact }) => fact.type === 'plan-made')?.fact;
  return {
    name: 'run',
    startedAt,
    endedAt,
    moments: [],
    values: {
      'patina.run.id': runId,
      'patina.run.outcome': outcome,
      'patina.trace.full': full,
      'patina.goal': redactText(goal, secrets),
      ...(planHash !== undefined && { 'patina.plan.hash': planHash }),
      ...(summaryHash !== undefined && { 'patina.summary.hash': summaryHash }),
      ...(made?.type === 'plan-made' && { 'patina.plan.source': made.source }),
      'patina.nodes': nodes.length,
      'patina.model_turns': usage.modelTurns,
      'patina.replans': replansOf(facts),
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      ...runCost(traced),
      ...decisions(facts),
      ...(error && { 'error.type': `${error.kind}/${error.code}` }),
    },
    ...(error && { failure: redactText(error.message, secrets) }),
  };
}

/**
 * A run as spans: always its summary, and its nodes, calls and decisions when it did not succeed or is
 * sampled. Texts are redacted here; arguments, results and code never enter. Pure.
 */
export function traceOf(traced: TracedRun, sampled: boolean): RunTrace {
  const full = sampled || traced.report.outcome !== 'done';
  return { run: runSpan(traced, full), nodes: full ? [...nodeSpans(traced), ...modelSpans(traced)] : [] };
}
