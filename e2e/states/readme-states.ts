import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { SessionFact } from '../../src/shared/session-event';
import { createManualClock } from '../../src/testing/manual-clock';
import { must, openStore } from '../../src/testing/stored-session';
import { turn } from '../fixtures/conversation';
import { send, switchMode } from '../fixtures/window';
import type { Scene } from './state-row';

const hour = 3_600_000;
const model = { providerId: 'offline', model: 'offline' };

/** Talks of before, newest last, with how long ago they were, in hours. */
const earlier: readonly (readonly [title: string, hoursAgo: number])[] = [
  ['Regex for ISO dates', 75],
  ['Name the release', 50],
  ['Why is the build slow?', 27],
  ['Count TODO and FIXME by folder', 25],
  ['How does back pressure work?', 2],
];

function storeEarlier(home: string): void {
  const now = Date.now();
  for (const [at, [title, hoursAgo]] of earlier.entries()) {
    const { clock } = createManualClock(now - hoursAgo * hour);
    const store = openStore(join(home, 'sessions.db'), { clock });
    const facts: readonly SessionFact[] = [
      { type: 'session-created', title, project: null },
      { type: 'message-sent', turn: 0, text: title, runMode: 'ask', model },
      { type: 'reply-started', turn: 0, model, providerName: 'Offline (no model)' },
      { type: 'reply-ended', turn: 0, outcome: 'done' },
    ];
    must(store.acquireLease(`ses_earlier_${at}`));
    must(store.append(`ses_earlier_${at}`, 0, facts));
    store.close();
  }
}

/** The picture of the README: one run of Agent Mode, done, with everything about it in sight. */
export const readmeScene: Scene = {
  name: 'readme',
  open({ home, launch }) {
    storeEarlier(home);
    return launch();
  },
  rows: [
    {
      name: 'agent',
      reach: async ({ page }) => {
        await switchMode(page, 'Agent Mode');
        await send(page, 'find duplicate files in ./docs');
        await expect(turn(page, 1)).toContainText('logo copy.png');
        await page.keyboard.press('Control+i');
        await expect(page.getByRole('group', { name: 'Plan as a graph' })).toBeVisible();
      },
    },
  ],
};
