import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { turn } from '../fixtures/conversation';
import { apply, openPanel, ownWorkspace, panel, sync, type WorkspaceOnDisk } from '../fixtures/workspace';
import { send } from '../fixtures/window';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

const closePanel = async ({ page }: Stage) => page.keyboard.press('Escape');

let disk: WorkspaceOnDisk | undefined;
let home = '';
function files(): WorkspaceOnDisk {
  if (!disk) throw new Error('The scene has not been opened.');
  return disk;
}

async function startSession(stage: Stage, text = 'What is in this folder?'): Promise<void> {
  modelOf(stage).add({ text: 'Two files with the same words, and one with others.' });
  await send(stage.page, text);
  await expect(turn(stage.page, 1)).toContainText('Two files');
}

const tab = (page: Page, name: RegExp) => panel(page).getByRole('tab', { name });

/** Changes of every kind: a prompt's words, a descriptor's schema, a catalog's tools, a file of context. */
function changeFiles(round: number): void {
  const { say, write, read } = files();
  say(
    `You help the people who look after Atlas.\nRound ${round}.\n\nSay what you are not sure of, and how one could find out.`,
  );
  const file = 'tools/descriptors/project.list-files.json';
  const descriptor = JSON.parse(read(file)) as { description: string; parameters: { properties: object } };
  descriptor.description = `Lists the project's files, smallest first. Round ${round}.`;
  write(file, JSON.stringify(descriptor, null, 2));
  write('context/docs/patina.md', `# Atlas\n\nRound ${round}. The map's tiles are made once a night.\n`);
  write(
    'tools/catalogs/reading.json',
    JSON.stringify({
      id: 'reading',
      tools: ['tools/descriptors/project.list-files.json', 'agent_list_modes', `mcp://project.*`],
    }),
  );
}

/** An active catalog that shows a tool that nothing here can execute. */
async function adoptUnbound(stage: Stage): Promise<Locator> {
  const { write } = files();
  const descriptor = {
    name: 'send_by_pigeon',
    description: 'Sends a pigeon.',
    parameters: { type: 'object' },
  };
  write('tools/descriptors/mail.json', JSON.stringify(descriptor));
  write(
    'tools/catalogs/default.json',
    JSON.stringify({ id: 'default', tools: ['agent_*', 'mcp://*', 'tools/descriptors/mail.json'] }),
  );
  await startSession(stage);
  const opened = await openPanel(stage.page);
  await sync(opened);
  const button = opened.getByRole('button', { name: 'Use this version' });
  if (await button.isVisible()) await apply(opened, 'immediate_if_idle');
  return opened;
}

const rows: readonly StateRow[] = [
  {
    name: 'workspace-new-sessions',
    reach: async ({ page }) => {
      await openPanel(page);
      await expect(panel(page).getByRole('list', { name: 'Instructions' })).toBeVisible();
    },
    leave: closePanel,
  },
  {
    name: 'workspace-pending',
    reach: async (stage) => {
      await startSession(stage);
      changeFiles(1);
      await sync(await openPanel(stage.page));
      await expect(panel(stage.page)).toContainText('From the active');
    },
    leave: closePanel,
  },
  {
    name: 'workspace-pending-while-running',
    reach: async (stage) => {
      await startSession(stage);
      changeFiles(2);
      modelOf(stage).add({ text: 'A long answer. '.repeat(2_000), tokensPerSecond: 20 });
      await send(stage.page, 'Tell me everything');
      await expect(turn(stage.page, 2)).toContainText('A long answer');
      const opened = await openPanel(stage.page);
      await sync(opened);
      await apply(opened, 'immediate_if_idle');
      await expect(opened).toContainText('Scheduled');
    },
    leave: async (stage) => {
      await closePanel(stage);
      await stage.page.getByRole('button', { name: 'Stop', exact: true }).click();
    },
  },
  {
    name: 'workspace-refused',
    reach: async (stage) => {
      await startSession(stage);
      files().write(
        'prompts/packs/default.json',
        JSON.stringify({ id: 'default', templates: ['../../../etc/passwd', 'prompts/templates/gone.md'] }),
      );
      await sync(await openPanel(stage.page));
      await expect(panel(stage.page)).toContainText('is unchanged');
    },
    leave: async (stage) => {
      files().write(
        'prompts/packs/default.json',
        JSON.stringify({ id: 'default', templates: ['prompts/templates/system.base.md'] }),
      );
      await closePanel(stage);
    },
  },
  {
    name: 'workspace-history',
    reach: async (stage) => {
      await startSession(stage);
      for (const round of [3, 4]) {
        changeFiles(round);
        const opened = await openPanel(stage.page);
        await sync(opened);
        await apply(opened, 'immediate_if_idle');
        await expect(opened).toContainText('This version is active now');
        await closePanel(stage);
      }
      await openPanel(stage.page);
      await tab(stage.page, /^History/).click();
      await panel(stage.page)
        .getByRole('button', { name: /^Go back to / })
        .first()
        .click();
      await expect(panel(stage.page).getByRole('group', { name: /^Go back to / })).toBeVisible();
    },
    leave: closePanel,
  },
  {
    name: 'workspace-findings',
    reach: async (stage) => {
      await adoptUnbound(stage);
      await tab(stage.page, /^Findings/).click();
      await expect(panel(stage.page)).toContainText('no tool provides it');
    },
    leave: closePanel,
  },
  {
    name: 'inspector-sent',
    reach: async (stage) => {
      await startSession(stage);
      await turn(stage.page, 1).hover();
      await turn(stage.page, 1).getByRole('button', { name: 'What the model was sent' }).click();
      const calls = stage.page.getByRole('list', { name: 'Model calls of this turn' });
      await calls
        .getByText(/^workspace: /)
        .first()
        .click();
      await expect(calls.getByRole('button', { name: 'Copy block' }).first()).toBeVisible();
    },
  },
  {
    name: 'inspector-tools',
    reach: async (stage) => {
      await startSession(stage);
      await stage.page.keyboard.press('Control+i');
      await stage.page.getByRole('tab', { name: 'Tools' }).click();
      await expect(stage.page.getByRole('list', { name: 'Offered', exact: true })).toBeVisible();
    },
  },
  {
    name: 'workspace-folder-gone',
    reach: async (stage) => {
      const notes = join(home, 'notes');
      cpSync(files().root, notes, { recursive: true });
      writeFileSync(join(home, 'workspaces.json'), JSON.stringify({ workspaces: { notes } }));
      await startSession(stage);
      const opened = await openPanel(stage.page);
      await opened.getByRole('combobox', { name: 'Workspace' }).selectOption('notes');
      await sync(opened);
      await apply(opened, 'immediate_if_idle');
      await expect(opened).toContainText('notes, since');
      rmSync(notes, { recursive: true });
      await sync(opened);
      await expect(opened).toContainText('The last sync was refused');
    },
    leave: closePanel,
  },
];

/** The workspace panel in every reachable state. */
export const workspaceScene: Scene = {
  name: 'workspace',
  async open({ home: folder, project, startModel, launchOn }) {
    disk = ownWorkspace(project);
    home = folder;
    const model = await startModel({ replies: [] });
    return { ...(await launchOn(model)), model };
  },
  rows,
};
