import fs from 'node:fs';
import { arrowsOf, brokenLayer, coreFoldersInCycles } from './lib/folder-order.mjs';
import { countOldNames } from './lib/count-names.mjs';
import { fromRoot } from './lib/paths.mjs';
import { say } from './lib/say.mjs';
import { countImporters, readSources } from './lib/source-graph.mjs';
import { walkProblems } from './lib/walks.mjs';

/**
 * Measures the structure of the code and prints the tables of `docs/measure.md`. `npm run measure -- --check`
 * also compares them with the goals and exits with code 1 when one is missed. `--names` lists the old names
 * that are still in use.
 *
 * The walks of `lib/walks.json` are hand-made lists: a measured run would count every function on the way. To
 * keep a list valid, each of its files must exist and be linked to an earlier one by imports; otherwise the
 * walk fails.
 */

/** @param {string} name */
const readJson = (name) => JSON.parse(fs.readFileSync(fromRoot(`scripts/lib/${name}`), 'utf8'));

/** @param {{lines: number}[]} files */
const linesOf = (files) => files.reduce((sum, { lines }) => sum + lines, 0);

const sources = readSources();
const product = sources.filter(({ kind }) => kind === 'product');
const importers = countImporters(product);
const isUsedOnce = (/** @type {{path: string}} */ { path }) => importers.get(path) === 1;
const small = product.filter(({ lines }) => lines < 25);
const arrows = arrowsOf(product);
const upward = arrows.filter((arrow) => brokenLayer(arrow) !== undefined);
const names = countOldNames(sources, readJson('old-names.json'));
const used = names.filter(({ uses }) => uses > 0);
const cycle = coreFoldersInCycles(arrows);
const testsPerLine = linesOf(sources.filter(({ kind }) => kind === 'test')) / linesOf(product);

/** @typedef {{name: string, value: number, goal?: string, met?: boolean}} Measure */

/** @param {string} name @param {number} value @param {number} goal @returns {Measure} */
const atMost = (name, value, goal) => ({ name, value, goal: `<= ${goal}`, met: value <= goal });

/** @type {Measure[]} */
const measures = [
  atMost('product lines', linesOf(product), 70_000),
  atMost('product files', product.length, 700),
  { name: 'files with one importer', value: product.filter(isUsedOnce).length },
  { name: 'files under 25 lines', value: small.length },
  atMost('files under 25 lines with one importer', small.filter(isUsedOnce).length, 19),
];

let failed = false;
const imports = new Map(product.map((file) => [file.path, file.imports]));
const walks = readJson('walks.json');
for (const [name, walk, goal] of /** @type {const} */ ([
  ['files that a line in Ask passes through', walks.ask, 30],
  ['files that a goal in Agent Mode passes through', walks.goal, 38],
])) {
  /** @type {string[]} */
  const files = walk;
  const problems = walkProblems(files, imports);
  for (const problem of problems) say(problem);
  failed ||= problems.length > 0;
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

/** @param {string[]} head @param {(string | number)[][]} rows */
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const out = [
  table(
    ['measure', 'now', 'goal', ''],
    measures.map(({ name, value, goal, met }) => [
      name,
      value,
      goal ?? '',
      goal === undefined ? '' : met ? 'met' : 'missed',
    ]),
  ),
];
if (upward.length > 0) {
  const rows = upward.map(({ from, to, imports: count }) => [from, to, count]);
  out.push(table(['upward arrow from', 'to', 'imports'], rows));
}
if (cycle.length > 0) out.push(`Core folders in a cycle: ${cycle.join(', ')}.`);
const areas = [...new Set(names.map(({ area }) => area))];
out.push(
  table(
    ['area', 'old names', 'still in use', 'uses'],
    areas.map((area) => {
      const [all, left] = [names, used].map((rows) => rows.filter((row) => row.area === area));
      return [
        area,
        all?.length ?? 0,
        left?.length ?? 0,
        (left ?? []).reduce((sum, { uses }) => sum + uses, 0),
      ];
    }),
  ),
);
if (process.argv.includes('--names')) {
  out.push(
    table(
      ['old name', 'standard term', 'uses'],
      used.map(({ name, term, uses }) => [name, term, uses]),
    ),
  );
}
process.stdout.write(`${out.join('\n\n')}\n`);

const missed = measures.filter(({ met }) => met === false);
for (const { name, value, goal } of process.argv.includes('--check') ? missed : []) {
  say(`${name}: ${value}, the goal is ${goal}`);
  failed = true;
}
if (failed) process.exitCode = 1;
