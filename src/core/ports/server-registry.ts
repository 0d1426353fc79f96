import type { ConfigProblem } from '#shared/app-error';
import type { Json } from '#shared/json';
import type { Result } from '#shared/result';

/** A server as the registry has it, without any value that could be a secret. */
export interface RegisteredServer {
  readonly name: string;
  readonly kind: 'bundled' | 'stdio' | 'http';
  readonly words: readonly string[];
  readonly trusted: boolean;
  /** The entry as it is written, for adding it elsewhere. */
  readonly entry: Json;
}

/** A value that VS Code asks the user for when a server starts (`${input:ID}`). */
export interface RegistryInput {
  readonly id: string;
  readonly label: string;
  /** It is not shown while it is typed. */
  readonly secret: boolean;
  readonly value?: string;
}

/** Another program's servers. */
export interface ForeignRegistry {
  readonly servers: readonly (RegisteredServer & { readonly inputs: readonly RegistryInput[] })[];
  /** Servers it switches off itself. */
  readonly disabled: readonly string[];
  readonly problems: readonly ConfigProblem[];
  /** Fields of those servers that mean nothing here. */
  readonly unused: readonly ConfigProblem[];
}

/** The file that says which MCP servers there are. Errors: CONFIG/INVALID, CONFIG/MISSING, HOST/STORAGE. */
export interface ServerRegistry {
  readonly file: string;
  servers(): Result<readonly RegisteredServer[]>;
  /** Another program's file, read by the same rules; what is wrong with an entry costs only that entry. */
  read(file: string): Result<ForeignRegistry>;
  put(entries: Readonly<Record<string, Json>>): Result<null>;
  remove(name: string): Result<null>;
}
