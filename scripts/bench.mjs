import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { CACHE, fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { say } from './lib/say.mjs';
import { underDisplay } from './lib/under-display.mjs';

const RESULTS = fromRoot('test-results/bench.jsonl');
const BUILT = path.join(CACHE, 'bench');

/** Set-up's modules find the project by where they lie, so they are not built in. @type {import('vite').Plugin} */
const setUpStaysOutside = {
  name: 'set-up-stays-outside',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return null;
    const file = path.resolve(path.dirname(importer), source);
    return file.startsWith(fromRoot('scripts')) ? { id: pathToFileURL(file).href, external: true } : null;
  },
};

/** One file beside the packages, so that what is measured is plain code and not what a loader makes of it. @param {string} name */
async function buildBench(name) {
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [setUpStaysOutside],
    build: {
      ssr: fromRoot(`bench/${name}.bench.ts`),
      target: 'node20.18',
      outDir: BUILT,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        output: { format: 'es', entryFileNames: `${name}.mjs`, codeSplitting: false },
      },
    },
  });
  return path.join(BUILT, `${name}.mjs`);
}

/** The benches to run: those whose names contain one of the words given, else all. */
function chosenBenches() {
  const wanted = process.argv.slice(2);
  const names = fs
    .readdirSync(fromRoot('bench'))
    .flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? []);
  const chosen = names.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
  if (chosen.length === 0) say(`no bench is called ${wanted.join(' or ')}; there are: ${names.join(', ')}`);
  return chosen;
}

/** Each bench in a process of its own. A goal that is missed fails nothing; a bench that breaks does. */
async function main() {
  const chosen = chosenBenches();
  if (chosen.length === 0) return 2;
  fs.mkdirSync(path.dirname(RESULTS), { recursive: true });
  fs.rmSync(RESULTS, { force: true });
  const env = { ...process.env, PATINA_BENCH_FILE: RESULTS };
  let broken = 0;
  for (const name of chosen) {
    process.stdout.write(`\n── ${name}\n`);
    const file = await buildBench(name);
    const code = await runForeground(...underDisplay(process.execPath, [file]), env);
    if (code !== 0) broken += 1;
  }
  say(broken === 0 ? `numbers are in ${path.relative(process.cwd(), RESULTS)}` : `${broken} benches broke`);
  return broken === 0 ? 0 : 1;
}

process.exitCode = await main();
