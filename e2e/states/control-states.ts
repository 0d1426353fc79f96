import { expect, type Page } from '@playwright/test';
import { turn } from '../fixtures/conversation';
import { dropPack } from '../fixtures/sample-pack';
import { composer, send } from '../fixtures/window';
import { holdPages } from './held-pages';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

const escape = async ({ page }: Stage) => page.keyboard.press('Escape');
const picker = (page: Page) => page.getByRole('dialog').filter({ has: page.getByRole('combobox') });
const option = (page: Page, name: string | RegExp) => picker(page).getByRole('option', { name }).first();
const status = (page: Page) => picker(page).getByRole('status');

/** A list opened by its slash name, as far as it is loaded. */
const list = (name: string, slash: string, shown: (page: Page) => Promise<void>): StateRow => ({
  name,
  reach: async ({ page }) => {
    await send(page, `/${slash}`);
    await expect(picker(page)).toBeVisible();
    await shown(page);
  },
  leave: escape,
});

/** A list whose source answers like this; afterwards the source answers as before. */
const held = (
  name: string,
  answer: Parameters<typeof holdPages>[1],
  shown: (page: Page) => Promise<void>,
): StateRow => ({
  name,
  reach: async (stage) => {
    await holdPages(stage.app, answer);
    await send(stage.page, '/forty');
    await shown(stage.page);
  },
  leave: async (stage) => {
    await holdPages(stage.app, null);
    await escape(stage);
  },
});

async function focusTemplate({ page }: Stage): Promise<void> {
  await send(page, '/template TPL-123');
  await expect(page.getByRole('group', { name: 'Working on' })).toContainText('TPL-123');
}

const question = (page: Page) => page.getByRole('group', { name: /^Question: / });

async function askToSend(stage: Stage): Promise<void> {
  await focusTemplate(stage);
  await send(stage.page, 'send this to the Q1 pilot list');
  await expect(question(stage.page)).toBeVisible();
}

const rows: readonly StateRow[] = [
  list('picker-0', 'none', (page) => expect(picker(page)).toContainText('There are no')),
  list('picker-1', 'one', (page) => expect(option(page, /Part 1/)).toBeVisible()),
  list('picker-40', 'forty', (page) => expect(status(page)).toHaveText('40 items')),
  list('picker-100000', 'many', (page) => expect(status(page)).toHaveText('100,000 items')),
  list('picker-hostile-name', 'odd', (page) => expect(option(page, /img/)).toBeVisible()),
  list('picker-stale', 'old', (page) => expect(picker(page)).toContainText('may be out of date')),
  {
    name: 'picker-no-hits',
    reach: async ({ page }) => {
      await send(page, '/forty');
      await picker(page).getByRole('combobox').fill('rhinoceros');
      await expect(picker(page)).toContainText('Nothing matches “rhinoceros”');
    },
    leave: escape,
  },
  held('picker-loading', 'loading', (page) => expect(picker(page)).toContainText('Loading the')),
  held('picker-failed', 'failed', (page) => expect(picker(page)).toContainText('could not be read')),
  {
    name: 'picker-card',
    reach: async ({ page }) => {
      await send(page, 'work on email templates');
      await expect(picker(page)).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('region', { name: /^Choose: / })).toBeVisible();
    },
  },
  {
    name: 'mode-and-focus',
    reach: async (stage) => {
      await send(stage.page, 'switch to DDR mode');
      await expect(turn(stage.page, 1)).toContainText('handled by');
      await send(stage.page, '/mode general');
      await expect(turn(stage.page, 2)).toContainText('handled by');
      await focusTemplate(stage);
    },
  },
  { name: 'question-open', reach: askToSend },
  {
    name: 'question-answered',
    reach: async (stage) => {
      await askToSend(stage);
      await question(stage.page).getByRole('button', { name: 'Yes' }).click();
      await expect(turn(stage.page, 2)).toContainText("Confirm send to 'Q1 pilot list'? Yes");
    },
  },
  {
    name: 'question-withdrawn',
    reach: async (stage) => {
      await askToSend(stage);
      modelOf(stage).add({ text: 'A pilot list is a small group that tries something first.' });
      await send(stage.page, 'what is a pilot list?');
      await expect(turn(stage.page, 3)).toContainText('tries something first');
    },
  },
  {
    name: 'proposed-by-the-model',
    reach: async (stage) => {
      const proposal = {
        toolCalls: [
          {
            name: 'agent_change_mode',
            arguments: {
              mode: 'ddr_authoring',
              branch: false,
              reason: 'A design record is what you describe.',
            },
          },
        ],
      };
      modelOf(stage).add(proposal, { text: 'All right, we stay in this mode.' });
      await send(stage.page, 'Let us write down why we chose SQLite');
      await expect(question(stage.page)).toBeVisible();
    },
    leave: async ({ page }) => {
      await question(page).getByRole('button', { name: 'Stay' }).click();
      await expect(turn(page, 1)).toContainText('All right');
    },
  },
  {
    name: 'trace',
    reach: async (stage) => {
      await send(stage.page, 'switch to DDR mode');
      await turn(stage.page, 1)
        .getByRole('button', { name: /handled by/ })
        .click();
      await expect(stage.page.getByRole('tabpanel', { name: 'Trace' })).toContainText('Considered');
    },
  },
  {
    name: 'route-inspector',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+i');
      await page.getByRole('tab', { name: 'Route' }).click();
      await page.getByRole('textbox', { name: 'Try a message' }).fill('work on email templates');
      await expect(page.getByRole('tabpanel', { name: 'Route' })).toContainText('Opens a list');
    },
  },
  {
    name: 'slash-names',
    reach: async ({ page }) => {
      await composer(page).pressSequentially('/m');
      await expect(page.getByRole('option', { name: /^\/mode/ }).first()).toBeVisible();
    },
    leave: ({ page }) => composer(page).fill(''),
  },
  {
    name: 'slash-items',
    reach: async ({ page }) => {
      await composer(page).pressSequentially('/template ');
      await expect(page.getByRole('option', { name: /TPL-123/ })).toBeVisible();
    },
    leave: ({ page }) => composer(page).fill(''),
  },
  {
    name: 'palette-commands',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill('template');
      await expect(page.getByRole('option', { name: /template/i }).first()).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'ddrs',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page
        .getByRole('dialog', { name: 'Command palette' })
        .getByRole('combobox')
        .fill('Design records');
      await page.keyboard.press('Enter');
      const panel = page.getByRole('dialog', { name: 'Design records' });
      await panel.getByRole('list', { name: 'Design records' }).getByRole('button').first().click();
      await expect(panel.getByRole('tab', { name: 'Text' })).toBeVisible();
    },
    leave: escape,
  },
  {
    name: 'ddr-approvals',
    reach: async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page
        .getByRole('dialog', { name: 'Command palette' })
        .getByRole('combobox')
        .fill('Design records');
      await page.keyboard.press('Enter');
      const panel = page.getByRole('dialog', { name: 'Design records' });
      await panel.getByRole('list', { name: 'Design records' }).getByRole('button').last().click();
      await panel.getByRole('tab', { name: 'Approvals' }).click();
      await expect(panel.getByRole('tabpanel', { name: 'Approvals' })).toBeVisible();
    },
    leave: escape,
  },
];

const odd = `<img src=x onerror=alert(1)> \u202Egnirts\u202C ${'very long '.repeat(1_000)}`;

/** What the control plane shows: lists of every size and state, questions, traces, documents. */
export const controlScene: Scene = {
  name: 'control',
  async open({ home, startModel, launchOn }) {
    dropPack(home, [
      { id: 'none', count: 0 },
      { id: 'one', count: 1 },
      { id: 'forty', count: 40 },
      { id: 'many', count: 100_000 },
      { id: 'odd', count: 3, firstName: odd },
      { id: 'old', count: 3, stale: true },
    ]);
    const model = await startModel({ replies: [] });
    return { ...(await launchOn(model)), model };
  },
  rows,
};
