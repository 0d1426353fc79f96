import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type {
  FileState,
  ReadProjectFile,
  ResolveProjectPath,
  StoredFile,
} from '../../../core/ports/project-files';

/** The content of a larger file is not hashed: its size and times identify it. */
const maxHashedBytes = 256 * 1024 * 1024;
const chunkBytes = 256 * 1024;

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);

const isInside = (root: string, file: string): boolean => file === root || file.startsWith(root + path.sep);

/** A name in a folder, written as the disk writes it: the server takes equal Unicode forms for one name. */
async function nameOnDisk(folder: string, name: string): Promise<string | undefined> {
  const entries = await readdir(folder);
  if (entries.includes(name)) return name;
  return entries.find((entry) => entry.normalize('NFC') === name.normalize('NFC'));
}

/** The real path of a file, or the one that a write would create; undefined: it leads out of the project. */
async function resolveInside(
  root: string,
  absolute: string,
): Promise<{ real: string; exists: boolean } | undefined> {
  let real = root;
  const parts = path.relative(root, absolute).split(path.sep).filter(Boolean);
  for (const [at, part] of parts.entries()) {
    const name = await nameOnDisk(real, part);
    if (name === undefined) return { real: path.join(real, ...parts.slice(at)), exists: false };
    real = await realpath(path.join(real, name));
    if (!isInside(root, real)) return undefined;
  }
  return { real, exists: true };
}

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of the first bytes; null for anything that is not text. The end may split a character. */
function textOf(bytes: Uint8Array, complete: boolean): string | null {
  if (bytes.includes(0)) return null;
  const cuts = complete ? [0] : [0, 1, 2, 3];
  for (const cut of cuts) {
    try {
      return strictText.decode(bytes.subarray(0, bytes.length - cut));
    } catch {
      // A shorter cut may end between two characters.
    }
  }
  return null;
}

/** Reads in chunks, so that the process answers others between them. */
async function readStored(handle: FileHandle, relative: string, maxBytes: number): Promise<StoredFile> {
  const { size, mtimeNs, ctimeNs } = await handle.stat({ bigint: true });
  const isHashed = size <= BigInt(maxHashedBytes);
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, bytes);
    if (bytesRead === 0) break;
    const part = buffer.subarray(0, bytesRead);
    if (bytes < maxBytes) head.push(part.subarray(0, maxBytes - bytes));
    bytes += bytesRead;
    if (isHashed) hash.update(part);
    else if (bytes >= maxBytes) break;
  }
  if (!isHashed) hash.update(`${size} ${mtimeNs} ${ctimeNs}`);
  const total = isHashed ? bytes : Number(size);
  const complete = total <= maxBytes;
  const text = textOf(Buffer.concat(head), complete);
  return { kind: 'file', path: relative, bytes: total, hash: hash.digest('hex'), text, complete };
}

async function readAt(root: string, real: string, maxBytes: number): Promise<FileState> {
  const relative = relativeTo(root, real);
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) return { kind: 'folder', path: relative };
    if (!stat.isFile()) return { kind: 'unreadable', reason: 'it is not a regular file' };
    return await readStored(handle, relative, maxBytes);
  } finally {
    await handle.close();
  }
}

/** Names that the server does not take as a path of the project. */
const isForeign = (named: string): boolean =>
  named.includes('\0') ||
  /^~(?:$|[\\/])/.test(named) ||
  (process.platform !== 'win32' && /^[A-Za-z]:(?:[\\/]|$)/.test(named));

interface Located {
  readonly root: string;
  readonly real: string;
  readonly exists: boolean;
}

/** Where a path leads; null: out of the project. Rejects when a folder on the way cannot be read. */
async function locate(project: string, named: string): Promise<Located | null> {
  if (isForeign(named)) return null;
  const root = await realpath(project);
  const written = path.resolve(project);
  const candidate = path.resolve(written, named);
  const absolute = isInside(written, candidate)
    ? path.join(root, path.relative(written, candidate))
    : candidate;
  if (!isInside(root, absolute)) return null;
  const found = await resolveInside(root, absolute);
  return found ? { root, ...found } : null;
}

const relativeTo = (root: string, real: string): string =>
  path.relative(root, real).split(path.sep).join('/') || '.';

/** Where a path leads, relative to its project and through links; null: elsewhere or not readable. */
export const resolveProjectPath: ResolveProjectPath = async (project, named) => {
  try {
    const found = await locate(project, named);
    return found && relativeTo(found.root, found.real);
  } catch {
    return null;
  }
};

/** The current state of a project path. */
export const readProjectFile: ReadProjectFile = async (project, named, maxBytes) => {
  try {
    const found = await locate(project, named);
    if (!found) return { kind: 'unreadable', reason: 'it is outside the project' };
    const { root, real, exists } = found;
    if (exists) return await readAt(root, real, maxBytes);
    const folder = await stat(path.dirname(real)).catch(() => null);
    return { kind: 'missing', path: relativeTo(root, real), ...(folder === null && { noFolder: true }) };
  } catch (fault) {
    const code = codeOf(fault);
    if (code === 'ENOTDIR') return { kind: 'unreadable', reason: 'part of its path is a file' };
    return { kind: 'unreadable', reason: `it cannot be read (${code})` };
  }
};
