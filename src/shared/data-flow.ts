import { z } from 'zod';

/**
 * Content that one party returned is about to enter the arguments of a call to another. A party is a server;
 * the bundled servers, which serve the project's own files, are one party.
 */
export const DataFlow = z.strictObject({
  from: z.string().min(1).max(200),
  to: z.string().min(1).max(200),
});
export type DataFlow = z.infer<typeof DataFlow>;

/** The party of the bundled servers. It contains a space, so no server can have this name. */
export const projectFiles = 'project files';

/** Whether two flows have the same ends. */
export const sameFlow = (one: DataFlow, other: DataFlow): boolean =>
  one.from === other.from && one.to === other.to;
