import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { createManualClock } from '../../testing/manual-clock';
import { createApprovalBatcher, createApprovals, type WritePolicy } from './approvals';
import { createFactBuffer } from './fact-buffer';

const fact = ({ approved }: { readonly approved: boolean }) => ({
  type: 'approval-answered' as const,
  turn: 0,
  runId: 'r',
  approvalId: 'a',
  hash: 'h',
  approved,
});
const question = (recorded: boolean) => ({
  id: 'a',
  hash: () => 'h',
  record: () => recorded,
  answered: fact,
});
const answer = (approved: boolean) => ({ approvalId: 'a', hash: 'h', approved });

describe('an open approval', () => {
  it('[AGP-answer-recorded] is not acted on when its answer could not be recorded', async () => {
    const [approvals, stop] = [createApprovals(), new AbortController()];
    const asked = approvals.ask(question(false), stop.signal);
    expect(approvals.answer([answer(true)])).toBe(false);
    stop.abort();
    expect(await asked).toEqual({ type: 'withdrawn' });
  });

  it('[AGP-answer-recorded] refuses two answers at once, and then accepts one', async () => {
    const approvals = createApprovals();
    const asked = approvals.ask(question(true), new AbortController().signal);
    expect(approvals.answer([answer(true), answer(false)])).toBe(false);
    expect(approvals.answer([answer(false)])).toBe(true);
    expect(await asked).toEqual({ type: 'denied' });
  });

  it('leaves no listener behind when it is answered', async () => {
    const { signal } = new AbortController();
    const listening = new Set<unknown>();
    const watched = Object.assign(Object.create(signal) as AbortSignal, {
      addEventListener: (_type: string, listener: unknown) => void listening.add(listener),
      removeEventListener: (type: string, listener: unknown) =>
        void (type === 'abort' && listening.delete(listener)),
    });
    Object.defineProperty(watched, 'aborted', { value: false });
    const approvals = createApprovals();
    const asked = approvals.ask(question(true), watched);
    expect(listening.size).toBe(1);
    approvals.answer([answer(true)]);
    expect(await asked).toEqual({ type: 'approved' });
    expect(listening.size).toBe(0);
  });
});

describe('answers to open approvals', () => {
  const other = { ...question(true), id: 'b' };
  const never = new AbortController().signal;

  it('[AGP-exact-hash] must name a question that is open, and its hash', () => {
    const approvals = createApprovals();
    void approvals.ask(question(true), never);
    expect(approvals.answer([])).toBe(false);
    expect(approvals.answer([{ ...answer(true), approvalId: 'x' }])).toBe(false);
    expect(approvals.answer([{ ...answer(true), hash: 'x' }])).toBe(false);
    expect(approvals.answer([answer(true)])).toBe(true);
    expect(approvals.answer([answer(true)])).toBe(false);
  });

  it('are recorded together, all or none', async () => {
    const approvals = createApprovals();
    const batches: SessionFact[][] = [];
    const record = (facts: readonly SessionFact[]) => batches.push([...facts]) > 0;
    const asked = [approvals.ask({ ...question(true), record }, never), approvals.ask(other, never)];
    const decisions = [answer(true), { ...answer(false), approvalId: 'b', said: 'Not now.' }];
    expect(approvals.answer([...decisions, { ...answer(true), approvalId: 'c' }])).toBe(false);
    expect(batches).toEqual([]);
    expect(approvals.answer(decisions)).toBe(true);
    expect(batches).toEqual([[fact({ approved: true }), fact({ approved: false })]]);
    expect(await Promise.all(asked)).toEqual([{ type: 'approved' }, { type: 'denied', instead: 'Not now.' }]);
  });

  it('end nothing when the question was withdrawn first', async () => {
    const [approvals, stop] = [createApprovals(), new AbortController()];
    stop.abort();
    expect(await approvals.ask(question(true), stop.signal)).toEqual({ type: 'withdrawn' });
    expect(approvals.answer([answer(true)])).toBe(false);
  });
});

describe('an edit of an open approval', () => {
  const never = new AbortController().signal;
  const edit = { approvalId: 'a', hash: 'h', arguments: { n: 2 } };
  const notOpen = {
    ok: false,
    error: { code: 'STATE', message: expect.stringContaining('no longer open') as string },
  };

  it('is refused unless the question is open as shown and can be edited', async () => {
    const approvals = createApprovals();
    expect(await approvals.edit(edit)).toMatchObject(notOpen);
    void approvals.ask(question(true), never);
    expect(await approvals.edit(edit)).toMatchObject(notOpen);
    expect(await approvals.edit({ ...edit, hash: 'x' })).toMatchObject(notOpen);
  });

  it('takes effect after the check, unless the question was answered meanwhile', async () => {
    const approvals = createApprovals();
    const applied: Json[] = [];
    const check = (args: Json) => Promise.resolve(ok(() => (applied.push(args), ok(null))));
    void approvals.ask({ ...question(true), edit: check }, never);
    expect(await approvals.edit(edit)).toEqual(ok(null));
    const late = approvals.edit(edit);
    approvals.answer([answer(true)]);
    expect(await late).toMatchObject(notOpen);
    expect(applied).toEqual([{ n: 2 }]);
  });
});

describe('the questions of a node', () => {
  function setUp(approve: WritePolicy, more: { onWaiting?: () => () => void } = {}) {
    const { clock } = createManualClock();
    const facts: SessionFact[] = [];
    let [writable, made] = [true, 0];
    const commit = (batch: readonly SessionFact[]) => writable && facts.push(...batch) > 0;
    const approvals = createApprovals();
    const batcher = createApprovalBatcher({
      ...{ approvals, approve, clock, onWaiting: () => () => undefined },
      ids: { next: (prefix) => `${prefix}_${(made += 1)}` },
      facts: createFactBuffer(clock, commit, () => undefined),
      ...more,
    });
    return { batcher, approvals, facts, fail: () => (writable = false) };
  }
  const signal = new AbortController().signal;
  const asked = {
    ...{ turn: 1, runId: 'r', nodeId: 'n', tool: 'mcp://box.put', arguments: { n: 1 }, hash: 'h1', order: 3 },
    ...{ undo: 'possible' as const, names: [{ value: '1', name: 'One', source: 's' }] },
    ...{ labels: { n: 'Number' }, sources: [{ argument: 'n', tools: ['s'] }], again: true as const },
    ...{ origins: [{ source: 's', nodeId: 'n', trusted: false }], flows: [{ from: 'a', to: 'b' }] },
  };
  const { order: _order, ...shown } = asked;

  it.each([
    ['all', true, 'approved'],
    ['none', false, 'denied'],
  ] as const)('are recorded with their answer under the policy %s', async (policy, approved, type) => {
    const { batcher, facts } = setUp(policy);
    const file = { kind: 'folder' as const, path: 'x', hash: 'f', exists: false };
    const result = await batcher.ask({ ...asked, file }, signal);
    expect(result).toEqual({ arguments: { n: 1 }, hash: 'h1', undo: 'possible', file, answer: { type } });
    expect(facts).toEqual([
      { type: 'approval-requested', ...shown, file, approvalId: 'apr_1' },
      { type: 'approval-answered', turn: 1, runId: 'r', approvalId: 'apr_1', approved, hash: 'h1' },
    ]);
  });

  it('are not approved when that cannot be recorded', async () => {
    const { batcher, fail } = setUp('all');
    fail();
    expect((await batcher.ask(asked, signal)).answer).toEqual({ type: 'denied' });
  });

  it('wait for a person, and the run clock stands meanwhile', async () => {
    const waits: string[] = [];
    const onWaiting = () => (waits.push('stops'), () => void waits.push('goes on'));
    const { batcher, approvals, facts } = setUp('ask', { onWaiting });
    const result = batcher.ask(asked, signal);
    await Promise.resolve();
    await Promise.resolve();
    expect(facts).toEqual([{ type: 'approval-requested', ...shown, approvalId: 'apr_1', card: 'card_2' }]);
    expect(waits).toEqual(['stops']);
    expect(approvals.answer([{ approvalId: 'apr_1', hash: 'h1', approved: false, said: 'No.' }])).toBe(true);
    expect(await result).toMatchObject({ answer: { type: 'denied', instead: 'No.' }, hash: 'h1' });
    expect(waits).toEqual(['stops', 'goes on']);
    expect(facts[1]).toEqual({
      ...{ type: 'approval-answered', turn: 1, runId: 'r', approvalId: 'apr_1', approved: false, hash: 'h1' },
      said: 'No.',
    });
  });

  it('are withdrawn with the call, or when the card cannot be recorded', async () => {
    const stop = new AbortController();
    const stopped = setUp('ask').batcher.ask(asked, stop.signal);
    stop.abort();
    expect((await stopped).answer).toEqual({ type: 'withdrawn' });
    const { batcher, fail } = setUp('ask');
    fail();
    expect((await batcher.ask(asked, signal)).answer).toEqual({ type: 'withdrawn' });
  });

  it('may be edited if a check is given: the call then has the new arguments and hash', async () => {
    const { batcher, approvals, facts } = setUp('ask');
    const now = { arguments: { n: 2 }, hash: 'h2' };
    const result = batcher.ask(asked, signal, () => Promise.resolve(ok(now)));
    await Promise.resolve();
    const edit = { approvalId: 'apr_1', hash: 'h1', arguments: { n: 2 } };
    expect(await approvals.edit(edit)).toEqual(ok(null));
    expect(facts[1]).toEqual({ type: 'approval-edited', turn: 1, runId: 'r', approvalId: 'apr_1', ...now });
    expect(approvals.answer([{ approvalId: 'apr_1', hash: 'h1', approved: true }])).toBe(false);
    expect(approvals.answer([{ approvalId: 'apr_1', hash: 'h2', approved: true, said: 'Yes.' }])).toBe(true);
    expect(await result).toEqual({ ...now, answer: { type: 'approved' } });
    expect(facts[2]).toEqual({
      ...{ type: 'approval-answered', turn: 1, runId: 'r', approvalId: 'apr_1', approved: true, hash: 'h2' },
    });
  });

  it('that wait at the same time share a card, in the order of the calls', async () => {
    const { batcher, facts } = setUp('ask');
    for (const [hash, order] of [
      ['last', 2],
      ['first', undefined],
      ['middle', 1],
    ] as const)
      void batcher.ask({ ...asked, hash, ...(order === undefined ? { order: 0 } : { order }) }, signal);
    await Promise.resolve();
    expect(facts.map((fact) => fact.type === 'approval-requested' && [fact.hash, fact.card])).toEqual([
      ...[
        ['first', 'card_4'],
        ['middle', 'card_4'],
        ['last', 'card_4'],
      ],
    ]);
  });

  it('keep their arguments when an edit is refused or cannot be recorded', async () => {
    const refusal = appError('TOOL', 'INVALID_ARGUMENTS', 'n must be smaller.');
    const { batcher, approvals, facts, fail } = setUp('ask');
    const checks = [err(refusal), ok({ arguments: { n: 2 }, hash: 'h2' })];
    const result = batcher.ask(asked, signal, () => Promise.resolve(checks.shift() ?? err(refusal)));
    await Promise.resolve();
    const edit = { approvalId: 'apr_1', hash: 'h1', arguments: { n: 9 } };
    expect(await approvals.edit(edit)).toEqual(err(refusal));
    fail();
    expect(await approvals.edit(edit)).toMatchObject({ error: { kind: 'HOST', code: 'STORAGE' } });
    expect(facts).toHaveLength(1);
    expect(approvals.answer([{ approvalId: 'apr_1', hash: 'h2', approved: true }])).toBe(false);
    void result;
  });

  it('cannot be edited without a check', async () => {
    const { batcher, approvals } = setUp('ask');
    void batcher.ask(asked, signal);
    await Promise.resolve();
    const edit = { approvalId: 'apr_1', hash: 'h1', arguments: {} };
    expect(await approvals.edit(edit)).toMatchObject({ error: { code: 'STATE' } });
  });
});
