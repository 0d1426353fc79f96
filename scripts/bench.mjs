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

/**
 * Excludes set-up's modules from the bundle, because they locate the project by their own path.
 * @type {import('vite').Plugin}
 */
const setUpStaysOutside = {
  name: 'set-up-stays-outside',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return null;
    const file = path.resolve(path.dirname(importer), source);
    return file.startsWith(fromRoot('scripts')) ? { id: pathToFileURL(file).href, external: true } : null;
  },
};

/**
 * Bundles one file beside the packages, so that the bench measures plain code without a loader's
 * transformation.
 * @param {string} name
 */
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

const LIVE = '--live';
const liveAt = process.argv.indexOf(LIVE);
/** What is passed on to the one bench that can use a real model. */
const liveArguments = liveAt === -1 ? [] : process.argv.slice(liveAt);

/** The benches to run: those whose names contain one of the arguments, else all; with `--live` the one that can. */
function chosenBenches() {
  if (liveAt !== -1) return ['agent-baselines'];
  const wanted = process.argv.slice(2);
  const names = fs
    .readdirSync(fromRoot('bench'))
    .flatMap((file) => /^(.+)\.bench\.ts$/.exec(file)?.[1] ?? []);
  const chosen = names.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
  if (chosen.length === 0) say(`no bench is called ${wanted.join(' or ')}; there are: ${names.join(', ')}`);
  return chosen;
}

/** Runs each bench in a separate process. A missed goal fails nothing; a crashed bench does. */
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
    const code = await runForeground(...underDisplay(process.execPath, [file, ...liveArguments]), env);
    if (code !== 0) broken += 1;
  }
  say(broken === 0 ? `numbers are in ${path.relative(process.cwd(), RESULTS)}` : `${broken} benches broke`);
  return broken === 0 ? 0 : 1;
}

process.exitCode = await main();
