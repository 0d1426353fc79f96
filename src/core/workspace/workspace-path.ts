const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])([.]|$)/i;
const names = /^[\p{L}\p{N}][\p{L}\p{N}._ -]*$/u;

/** What is wrong with one name of a path, in words. */
function nameProblem(name: string): string | null {
  if (name === '' || name === '.' || name === '..') return 'It has an empty name, "." or ".." in it.';
  if (name.startsWith('.')) return 'It names a hidden file.';
  if (!names.test(name)) return 'It holds a character that not every file system has in names.';
  if (/[. ]$/.test(name)) return 'A name in it ends with a dot or a space.';
  return reserved.test(name) ? 'It holds a name that Windows keeps for devices.' : null;
}

/** Paths of ordinary names, which most are: nothing in them needs a closer look but the devices of Windows. */
const ordinary =
  /^[A-Za-z0-9][A-Za-z0-9_-]*(?:[.][A-Za-z0-9_-]+)*(?:[/][A-Za-z0-9][A-Za-z0-9_-]*(?:[.][A-Za-z0-9_-]+)*)*$/;
const device = /(?:^|[/])(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|$)/i;

/** Why a path may not be read: it must stay below the root and mean the same file on every machine. Null: it may. */
export function pathProblem(path: string): string | null {
  if (ordinary.test(path) && !device.test(path)) return null;
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return 'It is absolute; paths are relative to the workspace.';
  if (path.includes('\\')) return 'It holds a backslash; names are separated by "/".';
  if (path !== path.normalize('NFC')) return 'It is not in Unicode form NFC.';
  return (
    path
      .split('/')
      .map(nameProblem)
      .find((problem) => problem !== null) ?? null
  );
}
