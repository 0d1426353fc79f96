import type { Result } from '#shared/result';
import type { SignInOffer, SignInState } from '#shared/servers';

/** How the user gets to the page of the authorisation server and back. */
export interface SignInBrowser {
  /** The host that the user has seen and agreed to; another one is not opened. */
  readonly host: string;
  /** Shows or opens the page; resolves once it is under way. */
  readonly open: (url: string) => Promise<void>;
  /** Resolves with the address that the user pasted; null when none will come. */
  readonly pasted?: ((signal: AbortSignal) => Promise<string | null>) | undefined;
}

/**
 * Signs in to MCP servers with OAuth 2.1. Tokens never leave the adapter: they are stored as secrets and sent
 * only to the server and authorisation server that they belong to. Errors: TOOL/UNAVAILABLE (not reachable),
 * TOOL/FAILED (refused by either side), HOST/STATE (nothing to sign in to), HOST/CANCELLED, HOST/STORAGE.
 */
export interface ServerSignIn {
  state(server: string): SignInState;
  /** Finds out where to sign in; opens nothing and registers nothing. */
  offer(server: string): Promise<Result<SignInOffer>>;
  /** Carries out the offer made last. A second sign-in to the same server cancels the first. */
  signIn(server: string, browser: SignInBrowser): Promise<Result<SignInOffer>>;
  cancel(server: string): void;
  /** Deletes the tokens here and revokes them where the authorisation server allows it. */
  signOut(server: string): Promise<Result<null>>;
}
