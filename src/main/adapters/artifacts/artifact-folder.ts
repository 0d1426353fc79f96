import path from 'node:path';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { appError, type AppError } from '#shared/app-error';
import { ArtifactHandle } from '#shared/execution';
import { err, ok, type Result } from '#shared/result';
import type { LabelledArtifactStore } from '../../../core/ports/sandbox';
import { pathVariable } from '../system/home-folder';
import { writeFileAtomic } from '../system/atomic-file';
import { codeOf, writeHint } from '../system/file-error';
import { z } from 'zod';
import { TaintSource } from '#shared/approval';

const Label = z.array(TaintSource);
type Origins = NonNullable<ReturnType<LabelledArtifactStore['originsOf']>>;

const keyOf = ({ source, nodeId, trusted }: Origins[number]): string => `${source} ${nodeId} ${trusted}`;

/**
 * Stores the origins of each artifact in a file beside it: `<hash>.origins`. An unreadable file counts as
 * missing.
 */
function createArtifactLabels(
  placeOf: (hash: string) => string,
): Pick<LabelledArtifactStore, 'label' | 'originsOf'> {
  const fileOf = (handle: string): string | null =>
    ArtifactHandle.safeParse(handle).success
      ? `${placeOf(handle.slice(handle.lastIndexOf('/') + 1))}.origins`
      : null;
  const originsOf = (handle: string): Origins | null => {
    const file = fileOf(handle);
    if (file === null) return null;
    try {
      return Label.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      return null;
    }
  };
  return {
    originsOf,
    label(handle, origins) {
      const file = fileOf(handle);
      if (file === null) return err(appError('HOST', 'INVALID_INPUT', 'This is not an artifact handle.'));
      const known = originsOf(handle);
      // Identical content from two sources may come from either, so keep the origins of both.
      const all = [...new Map([...(known ?? []), ...origins].map((one) => [keyOf(one), one])).values()];
      if (known && all.length === known.length) return ok(null);
      try {
        writeFileAtomic(file, JSON.stringify(all));
        return ok(null);
      } catch {
        return err(appError('HOST', 'STORAGE', 'The origin of an artifact could not be saved.'));
      }
    },
  };
}

const prefix = 'artifact://sha256/';

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function failure(what: string, error: unknown): AppError {
  const hint = writeHint(error, 'Check the permissions of .patina/artifacts.');
  return appError('HOST', 'STORAGE', `The artifact could not be ${what} (${codeOf(error)}).`, { hint });
}

/** `ab/abcd…`: the two-letter folders keep every folder well below a hundred thousand names. */
const placeOf = (folder: string, hash: string): string => path.join(folder, hash.slice(0, 2), hash);

function intact(file: string, hash: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined && digest(readFileSync(file)) === hash;
}

/** The artifact folder of a project: `.patina/artifacts`, or ARTIFACT_DIR. */
export function artifactFolderOf(project: string, env: Readonly<Record<string, string | undefined>>): string {
  const named = pathVariable(env, 'ARTIFACT_DIR');
  return named ? path.resolve(project, named) : path.join(project, '.patina', 'artifacts');
}

function rowsOf(folder: string, part: string) {
  return readdirSync(path.join(folder, part)).flatMap((name) => {
    if (!/^[0-9a-f]{64}$/.test(name)) return [];
    const { size, mtimeMs } = statSync(path.join(folder, part, name));
    return [{ handle: `${prefix}${name}`, bytes: size, at: Math.round(mtimeMs) }];
  });
}

function listFolder(folder: string): ReturnType<LabelledArtifactStore['list']> {
  try {
    if (!statSync(folder, { throwIfNoEntry: false })) return ok([]);
    const parts = readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
    const rows = parts.flatMap((part) => rowsOf(folder, part));
    return ok(rows.sort((a, b) => b.at - a.at || (a.handle < b.handle ? -1 : 1)));
  } catch (error) {
    return err(failure('listed', error));
  }
}

/**
 * Stores values outside every model's context, keyed by the SHA-256 of their content. Identical content is
 * stored once, and each read verifies the hash. The first `put` creates the folder. Errors: HOST/STORAGE,
 * HOST/NOT_FOUND, HOST/INVALID_INPUT.
 */
export function createArtifactFolder(folder: string): LabelledArtifactStore {
  const write = (file: string, bytes: Buffer, hash: string): Result<null> => {
    try {
      if (intact(file, hash)) return ok(null);
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeFileAtomic(file, bytes);
      return ok(null);
    } catch (error) {
      return err(failure('written', error));
    }
  };
  const labels = createArtifactLabels((hash) => placeOf(folder, hash));
  return {
    ...labels,
    list: () => listFolder(folder),
    put(_name, _type, content) {
      const bytes = Buffer.from(content, 'utf8');
      const hash = digest(bytes);
      const written = write(placeOf(folder, hash), bytes, hash);
      return written.ok ? ok({ handle: `${prefix}${hash}`, bytes: bytes.length }) : written;
    },
    get(handle) {
      if (!ArtifactHandle.safeParse(handle).success) {
        return err(appError('HOST', 'INVALID_INPUT', 'An artifact handle starts with artifact://sha256/.'));
      }
      const hash = handle.slice(prefix.length);
      try {
        const bytes = readFileSync(placeOf(folder, hash));
        if (digest(bytes) === hash) return ok(bytes.toString('utf8'));
        return err(appError('HOST', 'STORAGE', 'The artifact was changed on disk and is not used.'));
      } catch (error) {
        const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        return err(
          missing ? appError('HOST', 'NOT_FOUND', 'There is no such artifact.') : failure('read', error),
        );
      }
    },
  };
}
