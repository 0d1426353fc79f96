import { z } from 'zod';

/** The name of the manifest in a backup. */
export const manifestName = 'patina-backup.json';

/** Maximum length of a file name on the systems that Patina runs on, in bytes. */
const maxNameBytes = 255;

const isPortableName = (name: string): boolean =>
  name !== '' && !name.endsWith('.') && name.trim() === name && Buffer.byteLength(name) <= maxNameBytes;

/** A relative path with forward slashes that leads to the same place on any system, and nowhere else. */
export const BackupPath = z
  .string()
  .min(1)
  .max(500)
  .refine((path) => !/[\\:\u0000-\u001f]/.test(path) && path.split('/').every(isPortableName), {
    error: ({ input }) => `${JSON.stringify(input)} is not a relative path that every system allows`,
  });

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
 * window's own profile, and what a restore leaves. Many systems take names that differ in case alone for one.
 */
const leftOut =
  /^(secrets\.json|cache|electron|run|copies|models|traces|logs|restore-ready|restore-part-.*|before-restore-.*|sessions\.db.+|\..*|.*\.(log|tmp|part))$/i;

/** Whether an entry of PATINA_HOME is part of backups and is replaced by a restore. */
export const isBackedUp = (name: string): boolean =>
  !leftOut.test(name) && (name === databaseName || name.toLowerCase() !== databaseName);

export const topOf = (path: string): string => path.split('/')[0] ?? path;
