import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

// Does what Electron's own default app does for `electron [-r file] <folder>`. Awaits the import at the top
// level, so that the app's calls that must precede "ready" still do.

/** Test drivers use `-r file` to load first; they may rewrite process.argv while loading. */
const flag = process.argv.indexOf('-r');
const preload = flag === -1 ? undefined : process.argv[flag + 1];
if (preload !== undefined) createRequire(preload)(preload);

const given = process.argv
  .slice(1)
  .find((word, at, words) => !word.startsWith('-') && words[at - 1] !== '-r');
if (given === undefined) {
  process.stderr.write('usage: electron <folder>\n');
  process.exit(2);
}
const target = path.resolve(given);
const manifestFile = path.join(target, 'package.json');
const manifest = fs.existsSync(manifestFile) ? JSON.parse(fs.readFileSync(manifestFile, 'utf8')) : null;
/** Electron has these two for its default app but does not document them. @type {any} */
const shell = app;
const name = manifest?.productName ?? manifest?.name;
if (name) app.setName(name);
if (manifest?.version) shell.setVersion(manifest.version);
shell.setAppPath(manifest ? target : path.dirname(target));
const main = manifest ? path.join(target, manifest.main ?? 'index.js') : target;
await import(pathToFileURL(main).href);
