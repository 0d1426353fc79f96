import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionEvent } from '#shared/session-event';
import { collectGarbage } from '../../../testing/collect-garbage';
import { placesIn } from '../../../testing/full-counts';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';

const sessions = ['ses_a', 'ses_b', 'ses_c'];
/** A full run of one test takes many minutes. */
const patience = 24 * 3_600_000;

interface Written {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly events: ReadonlyMap<string, readonly SessionEvent[]>;
}

/** A database as `kill -9` leaves it: the file and a log that was never checkpointed. */
function writeSessions(checkpointed: boolean): Written {
  const path = newDatabasePath();
  const store = openStore(path);
  const events = new Map<string, readonly SessionEvent[]>();
  for (const id of sessions) {
    must(store.acquireLease(id));
    const long = `${id} ${'x'.repeat(300)}`;
    const written = [...must(store.append(id, 0, turnFacts(10, long)))];
    // One event far larger than a page, so that rows continue on other pages.
    const large = { type: 'session-renamed', title: 'y'.repeat(9_000) } as const;
    written.push(...must(store.append(id, written.length, [large])));
    written.push(...must(store.append(id, written.length, [{ type: 'session-renamed', title: id }])));
    events.set(id, written);
  }
  if (checkpointed) store.close();
  const log = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
  return { database: readFileSync(path), log, events };
}

/**
 * Calls `work` with each place. Statements keep a closed file open until they are collected: without that, many thousand
 * rounds would be out of descriptors.
 */
async function forEachPlace(places: readonly number[], work: (at: number) => string): Promise<void> {
  for (const [round, at] of places.entries()) {
    rmSync(dirname(work(at)), { recursive: true, force: true });
    if (round % 200 === 199) await collectGarbage();
  }
}

function putDown(database: Buffer, log: Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'patina-hurt-')), 'sessions.db');
  writeFileSync(path, database);
  if (log.length > 0) writeFileSync(`${path}-wal`, log);
  return path;
}

const flipped = (bytes: Buffer, at: number, mask: number): Buffer => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
};

/** Opens, reads everything, writes on; checks that every event read is one that was written. Gives how many there were. */
function useAfterDamage(path: string, written: Written['events']) {
  const store = openStore(path);
  let kept = 0;
  for (const id of sessions) {
    const all = written.get(id)!;
    expect(store.acquireLease(id).ok).toBe(true);
    const read = store.read(id, 0);
    const events = read.ok ? read.value : [];
    expect(events).toEqual(all.slice(0, events.length));
    kept += events.length;
    const next = events.length === 0 ? turnFacts(0) : [{ type: 'session-renamed' as const, title: 'after' }];
    must(store.append(id, events.length, next));
    expect(must(store.read(id, 0))).toHaveLength(events.length + next.length);
  }
  must(store.list());
  must(store.search('sort', 5));
  return { kept, salvage: store.salvage(), store };
}

const total = (written: Written): number => [...written.events.values()].flat().length;

describe('a database whose process was killed', () => {
  let written: Written;
  beforeAll(() => {
    written = writeSessions(false);
  });

  it('[H55] opens whole from its log', () => {
    const { kept, salvage } = useAfterDamage(putDown(written.database, written.log), written.events);
    expect({ kept, salvage }).toEqual({ kept: total(written), salvage: null });
  });

  it(
    '[H55] a log cut at any byte costs only what was behind the cut',
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
    patience,
  );

  it(
    '[H55] a byte flipped in the log costs at most the rows on its page, counted',
    async () => {
      const pages = Math.floor(written.log.length / 4_120);
      expect(pages).toBeGreaterThan(20);
      await forEachPlace(placesIn(written.log.length, 40), (at) => {
        const path = putDown(written.database, flipped(written.log, at, 0x81));
        const { kept, salvage, store } = useAfterDamage(path, written.events);
        // Each session is on other pages, so at most one of the three can be touched by one byte.
        expect(kept, `flipped at ${at}`).toBeGreaterThanOrEqual((total(written) * 2) / 3);
        if (salvage) expect(kept + salvage.rowsLost).toBeGreaterThanOrEqual(total(written));
        else expect(kept, `flipped at ${at}`).toBe(total(written));
        store.close();
        return path;
      });
    },
    patience,
  );
});

describe('a database that was closed and then damaged', () => {
  let written: Written;
  beforeAll(() => {
    written = writeSessions(true);
  });

  it.each([0x01, 0x81, 0xff])(
    '[H55] a flipped byte never ends in a throw or a wrong event (mask %i)',
    async (mask) => {
      let keptAll = 0;
      const places = placesIn(written.database.length, 40);
      await forEachPlace(places, (at) => {
        const path = putDown(flipped(written.database, at, mask), Buffer.alloc(0));
        const { kept, salvage, store } = useAfterDamage(path, written.events);
        if (kept < total(written)) expect(salvage?.rowsLost, `flipped at ${at}`).toBeGreaterThan(0);
        keptAll += kept;
        store.close();
        return path;
      });
      expect(keptAll).toBeGreaterThan(total(written) * places.length * 0.6);
    },
    patience,
  );

  it('[H55] the damaged file is kept as it was, and said where', () => {
    const hurt = flipped(written.database, 100, 0xff);
    const path = putDown(hurt, Buffer.alloc(0));
    const { salvage } = useAfterDamage(path, written.events);
    expect(salvage).toMatchObject({ eventsKept: total(written), rowsLost: 0 });
    expect(readFileSync(salvage!.setAside).equals(hurt)).toBe(true);
    expect(basename(salvage!.setAside)).toBe('sessions.db.corrupt-2023-11-14T22-13-20-000Z');
    const left = readdirSync(dirname(path)).filter((name) => /salvag/.test(name));
    expect(left).toEqual([]);
  });

  it.each([0, 1, 50, 100, 4_095, 5_000, 20_000])('[H55] a file cut to %i bytes opens', (length) => {
    const path = putDown(written.database.subarray(0, length), Buffer.alloc(0));
    expect(() => useAfterDamage(path, written.events)).not.toThrow();
  });

  it.each(['rubbish', 'zeros'])('[H55] a file of %s is set aside', (kind) => {
    const bytes = kind === 'zeros' ? Buffer.alloc(20_000) : Buffer.from('no database '.repeat(2_000));
    const { kept, salvage } = useAfterDamage(putDown(bytes, Buffer.alloc(0)), written.events);
    expect(kept).toBe(0);
    expect(readFileSync(salvage!.setAside).equals(bytes)).toBe(true);
  });

  it('[H55] is not moved away under another process that has it open', () => {
    const path = putDown(written.database, Buffer.alloc(0));
    const living = openStore(path, { pid: 1 });
    must(living.list());
    writeFileSync(path, flipped(readFileSync(path), 100, 0xff));
    const second = openStore(path, { pid: 2, processAlive: (pid) => pid === 1 });
    expect(second.list()).toMatchObject({ ok: false, error: { code: 'STORAGE' } });
    expect(readdirSync(dirname(path)).some((name) => name.includes('corrupt'))).toBe(false);
  });

  it('[H55] a salvage that was killed before the swap is finished by the next start', () => {
    const path = putDown(written.database, Buffer.alloc(0));
    const elsewhere = join(mkdtempSync(join(tmpdir(), 'patina-swap-')), 'sessions.db');
    copyFileSync(path, `${elsewhere}.salvaged`);
    expect(useAfterDamage(elsewhere, written.events).kept).toBe(total(written));
  });
});
