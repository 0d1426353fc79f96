import { expect } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { planOf, scriptNode, test } from '../fixtures/command-line';
import { planReply, runCard, runOver } from '../fixtures/run';
import { shots } from '../fixtures/shots';
import { composer, send, switchMode } from '../fixtures/window';

const code = `const { files } = await tools.project.list_files({ path: 'docs', limit: 50 });
return { summary: 'listed', state: { count: files.length } };`;
const plan = planOf(
  [scriptNode('list', code, ['mcp://project.list_files'])],
  'There are {{list.count}} files.',
);

test('[REC-window] [REC-draft] [REC-defaults] [REC-runs] a run becomes a recipe by keyboard, and the next line runs it', async ({
  startModel,
  launchOn,
  patina,
}) => {
  const model = await startModel({ replies: [planReply('How many things lie in ./docs', plan)] });
  const { app, page } = await launchOn(model);
  await switchMode(page, 'Agent Mode');
  await send(page, 'How many things lie in ./docs');
  await expect(await runOver(page, 1)).toContainText('There are 5 files.');

  await runCard(page, 1).getByRole('button', { name: 'Save as recipe' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Save as recipe' });
  const title = dialog.getByRole('textbox', { name: 'Title' });
  await expect(title).toBeFocused();
  await expect(dialog.getByRole('textbox', { name: 'Id', exact: true })).toHaveValue(
    'how_many_things_lie_in_docs',
  );
  const preview = dialog.getByRole('region', { name: 'Preview' });
  await expect(preview).toContainText('how many things lie in {path}');
  expect(await axeFindings(page)).toEqual([]);

  // Every obstacle is shown during typing, and nothing can be saved.
  const id = dialog.getByRole('textbox', { name: 'Id', exact: true });
  const save = dialog.getByRole('button', { name: 'Save', exact: true });
  await id.fill('count_todos');
  await expect(dialog).toContainText('A recipe count_todos already exists.');
  await expect(save).toBeDisabled();
  await shots({ app, page }, 'save-recipe-findings');
  await id.fill('count_things');
  await dialog.getByRole('textbox', { name: 'Name of the parameter for “docs”' }).fill('1st');
  await expect(dialog).toContainText('"1st" is not a valid parameter name.');
  await dialog.getByRole('textbox', { name: 'Name of the parameter for “docs”' }).fill('folder');
  await dialog.getByRole('checkbox', { name: /^50/ }).press('Space');
  await expect(preview).toContainText('how many things lie in {folder}');
  await expect(preview).toContainText('--param folder=docs --param limit=50');
  const limit = dialog.getByRole('textbox', { name: 'Default value of limit' });
  await limit.fill('many');
  await expect(dialog).toContainText('"many" is not a number.');
  await limit.fill('40');
  await expect(preview).toContainText('--param folder=docs --param limit=40');
  await shots({ app, page }, 'save-recipe');
  await title.fill('Count things');
  await expect(save).toBeEnabled();
  await title.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Saved the recipe “Count things”. You can run it now.').first()).toBeVisible();
  const list = page.getByRole('dialog', { name: 'Choose a recipe' });
  await expect(list.getByRole('option', { name: /Count things/ })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Escape');
  await expect(list).toBeHidden();

  await send(page, 'how many things lie in ./docs/deep');
  await expect(await runOver(page, 2)).toContainText('There are 1 files.');
  await expect(runCard(page, 2)).toContainText('recipe count_things');
  expect(model.chats()).toHaveLength(1);

  await composer(page).fill('/recipe Count th');
  await expect(page.getByRole('option', { name: /Count things/ })).toBeVisible();
  await composer(page).fill('');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command palette' }).fill('newest run as a recipe');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  const listed = await patina(['recipe', 'list', '--json']);
  expect(listed.stdout).toContain('"count_things"');
  const ran = await patina(['recipe', 'run', 'count_things', '--param', 'folder=docs/deep', '--json']);
  expect(ran.json()['answer']).toBe('There are 1 files.');
});
