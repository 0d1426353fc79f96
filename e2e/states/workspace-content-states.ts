import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@playwright/test';
import { drawnPng } from '../../src/testing/drawn-png';
import { turn } from '../fixtures/conversation';
import { apply, openPanel, ownWorkspace, panel, sync } from '../fixtures/workspace';
import { send } from '../fixtures/window';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

let atlas = '';
const root = (): string => join(atlas, '.patina', 'workspace');

function write(path: string, content: string | Uint8Array): void {
  const file = join(root(), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
const json = (path: string, value: object): void => write(path, JSON.stringify(value, null, 2));

/** Replaces the workspace of the project. */
function begin(): void {
  rmSync(root(), { recursive: true, force: true });
  ownWorkspace(atlas, 'You help the people who look after Atlas.');
}

const base = 'prompts/templates/system.base.md';
const pack = (context: readonly string[]): void =>
  json('prompts/packs/default.json', { id: 'default', templates: [base], context });

async function startSession(stage: Stage, text = 'What is on the map?'): Promise<void> {
  modelOf(stage).add({ text: 'The harbour, and the road that leads to it.' });
  await send(stage.page, text);
  await expect(turn(stage.page, 1)).toContainText('The harbour');
}

/** A session whose workspace is what the project has now. */
async function adopt(stage: Stage): Promise<void> {
  await startSession(stage, 'Good morning');
  const opened = await openPanel(stage.page);
  await sync(opened);
  if (await opened.getByRole('button', { name: 'Use this version' }).isVisible()) {
    await apply(opened, 'immediate_if_idle');
    await expect(opened).toContainText('This version is active now');
  }
}

const closePanel = async ({ page }: Stage) => page.keyboard.press('Escape');

const changed = (n: number): string =>
  Array.from(
    { length: 12 },
    (_, line) => `Street ${n}, house ${line + 1}: ${line === 5 ? 'rebuilt' : 'as it was'}.`,
  ).join('\n');

function longPrompt(round: number): string {
  const rule = (n: number): string =>
    n % 7 === round
      ? `${n}. Say it in the words of round ${round}, and leave out what was said before.`
      : `${n}. Keep to rule ${n} of the house.`;
  return `# How to answer\n\n${Array.from({ length: 2_400 }, (_, n) => rule(n + 1)).join('\n')}\n`;
}

/** A folder of tools alone, as before the index existed. */
function withoutIndex(): void {
  begin();
  rmSync(join(root(), 'agent.workspace.json'));
  json('tools/list_files.json', { name: 'mcp://project.list_files', description: 'Lists the files.' });
  json('tools/modes.json', { name: 'agent_list_modes', description: 'Lists the modes.' });
}

const rows: readonly StateRow[] = [
  {
    name: 'workspace-empty',
    reach: async ({ page }) => {
      await expect(await openPanel(page)).toContainText('You have no workspace of your own here yet.');
    },
    leave: closePanel,
  },
  {
    name: 'workspace-create',
    reach: async ({ page }) => {
      const opened = await openPanel(page);
      await opened.getByRole('button', { name: 'Create a workspace' }).click();
      await opened.getByRole('textbox', { name: 'Name' }).fill('atlas');
    },
    leave: async (stage) => {
      await closePanel(stage);
      await closePanel(stage);
    },
  },
  {
    name: 'inspector-images',
    reach: async (stage) => {
      begin();
      write('context/images/harbour.png', drawnPng(640, 400));
      write('context/images/legend-of-the-northern-sheets-1923.png', drawnPng(120, 480));
      pack([
        'context/docs/patina.md',
        'context/images/harbour.png',
        'context/images/legend-of-the-northern-sheets-1923.png',
      ]);
      await adopt(stage);
      await closePanel(stage);
      modelOf(stage).add({ text: 'Two sheets: the harbour and a legend.' });
      await send(stage.page, 'What do the sheets show?');
      await expect(turn(stage.page, 2)).toContainText('Two sheets');
      await turn(stage.page, 2).hover();
      await turn(stage.page, 2).getByRole('button', { name: 'What the model was sent' }).click();
      const images = stage.page.getByRole('group', { name: 'Images sent before the first message' });
      await images.getByText('harbour.png').first().click();
      await expect(images.getByRole('img', { name: /harbour/ })).toBeVisible();
      await images.getByRole('img', { name: /harbour/ }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'workspace-diff-500-files',
    reach: async (stage) => {
      begin();
      const files = Array.from(
        { length: 250 },
        (_, n) => `context/docs/street-${String(n + 1).padStart(3, '0')}.md`,
      );
      for (const [n, file] of files.entries()) write(file, changed(n + 1).replace('rebuilt', 'as it was'));
      pack(files);
      await adopt(stage);
      for (const [n, file] of files.entries()) write(file, changed(n + 1));
      const more = files.map((file) => file.replace('street', 'square'));
      for (const [n, file] of more.entries()) write(file, changed(n + 1));
      write('context/images/harbour.png', drawnPng(64, 40));
      // A reference of its own stays within what one pack may name.
      json('agent.workspace.json', {
        schema: 'agent.workspace',
        version: 1,
        promptPacks: { default: 'prompts/packs/default.json' },
        toolCatalogs: { default: 'tools/catalogs/default.json' },
        contextGroups: { squares: [...more, 'context/images/harbour.png'] },
        defaults: { promptPack: 'default', toolCatalog: 'default' },
      });
      pack([...files, 'group:squares']);
      await sync(panel(stage.page));
      await panel(stage.page)
        .getByRole('tab', { name: /^Changes/ })
        .click();
      await expect(panel(stage.page)).toContainText('Context · 502');
    },
    leave: closePanel,
  },
  {
    name: 'workspace-diff-long-prompt',
    reach: async (stage) => {
      begin();
      write(base, longPrompt(1));
      await adopt(stage);
      write(base, longPrompt(2));
      await sync(panel(stage.page));
      await panel(stage.page)
        .getByRole('tab', { name: /^Changes/ })
        .click();
      await expect(panel(stage.page)).toContainText('in the words of round 2');
    },
    leave: closePanel,
  },
  {
    name: 'workspace-sync-failed',
    reach: async (stage) => {
      begin();
      write('agent.workspace.json', '{ "schema": "agent.workspace",');
      await startSession(stage);
      await sync(await openPanel(stage.page));
      await expect(panel(stage.page)).toContainText('The last sync was refused');
    },
    leave: closePanel,
  },
  {
    name: 'workspace-sync-failed-notice',
    reach: async (stage) => {
      write('agent.workspace.json', '{ "schema": "agent.workspace",');
      await startSession(stage);
      await sync(await openPanel(stage.page));
      await closePanel(stage);
      await expect(stage.page.getByRole('region', { name: 'Notices' })).toContainText('could not be synced');
    },
    leave: async (stage) => {
      begin();
      await sync(await openPanel(stage.page));
      await closePanel(stage);
    },
  },
  {
    name: 'workspace-legacy',
    reach: async (stage) => {
      withoutIndex();
      await adopt(stage);
      await panel(stage.page)
        .getByRole('tab', { name: /^Findings/ })
        .click();
      await expect(panel(stage.page)).toContainText('Add an index');
    },
    leave: closePanel,
  },
  {
    name: 'workspace-legacy-content',
    reach: async (stage) => {
      withoutIndex();
      await adopt(stage);
      await panel(stage.page)
        .getByRole('tab', { name: /^Content/ })
        .click();
      await expect(panel(stage.page)).toContainText('legacy');
    },
    leave: closePanel,
  },
];

/** Possible contents and events of a workspace, as separate states. */
export const workspaceContentScene: Scene = {
  name: 'workspace content',
  async open({ project, startModel, launchOn }) {
    atlas = project;
    const model = await startModel({ replies: [] });
    return { ...(await launchOn(model)), model };
  },
  rows,
};
