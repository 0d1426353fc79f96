import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

const modelKey = 'sk-canary-5b1f0c9e7a2d4866b0aa';
const otherKey = 'canary-in-a-header-41b7a9';
const serverKey = 'canary-of-a-server-93d1c7e55f20';

let project: string;
let harness: MainHarness;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'patina-canary-'));
  mkdirSync(join(project, '.patina'));
});
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

/** The files below a folder that contain a text. */
function filesHolding(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

/** A server that reveals its key wherever it can send text, then exits. */
const telling = "console.error('My key is ' + process.env.TOKEN); process.exit(1)";

const status = (code: number) => ({
  fault: { type: 'status' as const, status: code, message: `Bad key ${modelKey}: try another.` },
});

/** Adds a server with its own key. */
async function addLeaky() {
  const side = await harness.app.agentRuntime();
  must(
    await side.serverSettings.save(project, {
      name: 'leaky',
      server: {
        command: process.execPath,
        args: ['-e', telling],
        env: { TOKEN: { secrets_ref: 'leaky' } },
      },
      secret: { ref: 'leaky', value: serverKey },
    }),
  );
  return side;
}

/** The HTTP server's handshake responses, by method. `tools/call` has none, so the server refuses it. */
const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'telling', version: '1' },
  },
  'tools/list': {
    tools: [{ name: 'tell', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
  },
};

/**
 * An HTTP server that refuses everything, or only calls, and repeats the received credentials in its refusal.
 */
async function serveRefusals(status: number, lets: boolean): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const refuse = (): void => {
      const said = { error: `Bad key in ${JSON.stringify(request.headers)}`, apiKey: 'x' };
      response.writeHead(status, `No ${String(request.headers['x-api-key'])}`);
      response.end(JSON.stringify(said) + (status === 500 ? ' and more' : ''));
    };
    void text(request).then((body) => {
      const { id, method = '' } = JSON.parse(body || '{}') as { id?: unknown; method?: string };
      const result = lets ? answers[method] : undefined;
      if (lets && id === undefined) response.writeHead(202).end();
      else if (result === undefined && (!lets || method === 'tools/call')) refuse();
      else {
        const answer = result ? { result } : { error: { code: -32601, message: 'No such method.' } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => server.close() };
}

/** Writes a key into the registry by hand, as a user does. */
function addHeader(registry: string, authorization: string): void {
  const file = JSON.parse(readFileSync(registry, 'utf8')) as {
    mcpServers: Record<string, Record<string, unknown>>;
  };
  const telling = file.mcpServers['telling'];
  const headers = { ...(telling?.['headers'] as object), Authorization: authorization };
  file.mcpServers['telling'] = { ...telling, headers, trusted: true };
  writeFileSync(registry, JSON.stringify(file));
}

describe('a canary key', () => {
  it.each([
    [401, false, '401'],
    [403, false, '403'],
    [404, false, 'HTTP 404'],
    [503, false, 'HTTP 503'],
    [400, true, '[key]'],
    [500, true, '[key]'],
  ])(
    '[H51] [MCP-refusal-masked] appears nowhere when an HTTP server repeats it with %d (let in first: %s)',
    async (status, lets, words) => {
      const { url, close } = await serveRefusals(status, lets);
      const code = 'return tools.telling.tell({});';
      const plan = planOf([scriptNode('tell', code, { tools: ['mcp://telling.tell'] })]);
      harness = await startMain({
        project,
        replies: [{ toolCalls: [{ name: 'submit_plan', arguments: plan }] }],
      });
      const side = await harness.app.agentRuntime();
      const headers = { 'X-Api-Key': { secrets_ref: 'telling' } };
      const secret = { ref: 'telling', value: serverKey };
      must(await side.serverSettings.save(project, { name: 'telling', server: { url, headers }, secret }));
      addHeader(join(harness.home, 'mcp/registry.json'), `Bearer ${otherKey}`);
      await harness.say('tell me', { runMode: 'agent' });
      const servers = must(await side.checkServers(project));
      const said = JSON.stringify([
        servers,
        must(harness.app.log.events(harness.sessionId)),
        harness.app.notices.all(),
      ]);
      expect(said).toContain(words);
      await harness.app.close();
      close();
      expect(said).not.toContain(serverKey);
      expect(said).not.toContain(otherKey);
      expect(filesHolding(project, serverKey)).toEqual([]);
      // The registry contains the values that the user wrote there.
      const holding = [...filesHolding(harness.home, serverKey), ...filesHolding(harness.home, otherKey)];
      expect(holding.filter((file) => !file.endsWith('registry.json'))).toEqual([]);
    },
  );

  it('[H51] appears in no session, trace, error, notice or file, not even in its stored form', async () => {
    harness = await startMain({
      project,
      env: { OPENAI_API_KEY: modelKey },
      replies: [
        status(401),
        status(400),
        { text: 'Half', fault: { type: 'stream-error', after: 1, error: { message: `No: ${modelKey}` } } },
        { text: 'Half', fault: { type: 'garbage', after: 1, line: `data: {"key": "${modelKey}"` } },
        { toolCalls: [{ name: 'submit_plan', arguments: { code: 'return tools.leaky.tell({});' } }] },
        { toolCalls: [{ name: 'submit_plan', arguments: { code: 'return tools.leaky.tell({});' } }] },
      ],
    });
    const side = await addLeaky();
    for (const line of ['one', 'two', 'three', 'four']) await harness.say(line);
    const run = await harness.say('tell me', { runMode: 'agent' });
    expect(run.run?.status).toBeDefined();
    const servers = must(await side.checkServers(project));
    expect(JSON.stringify(servers)).toContain('leaky');

    const said = JSON.stringify([
      servers,
      must(harness.app.log.events(harness.sessionId)),
      harness.app.notices.all(),
    ]);
    expect(
      harness.model.chats().every(({ headers }) => headers['authorization'] === `Bearer ${modelKey}`),
    ).toBe(true);
    await harness.app.close();
    for (const key of [modelKey, serverKey]) {
      expect(said).not.toContain(key);
      expect([...filesHolding(project, key), ...filesHolding(harness.home, key)]).toEqual([]);
    }
  });

  it('[H50] is not expanded from a reference to it in a line, a script or a call', async () => {
    const code =
      "const ref = { secrets_ref: ['lea', 'ky'].join('') }; await tools.project.search_text({ query: JSON.stringify(ref) }); return { summary: 'made', state: { ref: JSON.stringify(ref) } };";
    const plan = planOf([scriptNode('make', code)], 'It is {{make.ref}}.');
    harness = await startMain({
      project,
      replies: [{ text: 'No.' }, { toolCalls: [{ name: 'submit_plan', arguments: plan }] }],
    });
    await addLeaky();
    await harness.say('{"secrets_ref":"leaky"} ${secrets_ref:leaky}');
    const { run } = await harness.say('make it', { runMode: 'agent' });
    expect(JSON.stringify([run?.answer, run?.nodes])).toContain('secrets_ref');
    expect(harness.model.requests.map(({ text }) => text).join()).not.toContain(serverKey);
    expect(JSON.stringify(must(harness.app.log.events(harness.sessionId)))).not.toContain(serverKey);
  });
});
