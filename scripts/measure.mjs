import fs from 'node:fs';
import { fromRoot } from './lib/paths.mjs';
import { say } from './lib/say.mjs';
import { measuresOf } from './lib/measures.mjs';
import { readSources } from './lib/source-graph.mjs';
import { markdownTable, measureTable, withMeasures } from './lib/measure-table.mjs';

/**
 * Measures the structure of the code and prints the tables that `docs/measure.md` explains. `--check` also
 * compares them with the goals and exits with code 1 when one is missed, `--names` lists the old names that are
 * still in use, and `--write` updates the table in `ARCHITECTURE.md`.
 */

/** @param {string} name */
const readJson = (name) => JSON.parse(fs.readFileSync(fromRoot(`scripts/lib/${name}`), 'utf8'));

const { measures, problems, upward, cycle, names, used } = measuresOf(readSources(), {
  names: readJson('old-names.json'),
  stored: readJson('stored-names.json'),
  walks: readJson('walks.json'),
});
for (const problem of problems) say(problem);
let failed = problems.length > 0;

const out = [measureTable(measures)];
if (upward.length > 0) {
  const rows = upward.map(({ from, to, imports: count }) => [from, to, count]);
  out.push(markdownTable(['upward arrow from', 'to', 'imports'], rows));
}
if (cycle.length > 0) out.push(`Core folders in a cycle: ${cycle.join(', ')}.`);
const areas = [...new Set(names.map(({ area }) => area))];
out.push(
  markdownTable(
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
    markdownTable(
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
if (process.argv.includes('--write')) {
  const file = fromRoot('ARCHITECTURE.md');
  fs.writeFileSync(file, withMeasures(fs.readFileSync(file, 'utf8'), measures));
}
if (failed) process.exitCode = 1;
