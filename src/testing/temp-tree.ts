import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TempTree {
  readonly root: string;
  /** Writes files by relative path and creates the folders they need. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void;
  remove(): void;
}

/** A temporary folder for a test, as a real path. */
export function createTempTree(files: Readonly<Record<string, string | Uint8Array>> = {}): TempTree {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'patina-tree-')));
  const write: TempTree['write'] = (added) => {
    for (const [name, content] of Object.entries(added)) {
      const file = path.join(root, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  };
  write(files);
  return { root, write, remove: () => rmSync(root, { recursive: true, force: true }) };
}
