import type { ConfigProblem } from '#shared/app-error';
import type { Json } from '#shared/json';
import type { Result } from '#shared/result';

/** A server in the registry, without any value that could be a secret. */
export interface RegisteredServer {
  readonly name: string;
  readonly kind: 'bundled' | 'stdio' | 'http';
  readonly words: readonly string[];
  readonly trusted: boolean;
  /** The entry as written in the file, for copying it elsewhere. */
  readonly entry: Json;
}

/** A value that VS Code asks the user for when it starts a server (`${input:ID}`). */
export interface RegistryInput {
  readonly id: string;
  readonly label: string;
  /** Masked while the user types it. */
  readonly secret: boolean;
  readonly value?: string;
}

/** Servers from another program's file. */
export interface ForeignRegistry {
  readonly servers: readonly (RegisteredServer & { readonly inputs: readonly RegistryInput[] })[];
  /** Servers that the file disables. */
  readonly disabled: readonly string[];
  readonly problems: readonly ConfigProblem[];
  /** Fields of those servers that Patina does not use. */
  readonly unused: readonly ConfigProblem[];
}

/** The file that lists the MCP servers. Errors: CONFIG/INVALID, CONFIG/MISSING, HOST/STORAGE. */
export interface ServerRegistry {
  readonly file: string;
  servers(): Result<readonly RegisteredServer[]>;
  /**
   * Reads another program's file by the same rules; an invalid entry is skipped without affecting the others.
   */
  read(file: string): Result<ForeignRegistry>;
  put(entries: Readonly<Record<string, Json>>): Result<null>;
  remove(name: string): Result<null>;
}
