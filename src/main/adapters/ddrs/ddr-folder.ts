import { closeSync, existsSync, openSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import { DdrId, DdrTla, DdrTlaRow } from '#shared/ddr';
import { err, ok, type Result } from '#shared/result';
import type { DdrStore, DdrWrite, StoredDdr } from '../../../core/ports/ddr-store';
import { earlierText, saveEarlierVersions } from './ddr-history';
import { writeFileAtomic } from '../system/atomic-file';
import { codeOf, writeHint } from '../system/file-error';
import { ownFolder, readText } from './safe-files';
import { withLock, type LockDeps } from '../system/write-lock';

export interface DdrFolderDeps extends LockDeps {
  /** `PATINA_HOME/ddrs`; created by the first write. */
  readonly folder: string;
  /** The documents that ship with Patina. */
  readonly seeds: string;
}

const maxDocuments = 10_000;
const catalogName = 'tla-catalog.json';
const Catalog = z.array(DdrTlaRow).max(1_000);
/** Names that mean the same on every operating system and fit on one line of any screen. */
const plainName = /^[\p{L}\p{N}_][\p{L}\p{N}_ .()-]{0,120}\.md$/u;

function failure(what: string, error: unknown): AppError {
  const hint = writeHint(error, 'Check the permissions of the folder "ddrs".');
  return appError('HOST', 'STORAGE', `${what} could not be written (${codeOf(error)}).`, { hint });
}

interface Found {
  readonly documents: StoredDdr[];
  readonly problems: ConfigProblem[];
}

const shown = (name: string): string => (plainName.test(name) ? name : JSON.stringify(name.slice(0, 200)));

function readOne(folder: string, name: string, origin: StoredDdr['origin'], found: Found): void {
  const file = shown(name);
  const report = (rule: string, reason: string): void => {
    found.problems.push({ file, field: '', rule, reason });
  };
  if (!plainName.test(name)) {
    report('file-name', 'The name may have letters, digits, spaces and . _ - ( ) only. Rename the file.');
    return;
  }
  const text = readText(path.join(folder, name));
  if (!text.ok) report(text.error.rule, text.error.reason);
  else if (text.value !== null) found.documents.push({ file, origin, text: text.value });
}

function namesIn(folder: string): Result<readonly string[]> {
  try {
    const names = readdirSync(folder).filter(
      (name) => name.toLowerCase().endsWith('.md') && !name.startsWith('.'),
    );
    return ok(names.sort());
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok([]);
    return err(
      appError(
        'HOST',
        'STORAGE',
        `The folder of the design records (DDRs) cannot be read (${codeOf(error)}).`,
      ),
    );
  }
}

function readFolder(folder: string, origin: StoredDdr['origin'], found: Found): Result<null> {
  const names = namesIn(folder);
  if (!names.ok) return names;
  for (const name of names.value.slice(0, maxDocuments)) readOne(folder, name, origin, found);
  if (names.value.length > maxDocuments) {
    const reason = `Only the first ${maxDocuments} files are read.`;
    found.problems.push({ file: folder, field: '', rule: 'size', reason });
  }
  return ok(null);
}

function readCatalog(folder: string): Result<readonly DdrTlaRow[]> {
  const file = path.join(folder, catalogName);
  const text = readText(file);
  if (!text.ok) return err(appError('HOST', 'STORAGE', `${catalogName}: ${text.error.reason}`));
  if (text.value === null) return ok([]);
  try {
    const rows = Catalog.safeParse(JSON.parse(text.value));
    if (rows.success) return ok(rows.data);
    const [issue] = rows.error.issues;
    const where = issue?.path.map(String).join('.') ?? '';
    return err(appError('HOST', 'STORAGE', `${file}, ${where}: ${issue?.message ?? 'it is not valid'}.`));
  } catch {
    return err(appError('HOST', 'STORAGE', `${file} is not JSON. Fix it, or remove it.`));
  }
}

function readTlas({ folder, seeds }: DdrFolderDeps): Result<readonly DdrTlaRow[]> {
  const came = readCatalog(seeds);
  const own = readCatalog(folder);
  if (!came.ok || !own.ok) return came.ok ? own : came;
  const rows = new Map([...came.value, ...own.value].map((row) => [row.tla, row]));
  return ok([...rows.values()].sort((a, b) => (a.tla < b.tla ? -1 : 1)));
}

const conflict = (name: string): AppError =>
  appError('HOST', 'STATE', `${name} was changed by someone else in the meantime.`, {
    hint: 'Read it again, then repeat the change.',
  });

/** The file to write a document to. A file name is only ever built from a valid id. */
function targetOf(folder: string, { id, file }: DdrWrite): string {
  return path.join(folder, file !== null && plainName.test(file) ? file : `${DdrId.parse(id)}.md`);
}

function writeDocument(folder: string, write: DdrWrite): Result<null> {
  const target = targetOf(folder, write);
  const there = readText(target);
  if (!there.ok || there.value !== write.expected) return err(conflict(path.basename(target)));
  saveEarlierVersions(folder, DdrId.parse(write.id), write.previous, write.approved);
  writeFileAtomic(target, write.text);
  return ok(null);
}

const largest = (names: readonly string[], tla: string): number =>
  Math.max(
    0,
    ...names.filter((name) => name.startsWith(`${tla}-`)).map((name) => Number(name.slice(4)) || 0),
  );

/**
 * Reserves a number by creating an empty file that carries it; only one process can succeed. The file is
 * never removed, so the number of a deleted document is not reused.
 */
function reserveNumber(folder: string, tla: string, after: number): Result<number> {
  const place = ownFolder(path.join(ownFolder(folder), '.reserved'));
  let number = Math.max(after, largest(readdirSync(place), tla));
  for (let tries = 0; tries < 10_000; tries += 1) {
    number += 1;
    try {
      closeSync(openSync(path.join(place, `${tla}-${number}`), 'wx', 0o600));
      return ok(number);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
  return err(appError('HOST', 'STORAGE', `No free number was found for ${tla}.`));
}

/**
 * Notifies listeners of any change in the folder, by any process. Until the folder exists, watches its parent
 * folder.
 */
function createNews(folder: string) {
  const listeners = new Set<() => void>();
  const notify = (): void => listeners.forEach((listener) => listener());
  let watcher: FSWatcher | null = null;
  let watched = '';
  const look = (): void => {
    if (watched !== folder) begin();
    if (watched === folder) notify();
  };
  const begin = (): void => {
    const wanted = existsSync(folder) ? folder : path.dirname(folder);
    if (wanted === watched || listeners.size === 0) return;
    watcher?.close();
    watched = wanted;
    try {
      watcher = watch(wanted, { persistent: false }, look).on('error', () => watcher?.close());
    } catch {
      // Some file systems cannot be watched; changes made by this process are still reported.
    }
  };
  return {
    changed: () => {
      begin();
      notify();
    },
    onChange(listener: () => void) {
      listeners.add(listener);
      begin();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        watcher?.close();
        watcher = null;
        watched = '';
      };
    },
  };
}

/** Stores design records as markdown files: the user's own folder over the seeds, which are never written. */
export function createDdrFolder(deps: DdrFolderDeps): DdrStore {
  const { folder, seeds } = deps;
  const news = createNews(folder);
  const exclusively = async <T>(what: string, work: () => Result<T>): Promise<Result<T>> => {
    try {
      const done = await withLock(path.join(ownFolder(folder), '.lock'), deps, work);
      if (done.ok) news.changed();
      return done;
    } catch (error) {
      return err(failure(what, error));
    }
  };
  return {
    read() {
      const found: Found = { documents: [], problems: [] };
      const own = readFolder(folder, 'home', found);
      if (!own.ok)
        found.problems.push({ file: 'ddrs', field: '', rule: 'readable', reason: own.error.message });
      const bundled = readFolder(seeds, 'seed', found);
      if (!bundled.ok) return bundled;
      const catalog = readCatalog(folder);
      if (own.ok && !catalog.ok) {
        found.problems.push({ file: catalogName, field: '', rule: 'catalog', reason: catalog.error.message });
      }
      return ok(found);
    },
    tlas: () => readTlas(deps),
    addTla: (row) =>
      exclusively(catalogName, () => {
        const own = readCatalog(folder);
        if (!own.ok) return own;
        if (own.value.some(({ tla }) => tla === row.tla)) return err(conflict(catalogName));
        writeFileAtomic(path.join(folder, catalogName), `${JSON.stringify([...own.value, row], null, 2)}\n`);
        return ok(null);
      }),
    reserve: (tla, after) => exclusively('The number', () => reserveNumber(folder, DdrTla.parse(tla), after)),
    write: (write) => exclusively(write.id, () => writeDocument(folder, write)),
    earlier: (id, which, differs) =>
      ok(DdrId.safeParse(id).success ? earlierText(folder, id, which, differs) : null),
    onChange: news.onChange,
  };
}
