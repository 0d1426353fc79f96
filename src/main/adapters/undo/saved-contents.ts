import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../core/ports/clock';
import type { SavedContent } from '../../../core/ports/undo-files';
import { writeFileAtomic } from '../system/atomic-file';

/** Maximum size and age of the saved contents. */
export interface SavedLimits {
  readonly days: number;
  readonly bytes: number;
}

const usual: SavedLimits = { days: 30, bytes: 1024 * 1024 * 1024 };
/** After this share of the limit has been saved, old and excess contents are deleted. */
const sweepsPerLimit = 16;
const dayMs = 86_400_000;

export const contentHash = (content: Uint8Array): string =>
  createHash('sha256').update(content).digest('hex');

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function contentOf(bytes: Uint8Array): SavedContent {
  try {
    if (!bytes.includes(0)) return { kind: 'text', text: strictText.decode(bytes) };
  } catch {
    // Not UTF-8: only the host can write it back.
  }
  return { kind: 'bytes', bytes: bytes.length };
}

interface Stored {
  readonly file: string;
  readonly bytes: number;
  readonly at: number;
}

async function storedIn(folder: string): Promise<readonly Stored[]> {
  const parts = await readdir(folder).catch((): string[] => []);
  const found: Stored[] = [];
  for (const part of parts) {
    const names = await readdir(path.join(folder, part)).catch((): string[] => []);
    for (const name of names) {
      const file = path.join(folder, part, name);
      const known = await stat(file).catch(() => null);
      if (known?.isFile()) found.push({ file, bytes: known.size, at: known.mtimeMs });
    }
  }
  return found;
}

/** The contents that files had before writes, by their SHA-256, in a folder of PATINA_HOME. */
export function createSavedContents(folder: string, now: Clock['now'], limits = usual) {
  const bytesPerSweep = limits.bytes / sweepsPerLimit;
  let unswept = bytesPerSweep;
  let sweeping: Promise<void> = Promise.resolve();
  const fileOf = (hash: string): string => path.join(folder, hash.slice(0, 2), hash);

  /** Deletes what is too old, then the oldest until the rest fits. */
  const sweep = async (): Promise<void> => {
    const all = [...(await storedIn(folder))].sort((one, other) => other.at - one.at);
    let total = 0;
    for (const { file, bytes, at } of all) {
      total += bytes;
      if (total > limits.bytes || at < now() - limits.days * dayMs) await rm(file, { force: true });
    }
  };

  /** Whether the content is stored undamaged; then it counts as saved now. */
  const renewed = (file: string, content: Uint8Array): boolean => {
    try {
      if (statSync(file).size !== content.length || !readFileSync(file).equals(content)) return false;
      utimesSync(file, now() / 1_000, now() / 1_000);
      return true;
    } catch {
      return false;
    }
  };

  /** The bytes of a content, or why they are unavailable. */
  const bytes = async (hash: string): Promise<Uint8Array | 'swept' | 'damaged'> => {
    try {
      const content = await readFile(fileOf(hash));
      return contentHash(content) === hash ? content : 'damaged';
    } catch (fault) {
      const gone = fault instanceof Error && 'code' in fault && fault.code === 'ENOENT';
      return gone ? 'swept' : 'damaged';
    }
  };

  return {
    /** Returns the hash once the content is on disk. Throws file system errors. */
    put(content: Uint8Array): string {
      const hash = contentHash(content);
      const file = fileOf(hash);
      if (renewed(file, content)) return hash;
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeFileAtomic(file, content);
      utimesSync(file, now() / 1_000, now() / 1_000);
      chmodSync(file, 0o400);
      unswept += content.length;
      if (unswept >= bytesPerSweep) {
        unswept = 0;
        sweeping = sweeping.then(sweep, sweep);
      }
      return hash;
    },
    bytes,
    async read(hash: string): Promise<SavedContent> {
      const found = await bytes(hash);
      return typeof found === 'string' ? { kind: 'lost', why: found } : contentOf(found);
    },
    /** Resolves when no sweep is running. */
    swept: () => sweeping,
  };
}

export type SavedContents = ReturnType<typeof createSavedContents>;
