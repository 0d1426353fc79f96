import path from 'node:path';
import { z } from 'zod';
import { ok, type Result } from '#shared/result';
import type { Secrets } from '../../../core/ports/secrets';
import { withLock, type LockDeps } from '../system/write-lock';

const optionalText = z.string().optional();

/** The stored part of a sign-in: the tokens, and all that is needed to renew and revoke them. */
export const SignInRecord = z.object({
  version: z.literal(1),
  /** The address that the tokens were issued for; they are sent nowhere else. */
  server: z.string(),
  resource: optionalText,
  metadata: z.object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: optionalText,
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
    response_types_supported: z.array(z.string()),
  }),
  client: z.object({
    client_id: z.string(),
    client_secret: optionalText,
    token_endpoint_auth_method: optionalText,
    redirect_uris: z.array(z.string()).optional(),
    /** The permissions it was registered for. */
    scope: optionalText,
  }),
  tokens: z
    .object({
      access_token: z.string(),
      token_type: z.string(),
      refresh_token: optionalText,
      scope: optionalText,
    })
    .optional(),
  /** Permissions that a call lacked; the next sign-in asks for them, also in another process. */
  missing: optionalText,
});
export type SignInRecord = z.infer<typeof SignInRecord>;

/** The permissions in a scope. */
export const scopesIn = (scope: string | undefined): readonly string[] =>
  (scope ?? '').split(/\s+/).filter(Boolean);

export interface SignInStore {
  /** The record of a server at this address; null when there is none. */
  read(server: string, url: string): SignInRecord | null;
  write(server: string, record: SignInRecord): Result<null>;
  remove(server: string): Result<null>;
}

/**
 * Sign-ins as secrets, one per server. The window and the command line have one each: only the window can open
 * the keychain, and neither may replace the other's tokens.
 */
export function createSignInStore(secrets: Secrets, kind: 'app' | 'cli'): SignInStore {
  const refOf = (server: string): string => `mcp-sign-in.${server}${kind === 'app' ? '' : '.terminal'}`;
  // Renewed tokens that could not be written: the old ones are worthless by then.
  const unsaved = new Map<string, SignInRecord>();
  return {
    read(server, url) {
      const record = unsaved.get(server) ?? stored(secrets, refOf(server));
      return record?.server === url ? record : null;
    },
    write(server, record) {
      const written = secrets.set(refOf(server), JSON.stringify(record), { unprotected: kind === 'cli' });
      if (written.ok) unsaved.delete(server);
      else unsaved.set(server, record);
      return written;
    },
    remove(server) {
      unsaved.delete(server);
      return secrets.remove(refOf(server));
    },
  };
}

function stored(secrets: Secrets, ref: string): SignInRecord | null {
  const text = secrets.get(ref);
  if (!text.ok) return null;
  try {
    const parsed = SignInRecord.safeParse(JSON.parse(text.value));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Whose sign-in it is, and where. */
interface SignInPlace {
  readonly server: string;
  /** The folder of the locks; the processes of one home share it. */
  readonly home: string;
  readonly lock: LockDeps;
}

export const lockOf = ({ home, server }: Pick<SignInPlace, 'home' | 'server'>): string =>
  path.join(home, `sign-in-${server}.lock`);

/**
 * Changes a stored sign-in while no process renews its tokens: a renewal that ended later would undo the
 * change. Without the lock, the change happens as well.
 */
export async function whileNotRenewing<T>(deps: SignInPlace, change: () => T): Promise<T> {
  const changed = await withLock(lockOf(deps), deps.lock, () => ok(change())).catch(() => null);
  return changed?.ok === true ? changed.value : change();
}
