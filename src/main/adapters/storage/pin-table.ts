import { parseJson } from '#shared/json';
import { ToolPin } from '#shared/tool-pin';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

export interface PinTable {
  list(): readonly ToolPin[];
  put(pin: ToolPin): void;
  remove(uri: string): void;
}

function fromStored({ body }: { readonly body: StoredText }): readonly ToolPin[] {
  const value = parseJson(textOf(body));
  const pin = value.ok ? ToolPin.safeParse(value.value) : null;
  return pin?.success ? [pin.data] : [];
}

/** The statements over `tool_pins`. */
export function createPinTable(db: Sqlite): PinTable {
  const list = db.prepare('SELECT CAST(body AS BLOB) AS body FROM tool_pins ORDER BY uri');
  const put = db.prepare('INSERT OR REPLACE INTO tool_pins (uri, body) VALUES (?, ?)');
  const remove = db.prepare('DELETE FROM tool_pins WHERE uri = ?');
  return {
    list: () => (list.all() as { readonly body: StoredText }[]).flatMap(fromStored),
    put: (pin) => void put.run(pin.uri, JSON.stringify(pin)),
    remove: (uri) => void remove.run(uri),
  };
}
