import { describe, expect, it } from 'vitest';
import { runOf, sampleBudgets, sampleHash, sampleModel, samplePlan } from '../testing/sample-session';
import { appError } from './app-error';
import type { Plan } from './plan';
import { workedMs } from './run-spent';
import type { CallRecord, SessionFact } from './session-event';
import { waitingPlan, type RunState } from './session-state';

const run = { turn: 0, runId: 'r' } as const;
const usage = { modelTurns: 1, inputTokens: 100, outputTokens: 20 };
const failure = appError('TOOL', 'FAILED', 'The server refused it. Try again.');
/** In `runOf`, the second fact after the line is the first of these; each is one second after the one before. */
const firstAt = 1_003_000;

const started: SessionFact = { type: 'run-started', ...run, goal: 'count', budgets: sampleBudgets };
const planMade = (plan: Plan = samplePlan, more: object = {}): SessionFact => ({
  type: 'plan-made',
  ...run,
  plan,
  planHash: 'p1',
  source: 'model',
  ...more,
});
const planOf = (...ids: readonly string[]): Plan => ({
  ...samplePlan,
  nodes: ids.map((id) => ({ id, title: id, deps: [], kind: 'script', code: 'return {};' })),
});
const begins = (nodeId: string): SessionFact => ({ type: 'node-started', ...run, nodeId });
const ends = (nodeId: string, status: 'done' | 'failed' = 'done', more: object = {}): SessionFact => ({
  type: 'node-ended',
  ...run,
  nodeId,
  status,
  summary: `${nodeId} ${status}`,
  cached: false,
  ...more,
});
const calls = (nodeId: string, callId: string, more: Partial<CallRecord> = {}): SessionFact => ({
  type: 'tool-called',
  ...run,
  nodeId,
  call: { callId, tool: 't', argumentsPreview: '', outcome: 'done', ms: 1, bytes: 1, ...more },
});
const asks = (approvalId: string, nodeId = 'write', more: object = {}): SessionFact => ({
  type: 'approval-requested',
  ...run,
  nodeId,
  approvalId,
  tool: 'mcp://filesystem.write_file',
  arguments: { path: 'a.md' },
  hash: sampleHash,
  ...more,
});
const answers = (approvalId: string, approved = true, said?: string): SessionFact => ({
  type: 'approval-answered',
  ...run,
  approvalId,
  approved,
  hash: sampleHash,
  ...(said !== undefined && { said }),
});
const runEnds = (more: object = {}): SessionFact => ({
  type: 'run-ended',
  ...run,
  outcome: 'done',
  answer: 'Twelve.',
  usage,
  ...more,
});
const interrupted: SessionFact = { type: 'run-interrupted', ...run };

/** The run after a plan was made and these facts. */
const planned = (...facts: readonly SessionFact[]): RunState => runOf([started, planMade(), ...facts]);
const node = ({ nodes }: RunState, id: string) => nodes.find((one) => one.id === id);

describe('a step', () => {
  it('is pending, runs, and ends with what it gave back', () => {
    expect(node(planned(), 'list')).toEqual({
      id: 'list',
      status: 'pending',
      summary: '',
      calls: [],
      callCount: 0,
      cached: false,
    });
    const result = {
      state: { total: 12 },
      artifacts: [{ type: 'text/plain', handle: `artifact://sha256/${sampleHash}`, bytes: 1 }],
      metrics: { cpu_ms: 1, mem_mb: 1, tool_calls: 0, wall_ms: 1 },
      usage,
      items: { of: 3, failed: 1 },
      log: ['listed'],
      error: failure,
      origins: [{ source: 'mcp://web.get', nodeId: 'list', trusted: false }],
    };
    expect(node(planned(begins('list'), ends('list', 'failed', result)), 'list')).toEqual({
      id: 'list',
      status: 'failed',
      summary: 'list failed',
      calls: [],
      callCount: 0,
      cached: false,
      startedAt: firstAt + 1_000,
      endedAt: firstAt + 2_000,
      ...result,
    });
  });

  it('names the snapshot of its last start', () => {
    const snapshot = 'b'.repeat(64);
    const one = planned({ type: 'node-started', ...run, nodeId: 'list', snapshot });
    expect(node(one, 'list')).toMatchObject({ status: 'running', snapshot });
  });

  it('says how many of its items it has behind it', () => {
    const progressed: SessionFact = { type: 'node-progressed', ...run, nodeId: 'list', done: 2, of: 5 };
    expect(node(planned(begins('list'), progressed), 'list')?.progress).toEqual({ done: 2, of: 5 });
  });

  it('keeps its newest 200 calls and counts all of them', () => {
    const many = Array.from({ length: 205 }, (_, index) => calls('list', `c${index}`));
    const { calls: shown = [], callCount } = node(planned(begins('list'), ...many), 'list') ?? {};
    expect([shown.length, shown[0]?.callId, shown.at(-1)?.callId, callCount]).toEqual([
      200,
      'c5',
      'c204',
      205,
    ]);
    expect(shown[0]?.endedAt).toBe(firstAt + 7_000);
  });

  it('keeps its first start and lists its failed attempts when it is tried again', () => {
    const failed: SessionFact = {
      type: 'attempt-failed',
      ...run,
      nodeId: 'list',
      error: failure,
      waitMs: 500,
    };
    const waiting = node(planned(begins('list'), failed), 'list');
    const attempt = { error: failure, at: firstAt + 2_000, retryAt: firstAt + 2_500 };
    expect(waiting?.failedAttempts).toEqual([{ ...attempt, retried: false }]);
    const again = node(planned(begins('list'), failed, begins('list')), 'list');
    expect(again).toMatchObject({
      status: 'running',
      startedAt: firstAt + 1_000,
      failedAttempts: [{ ...attempt, retried: true }],
    });
  });

  it('that the plan does not have changes nothing', () => {
    const before = planned();
    expect(planned(begins('other'), ends('other')).nodes).toEqual(before.nodes);
  });
});

describe('an approval', () => {
  it('is open while its step waits, with all that its card shows', () => {
    const shown = {
      card: 'card-1',
      origins: [{ source: 'mcp://web.get', nodeId: 'list', trusted: false }],
      file: { kind: 'unknown', path: 'a.md' },
      undo: 'possible',
      again: true,
      flows: [{ from: 'web', to: 'mail' }],
      names: [{ value: '7', name: 'Ada', source: 'mcp://people.get' }],
      labels: { path: 'Path' },
      sources: [{ argument: 'path', tools: ['mcp://web.get'] }],
    };
    const waiting = planned(begins('write'), asks('a1', 'write', shown));
    expect(waiting.approvals).toEqual([
      {
        approvalId: 'a1',
        nodeId: 'write',
        tool: 'mcp://filesystem.write_file',
        arguments: { path: 'a.md' },
        hash: sampleHash,
        status: 'open',
        ...shown,
      },
    ]);
    expect(node(waiting, 'write')?.status).toBe('waiting');
  });

  it('lets its step run only when no other approval of that step is open', () => {
    const waiting = [begins('list'), begins('write'), asks('a1'), asks('a2'), asks('b1', 'list')];
    const one = planned(...waiting, answers('a1'));
    expect([node(one, 'write')?.status, node(one, 'list')?.status]).toEqual(['waiting', 'waiting']);
    const both = planned(...waiting, answers('a1'), answers('a2', false));
    expect([node(both, 'write')?.status, node(both, 'list')?.status]).toEqual(['running', 'waiting']);
    expect(both.approvals.map(({ status }) => status)).toEqual(['approved', 'denied', 'open']);
  });

  it('keeps what the user wants instead', () => {
    const denied = planned(begins('write'), asks('a1'), answers('a1', false, 'Use b.md'));
    expect(denied.approvals[0]).toMatchObject({ status: 'denied', said: 'Use b.md' });
  });

  it('that was never requested cannot be answered', () => {
    const before = planned(begins('write'), asks('a1'));
    const after = planned(begins('write'), asks('a1'), answers('a9'));
    expect([after.approvals, after.nodes]).toEqual([before.approvals, before.nodes]);
  });

  it('that the user edited shows the new call alone, and remembers the first arguments of several edits', () => {
    const edit = (path: string, more: object = {}): SessionFact => ({
      type: 'approval-edited',
      ...run,
      approvalId: 'a1',
      arguments: { path },
      hash: path,
      ...more,
    });
    const shown = { file: { kind: 'unknown', path: 'a.md' }, undo: 'possible', sources: [] };
    const first = planned(begins('write'), asks('a1', 'write', shown), edit('b.md'));
    expect(first.approvals[0]).toEqual({
      approvalId: 'a1',
      nodeId: 'write',
      tool: 'mcp://filesystem.write_file',
      arguments: { path: 'b.md' },
      originalArguments: { path: 'a.md' },
      hash: 'b.md',
      edited: true,
      status: 'open',
    });
    const file = { kind: 'unknown', path: 'c.md' };
    const second = planned(begins('write'), asks('a1', 'write', shown), edit('b.md'), edit('c.md', { file }));
    expect(second.approvals[0]).toMatchObject({
      arguments: { path: 'c.md' },
      originalArguments: { path: 'a.md' },
      file,
    });
  });

  it('that was answered is not edited any more', () => {
    const late: SessionFact = {
      type: 'approval-edited',
      ...run,
      approvalId: 'a1',
      arguments: { path: 'evil.md' },
      hash: 'h',
    };
    const approved = planned(begins('write'), asks('a1'), answers('a1'), late);
    expect(approved.approvals[0]).toMatchObject({ arguments: { path: 'a.md' }, hash: sampleHash });
    expect(approved.approvals[0]).not.toHaveProperty('edited');
  });

  it('expires when its run ends, but stays open in one that was interrupted', () => {
    const waiting = [begins('write'), asks('a1'), asks('a2'), answers('a2')];
    expect(planned(...waiting, runEnds()).approvals.map(({ status }) => status)).toEqual([
      'expired',
      'approved',
    ]);
    expect(planned(...waiting, interrupted).approvals.map(({ status }) => status)).toEqual([
      'open',
      'approved',
    ]);
  });
});

describe('a proposed plan', () => {
  const proposed = (more: object = {}): SessionFact => ({
    type: 'plan-proposed',
    ...run,
    stage: 1,
    plan: samplePlan,
    planHash: 'p1',
    source: 'recipe',
    ...more,
  });
  const reviewed = (stage: number, more: object = {}): SessionFact => ({
    type: 'plan-reviewed',
    ...run,
    stage,
    planHash: 'p2',
    by: 'user',
    changes: [],
    ...more,
  });
  const changes = [{ type: 'removed', id: 'hash', title: 'Hash them' }];

  it('waits with all that its review shows', () => {
    const more = {
      recipeId: 'count-files',
      params: { folder: 'docs' },
      look: true,
      suggested: true,
      writes: { write: ['mcp://filesystem.write_file'] },
      cost: { items: 1, inputTokens: null, maxTokens: 10 },
      following: [planOf('later')],
    };
    const waiting = runOf([started, proposed(more)]);
    expect(waiting.proposal).toEqual({
      stage: 1,
      plan: samplePlan,
      planHash: 'p1',
      source: 'recipe',
      ...more,
    });
    expect(waitingPlan(waiting)).toBe(waiting.proposal);
    expect(runOf([started, proposed({ cost: null })]).proposal?.cost).toBeNull();
    expect(runOf([started, proposed()]).proposal).not.toHaveProperty('cost');
  });

  it('waits no more once the user ran it; a review of another stage does not count', () => {
    expect(waitingPlan(runOf([started, proposed(), reviewed(2)]))).not.toBeNull();
    const ran = runOf([started, proposed(), reviewed(1, { changes, params: { folder: 'src' } })]);
    expect(waitingPlan(ran)).toBeNull();
    expect(ran.proposal?.reviewed).toEqual({ planHash: 'p2', changes, params: { folder: 'src' } });
    expect(runOf([started, reviewed(1)]).proposal).toBeUndefined();
  });

  it('is gone when its stage begins, which names what the user changed and who chose it', () => {
    const made = runOf([started, proposed({ suggested: true }), reviewed(1, { changes }), planMade()]);
    expect(made.proposal).toBeUndefined();
    expect(made).toMatchObject({ status: 'running', suggested: true, stages: [{ stage: 1, changes }] });
    const same = runOf([started, proposed(), reviewed(1), planMade()]);
    expect(same.stages?.[0]).not.toHaveProperty('changes');
    expect(same).not.toHaveProperty('suggested');
  });

  it.each<[string, SessionFact, boolean]>([
    ['ended', runEnds({ outcome: 'cancelled' }), false],
    ['was interrupted', interrupted, true],
  ])('of a run that %s waits for the user only if it can go on', (_name, end, waits) => {
    expect(waitingPlan(runOf([started, proposed(), end])) !== null).toBe(waits);
  });
});

describe('a later stage', () => {
  const second = planMade(planOf('list', 'more'), { stage: 2, planHash: 'p2', announces: { ask: 'more' } });

  it('adds its steps and replaces those whose ids it uses again', () => {
    const failed = planned(begins('list'), ends('list', 'failed'), begins('hash'), ends('hash'));
    const next = planned(begins('list'), ends('list', 'failed'), begins('hash'), ends('hash'), second);
    expect(next.nodes.map(({ id, status }) => [id, status])).toEqual([
      ['hash', 'done'],
      ['write', 'pending'],
      ['list', 'pending'],
      ['more', 'pending'],
    ]);
    expect(next.plan?.nodes.map(({ id }) => id)).toEqual(['hash', 'write', 'list', 'more']);
    expect(next.stages?.[1]).toMatchObject({
      stage: 2,
      planHash: 'p2',
      replaced: [node(failed, 'list')],
      announces: { ask: 'more' },
    });
    expect(next.planHash).toBe('p2');
  });

  it('counts the writes and approvals before it', () => {
    const write: SessionFact = {
      type: 'write-intended',
      ...run,
      nodeId: 'write',
      callId: 'w',
      tool: 't',
      arguments: {},
      hash: 'h',
    };
    const { stages } = planned(begins('write'), asks('a1'), answers('a1'), write, second);
    expect(stages?.map(({ writes, approvals }) => [writes, approvals])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  it('merges the approval nodes that the host inserted in each stage', () => {
    const first = planMade(samplePlan, { announces: { ask1: 'write' } });
    expect(runOf([started, first, second]).announces).toEqual({ ask1: 'write', ask: 'more' });
    expect(planned()).not.toHaveProperty('announces');
  });

  it('alone gets the hash of its summary', () => {
    const ended: SessionFact = { type: 'stage-ended', ...run, stage: 2, summaryHash: 's2' };
    expect(planned(second, ended).stages?.map(({ summaryHash }) => summaryHash)).toEqual([undefined, 's2']);
    expect(runOf([started, ended])).not.toHaveProperty('stages');
  });
});

describe('a run that ends', () => {
  it('has its outcome, its answer and what the answer is', () => {
    const more = {
      writesFrom: 3,
      answerCached: true,
      asks: true,
      ranOut: 'tokens',
      summaryHash: 's',
      error: failure,
    };
    expect(planned({ type: 'run-paused', ...run }, runEnds({ outcome: 'partial', ...more }))).toMatchObject({
      status: 'partial',
      paused: false,
      answer: 'Twelve.',
      usage,
      endedAt: firstAt + 2_000,
      ...more,
    });
  });

  it('by an interruption leaves no step at work', () => {
    const stopped = planned(
      begins('list'),
      ends('list'),
      begins('hash'),
      begins('write'),
      asks('a'),
      interrupted,
    );
    expect(stopped.nodes.map(({ status }) => status)).toEqual(['done', 'cancelled', 'cancelled']);
    expect(node(stopped, 'hash')?.endedAt).toBe(stopped.endedAt);
    expect(stopped).toMatchObject({ status: 'interrupted', paused: false });
  });
});

describe('a resumed run', () => {
  const resumed = (kept: string[], more: object = {}): SessionFact => ({
    type: 'run-resumed',
    ...run,
    kept,
    ...more,
  });
  const work = [begins('list'), ends('list'), begins('hash'), ends('hash', 'failed'), begins('write')];

  it('keeps the results that it reuses, runs the rest again, and has no end any more', () => {
    const end = runEnds({ asks: true, ranOut: 'time', error: failure, writesFrom: 1, answerCached: true });
    const again = planned(...work, asks('a1'), end, resumed(['list']));
    expect(again.nodes.map(({ status, summary }) => [status, summary])).toEqual([
      ['done', 'list done'],
      ['pending', ''],
      ['pending', ''],
    ]);
    expect(again.status).toBe('running');
    for (const field of ['endedAt', 'answer', 'error', 'writesFrom', 'answerCached', 'asks', 'ranOut'])
      expect(again).not.toHaveProperty(field);
  });

  it('expires the approvals that no call waits for', () => {
    const again = planned(begins('write'), asks('a1'), interrupted, resumed([]));
    expect(again.approvals.map(({ status }) => status)).toEqual(['expired']);
  });

  it('without a plan goes on with planning', () => {
    expect(runOf([started, interrupted, resumed([])]).status).toBe('planning');
  });

  it('lists the steps that the user runs again, with the writes and approvals before', () => {
    const again = planned(...work, asks('a1'), runEnds(), resumed(['list'], { rerun: ['hash'] }));
    expect(again.reruns).toEqual([{ nodes: ['hash'], writes: 0, approvals: 1 }]);
    expect(planned(...work, interrupted, resumed(['list']))).not.toHaveProperty('reruns');
  });

  it('gets its tokens back after its end, but not after an interruption', () => {
    const called: SessionFact = {
      type: 'model-called',
      ...run,
      part: 'node',
      model: sampleModel,
      usage,
      ms: 1,
    };
    const after = (end: SessionFact) => planned(called, end, resumed([])).spent;
    expect(after(runEnds())?.tokens).toBe(0);
    expect(after(interrupted)?.tokens).toBe(120);
  });

  it('takes new budgets, and counts from now', () => {
    const budgets = { ...sampleBudgets, run: { ...sampleBudgets.run, tool_calls: 7 } };
    const again = planned(calls('list', 'c'), runEnds(), resumed([], { budgets }));
    expect(again.budgets?.run.tool_calls).toBe(7);
    expect(again.spent).toEqual({ since: firstAt + 3_000, calls: 0, tokens: 0, waitedMs: 0 });
  });
});

describe('what a run spent', () => {
  const spent = (...facts: readonly SessionFact[]) => planned(...facts).spent;

  it('counts calls, and the tokens of planning, replanning and steps', () => {
    const failed: SessionFact = { type: 'replan-failed', ...run, error: failure, usage };
    expect(
      spent(calls('list', 'c1'), calls('list', 'c2'), ends('list', 'done', { usage }), failed),
    ).toMatchObject({ calls: 2, tokens: 240 });
    expect(runOf([started, planMade(samplePlan, { usage })]).spent?.tokens).toBe(120);
  });

  it('is what the run says at its end, which counts every model call', () => {
    expect(spent(ends('list', 'done', { usage }), runEnds())?.tokens).toBe(120);
  });

  it('is not counted in a run whose budgets are unknown', () => {
    const old: SessionFact = { type: 'run-started', ...run, goal: 'count' };
    expect(runOf([old, planMade(), calls('list', 'c')])).not.toHaveProperty('spent');
  });

  it.each<[string, SessionFact, SessionFact]>([
    ['an open approval', asks('a1'), answers('a1')],
    ['a pause', { type: 'run-paused', ...run }, { type: 'run-continued', ...run }],
    [
      'a proposed plan',
      { type: 'plan-proposed', ...run, stage: 2, plan: samplePlan, planHash: 'p2', source: 'model' },
      { type: 'plan-reviewed', ...run, stage: 2, planHash: 'p2', by: 'user', changes: [] },
    ],
  ])('leaves out the time of %s', (_name, wait, over) => {
    // One second each: the plan, the wait, a call meanwhile, its end.
    const before = spent(wait, calls('list', 'c1'));
    expect(before).toMatchObject({ waitedMs: 0, waitingSince: firstAt + 1_000 });
    const after = spent(wait, calls('list', 'c1'), over);
    expect(after).toMatchObject({ waitedMs: 2_000 });
    expect(after).not.toHaveProperty('waitingSince');
    expect(after && workedMs(after, firstAt + 4_000)).toBe(3_000);
  });

  it('does not wait for the user in a run that ended', () => {
    expect(spent(asks('a1'), interrupted)).not.toHaveProperty('waitingSince');
  });
});

it('adds up the model calls of a run, and names the last model', () => {
  const call = (model: string): SessionFact => ({
    type: 'model-called',
    ...run,
    part: 'node',
    model: { providerId: 'local', model },
    usage,
    ms: 1,
  });
  expect(planned(call('one'), call('two'))).toMatchObject({
    model: { model: 'two' },
    called: { modelTurns: 2, inputTokens: 200, outputTokens: 40 },
  });
});

it('records the conversation of planning in order', () => {
  const declared: SessionFact = { type: 'planning-started', ...run, declared: 'tools' };
  const parts = [{ type: 'text' as const, text: 'Plan' }];
  const said: SessionFact = { type: 'model-step-ended', ...run, stage: 1, parts };
  const answered = (callId?: string): SessionFact => ({
    type: 'planning-answered',
    ...run,
    stage: 1,
    content: 'ok',
    ...(callId !== undefined && { callId }),
  });
  const talked = planned(declared, said, answered(), answered('c1'));
  expect(talked.declared).toBe('tools');
  expect(talked.said).toEqual([
    { role: 'assistant', stage: 1, parts },
    { role: 'host', stage: 1, content: 'ok' },
    { role: 'host', stage: 1, content: 'ok', callId: 'c1' },
  ]);
});

it('collects the permissions of its cards', () => {
  const grant = (id: string) => ({
    id,
    decision: 'allow' as const,
    tool: 't',
    where: {},
    reach: { kind: 'run' as const, runId: 'r' },
    at: 1,
  });
  const given = (id: string): SessionFact => ({ type: 'grants-given', ...run, grants: [grant(id)] });
  expect(planned(given('g1'), given('g2')).grants?.map(({ id }) => id)).toEqual(['g1', 'g2']);
});

describe('a replan', () => {
  const asked: SessionFact = { type: 'replan-started', ...run, failed: ['hash'] };
  const revised = (more: object = {}): SessionFact => ({
    type: 'plan-revised',
    ...run,
    plan: planOf('list', 'hash2', 'write'),
    planHash: 'p2',
    kept: ['list'],
    ...more,
  });
  const work = [begins('list'), ends('list'), begins('hash'), ends('hash', 'failed')];

  it('keeps what is done, and replaces the failed step and what depends on it', () => {
    const next = planned(...work, asked, revised());
    expect(next.nodes.map(({ id, status }) => [id, status])).toEqual([
      ['list', 'done'],
      ['hash2', 'pending'],
      ['write', 'pending'],
    ]);
    expect(next.revisions).toMatchObject([
      {
        status: 'made',
        at: firstAt + 5_000,
        failed: ['hash'],
        added: ['hash2', 'write'],
        replaced: [{ id: 'hash', status: 'failed' }, { id: 'write' }],
        writes: 0,
        approvals: 0,
        origins: [],
      },
    ]);
    expect(next).toMatchObject({ planHash: 'p2', stages: [{ planHash: 'p2' }] });
  });

  it('drops the announced approvals of the plan before', () => {
    const first = planMade(samplePlan, { announces: { ask: 'write' } });
    expect(runOf([started, first, ...work, asked, revised()])).not.toHaveProperty('announces');
    const announces = { ask2: 'write' };
    expect(runOf([started, first, ...work, asked, revised({ announces })]).announces).toEqual(announces);
  });

  it('runs a step that it reuses when the result of that step is lost', () => {
    const lost = planned(...work, asked, revised({ kept: ['list', 'hash2'] }));
    expect(node(lost, 'hash2')?.status).toBe('pending');
  });

  it.each<[string, SessionFact]>([
    ['its run ends', runEnds()],
    ['it is interrupted', interrupted],
  ])('without an answer is refused when %s', (_name, end) => {
    expect(planned(...work, asked, end).revisions).toMatchObject([{ status: 'refused' }]);
    expect(planned(...work, asked, revised(), end).revisions).toMatchObject([{ status: 'made' }]);
  });

  it('that failed names its error, and only the last one changes', () => {
    const failed: SessionFact = { type: 'replan-failed', ...run, error: failure };
    expect(planned(...work, asked, revised(), asked, failed).revisions).toMatchObject([
      { status: 'made' },
      { status: 'refused', error: failure },
    ]);
    expect(planned(failed)).not.toHaveProperty('revisions');
  });
});
