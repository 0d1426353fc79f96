import { z } from 'zod';
import type { Result } from '#shared/result';

/** A full check of the sessions file, running in a separate process. */
export interface RunningCheck {
  /**
   * What is wrong with the file; null when every page is sound. HOST/STORAGE when the
   * check could not be made.
   */
  readonly finding: Promise<Result<string | null>>;
  /** Stops the process; `finding` resolves to a failure. */
  cancel(): void;
}

/** Work on the whole file that must not run in main. */
export type DatabaseTask = 'check' | 'copy' | 'erase' | 'session' | 'repair' | 'backup' | 'stage-restore';

/**
 * `copy`: creates today's copy after the check; the finding says why there is none. `erase`: erases deleted
 * sessions from the file; the finding says why some remain. `session`: checks every event of the session `subject`;
 * the finding is its `SessionDamage` as JSON. `repair`: repairs that session as its writer; the finding is its
 * `SessionRepair` as JSON. `backup`: writes the folder of the file to the archive `subject`;
 * the finding says why it could not be restored, and nothing is written then. `stage-restore`: checks the archive
 * `subject` and prepares it for the next start; the finding says why it cannot be restored.
 */
export type StartDatabaseCheck = (path: string, task?: DatabaseTask, subject?: string) => RunningCheck;

const seq = z.number().int().nonnegative();

/** What a check of every event of a session found; each gap has the turn that it follows. */
export type SessionDamage = z.infer<typeof SessionDamage>;
export const SessionDamage = z.object({
  sessionId: z.string(),
  intact: seq,
  gaps: z.array(z.object({ fromSeq: seq, toSeq: seq, turn: z.number().int() })).readonly(),
  broken: z.array(seq).readonly(),
  /** The number of events that a repair would restore. */
  restorable: seq,
});

/** The reply of the check process. */
export type CheckAnswer = { readonly problem: string | null } | { readonly failed: string };
