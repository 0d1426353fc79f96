import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { browse, openSignInWorld, type SignInWorld } from '../../testing/oauth/sign-in-world';
import { doctorCommand } from '../cli/commands/doctor';
import { signInCommand, signOutCommand } from '../cli/commands/server';
import { toolsCommand } from '../cli/commands/tools';
import type { Terminal } from '../cli/output';

let world: SignInWorld;
let main: MainHarness;
beforeEach(async () => {
  world = await openSignInWorld();
  const registry = { mcpServers: { peer: { url: world.url, trusted: true } } };
  const prepareHome = (home: string): void => {
    mkdirSync(join(home, 'mcp'));
    writeFileSync(join(home, 'mcp/registry.json'), JSON.stringify(registry));
  };
  main = await startMain({ prepareHome });
});
afterEach(async () => {
  await main.close();
  world.close();
});

/** A terminal that collects what it says, with a user who acts on each line of it. */
function openTerminal(user: { reads?: (line: string) => void; pastes?: () => Promise<string> } = {}) {
  const said: string[] = [];
  const terminal: Terminal = {
    out: (text) => void said.push(text),
    log: (text) => {
      said.push(text);
      user.reads?.(text);
    },
    json: false,
    interactive: true,
    language: 'en',
    readLine: () => user.pastes?.() ?? Promise.resolve(null),
    onTyped: () => () => undefined,
    inTurn: (work) => work(),
    onInterrupt: () => () => undefined,
  };
  return { terminal, text: () => said.join('\n') };
}

const addressIn = (line: string): string | undefined => /https?:\S+/.exec(line)?.[0];

async function tools() {
  const { terminal, text } = openTerminal();
  return { code: await toolsCommand(main.app, terminal, {}), text: text() };
}

async function doctor(): Promise<string> {
  const { terminal, text } = openTerminal();
  await doctorCommand(main.app, terminal);
  return text();
}

const usual = { timeout: 60_000 };

it('[OAUTH-sign-in] the terminal says who asks for a sign-in, signs in, and signs out', usual, async () => {
  expect(await tools()).toMatchObject({
    code: 1,
    text: expect.stringContaining('patina server sign-in peer') as string,
  });
  expect(await doctor()).toContain('asks for a sign-in: patina server sign-in peer');
  const nobody = openTerminal();
  expect(await signOutCommand(main.app, nobody.terminal, 'peer')).toBe(1);
  expect(nobody.text()).toContain('is not signed in to "peer"');

  const visits: Promise<unknown>[] = [];
  const user = openTerminal({
    reads: (line) => {
      const address = line.startsWith('Open this address') ? addressIn(line) : undefined;
      if (address !== undefined) visits.push(browse(address));
    },
  });
  expect(await signInCommand(main.app, user.terminal, 'peer', {})).toBe(0);
  await Promise.all(visits);
  expect(user.text()).toContain(`asks you to sign in at ${new URL(world.issuer).host}`);
  expect(user.text()).toContain('tools:read');
  expect(user.text()).toContain('Signed in to "peer"');
  expect(await tools()).toMatchObject({
    code: 0,
    text: expect.stringContaining('mcp://peer.look') as string,
  });
  expect(await doctor()).not.toContain('asks for a sign-in');

  const leaving = openTerminal();
  expect(await signOutCommand(main.app, leaving.terminal, 'peer')).toBe(0);
  expect(leaving.text()).toContain('Signed out of "peer"');
  expect((await tools()).code).toBe(1);
});

it('[OAUTH-sign-in] the terminal takes the address that a browser elsewhere ended at', usual, async () => {
  await tools();
  let visited = Promise.resolve<string[]>([]);
  const user = openTerminal({
    reads: (line) => {
      const address = line.startsWith('Open this address') ? addressIn(line) : undefined;
      if (address !== undefined) visited = browse(address, (url) => url.pathname === '/callback');
    },
    pastes: async () => (await visited).at(-1) ?? '',
  });
  expect(await signInCommand(main.app, user.terminal, 'peer', { paste: true })).toBe(0);
  expect(user.text()).not.toContain('Waiting for the browser');
  expect((await tools()).code).toBe(0);
});
