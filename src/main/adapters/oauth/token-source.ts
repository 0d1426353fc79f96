import {
  computeScopeUnion,
  extractWWWAuthenticateParams,
  OAuthError,
  refreshAuthorization,
  UnauthorizedError,
  type AuthProvider,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { err, ok, type Result } from '#shared/result';
import { withLock, type LockDeps } from '../system/write-lock';
import type { Challenge } from './discover';
import { refusal } from './refusal';
import { carrying, signInFailure } from './sign-in-failure';
import { lockOf, whileNotRenewing, type SignInRecord, type SignInStore } from './sign-in-store';

/** What an authorisation server issues. */
export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
}

/** What a connection to a server needs for its tokens. */
export interface TransportAuth {
  readonly provider: AuthProvider;
  /** The tokens in use, to redact them from what the server says. */
  readonly tokens: () => readonly string[];
  /** Looks at each of the server's refusals. */
  readonly onResponse: (response: Response) => Promise<void>;
}

export interface TokenSourceDeps {
  readonly server: string;
  readonly url: string;
  readonly store: SignInStore;
  /** The folder of the locks; the processes of one home share it. */
  readonly home: string;
  readonly lock: LockDeps;
  /** Guarded: see `createGuardedFetch`. */
  readonly fetch: FetchLike;
  /** Called when the server asks for a sign-in or for more permissions, and with null once it is satisfied. */
  readonly onChallenge: (challenge: Challenge | null) => void;
}

/** Errors after which the stored tokens are worthless; any other may pass. */
const spent = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

const noTokens: readonly string[] = [];

/**
 * The tokens of one server for its connections. A refused token is renewed once, by one process at a time:
 * authorisation servers replace a refresh token with each use and take a second use for theft. Whoever waited
 * finds the new tokens and uses those.
 */
export function createTokenSource(deps: TokenSourceDeps): TransportAuth {
  const { server, url, store, onChallenge } = deps;
  let sent: string | null = null;
  let shown = { record: '', tokens: noTokens };
  const current = (): SignInRecord | null => store.read(server, url);
  return {
    provider: {
      token: () => {
        sent = current()?.tokens?.access_token ?? null;
        return Promise.resolve(sent ?? undefined);
      },
      onUnauthorized: async () => {
        const renewed = sent === null ? null : await renew(deps, sent);
        if (renewed === null) throw new UnauthorizedError('This server asks for a sign-in.');
        if (!renewed.ok) throw carrying(renewed.error);
        onChallenge(null);
      },
    },
    tokens: () => {
      const tokens = current()?.tokens;
      const key = `${tokens?.access_token} ${tokens?.refresh_token}`;
      if (key !== shown.record) {
        const values = [tokens?.access_token, tokens?.refresh_token].filter((one) => one !== undefined);
        shown = { record: key, tokens: values };
      }
      return shown.tokens;
    },
    async onResponse(response) {
      if (response.status !== 401 && response.status !== 403) return;
      const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
      if (response.status === 401 || error === 'insufficient_scope')
        onChallenge({ resourceMetadataUrl, scope });
      if (error === 'insufficient_scope' && scope !== undefined)
        await whileNotRenewing(deps, () => rememberMissing(deps, scope));
    },
  };
}

/** Stores the permissions that the tokens lack, for a sign-in by another process. */
function rememberMissing({ server, url, store }: TokenSourceDeps, scope: string): Result<null> {
  const record = store.read(server, url);
  if (!record?.tokens) return ok(null);
  const missing = computeScopeUnion(record.missing, scope);
  return missing === record.missing ? ok(null) : store.write(server, { ...record, missing });
}

/** A token fits into a header: visible ASCII, bounded. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** Rejects tokens that no request could carry. */
export function checkTokens({ access_token, token_type, refresh_token = 'none' }: Tokens): void {
  if (token_type.toLowerCase() !== 'bearer')
    throw refusal('the authorisation server issues tokens of another type');
  if (![access_token, refresh_token].every((token) => TOKEN.test(token)))
    throw refusal('the authorisation server issued a token that cannot be sent');
}

/** Renews tokens; null when only a new sign-in can help. */
async function renew(deps: TokenSourceDeps, refused: string): Promise<Result<null> | null> {
  const { server, url, store } = deps;
  const done = await withLock<boolean>(lockOf(deps), deps.lock, async () => {
    const record = store.read(server, url);
    const tokens = record?.tokens;
    if (!record || !tokens) return ok(false);
    // Another process has renewed them in the meantime.
    if (tokens.access_token !== refused) return ok(true);
    if (tokens.refresh_token === undefined) return ok(false);
    try {
      const refreshed = await refreshAuthorization(record.metadata.issuer, {
        metadata: record.metadata,
        clientInformation: record.client,
        refreshToken: tokens.refresh_token,
        fetchFn: deps.fetch,
        ...(record.resource !== undefined && { resource: record.resource }),
      });
      checkTokens(refreshed);
      const {
        access_token,
        token_type,
        refresh_token = tokens.refresh_token,
        scope = tokens.scope,
      } = refreshed;
      // When the write fails, only the next start needs a sign-in: the store keeps the tokens in memory.
      store.write(server, { ...record, tokens: { access_token, token_type, refresh_token, scope } });
      return ok(true);
    } catch (error) {
      if (!(error instanceof OAuthError) || !spent.has(error.code)) return err(signInFailure(error, server));
      store.write(server, { ...record, tokens: undefined });
      return ok(false);
    }
  });
  if (!done.ok) return done;
  return done.value ? ok(null) : null;
}
