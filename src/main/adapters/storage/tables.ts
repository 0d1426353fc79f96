import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { Grant } from '#shared/grant';
import { parseJson } from '#shared/json';
import type { SessionEvent } from '#shared/session-event';
import type { SessionState } from '#shared/session-state';
import { ToolPin } from '#shared/tool-pin';
import { createEventChain, createHeadTable, type EventChain, type HeadTable } from './event-chain';
import { createEventTable, type EventTable } from './event-table';
import { createLeaseTable, type LeaseDeps, type LeaseTable } from './lease-table';
import { createMessageIndex, type MessageIndex } from './message-index';
import { createSessionTable, type SessionTable } from './session-table';
import type { Sqlite } from './sqlite';
import { type StoredText, textOf } from './stored-text';
import { createUsageTable, type UsageTable } from './usage-table';

/** Every table of one open connection, with prepared statements. */
export interface Tables {
  readonly db: Sqlite;
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly heads: HeadTable;
  readonly chain: EventChain;
  readonly messages: MessageIndex;
  readonly leases: LeaseTable;
  readonly snapshots: SnapshotTable;
  readonly runs: RunTable;
  readonly usage: UsageTable;
  readonly grants: GrantTable;
  readonly pins: PinTable;
}

/**
 * Prepares the statements; throws when the schema is not the expected one. Calls `onDamage` when a read meets
 * a damaged page.
 */
export function createTables(db: Sqlite, lease: LeaseDeps, onDamage: () => void = () => undefined): Tables {
  const events = createEventTable(db, onDamage);
  const heads = createHeadTable(db);
  return {
    db,
    events,
    heads,
    chain: createEventChain(events, heads),
    sessions: createSessionTable(db, onDamage),
    messages: createMessageIndex(db, events),
    leases: createLeaseTable(db, lease),
    snapshots: createSnapshotTable(db),
    runs: createRunTable(db),
    usage: createUsageTable(db),
    grants: createGrantTable(db),
    pins: createPinTable(db),
  };
}
type RunTable = ReturnType<typeof createRunTable>;

/** The statements over `runs`: an index of the events, never the source of truth. */
function createRunTable(db: Sqlite) {
  // A fork copies the events of runs; they stay runs of the session that they started in.
  const add = db.prepare('INSERT OR IGNORE INTO runs (id, session_id) VALUES (?, ?)');
  const find = db.prepare(
    'SELECT runs.session_id AS id FROM runs JOIN sessions ON sessions.id = runs.session_id WHERE runs.id = ?',
  );
  const drop = db.prepare('DELETE FROM runs WHERE session_id = ?');
  return {
    take(events: readonly SessionEvent[]): void {
      for (const event of events) if (event.type === 'run-started') add.run(event.runId, event.sessionId);
    },
    /** The session of a run; null when the run is unknown or its session was deleted. */
    sessionOf: (runId: string): string | null =>
      (find.get(runId) as { readonly id: string } | undefined)?.id ?? null,
    dropOfSession: (sessionId: string): void => void drop.run(sessionId),
  };
}

type GrantTable = ReturnType<typeof createGrantTable>;

/** An unreadable row grants nothing. */
function fromStored({ body }: { readonly body: StoredText }): readonly Grant[] {
  const value = parseJson(textOf(body));
  const grant = value.ok ? Grant.safeParse(value.value) : null;
  return grant?.success ? [grant.data] : [];
}

/** The statements over `grants`. */
function createGrantTable(db: Sqlite) {
  const list = db.prepare('SELECT CAST(body AS BLOB) AS body FROM grants ORDER BY at DESC, id');
  const add = db.prepare('INSERT INTO grants (id, at, body) VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM grants WHERE id = ?');
  const dropOfSession = db.prepare(
    "DELETE FROM grants WHERE json_valid(body) AND json_extract(body, '$.reach.sessionId') = ?",
  );
  return {
    list: (): readonly Grant[] => (list.all() as { readonly body: StoredText }[]).flatMap(fromStored),
    add: (grant: Grant): void => void add.run(grant.id, Math.round(grant.at), JSON.stringify(grant)),
    /** Returns whether the row existed. */
    remove: (id: string): boolean => remove.run(id).changes > 0,
    /** Deletes the permissions that apply to one session only. */
    dropOfSession: (sessionId: string): void => void dropOfSession.run(sessionId),
  };
}

/**
 * The version of the fold: raise it whenever `applyEvent` or the state's shape changes; older snapshots are
 * then ignored.
 */
const foldVersion = 18;

type SnapshotTable = ReturnType<typeof createSnapshotTable>;
interface SnapshotRow {
  readonly seq: number;
  readonly v: number;
  readonly sum: number;
  readonly state: StoredText;
}

/** A few pieces instead of one for each 16 KB, which would all be copied once more. */
const chunkSize = 1_024 * 1_024;

/**
 * JSON, compressed, in the letters of base64: the driver takes ten times as long to read a long text as this takes
 * to expand it. The column holds text, and another table would cost a copy of the whole file.
 */
const packed = (state: SessionState): string =>
  deflateRawSync(JSON.stringify(state), { level: 1, chunkSize }).toString('base64');

/** More than a session of millions of events takes; a few bytes of a foreign file could expand to all memory. */
const maxOutputLength = 256 * 1_024 * 1_024;

/** Null for a text that does not expand to JSON: the session is then folded from its events. */
function unpacked(text: string): SessionState | null {
  try {
    const json = inflateRawSync(Buffer.from(text, 'base64'), { chunkSize, maxOutputLength }).toString();
    return JSON.parse(json) as SessionState;
  } catch {
    return null;
  }
}

function parse(row: SnapshotRow, sessionId: string): SessionState | null {
  if (row.v !== foldVersion) return null;
  const text = textOf(row.state);
  if (crc32(text) !== row.sum) return null;
  const state = unpacked(text);
  return state?.id === sessionId && state.seq === row.seq ? state : null;
}

/** The statements over `snapshots`: a cache of folds, never the source of truth. */
function createSnapshotTable(db: Sqlite) {
  const find = db.prepare(
    'SELECT seq, v, sum, CAST(state AS BLOB) AS state FROM snapshots WHERE session_id = ?',
  );
  const put = db.prepare(
    'INSERT OR REPLACE INTO snapshots (session_id, seq, v, sum, state) VALUES (?, ?, ?, ?, ?)',
  );
  const drop = db.prepare('DELETE FROM snapshots WHERE session_id = ?');
  return {
    /** The stored fold, or null when none can be trusted up to `lastSeq`. */
    load(sessionId: string, lastSeq: number): SessionState | null {
      const row = find.get(sessionId) as SnapshotRow | undefined;
      return row && row.seq <= lastSeq ? parse(row, sessionId) : null;
    },
    save(state: SessionState): void {
      const text = packed(state);
      put.run(state.id, state.seq, foldVersion, crc32(text), text);
    },
    drop: (sessionId: string): void => void drop.run(sessionId),
  };
}

type PinTable = ReturnType<typeof createPinTable>;

function pinFromStored({ body }: { readonly body: StoredText }): readonly ToolPin[] {
  const value = parseJson(textOf(body));
  const parsed = value.ok ? ToolPin.safeParse(value.value) : null;
  return parsed?.success ? [parsed.data] : [];
}

/** The statements over `tool_pins`. */
function createPinTable(db: Sqlite) {
  const list = db.prepare('SELECT CAST(body AS BLOB) AS body FROM tool_pins ORDER BY uri');
  const put = db.prepare('INSERT OR REPLACE INTO tool_pins (uri, body) VALUES (?, ?)');
  const remove = db.prepare('DELETE FROM tool_pins WHERE uri = ?');
  return {
    list: (): readonly ToolPin[] => (list.all() as { readonly body: StoredText }[]).flatMap(pinFromStored),
    put: (tool: ToolPin): void => void put.run(tool.uri, JSON.stringify(tool)),
    remove: (uri: string): void => void remove.run(uri),
  };
}
