import { appError } from '#shared/app-error';
import { untouched } from '#shared/elicitation';
import type { JsonObject } from '#shared/json';
import { err, type Result } from '#shared/result';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createChildLinePort } from '../../main/adapters/mcp/child-line-port';
import { createTools } from '../../main/adapters/mcp/create-tools';
import { parseRegistry } from '../../main/adapters/mcp/registry';
import { httpAddress } from '../../main/adapters/mcp/registry-references';
import { createSignIn } from '../../main/adapters/oauth/create-sign-in';
import { createFileSecrets } from '../../main/adapters/secrets/file-secrets';
import { processAlive } from '../../main/adapters/system/process-alive';
import type { ToolDefinition } from '../../core/ports/tool-definition';

interface Asked {
  readonly name: string;
  readonly arguments: JsonObject;
}

interface Context {
  readonly toolCalls?: readonly Asked[];
  readonly client_id?: string;
  readonly client_secret?: string;
}

const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context;

/** The calls that the suite requests, else one call of every offered tool. */
function callsOf(tools: readonly ToolDefinition[]): readonly Asked[] {
  if (context.toolCalls) return context.toolCalls;
  const focal = tools.find(({ tool }) => tool === 'json_schema_2020_12_tool');
  const schema = focal ? { schema: focal.inputSchema } : {};
  return tools.map(({ tool }) => ({ name: tool, arguments: { a: 5, b: 3, ...schema } }));
}

/** What the user sets for servers whose authorisation server does not let clients register themselves. */
const oauth = {
  clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  ...(context.client_id !== undefined && { clientId: context.client_id }),
  ...(context.client_secret !== undefined && { clientSecret: context.client_secret }),
};
const url = process.argv.at(-1) ?? '';
const registry = () =>
  parseRegistry(JSON.stringify({ mcpServers: { peer: { url, oauth } } }), 'registry.json');
const home = mkdtempSync(path.join(tmpdir(), 'patina-conformance-'));
const launch = {
  project: process.cwd(),
  startBundledServer: () => {
    throw new Error('There is none here.');
  },
  startChild: createChildLinePort,
  env: {},
  secret: () => err(appError('CONFIG', 'MISSING', 'There are no secrets here.')),
};

const signIn = createSignIn({
  kind: 'cli',
  home,
  secrets: createFileSecrets({ home }),
  lock: { pid: process.pid, processAlive, now: Date.now, wait: () => Promise.resolve() },
  addressOf: (name) => {
    const servers = registry();
    const entry = servers.ok ? servers.value.get(name) : undefined;
    return entry?.kind === 'http'
      ? httpAddress(entry, launch)
      : err(appError('HOST', 'NOT_FOUND', `There is no server ${name}.`));
  },
  onChanged: () => tools.release(),
});

/**
 * Patina's client, exactly as the app uses it, for the protocol's own suite: `conformance-client.mjs URL`.
 */
const tools = createTools({
  ...launch,
  registry,
  authOf: signIn.authOf,
  // A user who submits every form unchanged.
  elicit: ({ fields }) => Promise.resolve({ action: 'accept', content: untouched(fields) }),
});

/** Opens a page as a browser does; returns where it leads. */
async function visit(page: string): Promise<string | null> {
  const asked = get(page);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  const { location } = answer.headers;
  return location === undefined ? null : new URL(location, page).href;
}

/** A user who agrees in the browser at once: follows the page to its end, the return to Patina. */
async function agree(): Promise<Result<unknown>> {
  const offered = await signIn.offer('peer');
  if (!offered.ok) return offered;
  return signIn.signIn('peer', {
    host: offered.value.host,
    open: async (page) => {
      const back = await visit(page);
      if (back !== null) await visit(back);
    },
  });
}

/** How often a user signs in for one thing before giving up. */
const PATIENCE = 2;

/** Does the work, and signs in whenever the server asks for it. */
async function withSignIn<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  let done = await work();
  for (let tries = 0; tries < PATIENCE && signIn.state('peer').state === 'needed'; tries += 1) {
    const signed = await agree();
    if (!signed.ok) {
      console.error(JSON.stringify(signed.error));
      return err(appError('TOOL', 'SIGN_IN', 'The sign-in failed.'));
    }
    done = await work();
  }
  return done;
}

const listed = await withSignIn(async () => {
  const found = await tools.list();
  return tools.servers().some(({ state }) => state === 'failed')
    ? err(appError('TOOL', 'SIGN_IN', ''))
    : found;
});
const offered = listed.ok ? listed.value : [];
let refused = false;
for (const { name, arguments: args } of callsOf(offered)) {
  const called = await withSignIn(() => tools.call(`mcp://peer.${name}`, args, new AbortController().signal));
  refused ||= !called.ok && called.error.code === 'SIGN_IN';
}
await tools.release();
rmSync(home, { recursive: true, force: true });
if (!listed.ok || refused || tools.servers().some(({ state }) => state === 'failed')) process.exitCode = 1;
