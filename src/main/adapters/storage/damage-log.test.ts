import { beforeAll, describe, expect, it } from 'vitest';
import { placesIn } from '../../../testing/full-counts';
import {
  flipped,
  forEachPlace,
  frameBytes,
  frameHeader,
  longTestMs,
  putDown,
  total,
  useAfterDamage,
  writeSessions,
  type Written,
} from '../../../testing/corrupt-database';

describe('a database whose process was killed', () => {
  let written: Written;
  beforeAll(() => {
    written = writeSessions(false);
  });

  it('[H55] opens completely from its log', () => {
    const { kept, salvage } = useAfterDamage(putDown(written.database, written.log), written.events);
    expect({ kept, salvage }).toEqual({ kept: total(written), salvage: null });
  });

  it(
    '[H55] with a log cut at any byte loses only what follows the cut',
    async () => {
      let last = 0;
      await forEachPlace(placesIn(written.log.length, 24), (cut) => {
        const path = putDown(written.database, written.log.subarray(0, cut));
        const { kept, store } = useAfterDamage(path, written.events);
        expect(kept, `cut at ${cut}`).toBeGreaterThanOrEqual(last);
        last = kept;
        store.close();
        return path;
      });
      expect(last).toBeGreaterThan(0);
    },
    longTestMs,
  );

  it(
    '[H55] with a flipped byte in the log loses at most the rows on its page, and counts them',
    async () => {
      const pages = Math.floor(written.log.length / frameBytes);
      expect(pages).toBeGreaterThan(20);
      const lastCommit = written.log.length - 4 * frameBytes;
      await forEachPlace(placesIn(written.log.length, 40), (at) => {
        const path = putDown(written.database, flipped(written.log, at, 0x81));
        const { kept, salvage, store } = useAfterDamage(path, written.events);
        // Each session is on different pages, so one byte can affect at most one of the three.
        expect(kept, `flipped at ${at}`).toBeGreaterThanOrEqual((total(written) * 2) / 3);
        if (salvage) expect(kept + salvage.rowsLost).toBeGreaterThanOrEqual(total(written));
        // In the last commit, only pages of events and sessions can be distinguished from an interrupted
        // write.
        else
          expect(kept, `flipped at ${at}`).toBeGreaterThanOrEqual(total(written) - (at > lastCommit ? 1 : 0));
        store.close();
        return path;
      });
    },
    longTestMs,
  );
});

describe('the last part of a reply in the log', () => {
  let written: Written;
  let lastFrame: number;
  beforeAll(() => {
    written = writeSessions(false, { type: 'reply-extended', turn: 0, text: 'the last words' });
    lastFrame = written.log.length - frameBytes;
  });

  it.each([0, 4, 8, 12, 16, 20, 24 + 4, frameBytes - 4])(
    '[H55] with a flipped byte at %i of its frame is damage: its rows are saved, or counted',
    (at) => {
      const path = putDown(written.database, flipped(written.log, lastFrame + at, 0x81));
      const { kept, salvage } = useAfterDamage(path, written.events);
      expect(kept + (salvage?.rowsLost ?? 0)).toBe(total(written));
    },
  );

  it('[H55] that was never finished is not damage: the process ended between two writes', () => {
    const log = Buffer.from(written.log);
    // The new frame's header is in place, followed by bytes from an earlier round of the log.
    written.log.copy(log, lastFrame + frameHeader, lastFrame - frameBytes + frameHeader, lastFrame);
    const { kept, salvage } = useAfterDamage(putDown(written.database, log), written.events);
    expect({ kept, salvage }).toEqual({ kept: total(written) - 1, salvage: null });
  });
});
