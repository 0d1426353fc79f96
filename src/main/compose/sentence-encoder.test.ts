import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createListeners } from '#shared/listeners';
import { Settings } from '#shared/settings';
import { createManualClock } from '../../testing/manual-clock';
import { composeSentenceEncoder } from './sentence-encoder';

const home = mkdtempSync(join(tmpdir(), 'patina-encoder-'));
const folder = join(home, 'cache', 'meaning');
beforeEach(() => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'sessions.bin'), 'vectors');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function compose(searchByMeaning: boolean) {
  let settings: Settings = { ...Settings.parse({}), searchByMeaning };
  const changed = createListeners<[Settings]>();
  const removed = createListeners<[string]>();
  composeSentenceEncoder(
    {
      host: {
        home,
        startSentenceEncoder: () => {
          throw new Error('Nothing is compared.');
        },
      },
      settings: { get: () => settings, onChange: changed.add },
      clock: createManualClock().clock,
    },
    { onRemoved: removed.add },
  );
  const turn = (on: boolean): void => {
    settings = { ...settings, searchByMeaning: on };
    changed.notify(settings);
  };
  return { turn, remove: () => removed.notify('one') };
}

it('[MEAN-forget] what the encoder stored stays while it is on', () => {
  const { turn } = compose(true);
  turn(true);
  expect(existsSync(folder)).toBe(true);
});

it('[MEAN-forget] what the encoder stored goes with every deleted session', () => {
  const { remove } = compose(true);
  remove();
  expect(existsSync(folder)).toBe(false);
});

it('[MEAN-forget] what the encoder stored goes when it is switched off', () => {
  const { turn } = compose(true);
  turn(false);
  expect(existsSync(folder)).toBe(false);
});

it('[MEAN-forget] what the encoder stored goes at the start when it was switched off in the meantime', () => {
  compose(false);
  expect(existsSync(folder)).toBe(false);
});
