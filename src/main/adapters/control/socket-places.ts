import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const socketFolderPrefix = 'patina-socket-';

/**
 * Kernel limit on the length of a socket path: 104 bytes on macOS, 108 on Linux, including the terminating
 * zero.
 */
const maxPathLength = 103;

const fits = (address: string): boolean => Buffer.byteLength(address) <= maxPathLength;

/**
 * A new folder that only the owner may enter: its name is unguessable, and it is created with its
 * permissions.
 */
const privateFolder = (below: string): string => mkdtempSync(path.join(below, socketFolderPrefix));

/**
 * Where to listen, in order of preference: beside the entries, else in a private folder with a shorter path
 * (for a deep home folder or a file system without sockets). On Windows, the name of a pipe. Each address is
 * created on demand.
 */
export function socketPlaces(folder: string): readonly (() => string)[] {
  const name = randomBytes(8).toString('hex');
  if (process.platform === 'win32') return [() => `\\\\.\\pipe\\patina-${name}`];
  const own = path.join(folder, `${name}.sock`);
  const below = [tmpdir(), '/tmp'].filter((each) =>
    fits(path.join(each, `${socketFolderPrefix}XXXXXX`, 's')),
  );
  const others = [...new Set(below)].map((each) => () => path.join(privateFolder(each), 's'));
  return fits(own) ? [() => own, ...others] : others;
}
