import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildEntry } from '../../testing/build-entry';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { notes, startWorkflowHarness, text } from '../../testing/workflow-harness';
import { builtInScope } from '../../core/tools/call-scope';
import { writtenCall } from '../../core/tools/call-tool';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start() {
  const project = mkdtempSync(join(tmpdir(), 'patina-commands-'));
  ends.push(() => rmSync(project, { recursive: true, force: true }));
  const root = join(project, '.patina', 'workspace');
  mkdirSync(root, { recursive: true });
  cpSync(resolve('seeds/workspace'), root, { recursive: true });
  const harness = await startMain({ project });
  ends.push(harness.close);
  const write = (words: string): void => writeFileSync(join(root, 'prompts/templates/system.base.md'), words);
  return { ...harness, write };
}

/** Sends a line that a command handles; returns the command's summary. */
async function summaryOf({ say }: MainHarness, line: string): Promise<string | undefined> {
  return (await say(line)).command?.summary;
}

describe('commands on the agent workspace', () => {
  it('[P3-CS-commands] sync, apply, choose and roll back through the router, like the window’s panel', async () => {
    const harness = await start();
    const { state, write } = harness;
    write('The first text.');
    expect(await summaryOf(harness, '/sync default')).toMatch(
      /^Synced: version [0-9a-f]{12} is ready to use[.]$/,
    );
    expect(state().workspace.pending).not.toBeNull();
    expect(await summaryOf(harness, '/apply now')).toBeDefined();
    const first = state().workspace.history.at(-1)?.hash ?? state().workspace.waiting?.hash;
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await summaryOf(harness, '/sync default')).toBe('Nothing changed in the workspace.');
    expect(await summaryOf(harness, 'use the prompt pack concise')).toBe('Instructions: concise');
    expect(await summaryOf(harness, '/catalog reading')).toBe('Tool set: reading');
    expect(state().workspace).toMatchObject({ promptPack: 'concise', toolCatalog: 'reading' });
  });

  it('[P3-CS-commands] open lists of the active snapshot’s content with their launchers', async () => {
    const { app, sessionId, say } = await start();
    const opened = await say('show the prompt packs');
    expect(opened.route?.action).toMatchObject({
      type: 'open-picker',
      source: { providerId: 'prompt_packs' },
    });
    const source = { providerId: 'tool_catalogs' };
    const page = await app.plane.page(app.log.state(sessionId), { source, text: '', offset: 0, limit: 10 });
    expect(page.items.map(({ header }) => header.id)).toEqual(['default', 'reading']);
  });

  it('[P3-CS-commands] [P3-SA-no-event] are not offered to any model', async () => {
    const { app, sessionId } = await start();
    const { tools } = must(await app.previewPrompt({ sessionId, runMode: 'ask' }));
    expect(tools.filter(({ name }) => name.startsWith('workspace_'))).toEqual([]);
    const lists = { modeTools: ['*'], catalogTools: ['*'] };
    const { signal } = new AbortController();
    const scope = builtInScope({ sessionId, turn: null, lists });
    const call = writtenCall('workspace_apply', '{"when":"immediate_if_idle"}');
    expect((await app.toolCalls.callTool(scope, call, signal)).result.ok).toBe(false);
  });
});

describe('the steps of a workflow', () => {
  let projectServer: string;
  beforeAll(async () => {
    projectServer = await buildEntry('project-server/index.ts');
  }, 60_000);

  it('[P3-TC-workflow] are offered the permitted tools that the catalog shows, and no others', async () => {
    const harness = await startWorkflowHarness([notes.begin, text('Begun.'), text('And on.')], projectServer);
    ends.push(harness.close);
    harness.attend();
    await harness.say('write the meeting minutes');
    expect(harness.offeredIn(1)).toEqual(
      expect.arrayContaining(['filesystem__write_file', 'project__list_files']),
    );
    const { sessionId } = harness;
    must(await harness.app.workspace.call({ op: 'choose', toolCatalog: 'reading', sessionId }));
    await harness.say('go on');
    expect(harness.offeredIn(2)).toContain('project__list_files');
    expect(harness.offeredIn(2)).not.toContain('filesystem__write_file');
    expect(harness.offeredIn(2)).toContain('agent_complete_workflow');
  });
});
