/** The last part of a folder's path, on any system; the path itself when it has no parts. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
