import type { ConfigProblem } from '#shared/app-error';
import { AgentMode } from '#shared/mode';
import type { SeedRow } from '../ports/seed-layer';

/** Names of the rules of AGN-014 §7; `mode-shape` is any other field that violates AGN-014 §3. */
type ModeRule =
  | 'mode-id-format'
  | 'mode-id-unique'
  | 'mode-key-format'
  | 'mode-key-unique'
  | 'one-default'
  | 'when-to-use'
  | 'status'
  | 'toolbox-known'
  | 'mode-shape';

/** A row under check, with unvalidated fields from the file. */
interface Row {
  readonly file: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The mode's name in messages. */
  readonly name: string;
}

/** Maximum WhenToUse length: it is rendered inline after the key, so it must be one readable line. */
const maxWhenToUseLength = 240;
const statuses: readonly unknown[] = ['active', 'experimental', 'deprecated'];
/** Fields with their own rule. */
const fieldsWithOwnRule = ['id', 'key', 'whenToUse', 'isDefault', 'status'];

function asRow({ file, row }: SeedRow<unknown>): Row {
  const fields = typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : {};
  const name = [fields['key'], fields['id']].find((value) => typeof value === 'string' && value !== '');
  return { file, fields, name: name === undefined ? 'this mode' : `the mode ${JSON.stringify(name)}` };
}

function problem(row: Row, field: string, rule: ModeRule, reason: string): ConfigProblem {
  return { file: row.file, field, rule, reason: `${row.name.replace(/^t/, 'T')}: ${reason}` };
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

function checkId(row: Row): readonly ConfigProblem[] {
  const { id } = row.fields;
  if (typeof id === 'string' && /^[0-9A-F]{32}$/.test(id)) return [];
  const reason = `its Id must be a GUID as 32 uppercase hexadecimal characters without hyphens, and it is ${shown(id)}.`;
  return [problem(row, 'id', 'mode-id-format', reason)];
}

function checkKey(row: Row): readonly ConfigProblem[] {
  const { key } = row.fields;
  if (typeof key === 'string' && /^[a-z0-9_]+$/.test(key)) return [];
  const reason = `its Key must be lowercase letters, digits and underscores, and it is ${shown(key)}.`;
  return [problem(row, 'key', 'mode-key-format', reason)];
}

function checkWhenToUse(row: Row): readonly ConfigProblem[] {
  const found = (reason: string) => [problem(row, 'whenToUse', 'when-to-use', reason)];
  const { whenToUse } = row.fields;
  if (typeof whenToUse !== 'string' || whenToUse.trim() === '') {
    return found('it needs a WhenToUse: one sentence that says when to select it.');
  }
  if (/[\p{Cc}\u2028\u2029]/u.test(whenToUse)) return found('its WhenToUse must be one line of text.');
  if (whenToUse.length <= maxWhenToUseLength) return [];
  return found(`its WhenToUse has ${whenToUse.length} characters; at most ${maxWhenToUseLength} fit inline.`);
}

function checkStatus(row: Row): readonly ConfigProblem[] {
  const { status } = row.fields;
  if (status === undefined || statuses.includes(status)) return [];
  const reason = `its Status must be active, experimental or deprecated, and it is ${shown(status)}.`;
  return [problem(row, 'status', 'status', reason)];
}

function checkIsDefault(row: Row): readonly ConfigProblem[] {
  if (typeof row.fields['isDefault'] === 'boolean') return [];
  const reason = `its IsDefault must be true or false, and it is ${shown(row.fields['isDefault'])}.`;
  return [problem(row, 'isDefault', 'one-default', reason)];
}

function checkShape(row: Row): readonly ConfigProblem[] {
  const parsed = AgentMode.safeParse(row.fields);
  const issues = (parsed.error?.issues ?? []).filter(
    ({ path }) => !fieldsWithOwnRule.includes(String(path[0])),
  );
  return issues.map(({ path, message }) => problem(row, path.join('.'), 'mode-shape', message));
}

function checkToolboxes(row: Row, known: ReadonlySet<string> | null): readonly ConfigProblem[] {
  const ids = row.fields['toolboxIds'];
  if (known === null || !Array.isArray(ids)) return [];
  return ids.flatMap((id: unknown, index) =>
    typeof id === 'string' && !known.has(id)
      ? [problem(row, `toolboxIds.${index}`, 'toolbox-known', `there is no toolbox ${JSON.stringify(id)}.`)]
      : [],
  );
}

function checkUnique(rows: readonly Row[], field: 'id' | 'key', rule: ModeRule): readonly ConfigProblem[] {
  const first = new Map<string, Row>();
  return rows.flatMap((row) => {
    const value = row.fields[field];
    if (typeof value !== 'string' || value === '') return [];
    const other = first.get(value);
    if (other === undefined) {
      first.set(value, row);
      return [];
    }
    return [problem(row, field, rule, `${shown(value)} is already the ${field} in ${other.file}.`)];
  });
}

function checkDefaults(rows: readonly Row[], where: string): readonly ConfigProblem[] {
  const defaults = rows.filter(({ fields }) => fields['isDefault'] === true);
  if (defaults.length === 0) {
    const reason = 'No mode has IsDefault true; exactly one must have it.';
    return [{ file: where, field: 'isDefault', rule: 'one-default', reason }];
  }
  return defaults.slice(1).map((row) => {
    const reason = `it is a second default beside the one in ${defaults[0]?.file}; exactly one mode has IsDefault true.`;
    return problem(row, 'isDefault', 'one-default', reason);
  });
}

export interface ModesToCheck {
  /** In catalog order: of two duplicates, the later one is the problem. */
  readonly rows: readonly SeedRow<unknown>[];
  /** The folder to report when no single row is at fault. */
  readonly folder: string;
  /** Ids of all toolboxes; null when they are unknown. */
  readonly toolboxIds: ReadonlySet<string> | null;
}

/**
 * Returns every violation of AGN-014 §7 in a set of mode rows; a set without violations
 * can become a catalog. Pure.
 */
export function checkModes({ rows, folder, toolboxIds }: ModesToCheck): readonly ConfigProblem[] {
  const all = rows.map(asRow);
  return [
    ...all.flatMap((row) => [
      ...checkId(row),
      ...checkKey(row),
      ...checkWhenToUse(row),
      ...checkIsDefault(row),
      ...checkStatus(row),
      ...checkShape(row),
      ...checkToolboxes(row, toolboxIds),
    ]),
    ...checkUnique(all, 'id', 'mode-id-unique'),
    ...checkUnique(all, 'key', 'mode-key-unique'),
    ...checkDefaults(all, folder),
  ];
}

/** Returns the valid rows as modes in catalog order: the default first, the others in row order. */
export function toModes(rows: readonly SeedRow<unknown>[]): readonly AgentMode[] {
  const modes = rows.flatMap(({ row }) => {
    const parsed = AgentMode.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });
  return [...modes.filter(({ isDefault }) => isDefault), ...modes.filter(({ isDefault }) => !isDefault)];
}
