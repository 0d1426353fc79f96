import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

export interface Lease {
  readonly holder: string;
  readonly pid: number;
}

export interface LeaseDeps {
  /** This process: `holder` is unique; another process may reuse `pid` later. */
  readonly self: Lease;
  readonly processAlive: (pid: number) => boolean;
}

export type LeaseTable = ReturnType<typeof createLeaseTable>;

/**
 * Lifetime of a lease after its last renewal; only the reuse of a dead writer's pid ever makes a process wait
 * for it.
 */
export const leaseMs = 120_000;

interface LeaseRow extends Lease {
  readonly expires_at: number;
}

/** The statements over `leases`: one writer per session. */
export function createLeaseTable(db: Sqlite, deps: LeaseDeps) {
  const find = db.prepare(
    'SELECT CAST(holder AS BLOB) AS holder, pid, expires_at FROM leases WHERE session_id = ?',
  );
  const put = db.prepare(
    'INSERT OR REPLACE INTO leases (session_id, holder, pid, expires_at) VALUES (?, ?, ?, ?)',
  );
  const renew = db.prepare('UPDATE leases SET expires_at = ? WHERE holder = ?');
  const drop = db.prepare('DELETE FROM leases WHERE session_id = ? AND holder = ?');
  const { self, processAlive } = deps;

  /**
   * A process opens one store, so another holder with this process's own pid is a dead predecessor
   * (containers reuse low pids).
   */
  const leasedByAnother = (row: LeaseRow, now: number): boolean =>
    row.holder !== self.holder && row.pid !== self.pid && row.expires_at > now && processAlive(row.pid);

  const look = (sessionId: string): LeaseRow | null => {
    const row = find.get(sessionId) as (Omit<LeaseRow, 'holder'> & { holder: StoredText }) | undefined;
    return row ? { ...row, holder: textOf(row.holder) } : null;
  };

  return {
    /** Makes `self` the writer; returns the lease of another living writer if there is one, else null. */
    take(sessionId: string, now: number): Lease | null {
      const row = look(sessionId);
      if (row && leasedByAnother(row, now)) return { holder: row.holder, pid: row.pid };
      put.run(sessionId, self.holder, self.pid, now + leaseMs);
      return null;
    },
    holderOf(sessionId: string): Lease | null {
      const row = look(sessionId);
      return row ? { holder: row.holder, pid: row.pid } : null;
    },
    renewAll: (now: number): void => void renew.run(now + leaseMs, self.holder),
    release: (sessionId: string): void => void drop.run(sessionId, self.holder),
  };
}
