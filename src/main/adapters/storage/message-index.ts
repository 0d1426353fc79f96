import type { SearchHit } from '#shared/ipc';
import type { SessionEvent } from '#shared/session-event';
import type { SessionOpening } from '../../../core/ports/session-store';
import type { EventTable } from './event-table';
import { factOf, seqSpan, type EventRow } from './event-row';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

export type MessageIndex = ReturnType<typeof createMessageIndex>;

interface HitRow {
  /** Null for a session without messages. */
  readonly id: number | null;
  readonly sessionId: StoredText;
  readonly sessionTitle: StoredText;
  readonly snippet: StoredText;
}

/** Marks around a match in a snippet, by the contract of `SearchHit`; removed from the texts themselves. */
const [before, after] = ['\u0001', '\u0002'];
const wordsInSnippet = 14;
/** In characters. */
const openingLength = 300;

/**
 * The full-text query for typed text: every word must occur; each may be incomplete at its end. Null when the
 * text contains no word.
 */
export function matchQuery(text: string): string | null {
  const words = text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
  return words.length === 0 ? null : words.map((word) => `"${word}"*`).join(' ');
}

const turnOf = (id: number | null): number => Math.floor(((id ?? 0) % seqSpan) / 2);

/** The text of a turn's reply, read from its newest piece back to its start. */
function replyText(rows: Iterable<EventRow>, turn: number): string {
  const pieces: string[] = [];
  for (const row of rows) {
    const fact = factOf(row.fact);
    if (fact.type === 'reply-started' && fact.turn === turn) break;
    if (fact.type === 'message-sent' && fact.turn <= turn) break;
    if (fact.type === 'reply-extended' && fact.turn === turn) pieces.push(fact.text);
  }
  return pieces.reverse().join('');
}

/**
 * Collects the replies that some events contain from their start to their end, so that indexing many replies
 * does not read each one back from the end of the session.
 */
function createReplyCollector() {
  const pieces = new Map<number, string[]>();
  return {
    add(event: SessionEvent): void {
      if (event.type === 'reply-started') pieces.set(event.turn, []);
      if (event.type === 'reply-extended') pieces.get(event.turn)?.push(event.text);
    },
    /** The reply to a turn, which ends here; null when it started before the events. */
    end(turn: number): string | null {
      const text = pieces.get(turn)?.join('') ?? null;
      pieces.delete(turn);
      return text;
    },
  };
}

/**
 * The words of all conversations; derived from the events in their transaction, and rebuilt from them when
 * lost.
 */
export function createMessageIndex(db: Sqlite, events: EventTable) {
  const insert = db.prepare('INSERT INTO messages (id, text) VALUES (?, ?)');
  const insertWords = db.prepare('INSERT INTO message_words (rowid, text) VALUES (?, ?)');
  const forgetWords = db.prepare(
    `INSERT INTO message_words (message_words, rowid, text)
     SELECT 'delete', id, text FROM messages WHERE id >= ? AND id < ?`,
  );
  const forget = db.prepare('DELETE FROM messages WHERE id >= ? AND id < ?');
  const mergePages = db.prepare("INSERT INTO message_words (message_words, rank) VALUES ('merge', ?)");
  const search = db.prepare(
    `SELECT message_words.rowid AS id, CAST(sessions.id AS BLOB) AS sessionId,
       CAST(sessions.title AS BLOB) AS sessionTitle,
       CAST(snippet(message_words, 0, char(1), char(2), '…', ${wordsInSnippet}) AS BLOB) AS snippet
     FROM message_words JOIN sessions ON sessions.key = message_words.rowid / ${seqSpan}
     WHERE message_words MATCH ? AND sessions.last_seq > 0 ORDER BY sessions.archived, message_words.rank LIMIT ?`,
  );

  const openings = db.prepare(
    `SELECT messages.id AS id, CAST(sessions.id AS BLOB) AS sessionId,
       CAST(sessions.title AS BLOB) AS sessionTitle,
       CAST(substr(coalesce(messages.text, ''), 1, ${openingLength}) AS BLOB) AS snippet
     FROM sessions LEFT JOIN messages ON messages.id =
       (SELECT min(first.id) FROM messages AS first
        WHERE first.id >= sessions.key * ${seqSpan} AND first.id < (sessions.key + 1) * ${seqSpan})
     WHERE sessions.last_seq > 0 ORDER BY sessions.archived, sessions.updated_at DESC LIMIT ?`,
  );

  const put = (key: number, turn: number, role: 0 | 1, text: string): void => {
    const id = key * seqSpan + turn * 2 + role;
    const clean = text.replaceAll(before, ' ').replaceAll(after, ' ');
    if (clean.trim() === '') return;
    insert.run(id, clean);
    insertWords.run(id, clean);
  };

  const forgetIds = (from: number, end: number): void => {
    forgetWords.run(from, end);
    forget.run(from, end);
  };

  const takeOne = (
    key: number,
    replies: ReturnType<typeof createReplyCollector>,
    event: SessionEvent,
  ): void => {
    replies.add(event);
    if (event.type === 'message-sent') put(key, event.turn, 0, event.text);
    else if (event.type === 'run-ended') put(key, event.turn, 1, event.answer);
    else if (event.type === 'reply-ended') {
      const text = replies.end(event.turn) ?? replyText(events.newestFirst(key, event.sessionId), event.turn);
      put(key, event.turn, 1, text);
    }
  };

  return {
    /**
     * Indexes the messages that the new events complete: a user message, a finished reply, the answer of a run.
     */
    take(key: number, added: readonly SessionEvent[]): void {
      const replies = createReplyCollector();
      for (const event of added) takeOne(key, replies, event);
    },
    /** Removes messages by id, both included. */
    forgetBetween: (firstId: number, lastId: number): void => forgetIds(firstId, lastId + 1),
    /** Removes the messages of a session from the index, so that they can be indexed again. */
    forget: (key: number): void => forgetIds(key * seqSpan, (key + 1) * seqSpan),
    /** Removes the line and the answer of a turn, so that they can be indexed again. */
    forgetTurn: (key: number, turn: number): void =>
      forgetIds(key * seqSpan + turn * 2, key * seqSpan + turn * 2 + 2),
    // FTS5 can also remove words at once ('secure-delete'), but SQLite 3.45.1 then leaves a malformed index;
    // files in which an earlier version of Patina enabled it revert to marking words as deleted.
    /**
     * Merges some pages of the index, which removes deleted words: until then they stay, marked as deleted. A
     * negative number starts a merge of the whole index, a positive one continues it.
     */
    merge(pages: number): void {
      if (pages < 0) db.exec("INSERT INTO message_words (message_words, rank) VALUES ('secure-delete', 0)");
      mergePages.run(pages);
    },
    /** How the newest sessions begin. */
    openings: (limit: number): readonly SessionOpening[] =>
      (openings.all(limit) as HitRow[]).map(({ id, sessionId, sessionTitle, snippet }) => ({
        sessionId: textOf(sessionId),
        title: textOf(sessionTitle),
        turn: turnOf(id),
        line: textOf(snippet).trim().split('\n', 1)[0] ?? '',
      })),
    search(text: string, limit: number): readonly SearchHit[] {
      const query = matchQuery(text);
      if (query === null) return [];
      return (search.all(query, limit) as HitRow[]).map(({ id, sessionId, sessionTitle, snippet }) => ({
        sessionId: textOf(sessionId),
        sessionTitle: textOf(sessionTitle),
        turn: turnOf(id),
        snippet: textOf(snippet),
      }));
    },
  };
}
