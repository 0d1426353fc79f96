import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import type { ConfigProblem } from '#shared/app-error';
import { CommandDefinition, ToolboxDefinition } from '#shared/command';
import { Json } from '#shared/json';
import type { Recipe } from '#shared/recipe';
import { CatalogFile } from '#shared/resolver';
import { err, ok, type Result } from '#shared/result';
import { WindowAction } from '#shared/window-action';
import { WorkflowDefinition } from '#shared/workflow';
import type { PackHeader, SeedLayer, SeedRow } from '../../../core/ports/seed-layer';
import { readJsonFile, readTextFile } from '../policy/json-file';
import { recipeFile } from './recipe-file';

/** More rows than any pack needs: a larger folder is a mistake, and reading it would only cost time. */
const maxRows = 2_000;
/** A catalog of 100,000 items is about 20 MB. */
const maxCatalogBytes = 64 * 1024 * 1024;

/** The folders of a layer; one JSON file per row in each. */
export const rowFolders = [
  'modes',
  'toolboxes',
  'commands',
  'catalogs',
  'actions',
  'recipes',
  'workflows',
] as const;
type RowFolder = (typeof rowFolders)[number];

interface Rows<T> {
  readonly rows: readonly SeedRow<T>[];
  readonly problems: readonly ConfigProblem[];
}

function listFiles(folder: string): Rows<string> {
  const problem = (rule: string, reason: string) => ({
    rows: [],
    problems: [{ file: folder, field: '', rule, reason }],
  });
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { rows: [], problems: [] } : problem('readable', 'The folder cannot be read.');
  }
  if (names.length > maxRows) return problem('size', `The folder has more than ${maxRows} rows.`);
  const files = [...names].sort().map((name) => ({ file: path.join(folder, name), row: name }));
  return { rows: files, problems: [] };
}

function misnamed(file: string, idField: string, id: unknown): readonly ConfigProblem[] {
  const name = path.basename(file);
  if (`${String(id)}.json` === name) return [];
  return [
    { file, field: idField, rule: 'file-name', reason: `The file of "${String(id)}" is named ${name}.` },
  ];
}

/**
 * Finds a pack file that lies outside the pack: a link, or a file behind a linked folder. Such a file may
 * change without the pack, and was never part of what the user installed.
 */
export function outsideOf(root: string, file: string): ConfigProblem | null {
  let way: string;
  try {
    way = path.relative(realpathSync.native(root), realpathSync.native(file));
  } catch {
    // A dangling or circular link: reading the file reports the problem.
    return null;
  }
  const inside = way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way);
  const reason = 'It is a link that points outside the pack. Replace it with the file itself.';
  return inside ? null : { file, field: '', rule: 'link', reason };
}

/** A folder of rows. `within` is the pack's folder; every file must lie inside it. */
interface RowsAt {
  readonly folder: string;
  readonly within: string | null;
}

function readRows<S extends z.ZodType>(
  { folder, within }: RowsAt,
  schema: S,
  idOf: (row: z.output<S>) => readonly [field: string, id: unknown],
  maxBytes?: number,
): Rows<z.output<S>> {
  const files = listFiles(folder);
  const problems = [...files.problems];
  const rows = files.rows.flatMap(({ file }) => {
    const outside = within === null ? null : outsideOf(within, file);
    if (outside) problems.push(outside);
    if (outside) return [];
    const found = readJsonFile(file, schema, maxBytes);
    if (!found.ok) problems.push(...found.error);
    if (!found.ok) return [];
    if (found.value === null) {
      problems.push({ file, field: '', rule: 'exists', reason: 'It is a broken link.' });
      return [];
    }
    problems.push(...misnamed(file, ...idOf(found.value)));
    return [{ file, row: found.value }];
  });
  return { rows, problems };
}

/** A mode's key is its file name; the catalog's rules report invalid keys. */
function readModes(at: RowsAt): Rows<Json> {
  const found = readRows(at, Json, () => ['', null]);
  return { rows: found.rows, problems: found.problems.filter(({ rule }) => rule !== 'file-name') };
}

/** Rules that a file breaks when it cannot be read as JSON; all other rules apply to rows that were read. */
const unreadableRules: ReadonlySet<string> = new Set([
  'json',
  'readable',
  'size',
  'link',
  'exists',
  'file',
  'unique',
]);

/** Splits the problems of a pack's modes or workflows into unreadable files and rows that break a rule. */
function byReadability(pack: PackHeader | null, { problems }: Rows<unknown>) {
  const unreadable = pack === null ? [] : problems.filter(({ rule }) => unreadableRules.has(rule));
  return { unreadable, broken: problems.filter((problem) => !unreadable.includes(problem)) };
}

/** Far more than the size that the sandbox takes; the check of the plan reports a script above that. */
const maxScriptBytes = 256 * 1024;

/** Reads a script beside a recipe, which must lie in the same pack as the recipe. */
function readScript({ folder, within }: RowsAt, name: string): Result<string, string> {
  const file = path.join(folder, name);
  const outside = within === null ? null : outsideOf(within, file);
  if (outside) return err(`${name}: ${outside.reason}`);
  const text = readTextFile(file, maxScriptBytes);
  if (!text.ok) return err(`${name}: ${text.error[0]?.reason ?? 'It cannot be read.'}`);
  return text.value === null ? err(`There is no file ${name} beside the recipe.`) : ok(text.value);
}

/** Reads the recipes in a folder, with their scripts. Never throws. */
export const readRecipes = (at: RowsAt): Rows<Recipe> =>
  readRows(
    at,
    recipeFile((name) => readScript(at, name)),
    (row) => ['id', row.id],
  );

/** Reads the rows of one layer; a missing folder has no rows. Never throws: the layer lists its problems. */
export function readLayer(folder: string, pack: PackHeader | null): SeedLayer {
  const within = pack === null ? null : folder;
  const at = (name: RowFolder): RowsAt => ({ folder: path.join(folder, name), within });
  const modes = readModes(at('modes'));
  const toolboxes = readRows(at('toolboxes'), ToolboxDefinition, (row) => ['toolboxId', row.toolboxId]);
  const commands = readRows(at('commands'), CommandDefinition, (row) => ['commandId', row.commandId]);
  const catalogs = readRows(
    at('catalogs'),
    CatalogFile,
    (row) => ['catalogId', row.catalogId],
    maxCatalogBytes,
  );
  const actions = readRows(at('actions'), WindowAction, (row) => ['actionId', row.actionId]);
  const recipes = readRecipes(at('recipes'));
  const workflows = readRows(at('workflows'), WorkflowDefinition, (row) => ['WorkflowId', row.WorkflowId]);
  const modeProblems = byReadability(pack, modes);
  const workflowProblems = byReadability(pack, workflows);
  return {
    pack,
    folder,
    modes: modes.rows,
    modeProblems: modeProblems.broken,
    toolboxes: toolboxes.rows,
    commands: commands.rows,
    catalogs: catalogs.rows,
    actions: actions.rows,
    recipes: recipes.rows,
    workflows: workflows.rows,
    workflowProblems: workflowProblems.broken,
    problems: [
      ...[toolboxes, commands, catalogs, actions, recipes].flatMap(({ problems }) => problems),
      ...modeProblems.unreadable,
      ...workflowProblems.unreadable,
    ],
  };
}
