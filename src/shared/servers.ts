import { z } from 'zod';
import type { ToolChange } from './tool-pin';

/** One tool of a server, and whether the project's manifest lets it be called at all. */
export interface ServerToolView {
  /** `mcp://server.tool` */
  readonly uri: string;
  readonly tool: string;
  readonly description: string;
  readonly access: 'read' | 'write';
  readonly allowed: boolean;
}

/** An MCP server as a person looks at it. Values of headers and of the environment are not in it. */
export interface ServerView {
  readonly name: string;
  readonly kind: 'bundled' | 'stdio' | 'http';
  /** What is started or called, word by word: the command with its arguments, or the address. */
  readonly words: readonly string[];
  readonly trusted: boolean;
  readonly state: 'idle' | 'starting' | 'ready' | 'failed';
  readonly detail: string;
  /** The last of what it wrote to standard error; empty when there is nothing. */
  readonly stderr: string;
  /** Whether any of its tools is allowed in this project, as far as its tools are known. */
  readonly allowed: boolean;
  /** How long a call may take, as a sentence; empty when it is not known. */
  readonly limits: string;
  readonly tools: readonly ServerToolView[];
  /** Tools it defines otherwise than when they were first used, also while it is not running. */
  readonly changes: readonly ToolChange[];
}

export interface ServersView {
  /** The registry's file; servers are added to it and removed from it. */
  readonly file: string;
  readonly servers: readonly ServerView[];
}

/** What another program's file would add; nothing is added yet. */
export interface ImportPreview {
  readonly file: string;
  readonly servers: readonly {
    readonly name: string;
    readonly words: readonly string[];
    /** A server of that name is there already and stays as it is. */
    readonly taken: boolean;
    /** Values it asks for; they are kept with the keys, under these ids. */
    readonly inputs: readonly {
      readonly id: string;
      readonly label: string;
      readonly secret: boolean;
      readonly value?: string;
    }[];
  }[];
  /** Servers the file switches off itself; they are left out. */
  readonly disabled: readonly string[];
  /** Entries that cannot be taken over, by their place in the file, and why. */
  readonly problems: readonly { readonly field: string; readonly reason: string }[];
  /** Fields of servers that can be taken over which mean nothing here, by their place in the file. */
  readonly unused: readonly string[];
}

const words = z.array(z.string().max(4_096)).max(100);
const secrets = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, 'Letters, digits, - and _ only.'),
  z.strictObject({ secrets_ref: z.string().min(1).max(200) }),
);

/** A server as the form gives it. Secrets stand in it by reference only: their values are set apart and never come back. */
export const ServerDraft = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'Small letters, digits, - and _ only.'),
  server: z.union([
    z.strictObject({ command: z.string().min(1).max(4_096), args: words, env: secrets.optional() }),
    z.strictObject({ url: z.url({ protocol: /^https?$/ }), headers: secrets.optional() }),
  ]),
  /** The value of the one secret the draft refers to, when it is new. */
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

/** How long a call to a server may take, as a sentence. */
export function describeCallLimits({
  callMs,
  totalMs,
}: {
  readonly callMs: number;
  readonly totalMs: number;
}): string {
  return `A call may take ${formatDuration(callMs)}, or ${formatDuration(totalMs)} while it reports progress.`;
}
