import { z } from 'zod';

/** Fields shared by several tools, described once. */
export const Folder = z
  .string()
  .default('')
  .describe('Folder to look in, relative to the project folder; empty for the project folder itself.');

export const Glob = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe('Glob of file names at any depth or, with a slash, of paths relative to path.');

export const IncludeIgnored = z
  .boolean()
  .default(false)
  .describe('Also files that .gitignore leaves out. .git and .patina are never listed.');

export const Skipped = z
  .object({
    ignored: z.number().int().nonnegative(),
    links: z.number().int().nonnegative(),
    special: z.number().int().nonnegative(),
  })
  .describe('Passed over on purpose: ignored files and folders, symbolic links, devices and sockets.');

export const Failed = z
  .array(z.object({ path: z.string(), reason: z.string() }))
  .describe('What could not be read, and why.');
