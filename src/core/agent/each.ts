import { appError } from '#shared/app-error';
import { isObject, type Json, type JsonObject } from '#shared/json';
import { maxItems, type PlanNode } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';
import { spilledIn } from '#shared/spilled';

/** The name under which the `inputs` of a step have the results of the newest earlier run of the session. */
export const previousName = 'previous';

/** The name under which the `inputs` of a step have what the user attached to the line. */
export const attachedName = 'attached';

/** The results that come from the session and not from a step of the run. */
const ofSession: ReadonlySet<string> = new Set([previousName, attachedName]);

/** Where the items of a step come from: a step, and the path of an array in its state. */
export interface ItemSource {
  readonly source: string;
  readonly path: readonly string[];
}

/** Reads `<step>.<path>`, with `list[1].name` as another way to write `list.1.name`; null for any other text. */
export function readEach(each: string): ItemSource | null {
  const [source = '', ...path] = each
    .trim()
    .replace(/\[(\d{1,9})\]/g, '.$1')
    .split('.');
  const valid = /^[a-z][a-z0-9_]*$/.test(source) && path.length > 0 && path.every((name) => name !== '');
  return valid ? { source, path } : null;
}

/** The source of a step's items when it is no step of the run: the earlier run, or what the user attached. */
export function eachOfSession({ each }: Pick<PlanNode, 'each'>): string | undefined {
  const source = each === undefined ? undefined : readEach(each)?.source;
  return source !== undefined && ofSession.has(source) ? source : undefined;
}

/** The states of nodes by id. */
export const statesOf = (
  nodes: readonly { readonly id: string; readonly state?: JsonObject }[],
): ReadonlyMap<string, JsonObject> =>
  new Map(nodes.flatMap(({ id, state }) => (state ? [[id, state] as const] : [])));

function noItems(each: string, reason: string): Result<never> {
  return err(appError('CODE', 'INVALID_PLAN', `"each" reads ${each}, but ${reason}.`));
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  return isObject(value) ? 'an object' : `a ${typeof value}`;
}

function memberOf(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
  return (value as JsonObject)[name];
}

type Restore = (value: Json) => Result<Json>;

/** The value itself; undefined when it is stored outside the state and cannot be restored here. */
function openValue(value: Json, restore: Restore | undefined): Result<Json | undefined> {
  if (restore) return restore(value);
  return ok(spilledIn(value) ? undefined : value);
}

/**
 * The items of a step, from the state of their source. Without `restore`, null when a value on the way is stored
 * outside the state. CODE/INVALID_PLAN when there is no array at the path, or when it has too many items.
 */
export function itemsAt(state: JsonObject, each: string, restore?: Restore): Result<readonly Json[] | null> {
  const path = readEach(each)?.path ?? [];
  // Accepts the common slip `step.state.path`: a path already starts inside the state.
  const names = path[0] === 'state' && memberOf(state, 'state') === undefined ? path.slice(1) : path;
  let value: Json = state;
  for (const name of names) {
    const opened = openValue(value, restore);
    if (!opened.ok) return opened;
    if (opened.value === undefined) return ok(null);
    const member = memberOf(opened.value, name);
    if (member === undefined) return noItems(each, `the result has no "${name}"`);
    value = member;
  }
  const items = openValue(value, restore);
  if (!items.ok) return items;
  return items.value === undefined ? ok(null) : checkItems(each, items.value);
}

function checkItems(each: string, value: Json): Result<readonly Json[]> {
  if (!Array.isArray(value)) return noItems(each, `that is ${kindOf(value)} and not an array`);
  if (value.length <= maxItems) return ok(value as readonly Json[]);
  return noItems(
    each,
    `that has ${value.length} items and a step takes at most ${maxItems}; let a script select the items or split them over several steps`,
  );
}
