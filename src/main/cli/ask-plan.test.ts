import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { Plan } from '#shared/plan';
import type { PlanDecision } from '#shared/plan-review';
import { planOf, scriptNode } from '../../testing/agent-plans';
import type { App } from '../app';
import { createPlanPrompts, planText } from './ask-plan';
import type { Terminal } from './output';
import { createTurns } from './turns';

const plan = planOf([
  scriptNode('read', 'return { summary: "read" };'),
  scriptNode('use', 'return { summary: "used" };', { deps: ['read'] }),
  scriptNode('write', 'await tools.fs.write({});', { tools: ['mcp://fs.write'], params: { path: 'src' } }),
]);
const waiting = { stage: 1, plan, planHash: 'shown', writes: { write: ['mcp://fs.write'] } };
const place = { sessionId: 's', runId: 'r' };

/** Reviews the plan with these answers, typed one after another. */
async function review(...answers: (string | null)[]) {
  const decisions: PlanDecision[] = [];
  const logged: string[] = [];
  let rejected = 0;
  const terminal = {
    log: (text: string) => logged.push(text),
    readLine: () => Promise.resolve(answers.shift() ?? null),
    inTurn: createTurns(),
  } as unknown as Terminal;
  const runs = {
    review: (_place: unknown, decision: PlanDecision) => {
      decisions.push(decision);
      return Promise.resolve(ok(null));
    },
    rejectPlan: () => {
      rejected += 1;
      return ok(null);
    },
  };
  const started = await createPlanPrompts({ runs } as unknown as Pick<App, 'runs'>, terminal).ask(
    place,
    waiting,
  );
  return { started, decisions, rejected, text: logged.join('\n') };
}

describe('review of a plan at the terminal', () => {
  it('[MAP-cost] shows the list that a model step runs over, and its approximate cost', () => {
    const sort = { id: 'sort', title: 'Sort', kind: 'llm' as const, deps: ['list'], prompt: 'Sort it.' };
    const mapped = { stage: 2, plan: { ...plan, nodes: [{ ...sort, each: 'list.rows', parallel: 2 }] } };
    const shown = planText({ ...mapped, cost: { items: 60, inputTokens: 12_400, maxTokens: 240_000 } });
    expect(shown).toContain('once for each item of: list.rows (2 at a time)');
    expect(shown).toContain(
      'model calls: 60; about 12,400 input tokens, at most 240,000 tokens (price unknown)',
    );
    const priced = planText({
      ...mapped,
      cost: { items: 60, inputTokens: null, maxTokens: 240_000, maxUsd: 2.4 },
    });
    expect(priced).toContain('model calls: 60; at most 240,000 tokens, which would cost about $2.40');
    const unknown = planText({ ...mapped, cost: null });
    expect(unknown).toContain('one for each item of a list that is not known yet');
  });

  it('[LOCAL-recipe] says which recipe or tool a model chose', () => {
    const about = (more: object) => planText({ stage: 1, plan, ...more });
    expect(about({ suggested: true, recipeId: 'count_todos' })).toContain('chose the recipe count_todos.');
    expect(about({ suggested: true })).toContain(`chose the tool “${plan.nodes[0]?.title}”.`);
    expect(about({})).not.toContain('chose');
  });

  it('[REV-cli] shows every step with its inputs, expected writes and code, and runs it on yes', async () => {
    const { started, decisions, text } = await review('y');
    expect(started).toBe(true);
    expect(decisions).toEqual([{ stage: 1, planHash: 'shown' }]);
    expect(text).toContain('2. use  (use, script)');
    expect(text).toContain('inputs: read');
    expect(text).toContain('writes with: mcp://fs.write');
    expect(text).toContain('return { summary: "used" };');
  });

  it('[REV-cli] removes a step with its dependents, but never the last one', async () => {
    const { decisions, text } = await review('r 1', 'r 9', 'r 1', 'yes');
    expect(text).toContain('Removed: read, use.');
    expect(text).toContain('There is no step 9.');
    expect(text).toContain('A plan needs at least one step.');
    expect((decisions[0]?.plan as Plan).nodes.map(({ id }) => id)).toEqual(['write']);
  });

  it('[REV-cli] asks again after an answer that it does not know, and keeps the edits', async () => {
    const { decisions, rejected, text } = await review('r 1', 'help', 'r', 'y');
    expect(text).toContain('“help” is not an answer: y runs the plan, n cancels the run.');
    expect(text).toContain('“r” is not an answer');
    expect(rejected).toBe(0);
    expect((decisions[0]?.plan as Plan).nodes.map(({ id }) => id)).toEqual(['write']);
  });

  it('[REV-params] changes the parameters and the order of steps, and sends the plan as edited', async () => {
    const { decisions, text } = await review(
      'e 2',
      'e 3',
      '[1]',
      'e 3',
      '{"path":"docs"}',
      'u 3',
      'u 2',
      'y',
    );
    expect(text).toContain('parameter path: "src"');
    expect(text).toContain('This step has no parameters.');
    expect(text).toContain('Parameters are one JSON object.');
    expect(text).toContain('Moved up: write.');
    const { nodes } = decisions[0]?.plan as Plan;
    expect(nodes.map(({ id }) => id)).toEqual(['write', 'read', 'use']);
    expect(nodes[0]?.params).toEqual({ path: 'docs' });
  });

  it('[REV-cli] shows the answer, and changes it where a removed step left it without its result', async () => {
    const { decisions, text } = await review('e 3', '{', 'a', '', 'answer', 'Only {{write.n}}.', 'p', 'y');
    expect(text).toContain('This is not valid JSON: ');
    expect(text).toContain('answer:\n     Done.');
    expect(text).toContain('answer:\n     Only {{write.n}}.');
    expect((decisions[0]?.plan as Plan).answer).toBe('Only {{write.n}}.');
    expect(planText({ stage: 1, plan: { ...plan, answer: { llm: true } } })).not.toContain('answer:');
  });

  it.each(['', 'n', 'NO', 'cancel', null])('[REV-cli] cancels the run on %j', async (answer) => {
    const { started, decisions, rejected } = await review(answer);
    expect({ started, decisions, rejected }).toEqual({ started: false, decisions: [], rejected: 1 });
  });
});
