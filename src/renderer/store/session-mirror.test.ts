import { appError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import { turnAt } from '#shared/session-state';
import { describe, expect, it } from 'vitest';
import { runFacts, sampleUsage } from '../../testing/sample-session';
import { createWindowBridge } from '../../testing/window-bridge';
import { liveKey } from './live-replies';
import { createSessionMirror } from './session-mirror';

const model = { providerId: 'offline', model: 'offline' };
const created: SessionFact = { type: 'session-created', title: 'One', project: null };
const asked = (turn: number): SessionFact => ({
  type: 'message-sent',
  turn,
  text: `Q${turn}`,
  runMode: 'ask',
  model,
});
const started = (turn: number): SessionFact => ({
  type: 'reply-started',
  turn,
  model,
  providerName: 'Offline',
});
const extended = (turn: number, text: string): SessionFact => ({ type: 'reply-extended', turn, text });
const ended = (turn: number): SessionFact => ({ type: 'reply-ended', turn, outcome: 'done' });

function setUp() {
  const main = createWindowBridge();
  main.addSession('s', [created]);
  const mirror = createSessionMirror({
    bridge: main.bridge,
    onFrame: (callback) => queueMicrotask(callback),
  });
  mirror.follow();
  const session = () => mirror.store.getState().sessions['s'];
  const opened = () => main.calls.filter(({ name }) => name === 'session-snapshot').length;
  return { main, mirror, session, opened };
}

const runOver: SessionFact = {
  type: 'run-ended',
  turn: 0,
  runId: 'run-0',
  outcome: 'cancelled',
  answer: '',
  usage: sampleUsage,
};

describe('[SES-preview] a long session', () => {
  const long = Array.from({ length: 400 }, (_, turn) => [asked(turn), started(turn), ended(turn)]).flat();

  it('shows its last turns while it loads, and the whole of it afterwards', async () => {
    const { main, mirror, session } = setUp();
    main.recordWithoutPush('s', long);
    await mirror.preview('s');
    expect(mirror.store.getState().previews['s']?.turns.at(-1)).toEqual(turnAt(main.session('s'), 399));
    expect(session()).toBeUndefined();
    const shown = mirror.store.getState().previews['s']?.turns ?? [];
    await mirror.open('s');
    expect(session()).toEqual(main.session('s'));
    expect(mirror.store.getState().previews).toEqual({});
    // The rows on the screen keep their turns, so that they do not render again.
    for (const turn of shown) expect(turnAt(session() ?? { blocks: [] }, turn.turn)).toBe(turn);
  });

  it('is previewed when the frame of its last turns is drawn', async () => {
    const main = createWindowBridge();
    main.addSession('s', [created, ...long]);
    const frames: (() => void)[] = [];
    const mirror = createSessionMirror({
      bridge: main.bridge,
      onFrame: (callback) => frames.push(callback),
    });
    const drawn: string[] = [];
    const previewed = mirror.preview('s').then(() => drawn.push('previewed'));
    for (const frame of ['first', 'second']) {
      await expect.poll(() => frames.length).toBe(1);
      drawn.push(frame);
      frames.pop()?.();
    }
    await previewed;
    expect(drawn).toEqual(['first', 'second', 'previewed']);
  });

  it('has no preview once it is loaded, while it is short, or when it is deleted', async () => {
    const { main, mirror } = setUp();
    await mirror.preview('s');
    expect(mirror.store.getState().previews).toEqual({});
    main.recordWithoutPush('s', long);
    await mirror.preview('s');
    await main.bridge.invoke('session-delete', { sessionId: 's' });
    await main.drained();
    expect(mirror.store.getState().previews).toEqual({});
  });

  it('is not covered by a preview that arrives late', async () => {
    const { main, mirror, session } = setUp();
    main.recordWithoutPush('s', long);
    const late = mirror.preview('s');
    mirror.adopt(main.session('s'));
    await late;
    expect(mirror.store.getState().previews).toEqual({});
    expect(session()?.turnCount).toBe(400);
  });
});

describe('[SES-gap] the session mirror', () => {
  it('follows main event by event and ends in the same state', async () => {
    const { main, mirror, session, opened } = setUp();
    await mirror.open('s');
    main.record('s', [asked(0), started(0), extended(0, 'Hi'), ended(0)]);
    main.record('s', [{ type: 'session-renamed', title: 'Two' }]);
    await main.drained();
    expect(session()).toEqual(main.session('s'));
    expect(mirror.store.getState().summaries['s']?.title).toBe('Two');
    expect(opened()).toBe(1);
  });

  it('requests a snapshot when an event is missing', async () => {
    const { main, mirror, session, opened } = setUp();
    await mirror.open('s');
    main.recordWithoutPush('s', [asked(0), started(0)]);
    main.record('s', [extended(0, 'after the gap')]);
    await main.drained();
    await mirror.open('s');
    expect(session()).toEqual(main.session('s'));
    expect(opened()).toBe(2);
  });

  it('keeps events that arrive while a snapshot is requested', async () => {
    const { main, mirror, session } = setUp();
    const opening = mirror.open('s');
    main.record('s', [asked(0), started(0), extended(0, 'early')]);
    await main.drained();
    await opening;
    expect(session()).toEqual(main.session('s'));
  });

  it('ignores events it has already seen', async () => {
    const { main, mirror, session } = setUp();
    const events: unknown[] = [];
    main.bridge.onPush(({ pushes }) => void events.push(...pushes));
    await mirror.open('s');
    mirror.follow();
    main.record('s', [asked(0)]);
    await main.drained();
    const before = session();
    main.push({
      type: 'events',
      sessionId: 's',
      events: [{ ...asked(0), sessionId: 's', seq: 2, at: 1, v: 1 }],
    });
    await main.drained();
    expect(session()?.turnCount).toBe(1);
    expect(session()?.seq).toBe(before?.seq);
  });

  it('merges live text and saved text, and drops the live text when the reply ends', async () => {
    const { main, mirror } = setUp();
    await mirror.open('s');
    const live = () => mirror.store.getState().live[liveKey('s', 0)]?.text;
    main.record('s', [asked(0), started(0)]);
    main.push({ type: 'reply-delta', sessionId: 's', turn: 0, offset: 6, text: 'world' });
    await main.drained();
    expect(live()).toBe('');
    main.record('s', [extended(0, 'Hello ')]);
    await main.drained();
    expect(live()).toBe('Hello world');
    main.record('s', [extended(0, 'world'), ended(0)]);
    main.push({ type: 'reply-delta', sessionId: 's', turn: 0, offset: 6, text: 'world' });
    await main.drained();
    expect(mirror.store.getState().live).toEqual({});
    const state = mirror.store.getState().sessions['s'];
    expect(state && turnAt(state, 0)?.reply?.text).toBe('Hello world');
  });

  it('[AGENT-thinking-live] shows the thinking of each planning call from its beginning, until the call ends', async () => {
    const { main, mirror } = setUp();
    await mirror.open('s');
    const live = () => mirror.store.getState().live[liveKey('s', 0)]?.text;
    const think = (offset: number, text: string) =>
      main.push({ type: 'reply-delta', sessionId: 's', turn: 0, offset, text, thinking: true });
    main.record('s', runFacts().slice(0, 2));
    think(0, 'First ');
    think(6, 'this.');
    await main.drained();
    expect(live()).toBe('First this.');
    think(0, 'Again');
    await main.drained();
    expect(live()).toBe('Again');
    main.record('s', [{ type: 'model-step-ended', turn: 0, runId: 'run-0', stage: 1, parts: [] }]);
    await main.drained();
    expect(live()).toBeUndefined();
    main.record('s', [runOver]);
    think(0, 'Too late');
    await main.drained();
    expect(mirror.store.getState().live).toEqual({});
  });

  it('changes the store once for everything in a frame', async () => {
    const { main, mirror } = setUp();
    await mirror.open('s');
    let changes = 0;
    mirror.store.subscribe(() => (changes += 1));
    main.record('s', [asked(0), started(0)]);
    for (let at = 0; at < 50; at += 1) {
      main.push({ type: 'reply-delta', sessionId: 's', turn: 0, offset: at, text: 'x' });
    }
    await main.drained();
    expect(changes).toBe(1);
    expect(mirror.store.getState().live[liveKey('s', 0)]?.text).toBe('x'.repeat(50));
  });

  it('drops the session that was not shown for the longest time', async () => {
    const { main, mirror } = setUp();
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      main.addSession(id, [created]);
      await mirror.open(id);
    }
    expect(Object.keys(mirror.store.getState().sessions)).toEqual(['b', 'c', 'd', 'e']);
  });

  it('passes on why a session could not be opened', async () => {
    const { main, mirror } = setUp();
    const error = appError('HOST', 'STORAGE', 'The disk does not answer.');
    main.failNext('session-snapshot', error);
    expect(await mirror.open('s')).toEqual({ ok: false, error });
  });
});
