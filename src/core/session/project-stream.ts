import { canonicalHash } from '../tools/canonical-hash';

const prefix = 'wsp_';

/** The id of the events that hold a project's default workspace: a stream like a session's, in no list of sessions. */
export const projectStream = (project: string | null): string =>
  `${prefix}${canonicalHash(project).slice(0, 24)}`;

export const isProjectStream = (id: string): boolean => id.startsWith(prefix);
