import { isObject, type Json, type JsonObject } from '#shared/json';

/** The key under which a model reads an array of objects as a table; the planner's rules explain it. */
const tableKey = '$rows';

const isObjects = (items: readonly Json[]): items is readonly JsonObject[] => items.every(isObject);

/** The keys that all objects have, in the order of the first one, or null if they are not of one kind. */
function sharedKeys(objects: readonly JsonObject[]): readonly string[] | null {
  const keys = Object.keys(objects[0] ?? {});
  const alike = objects.every(
    (one) => Object.keys(one).length === keys.length && keys.every((key) => Object.hasOwn(one, key)),
  );
  return keys.length > 0 && alike && !keys.some((key) => key.includes('.')) ? keys : null;
}

interface Column {
  /** The path of the key, its parts joined by dots. */
  readonly name: string;
  readonly cells: readonly Json[];
}

/** The columns of objects of one kind; objects of one kind inside them add columns of their own. */
function columnsOf(objects: readonly JsonObject[], path = ''): readonly Column[] | null {
  const keys = sharedKeys(objects);
  if (keys === null) return null;
  return keys.flatMap((key): readonly Column[] => {
    const cells = objects.map((one) => one[key] ?? null);
    const inner = isObjects(cells) ? columnsOf(cells, `${path}${key}.`) : null;
    return inner ?? [{ name: path + key, cells: cells.map(withTables) }];
  });
}

function tableOf(items: readonly Json[]): Json | null {
  const columns = items.length > 1 && isObjects(items) ? columnsOf(items) : null;
  if (columns === null) return null;
  const rows = items.map((_, at) => columns.map(({ cells }) => cells[at] ?? null));
  return { [tableKey]: [columns.map(({ name }) => name), ...rows] };
}

/**
 * The same value for a model to read: an array of objects with the same keys names each key once,
 * `{"$rows": [["id", "price.net", …], [1, 9.5, …], …]}`, where that is shorter. Pure.
 */
export function withTables(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const table = tableOf(items);
    const plain = items.map(withTables);
    return table !== null && JSON.stringify(table).length < JSON.stringify(plain).length ? table : plain;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTables(inner)]));
}
