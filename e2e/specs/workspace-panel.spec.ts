import { createHash } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { axeFindings } from '../fixtures/axe';
import { test as commandTest } from '../fixtures/command-line';
import { ask, newestSession, settled, turn } from '../fixtures/conversation';
import { apply, openPanel, ownWorkspace, panel, sync } from '../fixtures/workspace';
import { send } from '../fixtures/window';
import type { ScriptedModel } from '../../src/testing/scripted-model';

const test = commandTest;

/** The system messages that were sent, in order. */
const systems = (model: ScriptedModel): readonly string[] =>
  model.chats().map(({ json }) => {
    const [first] = (json as { messages: { role: string; content: string }[] }).messages;
    return first?.role === 'system' ? first.content : '';
  });

async function say(page: Page, n: number, text: string): Promise<void> {
  await send(page, text);
  await settled(page, n);
}

const active = (page: Page) => panel(page).getByRole('region', { name: 'Versions' });

test('[P3-DOD-5] [P3-T-1] [P3-T-2] [P3-T-5] a second process changes files: sync shows it, apply adopts it, the next line uses it, and it all replays', async ({
  startModel,
  launchOn,
  patina,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
  const { app, page } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  const opened = await openPanel(page);
  await sync(opened);
  await apply(opened, 'immediate_if_idle');
  await expect(opened).toContainText('This version is active now.');
  await page.keyboard.press('Escape');

  write('Written by somebody else.');
  await say(page, 2, 'and how deep is it');
  expect(systems(model).at(-1)).toContain('You are the first text of this project.');

  const id = await newestSession(page);
  expect((await patina(['workspace', 'sync', '--session', id, '--json'])).code).toBe(0);
  await openPanel(page);
  await expect(panel(page)).toContainText('Written by somebody else.');
  await expect(active(page)).toContainText('Pending');
  expect((await patina(['workspace', 'apply', '--session', id, '--json'])).code).toBe(0);
  await expect(active(page)).toContainText('Scheduled');
  await page.keyboard.press('Escape');
  await say(page, 3, 'and how cold is it');
  expect(systems(model)[1]).not.toContain('Written by somebody else.');
  expect(systems(model)[2]).toContain('Written by somebody else.');

  const live = (await ask(page, 'session-open', { sessionId: id })).workspace;
  await app.close();
  const replayed = (await patina(['session', 'replay', id, '--json'])).json();
  expect(replayed).toMatchObject({ equal: true });
  const stored = (await patina(['workspace', 'status', '--session', id, '--json'])).json();
  expect((stored as { state: unknown }).state).toEqual(live);
});

test('[P3-W-now-while-running] [P3-SA-4] a request for "now" during a reply is applied when it ends, and shown', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: ['One. ', 'End.'], gated: true }, { text: 'Two.' }] });
  const { page } = await launchOn(model);
  await send(page, 'how wide is the sea');
  model.release(1);
  await expect(turn(page, 1)).toContainText('One.');
  write('For when nothing is under way.');
  const opened = await openPanel(page);
  await sync(opened);
  await expect(opened).toContainText('Patina is working');
  await apply(opened, 'immediate_if_idle');
  await expect(active(page)).toContainText('Scheduled');
  model.release();
  await expect(active(page)).not.toContainText('Scheduled');
  await expect(active(page)).toContainText('Nothing is pending');
  await page.keyboard.press('Escape');
  await settled(page, 1);
  await say(page, 2, 'and how deep is it');
  expect(systems(model)[0]).not.toContain('For when nothing');
  expect(systems(model)[1]).toContain('For when nothing is under way.');
});

test('[P3-T-3] [P3-W-step] an apply at the next step changes the next call of the same reply', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const listModes = {
    text: ['Looking. '],
    gated: true,
    toolCalls: [{ name: 'agent_list_modes', arguments: {} }],
  };
  const model = await startModel({ replies: [listModes, { text: 'Done.' }] });
  const { page } = await launchOn(model);
  await send(page, 'how wide is the sea');
  await expect.poll(() => model.chats().length).toBe(1);
  write('From the second step on.');
  const opened = await openPanel(page);
  await sync(opened);
  await apply(opened, 'next_step_boundary');
  await expect(active(page)).toContainText('Scheduled');
  model.release();
  await expect(active(page)).not.toContainText('Scheduled');
  await page.keyboard.press('Escape');
  await settled(page, 1);
  const [first, second] = systems(model);
  expect(first).not.toContain('From the second step on.');
  expect(second).toContain('From the second step on.');
});

test('[P3-T-4] [P3-SEC-5] [P3-W-refused] a refused sync names file, field and reason, raises a notice, and keeps the active snapshot', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const { page } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  const before = systems(model)[0];
  write('prompts/packs/default.json', '{"id":"default","templates":["../../../etc/passwd"]}');
  const opened = await openPanel(page);
  await sync(opened);
  await expect(opened.getByRole('list', { name: 'Errors' })).toContainText(
    'prompts/packs/default.json · templates.0',
  );
  await expect(opened).toContainText('is unchanged');
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: 'Notices' })).toContainText(
    'The workspace could not be synced',
  );
  await say(page, 2, 'and how deep is it');
  expect(systems(model)[1]).toBe(before);
});

test('[P3-W-restart] [P3-W-history] a pending snapshot is still pending after a restart; history is compared and restored by keyboard', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const first = await launchOn(model);
  await say(first.page, 1, 'how wide is the sea');
  write('Kept over a restart.');
  await sync(await openPanel(first.page));
  await expect(active(first.page)).toContainText('Pending');
  await first.app.close();

  const { page } = await launchOn(model);
  await turn(page, 1).waitFor();
  const opened = await openPanel(page);
  await expect(active(page)).toContainText('Pending');
  await expect(opened).toContainText('Kept over a restart.');
  await apply(opened, 'immediate_if_idle');
  await expect(opened).toContainText('This version is active now.');

  const history = opened.getByRole('tab', { name: 'History' });
  await opened.getByRole('tab', { selected: true }).focus();
  for (let left = 4; left > 0 && (await history.getAttribute('aria-selected')) !== 'true'; left -= 1) {
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(opened.getByRole('button', { name: /^Compare/ }).first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(opened).toContainText('Back to the pending changes');
  await history.click();
  await opened
    .getByRole('button', { name: /^Go back to / })
    .first()
    .press('Enter');
  const group = opened.getByRole('group', { name: /^Go back to / });
  await group.getByRole('radio', { name: 'Now, or when the current work ends' }).check();
  await group.getByRole('button', { name: /^Go back to / }).press('Enter');
  await expect(opened).toContainText('This version is active now.');
  await page.keyboard.press('Escape');
  await say(page, 2, 'and how deep is it');
  expect(systems(model)[1]).not.toContain('Kept over a restart.');
});

test('[P3-W-inspector] the inspector shows exactly what was sent for a past reply, whatever is active now', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }] });
  const { page, app } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  write('Other words, later.');
  const opened = await openPanel(page);
  await sync(opened);
  await apply(opened, 'immediate_if_idle');
  await expect(opened).toContainText('This version is active now.');
  await page.keyboard.press('Escape');
  await say(page, 2, 'and how deep is it');

  await turn(page, 1).hover();
  await turn(page, 1).getByRole('button', { name: 'What the model was sent' }).click();
  const shown = page.getByRole('tabpanel', { name: 'Prompt' });
  await shown.getByRole('button', { name: 'Copy the whole system message' }).click();
  const copied = await app.evaluate(({ clipboard }) => clipboard.readText());
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(hash(copied)).toBe(hash(systems(model)[0] ?? ''));
  await expect(shown).toContainText('Version');
  expect(await axeFindings(page)).toEqual([]);

  await page.getByRole('tab', { name: 'Tools' }).click();
  const tools = page.getByRole('tabpanel', { name: 'Tools' });
  await expect(tools.getByRole('list', { name: 'Offered', exact: true })).toContainText('agent_list_modes');
  await tools.getByRole('searchbox').fill('tool set');
  expect(await axeFindings(page)).toEqual([]);
});

test('[P3-W-override] a pack chosen for the next line applies to that line alone', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
  const { page } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  const opened = await openPanel(page);
  await opened.getByLabel('Instructions for the next message').selectOption('concise');
  await page.keyboard.press('Escape');
  await expect(page.getByText('Next message only: instructions concise')).toBeVisible();
  await say(page, 2, 'and how deep is it');
  await expect(page.getByText('Next message only')).toHaveCount(0);
  await say(page, 3, 'and how cold is it');
  const concise = systems(model).map((text) => text.includes('At most three sentences'));
  expect(concise).toEqual([false, true, false]);
});

test('[P3-override-snapshot-window] a stored snapshot chosen for the next line applies to that line alone', async ({
  startModel,
  launchOn,
  project,
}) => {
  const { say: write } = ownWorkspace(project);
  const replies = ['One.', 'Two.', 'Three.', 'Four.'].map((text) => ({ text }));
  const model = await startModel({ replies });
  const { page } = await launchOn(model);
  await say(page, 1, 'how wide is the sea');
  const opened = await openPanel(page);
  const adopt = async (): Promise<void> => {
    await sync(opened);
    await apply(opened, 'immediate_if_idle');
    await expect(opened).toContainText('This version is active now.');
    await page.keyboard.press('Escape');
  };
  await adopt();
  await say(page, 2, 'and how deep is it');
  const stepOf = async (n: number) => {
    const { blocks } = await ask(page, 'session-open', { sessionId: await newestSession(page) });
    return blocks.flat()[n - 1]?.steps?.at(-1)?.snapshot ?? '';
  };
  const first = await stepOf(2);
  write('Written later.');
  await openPanel(page);
  await adopt();
  await openPanel(page);
  await opened.getByLabel('Version for the next message').selectOption(first);
  await page.keyboard.press('Escape');
  await expect(page.getByText(`Next message only: version ${first.slice(0, 12)}`)).toBeVisible();
  await say(page, 3, 'and how cold is it');
  await expect(page.getByText('Next message only')).toHaveCount(0);
  await say(page, 4, 'and how old is it');
  const later = systems(model).map((text) => text.includes('Written later.'));
  expect(later).toEqual([false, false, false, true]);
  expect(await stepOf(3)).toBe(first);
  expect(await stepOf(4)).not.toBe(first);
});
