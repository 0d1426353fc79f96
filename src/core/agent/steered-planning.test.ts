import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { waitingPlan } from '#shared/session-state';
import type { ModelEvent } from '../ports/llm';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createMemoryArtifacts } from '../../testing/in-process-sandbox';
import { createMemoryTexts } from '../../testing/memory-texts';
import { runOf } from '../../testing/sample-session';

const submit = (value: unknown, id = 'c1') => [
  { type: 'tool-call' as const, call: { id, name: 'submit_plan', argumentsJson: JSON.stringify(value) } },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const say = (text: string) => [
  { type: 'text' as const, text },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const writeA = "await tools.box.put({ row: 'a' }); return { summary: 'wrote a' };";
const writeB = "await tools.box.put({ row: 'b' }); return { summary: 'wrote b' };";
const first = { code: writeA, then: 'look' };
const second = { code: writeB, answer: 'Both.' };
const line = { lineId: 'line_1', text: 'Then b, please.' };
const queued: SessionFact = {
  ...{ type: 'line-queued', ...line, runMode: 'agent', model: { providerId: 'p', model: 'm' } },
  ...{ items: [], when: 'now' },
};

/** A reply that never comes; `onAsked` is called once it is asked for. */
const hanging = (onAsked: () => void): AsyncIterable<ModelEvent> => ({
  [Symbol.asyncIterator]: () => ({
    next: () => {
      onAsked();
      return new Promise(() => undefined);
    },
  }),
});

type Replies = NonNullable<AgentHarnessOptions['replies']>;

/** An agent to which the user says something now, once: when `steer` is called. */
function harness(repliesFor: (steer: () => void) => Replies, more: Partial<AgentHarnessOptions> = {}) {
  const tools = createInMemoryTools({
    'mcp://box.put': { readOnly: false, call: ({ row }) => ok(`put ${JSON.stringify(row)}`) },
  });
  const waiting: (typeof line)[] = [];
  const steer = (): void => {
    waiting.push(line);
    const { runId } = made.facts[0] as { runId: string };
    expect(made.agent.cancelStage(runId, true)).toBe(true);
  };
  const made = createAgentHarness({ tools, replies: repliesFor(steer), ...more });
  const run: typeof made.run = (request) =>
    made.run({ approve: 'all', steeringLines: () => waiting.splice(0), ...request });
  const lastMessages = () => made.requests.map(({ messages }) => messages.at(-1)?.content ?? '');
  return { ...made, run, steer, lastMessages, rows: () => tools.calls.map(({ args }) => args) };
}

const steeredFact = (stage: number) => {
  const { lineId } = line;
  return expect.objectContaining({ type: 'line-steered', lineId, stage, planning: true }) as unknown;
};

describe('a line for now while a model plans', () => {
  it('[QUE-planning] stops the planning of the next stage, joins its conversation, and the run goes on', async () => {
    const { run, rows, facts, requests, lastMessages } = harness((steer) => [
      submit(first),
      hanging(steer),
      submit(second, 'c2'),
    ]);
    const report = await run();
    expect(report).toMatchObject({ outcome: 'done', answer: expect.stringContaining('Both.') as string });
    expect(rows()).toEqual([{ row: 'a' }, { row: 'b' }]);
    expect(facts).toContainEqual(steeredFact(2));
    const [, observation = '', steered = ''] = lastMessages();
    expect(JSON.parse(observation)).toMatchObject({ nodes: [{ id: 'work', status: 'done' }] });
    expect(steered).toBe(`${observation}\n\n{"said":["${line.text}"]}`);
    expect(requests[2]?.messages.slice(0, -1)).toEqual(requests[1]?.messages.slice(0, -1));
    expect(runOf([queued, ...facts]).steered).toEqual([{ ...line, stage: 2, planning: true, now: true }]);
  });

  it('[QUE-planning] stops the first planning call, and the plan is not reused for the goal alone', async () => {
    const texts = createMemoryTexts();
    const steered = harness((steer) => [hanging(steer), submit(second)], { texts });
    expect(await steered.run()).toMatchObject({ outcome: 'done', source: 'model' });
    expect(steered.lastMessages()).toEqual(['Do it', `Do it\n\n${line.text}`]);
    const again = harness(() => [submit(second)], { texts });
    expect(await again.run()).toMatchObject({ source: 'model' });
  });

  it('[QUE-planning] answers a plan that waits for review, which does not run', async () => {
    const made = harness(() => [submit({ ...first, then: undefined, answer: 'A.' }), submit(second, 'c2')]);
    const proposed = made.seen('plan-proposed');
    const running = made.run({ review: 'plan' });
    await proposed;
    const proposedAgain = made.seen('plan-proposed');
    made.steer();
    await proposedAgain;
    expect(made.lastMessages()[1]).toContain(`The plan was not run`);
    expect(made.lastMessages()[1]).toContain(line.text);
    const state = runOf([queued, ...made.facts]);
    const { stage = 0, planHash = '' } = waitingPlan(state) ?? {};
    const judged = await made.agent.judgeReview('/srv/project', state, { stage, planHash });
    expect(judged.ok && made.agent.review(state.runId, judged.value)).toBe(true);
    expect(await running).toMatchObject({ outcome: 'done', stages: [{}] });
    expect(made.rows()).toEqual([{ row: 'b' }]);
  });

  it('[QUE-planning] shows no plan as waiting once a line has answered it, and ends with the words of the model', async () => {
    const made = harness(() => [submit(second), say('Fine, nothing.')]);
    const proposed = made.seen('plan-proposed');
    const running = made.run({ review: 'plan' });
    await proposed;
    made.steer();
    expect(await running).toMatchObject({ outcome: 'answered', answer: 'Fine, nothing.' });
    const steered = made.facts.findIndex(({ type }) => type === 'line-steered') + 1;
    expect(waitingPlan(runOf([queued, ...made.facts.slice(0, steered)]))).toBeNull();
    expect(made.rows()).toEqual([]);
  });

  it('[QUE-planning] resumes after an end between any two facts with the same conversation, and repeats no write', async () => {
    const whole = harness((steer) => [submit(first), hanging(steer), submit(second, 'c2')]);
    await whole.run();
    const { runId } = whole.facts[0] as { runId: string };
    const asked = JSON.stringify(whole.requests.at(-1)?.messages);
    const steeredAt = whole.facts.findIndex(({ type }) => type === 'line-steered');
    for (let end = steeredAt + 2; end < whole.facts.length; end += 1) {
      const facts: SessionFact[] = [
        queued,
        ...whole.facts.slice(0, end),
        { type: 'run-interrupted', turn: 0, runId },
      ];
      const prior = runOf(facts);
      if (prior.writes.some(({ outcome }) => outcome === 'unknown')) continue;
      const done = prior.writes.filter(({ outcome }) => outcome === 'done').length;
      const replies = prior.stages?.length === 2 ? [] : [submit(second, 'c2')];
      const again = harness(() => replies, { artifacts: createMemoryArtifacts() });
      const report = await again.run({ provided: { prior } });
      expect([end, report.outcome, again.rows().length]).toEqual([end, 'done', 2 - done]);
      if (replies.length > 0) expect(JSON.stringify(again.requests.at(-1)?.messages)).toBe(asked);
    }
  });
});
