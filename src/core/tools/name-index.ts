import type { KnownName } from '#shared/approval';
import { isObject, parseJson, type Json, type JsonObject } from '#shared/json';

/** What the reads of a run called the things that its writes name by id. */
export interface NameIndex {
  /** Notes the names in the result of a read; the tool is named beside each. */
  readonly note: (tool: string, result: Json) => void;
  /** The names of ids among the arguments of a call. */
  readonly of: (args: Json) => readonly KnownName[];
}

const maxNames = 5_000;
const maxNodes = 20_000;
const maxShown = 50;
const maxLength = 120;
const idKeys = /^(?:id|uuid|guid|key|sku|number|code|handle|slug)$|_id$|[a-z]I[dD]$/;
const nameKeys = ['name', 'title', 'label', 'display_name', 'displayName', 'full_name', 'summary', 'email'];

const idText = (value: Json | undefined): string | null => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' && value.length <= maxLength ? value : null;
};

function nameIn(row: JsonObject): string | null {
  const key = nameKeys.find((one) => typeof row[one] === 'string' && row[one] !== '');
  const name = key === undefined ? undefined : row[key];
  return typeof name === 'string' ? name.replace(/\s+/g, ' ').slice(0, maxLength) : null;
}

/** Calls `visit` for each object in a value, and for at most `maxNodes` values. */
function eachObject(value: Json, visit: (row: JsonObject) => void): void {
  const waiting: Json[] = [value];
  for (let seen = 0; seen < maxNodes; seen += 1) {
    const next = waiting.pop();
    if (next === undefined) return;
    if (Array.isArray(next)) waiting.push(...(next as readonly Json[]).slice(0, maxNodes));
    else if (isObject(next)) {
      visit(next);
      waiting.push(...Object.values(next));
    }
  }
}

function scalarsIn(value: Json): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (one: Json): void => {
    const text = idText(one);
    if (text !== null) found.add(text);
  };
  eachObject(value, (row) => {
    for (const one of Object.values(row)) {
      if (Array.isArray(one)) (one as readonly Json[]).slice(0, maxNodes).forEach(add);
      else add(one);
    }
  });
  return found;
}

const asJson = (result: Json): Json => {
  const parsed = typeof result === 'string' && /^\s*[[{]/.test(result) ? parseJson(result) : null;
  return parsed?.ok ? parsed.value : result;
};

/** The names are data of the tools that returned them; the newest name of an id counts. */
export function createNameIndex(): NameIndex {
  const names = new Map<string, KnownName>();
  return {
    note: (source, result) =>
      eachObject(asJson(result), (row) => {
        const name = nameIn(row);
        if (name === null) return;
        for (const [key, value] of Object.entries(row)) {
          const id = idKeys.test(key) ? idText(value) : null;
          if (id === null || id === name) continue;
          names.delete(id);
          names.set(id, { value: id, name, source });
          const oldest = names.size > maxNames ? names.keys().next().value : undefined;
          if (oldest !== undefined) names.delete(oldest);
        }
      }),
    of: (args) => [...scalarsIn(args)].flatMap((value) => names.get(value) ?? []).slice(0, maxShown),
  };
}
