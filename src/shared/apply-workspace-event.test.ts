import { describe, expect, it } from 'vitest';
import { appError } from './app-error';
import {
  applyWorkspaceFact,
  inheritWorkspace,
  sameBinding,
  type WorkspaceFact,
} from './apply-workspace-event';
import { initialWorkspace, type WorkspaceState } from './workspace';

const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
const latest = { workspace: 'team', version: 'latest' } as const;
const fixed = { workspace: 'team', version: a } as const;
const rejected = appError('CONFIG', 'INVALID', 'The snapshot has no manifest. Sync it again.');

const folded = (facts: readonly WorkspaceFact[], state: WorkspaceState = initialWorkspace): WorkspaceState =>
  facts.reduce((now, fact, index) => applyWorkspaceFact(now, { ...fact, at: 1_000 + index }), state);

const sync = (requestId = 's1'): WorkspaceFact => ({
  type: 'workspace-sync-requested',
  requestId,
  workspace: 'team',
  version: 'latest',
  known: null,
});
const ready = (hash: string, requestId = 's1'): WorkspaceFact => ({
  type: 'workspace-snapshot-ready',
  requestId,
  hash,
  binding: latest,
});
const apply = (hash: string, when: 'next_run' | 'next_step_boundary' = 'next_run'): WorkspaceFact => ({
  type: 'workspace-apply-requested',
  hash,
  when,
});
const applied = (hash: string): WorkspaceFact => ({
  type: 'snapshot-applied',
  hash,
  binding: latest,
  boundary: 'run-start',
});

describe('a sync', () => {
  it.each<[string, WorkspaceFact, Partial<WorkspaceState>]>([
    ['finds nothing new', { type: 'workspace-sync-unchanged', requestId: 's1', hash: a }, { pending: null }],
    ['brings a snapshot', ready(a), { pending: { hash: a, binding: latest } }],
    [
      'is rejected',
      { type: 'workspace-snapshot-rejected', requestId: 's1', error: rejected },
      { pending: null },
    ],
  ])('that %s ends, and an end after it changes nothing', (_name, end, expected) => {
    const ended = folded([sync(), end]);
    expect(ended).toMatchObject(expected);
    expect(ended.sync?.status).not.toBe('syncing');
    expect(folded([ready(b)], ended)).toBe(ended);
  });

  it('names the error that rejected its snapshot', () => {
    const end: WorkspaceFact = { type: 'workspace-snapshot-rejected', requestId: 's1', error: rejected };
    expect(folded([sync(), end]).sync).toEqual({
      requestId: 's1',
      workspace: 'team',
      version: 'latest',
      status: 'rejected',
      error: rejected,
    });
  });

  it('that a later one superseded brings nothing, whichever ends first', () => {
    const both = folded([sync('s1'), sync('s2')]);
    expect(folded([ready(a, 's1')], both)).toBe(both);
    expect(folded([ready(b, 's2'), ready(a, 's1')], both).pending?.hash).toBe(b);
  });

  it('that was never requested brings nothing', () => {
    expect(folded([ready(a)])).toBe(initialWorkspace);
  });

  it('leaves the active, the pending and the waiting snapshot when it is rejected', () => {
    const before = folded([sync(), ready(a), applied(b), sync('s2'), ready(c, 's2'), apply(c), sync('s3')]);
    const error = { type: 'workspace-snapshot-rejected', requestId: 's3', error: rejected } as const;
    const { sync: _before, ...same } = before;
    expect(folded([error], before)).toMatchObject(same);
  });
});

describe('a snapshot that is ready', () => {
  const active = folded([sync(), ready(a), apply(a), applied(a)]);

  it('waits for nobody when it is active already', () => {
    expect(folded([sync('s2'), ready(a, 's2')], active)).toMatchObject({ pending: null, active: a });
  });

  it('replaces the one that was pending', () => {
    expect(folded([sync('s2'), ready(b, 's2'), sync('s3'), ready(c, 's3')], active).pending?.hash).toBe(c);
  });

  it('withdraws the pending one when the content went back to what is active', () => {
    expect(folded([sync('s2'), ready(b, 's2'), sync('s3'), ready(a, 's3')], active).pending).toBeNull();
  });

  it('is pending when another one waits to replace it, so that the user can go back', () => {
    const waiting = folded([sync('s2'), ready(b, 's2'), apply(b), sync('s3'), ready(a, 's3')], active);
    expect(waiting).toMatchObject({ pending: { hash: a }, waiting: { hash: b } });
  });

  it('is pending when it is active for another binding, because applying it changes what later syncs follow', () => {
    const pin: WorkspaceFact = {
      type: 'workspace-snapshot-ready',
      requestId: 's2',
      hash: a,
      binding: fixed,
    };
    expect(folded([sync('s2'), pin], active).pending).toEqual({ hash: a, binding: fixed });
  });
});

describe('a request to apply a snapshot', () => {
  const pending = folded([sync(), ready(a)]);

  it('moves it from pending to waiting, with its binding', () => {
    expect(folded([apply(a)], pending)).toMatchObject({
      pending: null,
      waiting: { hash: a, binding: latest, when: 'next_run' },
    });
  });

  it('changes when a waiting one is applied, and nothing else', () => {
    const waiting = folded([apply(a)], pending);
    expect(folded([apply(a, 'next_step_boundary')], waiting)).toEqual({
      ...waiting,
      waiting: { hash: a, binding: latest, when: 'next_step_boundary' },
    });
  });

  it('for a snapshot that is neither changes nothing', () => {
    expect(folded([apply(b)], pending)).toBe(pending);
    expect(folded([apply(b)])).toBe(initialWorkspace);
  });

  it('replaces the snapshot that waited before', () => {
    const state = folded([apply(a), sync('s2'), ready(b, 's2'), apply(b)], pending);
    expect(state).toMatchObject({ pending: null, waiting: { hash: b } });
  });

  it('survives a later sync', () => {
    const state = folded([apply(a), sync('s2'), ready(b, 's2')], pending);
    expect(state).toMatchObject({ pending: { hash: b }, waiting: { hash: a, when: 'next_run' } });
  });
});

describe('an applied snapshot', () => {
  it('is active, with its binding, and nothing waits', () => {
    const pinned: WorkspaceFact = { type: 'snapshot-applied', hash: a, binding: fixed, boundary: 'step' };
    expect(folded([sync(), ready(a), apply(a), pinned])).toMatchObject({
      active: a,
      binding: fixed,
      waiting: null,
      history: [{ hash: a, workspace: 'team', at: 1_003, boundary: 'step' }],
    });
  });

  it('leaves a pending one pending', () => {
    expect(folded([sync(), ready(b), applied(a)]).pending?.hash).toBe(b);
  });

  it('keeps the choice of content', () => {
    const chosen: WorkspaceFact = {
      type: 'workspace-content-chosen',
      workspace: 'team',
      promptPack: 'short',
      toolCatalog: null,
    };
    expect(folded([chosen, applied(a)])).toMatchObject({ promptPack: 'short', toolCatalog: null });
  });

  it('stays in the history with the newest 100, oldest first', () => {
    const many = folded(Array.from({ length: 105 }, (_, index) => applied(index % 2 ? a : b)));
    expect(many.history).toHaveLength(100);
    expect([many.history[0]?.at, many.history.at(-1)?.at]).toEqual([1_005, 1_104]);
    expect(many.history.at(-1)?.hash).toBe(many.active);
  });
});

describe('the first state of a session', () => {
  it('is the built-in content when its project has none', () => {
    expect(inheritWorkspace(undefined, 5)).toBe(initialWorkspace);
  });

  it('is what its project uses, with one entry in the history', () => {
    const project = { binding: latest, active: a, promptPack: 'short', toolCatalog: 'few' };
    expect(inheritWorkspace(project, 5)).toEqual({
      ...initialWorkspace,
      ...project,
      history: [{ hash: a, workspace: 'team', at: 5, boundary: 'start' }],
    });
  });
});

it.each([
  [latest, { ...latest }, true],
  [latest, fixed, false],
  [latest, { workspace: 'other', version: 'latest' as const }, false],
])('compares bindings by workspace and version: %o and %o', (one, other, same) => {
  expect(sameBinding(one, other)).toBe(same);
});
