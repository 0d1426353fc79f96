import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PickerPage } from '#shared/control-plane';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { chooseItem, whyEmpty } from '../cli/choose-item';
import type { Terminal } from '../cli/output';

let project: string;
let harness: MainHarness;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'patina-resources-'));
});
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

const serving = `
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { resources: {} }, serverInfo: { name: 's', version: '1' } }),
  'resources/read': ({ uri }) => ({ contents: uri === 'demo://db' ? [{ uri, text: 'Data of ' + uri }] : [{ uri, blob: 'AAEC' }] }),
  'resources/list': () => ({ resources: [{ uri: 'demo://db', name: 'Database' }, { uri: 'demo://web', name: 'Web' }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ? { result: answer(params) } : { error: { code: -32601, message: 'no' } }) }));
});`;
const broken = `console.error('no licence file'); process.exit(3);`;

const server = () => join(project, 'server.mjs');
async function start(code: string): Promise<void> {
  writeFileSync(server(), code);
  const row = { command: process.execPath, args: [server()] };
  const prepareHome = (home: string): void => {
    mkdirSync(join(home, 'mcp'), { recursive: true });
    writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify({ mcpServers: { runbooks: row } }));
  };
  harness = await startMain({ project, prepareHome });
}

const source = { providerId: 'mcp_resources' };
async function open(refresh = false): Promise<PickerPage> {
  const asked = { source, text: '', offset: 0, limit: 10 };
  let page = await harness.app.plane.page(harness.state(), { ...asked, refresh });
  while (page.status.state === 'loading') page = await harness.app.plane.page(harness.state(), asked);
  return page;
}

function terminalOf(lines: string[]): Terminal & { readonly said: string[] } {
  const said: string[] = [];
  return {
    said,
    out: (text) => void said.push(text),
    log: (text) => void said.push(text),
    json: false,
    interactive: true,
    language: 'en',
    readLine: () => Promise.resolve(lines.shift() ?? null),
    inTurn: (dialogue) => dialogue(),
    onTyped: () => () => undefined,
    onInterrupt: () => () => undefined,
  };
}

it('[SRC-resources-open] opening the list starts its servers; a line of input does not', async () => {
  await start(serving);
  await harness.app.lines.preview('show the MCP resources', { state: harness.state(), ui: true });
  const statuses = () =>
    harness.app.plane.page(harness.state(), {
      source: { providerId: 'mcp_servers' },
      text: 'runbooks',
      offset: 0,
      limit: 1,
    });
  expect((await statuses()).items[0]?.description).toContain('Not started');
  const page = await open();
  expect(page.items.map(({ header }) => header.id)).toEqual(['demo://db', 'demo://web']);
  expect(await whyEmpty(harness.app, terminalOf([]), harness.state(), 'resource')).toBeNull();
});

it('[SRC-resources-open] an empty list says why, and is read again on demand, also in a terminal', async () => {
  await start(broken);
  await harness.app.lines.preview('show the MCP resources', { state: harness.state(), ui: true });
  const page = await open();
  expect(page).toMatchObject({ total: 0, status: { state: 'failed' } });
  expect(JSON.stringify(page.status)).toMatch(/runbooks .*exited with code 3.*no licence file/);
  expect(await whyEmpty(harness.app, terminalOf([]), harness.state(), 'resources')).toMatch(
    /^The MCP resources could not be read: .*runbooks/s,
  );
  writeFileSync(server(), serving);
  const terminal = terminalOf(['r', '2']);
  const choice = await chooseItem(harness.app, terminal, harness.state(), {
    type: 'open-picker',
    commandId: 'SetActiveResource',
    source,
  });
  expect(choice).toEqual({ type: 'item', id: 'demo://web' });
  expect(terminal.said[0]).toContain('could not be read');
});

it('[ITEM-resource] a resource of a running server is offered after an @, read, and attached as text', async () => {
  await start(serving);
  const offered = async () =>
    (await harness.app.attachOptions(harness.state(), 'data')).filter(({ kind }) => kind === 'resource');
  expect(await offered()).toEqual([]);
  await open(true);
  const [database] = await offered();
  expect(database).toEqual({
    source: { type: 'resource', server: 'runbooks', uri: 'demo://db' },
    kind: 'resource',
    name: 'Database',
    about: 'runbooks',
  });
  const attach = (uri: string, server = 'runbooks') =>
    harness.app.attach({ source: { type: 'resource', server, uri }, base: project });
  const attached = must(await attach('demo://db'));
  const item = attached.type === 'attached' ? attached.item : null;
  expect(item).toMatchObject({ kind: 'resource', ref: 'demo://db' });
  const content = must(harness.app.readItem(item?.hash ?? ''));
  expect(Buffer.from(content).toString()).toBe('Data of demo://db');
  expect(await attach('demo://web')).toMatchObject({ ok: false, error: { code: 'INVALID_OUTPUT' } });
  expect(await attach('demo://db', 'none')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
});
