import { userInfo } from 'node:os';

/** The name of the logged-in user, for approvals and messages. */
export function userName(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no passwd entry.
    return env['USER'] ?? env['USERNAME'] ?? 'the user';
  }
}
