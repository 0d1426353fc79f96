import { crc32 } from 'node:zlib';
import type { SessionState } from '#shared/session-state';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

/** The version of the fold: raise it whenever `applyEvent` or the state's shape changes, and old snapshots are ignored. */
const foldVersion = 6;

export interface SnapshotTable {
  /** The stored fold, or null when there is none that can be trusted up to `lastSeq`. */
  load(sessionId: string, lastSeq: number): SessionState | null;
  save(state: SessionState): void;
  drop(sessionId: string): void;
}

interface SnapshotRow {
  readonly seq: number;
  readonly v: number;
  readonly sum: number;
  readonly state: StoredText;
}

function parse(row: SnapshotRow, sessionId: string): SessionState | null {
  const text = textOf(row.state);
  if (row.v !== foldVersion || crc32(text) !== row.sum) return null;
  const state = JSON.parse(text) as SessionState;
  return state.id === sessionId && state.seq === row.seq ? state : null;
}

/** The statements over `snapshots`: a cache of folds, never the truth. */
export function createSnapshotTable(db: Sqlite): SnapshotTable {
  const find = db.prepare(
    'SELECT seq, v, sum, CAST(state AS BLOB) AS state FROM snapshots WHERE session_id = ?',
  );
  const put = db.prepare(
    'INSERT OR REPLACE INTO snapshots (session_id, seq, v, sum, state) VALUES (?, ?, ?, ?, ?)',
  );
  const drop = db.prepare('DELETE FROM snapshots WHERE session_id = ?');
  return {
    load(sessionId, lastSeq) {
      const row = find.get(sessionId) as SnapshotRow | undefined;
      return row && row.seq <= lastSeq ? parse(row, sessionId) : null;
    },
    save(state) {
      const text = JSON.stringify(state);
      put.run(state.id, state.seq, foldVersion, crc32(text), text);
    },
    drop: (sessionId) => void drop.run(sessionId),
  };
}
