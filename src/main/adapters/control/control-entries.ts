import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { ControlEntry } from '#shared/control-message';
import { writeFileAtomic } from '../system/atomic-file';
import { socketFolderPrefix } from './socket-places';

/** An entry and the file that contains it. */
export interface FoundEntry {
  readonly file: string;
  readonly entry: ControlEntry;
}

/** The entries of the apps that share one home folder. */
export type ControlEntries = ReturnType<typeof createControlEntries>;

const maxEntries = 64;
const largestEntry = 8_192;

function readEntry(file: string): readonly FoundEntry[] {
  try {
    if (statSync(file).size > largestEntry) return [];
    const entry = ControlEntry.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return entry.success ? [{ file, entry: entry.data }] : [];
  } catch {
    // The file has disappeared or is incomplete: there is no app to ask.
    return [];
  }
}

/** Removes only a socket, and only a folder that was created for it. */
function removeSocket(address: string): void {
  if (!statSync(address, { throwIfNoEntry: false })?.isSocket()) return;
  rmSync(address, { force: true });
  const folder = path.dirname(address);
  if (path.basename(folder).startsWith(socketFolderPrefix)) rmdirSync(folder);
}

function removeEntry({ file, entry }: FoundEntry): void {
  try {
    rmSync(file, { force: true });
    removeSocket(entry.address);
  } catch {
    // Another process has already removed it.
  }
}

/** The control entries below a home folder. */
export function createControlEntries(home: string) {
  const root = path.join(home, 'run');
  const folder = (): string => {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    chmodSync(root, 0o700);
    return root;
  };
  return {
    /** Accessible only to the owner; created when missing. */
    folder,
    add(entry: ControlEntry): FoundEntry {
      const file = path.join(folder(), `${Date.now()}-${randomBytes(6).toString('hex')}.json`);
      writeFileAtomic(file, JSON.stringify(entry));
      return { file, entry };
    },
    /** Newest first; skips files that are not entries of this protocol. */
    all(): readonly FoundEntry[] {
      if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
      const names = readdirSync(root).filter((name) => /^\d+-[0-9a-f]+[.]json$/.test(name));
      const newest = names.sort().reverse().slice(0, maxEntries);
      return newest.flatMap((name) => readEntry(path.join(root, name)));
    },
    /** Removes the entry and the socket of an app that has exited. */
    remove: removeEntry,
  };
}
