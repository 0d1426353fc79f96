import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { afterEach, expect, it } from 'vitest';
import type { WorkspaceView } from '#shared/workspace-call';
import { startMain, type MainHarness } from '../../testing/main-harness';
import type { Terminal } from './output';
import { createTurns } from './turns';
import { addWorkspaceCommands } from './workspace-program';

let harness: MainHarness;
let project: string;
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

const template = 'prompts/templates/system.base.md';

async function start() {
  project = mkdtempSync(join(tmpdir(), 'patina-program-'));
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  harness = await startMain({ project });
  return { write: (text: string) => writeFileSync(join(root, template), text) };
}

/** Runs a command line; returns the exit code and the one document. */
async function type(...line: readonly string[]): Promise<{ code: number; view: WorkspaceView }> {
  const out: string[] = [];
  const terminal: Terminal = {
    json: true,
    interactive: false,
    language: 'en',
    log: () => undefined,
    out: (said) => void out.push(said),
    readLine: () => Promise.resolve(null),
    inTurn: createTurns(),
    onTyped: () => () => undefined,
    onInterrupt: () => () => undefined,
  };
  let code = -1;
  const program = new Command('patina').exitOverride().configureOutput({ writeErr: () => undefined });
  addWorkspaceCommands(program, async (work) => {
    code = await work(harness.app, terminal);
  });
  await program.parseAsync(['workspace', ...line, '--session', harness.sessionId], { from: 'user' });
  return { code, view: JSON.parse(out.join('')) as WorkspaceView };
}

it('[P3-W-collect] the command line lists what would be collected, and collects it without --dry-run', async () => {
  const { write } = await start();
  write('One.');
  const first = (await type('sync')).view.state.pending?.hash;
  write('Two.');
  await type('sync');
  expect((await type('gc', '--dry-run')).view.removed).toEqual([first]);
  expect((await type('gc')).view.removed).toEqual([first]);
  expect((await type('gc', '--dry-run')).view.removed).toEqual([]);
});

it('[P3-CLI-choose] the command line chooses a pack or a catalog, or returns to the snapshot’s own, separately', async () => {
  await start();
  await type('sync');
  await type('apply', '--when', 'immediate_if_idle');
  const chosen = async (...options: readonly string[]) => {
    const { promptPack, toolCatalog } = (await type('choose', ...options)).view.state;
    return [promptPack, toolCatalog];
  };
  expect(await chosen('--pack', 'concise', '--catalog', 'reading')).toEqual(['concise', 'reading']);
  expect(await chosen('--default-pack')).toEqual([null, 'reading']);
  expect(await chosen('--default-catalog')).toEqual([null, null]);
  await expect(chosen('--pack', 'concise', '--default-pack')).rejects.toThrow(/cannot be used with/);
});
