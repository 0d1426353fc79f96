import { copyFileSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { placesIn } from '../../../testing/full-counts';
import {
  flipped,
  forEachPlace,
  longTestMs,
  putDown,
  total,
  useAfterDamage,
  writeSessions,
  type Written,
} from '../../../testing/corrupt-database';
import { must, openStore } from '../../../testing/stored-session';

describe('a database that was closed and then damaged', () => {
  let written: Written;
  beforeAll(() => {
    written = writeSessions(true);
  });

  it.each([0x01, 0x81, 0xff])(
    '[H55] by a flipped byte never causes a throw or a wrong event (mask %i)',
    async (mask) => {
      let keptAll = 0;
      const places = placesIn(written.database.length, 40);
      await forEachPlace(places, (at) => {
        const path = putDown(flipped(written.database, at, mask), Buffer.alloc(0));
        const { kept, missing, salvage, store } = useAfterDamage(path, written.events);
        const named = missing + (salvage?.rowsLost ?? 0);
        expect(kept + named, `flipped at ${at}`).toBeGreaterThanOrEqual(total(written));
        keptAll += kept;
        store.close();
        return path;
      });
      expect(keptAll).toBeGreaterThan(total(written) * places.length * 0.9);
    },
    longTestMs,
  );

  const costsNothing = (at: number): void => {
    for (const mask of [0x01, 0x81, 0xff]) {
      const path = putDown(flipped(written.database, at, mask), Buffer.alloc(0));
      const { kept, salvage } = useAfterDamage(path, written.events);
      expect({ kept, rowsLost: salvage?.rowsLost }).toEqual({ kept: total(written), rowsLost: 0 });
    }
  };

  // Header bytes: write version, schema version, its mark; on page 1: page type, cell count and start of the
  // cells.
  it.each([18, 63, 71, 100, 103, 105])(
    '[H55] by a flipped byte %i of the header loses nothing',
    costsNothing,
  );

  it('[H55] by a flipped byte of a name in a definition, or of an index, loses nothing', () => {
    costsNothing(written.database.indexOf('fact TEXT'));
    const pages = Array.from({ length: written.database.length / 4_096 }, (_, page) => page * 4_096);
    const index = pages.find(
      (page) => written.database[page] === 0x0a && written.database.indexOf('ses_b', page) < page + 4_096,
    );
    costsNothing(written.database.indexOf('ses_b', index));
  });

  it('[H55] is kept unchanged, and its path is reported', () => {
    const hurt = flipped(written.database, 100, 0xff);
    const path = putDown(hurt, Buffer.alloc(0));
    const { salvage } = useAfterDamage(path, written.events);
    expect(salvage).toMatchObject({ eventsSaved: total(written), rowsLost: 0 });
    expect(readFileSync(salvage!.quarantined).equals(hurt)).toBe(true);
    expect(basename(salvage!.quarantined)).toBe('sessions.db.corrupt-2023-11-14T22-13-20-000Z');
    const left = readdirSync(dirname(path)).filter((name) => /salvag/.test(name));
    expect(left).toEqual([]);
  });

  it.each([0, 1, 50, 100, 4_095, 5_000, 20_000])('[H55] a file cut to %i bytes opens', (length) => {
    const path = putDown(written.database.subarray(0, length), Buffer.alloc(0));
    expect(() => useAfterDamage(path, written.events)).not.toThrow();
  });

  it.each(['rubbish', 'zeros'])('[H55] to a file of %s is set aside', (kind) => {
    const bytes = kind === 'zeros' ? Buffer.alloc(20_000) : Buffer.from('no database '.repeat(2_000));
    const { kept, salvage } = useAfterDamage(putDown(bytes, Buffer.alloc(0)), written.events);
    expect(kept).toBe(0);
    expect(readFileSync(salvage!.quarantined).equals(bytes)).toBe(true);
  });

  it('[H55] is not moved while another process has it open', () => {
    const path = putDown(written.database, Buffer.alloc(0));
    const living = openStore(path, { pid: 1 });
    must(living.list());
    writeFileSync(path, flipped(readFileSync(path), 100, 0xff));
    const second = openStore(path, { pid: 2, processAlive: (pid) => pid === 1 });
    expect(second.list()).toMatchObject({ ok: false, error: { code: 'STORAGE' } });
    expect(readdirSync(dirname(path)).some((name) => name.includes('corrupt'))).toBe(false);
  });

  it('[H55] has its salvage finished by the next start when it was killed before the swap', () => {
    const path = putDown(written.database, Buffer.alloc(0));
    const elsewhere = join(mkdtempSync(join(tmpdir(), 'patina-swap-')), 'sessions.db');
    copyFileSync(path, `${elsewhere}.salvaged`);
    expect(useAfterDamage(elsewhere, written.events).kept).toBe(total(written));
  });
});
