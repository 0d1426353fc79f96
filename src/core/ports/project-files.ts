import type { Result } from '#shared/result';

export interface ProjectFiles {
  /** By their paths in the folder, in code-unit order. */
  readonly paths: readonly string[];
  /** False: there are more, which were left out. */
  readonly complete: boolean;
}

/** The files of a project folder. TOOL/NOT_FOUND when the folder cannot be read. */
export type ListProjectFiles = (project: string, signal: AbortSignal) => Promise<Result<ProjectFiles>>;
