import { createHash } from 'node:crypto';
import {
  createWriteStream,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { structureProblem } from '../storage/check-database';
import { archiveFault, faultText } from '../system/archive-fault';
import { BackupManifest, databaseName, isBackedUp, manifestName, topOf } from './backup-manifest';

/** A complete, checked restore that the next start puts in place. */
export const readyFolder = (home: string): string => join(home, 'restore-ready');

/** The manifest is text; a larger file is not a manifest. */
const maxManifestBytes = 256 * 1024 * 1024;
/** Space that must remain free on the disk. */
const spareBytes = 64 * 1024 * 1024;

type Entries = ReadonlyMap<string, yauzl.Entry>;

const openZip = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open);

/** The entries of an archive by path, each once; yauzl refuses absolute paths, `..` and backslashes. */
function entriesOf(zip: yauzl.ZipFile): Promise<Entries> {
  const entries = new Map<string, yauzl.Entry>();
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      if (entries.has(entry.fileName)) return reject(new Error(`${entry.fileName} is in it twice`));
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.once('end', () => resolve(entries));
    zip.once('error', reject);
    zip.readEntry();
  });
}

const streamOf = (zip: yauzl.ZipFile, entry: yauzl.Entry): Promise<Readable> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });

async function readManifest(zip: yauzl.ZipFile, entries: Entries): Promise<BackupManifest | string> {
  const entry = entries.get(manifestName);
  if (!entry || entry.uncompressedSize > maxManifestBytes) return 'it is not a backup of Patina';
  try {
    const json: unknown = JSON.parse((await buffer(await streamOf(zip, entry))).toString('utf8'));
    const manifest = BackupManifest.safeParse(json);
    if (manifest.success) return manifest.data;
    const [issue] = manifest.error.issues;
    return `${manifestName} is invalid: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
  } catch (error) {
    return `${manifestName} cannot be read: ${faultText(error)}`;
  }
}

/** What is wrong with the paths of a manifest, or null. */
function pathProblem(paths: readonly string[]): string | null {
  const foreign = paths.find(
    (path) => !isBackedUp(topOf(path)) || path === manifestName || path.startsWith(`${databaseName}/`),
  );
  if (foreign !== undefined) return `${foreign} does not belong into a backup`;
  const folded = paths.map((path) => path.toLowerCase());
  const seen = new Set<string>();
  const twice = paths.find((_path, at) => seen.size === seen.add(folded[at] ?? '').size);
  if (twice !== undefined) return `${twice} is in it twice`;
  const folders = new Set(
    folded.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))),
  );
  const both = paths.find((_path, at) => folders.has(folded[at] ?? ''));
  return both === undefined ? null : `${both} is a file and a folder in it`;
}

const fileType = 0o170000;
const link = 0o120000;
const isLink = (entry: yauzl.Entry | undefined): boolean =>
  (((entry?.externalFileAttributes ?? 0) >>> 16) & fileType) === link;

function problemWith({ files }: BackupManifest, entries: Entries, home: string): string | null {
  const path = pathProblem(files.map((file) => file.path));
  if (path !== null) return path;
  const wrong = files.find((file) => entries.get(file.path)?.uncompressedSize !== file.bytes);
  if (wrong) return `${wrong.path} is missing or has another size`;
  const linked = files.find((file) => isLink(entries.get(file.path)));
  if (linked) return `${linked.path} is a link`;
  const { bavail, bsize } = statfsSync(home);
  const needed = files.reduce((sum, { bytes }) => sum + bytes, spareBytes);
  return bavail * bsize > needed ? null : 'the disk has too little room for it';
}

/** Writes one file and returns its hash. */
async function extract(zip: yauzl.ZipFile, entry: yauzl.Entry, file: string): Promise<string> {
  const hash = createHash('sha256');
  const tap = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const output = createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true });
  await pipeline(await streamOf(zip, entry), tap, output);
  return hash.digest('hex');
}

/** Writes one file; returns why it is not the one that the manifest names, or null. */
async function extractChecked(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  file: string,
  sha256: string,
): Promise<string | null> {
  try {
    return (await extract(zip, entry, file)) === sha256 ? null : 'its content has another hash';
  } catch (error) {
    return archiveFault(error);
  }
}

/** Extracts and checks every file into `part`; returns what is wrong with the archive, or null. */
async function extractAll(
  zip: yauzl.ZipFile,
  home: string,
  part: string,
  now: number,
): Promise<string | null> {
  const entries = await entriesOf(zip);
  const manifest = await readManifest(zip, entries);
  if (typeof manifest === 'string') return manifest;
  const problem = problemWith(manifest, entries, home);
  if (problem !== null) return problem;
  mkdirSync(part, { mode: 0o700 });
  for (const { path, sha256 } of manifest.files) {
    const entry = entries.get(path);
    const damage = entry ? await extractChecked(zip, entry, join(part, path), sha256) : 'it is missing';
    if (damage !== null) return `${path} is damaged: ${damage}`;
  }
  const top = [...new Set(manifest.files.map(({ path }) => topOf(path)))];
  writeFileSync(join(part, manifestName), JSON.stringify({ at: now, top }), { mode: 0o600, flush: true });
  const damage = top.includes(databaseName) ? structureProblem(join(part, databaseName)) : null;
  return damage === null ? null : `its sessions file is damaged (${damage})`;
}

/** Removes what a killed restore left behind. */
function dropParts(home: string): void {
  for (const name of readdirSync(home))
    if (name.startsWith('restore-part-')) rmSync(join(home, name), { recursive: true });
}

/**
 * Checks a backup completely and prepares it beside the present files, which stay as they are. Returns why it cannot
 * be restored, or null. Runs in the process of the database check. Throws file system errors.
 */
export async function stageRestore(home: string, archive: string, now: number): Promise<string | null> {
  dropParts(home);
  const part = join(home, `restore-part-${process.pid}`);
  let zip: yauzl.ZipFile;
  try {
    zip = await openZip(archive, { lazyEntries: true, autoClose: false });
  } catch (error) {
    return `it cannot be opened: ${faultText(error)}`;
  }
  try {
    const problem = await extractAll(zip, home, part, now);
    if (problem !== null) return problem;
    rmSync(readyFolder(home), { recursive: true, force: true });
    renameSync(part, readyFolder(home));
    return null;
  } catch (error) {
    return `it is damaged: ${archiveFault(error)}`;
  } finally {
    zip.close();
    rmSync(part, { recursive: true, force: true });
  }
}
