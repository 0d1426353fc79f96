import { createEventChain, createHeadTable, type EventChain, type HeadTable } from './event-chain';
import { createEventTable, type EventTable } from './event-table';
import { createGrantTable, type GrantTable } from './grant-table';
import { createLeaseTable, type LeaseDeps, type LeaseTable } from './lease-table';
import { createMessageIndex, type MessageIndex } from './message-index';
import { createPinTable, type PinTable } from './pin-table';
import { createSessionTable, type SessionTable } from './session-table';
import { createSnapshotTable, type SnapshotTable } from './snapshot-table';
import type { Sqlite } from './sqlite';

/** Every table of one open connection, its statements prepared. */
export interface Tables {
  readonly db: Sqlite;
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly heads: HeadTable;
  readonly chain: EventChain;
  readonly messages: MessageIndex;
  readonly leases: LeaseTable;
  readonly snapshots: SnapshotTable;
  readonly grants: GrantTable;
  readonly pins: PinTable;
}

/** Prepares the statements; throws when the schema is not the expected one. */
export function createTables(db: Sqlite, lease: LeaseDeps): Tables {
  const events = createEventTable(db);
  const heads = createHeadTable(db, events);
  return {
    db,
    events,
    heads,
    chain: createEventChain(events, heads),
    sessions: createSessionTable(db),
    messages: createMessageIndex(db, events),
    leases: createLeaseTable(db, lease),
    snapshots: createSnapshotTable(db),
    grants: createGrantTable(db),
    pins: createPinTable(db),
  };
}
