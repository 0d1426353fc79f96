import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildEntry } from '../../testing/build-entry';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let projectServer: string;
let project: string;
let harness: MainHarness;
beforeAll(async () => {
  projectServer = await buildEntry('project-server/index.ts');
}, 60_000);
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'patina-ask-preview-'));
});
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

describe('the prompt preview of a line with tools in Ask', () => {
  it('[P3-Z-ask-tools] shows exactly the tools that are sent, including server tools, and the reason for every other', async () => {
    mkdirSync(join(project, '.patina'));
    writeFileSync(
      join(project, '.patina', 'capabilities.json'),
      JSON.stringify({ allow: ['mcp://project.*'], deny: ['mcp://project.hash_files'], write: [] }),
    );
    harness = await startMain({ project, projectServer, replies: [{ text: 'Hello.' }] });
    must(harness.app.settings.patch({ toolsInAsk: true }));
    const { sessionId } = harness;
    const { tools, verdicts = [] } = must(await harness.app.previewPrompt({ sessionId, runMode: 'ask' }));
    await harness.say('greet me in the style of a press release');
    const sent = harness.model.chats()[0]?.json as unknown as { tools: { function: { name: string } }[] };
    expect(tools.map(({ name, description, parameters }) => ({ name, description, parameters }))).toEqual(
      sent.tools.map((tool) => tool.function),
    );
    expect(names(tools)).toContain('project__list_files');
    const why = new Map(verdicts.map(({ name, offered, layer }) => [name, offered ? 'offered' : layer]));
    expect(why.get('mcp://project.list_files')).toBe('offered');
    expect(why.get('mcp://project.hash_files')).toBe('capability');
    expect(why.get('mcp://filesystem.write_file')).toBe('capability');
    const offered = verdicts.filter((verdict) => verdict.offered && verdict.name.startsWith('mcp://'));
    expect(offered).toHaveLength(names(tools).filter((name) => name.includes('__')).length);
  }, 60_000);

  it('[P3-Z-ask-tools] contacts no server while they are off, and shows them for one question that wants them', async () => {
    harness = await startMain({ project, projectServer });
    const { sessionId } = harness;
    const off = must(await harness.app.previewPrompt({ sessionId, runMode: 'ask' }));
    expect(names(off.verdicts ?? []).filter((name) => name.startsWith('mcp://'))).toEqual([]);
    const wanted = must(await harness.app.previewPrompt({ sessionId, runMode: 'ask', tools: true }));
    expect(names(wanted.tools)).toContain('project__list_files');
    must(await harness.app.workspace.call({ op: 'choose', toolCatalog: 'reading', sessionId }));
    const hidden = must(await harness.app.previewPrompt({ sessionId, runMode: 'ask', tools: true }));
    expect(hidden.verdicts).toContainEqual(
      expect.objectContaining({ name: 'mcp://filesystem.write_file', offered: false, layer: 'descriptor' }),
    );
  }, 60_000);
});
