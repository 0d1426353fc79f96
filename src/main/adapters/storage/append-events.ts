import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { eventSchemaVersion, type SessionEvent, type SessionFact } from '#shared/session-event';
import type { FactTimes } from '../../../core/ports/session-store';
import type { Head } from './event-chain';
import { rowHash, toRow, unreadableLink, type EventRow } from './event-row';
import type { Lease } from './lease-table';
import { reachOf } from './read-events';
import { transact } from './sqlite';
import { summaryAfter } from './summary-change';
import type { Tables } from './tables';

export interface Append {
  readonly sessionId: string;
  readonly afterSeq: number;
  readonly facts: readonly SessionFact[];
  /** Milliseconds since the epoch, an integer. */
  readonly at: number;
  /** The times of the facts, where they are not `at`; as many as there are facts. */
  readonly times?: FactTimes | undefined;
  readonly holder: string;
}

/** HOST/STATE: another process writes this session; the message names that process. */
export function leasedByAnother(lease: Lease): AppError {
  const name = lease.holder.split('#')[0] ?? lease.holder;
  return appError('HOST', 'STATE', `This session is being written by ${name} (process ${lease.pid}).`, {
    hint: 'Close it there, or continue in a new session.',
    retryable: true,
  });
}

function refusal(tables: Tables, { sessionId, afterSeq, holder }: Append): AppError {
  const lease = tables.leases.holderOf(sessionId);
  if (lease && lease.holder !== holder) return leasedByAnother(lease);
  if (!lease) return appError('HOST', 'STATE', 'This session is not open for writing.');
  const lastSeq = tables.sessions.find(sessionId)?.lastSeq ?? 0;
  return appError(
    'HOST',
    'STATE',
    `Conflict: the session is at event ${lastSeq}, but the change was based on event ${afterSeq}.`,
    { hint: 'Open the session again.' },
  );
}

/** Facts that change the summary or the search index; pieces of a streaming reply change neither. */
const summaryFacts = new Set<SessionFact['type']>([
  'session-created',
  'session-renamed',
  'session-archived',
  'session-restored',
  'session-marked',
  'project-chosen',
  'message-sent',
  'reply-ended',
  'run-ended',
  'run-interrupted',
]);

function updateSummary(tables: Tables, events: readonly SessionEvent[], sessionId: string): void {
  if (!events.some((event) => summaryFacts.has(event.type))) return;
  const row = tables.sessions.find(sessionId);
  if (row) tables.sessions.write(row.key, row.lastSeq, summaryAfter(row.summary, events));
}

interface Written {
  readonly events: readonly SessionEvent[];
  /** The head of the session after these events. */
  readonly end: Head;
}

/** Chains the events into rows, each linked to the hash of the one before, starting at `link`. */
function chained(events: readonly SessionEvent[], link: string): { rows: readonly EventRow[]; hash: string } {
  const rows: EventRow[] = [];
  let hash = link;
  for (const event of events) {
    const row = toRow(event, hash);
    rows.push(row);
    hash = rowHash(row, hash);
  }
  return { rows, hash };
}

/**
 * Records how far a session reached whose last events are lost and that has no head, so that it can continue
 * after them.
 */
function noteLostEnd(tables: Tables, key: number, { sessionId, afterSeq }: Append): void {
  if (afterSeq === 0 || tables.events.lastSeq(key) >= afterSeq || tables.heads.find(key, sessionId)) return;
  const row = tables.sessions.find(sessionId);
  if (row && reachOf(tables, row) === afterSeq) {
    tables.heads.put(key, sessionId, { seq: afterSeq, hash: unreadableLink(sessionId, afterSeq) });
  }
}

/**
 * A piece of a streaming reply is the only fact that leaves the head unchanged; the head moves when the reply
 * ends.
 */
const movesHead = (facts: readonly SessionFact[]): boolean => facts.at(-1)?.type !== 'reply-extended';

function writeEvents(tables: Tables, append: Append): Result<Written> {
  const { sessionId, afterSeq, facts, at, times, holder } = append;
  const events = facts.map((fact, index): SessionEvent => ({
    sessionId,
    seq: afterSeq + 1 + index,
    at: times?.[index] ?? at,
    v: eventSchemaVersion,
    ...fact,
  }));
  const key = tables.sessions.keyOf(sessionId) ?? (afterSeq === 0 ? tables.sessions.add(sessionId) : null);
  if (key === null) return err(refusal(tables, append));
  const { rows, hash } = chained(events, tables.chain.linkAfter(key, sessionId, afterSeq));
  if (!tables.chain.endsAt(sessionId, afterSeq)) noteLostEnd(tables, key, append);
  if (!rows.every((row) => tables.events.insertNext(key, row, holder))) return err(refusal(tables, append));
  const end = { seq: afterSeq + events.length, hash };
  if (movesHead(facts)) tables.heads.put(key, sessionId, end);
  updateSummary(tables, events, sessionId);
  tables.messages.take(key, events);
  tables.runs.take(events);
  // The first facts of a copied or imported session report calls that were made elsewhere.
  if (afterSeq > 0) tables.usage.take(events);
  return ok({ events, end });
}

/** A reply piece writes a single row, and a single statement is its own transaction. */
const isOneRow = ({ afterSeq, facts }: Append): boolean =>
  afterSeq > 0 && facts.length === 1 && !movesHead(facts);

/**
 * Numbers the facts and writes them with everything derived from them, all or nothing. Throws `SqliteError`.
 */
export function appendEvents(tables: Tables, append: Append): Result<readonly SessionEvent[]> {
  const written = isOneRow(append)
    ? writeEvents(tables, append)
    : transact(tables.db, (undo) => {
        const result = writeEvents(tables, append);
        if (!result.ok) undo();
        return result;
      });
  if (!written.ok) return written;
  tables.chain.remember(append.sessionId, written.value.end);
  return ok(written.value.events);
}
