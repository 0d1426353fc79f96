import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import { SnapshotHash } from '#shared/workspace';
import { err, ok, type Result } from '#shared/result';
import type { SnapshotFiles, SnapshotStore, StoredSnapshot } from '../../../core/ports/snapshot-store';
import { writeFileAtomic } from '../system/atomic-file';
import { codeOf, writeHint } from '../system/file-error';

export interface SnapshotFilesDeps {
  /** Created by the first snapshot; only its owner can read it. */
  readonly folder: string;
  /** The hash of some files: verifies a snapshot's content against its name. */
  readonly hashOf: (files: SnapshotFiles) => string;
}

/** One file with a whole snapshot: text where the bytes are valid text, base64 for everything else. */
const Bundle = z.strictObject({
  schema: z.literal('agent.workspace.snapshot/1'),
  files: z.record(
    z.string(),
    z.union([z.strictObject({ text: z.string() }), z.strictObject({ base64: z.string() })]),
  ),
});
type Bundle = z.infer<typeof Bundle>;
/** How every file from `pack` begins and ends. */
const bundleStart = '{"schema":"agent.workspace.snapshot/1","files":{';
const bundleEnd = '}}';

function failure(what: string, error: unknown): AppError {
  const hint = writeHint(error, "Check the permissions of Patina's home folder.");
  const message = `The version of the workspace could not be ${what} (${codeOf(error)}).`;
  return appError('HOST', 'STORAGE', message, { hint });
}

const missing = (hash: string): AppError =>
  appError('HOST', 'NOT_FOUND', `There is no stored version ${hash.slice(0, 12)} of the workspace.`, {
    hint: 'Sync the workspace again, or go back to a stored version.',
  });

const damaged = (hash: string): AppError =>
  appError('HOST', 'STORAGE', `The stored version ${hash.slice(0, 12)} of the workspace is damaged.`, {
    hint: 'Sync the workspace again, or go back to another version.',
  });

function pack(files: SnapshotFiles): string {
  const entry = (bytes: Uint8Array) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const text = buffer.toString('utf8');
    return Buffer.from(text, 'utf8').equals(buffer) ? { text } : { base64: buffer.toString('base64') };
  };
  const entries = Object.fromEntries([...files].map(([name, bytes]) => [name, entry(bytes)]));
  const bundle: Bundle = { schema: 'agent.workspace.snapshot/1', files: entries };
  return JSON.stringify(bundle);
}

const unpack = ({ files }: Bundle): SnapshotFiles =>
  new Map(
    Object.entries(files).map(([name, entry]) => [
      name,
      new Uint8Array('text' in entry ? Buffer.from(entry.text, 'utf8') : Buffer.from(entry.base64, 'base64')),
    ]),
  );

function entryOf(folder: string, name: string): readonly StoredSnapshot[] {
  const hash = name.replace(/[.]json$/, '');
  if (!SnapshotHash.safeParse(hash).success) return [];
  try {
    // Another process may have deleted it since its name was read.
    const stat = statSync(path.join(folder, name), { throwIfNoEntry: false });
    return stat ? [{ hash, bytes: stat.size, at: Math.round(stat.mtimeMs) }] : [];
  } catch {
    // An unreadable entry does not hide the others; loading it reports the reason.
    return [{ hash, bytes: 0, at: 0 }];
  }
}

/** Whether a file begins and ends like a stored snapshot; a truncated or replaced file does not. */
function looksStored(file: string, bytes: number): boolean {
  const handle = openSync(file, 'r');
  try {
    const start = Buffer.alloc(Math.min(bytes, bundleStart.length));
    const end = Buffer.alloc(Math.min(bytes, bundleEnd.length));
    readSync(handle, start, 0, start.length, 0);
    readSync(handle, end, 0, end.length, bytes - end.length);
    return start.toString() === bundleStart && end.toString() === bundleEnd;
  } finally {
    closeSync(handle);
  }
}

/** An inaccessible file counts as missing, because it cannot be used; loading it reports the reason. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Stores snapshots as files named by their hash. */
export function createSnapshotFiles({ folder, hashOf }: SnapshotFilesDeps): SnapshotStore {
  const fileOf = (hash: string): string => path.join(folder, `${hash}.json`);
  const read = (hash: string): Result<SnapshotFiles> => {
    if (!SnapshotHash.safeParse(hash).success || !statSync(fileOf(hash), { throwIfNoEntry: false })) {
      return err(missing(hash));
    }
    const parsed = Bundle.safeParse(JSON.parse(readFileSync(fileOf(hash), 'utf8')));
    const files = parsed.success ? unpack(parsed.data) : null;
    return files && hashOf(files) === hash ? ok(files) : err(damaged(hash));
  };
  const load = (hash: string): Result<SnapshotFiles> => {
    try {
      return read(hash);
    } catch (error) {
      return err(error instanceof SyntaxError ? damaged(hash) : failure('read', error));
    }
  };
  const list: SnapshotStore['list'] = () => {
    try {
      const names = statSync(folder, { throwIfNoEntry: false }) ? readdirSync(folder) : [];
      return ok(names.flatMap((name) => entryOf(folder, name)).sort((a, b) => b.at - a.at));
    } catch (error) {
      return err(failure('listed', error));
    }
  };
  const check = ({ hash, bytes }: StoredSnapshot, whole: boolean): Result<unknown> => {
    if (whole) return load(hash);
    try {
      return looksStored(fileOf(hash), bytes) ? ok(null) : err(damaged(hash));
    } catch (error) {
      return err(failure('read', error));
    }
  };
  return {
    save(hash, files) {
      try {
        // Rewrite a damaged snapshot: this is how a sync repairs it.
        if (load(hash).ok) return ok(null);
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileAtomic(fileOf(hash), pack(files));
        return ok(null);
      } catch (error) {
        return err(failure('stored', error));
      }
    },
    load,
    has: (hash) => isThere(fileOf(hash)),
    list,
    problems(maxBytes) {
      const stored = list();
      if (!stored.ok) {
        return [{ file: folder, field: '', rule: 'readable', reason: stored.error.message }];
      }
      let left = maxBytes;
      return stored.value.flatMap((one): readonly ConfigProblem[] => {
        left -= one.bytes;
        const found = check(one, left >= 0);
        if (found.ok) return [];
        return [{ file: `${one.hash}.json`, field: '', rule: 'snapshot', reason: found.error.message }];
      });
    },
    remove(hash) {
      try {
        rmSync(fileOf(hash), { force: true });
        return ok(null);
      } catch (error) {
        return err(failure('removed', error));
      }
    },
  };
}
