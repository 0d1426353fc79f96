import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { settled, turn } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { send } from '../fixtures/window';

const bar = (page: Page) => page.getByRole('group', { name: 'Working on' });
const question = (page: Page) => page.getByRole('group', { name: /^Question: / });
const change = (mode: string) => ({
  toolCalls: [
    { id: 'c1', name: 'agent_change_mode', arguments: { mode, branch: false, reason: 'You want a record.' } },
  ],
});

test('[AGN14-9-only-tool] a model’s request for a mode: refused when impossible, Stay changes nothing, a click switches', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      change('nowhere'),
      { text: 'There is no such mode.' },
      change('ddr_authoring'),
      { text: 'We stay.' },
      change('ddr_authoring'),
      { text: 'Switched.' },
    ],
  });
  const { page } = await launchOn(model);
  const mode = (name: string) => page.getByRole('button', { name: `Session mode: ${name}` });

  await send(page, 'Which mode should I be in?');
  await expect(await settled(page, 1)).toContainText('There is no such mode.');
  await expect(question(page)).toHaveCount(0);
  const told = (await model.chat(1)).text;
  expect(told).toContain('Valid modes: general, ddr_authoring, workflow_authoring');

  await send(page, 'Help me write a decision record');
  await expect(question(page)).toContainText('You want a record.');
  await expect(mode('General')).toBeVisible();
  await question(page).getByRole('button', { name: 'Stay' }).click();
  await expect(await settled(page, 2)).toContainText('We stay.');
  await expect(mode('General')).toBeVisible();

  await send(page, 'Help me again');
  await question(page).getByRole('button', { name: 'Switch this session' }).click();
  await expect(await settled(page, 3)).toContainText('Switched.');
  await expect(mode('DDR Authoring')).toBeVisible();
});

test('[AGN37-9-flow-d] a confirmed send writes the message into the outbox, once', async ({
  home,
  startModel,
  launchOn,
}) => {
  const { page } = await launchOn(await startModel({ replies: [] }));
  await send(page, '/template TPL-123');
  await expect(bar(page).getByRole('button', { name: /^Working on: / })).toBeVisible();
  await send(page, 'send this to the Q1 pilot list');
  await expect(question(page)).toContainText("Confirm send to 'Q1 pilot list'?");
  await question(page).getByRole('button', { name: 'Yes', exact: true }).click();
  await expect(turn(page, 2)).toContainText('outbox/');
  const mails = readdirSync(join(home, 'outbox'));
  expect(mails).toHaveLength(1);
  expect(readFileSync(join(home, 'outbox', mails[0] ?? ''), 'utf8')).toMatch(/^Subject: /m);
});
