import { z } from 'zod';

/** The name of the manifest in a backup. */
export const manifestName = 'patina-backup.json';

/** A relative path with forward slashes, without anything that leads elsewhere on any system. */
export const BackupPath = z
  .string()
  .min(1)
  .max(500)
  .refine(
    (path) =>
      !/[\\:\u0000-\u001f]/.test(path) &&
      path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.trim() === part),
    'a relative path without . or ..',
  );

/** What a backup contains; every file is checked against it before a restore. */
export const BackupManifest = z.object({
  patina: z.object({ format: z.literal('backup'), version: z.literal(1) }),
  /** When it was made, in milliseconds since the epoch. */
  at: z.number().int(),
  files: z
    .array(
      z.object({
        path: BackupPath,
        bytes: z.number().int().nonnegative(),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .max(1_000_000),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** The database, which a backup contains as a consistent copy without its log. */
export const databaseName = 'sessions.db';

/**
 * Entries of PATINA_HOME that belong to this machine or can be made again: keys, caches, models, traces, logs, the
 * window's own profile, and what a restore leaves.
 */
const leftOut =
  /^(secrets\.json|cache|electron|run|copies|models|traces|logs|restore-ready|restore-part-.*|before-restore-.*|sessions\.db.+|\..*|.*\.(log|tmp|part))$/;

/** Whether an entry of PATINA_HOME is part of backups and is replaced by a restore. */
export const isBackedUp = (name: string): boolean => !leftOut.test(name);

export const topOf = (path: string): string => path.split('/')[0] ?? path;
