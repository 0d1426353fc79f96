import { expect, type ElectronApplication, type Page } from '@playwright/test';
import { settled } from '../fixtures/conversation';
import { test } from '../fixtures/scripted';
import { send, switchMode } from '../fixtures/window';
import type { ScriptedRequest } from '../../src/testing/scripted-reply';

/** The processes that exist for Agent Mode only, by the names they are started with. */
function agentProcesses(app: ElectronApplication): Promise<string[]> {
  return app.evaluate(({ app: self }) =>
    self
      .getAppMetrics()
      .filter(
        ({ type, name, serviceName }) => type === 'Utility' && `${name} ${serviceName}`.includes('Patina'),
      )
      .map(({ name }) => name ?? ''),
  );
}

/** Two lines in Ask, in a new session. */
async function talk(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^New session/ }).click();
  await switchMode(page, 'Ask');
  await send(page, 'What is a tuple?');
  await expect(await settled(page, 1)).toContainText('An answer.');
  await send(page, 'And find duplicate files in ./docs?');
  await expect(await settled(page, 2)).toContainText('An answer.');
}

const wire = ({ method, path, headers, text }: ScriptedRequest) => ({ method, path, headers, text });

test('[ASK-unchanged] [AGENT-lazy] Ask sends the same bytes and starts nothing, with Agent Mode on, off and used', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({ replies: [{ match: /./, text: 'An answer.' }] });
  const on = await launchOn(model);
  await talk(on.page);
  expect(await agentProcesses(on.app)).toEqual([]);

  await on.page.getByRole('button', { name: /^New session/ }).click();
  await switchMode(on.page, 'Agent Mode');
  await send(on.page, 'find duplicate files in ./docs');
  await expect(await settled(on.page, 1)).toContainText('b.txt');
  // The same search finds them once they exist.
  expect((await agentProcesses(on.app)).length).toBeGreaterThan(0);
  expect(model.chats()).toHaveLength(2);
  await talk(on.page);
  await on.app.close();

  const off = await launchOn(model, { env: { PATINA_AGENT_MODE: 'off' } });
  await talk(off.page);
  expect(await agentProcesses(off.app)).toEqual([]);

  const [first, second, ...later] = model.chats().map(wire);
  expect(later).toEqual([first, second, first, second]);
  expect(first?.text).toContain('What is a tuple?');
  expect(second?.text).toContain('An answer.');
});
