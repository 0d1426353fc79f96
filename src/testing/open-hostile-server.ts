import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { appError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { createChildLinePort } from '../main/adapters/mcp/child-line-port';
import { createTools } from '../main/adapters/mcp/create-tools';
import type { LinePort } from '../main/adapters/mcp/line-port';
import type { Timeouts } from '../main/adapters/mcp/server-session';
import { parseRegistry } from '../main/adapters/mcp/registry';

const SCRIPT = fileURLToPath(new URL('hostile-servers/hostile-server.mjs', import.meta.url));

export interface HostileServer {
  readonly tools: ReturnType<typeof createTools>;
  readonly project: string;
  /** Every process started for it, in order. */
  readonly ports: LinePort[];
  /** Calls its tool `echo`. */
  call(args?: JsonObject, signal?: AbortSignal): Promise<Result<Json>>;
}

const PATIENT: Partial<Timeouts> = { startMs: 10_000, callMs: 60_000, pingMs: 2_000 };

/**
 * Configures the hostile server as `x` with one fault; `entry` adds to its registry entry (`args` follow the
 * fault).
 */
export function openHostileServer(
  fault: string,
  entry: { readonly args?: readonly string[]; readonly [key: string]: unknown } = {},
  timeouts = PATIENT,
): HostileServer {
  const project = realpathSync(mkdtempSync(path.join(tmpdir(), 'patina-hostile-')));
  const ports: LinePort[] = [];
  const { args = [], ...rest } = entry;
  const server = { command: process.execPath, args: [SCRIPT, fault, ...args], ...rest };
  const tools = createTools({
    registry: () => parseRegistry(JSON.stringify({ mcpServers: { x: server } }), 'registry.json'),
    project,
    startBundledServer: () => {
      throw new Error('There is none here.');
    },
    startChild: (launch) => {
      const port = createChildLinePort(launch);
      ports.push(port);
      return port;
    },
    env: { TOKEN: 'from-environment' },
    secret: (ref) => (ref === 'known' ? ok('shh') : err(appError('CONFIG', 'MISSING', `No ${ref}.`))),
    timeouts,
  });
  const never = new AbortController().signal;
  return {
    tools,
    project,
    ports,
    call: (given = {}, signal = never) => tools.call('mcp://x.echo', given, signal),
  };
}

/** Whether the process of a port has exited. */
export function isGone(port: LinePort | undefined): boolean {
  try {
    process.kill(port?.pid ?? 0, 0);
    return false;
  } catch {
    return true;
  }
}
