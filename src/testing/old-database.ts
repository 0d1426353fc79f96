import { crc32 } from 'node:zlib';
import { migrations } from '../main/adapters/storage/schema';
import { openSqlite } from '../main/adapters/storage/sqlite';

/** The application id and version of a file of schema version 2. */
const version2 = `PRAGMA user_version = 2; PRAGMA application_id = ${0x5054_0002}`;

/**
 * Writes a sessions file of schema version 2, from before events were chained: the session `s` with this many
 * answered turns. Returns the number of its events.
 */
export function writeOldDatabase(path: string, turns: number): number {
  const db = openSqlite(path);
  db.exec(`${migrations.slice(0, 2).join('\n')}; ${version2}; BEGIN`);
  const model = { providerId: 'openai', model: 'scripted' };
  const facts = [
    { type: 'session-created', title: 'Old', project: null },
    ...Array.from({ length: turns }, (_, turn) => [
      { type: 'message-sent', turn, text: `Question ${turn}`, runMode: 'ask', model },
      { type: 'reply-started', turn, model, providerName: 'Custom' },
      { type: 'reply-extended', turn, text: `Answer ${turn} ${'of many words '.repeat(20)}` },
      { type: 'reply-ended', turn, outcome: 'done', usage: null },
    ]).flat(),
  ];
  const insert = db.prepare("INSERT INTO events VALUES (?, 's', 1, 1, ?, ?)");
  for (const [index, fact] of facts.entries()) {
    const text = JSON.stringify(fact);
    insert.run(2 ** 32 + index + 1, crc32(`s\n${index + 1}\n1\n1\n${text}`), text);
  }
  db.exec(`INSERT INTO sessions VALUES (1, 's', ${facts.length}, 'Old', NULL, 0, 1, 1, ${turns}); COMMIT`);
  db.close();
  return facts.length;
}
