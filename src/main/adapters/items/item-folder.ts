import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { ContextItems } from '../../../core/ports/context-items';
import { writeFileAtomic } from '../system/atomic-file';

/**
 * How long a content stays that no session names: a draft may still send it, and a session that was lost may
 * come back from a copy.
 */
const unnamedMs = 7 * 86_400_000;
/** A draft of a file that was being written when its process was killed. */
const draftName = /^[.].*[.]tmp$/;
const hashName = /^[0-9a-f]{64}$/;
const contentName = 'content';

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);

const unsaved = (fault: unknown): AppError =>
  appError('HOST', 'STORAGE', `The content cannot be stored (${codeOf(fault)}).`, {
    hint: 'Free some disk space, then try again.',
    retryable: true,
  });

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** The names in a folder; none when it cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const removed = (file: string): void => rmSync(file, { force: true, recursive: true });

/** A session is named by the hash of its id, so that no id becomes a path. */
const markOf = (sessionId: string): string => hashOf(Buffer.from(sessionId)).slice(0, 32);

interface ItemFolderDeps {
  readonly folder: string;
  readonly now: () => number;
}

/**
 * The contents of context items in a folder of PATINA_HOME: one folder for each hash, with the content and one
 * empty mark for each session that names it. Every file appears complete or not at all, and a mark is on disk
 * before the event that names the content: a kill leaves at most a content that nothing names, which `sweep`
 * removes.
 */
export function createItemFolder({ folder, now }: ItemFolderDeps) {
  const placeOf = (hash: string): string => path.join(folder, hash.slice(0, 2), hash);
  const fileOf = (hash: string): string => path.join(placeOf(hash), contentName);
  const marksOf = (hash: string): readonly string[] =>
    namesIn(placeOf(hash)).filter((name) => name !== contentName && !draftName.test(name));

  /** Removes one session's mark, and the content with the last one. */
  const unmark = (hash: string, sessionMark: string): void => {
    removed(path.join(placeOf(hash), sessionMark));
    if (marksOf(hash).length === 0) removed(placeOf(hash));
  };
  const all = (): readonly string[] =>
    namesIn(folder).flatMap((part) => namesIn(path.join(folder, part)).filter((name) => hashName.test(name)));

  const read = (hash: string): Result<Uint8Array> => {
    const missing = appError('HOST', 'NOT_FOUND', 'This content is no longer stored.');
    if (!hashName.test(hash)) return err(missing);
    try {
      const content = readFileSync(fileOf(hash));
      if (hashOf(content) === hash) return ok(content);
    } catch {
      return err(missing);
    }
    return err(appError('HOST', 'STORAGE', 'This content is damaged on disk.', { hint: 'Attach it again.' }));
  };

  return {
    put(content) {
      const hash = hashOf(content);
      try {
        if (read(hash).ok) return ok(hash);
        mkdirSync(placeOf(hash), { recursive: true, mode: 0o700 });
        writeFileAtomic(fileOf(hash), content);
        return ok(hash);
      } catch (fault) {
        return err(unsaved(fault));
      }
    },
    read,
    claim(sessionId, hashes) {
      const sessionMark = markOf(sessionId);
      try {
        for (const hash of new Set(hashes)) {
          const known = hashName.test(hash) && existsSync(fileOf(hash));
          if (known && !existsSync(path.join(placeOf(hash), sessionMark)))
            writeFileAtomic(path.join(placeOf(hash), sessionMark), '');
        }
        return ok(null);
      } catch (fault) {
        return err(unsaved(fault));
      }
    },
    release(sessionId) {
      const sessionMark = markOf(sessionId);
      for (const hash of all()) if (marksOf(hash).includes(sessionMark)) unmark(hash, sessionMark);
    },
    /** Removes old leftovers: drafts, marks of deleted sessions, and contents without marks. */
    sweep(sessionIds: readonly string[]): void {
      const marks = new Set(sessionIds.map(markOf));
      for (const hash of all()) {
        const place = placeOf(hash);
        try {
          if (statSync(place).mtimeMs > now() - unnamedMs) continue;
          for (const name of namesIn(place)) if (draftName.test(name)) removed(path.join(place, name));
          const unknown = marksOf(hash).filter((sessionMark) => !marks.has(sessionMark));
          for (const sessionMark of unknown) removed(path.join(place, sessionMark));
          if (marksOf(hash).length === 0) removed(place);
        } catch {
          // Another process removed it first.
        }
      }
    },
  } satisfies ContextItems & { sweep: (sessionIds: readonly string[]) => void };
}

export type ItemFolder = ReturnType<typeof createItemFolder>;
