import { appError, type ConfigProblem } from '#shared/app-error';
import type { CommandDefinition, ToolboxDefinition } from '#shared/command';
import type { AgentMode } from '#shared/mode';
import type { Recipe } from '#shared/recipe';
import type { CatalogFile } from '#shared/resolver';
import { err, ok, type Result } from '#shared/result';
import type { WindowAction } from '#shared/window-action';
import type { WorkflowLayer, WorkflowRow } from '#shared/workflow';
import { checkModes, toModes } from '../modes/check-modes';
import type { PackHeader, SeedLayer, SeedRow } from '../ports/seed-layer';
import { canonicalHash } from '../tools/canonical-hash';
import { textProblems } from './check-texts';
import { withActionCommands } from './action-commands';
import {
  checkPatterns,
  checkRows,
  checkUnique,
  type RowsToCheck,
  type ValidationContext,
} from './check-rows';

/** A pack found at startup; a disabled pack contributes nothing and lists its problems. */
export interface PackStatus extends PackHeader {
  readonly disabled?: readonly ConfigProblem[];
}

/** The rows that startup loads: the bundled rows, then those of the packs. */
export interface MergedSeeds {
  /** In catalog order. */
  readonly modes: readonly AgentMode[];
  readonly toolboxes: readonly ToolboxDefinition[];
  readonly commands: readonly CommandDefinition[];
  readonly catalogs: readonly CatalogFile[];
  readonly actions: readonly WindowAction[];
  readonly recipes: readonly Recipe[];
  /** Workflows of Patina and the packs; a workflow published here takes precedence. */
  readonly workflows: readonly WorkflowRow[];
  readonly packs: readonly PackStatus[];
  /** Keys and ids of bundled modes and recipes; someone else named every other mode and recipe. */
  readonly bundled: { readonly modes: ReadonlySet<string>; readonly recipes: ReadonlySet<string> };
}

export interface LayerValidationContext extends ValidationContext {
  /** Checks a recipe beyond its schema. */
  readonly checkRecipe: (recipe: SeedRow<Recipe>) => readonly ConfigProblem[];
}

/** All rows of one kind, layer by layer. */
function all<K extends 'modes' | 'toolboxes' | 'commands' | 'catalogs' | 'actions' | 'recipes' | 'workflows'>(
  layers: readonly SeedLayer[],
  kind: K,
): SeedLayer[K] {
  return layers.flatMap((layer): readonly SeedRow<unknown>[] => layer[kind]) as unknown as SeedLayer[K];
}

/** Finds duplicate ids within a kind; these stop the startup in any layer. */
function duplicates(layers: readonly SeedLayer[]): readonly ConfigProblem[] {
  const packs = layers.flatMap(({ pack }) =>
    pack === null ? [] : [{ file: `${pack.folder}/pack.json`, row: pack }],
  );
  return [
    ...checkUnique(all(layers, 'toolboxes'), 'toolboxId', ({ toolboxId }) => toolboxId),
    ...checkUnique(all(layers, 'commands'), 'commandId', ({ commandId }) => commandId),
    ...checkUnique(all(layers, 'catalogs'), 'catalogId', ({ catalogId }) => catalogId),
    ...checkUnique(all(layers, 'actions'), 'actionId', ({ actionId }) => actionId),
    ...checkUnique(all(layers, 'recipes'), 'id', ({ id }) => id),
    ...checkUnique(all(layers, 'workflows'), 'WorkflowId', ({ WorkflowId }) => WorkflowId),
    ...checkUnique(packs, 'id', ({ id }) => id),
  ];
}

/** A pack's mode must name the DDR that introduced it (AGN-014 §8). */
function checkGovernance({ pack, modes }: SeedLayer): readonly ConfigProblem[] {
  if (pack === null) return [];
  return modes.flatMap(({ file, row }) => {
    const ddr = typeof row === 'object' && row !== null && 'ddr' in row ? row.ddr : undefined;
    if (typeof ddr === 'string' && ddr.trim() !== '') return [];
    const reason = 'A mode in a pack must name the DDR that introduces it.';
    return [{ file, field: 'ddr', rule: 'mode-ddr', reason }];
  });
}

function modeProblems(layers: readonly SeedLayer[]): readonly ConfigProblem[] {
  const unread = layers.some(({ problems }) => problems.some(({ file }) => /[\\/]toolboxes[\\/]/.test(file)));
  const toolboxIds = new Set(all(layers, 'toolboxes').map(({ row }) => row.toolboxId));
  return [
    ...layers.flatMap((layer) => layer.modeProblems),
    ...checkModes({
      rows: all(layers, 'modes'),
      folder: `${layers[0]?.folder ?? ''}/modes`,
      toolboxIds: unread ? null : toolboxIds,
    }),
    ...layers.flatMap(checkGovernance),
  ];
}

const rowsOf = (layers: readonly SeedLayer[]): RowsToCheck => ({
  modes: toModes(all(layers, 'modes')),
  toolboxes: all(layers, 'toolboxes'),
  commands: all(layers, 'commands'),
  catalogs: all(layers, 'catalogs'),
  actions: all(layers, 'actions'),
});

type CheckLast = (layers: readonly SeedLayer[]) => readonly ConfigProblem[];

/** Problems of the last layer, given that the layers before it are valid; patterns are checked separately. */
const createCheck =
  (context: LayerValidationContext): CheckLast =>
  (layers) => {
    const last = layers.at(-1);
    const own = [...(last?.problems ?? []), ...(last?.recipes ?? []).flatMap(context.checkRecipe)];
    return own.length > 0 ? own : checkRows(rowsOf(layers), context);
  };

const isInside = (folder: string, file: string): boolean =>
  file === folder || (file.startsWith(folder) && /^[\\/]/.test(file.slice(folder.length)));

/** CONFIG/INVALID with every problem, the packs at fault, and a hint on how to start without them. */
export function refusedStart(
  packs: readonly SeedLayer[],
  problems: readonly ConfigProblem[],
  rows?: Result<unknown>,
): Result<never> {
  const all = [...problems, ...(rows?.ok === false ? (rows.error.problems ?? []) : [])];
  const names = packs.flatMap(({ pack, folder }) =>
    pack !== null && all.some(({ file }) => isInside(folder, file)) ? [pack.name] : [],
  );
  const [these, folders] =
    names.length === 1 ? ['this pack', 'its folder'] : ['these packs', 'their folders'];
  const hint =
    names.length > 0
      ? `Start without ${these}: set PATINA_WITHOUT_PACKS=${names.join(',')} for one start, or move ${folders} out of the packs folder.`
      : 'Fix these files, or reinstall Patina.';
  const count = all.length === 1 ? 'one rule' : `${all.length} rules`;
  const message = `Patina cannot start: its configuration breaks ${count}.`;
  return err(appError('CONFIG', 'INVALID', message, { problems: all, hint }));
}

/** Definitions with their hash, which is compared with the one in their design record. */
function workflowsOf({ pack, workflows }: SeedLayer): readonly WorkflowRow[] {
  const layer: WorkflowLayer = pack === null ? { kind: 'seed' } : { kind: 'pack', name: pack.name };
  return workflows.map(({ row }) => ({ definition: row, layer, hash: canonicalHash(row) }));
}

/**
 * Pack authors name things as freely as users: a pack's catalogs default to an open vocabulary, and its items
 * always count as user-titled.
 */
function catalogsOf({ pack, catalogs }: SeedLayer): readonly CatalogFile[] {
  if (pack === null) return catalogs.map(({ row }) => row);
  return catalogs.map(({ row: { items, vocabulary = 'open', ...row } }) => ({
    ...row,
    vocabulary,
    ...(items && { items: items.map((item) => ({ ...item, userTitled: true })) }),
  }));
}

function commandsOf({ pack, commands }: SeedLayer): readonly CommandDefinition[] {
  return commands.map(({ row: { pack: _claimed, ...row } }) => ({ ...row, ...(pack && { pack: pack.id }) }));
}

function bundledIds(layers: readonly SeedLayer[]): MergedSeeds['bundled'] {
  const own = layers.filter(({ pack }) => pack === null);
  return {
    modes: new Set(toModes(all(own, 'modes')).map(({ key }) => key)),
    recipes: new Set(all(own, 'recipes').map(({ row }) => row.id)),
  };
}

function mergedSeeds(layers: readonly SeedLayer[], packs: readonly PackStatus[]): MergedSeeds {
  return {
    modes: toModes(all(layers, 'modes')),
    toolboxes: all(layers, 'toolboxes').map(({ row }) => row),
    commands: layers.flatMap(commandsOf),
    catalogs: layers.flatMap(catalogsOf),
    actions: all(layers, 'actions')
      .map(({ row }) => row)
      .sort((a, b) => a.order - b.order),
    recipes: all(layers, 'recipes').map(({ row }) => row),
    workflows: layers.flatMap(workflowsOf),
    packs,
    bundled: bundledIds(layers),
  };
}

/** Checks the packs one by one, each together with the valid packs before it. */
function mergePacks(seeds: SeedLayer, packs: readonly SeedLayer[], check: CheckLast) {
  const accepted: SeedLayer[] = [seeds];
  const statuses: PackStatus[] = [];
  for (const layer of packs) {
    if (layer.pack === null) continue;
    const problems = check([...accepted, layer]);
    if (problems.length === 0) accepted.push(layer);
    statuses.push(problems.length === 0 ? layer.pack : { ...layer.pack, disabled: problems });
  }
  return { accepted, statuses };
}

/**
 * Decides which rows Patina starts with. A mode that breaks a rule of AGN-014 §7, an invalid workflow, a
 * duplicate id, or any problem in the bundled rows stops the startup: CONFIG/INVALID with every problem. Any
 * other problem of a pack disables only that pack.
 */
export function mergeSeedLayers(
  seedLayer: SeedLayer,
  packLayers: readonly SeedLayer[],
  context: LayerValidationContext,
): Result<MergedSeeds> {
  const seeds = withActionCommands(seedLayer);
  const packs = packLayers.map(withActionCommands);
  const layers = [seeds, ...packs];
  const fatal = [
    ...modeProblems(layers),
    ...layers.flatMap(({ workflows, workflowProblems }) => [...workflowProblems, ...textProblems(workflows)]),
    ...duplicates(layers),
  ];
  const check = createCheck(context);
  const base = fatal.length > 0 ? [...fatal, ...seeds.problems] : check([seeds]);
  if (base.length > 0) return refusedStart(packs, base);
  const { accepted, statuses } = mergePacks(seeds, packs, check);
  // If all patterns are valid together, every subset is: a valid start compiles them once.
  if (checkPatterns(rowsOf(accepted), context).length === 0) return ok(mergedSeeds(accepted, statuses));
  const patterns = checkPatterns(rowsOf([seeds]), context);
  if (patterns.length > 0) return refusedStart(packs, patterns);
  const slow = mergePacks(seeds, packs, (some) => {
    const problems = check(some);
    return problems.length > 0 ? problems : checkPatterns(rowsOf(some), context);
  });
  return ok(mergedSeeds(slow.accepted, slow.statuses));
}
