import { createHash } from 'node:crypto';
import { createWriteStream, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { copyDatabase, openSqliteReadOnly } from '../storage/sqlite';
import { BackupPath, databaseName, isBackedUp, manifestName, type BackupManifest } from './backup-manifest';

interface Source {
  /** Its path in the backup. */
  readonly path: string;
  readonly file: string;
}

/** The regular files below a folder; links and special files are left out. */
function filesIn(folder: string, prefix: string): readonly Source[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) return filesIn(file, `${path}/`);
    return entry.isFile() && !/\.(tmp|part)$/.test(entry.name) ? [{ path, file }] : [];
  });
}

function sourcesIn(home: string): readonly Source[] {
  return readdirSync(home, { withFileTypes: true })
    .filter(({ name }) => isBackedUp(name) && name !== databaseName)
    .flatMap((entry) => {
      const file = join(home, entry.name);
      if (entry.isDirectory()) return filesIn(file, `${entry.name}/`);
      return entry.isFile() ? [{ path: entry.name, file }] : [];
    });
}

/** How many names an answer lists. */
const maxNames = 5;

/** Why a restore would refuse the backup of these files, or null: the same rules, before anything is written. */
function problemWith(sources: readonly Source[]): string | null {
  const seen = new Set<string>();
  const refused = sources.filter(({ path }) => {
    const folded = path.toLowerCase();
    const taken = seen.has(folded);
    seen.add(folded);
    // Node puts the sign where a name is not UTF-8, and then cannot open the file.
    return taken || path === manifestName || path.includes('\ufffd') || !BackupPath.safeParse(path).success;
  });
  if (refused.length === 0) return null;
  const names = refused.slice(0, maxNames).map(({ path }) => JSON.stringify(path));
  const more = refused.length > maxNames ? ` and ${refused.length - maxNames} more` : '';
  return `not every system can restore files with these names: ${names.join(', ')}${more}`;
}

/** Opens a file; null when it was deleted after it was listed, as a settings file may be while Patina runs. */
async function openPresent(file: string): Promise<FileHandle | null> {
  try {
    return await open(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Adds one file, read once: its entry and its hash are of the same bytes, even if it is written meanwhile. */
async function addFile(
  zip: ZipFile,
  { path, file }: Source,
  signal: AbortSignal,
): Promise<BackupManifest['files'][number] | null> {
  const handle = await openPresent(file);
  if (!handle) return null;
  const { mtime, mode } = await handle.stat();
  const hash = createHash('sha256');
  let bytes = 0;
  const tap = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  zip.addReadStream(tap, path, { mtime, mode });
  await pipeline(handle.createReadStream(), tap, { signal });
  return { path, bytes, sha256: hash.digest('hex') };
}

/** Adds every file, then the manifest of what was added. */
async function addAll(
  zip: ZipFile,
  sources: readonly Source[],
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const files: BackupManifest['files'] = [];
  for (const source of sources) {
    const added = await addFile(zip, source, signal);
    if (added) files.push(added);
  }
  const manifest: BackupManifest = { patina: { format: 'backup', version: 1 }, at: now, files };
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), manifestName);
  zip.end();
}

/** A copy of the database at one moment, beside the target so that it needs no other disk. */
function copySessions(home: string, copy: string): readonly Source[] {
  const path = join(home, databaseName);
  if (!statSync(path, { throwIfNoEntry: false })) return [];
  const db = openSqliteReadOnly(path);
  try {
    copyDatabase(db, copy);
  } finally {
    db.close();
  }
  return [{ path: databaseName, file: copy }];
}

/**
 * Writes everything of a home that a backup contains to one ZIP file, which appears complete or not at all. Returns why
 * it could not be restored and is not written, or null. Runs in the process of the database check. Throws file system
 * and database errors.
 */
export async function makeBackup(home: string, target: string, now: number): Promise<string | null> {
  const part = `${target}.part`;
  const copy = `${target}.db.part`;
  for (const file of [part, copy]) rmSync(file, { force: true });
  try {
    const others = sourcesIn(home);
    const problem = problemWith(others);
    if (problem !== null) return problem;
    const sources = [...copySessions(home, copy), ...others];
    const zip = new ZipFile();
    const stop = new AbortController();
    const stopAll = (error: unknown): never => {
      stop.abort();
      throw error;
    };
    const output = createWriteStream(part, { mode: 0o600, flush: true });
    const ends = [
      pipeline(zip.outputStream, output, { signal: stop.signal }).catch(stopAll),
      addAll(zip, sources, now, stop.signal).catch(stopAll),
    ];
    await Promise.allSettled(ends);
    await Promise.all(ends);
    renameSync(part, target);
    return null;
  } finally {
    for (const file of [part, copy]) rmSync(file, { force: true });
  }
}
