import { constants, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { appError, type AppError } from '#shared/app-error';
import { LocalModelName, type LocalModel } from '#shared/local-model';
import { err, ok, type Result } from '#shared/result';
import { checkGguf, readGguf, type GgufFacts } from './gguf';
import { codeOf, isDiskFull } from '../system/file-error';

/** Larger contexts cost memory that small computers lack, and small models use them badly. */
const maxContextTokens = 8_192;
const unknownContextTokens = 2_048;
/** Left free on the disk beside a model. */
const spareBytes = 256 * 1024 * 1024;
const extension = '.gguf';

export const contextOf = ({ contextTokens }: GgufFacts): number =>
  Math.min(contextTokens ?? unknownContextTokens, maxContextTokens);

export const notStored = (error: unknown): AppError =>
  isDiskFull(error)
    ? appError('HOST', 'STORAGE', 'The disk is full, so the model was not stored.', {
        hint: 'Free some space and try again.',
      })
    : appError('HOST', 'STORAGE', `The model could not be stored (${codeOf(error)}).`);

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

/** HOST/STORAGE when the disk has no space for a file of this size. */
export function checkFreeSpace(folder: string, bytes: number): Result<null> {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= bytes + spareBytes) return ok(null);
  return err(
    appError(
      'HOST',
      'STORAGE',
      `The model needs ${gigabytes(bytes)}, and the disk has ${gigabytes(free)} free.`,
      {
        hint: 'Free some space and try again.',
      },
    ),
  );
}

/** A valid name for the file at a path. */
function nameOf(path: string): string {
  const plain = basename(path)
    .replace(/\.gguf$/i, '')
    .replaceAll(/[^A-Za-z0-9._+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 120);
  return LocalModelName.safeParse(plain).success ? plain : 'model';
}

const noFile = (path: string, isFolder: boolean): AppError =>
  appError('HOST', 'INVALID_INPUT', `${path} is ${isFolder ? 'a folder' : 'no file'}, not a GGUF model.`, {
    hint: 'Choose one file whose name ends with .gguf.',
  });

export type ModelFolder = ReturnType<typeof createModelFolder>;

/** The files of local models, in `models` of PATINA_HOME. */
export function createModelFolder(home: string) {
  const folder = join(home, 'models');
  const fileOf = (name: string): string => join(folder, `${name}${extension}`);
  /** A download that has not ended. */
  const partOf = (name: string): string => `${fileOf(name)}.part`;
  const known = new Map<string, LocalModel | null>();

  const describe = (name: string): LocalModel | null => {
    const file = fileOf(name);
    const { size, mtimeMs } = statSync(file);
    const stamp = `${name} ${size} ${mtimeMs}`;
    const before = known.get(stamp);
    if (before !== undefined) return before;
    const facts = readGguf(file);
    const model = facts && { name, bytes: size, contextTokens: contextOf(facts) };
    known.set(stamp, model);
    return model;
  };

  /** The models by name; a file that cannot be read, or is not a model, is skipped. */
  const list = (): readonly LocalModel[] => {
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
        .map((entry) => entry.name.slice(0, -extension.length))
        .filter((name) => LocalModelName.safeParse(name).success)
        .sort()
        .flatMap((name) => describe(name) ?? []);
    } catch {
      return [];
    }
  };

  return {
    folder,
    fileOf,
    partOf,
    /** Bytes of a download that has not ended; 0 where nothing can be read. */
    partBytes(name: string): number {
      try {
        return statSync(partOf(name), { throwIfNoEntry: false })?.size ?? 0;
      } catch {
        return 0;
      }
    },
    /** Bytes free on the disk of the folder; null where the system does not say. */
    freeDisk(): number | null {
      try {
        const { bavail, bsize } = statfsSync(home);
        return bavail * bsize;
      } catch {
        return null;
      }
    },
    list,
    find: (name: string): LocalModel | null => list().find((model) => model.name === name) ?? null,
    /** Copies a file here, complete or not at all. HOST/INVALID_INPUT, HOST/NOT_FOUND, HOST/STORAGE. */
    async add(path: string): Promise<Result<LocalModel>> {
      const name = nameOf(path);
      const part = `${fileOf(name)}.import.part`;
      try {
        const found = statSync(path, { throwIfNoEntry: false });
        if (!found) return err(appError('HOST', 'NOT_FOUND', `There is no file ${path}.`));
        if (!found.isFile()) return err(noFile(path, found.isDirectory()));
        const facts = checkGguf(path);
        if (!facts.ok) return facts;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const space = checkFreeSpace(folder, found.size);
        if (!space.ok) return space;
        await copyFile(path, part, constants.COPYFILE_FICLONE);
        await chmod(part, 0o600);
        renameSync(part, fileOf(name));
        return ok({ name, bytes: found.size, contextTokens: contextOf(facts.value) });
      } catch (error) {
        return err(notStored(error));
      } finally {
        rmSync(part, { force: true });
      }
    },
    /** Deletes a model's file. */
    remove(name: string): Result<null> {
      if (!LocalModelName.safeParse(name).success || !list().some((model) => model.name === name)) {
        return err(unknownModel(name));
      }
      try {
        rmSync(fileOf(name));
        return ok(null);
      } catch (error) {
        return err(appError('HOST', 'STORAGE', `The model could not be deleted (${codeOf(error)}).`));
      }
    },
  };
}

export const unknownModel = (name: string): AppError =>
  appError('HOST', 'NOT_FOUND', `The model ${name} is not on this computer.`, {
    hint: 'Choose another model, or add it again in Settings → Models.',
  });
