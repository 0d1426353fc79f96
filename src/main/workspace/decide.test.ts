import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { applyWorkspaceFact } from '#shared/apply-workspace-event';
import { initialWorkspace, type ApplyWhen, type WorkspaceState } from '#shared/workspace';
import { decideWorkspace, type WorkspaceInput } from './decide';

const hash = (letter: string): string => letter.repeat(64);
const binding = { workspace: 'default', version: 'latest' } as const;
const bad = appError('CONFIG', 'INVALID', 'It does not hold.');

/** The state after inputs, each decided on and folded; refused inputs change nothing. */
function after(inputs: readonly WorkspaceInput[], from: WorkspaceState = initialWorkspace): WorkspaceState {
  return inputs.reduce((state, input) => {
    const facts = decideWorkspace(state, input);
    return facts.ok
      ? facts.value.reduce((folded, fact) => applyWorkspaceFact(folded, { ...fact, at: 0 }), state)
      : state;
  }, from);
}

const sync = (requestId: string, found: string): readonly WorkspaceInput[] => [
  { type: 'request-sync', requestId, workspace: 'default', version: 'latest' },
  { type: 'end-sync', requestId, end: { outcome: 'found', snapshot: { hash: hash(found), binding } } },
];
const apply = (when: ApplyWhen, idle: boolean): WorkspaceInput => ({ type: 'request-apply', when, idle });
const reach = (boundary: 'idle' | 'run-start' | 'step'): WorkspaceInput => ({ type: 'reach', boundary });

describe('sync', () => {
  it('[P3-DS-2] [P3-SA-no-event] changes nothing that is active: what it finds is pending', () => {
    const state = after(sync('1', 'a'));
    expect(state).toMatchObject({ active: null, pending: { hash: hash('a') }, waiting: null });
    expect(after([reach('run-start'), reach('step'), reach('idle')], state)).toEqual(state);
  });

  it('[P3-SA-2] says unchanged for the snapshot it knows, and ready for another', () => {
    const once = after(sync('1', 'a'));
    expect(after(sync('2', 'a'), once).sync?.status).toBe('unchanged');
    expect(after(sync('2', 'b'), once)).toMatchObject({
      pending: { hash: hash('b') },
      sync: { status: 'ready' },
    });
  });

  it('[P3-SA-1] records name, target and the version it knows', () => {
    const known = after([...sync('1', 'a'), apply('immediate_if_idle', true)]);
    const input = { type: 'request-sync', requestId: '2', workspace: 'team', version: hash('f') } as const;
    const facts = decideWorkspace(known, input);
    expect(facts).toEqual({
      ok: true,
      value: [
        {
          ...{ type: 'workspace-sync-requested', requestId: '2', workspace: 'team' },
          ...{ version: hash('f'), known: hash('a') },
        },
      ],
    });
  });

  it('[P3-CS-binding] binds another workspace only when its snapshot is applied, not when it is asked for', () => {
    const team = { workspace: 'team', version: 'latest' } as const;
    const asked = after([{ type: 'request-sync', requestId: '1', ...team }]);
    expect(asked.binding).toEqual(binding);
    const found: WorkspaceInput = {
      ...{ type: 'end-sync', requestId: '1' },
      end: { outcome: 'found', snapshot: { hash: hash('t'), binding: team } },
    };
    const ready = after([found], asked);
    expect(ready.binding).toEqual(binding);
    expect(after([apply('next_run', false), reach('run-start')], ready).binding).toEqual(team);
  });

  it('lets a later request overtake an earlier one', () => {
    const first: WorkspaceInput = { ...sync('1', 'a')[0]! };
    const state = after([first, ...sync('2', 'b'), sync('1', 'a')[1]!]);
    expect(state).toMatchObject({ pending: { hash: hash('b') }, sync: { requestId: '2', status: 'ready' } });
  });

  it('drops what was pending when the folder holds what is active again', () => {
    const active = after([...sync('1', 'a'), apply('immediate_if_idle', true), ...sync('2', 'b')]);
    expect(after(sync('3', 'a'), active)).toMatchObject({ active: hash('a'), pending: null });
  });
});

describe('apply', () => {
  it.each([
    ['next_run', 'run-start'],
    ['next_step_boundary', 'step'],
    ['immediate_if_idle', 'idle'],
  ] as const)('[P3-SA-4] %s asked for during a run is adopted at its boundary: %s', (when, boundary) => {
    const waiting = after([...sync('1', 'a'), apply(when, false)]);
    expect(waiting).toMatchObject({ active: null, pending: null, waiting: { when } });
    const others = (['idle', 'step'] as const).filter((other) => other !== boundary);
    expect(after(others.map(reach), waiting).active).toBeNull();
    expect(after([reach(boundary)], waiting)).toMatchObject({ active: hash('a'), waiting: null });
  });

  it('[P3-SA-4] immediate_if_idle is adopted at once when nothing is under way', () => {
    expect(after([...sync('1', 'a'), apply('immediate_if_idle', true)]).active).toBe(hash('a'));
  });

  it('[P3-SA-4] a later sync neither loses nor changes an apply that waits', () => {
    const state = after([...sync('1', 'a'), apply('next_run', false), ...sync('2', 'b')]);
    expect(state).toMatchObject({ waiting: { hash: hash('a') }, pending: { hash: hash('b') } });
    expect(after([reach('run-start')], state)).toMatchObject({
      active: hash('a'),
      pending: { hash: hash('b') },
    });
  });

  it('refuses when nothing was found to apply', () => {
    const refused = decideWorkspace(initialWorkspace, apply('next_run', true));
    expect(refused).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
  });

  it('[P3-SEC-5] [P3-T-4] a rejected snapshot leaves active, pending and waiting as they are', () => {
    const before = after([...sync('1', 'a'), apply('next_run', false), ...sync('2', 'b')]);
    const rejected: readonly WorkspaceInput[] = [
      { type: 'request-sync', requestId: '3', workspace: 'default', version: 'latest' },
      { type: 'end-sync', requestId: '3', end: { outcome: 'rejected', error: bad } },
    ];
    const state = after(rejected, before);
    expect(state).toEqual({ ...before, sync: { ...state.sync, status: 'rejected', error: bad } });
    expect(state.sync?.requestId).toBe('3');
  });
});

/** One thing that can happen; `run` and `step` are refused by the model where they make no sense. */
type Happening =
  | { readonly type: 'sync'; readonly found: string | null }
  | { readonly type: 'ask-sync' }
  | { readonly type: 'apply'; readonly when: ApplyWhen }
  | { readonly type: 'run-start' | 'step' | 'run-end' | 'restart' };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    type: fc.constant('sync' as const),
    found: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 4 }),
  }),
  fc.record({ type: fc.constant('ask-sync' as const) }),
  fc.record({
    type: fc.constant('apply' as const),
    when: fc.constantFrom<ApplyWhen>('next_run', 'next_step_boundary', 'immediate_if_idle'),
  }),
  fc.record({
    type: fc.constantFrom('run-start' as const, 'step' as const, 'run-end' as const, 'restart' as const),
  }),
);

interface World {
  readonly state: WorkspaceState;
  readonly running: boolean;
  readonly count: number;
}

const syncOf = (found: string | null, requestId: string): readonly WorkspaceInput[] =>
  found === null
    ? [
        { type: 'request-sync', requestId, workspace: 'default', version: 'latest' },
        { type: 'end-sync', requestId, end: { outcome: 'rejected', error: bad } },
      ]
    : sync(requestId, found);

type Inputs = (world: World, happened: Happening) => readonly WorkspaceInput[];
const whileRunning =
  (boundary: 'step' | 'idle'): Inputs =>
  ({ running }) =>
    running ? [reach(boundary)] : [];

/** What Patina does when something happens: the same calls its session makes. */
const inputsFor: { readonly [T in Happening['type']]: Inputs } = {
  sync: ({ count }, happened) => syncOf('found' in happened ? happened.found : null, `r${count}`),
  'ask-sync': ({ count }) => syncOf('a', `r${count}`).slice(0, 1),
  apply: ({ running }, happened) => ('when' in happened ? [apply(happened.when, !running)] : []),
  'run-start': ({ running }) => (running ? [] : [reach('run-start'), reach('step')]),
  step: whileRunning('step'),
  'run-end': whileRunning('idle'),
  restart: (world) => restartInputs(world),
};

/** Opening a session after a crash ends its sync and its run. */
function restartInputs({ state, running }: World): readonly WorkspaceInput[] {
  const open = state.sync?.status === 'syncing' ? state.sync.requestId : null;
  const ended: WorkspaceInput[] =
    open === null ? [] : [{ type: 'end-sync', requestId: open, end: { outcome: 'rejected', error: bad } }];
  return running ? [...ended, reach('idle')] : ended;
}

function goOn(world: World, happened: Happening): World {
  const running =
    happened.type === 'run-start' || (world.running && !['run-end', 'restart'].includes(happened.type));
  return {
    state: after(inputsFor[happened.type](world, happened), world.state),
    running,
    count: world.count + 1,
  };
}

type Allowed = (running: boolean, when: ApplyWhen | undefined) => boolean;
const never: Allowed = () => false;
const afterRun: Allowed = (running, when) => running && when === 'immediate_if_idle';

/** Where the active snapshot may change, given the apply that is asked for. */
const mayChange: { readonly [T in Happening['type']]: Allowed } = {
  sync: never,
  'ask-sync': never,
  apply: (running, when) => !running && when === 'immediate_if_idle',
  'run-start': (running, when) => !running && when !== undefined,
  step: (running, when) => running && when === 'next_step_boundary',
  'run-end': afterRun,
  restart: afterRun,
};

/** What must hold of one thing that happened. */
function checkStep(before: World, happened: Happening, after: World): void {
  const { waiting } = before.state;
  const asked = happened.type === 'apply' ? happened.when : waiting?.when;
  const changed = after.state.active !== before.state.active || after.state.binding !== before.state.binding;
  if (changed) expect(mayChange[happened.type](before.running, asked)).toBe(true);
  // Between runs nothing that was to be adopted at once is still waiting.
  if (!after.running) expect(after.state.waiting?.when).not.toBe('immediate_if_idle');
  if (!waiting || happened.type === 'apply') return;
  // A waiting apply goes on waiting as it is, or is adopted; only a later apply of the user takes its place.
  if (after.state.waiting) expect(after.state.waiting).toEqual(waiting);
  else expect(after.state.active).toBe(waiting.hash);
}

describe('any order of things', () => {
  it('[P3-DS-2] [P3-DS-5] [P3-SA-invariants] at most one pending, active changes only at its boundary, no apply is lost', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
        let world: World = { state: initialWorkspace, running: false, count: 0 };
        for (const happened of happenings) {
          const next = goOn(world, happened);
          checkStep(world, happened, next);
          world = next;
        }
        // The next run takes whatever still waits.
        const settled = goOn({ ...world, running: false }, { type: 'run-start' });
        expect(settled.state.waiting).toBeNull();
        if (world.state.waiting) expect(settled.state.active).toBe(world.state.waiting.hash);
      }),
      { numRuns: 2_000 },
    );
  });
});
