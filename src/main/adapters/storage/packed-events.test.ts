import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '#shared/session-event';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { openSqlite } from './sqlite';

/** More rows than fit into one packed text. */
const pieces = 9_000;

/**
 * Writes a session of several packs, changes its row at `seq` with `damage`, and returns the written and the
 * read events.
 */
function readAfter(
  damage: string,
  seq: number,
): { written: readonly SessionEvent[]; read: readonly SessionEvent[] } {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('ses_a'));
  const written = must(store.append('ses_a', 0, turnFacts(pieces, 'a pïece 🙂')));
  store.close();
  const db = openSqlite(path);
  db.exec(`UPDATE events SET ${damage} WHERE id % ${2 ** 32} = ${seq}`);
  db.close();
  return { written, read: must(openStore(path).read('ses_a', 0)).events };
}

describe('[H55] rows read in packs', () => {
  it('are returned as they were written, over several packs', () => {
    const { written, read } = readAfter('at = at', 1);
    expect(read).toEqual(written);
  });

  it.each([
    ['at = at + 1', 1],
    ['v = 2', 4_096],
    ['sum = sum + 1', 4_097],
    ["fact = replace(fact, 'piece', 'piece')||' '", 5_000],
    ["fact = CAST(x'7bff0080' AS TEXT)", 6_000],
    ['fact = char(10) || fact', 7_000],
    ["fact = ''", 8_193],
    ["session_id = 'ses_b', fact = char(10)", 9_004],
  ])('lack exactly the one where %s (seq %i)', (damage, seq) => {
    const { written, read } = readAfter(damage, seq);
    expect(read).toEqual(written.filter((event) => event.seq !== seq));
  });
});
