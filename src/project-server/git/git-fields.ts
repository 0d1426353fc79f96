import { z } from 'zod';

/** Fields shared by several git tools, described once. */
export const Revision = z
  .string()
  .min(1)
  .max(250)
  .describe('A branch, a tag, a hash, or one of these with ~n or ^.');

export const PathInRepository = z
  .string()
  .min(1)
  .max(4_096)
  .optional()
  .describe('Only this file or folder, relative to the project folder; it may be deleted by now.');

export const Truncated = z.boolean().describe('Whether there is more than was given.');
