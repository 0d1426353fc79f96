import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialWorkspace, type ApplyWhen, type WorkspaceState } from '#shared/workspace';
import { after, apply, bad, reach, sync } from '../../testing/workspace-inputs';
import type { WorkspaceInput } from './decide';

/** One event; the model refuses `run` and `step` where they make no sense. */
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

/** The inputs that Patina derives from an event: the same calls as in its session. */
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

function advanceWorld(world: World, happened: Happening): World {
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

/** The events at which the active snapshot may change, given the requested apply. */
const mayChange: { readonly [T in Happening['type']]: Allowed } = {
  sync: never,
  'ask-sync': never,
  apply: (running, when) => !running && when === 'immediate_if_idle',
  'run-start': (running, when) => !running && when !== undefined,
  step: (running, when) => running && when === 'next_step_boundary',
  'run-end': afterRun,
  restart: afterRun,
};

/**
 * An apply requests the pending snapshot, else the waiting one; it is adopted at once or waits for the named
 * moment.
 */
function checkApply(before: World, when: ApplyWhen, after: World): void {
  const staged = before.state.pending ?? before.state.waiting;
  if (!staged) return;
  const atOnce = when === 'immediate_if_idle' && !before.running;
  if (atOnce) expect(after.state.active).toBe(staged.hash);
  else expect(after.state.waiting).toMatchObject({ hash: staged.hash, when });
}

/** A waiting apply stays unchanged or is adopted; only a later apply of the user replaces it. */
function checkWaiting(before: World, after: World): void {
  const { waiting } = before.state;
  if (!waiting) return;
  if (after.state.waiting) expect(after.state.waiting).toEqual(waiting);
  else expect(after.state.active).toBe(waiting.hash);
}

/** The invariants of one event. */
function checkStep(before: World, happened: Happening, after: World): void {
  const { waiting } = before.state;
  const asked = happened.type === 'apply' ? happened.when : waiting?.when;
  const changed = after.state.active !== before.state.active || after.state.binding !== before.state.binding;
  if (changed) expect(mayChange[happened.type](before.running, asked)).toBe(true);
  // Between runs, no immediate apply is still waiting.
  if (!after.running) expect(after.state.waiting?.when).not.toBe('immediate_if_idle');
  if (happened.type === 'apply') checkApply(before, happened.when, after);
  else checkWaiting(before, after);
}

describe('random sequences of workspace events', () => {
  it('[P3-DS-2] [P3-DS-5] [P3-SA-invariants] have at most one pending snapshot, change the active one only at its boundary, and lose no apply', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
        let world: World = { state: initialWorkspace, running: false, count: 0 };
        for (const happened of happenings) {
          const next = advanceWorld(world, happened);
          checkStep(world, happened, next);
          world = next;
        }
        // The next run adopts any snapshot that still waits.
        const settled = advanceWorld({ ...world, running: false }, { type: 'run-start' });
        expect(settled.state.waiting).toBeNull();
        if (world.state.waiting) expect(settled.state.active).toBe(world.state.waiting.hash);
      }),
      { numRuns: 2_000 },
    );
  });
});
