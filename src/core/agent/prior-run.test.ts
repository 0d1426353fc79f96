import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { ApprovalState, NodeState, RunState, StageState, WriteState } from '#shared/session-state';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { canonicalHash } from '../tools/canonical-hash';
import { earlierStages, readPriorRun } from './prior-run';

const put = 'mcp://box.put';
const hashOf = (path: string) => canonicalHash({ tool: put, arguments: { path } });

const node = (id: string, more: Partial<NodeState> = {}): NodeState => ({
  ...{ id, status: 'done', summary: `${id} ended`, calls: [], callCount: 0, cached: false },
  ...more,
});
const write = (nodeId: string, path: string, more: Partial<WriteState> = {}): WriteState => ({
  ...{ callId: path, nodeId, tool: put, arguments: { path }, hash: hashOf(path), outcome: 'done' },
  ...more,
});
const answer = (
  nodeId: string,
  path: string,
  status: ApprovalState['status'],
  more: Partial<ApprovalState> = {},
): ApprovalState => ({
  ...{ approvalId: path, nodeId, tool: put, arguments: { path }, hash: `card-${path}`, status },
  ...more,
});
/** A plan of steps, each with those it depends on: `b: ['a']`. */
const planWith = (steps: Record<string, readonly string[]>) =>
  planOf(Object.entries(steps).map(([id, deps]) => scriptNode(id, '', { deps })));
const stage = (at: number, ids: readonly string[], more: Partial<StageState> = {}): StageState => ({
  stage: at,
  plan: planWith(Object.fromEntries(ids.map((id) => [id, []]))),
  ...{ planHash: '', replaced: [], writes: 0, approvals: 0, origins: [] },
  ...more,
});
const runOf = (more: object): RunState =>
  ({ status: 'interrupted', nodes: [], writes: [], approvals: [], ...more }) as unknown as RunState;

const prior = (run: RunState, from?: string) => {
  const read = readPriorRun(run, from);
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
};
const ends = (run: RunState, from?: string) => [...prior(run, from).ends.keys()];
const answersOf = (approvals: readonly ApprovalState[], more: object = {}) =>
  prior(runOf({ nodes: [node('a', { status: 'running' })], approvals, ...more })).writes.get('a')?.answers;

describe('[AGX-resume] what a resumed run takes over', () => {
  const chain = { plan: planWith({ a: [], b: ['a'], c: ['b'], d: [] }) };
  const nodes = [node('a'), node('b'), node('c', { status: 'running' }), node('d')];

  it('is the outcome of each finished step, with all that is known of it', () => {
    const known: Partial<NodeState> = {
      state: { n: 1 },
      artifacts: [],
      metrics: {} as NonNullable<NodeState['metrics']>,
      usage: { modelTurns: 1, inputTokens: 2, outputTokens: 3 },
      items: { of: 2, failed: 1 },
      log: ['said'],
      origins: [{ source: put, nodeId: 'a', trusted: true }],
    };
    const run = runOf({
      ...chain,
      nodes: [node('a', { ...known, cached: true }), node('b'), node('c', { status: 'running' })],
    });
    expect([...prior(run).ends.values()]).toStrictEqual([
      { id: 'a', status: 'done', summary: 'a ended', cached: true, ...known },
      { id: 'b', status: 'done', summary: 'b ended', cached: false },
    ]);
  });

  it('is not a step that failed, was skipped, or still ran', () => {
    const error = appError('TOOL', 'FAILED', 'No.');
    const statuses = ['failed', 'skipped', 'cancelled', 'pending', 'waiting'] as const;
    const unfinished = statuses.map((status) => node(status, { status, error }));
    expect(ends(runOf({ nodes: [node('a'), ...unfinished] }))).toEqual(['a']);
  });

  it('is, from a step on, neither that step nor any that depends on it', () => {
    const run = runOf({ ...chain, nodes: nodes.map((one) => ({ ...one, status: 'done' })) });
    expect(ends(run, 'b')).toEqual(['a', 'd']);
    expect(prior(run, 'b').rerun).toEqual(['b', 'c']);
    expect(ends(run)).toEqual(['a', 'b', 'c', 'd']);
    expect(prior(run).rerun).toEqual([]);
    expect(ends(runOf({ nodes: [node('a'), node('b')] }), 'a')).toEqual(['b']);
  });

  it('is not a step whose write the user undid, or any that depends on it', () => {
    const undone = { status: 'done' } as unknown as NonNullable<WriteState['undone']>;
    const run = runOf({ ...chain, nodes, writes: [write('d', 'x'), write('b', 'y', { undone })] });
    expect(ends(run)).toEqual(['a', 'd']);
    expect(prior(run).made.map((one) => one?.nodeId ?? null)).toEqual(['d', null]);
  });

  it('is an approval step of the host together with the step that it announces', () => {
    const announces = { approve_c: 'c', approve_b: 'b' };
    const asked = [node('approve_b', { status: 'failed' }), node('approve_c')];
    expect(ends(runOf({ ...chain, announces, nodes: [...nodes, ...asked] }))).toEqual([
      'a',
      'b',
      'd',
      'approve_b',
    ]);
  });

  it('is refused while the outcome of a write is unknown, unless its step is finished', () => {
    const run = (nodeId: string) =>
      runOf({ ...chain, nodes, writes: [write(nodeId, 'x', { outcome: 'unknown' })] });
    expect(readPriorRun(run('c'))).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message: 'A write was running when this run was interrupted, and its outcome is unknown.',
        hint: 'Check whether the write happened, answer on the card, then resume.',
      },
    });
    expect(readPriorRun(run('a')).ok).toBe(true);
    expect(readPriorRun(run('a'), 'a').ok).toBe(false);
  });

  it('is refused while an undo is not finished', () => {
    const undone = { status: 'intended' } as unknown as NonNullable<WriteState['undone']>;
    expect(readPriorRun(runOf({ ...chain, nodes, writes: [write('a', 'x', { undone })] }))).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message: 'An undo of this run was interrupted.',
        hint: 'Undo the run again to finish it, then resume.',
      },
    });
  });
});

describe('[AGX-resume] the writes of a step that runs again', () => {
  const open = node('a', { status: 'running' });
  const doneOf = (run: RunState, id = 'a') => prior(run).writes.get(id)?.done;

  it('are those that were made, with their results and places', () => {
    const writes = [
      write('b', 'other'),
      write('a', 'x', { result: 'stored' }),
      write('a', 'y', { outcome: 'failed' }),
      write('a', 'z'),
    ];
    const run = runOf({ nodes: [open, node('b')], writes });
    expect(doneOf(run)).toEqual([
      { hash: hashOf('x'), result: 'stored', at: 1 },
      { hash: hashOf('z'), result: null, at: 3 },
    ]);
    expect(prior(run).made.map((one) => one?.hash ?? null)).toEqual([
      hashOf('other'),
      hashOf('x'),
      null,
      hashOf('z'),
    ]);
  });

  it('do not count from before the user ran the step again', () => {
    const writes = [write('a', 'x'), write('a', 'y')];
    const reruns = [{ nodes: ['a'], writes: 1, approvals: 1 }];
    const approvals = [answer('a', 'old', 'approved'), answer('a', 'new', 'approved')];
    const run = runOf({ nodes: [open], writes, reruns, approvals });
    expect(doneOf(run)).toEqual([{ hash: hashOf('y'), result: null, at: 1 }]);
    expect(prior(run).writes.get('a')?.answers).toMatchObject([{ hash: 'card-new' }]);
    const other = [{ nodes: ['b'], writes: 1, approvals: 1 }];
    expect(doneOf(runOf({ nodes: [open], writes, reruns: other }))).toHaveLength(2);
  });

  it('from a step on, count for none of the steps that run again', () => {
    const run = runOf({ nodes: [node('a'), node('b', { status: 'failed' })], writes: [write('a', 'x')] });
    expect([...prior(run, 'a').writes.keys()]).toEqual(['b']);
  });

  it('name what they changed, in one spelling', () => {
    const file = { tool: 'mcp://filesystem.write_file', arguments: { path: '/srv/p/docs/../a.md' } };
    const undo = { project: '/srv/p' } as unknown as NonNullable<WriteState['undo']>;
    const writes = [write('a', 'x', { ...file, undo }), write('a', 'y', file)];
    const targets = prior(runOf({ nodes: [open], writes })).made.map((one) => one?.targets);
    expect(targets).toEqual([['file\na.md'], ['file\n/srv/p/a.md']]);
  });
});

describe('[AGX-resume] the answers that no call has used', () => {
  const yes = (path: string, more: Partial<ApprovalState> = {}) => answer('a', path, 'approved', more);
  const no = (path: string, more: Partial<ApprovalState> = {}) => answer('a', path, 'denied', more);
  const used = (path: string, approved = true, more: object = {}) => ({
    hash: `card-${path}`,
    call: hashOf(path),
    approved,
    ...more,
  });

  it.each<[string, readonly ApprovalState[], object, readonly object[]]>([
    ['a yes', [yes('x')], {}, [used('x')]],
    [
      'a yes of the call itself',
      [yes('x', { hash: hashOf('x') })],
      {},
      [{ hash: hashOf('x'), approved: true }],
    ],
    ['a no, with its words', [no('x', { said: 'a copy' })], {}, [used('x', false, { said: 'a copy' })]],
    ['an open card, one that expired', [answer('a', 'x', 'open'), answer('a', 'y', 'expired')], {}, []],
    ['the answer to another step', [answer('b', 'x', 'approved')], {}, []],
    ['a yes before the call was made', [yes('x')], { writes: [write('a', 'x')] }, []],
    ['a second yes', [yes('x'), yes('x')], { writes: [write('a', 'x')] }, [used('x')]],
    ['a yes where another step wrote', [yes('x')], { writes: [write('b', 'x')] }, [used('x')]],
    ['a yes where another call was made', [yes('x')], { writes: [write('a', 'y')] }, [used('x')]],
    ['a no after the call was made', [yes('x'), no('x')], { writes: [write('a', 'x')] }, [used('x', false)]],
    ['a yes after a no', [no('x'), yes('x')], {}, [used('x')]],
    ['a yes to another content', [yes('x', { hash: 'old' }), yes('x')], {}, [used('x')]],
    [
      'a yes to arguments that the user changed',
      [yes('x', { originalArguments: { path: 'y' } })],
      {},
      [{ hash: 'card-x', call: hashOf('y'), approved: true }],
    ],
    [
      'a yes to the card that asked again',
      [yes('x', { hash: 'first' }), yes('x', { again: true })],
      {},
      [used('x')],
    ],
    [
      'a card that asks again and was changed but not answered',
      [yes('x'), answer('a', 'x', 'open', { again: true, edited: true })],
      {},
      [],
    ],
    [
      'a card that asks again and was not changed',
      [yes('x'), answer('a', 'x', 'open', { again: true })],
      {},
      [used('x')],
    ],
    [
      'a changed card that is not answered and asks the first time',
      [yes('x'), answer('a', 'x', 'open', { edited: true })],
      {},
      [used('x')],
    ],
    [
      'a yes at the approval step of the host',
      [answer('approve_a', 'x', 'approved')],
      { announces: { approve_a: 'a' } },
      [used('x')],
    ],
  ])('%s', (_what, approvals, more, answers) => {
    expect(answersOf(approvals, more)).toEqual(answers);
  });

  it('a card that asks again about changed arguments belongs to the call that the step made', () => {
    const changed = yes('y', { originalArguments: { path: 'x' } });
    const again = yes('y', { again: true, hash: 'newest' });
    expect(answersOf([changed, again])).toEqual([{ hash: 'newest', call: hashOf('x'), approved: true }]);
    expect(answersOf([{ ...changed, status: 'denied' }, again])).toHaveLength(2);
  });
});

describe('[STG-resume] a run in stages', () => {
  const origins = [{ source: put, nodeId: 'a', trusted: false }];
  const first = stage(1, ['a', 'b'], { summaryHash: 'h' });
  const second = stage(2, ['c'], { writes: 1, approvals: 1, origins });
  const nodes = [node('a'), node('b', { status: 'failed' }), node('c', { status: 'running' })];

  it('keeps the steps of earlier stages as they ended, and refuses to run them again', () => {
    const run = runOf({ stages: [first, second], plan: second.plan, nodes });
    expect([...prior(run).ends].map(([id, { status }]) => [id, status])).toEqual([
      ['a', 'done'],
      ['b', 'failed'],
    ]);
    expect(readPriorRun(run, 'a')).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message: 'Later stages of this run were planned from this result.',
        hint: 'Send the message again, or rerun a node of the last stage.',
      },
    });
    expect(readPriorRun(run, 'c').ok).toBe(true);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'the last stage has ended and the model reads it',
      { status: 'done', stages: [{ ...first, look: true }] },
      ['a', 'b'],
    ],
    ['the last stage has ended and the run was interrupted', { stages: [first] }, ['a', 'b']],
    ['the last stage has ended and the run too', { status: 'partial', stages: [first] }, ['a']],
    ['the last stage has not ended', { stages: [stage(1, ['a', 'b'], { look: true })] }, ['a']],
    ['the next stage waits for the user', { status: 'waiting', proposal: {}, stages: [first] }, ['a', 'b']],
    ['there is no stage', {}, ['a']],
  ])('takes over, where %s', (_what, more, ids) => {
    const two = [node('a'), node('b', { status: 'failed' })];
    expect(ends(runOf({ nodes: two, ...more }))).toEqual(ids);
  });

  it('inherits the writes of earlier steps that did not succeed, for the steps of the stage', () => {
    const writes = [write('b', 'x'), write('a', 'y'), write('b', 'late')];
    const run = runOf({ stages: [first, { ...second, writes: 2 }], plan: second.plan, nodes, writes });
    const [inherited] = prior(run).inherited;
    expect(inherited?.done.map(({ hash }) => hash)).toEqual([hashOf('x')]);
    expect([...(inherited?.to.keys() ?? [])]).toEqual(['c']);
    expect(inherited?.since).toBe(2);
    expect(prior(run).originsOf).toEqual(new Map([['c', origins]]));
    // The failed step may be planned again, so its writes and answers are known too.
    expect([...prior(run).writes.keys()]).toEqual(['c', 'b']);
  });

  it('inherits nothing for a step that is finished or was run again since', () => {
    const reruns = [{ nodes: ['c'], writes: 3, approvals: 0 }];
    const run = { stages: [first, second], plan: second.plan, writes: [write('b', 'x')] };
    const toOf = (more: object) => [...(prior(runOf({ ...run, ...more })).inherited[0]?.to.keys() ?? [])];
    expect(toOf({ nodes })).toEqual(['c']);
    expect(toOf({ nodes, reruns })).toEqual([]);
    expect(toOf({ nodes: [node('a'), node('b', { status: 'failed' }), node('c')] })).toEqual([]);
  });

  it('inherits the writes of a failed step whose id a later stage uses again', () => {
    const again = stage(2, ['b'], { replaced: [node('b', { status: 'failed' })], writes: 1 });
    const run = runOf({
      stages: [first, again],
      plan: again.plan,
      nodes: [node('a'), node('b', { status: 'running' })],
      writes: [write('b', 'x'), write('b', 'y')],
    });
    expect(prior(run).inherited[0]?.done.map(({ hash }) => hash)).toEqual([hashOf('x')]);
    expect(
      prior(run)
        .writes.get('b')
        ?.done.map(({ hash }) => hash),
    ).toEqual([hashOf('y')]);
  });

  it('inherits the writes of the steps that a revision replaced, if it was made', () => {
    const revision = { added: ['c'], replaced: [node('b')], writes: 1, approvals: 0, origins };
    const run = (status: string) =>
      runOf({ revisions: [{ ...revision, status }], plan: second.plan, nodes, writes: [write('b', 'x')] });
    expect(prior(run('made')).inherited).toMatchObject([{ done: [{ hash: hashOf('x') }], since: 1 }]);
    expect(prior(run('made')).originsOf.get('c')).toEqual(origins);
    expect(prior(run('refused')).inherited).toEqual([]);
  });

  it('tells the check of a stage what the earlier ones gave', () => {
    const known = [
      node('a', { state: { n: 1 } }),
      node('b', { status: 'failed' }),
      node('approve_b'),
      node('c'),
    ];
    const announces = { approve_b: 'b' };
    const run = runOf({ stages: [first, second], nodes: known, announces });
    const expected = {
      done: new Set(['a']),
      approvals: new Set(['approve_b']),
      states: new Map([['a', { n: 1 }]]),
    };
    expect(earlierStages(run)).toEqual(expected);
    expect(earlierStages({ ...run, proposal: {} } as unknown as RunState).done).toEqual(new Set(['a', 'c']));
    expect(earlierStages(runOf({ nodes: known })).done).toEqual(new Set());
  });
});
