import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Notice } from '#shared/notice';
import { startMain } from '../../testing/main-harness';
import { createManualClock } from '../../testing/manual-clock';
import { must } from '../../testing/stored-session';
import { watchFolders } from '../../main/adapters/workflows/watch-folders';
import { composeStoredWorkspace } from '../../main/compose/workspace';
import { createSyncSuggestions } from './suggest-sync';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A session of a project that has synced its own workspace, with real file watching. */
async function start() {
  const project = mkdtempSync(join(tmpdir(), 'patina-suggest-'));
  ends.push(() => rmSync(project, { recursive: true, force: true }));
  const root = join(project, '.patina', 'workspace');
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  const harness = await startMain({ project });
  ends.push(harness.close);
  const { app, home, sessionId } = harness;
  const stored = must(composeStoredWorkspace({ home, seeds: resolve('seeds') }));
  const clock = createManualClock();
  const notices: Notice[] = [];
  let heard: () => void = () => undefined;
  let stopped = 0;
  const suggestions = createSyncSuggestions({
    ...stored,
    log: app.log,
    clock: clock.clock,
    watch: (folders, listener) => {
      const stop = watchFolders(folders).onChange(() => {
        listener();
        heard();
      });
      return () => {
        stopped += 1;
        stop();
      };
    },
    raise: (notice) => void notices.splice(0, 1, notice),
    withdraw: () => void notices.splice(0),
  });
  ends.push(suggestions.close);
  must(await app.workspace.call({ op: 'sync', sessionId }));
  suggestions.follow(sessionId);
  return {
    app,
    sessionId,
    clock,
    notices,
    suggestions,
    state: harness.state,
    stops: () => stopped,
    /** Writes a file, and waits until the watcher is notified. */
    write: async (path: string, text: string) => {
      const stamped = new Promise<void>((settle) => (heard = settle));
      writeFileSync(join(root, path), text);
      await stamped;
    },
  };
}

describe('watching the bound folder', () => {
  it('[P3-SA-watch] suggests a sync once the files are quiet, and does not start one', async () => {
    const { app, sessionId, clock, notices, write, state } = await start();
    const before = state().workspace;
    await write('prompts/templates/system.base.md', 'Written by another program.');
    clock.advance(300);
    await write('prompts/templates/system.base.md', 'And once more.');
    clock.advance(300);
    expect(notices).toEqual([]);
    clock.advance(200);
    await vi.waitFor(
      () => expect(notices).toMatchObject([{ title: "The workspace's files changed" }]),
      15_000,
    );
    expect(notices[0]?.hint).toContain('Sync');
    expect(state().workspace).toEqual(before);
    must(await app.workspace.call({ op: 'sync', sessionId }));
    expect(notices).toEqual([]);
  });

  it('[P3-SA-watch] suggests nothing for files with unchanged content', async () => {
    const { clock, notices, write } = await start();
    const file = 'prompts/templates/system.base.md';
    await write(file, 'Another text.');
    clock.advance(500);
    await vi.waitFor(() => expect(notices).toHaveLength(1), 15_000);
    cpSync(
      resolve('seeds/workspace', file),
      resolve(notices[0]?.detail.split(' has changed')[0] ?? '', file),
    );
    clock.advance(500);
    await vi.waitFor(() => {
      clock.advance(500);
      expect(notices).toEqual([]);
    }, 15_000);
  });

  it('[P3-SA-watch] watches only the session on the screen', async () => {
    const { suggestions, stops, clock } = await start();
    suggestions.follow(null);
    expect(stops()).toBe(1);
    expect(clock.timers()).toBe(0);
  });
});
