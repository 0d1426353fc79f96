/** The last segment of a path on any system, or the path itself if it has no segments. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
