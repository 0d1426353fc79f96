import { canonicalHash } from '../tools/canonical-hash';

const prefix = 'wsp_';

/**
 * The id of the event stream of a project's default workspace; the stream is like a session's but is in no
 * session list.
 */
export const projectStream = (project: string | null): string =>
  `${prefix}${canonicalHash(project).slice(0, 24)}`;

export const isProjectStream = (id: string): boolean => id.startsWith(prefix);
