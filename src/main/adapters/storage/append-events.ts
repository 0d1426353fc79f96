import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { eventSchemaVersion, type SessionEvent, type SessionFact } from '#shared/session-event';
import type { Lease } from './lease-table';
import { transact } from './sqlite';
import { summaryAfter } from './summary-change';
import type { Tables } from './tables';

export interface Append {
  readonly sessionId: string;
  readonly afterSeq: number;
  readonly facts: readonly SessionFact[];
  /** Milliseconds since the epoch; stored whole. */
  readonly at: number;
  readonly holder: string;
}

/** HOST/STATE: another process writes this session, and which. */
export function heldByAnother(lease: Lease): AppError {
  const name = lease.holder.split('#')[0] ?? lease.holder;
  return appError('HOST', 'STATE', `This session is being written by ${name} (process ${lease.pid}).`, {
    hint: 'Close it there, or go on in a new session.',
    retryable: true,
  });
}

function refusal(tables: Tables, { sessionId, afterSeq, holder }: Append): AppError {
  const lease = tables.leases.holderOf(sessionId);
  if (lease && lease.holder !== holder) return heldByAnother(lease);
  if (!lease) return appError('HOST', 'STATE', 'This session is not open for writing.');
  const lastSeq = tables.sessions.find(sessionId)?.lastSeq ?? 0;
  return appError(
    'HOST',
    'STATE',
    `The session has moved on: it is at ${lastSeq}, the change was made at ${afterSeq}.`,
    { hint: 'Open the session again.' },
  );
}

/** What the list shows or sorts by, and all that has words to search for; the pieces of a reply change nothing there. */
const summaryFacts = new Set<SessionFact['type']>([
  'session-created',
  'session-renamed',
  'session-archived',
  'session-restored',
  'project-chosen',
  'message-sent',
  'reply-ended',
  'run-ended',
  'run-interrupted',
]);

function keepSummary(tables: Tables, events: readonly SessionEvent[], sessionId: string): void {
  if (!events.some((event) => summaryFacts.has(event.type))) return;
  const row = tables.sessions.find(sessionId);
  if (row) tables.sessions.write(row.key, row.lastSeq, summaryAfter(row.summary, events));
}

function writeEvents(tables: Tables, append: Append): Result<readonly SessionEvent[]> {
  const { sessionId, afterSeq, facts, at, holder } = append;
  const events = facts.map((fact, index): SessionEvent => ({
    sessionId,
    seq: afterSeq + 1 + index,
    at,
    v: eventSchemaVersion,
    ...fact,
  }));
  const key = tables.sessions.keyOf(sessionId) ?? (afterSeq === 0 ? tables.sessions.add(sessionId) : null);
  if (key === null || !events.every((event) => tables.events.insertNext(key, event, holder))) {
    return err(refusal(tables, append));
  }
  keepSummary(tables, events, sessionId);
  tables.messages.take(key, events);
  return ok(events);
}

/** A piece of a reply is one row and nothing else, and one statement is a transaction of its own. */
const isOneRow = ({ afterSeq, facts: [fact, ...more] }: Append): boolean =>
  afterSeq > 0 && fact !== undefined && more.length === 0 && !summaryFacts.has(fact.type);

/** Numbers the facts and writes them with all that follows from them: all or nothing. Throws `SqliteError`. */
export function appendEvents(tables: Tables, append: Append): Result<readonly SessionEvent[]> {
  if (isOneRow(append)) return writeEvents(tables, append);
  return transact(tables.db, (undo) => {
    const result = writeEvents(tables, append);
    if (!result.ok) undo();
    return result;
  });
}
