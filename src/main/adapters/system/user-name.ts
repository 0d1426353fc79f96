import { userInfo } from 'node:os';

/** Who is logged in, for approvals and messages. */
export function userName(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user need not have an entry anywhere.
    return env['USER'] ?? env['USERNAME'] ?? 'the user';
  }
}
