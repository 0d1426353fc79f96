import { describe, expect, it, vi } from 'vitest';
import { createListeners } from '#shared/listeners';
import type { Push } from '#shared/ipc';
import { ok } from '#shared/result';
import { emptySession, summaryOf, type SessionSummary } from '#shared/session-state';
import { defaultSettings } from '#shared/setting-rows';
import type { Settings, SettingsPatch } from '#shared/settings';
import { createManualClock } from '../../testing/manual-clock';
import { createPushChannels } from './push-channel';
import { createSessionWindows } from './window-handlers';

const mainId = 1;

/** Windows by number: the main one is 1, each session's the next free number. */
function opened() {
  const own = new Map<string, number>();
  const removed = createListeners<[string]>();
  const sent: [number, Push][] = [];
  const time = createManualClock();
  const channels = createPushChannels((id, { pushes, batch }) => {
    sent.push(...pushes.map((push): [number, Push] => [id, push]));
    channels.acknowledge(id, batch);
  }, time.clock);
  const windows = {
    sessions: () => [...own.keys()],
    lastingSessions: (): readonly string[] => [...own.keys()],
    showMain: () => mainId,
    showSession(sessionId: string) {
      if (!own.has(sessionId)) {
        own.set(sessionId, own.size + 2);
        windows.on.changed();
      }
      return own.get(sessionId) ?? 0;
    },
    closeSession: vi.fn(),
    inFront: () => null,
    on: {
      left: () => undefined,
      focused: () => undefined,
      changed: (): void => undefined,
      closed: (): void => undefined,
    },
  };
  const stored: SessionSummary[] = [];
  const create = (project: string | null) => {
    const session = { ...emptySession(`ses_${stored.length + 1}`), project };
    stored.push(summaryOf(session));
    return ok(session);
  };
  const ids = () => ok(['ses_a', 'ses_b', 'ses_c']);
  const log = { onRemoved: removed.add, summaries: () => ok(stored), create, ids };
  let saved: Settings = { ...defaultSettings, ownWindows: ['ses_a', 'ses_gone', 'ses_b'] };
  const settings = {
    get: () => saved,
    patch: (change: SettingsPatch) => ok((saved = { ...saved, ...change } as Settings)),
  };
  const shows = createSessionWindows({ log, project: () => '/code', settings }, windows, channels);
  const listen = (id: number): void => {
    shows.greet(id);
    channels.acknowledge(id, 0);
  };
  listen(mainId);
  const received = (): typeof sent => {
    time.advance(100);
    return sent.splice(0);
  };
  return { shows, listen, received, removed, windows, stored, saved: () => saved.ownWindows };
}

describe('windows of sessions', () => {
  it('[ATT-place] show a session at its turn in its own window if there is one, otherwise in the main window', () => {
    const { shows, listen, received } = opened();
    shows.show('ses_a', 3);
    expect(received()).toEqual([[mainId, { type: 'session-called', sessionId: 'ses_a', turn: 3 }]]);
    shows.showOwn('ses_a');
    listen(2);
    received();
    shows.show('ses_a', 4);
    expect(received()).toEqual([[2, { type: 'session-called', sessionId: 'ses_a', turn: 4 }]]);
    shows.show('ses_b');
    expect(received()).toEqual([[mainId, { type: 'session-called', sessionId: 'ses_b' }]]);
  });

  it('[WIN-own] tell every window which sessions have windows, also one that opens later', () => {
    const { shows, listen, received } = opened();
    shows.showOwn('ses_a');
    const changed = { type: 'windows-changed', sessions: ['ses_a'] };
    expect(received()).toEqual([[mainId, changed]]);
    listen(2);
    expect(received()).toEqual([[2, changed]]);
    shows.showNew();
    expect(received()).toEqual([[mainId, { type: 'menu-chosen', id: 'new-session' }]]);
  });

  it('[WIN-own] keep what a window should show until its page listens', () => {
    const { shows, listen, received } = opened();
    shows.showOwn('ses_a', 7);
    received();
    listen(2);
    expect(received()).toContainEqual([2, { type: 'session-called', sessionId: 'ses_a', turn: 7 }]);
  });

  it('[WIN-ask] ask in a session of the project that has no turn yet, otherwise in a new one', () => {
    const { shows, windows, stored } = opened();
    const elsewhere = { ...summaryOf(emptySession('ses_elsewhere')), project: '/other' };
    stored.push(elsewhere);
    shows.showAsk();
    shows.showAsk();
    expect(windows.sessions()).toEqual(['ses_2']);
    stored[1] = { ...elsewhere, id: 'ses_2', project: '/code', turnCount: 1 };
    shows.showAsk();
    expect(windows.sessions()).toEqual(['ses_2', 'ses_3']);
  });

  it('[WIN-own-restart] open again after a restart, and only those that last are saved', () => {
    const { shows, windows, saved } = opened();
    shows.restore();
    expect(windows.sessions()).toEqual(['ses_a', 'ses_b']);
    expect(saved()).toEqual(['ses_a', 'ses_b']);
    windows.lastingSessions = () => ['ses_b'];
    shows.showOwn('ses_c');
    expect(saved()).toEqual(['ses_b']);
  });

  it('[WIN-own-trust] close with a deleted session', () => {
    const { removed, windows } = opened();
    removed.notify('ses_a');
    expect(windows.closeSession).toHaveBeenCalledExactlyOnceWith('ses_a');
  });
});
