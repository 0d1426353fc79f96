import { expect, type Page } from '@playwright/test';
import { startLoopbackProxy } from '../../src/testing/loopback-proxy';
import { newestSession, settled, turn } from '../fixtures/conversation';
import { scriptedKey, test } from '../fixtures/scripted';
import { composer, send, turns } from '../fixtures/window';

interface Failure {
  readonly title: string;
  readonly code: string;
  /** The event and the next step, as the card shows them. */
  readonly says: readonly string[];
}

async function expectCard(page: Page, n: number, { title, code, says }: Failure): Promise<void> {
  const card = (await settled(page, n)).getByRole('region', { name: title });
  await expect(card).toBeVisible();
  for (const words of [...says, code]) await expect(card).toContainText(words);
  await expect(card.getByRole('button', { name: /^Retry/ })).toBeVisible();
  await expect(card).not.toContainText(scriptedKey);
}

const status = (code: number, message: string, headers = {}) =>
  ({ type: 'status', status: code, message, headers }) as const;

test('[LLM-errors] [LLM-retry] [LLM-limit-wait] a refused key, a rate-limited provider and a broken server are cards with a next step', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      { fault: status(401, `Incorrect API key provided: ${scriptedKey}.`) },
      { fault: status(429, 'Slow down.', { 'retry-after': '1' }) },
      { text: 'The second try answers.' },
      { fault: status(429, 'Come back later.', { 'retry-after': '3600' }) },
      { fault: status(500, 'The server fell over.', { 'retry-after': '0' }), times: 4 },
      { fault: status(529, 'Overloaded.', { 'retry-after': '50' }) },
      { text: 'Another model answers.' },
      { fault: status(429, 'Slow down.', { 'retry-after': '20' }) },
    ],
    models: ['scripted', 'spare'],
  });
  const { page } = await launchOn(model);

  await send(page, 'one');
  await expectCard(page, 1, {
    title: 'The key was not accepted',
    code: 'LLM/AUTH',
    says: ['refused the key (401)', 'Check the key in Settings → Models'],
  });
  expect(model.chats()).toHaveLength(1);

  await send(page, 'two');
  await expect(await settled(page, 2)).toContainText('The second try answers.');
  await expect(turn(page, 2).getByRole('region')).toHaveCount(0);
  expect(model.chats()).toHaveLength(3);

  await send(page, 'three');
  await expectCard(page, 3, {
    title: 'The provider asks to slow down',
    code: 'LLM/RATE_LIMITED',
    says: ['accepts no more requests right now', 'Come back later.', 'Send again in'],
  });
  await expect(turn(page, 3).getByRole('button', { name: /^Retry in/ })).toBeDisabled();
  expect(model.chats()).toHaveLength(4);

  await send(page, 'four');
  await expectCard(page, 4, {
    title: 'The model cannot be reached',
    code: 'LLM/UNAVAILABLE',
    says: ['reported a server error (500)', 'The server fell over.', 'Send again in a moment'],
  });
  expect(model.chats()).toHaveLength(8);

  await send(page, 'five');
  await expect(turn(page, 5)).toContainText('is overloaded right now');
  await expect(turn(page, 5)).toContainText(/Tries again in [1-5]?\d s/);
  await turn(page, 5).getByRole('button', { name: 'Other model…' }).click();
  await page.getByRole('option', { name: 'spare' }).click();
  await expect(page.getByText('Another model answers.')).toBeVisible();
  expect(model.chats().at(-1)?.json).toMatchObject({ model: 'spare' });

  await send(page, 'six');
  await expect(turns(page).last()).toContainText('accepts no more requests right now');
  await expect(turns(page).last()).toContainText(/Tries again in [12]?\d s/);
  await composer(page).press('Escape');
  await expect(turns(page).last()).toContainText('Stopped');
});

test('[LLM-half] [LLM-errors] a dropped stream keeps its text, garbage and an unreachable server are reported, retry works', async ({
  startModel,
  launchOn,
}) => {
  const model = await startModel({
    replies: [
      { text: ['Half a thought, ', 'and then ', 'never this.'], fault: { type: 'drop', after: 2 } },
      { text: ['Some words. ', 'never this.'], fault: { type: 'garbage', after: 1 } },
      { fault: { type: 'body', contentType: 'text/html', body: '<h1>Welcome to the hotel</h1>' } },
      { text: 'Whole this time.' },
    ],
  });
  const { page } = await launchOn(model);

  await send(page, 'one');
  await expectCard(page, 1, {
    title: 'The reply is incomplete',
    code: 'LLM/UNAVAILABLE',
    says: ['The reply broke off', 'The 25 characters received so far are kept above'],
  });
  await expect(turn(page, 1)).toContainText('Half a thought, and then');

  await send(page, 'two');
  await expectCard(page, 2, {
    title: 'The model’s reply could not be read',
    code: 'LLM/INVALID_REPLY',
    says: ['sent something unreadable', 'speaks the OpenAI chat API'],
  });
  await expect(turn(page, 2)).toContainText('Some words.');

  await send(page, 'three');
  await expectCard(page, 3, {
    title: 'The model’s reply could not be read',
    code: 'LLM/INVALID_REPLY',
    says: ['sent a web page instead of a reply', 'speaks the OpenAI chat API'],
  });
  const card = turn(page, 3).getByRole('region', { name: 'The model’s reply could not be read' });
  await card.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(await settled(page, 3)).toContainText('Whole this time.');
  await expect(turn(page, 3)).toContainText('three');

  await model.close();
  await send(page, 'five');
  await expectCard(page, 4, {
    title: 'The model cannot be reached',
    code: 'LLM/UNAVAILABLE',
    says: ['nothing answers at 127.0.0.1'],
  });
  await expect(turns(page)).toHaveCount(4);
  expect(await newestSession(page)).not.toBe('');
});

test('[LOCAL-proxy] a model is reached through the proxy of the system', async ({ startModel, launch }) => {
  const model = await startModel({ replies: [{ text: 'Through the proxy.' }], models: ['scripted'] });
  const proxy = await startLoopbackProxy(() => Number(new URL(model.baseUrl).port));
  try {
    const { app, page } = await launch({
      env: {
        OPENAI_BASE_URL: 'http://models.example/v1',
        OPENAI_API_KEY: scriptedKey,
        PATINA_MODEL: 'scripted',
        ...Object.fromEntries(
          ['HTTP_PROXY', 'HTTPS_PROXY'].flatMap((name) => [name, name.toLowerCase()].map((one) => [one, ''])),
        ),
      },
    });
    await app.evaluate(
      ({ session }, rules) => session.defaultSession.setProxy({ proxyRules: rules }),
      new URL(proxy.address).host,
    );
    await send(page, 'Hello');
    await expect(await settled(page, 1)).toContainText('Through the proxy.');
    expect(new Set(proxy.hosts)).toEqual(new Set(['models.example:80']));
  } finally {
    await proxy.close();
  }
});
