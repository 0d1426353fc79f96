import { appError, type AppError } from '#shared/app-error';
import type { Plan } from '#shared/plan';
import type { Receipt } from '#shared/receipt';
import { ok, type Result } from '#shared/result';
import { closing } from '../ports/closing';
import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ModelClient } from '../ports/llm';
import type { PolicyFiles } from '../ports/policy';
import type { SandboxEngine } from '../ports/sandbox';
import type { Approvals } from '../tools/approvals';
import type { ToolCalls } from '../tools/call';
import { createFactBuffer } from '../tools/fact-buffer';
import type { FactBuffer } from '../tools/fact-buffer';
import { createRunWrites } from '../tools/node-writes';
import type { SchemaCheck } from '../tools/schema-check';
import type { Agent, AgentRequest, NodeReport, RecordFacts, RunReport } from './agent';
import { answerRun, type RunEnd } from './answer';
import type { EarlierPlans } from './earlier-plans';
import { executePlan } from './execute-plan';
import { insertApprovals } from './insert-approvals';
import { readPriorRun, type PriorRun } from './prior-run';
import type { NodeEnd, RunContext } from './node-run';
import { obtainPlan, type ObtainedPlan } from './obtain-plan';
import type { ObservedTypes } from './observed-types';
import type { Recipes } from './recipes';
import { receiptOf } from './receipt-of';
import { createReceiptBook, type CountTokens, type ReceiptBook } from './receipt';
import { planHash, summaryHash } from './run-hashes';
import { createRunLife, unlessAborted, type RunLife } from './run-life';
import { createRunMeter, type RunMeter } from './run-meter';

export interface AgentDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly models: ModelClient;
  /** The sandbox and the tools of a project folder; nothing starts before a plan needs it. */
  readonly sandbox: (project: string) => SandboxEngine;
  readonly toolCalls: (project: string) => ToolCalls;
  readonly policy: PolicyFiles;
  readonly recipes: Recipes;
  readonly observed: ObservedTypes;
  readonly earlier: EarlierPlans;
  /** The same open questions the gate asks through. */
  readonly approvals: Approvals;
  readonly checkSchema: SchemaCheck;
  /** Loads the tokenizer for receipts; without one there are none. */
  readonly countTokens?: () => Promise<CountTokens>;
}

interface Run {
  readonly request: AgentRequest;
  readonly runId: string;
  readonly life: RunLife;
  readonly meter: RunMeter;
  readonly book: ReceiptBook | null;
  readonly facts: FactBuffer;
}

/** What is known when a run ends, however far it came. */
interface Ended extends RunEnd {
  readonly ends: readonly NodeEnd[];
  readonly receipt?: Receipt;
  readonly planHash?: string;
  readonly summaryHash?: string;
}

const storageLost = appError(
  'HOST',
  'STORAGE',
  'The session can no longer be written, so the run was ended.',
);

function notRun(error: AppError): Ended {
  const cancelled = error.kind === 'HOST' && error.code === 'CANCELLED';
  const hint = error.hint === undefined ? '' : `\n\n${error.hint}`;
  return {
    outcome: cancelled ? 'cancelled' : 'failed',
    answer: cancelled ? 'Cancelled.' : `${error.message}${hint}`,
    error,
    ends: [],
  };
}

/** goal → plan → policy → execute → answer; each run records its facts in order, `run-ended` always last. */
export function createAgent(deps: AgentDeps): Agent {
  const underWay = new Map<string, Run>();
  return {
    run: async (request, record, signal) => {
      const run = openRun(deps, request, record, signal);
      const policy = readPolicy(deps, request.project);
      if (!priorOf(request)) run.facts.record([started(run, policy)]);
      underWay.set(run.runId, run);
      const ended = await work(deps, run, policy).catch((cause: unknown) => notRun(unexpected(cause)));
      underWay.delete(run.runId);
      run.life.end();
      return close(run, ended, signal.reason === closing);
    },
    answer: deps.approvals.answer,
    edit: deps.approvals.edit,
    pause: (runId, paused) => {
      const run = underWay.get(runId);
      if (!run?.life.hold(paused)) return false;
      const type = paused ? ('run-paused' as const) : ('run-continued' as const);
      return run.facts.record([{ type, turn: run.request.turn, runId }]);
    },
  };
}

function openRun(deps: AgentDeps, request: AgentRequest, record: RecordFacts, signal: AbortSignal): Run {
  const life = createRunLife(deps.clock, signal);
  const facts = createFactBuffer(deps.clock, record, () => life.stop(storageLost));
  const runId = priorOf(request)?.prior.runId ?? deps.ids.next('run');
  const book = deps.countTokens ? createReceiptBook(deps.countTokens) : null;
  return { request, runId, life, meter: createRunMeter(), book, facts };
}

/** The run a request goes on with. */
function priorOf({ given }: AgentRequest) {
  return given && 'prior' in given ? given : null;
}

function unexpected(cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return appError('HOST', 'STATE', `The run ended by a fault of Patina: ${reason}`);
}

type Policy = Result<Pick<RunContext, 'capabilities' | 'budgets'>>;

function readPolicy(deps: AgentDeps, project: string): Policy {
  const capabilities = deps.policy.capabilities(project);
  if (!capabilities.ok) return capabilities;
  const budgets = deps.policy.budgets(project);
  return budgets.ok ? ok({ capabilities: capabilities.value, budgets: budgets.value }) : budgets;
}

function started({ request, runId }: Run, policy: Policy): SessionFact {
  const { turn, goal } = request;
  return { type: 'run-started', turn, runId, goal, ...(policy.ok && { budgets: policy.value.budgets }) };
}

async function work(deps: AgentDeps, run: Run, policy: Policy): Promise<Ended> {
  const { request, life, meter } = run;
  if (!policy.ok) return notRun(policy.error);
  meter.limit(policy.value.budgets.run);
  life.limitWall(policy.value.budgets.run.wall_ms);
  const toolCalls = deps.toolCalls(request.project);
  const planning = { ...policy.value, request, meter, toolCalls, signal: life.signal };
  const obtained = await unlessAborted(obtainPlan({ ...deps, ...planning }), life.signal);
  const stop = life.reason();
  if (stop || !obtained) return notRun(stop ?? storageLost);
  if (!obtained.ok) return notRun(obtained.error);
  const prior = priorOf(request);
  const taken = prior ? readPriorRun(prior.prior, prior.from) : ok(nothingPrior);
  if (!taken.ok) return notRun(taken.error);
  const { approvals, checkSchema, clock, ids, models } = deps;
  const sandbox = deps.sandbox(request.project);
  const shared = { approvals, checkSchema, clock, ids, models, sandbox, toolCalls, ...policy.value };
  const { listing } = obtained.value;
  const context = { ...run, ...shared, listing, writes: createRunWrites(taken.value.writes) };
  const ended = await carryOut(context, obtained.value, taken.value.ends);
  keepPlan(deps, obtained.value, ended);
  return ended;
}

/** A plan that led to the end is offered again for the same goal. */
function keepPlan({ earlier }: AgentDeps, { checked, source, key }: ObtainedPlan, { outcome }: Ended): void {
  if (outcome === 'done' && source === 'model' && key !== undefined) earlier.keep(key, checked.plan);
}

const nothingPrior: PriorRun = { ends: new Map(), writes: new Map() };
const otherPlan = appError('HOST', 'STATE', 'The tools of this plan are others now, so it cannot go on.', {
  hint: 'Start the run again.',
});

/** The fact a run's work begins with: its plan, or that it goes on with the plan it had. */
function begins(
  { request, runId, budgets, meter }: RunContext,
  { checked, source, recipeId, params }: ObtainedPlan,
  kept: readonly string[],
): SessionFact {
  const { turn, project } = request;
  if (priorOf(request)) return { type: 'run-resumed', turn, runId, kept: [...kept], budgets };
  const { plan, announcerOf } = checked;
  const usage = meter.usage();
  const announces = Object.fromEntries([...(announcerOf ?? [])].map(([node, id]) => [id, node]));
  return {
    ...{ type: 'plan-made', turn, runId, plan, planHash: planHash(plan, project), source },
    ...(recipeId !== undefined && { recipeId }),
    ...(params && { params }),
    ...(announcerOf && { announces }),
    ...(usage.modelTurns > 0 && { usage }),
  };
}

async function carryOut(context: RunContext, obtained: ObtainedPlan, kept: PriorRun['ends']): Promise<Ended> {
  const { request, facts } = context;
  const checked = insertApprovals(obtained.checked, context.listing, context.capabilities);
  const hash = planHash(checked.plan, request.project);
  const before = priorOf(request)?.prior.planHash;
  if (before !== undefined && before !== hash) return notRun(otherPlan);
  facts.record([begins(context, { ...obtained, checked }, [...kept.keys()])]);
  const ends = await executePlan(context, checked, kept);
  const end = await finalAnswer(context, checked.plan, ends);
  const receipt = await receiptOf(context, end.answer);
  return { ...end, ...receipt, ends, planHash: hash, summaryHash: summaryHash(ends, request.project) };
}

/** A model that is asked for the answer can hang as well as any: a stop ends the wait. */
async function finalAnswer(context: RunContext, plan: Plan, ends: readonly NodeEnd[]): Promise<RunEnd> {
  const answering = answerRun(context, plan, ends);
  const end = context.life.signal.aborted
    ? await answering
    : await unlessAborted(answering, context.life.signal);
  return end ?? answerRun(context, plan, ends);
}

/** A run that Patina's own end stops is interrupted, not cancelled: it can go on when Patina is back. */
function close(run: Run, ended: Ended, patinaEnds: boolean): RunReport {
  const { ends, planHash: _hash, ...rest } = ended;
  const usage = run.meter.usage();
  const { runId } = run;
  const { turn } = run.request;
  run.facts.record([
    patinaEnds && ended.outcome === 'cancelled'
      ? { type: 'run-interrupted', turn, runId }
      : { type: 'run-ended', turn, runId, ...rest, usage },
  ]);
  run.facts.close();
  const nodes: readonly NodeReport[] = ends.map(({ id, status, summary, error, metrics, cached }) => ({
    ...{ id, status, summary, cached },
    ...(error && { error }),
    ...(metrics && { metrics }),
  }));
  const artifacts = ends.flatMap((end) => end.artifacts ?? []);
  const hash = ended.planHash === undefined ? {} : { planHash: ended.planHash };
  return { runId, ...rest, ...hash, nodes, artifacts, usage };
}
