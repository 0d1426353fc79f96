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

  /** Every reason why the next start would leave a pack out, or would not take place with these packs. */
  function problemsWith(packs: readonly SeedLayer[]): (layer: SeedLayer) => readonly ConfigProblem[] {
    const next = composeSeeds(host.seeds, { packs, providers: providerDefinitions });
    if (!next.ok) return () => next.error.problems ?? [];
    const disabled = new Map(next.value.packs.map((status) => [status.folder, status.disabled]));
    return (layer) => disabled.get(layer.folder) ?? [];
  }

  /** What the next start would read if a pack were installed under this name: packs are checked in this order. */
  function withInstalled(layer: SeedLayer, name: string): readonly SeedLayer[] {
    const others = readPacks(folder, [name]);
    const after = others.findIndex(({ pack }) => pack !== null && pack.name > name);
    return others.toSpliced(after < 0 ? others.length : after, 0, layer);
  }

  function inUse({ pack }: SeedLayer): boolean {
    const name = pack?.name ?? '';
    const status = atStart.get(name);
    return status !== undefined && !status.disabled && !changed.has(name);
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
    const problemsOf = problemsWith(withInstalled(layer, before?.pack?.name ?? id));
    const pack = summaryOf(layer, problemsOf(layer));
    return ok({ folder: from, pack, replaces: before?.pack?.version ?? null });
  }

  return {
    list(): PackList {
      const layers = readPacks(folder, []);
      const problemsOf = problemsWith(layers);
      const packs: readonly InstalledPack[] = layers
        .filter(({ pack }) => pack?.name !== ownPack)
        .map((layer) => ({ ...summaryOf(layer, problemsOf(layer)), inUse: inUse(layer) }));
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
