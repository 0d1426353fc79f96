import type { Result } from '#shared/result';

export interface ProjectFiles {
  /** Paths relative to the folder, in code-unit order. */
  readonly paths: readonly string[];
  /** False when more files exist than are listed. */
  readonly complete: boolean;
}

/** The files of a project folder. TOOL/NOT_FOUND when the folder cannot be read. */
export type ListProjectFiles = (project: string, signal: AbortSignal) => Promise<Result<ProjectFiles>>;
