import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { copyDatabase, openSqliteReadOnly } from '../storage/sqlite';
import { databaseName, isBackedUp, manifestName, type BackupManifest } from './backup-manifest';

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

async function describe({ path, file }: Source): Promise<BackupManifest['files'][number]> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { path, bytes: statSync(file).size, sha256: hash.digest('hex') };
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
 * Writes everything of a home that a backup contains to one ZIP file, which appears complete or not at all. Runs in
 * the process of the database check. Throws file system and database errors.
 */
export async function makeBackup(home: string, target: string, now: number): Promise<void> {
  const part = `${target}.part`;
  const copy = `${target}.db.part`;
  for (const file of [part, copy]) rmSync(file, { force: true });
  try {
    const sources = [...copySessions(home, copy), ...sourcesIn(home)];
    const zip = new ZipFile();
    const written = pipeline(zip.outputStream, createWriteStream(part, { mode: 0o600, flush: true }));
    const files = [];
    for (const source of sources) files.push(await describe(source));
    const manifest: BackupManifest = { patina: { format: 'backup', version: 1 }, at: now, files };
    zip.addBuffer(Buffer.from(JSON.stringify(manifest)), manifestName);
    for (const { path, file } of sources) zip.addFile(file, path);
    zip.end();
    await written;
    renameSync(part, target);
  } finally {
    for (const file of [part, copy]) rmSync(file, { force: true });
  }
}
