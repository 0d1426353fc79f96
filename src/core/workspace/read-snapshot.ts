import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { FilesRead, WantedFile, WorkspaceFolder } from '../ports/workspace-files';
import { textHash } from '../tools/canonical-hash';
import { parseFile, problem, type Problems } from './parse-file';
import { checkReferences, contentReferences, indexReferences } from './references';
import { indexFile, legacyFolder, workspaceLimits } from './workspace-limits';
import { WorkspaceIndex } from './workspace-schemas';

/** SHA-256 of a text, in hex; a native implementation is several times faster than the portable one. */
export type HashText = (text: string) => string;

/** One reading of a workspace: its snapshot hash, and all its files. */
export interface SnapshotReading {
  readonly hash: string;
  readonly files: FilesRead;
}

/**
 * The hash of a snapshot: SHA-256 over the canonical JSON of `{files: {path: SHA-256}, schema}`. The JSON is
 * built here because canonicalizing thousands of members takes longer than hashing the files.
 */
export function snapshotHash(
  paths: Iterable<string>,
  digestOf: (path: string) => string,
  hash: HashText = textHash,
): string {
  const files = [...paths].sort().map((path) => `${JSON.stringify(path)}:"${digestOf(path)}"`);
  return hash(`{"files":{${files.join(',')}},"schema":"agent.workspace.snapshot/1"}`);
}

const maxShown = 20;

/** The error for an invalid snapshot, with its first problems. */
export function rejection(problems: Problems): AppError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const file = first && first.file !== '.' ? `${first.file}${first.field ? `, ${first.field}` : ''}: ` : '';
  const why = first ? `${file}${first.reason}${more}` : '';
  return appError('CONFIG', 'INVALID', `The workspace cannot be used. ${why}`.trimEnd(), {
    problems: problems.slice(0, maxShown),
    hint: `${first?.rule === 'folder' ? 'Restore the folder or choose another one,' : 'Fix the file,'} then sync again. The active version stays in use.`,
  });
}

type Read = Result<FilesRead, Problems>;
/**
 * Yields requests for files and receives them: the caller decides how to read and whether to yield to other
 * work.
 */
type Reading = Generator<readonly WantedFile[], Read, Read>;

/** Reads more files in addition to those already read; refuses a total beyond the limit. */
function* readMore(read: FilesRead, wanted: readonly WantedFile[]): Reading {
  const checked = checkReferences(wanted);
  if (!checked.ok) return checked;
  const missing = checked.value.filter(({ path }) => !read.has(path));
  const found = yield missing;
  if (!found.ok) return found;
  const all = new Map([...read, ...found.value]);
  const bytes = [...all.values()].reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes <= workspaceLimits.totalBytes) return ok(all);
  const reason = `Its files total more than ${workspaceLimits.totalBytes / 1_048_576} MB.`;
  return err([problem(indexFile, '', 'total-size', reason)]);
}

/**
 * Reads a workspace without an index: the JSON files of `tools/` (P3 §8).
 */
function* readLegacy(list: WorkspaceFolder['list']): Reading {
  const names = list(legacyFolder);
  if (!names.ok) return names;
  if (!names.value?.length) {
    const reason = `The workspace has neither ${indexFile} nor the ${legacyFolder}/*.json files of an older one.`;
    return err([problem(indexFile, '', 'exists', reason)]);
  }
  const wanted = names.value.map((name): WantedFile => ({
    path: `${legacyFolder}/${name}`,
    kind: 'text',
    from: { file: legacyFolder, field: '' },
  }));
  return yield* readMore(new Map(), wanted);
}

const isMissing = ({ rule }: ConfigProblem): boolean => rule === 'exists';

/**
 * Reads the index, then packs and catalogs, then the files they name: three steps, whatever the size of the
 * folder.
 */
function* readAll(list: WorkspaceFolder['list']): Reading {
  const own: WantedFile = { path: indexFile, kind: 'text', from: { file: indexFile, field: '' } };
  const first = yield [own];
  if (!first.ok) return first.error.every(isMissing) ? yield* readLegacy(list) : first;
  const bytes = first.value.get(indexFile)?.bytes ?? new Uint8Array();
  const index = parseFile(indexFile, bytes, WorkspaceIndex);
  if (!index.ok) return index;
  const named = indexReferences(index.value);
  const second = yield* readMore(first.value, named);
  if (!second.ok) return second;
  return yield* readMore(second.value, [own, ...named, ...contentReferences(index.value, second.value)]);
}

function readingOf(files: Read, hash?: HashText): Result<SnapshotReading> {
  if (!files.ok) return err(rejection(files.error));
  const found = files.value;
  const name = snapshotHash(found.keys(), (path) => found.get(path)?.sha256 ?? '', hash);
  return ok({ hash: name, files: found });
}

/**
 * Reads a workspace by its index: only the files that it names. `err`: CONFIG/INVALID with file, field, rule
 * and reason of each unreadable file. Does not check the files' content.
 */
export async function readSnapshot(
  { list, read }: WorkspaceFolder,
  hash?: HashText,
): Promise<Result<SnapshotReading>> {
  const reading = readAll(list);
  let step = reading.next();
  while (!step.done) step = reading.next(await read(step.value));
  return readingOf(step.value, hash);
}

/** The synchronous variant, for the few files of the workspace that startup needs. */
export function readSnapshotNow({ list, readNow }: WorkspaceFolder): Result<SnapshotReading> {
  const reading = readAll(list);
  let step = reading.next();
  while (!step.done) step = reading.next(readNow(step.value));
  return readingOf(step.value);
}
