import { z } from 'zod';
import type { ToolChange } from './tool-pin';

/** One tool of a server, and whether the project's manifest allows calling it. */
export interface ServerToolView {
  /** `mcp://server.tool` */
  readonly uri: string;
  readonly tool: string;
  readonly description: string;
  readonly access: 'read' | 'write';
  readonly allowed: boolean;
}

/** The sign-in of a server: none yet, asked for by the server, or done. */
export interface SignInState {
  readonly state: 'none' | 'needed' | 'signed-in';
  /** The host that issued the sign-in; empty while there is none. */
  readonly host: string;
  /** Permissions that the server asked for beyond those granted; may be empty. */
  readonly missing: readonly string[];
}

/** Where a sign-in would take place: what the user sees before the browser opens. */
export interface SignInOffer {
  readonly server: string;
  /** The host of the MCP server. */
  readonly serverHost: string;
  /** The host that the browser will open. */
  readonly host: string;
  /** Permissions that will be requested; may be empty. */
  readonly scopes: readonly string[];
}

/** An MCP server for display, without values of headers and environment variables. */
export interface ServerView {
  readonly name: string;
  readonly kind: 'bundled' | 'stdio' | 'http';
  /** The command with its arguments, one word each, or the address. */
  readonly words: readonly string[];
  readonly trusted: boolean;
  readonly state: 'idle' | 'starting' | 'ready' | 'failed';
  readonly detail: string;
  /** The end of its standard error output; may be empty. */
  readonly stderr: string;
  /** Whether the project allows any of its known tools. */
  readonly allowed: boolean;
  /** Call timeouts as a sentence; empty when unknown. */
  readonly limits: string;
  readonly tools: readonly ServerToolView[];
  /** Tools whose definition has changed since they were pinned, also while the server is not running. */
  readonly changes: readonly ToolChange[];
  readonly signIn: SignInState;
}

export interface ServersView {
  /** The registry file; adding or removing a server changes it. */
  readonly file: string;
  readonly servers: readonly ServerView[];
}

/** What importing another program's file would add; nothing is added yet. */
export interface ImportPreview {
  readonly file: string;
  readonly servers: readonly {
    readonly name: string;
    readonly words: readonly string[];
    /** A server of that name already exists and will not be changed. */
    readonly taken: boolean;
    /** Values that it asks for; stored with the API keys under these ids. */
    readonly inputs: readonly {
      readonly id: string;
      readonly label: string;
      readonly secret: boolean;
      readonly value?: string;
    }[];
  }[];
  /** Servers that the file disables; they are not imported. */
  readonly disabled: readonly string[];
  /** Entries that cannot be imported: location in the file, and reason. */
  readonly problems: readonly { readonly field: string; readonly reason: string }[];
  /** Fields of importable servers that Patina ignores, by location in the file. */
  readonly unused: readonly string[];
}

const words = z.array(z.string().max(4_096)).max(100);
const secrets = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, 'Letters, digits, - and _ only.'),
  z.strictObject({ secrets_ref: z.string().min(1).max(200) }),
);

const withoutCredentials = (address: string): boolean =>
  !URL.canParse(address) || (new URL(address).username === '' && new URL(address).password === '');

/** The address of a server; a name or password in it would be shown wherever the address is. */
const serverAddress = z
  .url({ protocol: /^https?$/ })
  .refine(withoutCredentials, 'Contains a name or password; put it into a header as a secret.');

/**
 * A server from the form. It contains secrets by reference only; their values are stored
 * separately and never returned.
 */
export const ServerDraft = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Lowercase letters, digits, - and _ only.'),
  server: z.union([
    z.strictObject({ command: z.string().min(1).max(4_096), args: words, env: secrets.optional() }),
    z.strictObject({ url: serverAddress, headers: secrets.optional() }),
  ]),
  /** The value of the draft's one secret, when it is new. */
  secret: z.object({ ref: z.string().min(1).max(200), value: z.string().min(1).max(10_000) }).optional(),
});
export type ServerDraft = z.infer<typeof ServerDraft>;

const seconds = 1_000;
const units: readonly (readonly [ms: number, word: string])[] = [
  [3_600 * seconds, 'h'],
  [60 * seconds, 'min'],
  [seconds, 's'],
];

function formatDuration(ms: number): string {
  const [unit, word] = units.find(([size]) => ms >= size && ms % size === 0) ?? [seconds, 's'];
  return `${ms / unit} ${word}`;
}

/** Describes the call timeouts of a server in a sentence. */
export function describeCallLimits({
  callMs,
  totalMs,
}: {
  readonly callMs: number;
  readonly totalMs: number;
}): string {
  return `A call may take ${formatDuration(callMs)}, or ${formatDuration(totalMs)} while it reports progress.`;
}
