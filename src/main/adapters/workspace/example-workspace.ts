import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/**
 * The files in and below a folder, relative to it. The index comes last, so that an interrupted copy is not a
 * workspace.
 */
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
 * Copies Patina's workspace, as an example to start from, into an empty folder, which is created when
 * missing. Hidden entries, such as a version control folder, do not count as content. HOST/STATE when the
 * folder has content, HOST/STORAGE when it cannot be written. Never overwrites an existing file.
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
      const hint = 'Choose a writable folder on a disk with free space.';
      return err(appError('HOST', 'STORAGE', `The workspace could not be written: ${reason}`, { hint }));
    }
  };
}
