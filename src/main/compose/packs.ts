import { join } from 'node:path';
import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import type { ChosenPack, InstalledPack, PackList, PackSummary } from '#shared/pack';
import { err, ok, type Result } from '#shared/result';
import type { SeedLayer } from '../../core/ports/seed-layer';
import { providerDefinitions } from '../../core/sources/provider-definitions';
import { ownPack } from '../adapters/recipes/own-recipes';
import { installPack, removePack } from '../adapters/seeds/pack-files';
import { readPack, readPacks } from '../adapters/seeds/read-packs';
import type { CoreDeps } from './core-deps';
import { composeSeeds } from './seeds';

function summaryOf(layer: SeedLayer, problems: readonly ConfigProblem[]): PackSummary {
  const { catalogs, commands, modes, recipes, workflows, pack } = layer;
  const { id = '', version = '', title = id, description = '' } = pack ?? {};
  const counts = {
    catalogs: catalogs.length,
    commands: commands.length,
    modes: modes.length,
    recipes: recipes.length,
    workflows: workflows.length,
  };
  return { id, version, title, description, counts, problems };
}

const notAPack = (problems: readonly ConfigProblem[]): AppError => {
  const [first] = problems;
  const message = first ? `This folder is not a pack: ${first.reason}` : 'This folder is not a pack.';
  const hint = 'Choose the folder that contains pack.json.';
  return appError('CONFIG', 'INVALID', message, { problems: [...problems], hint });
};

const leftOut = (problems: readonly ConfigProblem[]): AppError => {
  const message = 'The next start would leave this pack out, so it was not installed.';
  return appError('CONFIG', 'INVALID', message, {
    problems: [...problems],
    hint: 'Fix the files that are named, then install it again.',
  });
};

const unknownPack = (id: string): AppError =>
  appError('HOST', 'NOT_FOUND', `There is no pack ${id}.`, { hint: 'Read the list of packs again.' });

/** Lists, installs and removes packs. A pack takes effect at the next start, which checks it again. */
export function createPacks({ host, seeds }: Pick<CoreDeps, 'host' | 'seeds'>) {
  const folder = join(host.home, 'packs');
  /** The packs whose folders were changed since this start. */
  const changed = new Set<string>();
  const atStart = new Map(seeds.packs.map((status) => [status.name, status]));

  /** Every reason why the next start would leave a pack out, or would not take place with it. */
  function problemsOf(layer: SeedLayer, installedAs: string): readonly ConfigProblem[] {
    const packs = readPacks(folder, [installedAs]);
    const options = { packs: [...packs, layer], providers: providerDefinitions };
    const next = composeSeeds(host.seeds, options);
    if (!next.ok) return next.error.problems ?? [];
    return next.value.packs.find(({ folder: at }) => at === layer.folder)?.disabled ?? [];
  }

  function installed(layer: SeedLayer): InstalledPack {
    const name = layer.pack?.name ?? '';
    const status = atStart.get(name);
    const inUse = status !== undefined && !status.disabled && !changed.has(name);
    return { ...summaryOf(layer, problemsOf(layer, name)), inUse };
  }

  const own = () => readPacks(folder, [ownPack]);
  const nameOf = (id: string): string | null => own().find(({ pack }) => pack?.id === id)?.pack?.name ?? null;

  /** Reads the pack in a folder. Errors: CONFIG/INVALID when the folder holds no pack. */
  function read(from: string): Result<ChosenPack> {
    const layer = readPack(from);
    const unreadable = layer.problems.filter(({ file }) => file === join(from, 'pack.json'));
    if (unreadable.length > 0) return err(notAPack(unreadable));
    const id = layer.pack?.id ?? '';
    if (id === ownPack) return err(notAPack([ownPackProblem(from)]));
    const before = own().find(({ pack }) => pack?.id === id);
    const pack = summaryOf(layer, problemsOf(layer, before?.pack?.name ?? id));
    return ok({ folder: from, pack, replaces: before?.pack?.version ?? null });
  }

  return {
    list(): PackList {
      const packs = own().map(installed);
      const removed = [...atStart.values()].filter(
        ({ id, name }) => name !== ownPack && !packs.some((pack) => pack.id === id),
      );
      return { packs, removed: removed.map(({ id }) => id) };
    },
    read,
    /** Copies the pack in a folder for the next start. Errors: CONFIG/INVALID for an invalid pack. */
    async install({ folder: from }: Pick<ChosenPack, 'folder'>): Promise<Result<null>> {
      const found = read(from);
      if (!found.ok) return found;
      const { id, problems } = found.value.pack;
      if (problems.length > 0) return err(leftOut(problems));
      const name = nameOf(id) ?? id;
      const done = await installPack(folder, from, name);
      if (done.ok) changed.add(name);
      return done;
    },
    remove(id: string): Result<null> {
      const name = nameOf(id);
      if (name === null) return err(unknownPack(id));
      const done = removePack(folder, name);
      if (done.ok) changed.add(name);
      return done;
    },
  };
}

const ownPackProblem = (from: string): ConfigProblem => ({
  file: join(from, 'pack.json'),
  field: 'id',
  rule: 'own-pack',
  reason: `"${ownPack}" is the pack of your own recipes. Give this pack another id.`,
});
