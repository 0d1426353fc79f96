import { Grant } from '#shared/grant';
import { parseJson } from '#shared/json';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

export interface GrantTable {
  list(): readonly Grant[];
  add(grant: Grant): void;
  /** Whether it was there. */
  remove(id: string): boolean;
  /** Those that held for one session only. */
  dropOfSession(sessionId: string): void;
}

/** A line that cannot be read grants nothing. */
function fromStored({ body }: { readonly body: StoredText }): readonly Grant[] {
  const value = parseJson(textOf(body));
  const grant = value.ok ? Grant.safeParse(value.value) : null;
  return grant?.success ? [grant.data] : [];
}

/** The statements over `grants`. */
export function createGrantTable(db: Sqlite): GrantTable {
  const list = db.prepare('SELECT CAST(body AS BLOB) AS body FROM grants ORDER BY at DESC, id');
  const add = db.prepare('INSERT INTO grants (id, at, body) VALUES (?, ?, ?)');
  const remove = db.prepare('DELETE FROM grants WHERE id = ?');
  const dropOfSession = db.prepare(
    "DELETE FROM grants WHERE json_valid(body) AND json_extract(body, '$.reach.sessionId') = ?",
  );
  return {
    list: () => (list.all() as { readonly body: StoredText }[]).flatMap(fromStored),
    add: (grant) => void add.run(grant.id, Math.round(grant.at), JSON.stringify(grant)),
    remove: (id) => remove.run(id).changes > 0,
    dropOfSession: (sessionId) => void dropOfSession.run(sessionId),
  };
}
