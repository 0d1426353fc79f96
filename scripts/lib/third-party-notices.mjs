import fs from 'node:fs';
import path from 'node:path';
import { problem } from './problem.mjs';

/**
 * @typedef {object} Notice
 * @property {string} name
 * @property {string} version
 * @property {string} license SPDX expression from its package.json
 * @property {string} text of its licence files, or of the licence it declares; empty for an unknown one without file
 */

/**
 * Software inside the published files of packages that do not declare it as a dependency, by its licence texts: decision
 * 268 says how they were collected. Each list is for one version of its package.
 * @type {{ package: string, version: string, software: { names: string[], license: string, text: string }[] }[]}
 */
const BUNDLED = JSON.parse(fs.readFileSync(new URL('bundled-software.json', import.meta.url), 'utf8'));

/**
 * The Rust crates compiled into `libsql`, by its lock file; decision 268 says how their licences were found. One with a
 * text of its own is in `bundled-software.json`.
 * @type {{ package: string, version: string, crates: { name: string, version: string, license: string, copyright?: string[] }[] }}
 */
const CRATES = JSON.parse(fs.readFileSync(new URL('libsql-crates.json', import.meta.url), 'utf8'));

const MIT_TERMS = fs.readFileSync(new URL('mit-terms.txt', import.meta.url), 'utf8').trim();
const ISC_TERMS = fs.readFileSync(new URL('isc-terms.txt', import.meta.url), 'utf8').trim();

/** Packages whose page states a licence that their package.json does not. */
const STATED_LICENCES = new Map([['@modelcontextprotocol/server-filesystem', 'MIT']]);

const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const BARE_IMPORT = /(?:from|import)\s*\(?\s*['"]([^.#'"/][^'"]*)['"]|@import\s+['"]([^.'"/][^'"]*)['"]/g;

/**
 * All third-party code in the package: the app's dependencies, the code bundled into the window and the
 * sandbox worker, and their transitive dependencies.
 * @param {string} root
 * @returns {Notice[]} sorted by name
 */
export function collectNotices(root) {
  const manifest = readManifest(root);
  const bundled = ['src/renderer', 'src/sandbox-worker', 'src/preload'].flatMap((folder) =>
    bareImports(path.join(root, folder)),
  );
  const own = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));
  // Electron ships its own notices.
  own.delete('electron');
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const found = noticesOf(root, [...installed, ...bundled.filter((name) => own.has(name))]);
  const inside = found.flatMap(({ name, version }) => bundledIn(name, version));
  return inNameOrder([...found, ...inside]);
}

/**
 * The packages of these names as installed below a folder, with all that they depend on.
 * @param {string} root
 * @param {readonly string[]} names
 * @returns {Notice[]} sorted by name
 */
function noticesOf(root, names) {
  /** @type {Map<string, Notice>} keyed by folder */
  const found = new Map();
  for (const name of names) visit(root, name, found);
  return inNameOrder([...found.values()]);
}

/**
 * The software inside one version of a package.
 * @param {string} name
 * @param {string} version
 * @returns {Notice[]} their versions are those of the package
 */
export function bundledIn(name, version) {
  const bundle = BUNDLED.find((each) => each.package === name);
  if (!bundle) return [];
  if (version !== bundle.version) {
    throw problem(
      `bundled-software.json names the software inside ${name} ${bundle.version}, and ${version} is installed. Compare the two bundles, then change the file.`,
    );
  }
  const inside = bundle.software.flatMap(({ names, license, text }) =>
    names.map((each) => ({ name: each, version: `in ${name} ${version}`, license, text })),
  );
  return name === CRATES.package ? [...inside, ...crateNotices(`in ${name} ${version}`)] : inside;
}

/**
 * The crates of `libsql`: those that may be used under the Apache licence share its text, the others share one with
 * those of the same copyright.
 * @param {string} version
 * @returns {Notice[]}
 */
function crateNotices(version) {
  /** @type {Map<string, Notice>} by text */
  const found = new Map();
  for (const crate of CRATES.crates) {
    const { license, text } = crateTerms(crate);
    const notice = found.get(text);
    const label = `${crate.name} ${crate.version}`;
    found.set(text, { name: notice ? `${notice.name}, ${label}` : label, version, license, text });
  }
  return [...found.values()];
}

/**
 * The licence under which a crate is used: where it offers several, Apache first, then MIT.
 * @param {{ license: string, copyright?: string[] }} crate
 */
function crateTerms({ license, copyright = [] }) {
  if (license.includes('Apache-2.0')) return { license: 'Apache-2.0', text: apacheText() };
  const terms = license.includes('MIT') ? MIT_TERMS : ISC_TERMS;
  return { license: license.includes('MIT') ? 'MIT' : 'ISC', text: `${copyright.join('\n')}\n\n${terms}` };
}

/** The terms of the Apache licence without the copyright of a project. */
function apacheText() {
  const texts = BUNDLED.flatMap(({ software }) => software).filter(({ license }) => license === 'Apache-2.0');
  return texts.map(({ text }) => text).find((text) => text.startsWith('Apache License')) ?? '';
}

/** @param {Notice[]} notices @returns {Notice[]} */
function inNameOrder(notices) {
  return [...notices].sort((a, b) => `${a.name}@${a.version}`.localeCompare(`${b.name}@${b.version}`, 'en'));
}

/** @param {Notice[]} notices @returns {string} */
export function formatNotices(notices) {
  const head =
    'Patina contains the following software of others, under these terms.\nElectron and Chromium: see LICENSE.electron.txt and LICENSES.chromium.html.\n';
  const parts = notices.map(
    ({ name, version, license, text }) =>
      `${'='.repeat(78)}\n${name} ${version} (${license})\n\n${text.trim()}\n`,
  );
  return [head, ...parts].join('\n');
}

/** @param {string} from a package's folder @param {string} name @param {Map<string, Notice>} found keyed by folder */
function visit(from, name, found) {
  const folder = resolvePackage(from, name);
  if (!folder || found.has(folder) || name.startsWith('@types/')) return;
  const manifest = readManifest(folder);
  found.set(folder, {
    name,
    version: manifest.version,
    license: licenseOf(manifest),
    text: licenceText(folder) || standardText(manifest),
  });
  for (const next of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }))
    visit(folder, next, found);
}

/**
 * Resolves a package as Node does, from the nearest node_modules upwards.
 * @param {string} from
 * @param {string} name
 * @returns {string | null} null for an optional package of another system
 */
function resolvePackage(from, name) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', name);
    if (fs.existsSync(path.join(candidate, 'package.json'))) return candidate;
    if (folder === path.dirname(folder)) return null;
  }
}

/** @param {string} folder */
function licenceText(folder) {
  const names = fs
    .readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .sort();
  return names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8').trim()).join('\n\n');
}

/**
 * The text of the MIT licence for a package that declares it and ships no file of it.
 * @param {any} manifest
 * @returns {string} empty for another licence
 */
function standardText(manifest) {
  if (licenseOf(manifest) !== 'MIT') return '';
  const author = manifest.author?.name ?? manifest.author?.replace(/\s*[<(].*$/, '');
  return `Copyright (c) ${author ?? `the authors of ${manifest.name}`}\n\n${MIT_TERMS}`;
}

/** @param {any} manifest @returns {string} */
function licenseOf(manifest) {
  const { name, license, licenses } = manifest;
  const stated = STATED_LICENCES.get(name);
  if (stated) return stated;
  if (typeof license === 'string') return license;
  const first = license ?? licenses?.[0];
  return first?.type ?? 'unknown';
}

/** @param {string} folder @returns {any} */
function readManifest(folder) {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

/** @param {string} folder @returns {string[]} package names that its sources import */
function bareImports(folder) {
  if (!fs.existsSync(folder)) return [];
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const names = files
    .filter((name) => /\.(tsx?|css)$/.test(name) && !/\.test\./.test(name))
    .flatMap((name) => {
      const text = fs.readFileSync(path.join(folder, name), 'utf8');
      return [...text.matchAll(BARE_IMPORT)].map((match) => packageOf(String(match[1] ?? match[2])));
    });
  return [...new Set(names)];
}

/** @param {string} specifier `@scope/name/file` -> `@scope/name` */
function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
