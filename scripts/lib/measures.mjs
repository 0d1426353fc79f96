import { arrowsOf, brokenLayer, coreFoldersInCycles } from './folder-order.mjs';
import { countOldNames } from './count-names.mjs';
import { countImporters } from './source-graph.mjs';
import { walkProblems } from './walks.mjs';

/**
 * The walks are hand-made lists: a measured run would count every function on the way. To keep a list valid,
 * each of its files must exist and be linked to an earlier one by imports; otherwise `problems` names it.
 * @typedef {{name: string, value: number, goal?: string, met?: boolean}} Measure
 */

/** @param {{lines: number}[]} files */
const linesOf = (files) => files.reduce((sum, { lines }) => sum + lines, 0);

/** @param {string} name @param {number} value @param {number} goal @returns {Measure} */
const atMost = (name, value, goal) => ({ name, value, goal: `<= ${goal}`, met: value <= goal });

/**
 * @param {readonly import('./source-graph.mjs').SourceFile[]} sources
 * @param {{names: Record<string, Record<string, string>>, stored: readonly import('./count-names.mjs').StoredName[], walks: {ask: string[], goal: string[]}}} tables
 */
export function measuresOf(sources, tables) {
  const product = sources.filter(({ kind }) => kind === 'product');
  const importers = countImporters(product);
  const isUsedOnce = (/** @type {{path: string}} */ { path }) => importers.get(path) === 1;
  const small = product.filter(({ lines }) => lines < 25);
  const arrows = arrowsOf(product);
  const upward = arrows.filter((arrow) => brokenLayer(arrow) !== undefined);
  const names = countOldNames(sources, tables.names, tables.stored);
  const used = names.filter(({ uses }) => uses > 0);
  const cycle = coreFoldersInCycles(arrows);
  const testsPerLine = linesOf(sources.filter(({ kind }) => kind === 'test')) / linesOf(product);

  /** @type {Measure[]} */
  const measures = [
    atMost('product lines', linesOf(product), 70_000),
    atMost('product files', product.length, 700),
    { name: 'files with one importer', value: product.filter(isUsedOnce).length },
    { name: 'files under 25 lines', value: small.length },
    atMost('files under 25 lines with one importer', small.filter(isUsedOnce).length, 19),
  ];

  const problems = /** @type {string[]} */ ([]);
  const imports = new Map(product.map((file) => [file.path, file.imports]));
  for (const [name, walk, goal] of /** @type {const} */ ([
    ['files that a line in Ask passes through', tables.walks.ask, 30],
    ['files that a goal in Agent Mode passes through', tables.walks.goal, 38],
  ])) {
    /** @type {string[]} */
    const files = walk;
    problems.push(...walkProblems(files, imports));
    measures.push(atMost(name, new Set(files).size, goal));
  }

  for (const layer of /** @type {const} */ (['main', 'renderer'])) {
    const broken = upward.filter((arrow) => brokenLayer(arrow) === layer);
    measures.push(atMost(`upward arrows in ${layer}`, broken.length, 0));
  }
  measures.push(
    atMost('core folders in a cycle', cycle.length, 0),
    {
      name: 'loose files in src/main',
      value: product.filter(({ path }) => /^src[/]main[/][^/]+$/.test(path)).length,
      goal: '<= 3',
      met: product.filter(({ path }) => /^src[/]main[/][^/]+$/.test(path)).length <= 3,
    },
    {
      name: 'unit-test lines per product line',
      value: Math.round(testsPerLine * 100) / 100,
      goal: '>= 0.6',
      met: testsPerLine >= 0.6,
    },
    atMost('old names still in use', used.length, 0),
    { name: 'uses of old names', value: used.reduce((sum, { uses }) => sum + uses, 0) },
    atMost(
      'objects grouped as `...{ a, b }`',
      product.reduce((sum, { groupings }) => sum + groupings, 0),
      0,
    ),
    atMost(
      'parameters grouped as `...[a, b]`',
      product.reduce((sum, { restTuples }) => sum + restTuples, 0),
      0,
    ),
  );
  return { measures, problems, upward, cycle, names, used };
}
