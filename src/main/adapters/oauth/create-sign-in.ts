import type { FetchLike } from '@modelcontextprotocol/client';
import { appError, type AppError } from '#shared/app-error';
import { isLoopback } from '#shared/loopback';
import { err, ok, type Result } from '#shared/result';
import type { SignInState } from '#shared/servers';
import type { Secrets } from '../../../core/ports/secrets';
import type { ServerSignIn } from '../../../core/ports/server-sign-in';
import type { HttpAddress } from '../mcp/registry-references';
import { resolveHost, type ResolveHost } from '../system/host-scope';
import type { LockDeps } from '../system/write-lock';
import type { Pending } from './authorise';
import type { Challenge } from './discover';
import { createGuardedFetch } from './guarded-fetch';
import { createSignInStore, scopesIn, whileNotRenewing, type SignInRecord } from './sign-in-store';
import type { TokenSourceDeps } from './token-source';

export interface SignInDeps {
  readonly kind: 'app' | 'cli';
  readonly home: string;
  readonly secrets: Secrets;
  readonly lock: LockDeps;
  /** Where a server is, and with which headers it is asked; an error says why it takes no sign-in. */
  readonly addressOf: (server: string) => Result<HttpAddress>;
  readonly fetch?: FetchLike;
  readonly resolve?: ResolveHost;
  /** Called when a server has been signed in to or out of: its connections must restart. */
  readonly onChanged: () => Promise<void>;
}

/** Why tokens cannot be used at this address, or null. */
function unfit(server: string, { url, headers }: HttpAddress): AppError | null {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    return appError('HOST', 'STATE', `Server "${server}" uses the key in its registry entry.`, {
      hint: 'Remove its "Authorization" header to sign in instead.',
    });
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname)) return null;
  return appError('CONFIG', 'INVALID', `Server "${server}" is called without encryption (http).`, {
    hint: 'A sign-in needs an https address.',
  });
}

/** The part that signs in brings the protocol's client, for which no start may wait. */
const authoriseChunk = () => import('./authorise');

/** The sign-ins of a process's MCP servers, and what their connections need for their tokens. */
export function createSignIn(deps: SignInDeps): ServerSignIn & {
  /** Undefined for an address at which no tokens are used. */
  readonly authOf: (server: string, address: HttpAddress) => TokenSourceDeps | undefined;
} {
  const { resolve = resolveHost } = deps;
  const store = createSignInStore(deps.secrets, deps.kind);
  const challenges = new Map<string, Challenge>();
  const offers = new Map<string, Pending>();
  const running = new Map<string, AbortController>();
  const guarded = (url: string): FetchLike =>
    createGuardedFetch({ server: new URL(url), resolve, ...(deps.fetch && { fetch: deps.fetch }) });

  const end = (server: string): void => {
    running.get(server)?.abort();
    running.delete(server);
  };

  return {
    authOf(server, address) {
      if (unfit(server, address) !== null) return undefined;
      return {
        server,
        url: address.url,
        store,
        home: deps.home,
        lock: deps.lock,
        fetch: guarded(address.url),
        onChallenge: (challenge) => {
          if (challenge === null) challenges.delete(server);
          else challenges.set(server, challenge);
        },
      };
    },
    state(server) {
      const address = deps.addressOf(server);
      const record = address.ok ? store.read(server, address.value.url) : null;
      return stateOf(record, challenges.get(server));
    },
    async offer(server) {
      const address = deps.addressOf(server);
      if (!address.ok) return address;
      const problem = unfit(server, address.value);
      if (problem !== null) return err(problem);
      const { findSignIn } = await authoriseChunk();
      const found = await findSignIn({
        server,
        address: address.value,
        before: store.read(server, address.value.url),
        challenge: challenges.get(server),
        fetch: deps.fetch ?? globalThis.fetch,
        guarded: guarded(address.value.url),
        resolve,
      });
      if (!found.ok) return found;
      offers.set(server, found.value);
      return ok(found.value.offer);
    },
    async signIn(server, browser) {
      const pending = offers.get(server);
      if (pending?.offer.host !== browser.host)
        return err(appError('HOST', 'STATE', `Nobody was asked about signing in to "${server}" there.`));
      offers.delete(server);
      end(server);
      const controller = new AbortController();
      running.set(server, controller);
      const { address, offer } = pending;
      const { authorise } = await authoriseChunk();
      const record = await authorise(guarded(address.url), {
        ...pending,
        before: store.read(server, address.url),
        browser,
        signal: controller.signal,
      });
      if (running.get(server) === controller) running.delete(server);
      if (!record.ok) return record;
      const written = await whileNotRenewing({ ...deps, server }, () => store.write(server, record.value));
      challenges.delete(server);
      await deps.onChanged();
      return written.ok ? ok(offer) : written;
    },
    cancel(server) {
      offers.delete(server);
      end(server);
    },
    async signOut(server) {
      end(server);
      const address = deps.addressOf(server);
      const { record, removed } = await whileNotRenewing({ ...deps, server }, () => ({
        record: address.ok ? store.read(server, address.value.url) : null,
        removed: store.remove(server),
      }));
      challenges.delete(server);
      if (record && address.ok) await (await authoriseChunk()).revoke(record, guarded(address.value.url));
      await deps.onChanged();
      return removed;
    },
  };
}

function stateOf(record: SignInRecord | null, challenge: Challenge | undefined): SignInState {
  const tokens = record?.tokens;
  const granted = new Set(scopesIn(tokens?.scope));
  const missing = tokens ? scopesIn(challenge?.scope).filter((scope) => !granted.has(scope)) : [];
  const state = challenge !== undefined ? 'needed' : tokens ? 'signed-in' : 'none';
  return { state, host: record && tokens ? new URL(record.metadata.issuer).host : '', missing };
}
