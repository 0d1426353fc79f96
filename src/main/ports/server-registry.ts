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

/** The file that says which MCP servers there are. Errors: CONFIG/INVALID, CONFIG/MISSING, HOST/STORAGE. */
export interface ServerRegistry {
  readonly file: string;
  servers(): Result<readonly RegisteredServer[]>;
  /** Another program's file, read by the same rules. */
  read(file: string): Result<readonly RegisteredServer[]>;
  put(entries: Readonly<Record<string, Json>>): Result<null>;
  remove(name: string): Result<null>;
}
