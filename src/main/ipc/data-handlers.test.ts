import { expect, it } from 'vitest';
import { ok } from '#shared/result';
import { emptySession } from '#shared/session-state';
import type { App } from '../app';
import { createDataHandlers } from './data-handlers';

/** The name that is proposed for the export of a session with this title. */
async function nameOf(title: string): Promise<string | undefined> {
  const names: string[] = [];
  const log = { peek: () => ok({ ...emptySession('s'), title }), events: () => ok([]) };
  const handlers = createDataHandlers({ log } as unknown as App, {
    chooseChats: () => Promise.resolve(null),
    chooseBackup: () => Promise.resolve(null),
    choosePack: () => Promise.resolve(null),
    placeBackup: () => Promise.resolve(null),
    saveFile: (name) => {
      names.push(name);
      return Promise.resolve(ok(null));
    },
  });
  await handlers['session-export']({ sessionId: 's', format: 'md' });
  return names[0];
}

it.each([
  ['src/main: a plan', 'src_main: a plan.md'],
  ['..\\up', '_up.md'],
  ['.hidden', 'hidden.md'],
  ['invoice\u202Egpj.exe', 'invoicegpj.exe.md'],
  [' \u2066\n', 'Session.md'],
  ['', 'Session.md'],
  ['\u{1F600}'.repeat(100), `${'\u{1F600}'.repeat(80)}.md`],
])('[EXPORT-name] the title %j is proposed as the file %j', async (title, name) => {
  expect(await nameOf(title)).toBe(name);
});
