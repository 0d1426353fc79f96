import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { onModel, test as commandTest } from '../fixtures/command-line';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { shots } from '../fixtures/shots';
import { send } from '../fixtures/window';

const usage = { inputTokens: 100_000, outputTokens: 10_000, cachedTokens: 80_000, reasoningTokens: 2_000 };
const reply = (text: string) => ({ text, usage });

test('[USE-window] a reply, its session, a model and a day show their tokens and their cost', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [reply('One.'), reply('Two.'), reply('Three.')] });
  const stage = await launchOn(model);
  const { page } = stage;
  await send(page, 'first');
  await settled(page, 1);
  await expect(turn(page, 1)).toContainText('price unknown');

  const price = { input: 4, cachedInput: 1, output: 10 };
  await page.evaluate(
    async (modelOptions) => {
      await (
        globalThis as unknown as { patina: { invoke: (name: string, input: unknown) => Promise<unknown> } }
      ).patina.invoke('settings-set', { modelOptions, monthlyLimit: 1 });
    },
    { 'environment/scripted': { price } },
  );
  await page.reload();
  await expect(turn(page, 1)).toContainText('$0.26');
  await send(page, 'second');
  await settled(page, 2);
  await expect(turn(page, 2)).toContainText('$0.26');

  await turn(page, 2).getByRole('button', { name: 'Open in the inspector' }).click();
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await inspector.getByRole('tab', { name: 'Usage' }).click();
  const ofTurn = inspector.getByRole('region', { name: 'Message 2' });
  await expect(ofTurn).toContainText('20,000');
  await expect(ofTurn).toContainText('80 %');
  await expect(inspector.getByRole('region', { name: 'This session' })).toContainText('$0.52');
  await expect(inspector.getByRole('region', { name: 'environment/scripted' })).toContainText('160,000');
  await shots(stage, 'usage-inspector');
  await inspector.getByRole('button', { name: 'Close the inspector' }).click();

  await page.keyboard.press('ControlOrMeta+,');
  const settings = page.getByRole('dialog', { name: 'Settings' });
  await settings.getByRole('tab', { name: 'Usage' }).click();
  await expect(settings.getByRole('img', { name: /^\$0\.52 from/ })).toBeVisible();
  await expect(settings).toContainText('of $1.00');
  await settings.getByRole('combobox', { name: 'Table' }).selectOption('By model');
  await expect(settings.getByRole('row', { name: /environment\/scripted/ })).toContainText('$0.52');
  await shots(stage, 'usage-settings');
  await page.keyboard.press('Escape');
  await send(page, 'third');
  await settled(page, 3);
  await expect(turn(page, 3)).toContainText('$0.26');
});

test('[USE-limit] the window reports the reached limit, and sends nothing', async ({
  startModel,
  launchOn,
  home,
}) => {
  const model = await startModel({ replies: [reply('One.'), reply('Never.')] });
  writeFileSync(
    join(home, 'ui_settings.json'),
    JSON.stringify({
      modelOptions: { 'environment/scripted': { price: { input: 400, output: 10 } } },
      monthlyLimit: 1,
      limitAction: 'stop',
    }),
  );
  const { page } = await launchOn(model);
  await send(page, 'first');
  await settled(page, 1);
  await expect(page.getByText(/^The monthly limit of \d{4}-\d{2} is reached$/)).toBeVisible();
  await send(page, 'second');
  await expect(await settled(page, 2)).toContainText('The monthly limit is reached');
  expect(model.chats()).toHaveLength(1);
});

commandTest(
  '[USE-report] [USE-limit] the terminal reports usage as JSON, and stops at the limit',
  async ({ startModel, patina }) => {
    const env = onModel(await startModel({ replies: [reply('One.'), reply('Never.')] }));
    expect((await patina(['ask', 'first'], { env })).code).toBe(0);
    const before = (await patina(['usage', '--by', 'model', '--json'], { env })).json();
    expect(before).toMatchObject({ by: 'model', total: { calls: 1, ...usage, cost: { unpriced: 1 } } });
    const [line] = before['lines'] as { key: string }[];
    await patina(['prices', 'set', line?.key ?? '', '--input', '400', '--output', '10'], { env });
    const limited = await patina(['usage', '--limit', '1', '--at-limit', 'stop'], { env });
    expect(limited.stdout).toContain('of $1.00');
    const refused = await patina(['ask', 'second', '--json'], { env });
    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused.json())).toContain('COST_LIMIT');
    const agent = await patina(['agent', 'Count the clouds', '--json'], { env });
    expect(JSON.stringify(agent.json())).toContain('COST_LIMIT');
  },
);
