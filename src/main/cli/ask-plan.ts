import { isObject, parseJson } from '#shared/json';
import { maxParallelItems, type Plan, type PlanNode } from '#shared/plan';
import { movedPlan, withDependants, withNode } from '#shared/plan-edit';
import type { ModelCost } from '#shared/plan-review';
import { dollars } from '#shared/usage-report';
import type { SessionEvent } from '#shared/session-event';
import type { App } from '../app';
import type { RunReport } from '../../core/ports/agent';
import type { RunRef } from '../../core/session/run-controls';
import { describeError, type Terminal } from './output';

interface Shown {
  readonly stage: number;
  readonly plan: Plan;
  readonly writes?: RunReport['expectedWrites'];
  readonly cost?: RunReport['expectedCost'];
  /** A model chose this recipe, or without it a tool. */
  readonly recipeId?: string | undefined;
  readonly suggested?: true | undefined;
}

type Waiting = Shown & { readonly planHash: string };

const indented = (text: string): string =>
  text
    .split('\n')
    .map((line) => `     ${line}`)
    .join('\n');

function stepText(node: PlanNode, number: number, writes: readonly string[]): string {
  const { id, title, kind, deps, code, prompt, each, parallel = maxParallelItems, tools = [] } = node;
  const params = Object.entries(node.params ?? {});
  const reads = tools.filter((tool) => !writes.includes(tool));
  return [
    `${String(number).padStart(2)}. ${title}  (${id}, ${kind})`,
    ...(deps.length > 0 ? [`    inputs: ${deps.join(', ')}`] : []),
    ...(each === undefined ? [] : [`    once for each item of: ${each} (${parallel} at a time)`]),
    ...(reads.length > 0 ? [`    reads with: ${reads.join(', ')}`] : []),
    ...(writes.length > 0 ? [`    writes with: ${writes.join(', ')}`] : []),
    ...params.map(([name, value]) => `    parameter ${name}: ${JSON.stringify(value)}`),
    ...[code, prompt].flatMap((text) => (text === undefined ? [] : [indented(text)])),
  ].join('\n');
}

/** About what the model steps will cost, before they run. */
function costText(cost: ModelCost | null): string {
  if (!cost) return 'model calls: one for each item of a list that is not known yet';
  const count = (number: number): string => number.toLocaleString('en');
  const input = cost.inputTokens === null ? '' : `about ${count(cost.inputTokens)} input tokens, `;
  const price =
    cost.maxUsd === undefined ? ' (price unknown)' : `, which would cost about ${dollars(cost.maxUsd)}`;
  return `model calls: ${count(cost.items)}; ${input}at most ${count(cost.maxTokens)} tokens${price}`;
}

/** A proposed plan as text for people: its steps with their inputs, expected writes and code. */
export function planText({ stage, plan, writes = {}, cost, recipeId, suggested }: Shown): string {
  const steps = plan.nodes.map((node, at) => stepText(node, at + 1, writes[node.id] ?? []));
  const rules = plan.constraints.map((text) => `constraint: ${text}`);
  const { answer } = plan;
  const answers = typeof answer === 'string' && answer !== '' ? [`answer:\n${indented(answer)}`] : [];
  const costs = cost === undefined ? [] : [costText(cost)];
  const what = recipeId === undefined ? `tool “${plan.nodes[0]?.title ?? ''}”` : `recipe ${recipeId}`;
  const chosen = suggested ? [`The model chose the ${what}. Check that it is what you meant.`] : [];
  return [
    `The plan of stage ${stage}, which has not started:`,
    ...chosen,
    ...rules,
    ...steps,
    ...answers,
    ...costs,
  ].join('\n');
}

/** The plan without one step and the steps that need it; the ids of all of them. */
function withoutStep(plan: Plan, id: string): { readonly plan: Plan; readonly removed: readonly string[] } {
  const removed = withDependants(plan, id).map((node) => node.id);
  return { plan: { ...plan, nodes: plan.nodes.filter((node) => !removed.includes(node.id)) }, removed };
}

/** The plan as the user edited it; its cost is not computed again. */
function edited({ cost, ...shown }: Shown, plan: Plan): Shown {
  return { ...shown, plan, ...(plan === shown.plan && cost !== undefined && { cost }) };
}

/** Shows each proposed plan and asks whether to run it, to change its steps or to cancel the run. */
export function createPlanPrompts(app: Pick<App, 'runs'>, terminal: Terminal) {
  const closed = new AbortController();
  /** Ends the question about the plan of a run. */
  const withdrawals = new Map<string, AbortController>();

  const run = async (place: RunRef, shown: Waiting, plan: Plan): Promise<boolean> => {
    const { stage, planHash } = shown;
    const decision = { stage, planHash, ...(plan !== shown.plan && { plan }) };
    const started = await app.runs.review(place, decision, { resume: false });
    if (!started.ok) terminal.log(describeError(started.error));
    return started.ok;
  };

  const stepAt = (plan: Plan, number: string): PlanNode | undefined => {
    const step = plan.nodes[Number(number) - 1];
    if (!step) terminal.log(`There is no step ${number}.`);
    return step;
  };

  const remove = (plan: Plan, number: string): Plan => {
    const step = stepAt(plan, number);
    if (!step) return plan;
    const { plan: left, removed } = withoutStep(plan, step.id);
    if (left.nodes.length === 0) {
      terminal.log('A plan needs at least one step. Cancel the run instead.');
      return plan;
    }
    terminal.log(`Removed: ${removed.join(', ')}.`);
    return left;
  };

  const moveUp = (plan: Plan, number: string): Plan => {
    const step = stepAt(plan, number);
    const moved = step && movedPlan(plan, step.id, -1);
    if (step && !moved) terminal.log('It cannot move up: it is the first step, or it needs the one before.');
    if (step && moved) terminal.log(`Moved up: ${step.id}.`);
    return moved ?? plan;
  };

  /** Asks for other parameters of a step; empty input keeps them. */
  const setParams = async (plan: Plan, number: string, signal: AbortSignal): Promise<Plan> => {
    const step = stepAt(plan, number);
    if (!step) return plan;
    if (Object.keys(step.params ?? {}).length === 0) {
      terminal.log('This step has no parameters.');
      return plan;
    }
    terminal.log(JSON.stringify(step.params));
    const line = await terminal.readLine('Parameters, as JSON: ', { signal, discardTypeahead: true });
    const answer = line?.trim() ?? '';
    if (answer === '') return plan;
    const value = parseJson(answer);
    if (value.ok && isObject(value.value)) return withNode(plan, step.id, { params: value.value });
    terminal.log(value.ok ? 'Parameters are one JSON object.' : `This is not valid JSON: ${value.error}.`);
    return plan;
  };

  /** Asks for another answer, which may refer to a step that was removed; empty input keeps it. */
  const setAnswer = async (plan: Plan, signal: AbortSignal): Promise<Plan> => {
    if (typeof plan.answer !== 'string' || plan.answer === '') {
      terminal.log('This plan has no answer of its own.');
      return plan;
    }
    terminal.log(plan.answer);
    const line = await terminal.readLine('Answer: ', { signal, discardTypeahead: true });
    const answer = line?.trim() ?? '';
    return answer === '' ? plan : { ...plan, answer };
  };

  /** The plan after one edit; undefined when the answer asks for none. */
  const edit = async (plan: Plan, answer: string, signal: AbortSignal): Promise<Plan | undefined> => {
    if (/^a(nswer)?$/i.test(answer)) return setAnswer(plan, signal);
    const [, word = '', number = ''] = /^([a-z]+)\s*(\d+)$/i.exec(answer) ?? [];
    switch (word.toLowerCase()) {
      case 'r':
      case 'remove':
        return remove(plan, number);
      case 'u':
      case 'up':
        return moveUp(plan, number);
      case 'e':
      case 'edit':
        return setParams(plan, number, signal);
      default:
        return undefined;
    }
  };

  /** Asks until the plan runs (true) or the user rejects it. */
  const ask = async (place: RunRef, shown: Waiting, signal = closed.signal): Promise<boolean> => {
    let { plan } = shown;
    terminal.log(`\n${planText(shown)}`);
    for (;;) {
      const prompt =
        'Run this plan? [y/N], or r 2 to remove step 2, u 2 to move it up, e 2 to change its parameters, a to change the answer, p to print it again ';
      const line = await terminal.readLine(prompt, { signal, discardTypeahead: true });
      if (signal.aborted) return false;
      const answer = line?.trim() ?? '';
      const next = await edit(plan, answer, signal);
      if (next) plan = next;
      else if (/^p(rint)?$/i.test(answer)) terminal.log(planText(edited(shown, plan)));
      else if (/^(n|no|cancel)?$/i.test(answer)) {
        const rejected = app.runs.rejectPlan(place);
        if (!rejected.ok) terminal.log(describeError(rejected.error));
        return false;
      } else if (!/^(y|yes|run)$/i.test(answer))
        terminal.log(`“${answer}” is not an answer: y runs the plan, n cancels the run.`);
      else if (await run(place, shown, plan)) return true;
    }
  };

  return {
    ask: (place: RunRef, shown: Waiting): Promise<boolean> => terminal.inTurn(() => ask(place, shown)),
    onEvents(events: readonly SessionEvent[]): void {
      for (const event of events) {
        // A line that joins the planning replaces the plan that waits.
        if (event.type === 'line-steered' && event.planning) withdrawals.get(event.runId)?.abort();
        if (event.type !== 'plan-proposed') continue;
        const { sessionId, runId } = event;
        const withdrawal = new AbortController();
        withdrawals.set(runId, withdrawal);
        const signal = AbortSignal.any([closed.signal, withdrawal.signal]);
        void terminal.inTurn(async () => {
          if (!signal.aborted) await ask({ sessionId, runId }, event, signal);
        });
      }
    },
    close: (): void => closed.abort(),
  };
}
