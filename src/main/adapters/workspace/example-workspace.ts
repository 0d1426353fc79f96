import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/** The files of a folder and all below it, relative to it; the index last, so that a half-written copy is no workspace. */
function filesOf(root: string, index: string): readonly string[] {
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  return [...found.filter((file) => file !== index), index];
}

const notEmpty = (folder: string, name: string): AppError =>
  appError('HOST', 'STATE', `${folder} is not empty: it has ${name}. Nothing was written.`, {
    hint: 'Choose an empty folder, or bind this one if it already is a workspace.',
  });

/**
 * Writes the workspace Patina brings, as an example to start from, into an empty folder; it is made if it is not there.
 * What is hidden, as a version control's folder, is no content. HOST/STATE when there is any, HOST/STORAGE when it cannot
 * be written. Nothing that exists is ever written over.
 */
export function writeExample({ seed, index }: { readonly seed: string; readonly index: string }) {
  return (folder: string): Result<null> => {
    try {
      const there = statSync(folder, { throwIfNoEntry: false });
      const names = there?.isDirectory() ? readdirSync(folder) : [];
      const content =
        there && !there.isDirectory() ? path.basename(folder) : names.find((n) => !n.startsWith('.'));
      if (content !== undefined) return err(notEmpty(folder, content));
      for (const file of filesOf(seed, index)) {
        const target = path.join(folder, file);
        mkdirSync(path.dirname(target), { recursive: true });
        writeFileSync(target, readFileSync(path.join(seed, file)), { flag: 'wx' });
      }
      return ok(null);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const hint = 'Choose a folder that you may write to, with room on its disk.';
      return err(appError('HOST', 'STORAGE', `The workspace could not be written: ${reason}`, { hint }));
    }
  };
}
