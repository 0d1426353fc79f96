import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const socketFolderPrefix = 'patina-socket-';

/** What the kernels keep for a socket's path: 104 bytes on macOS, 108 on Linux, with the zero at its end. */
const maxPathLength = 103;

const fits = (address: string): boolean => Buffer.byteLength(address) <= maxPathLength;

/** A folder of its own that nobody else may enter: its name cannot be guessed, and it is made with its permissions. */
const privateFolder = (below: string): string => mkdtempSync(path.join(below, socketFolderPrefix));

/**
 * Where to listen, first choice first: beside the entries, else in a private folder with a shorter path (a deep home
 * folder, a file system without sockets). On Windows the name of a pipe. Each is made when it is asked for.
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
