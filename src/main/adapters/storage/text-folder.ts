import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TextCache } from '../../../core/ports/text-cache';

/** Maximum number of texts in a folder, and the maximum length of one. */
export interface FolderBounds {
  readonly maxTexts: number;
  readonly largest: number;
}

const usual: FolderBounds = { maxTexts: 500, largest: 256 * 1024 };
const fileName = /^[0-9a-f]{64}\.json$/;

function older(folder: string, maxTexts: number): readonly string[] {
  const files = readdirSync(folder).filter((name) => fileName.test(name));
  if (files.length <= maxTexts) return [];
  const dated = files.map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }));
  return dated
    .sort((a, b) => a.at - b.at)
    .slice(0, files.length - maxTexts)
    .map(({ name }) => name);
}

/**
 * Texts as files named by their key, a SHA-256 in hex; evicts the oldest when there are too many. A disk
 * error means that nothing is cached: every text here can be produced again.
 */
export function createTextFolder(folder: string, { maxTexts, largest } = usual): TextCache {
  const fileOf = (key: string): string | null =>
    /^[0-9a-f]{64}$/.test(key) ? join(folder, `${key}.json`) : null;
  return {
    get(key) {
      const file = fileOf(key);
      try {
        return file === null || statSync(file).size > largest ? null : readFileSync(file, 'utf8');
      } catch {
        return null;
      }
    },
    put(key, text) {
      const file = fileOf(key);
      if (file === null || text.length > largest) return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const draft = `${file}.${process.pid}.new`;
        writeFileSync(draft, text, { mode: 0o600 });
        renameSync(draft, file);
        for (const name of older(folder, maxTexts)) rmSync(join(folder, name), { force: true });
      } catch {
        return;
      }
    },
  };
}
