/**
 * When a file or folder below a project folder last changed, in milliseconds since 1970; null when there is
 * none, and for any path that leads out of the folder.
 */
export type PathChangedAt = (project: string, path: string) => number | null;
