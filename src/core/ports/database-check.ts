import type { Result } from '#shared/result';

/** A complete check of the sessions file under way in a process of its own. */
export interface RunningCheck {
  /** What is wrong with the file, or null when every page of it is sound. HOST/STORAGE when that could not be found out. */
  readonly finding: Promise<Result<string | null>>;
  /** Ends the process; `finding` settles as a failure. */
  cancel(): void;
}

/** `copy`: makes today's copy after the check; the finding is then why there is none. `erase`: takes deleted sessions out; the finding is why some are left. */
export type StartDatabaseCheck = (path: string, task?: 'check' | 'copy' | 'erase') => RunningCheck;

/** What the process answers with. */
export type CheckAnswer = { readonly problem: string | null } | { readonly failed: string };
