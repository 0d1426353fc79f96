import type { Result } from '#shared/result';

/** Secrets by reference. Values go to model and MCP adapters only: never to prompts, events, logs or the window. */
export interface Secrets {
  /** Whether the system protects what is stored here, and if not, why in one plain sentence. */
  status(): { readonly available: boolean; readonly reason?: string };
  get(ref: string): Result<string>;
  /** Without a keychain a secret lives for this session only, unless `unprotected` says to keep it in a 0600 file. */
  set(ref: string, value: string, options: { readonly unprotected: boolean }): Result<null>;
  remove(ref: string): Result<null>;
}
