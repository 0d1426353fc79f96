import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { eventSchemaVersion, type SessionEvent, type SessionFact } from '#shared/session-event';
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
  /** Milliseconds since the epoch; stored whole. */
  readonly at: number;
  readonly holder: string;
}

/** HOST/STATE: another process writes this session, and which. */
export function leasedByAnother(lease: Lease): AppError {
  const name = lease.holder.split('#')[0] ?? lease.holder;
  return appError('HOST', 'STATE', `This session is being written by ${name} (process ${lease.pid}).`, {
    hint: 'Close it there, or go on in a new session.',
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

interface Written {
  readonly events: readonly SessionEvent[];
  /** How the session ends with these events in it. */
  readonly end: Head;
}

/** The rows of events that follow each other from `link` on. */
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

/** Events cut off a session without a head: from here on its head says how far it reached, so that it can go on behind them. */
function noteLostEnd(tables: Tables, key: number, { sessionId, afterSeq }: Append): void {
  if (afterSeq === 0 || tables.events.lastSeq(key) >= afterSeq || tables.heads.find(key, sessionId)) return;
  const row = tables.sessions.find(sessionId);
  if (row && reachOf(tables, row) === afterSeq) {
    tables.heads.put(key, sessionId, { seq: afterSeq, hash: unreadableLink(sessionId, afterSeq) });
  }
}

/** The piece of a reply is the one fact after which the head stays where it is: it moves on when the reply ends. */
const movesHead = (facts: readonly SessionFact[]): boolean => facts.at(-1)?.type !== 'reply-extended';

function writeEvents(tables: Tables, append: Append): Result<Written> {
  const { sessionId, afterSeq, facts, at, holder } = append;
  const events = facts.map((fact, index): SessionEvent => ({
    sessionId,
    seq: afterSeq + 1 + index,
    at,
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
  keepSummary(tables, events, sessionId);
  tables.messages.take(key, events);
  return ok({ events, end });
}

/** A piece of a reply is one row and nothing else, and one statement is a transaction of its own. */
const isOneRow = ({ afterSeq, facts }: Append): boolean =>
  afterSeq > 0 && facts.length === 1 && !movesHead(facts);

/** Numbers the facts and writes them with all that follows from them: all or nothing. Throws `SqliteError`. */
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
