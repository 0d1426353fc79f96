import { parseJson } from '#shared/json';
import { ToolPin } from '#shared/tool-pin';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

export type PinTable = ReturnType<typeof createPinTable>;

function fromStored({ body }: { readonly body: StoredText }): readonly ToolPin[] {
  const value = parseJson(textOf(body));
  const pin = value.ok ? ToolPin.safeParse(value.value) : null;
  return pin?.success ? [pin.data] : [];
}

/** The statements over `tool_pins`. */
export function createPinTable(db: Sqlite) {
  const list = db.prepare('SELECT CAST(body AS BLOB) AS body FROM tool_pins ORDER BY uri');
  const put = db.prepare('INSERT OR REPLACE INTO tool_pins (uri, body) VALUES (?, ?)');
  const remove = db.prepare('DELETE FROM tool_pins WHERE uri = ?');
  return {
    list: (): readonly ToolPin[] => (list.all() as { readonly body: StoredText }[]).flatMap(fromStored),
    put: (pin: ToolPin): void => void put.run(pin.uri, JSON.stringify(pin)),
    remove: (uri: string): void => void remove.run(uri),
  };
}
