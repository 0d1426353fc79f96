import type { Result } from '#shared/result';

/**
 * Secrets by reference. Values go only to model and MCP adapters, never to prompts,
 * events, logs or the window.
 */
export interface Secrets {
  /** Whether the operating system protects stored secrets, and if not, why, in one plain sentence. */
  status(): { readonly available: boolean; readonly reason?: string };
  get(ref: string): Result<string>;
  /**
   * Without a keychain, a secret lasts only for this session unless `unprotected` stores it in a 0600 file.
   */
  set(ref: string, value: string, options: { readonly unprotected: boolean }): Result<null>;
  remove(ref: string): Result<null>;
  /** How a secret is kept; null: there is none, or it cannot be read. */
  place(ref: string): SecretPlace | null;
}

/** Encrypted by the system's keychain, readable in a file that only the user can open, or gone when Patina closes. */
export type SecretPlace = 'keychain' | 'file' | 'memory';
