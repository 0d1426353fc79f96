import { readFileSync } from 'node:fs';

/**
 * @typedef {{path: string, imports: readonly string[]}} Importing
 * @typedef {{from: string, to: string, imports: number}} Arrow the number of imports from one folder to another
 */

/**
 * The core folders that each core folder may import; the import rules read the same file. `agent` does not know
 * `session`.
 * @type {Record<string, readonly string[]>}
 */
const CORE_ORDER = JSON.parse(readFileSync(new URL('core-order.json', import.meta.url), 'utf8'));

const CORE = Object.keys(CORE_ORDER);

/** The folders that each folder of the window may import. @type {Record<string, readonly string[]>} */
const WINDOW_ORDER = {
  locales: [],
  ui: ['locales'],
  store: ['ui', 'locales'],
  actions: ['store', 'ui', 'locales'],
  features: ['actions', 'store', 'ui', 'locales'],
  app: ['features', 'actions', 'store', 'ui', 'locales'],
};

/** @param {string} file @returns {string | undefined} `agent`, `main/ipc`, `renderer/ui`; loose files of main are `main` */
export function folderOf(file) {
  const inCore = /^src[/](?:core|main)[/]([^/]+)[/]/.exec(file)?.[1];
  if (inCore !== undefined && CORE.includes(inCore)) return inCore;
  const [, layer, folder] = /^src[/](main|renderer)[/](?:([^/]+)[/])?/.exec(file) ?? [];
  if (layer === undefined) return undefined;
  return folder === undefined ? layer : `${layer}/${folder}`;
}

/** @param {readonly Importing[]} files @returns {Arrow[]} between different folders */
export function arrowsOf(files) {
  const arrows = /** @type {Map<string, Arrow>} */ (new Map());
  for (const { path, imports } of files) {
    const from = folderOf(path);
    for (const to of imports.map(folderOf)) {
      if (from === undefined || to === undefined || from === to) continue;
      const arrow = arrows.get(`${from} ${to}`) ?? { from, to, imports: 0 };
      arrow.imports += 1;
      arrows.set(`${from} ${to}`, arrow);
    }
  }
  return [...arrows.values()].sort((a, b) => `${a.from} ${a.to}`.localeCompare(`${b.from} ${b.to}`));
}

/**
 * In main, every folder except adapters may import the core; composition may import everything.
 * @param {string} from
 * @param {string} to
 */
function isUpwardInMain(from, to) {
  const allowed = CORE_ORDER[from];
  if (allowed) return !allowed.includes(to);
  return from === 'main/adapters' && to !== 'ports';
}

/** @param {Arrow} arrow @returns {'main' | 'renderer' | undefined} the layer whose order it breaks */
export function brokenLayer({ from, to }) {
  if (from.startsWith('renderer')) {
    const allowed = WINDOW_ORDER[from.slice('renderer/'.length)];
    return allowed && !allowed.includes(to.slice('renderer/'.length)) ? 'renderer' : undefined;
  }
  return isUpwardInMain(from, to) ? 'main' : undefined;
}

/** @param {readonly Arrow[]} arrows @returns {string[]} the core folders that are part of an import cycle */
export function coreFoldersInCycles(arrows) {
  const next = new Map(
    CORE.map((name) => [name, arrows.filter(({ from }) => from === name).map(({ to }) => to)]),
  );
  return CORE.filter((start) => {
    const seen = /** @type {Set<string>} */ (new Set());
    const open = [...(next.get(start) ?? [])];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      open.push(...(next.get(name) ?? []));
    }
    return seen.has(start);
  });
}
