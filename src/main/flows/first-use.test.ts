import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startMain, type MainHarness, type MainHarnessOptions } from '../../testing/main-harness';

let harness: MainHarness;
const start = async (options?: MainHarnessOptions): Promise<MainHarness> =>
  (harness = await startMain(options));
afterEach(() => harness.close());

const outreach = ['email_templates', 'mailer_lists', 'personas'];
const unlisted = (): readonly string[] => harness.app.plane.view(harness.state()).unlisted.toSorted();

it('[LIST-first-use] lists leave out outreach data, the workspace and design records at the first start', async () => {
  await start();
  expect(unlisted()).toEqual([
    'apply_moments',
    'ddrs',
    ...outreach,
    'prompt_packs',
    'tool_catalogs',
    'workspace_snapshots',
    'workspaces',
  ]);
});

it('[LIST-first-use] a line reaches what lists leave out; its first use lists it and what belongs to it', async () => {
  await start();
  const turn = await harness.say('work on email templates');
  expect(turn.route?.action).toMatchObject({ type: 'open-picker', source: { catalogId: 'email_templates' } });
  expect(unlisted().filter((id) => outreach.includes(id))).toEqual([]);
  expect(unlisted()).toContain('workspaces');
  expect(harness.app.settings.get().usedSources.toSorted()).toEqual(outreach);
});

it('[LIST-first-use] a command with an item is a use as well', async () => {
  await start();
  await harness.say('/persona PERS-22');
  expect(unlisted().filter((id) => outreach.includes(id))).toEqual([]);
});

it('[LIST-first-use] the design records of the user are a use', async () => {
  await start({ prepareHome: (home) => mkdirSync(join(home, 'ddrs')) });
  expect(unlisted()).not.toContain('ddrs');
});
