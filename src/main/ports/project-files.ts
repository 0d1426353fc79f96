import type { Result } from '#shared/result';

/** The files of a project folder by their paths in it, in code-unit order. TOOL/NOT_FOUND when the folder cannot be read. */
export type ListProjectFiles = (project: string, signal: AbortSignal) => Promise<Result<readonly string[]>>;
