import { describe, expect, it } from 'vitest';
import { initialWorkspace } from '#shared/workspace';
import { after, apply, bad, binding, hash, reach, sync } from '../../testing/workspace-inputs';
import { decideWorkspace, type WorkspaceInput } from './decide';

describe('sync', () => {
  it('[P3-DS-2] [P3-SA-no-event] changes nothing active: its result is pending', () => {
    const state = after(sync('1', 'a'));
    expect(state).toMatchObject({ active: null, pending: { hash: hash('a') }, waiting: null });
    expect(after([reach('run-start'), reach('step'), reach('idle')], state)).toEqual(state);
  });

  it('[P3-SA-2] says unchanged for the known snapshot, and ready for another', () => {
    const once = after(sync('1', 'a'));
    expect(after(sync('2', 'a'), once).sync?.status).toBe('unchanged');
    expect(after(sync('2', 'b'), once)).toMatchObject({
      pending: { hash: hash('b') },
      sync: { status: 'ready' },
    });
  });

  it('[P3-SA-1] records name, target and the known version', () => {
    const known = after([...sync('1', 'a'), apply('immediate_if_idle', true)]);
    const input = { type: 'request-sync', requestId: '2', workspace: 'team', version: hash('f') } as const;
    const facts = decideWorkspace(known, input);
    expect(facts).toEqual({
      ok: true,
      value: [
        {
          type: 'workspace-sync-requested',
          requestId: '2',
          workspace: 'team',
          version: hash('f'),
          known: hash('a'),
        },
      ],
    });
  });

  it('[P3-CS-binding] binds another workspace only when its snapshot is applied, not when it is requested', () => {
    const team = { workspace: 'team', version: 'latest' } as const;
    const asked = after([{ type: 'request-sync', requestId: '1', ...team }]);
    expect(asked.binding).toEqual(binding);
    const found: WorkspaceInput = {
      type: 'end-sync',
      requestId: '1',
      end: { outcome: 'found', snapshot: { hash: hash('t'), binding: team } },
    };
    const ready = after([found], asked);
    expect(ready.binding).toEqual(binding);
    expect(after([apply('next_run', false), reach('run-start')], ready).binding).toEqual(team);
  });

  it('[P3-sync-end-once] changes nothing when it ends a second time', () => {
    const [begin, end] = sync('1', 'a');
    const ended = after([begin!, end!]);
    const other = sync('1', 'b')[1]!;
    expect(decideWorkspace(ended, end!)).toEqual({ ok: true, value: [] });
    expect(decideWorkspace(ended, other)).toEqual({ ok: true, value: [] });
  });

  it('lets a later request overtake an earlier one', () => {
    const first: WorkspaceInput = { ...sync('1', 'a')[0]! };
    const state = after([first, ...sync('2', 'b'), sync('1', 'a')[1]!]);
    expect(state).toMatchObject({ pending: { hash: hash('b') }, sync: { requestId: '2', status: 'ready' } });
  });

  it('drops the pending snapshot when the folder equals the active one again', () => {
    const active = after([...sync('1', 'a'), apply('immediate_if_idle', true), ...sync('2', 'b')]);
    expect(after(sync('3', 'a'), active)).toMatchObject({ active: hash('a'), pending: null });
  });
});

describe('apply', () => {
  it.each([
    ['next_run', 'run-start'],
    ['next_step_boundary', 'step'],
    ['immediate_if_idle', 'idle'],
  ] as const)('[P3-SA-4] %s requested during a run is adopted at its boundary: %s', (when, boundary) => {
    const waiting = after([...sync('1', 'a'), apply(when, false)]);
    expect(waiting).toMatchObject({ active: null, pending: null, waiting: { when } });
    const others = (['idle', 'step'] as const).filter((other) => other !== boundary);
    expect(after(others.map(reach), waiting).active).toBeNull();
    expect(after([reach(boundary)], waiting)).toMatchObject({ active: hash('a'), waiting: null });
  });

  it('[P3-SA-4] immediate_if_idle is adopted immediately when nothing is running', () => {
    expect(after([...sync('1', 'a'), apply('immediate_if_idle', true)]).active).toBe(hash('a'));
  });

  it('[P3-SA-4] a later sync neither loses nor changes a waiting apply', () => {
    const state = after([...sync('1', 'a'), apply('next_run', false), ...sync('2', 'b')]);
    expect(state).toMatchObject({ waiting: { hash: hash('a') }, pending: { hash: hash('b') } });
    expect(after([reach('run-start')], state)).toMatchObject({
      active: hash('a'),
      pending: { hash: hash('b') },
    });
  });

  it('is refused when there is nothing to apply', () => {
    const refused = decideWorkspace(initialWorkspace, apply('next_run', true));
    expect(refused).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
  });

  it('[P3-SEC-5] [P3-T-4] a rejected snapshot leaves active, pending and waiting unchanged', () => {
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
