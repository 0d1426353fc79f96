import { expect, it } from 'vitest';
import { eventsOf } from '../../../testing/sample-session';
import { newDatabasePath, openStore, must, turnFacts } from '../../../testing/stored-session';
import type { EventTable } from './event-table';
import { createMessageIndex } from './message-index';
import { openSqlite } from './sqlite';

/** An index over events that may be read back only as often as the test says. */
function index() {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, [{ type: 'session-created', title: 'A session', project: null }]));
  store.close();
  const db = openSqlite(path);
  const { key } = db.prepare("SELECT key FROM sessions WHERE id = 's'").get() as { key: number };
  let readBack = 0;
  const newestFirst = (): [] => {
    readBack += 1;
    return [];
  };
  const messages = createMessageIndex(db, { newestFirst } as unknown as EventTable);
  return { messages, key, readBack: () => readBack };
}

const [created, sent, started, ...rest] = turnFacts(3, 'walrus');

it('[STO-repair] a reply that the events contain is indexed without reading the session back', () => {
  const { messages, key, readBack } = index();
  messages.take(key, eventsOf([created!, sent!, started!, ...rest], 's'));
  expect(messages.search('walrus 2', 5)).toHaveLength(1);
  expect(readBack()).toBe(0);
});

it('[STO-repair] of a reply that started again only the last text is indexed', () => {
  const { messages, key } = index();
  const pieces = rest.slice(0, -1);
  const other = { type: 'reply-extended', turn: 0, text: 'penguin' } as const;
  messages.take(key, eventsOf([created!, sent!, started!, ...pieces, started!, other, rest.at(-1)!], 's'));
  expect(messages.search('penguin', 5)).toHaveLength(1);
  expect(messages.search('walrus', 5)).toHaveLength(0);
});

it('a reply that started before the events is read back from the session', () => {
  const { messages, key, readBack } = index();
  messages.take(key, eventsOf(rest, 's'));
  expect(readBack()).toBe(1);
});
