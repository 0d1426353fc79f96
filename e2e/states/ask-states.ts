import { expect } from '@playwright/test';
import type { ScriptedFault, ScriptedReply } from '../../src/testing/scripted-reply';
import { settled, stopButton, turn } from '../fixtures/conversation';
import { composer, send } from '../fixtures/window';
import { hugeMessage, longCode, richReply, rightToLeft } from './sample-texts';
import { modelOf, type Scene, type Stage, type StateRow } from './state-row';

/** Asks, and waits until the reply has ended, whatever its outcome. */
async function exchange(stage: Stage, text: string, reply: ScriptedReply): Promise<void> {
  modelOf(stage).add(reply);
  await send(stage.page, text);
  await settled(stage.page, 1);
}

/** Asks, and waits until the reply has come as far as `words`. */
async function halfway(stage: Stage, text: string, pieces: readonly string[], words: string): Promise<void> {
  modelOf(stage).add({ text: [...pieces, 'This piece is never let go.'], gated: true });
  await send(stage.page, text);
  modelOf(stage).release(pieces.length);
  await expect(turn(stage.page, 1)).toContainText(words);
}

async function stop({ page }: Stage): Promise<void> {
  await stopButton(page).click();
  await settled(page, 1);
}

/** Inserts a long text at once, like a paste: the driver's own typing takes minutes. */
async function paste({ app, page }: Stage, text: string): Promise<void> {
  await app.evaluate(({ clipboard }, words) => clipboard.writeText(words), text);
  await composer(page).press('Control+v');
  await expect(composer(page)).not.toHaveValue('');
}

const failing = (name: string, text: string, fault: ScriptedFault, more: object = {}): StateRow => ({
  name,
  reach: (stage) => exchange(stage, text, { fault, ...more }),
});

const status = (code: number, message: string, headers = {}): ScriptedFault => ({
  type: 'status',
  status: code,
  message,
  headers,
});

const thoughts = [
  'Two locks, one order. ',
  'The folder is taken first, then the file, ',
  'and the journal last, ',
  'or two writers wait for each other.',
];

const rows: readonly StateRow[] = [
  {
    name: 'empty-session',
    reach: ({ page }) => expect(page.getByRole('list', { name: 'Things to try' })).toBeVisible(),
  },
  {
    name: 'waiting',
    reach: async (stage) => {
      modelOf(stage).add({ text: ['Never sent.'], gated: true });
      await send(stage.page, 'How does back pressure work in a Node stream?');
      await expect(turn(stage.page, 1)).toContainText('Waiting for');
    },
    leave: stop,
  },
  {
    name: 'streaming',
    reach: (stage) =>
      halfway(
        stage,
        'How does back pressure work in a Node stream?',
        richReply.split(/(?<=\n\n)/).slice(0, 3),
        'pipeline',
      ),
    leave: stop,
  },
  {
    name: 'reply',
    reach: (stage) => exchange(stage, 'How does back pressure work in a Node stream?', { text: richReply }),
  },
  {
    name: 'thinking',
    reach: async (stage) => {
      modelOf(stage).add({ thinking: thoughts, text: ['Never sent.'], gated: true });
      await send(stage.page, 'Which of the two locks comes first?');
      modelOf(stage).release(thoughts.length);
      await turn(stage.page, 1).getByText('Thinking').click();
      await expect(turn(stage.page, 1)).toContainText('the journal last');
    },
    leave: stop,
  },
  {
    name: 'thought-folded',
    reach: (stage) =>
      exchange(stage, 'Which of the two locks comes first?', {
        thinking: thoughts,
        text: 'The folder comes first: whoever holds it may rename the files in it.',
      }),
  },
  {
    name: 'twelve-chips',
    reach: async ({ page }) => {
      const files = Array.from({ length: 12 }, (_, at) => ({
        name: at === 3 ? `${'a-rather-long-name-'.repeat(5)}.md` : `part-${at + 1}.md`,
        mimeType: 'text/markdown',
        buffer: Buffer.from('A line of notes.\n'.repeat(40 * (at + 1))),
      }));
      await page.locator('input[data-attach]').setInputFiles(files);
      await expect(page.getByRole('button', { name: /^Remove / })).toHaveCount(12);
      await composer(page).fill('Which of these contradict each other?');
    },
    leave: async ({ page }) => {
      for (let left = 12; left > 0; left -= 1)
        await page
          .getByRole('button', { name: /^Remove / })
          .first()
          .click();
      await composer(page).fill('');
    },
  },
  {
    name: 'lines-waiting',
    reach: async (stage) => {
      const { page } = stage;
      await halfway(stage, 'Explain the journal', ['A journal is ', 'a list of changes.'], 'changes');
      for (const line of [
        'And its size?',
        'Who deletes it?',
        'Show me the code',
        `Also ${'this long one '.repeat(20)}`,
      ])
        await send(page, line);
      await expect(page.getByText('4 messages wait')).toBeVisible();
    },
    leave: async (stage) => {
      await stop(stage);
      const withdraw = stage.page.getByRole('button', { name: 'Withdraw the message' });
      for (let left = 4; left > 0; left -= 1) await withdraw.first().click();
    },
  },
  {
    name: 'lines-waiting-with-files',
    reach: async (stage) => {
      const { page } = stage;
      await halfway(stage, 'Explain the journal', ['A journal is ', 'a list of changes.'], 'changes');
      const files = ['journal.md', 'a-name-that-is-much-longer-than-the-place-for-it.md'].map((name) => ({
        name,
        mimeType: 'text/markdown',
        buffer: Buffer.from('# Journal'),
      }));
      await page.locator('input[data-attach]').setInputFiles(files);
      await expect(page.getByRole('button', { name: /^Remove / })).toHaveCount(2);
      await send(page, 'Compare these with what you said, and name what is missing in each of them');
      await send(page, 'And its size?');
      await expect(page.getByText('2 messages wait')).toBeVisible();
    },
  },
  {
    name: 'line-under-edit',
    asOpened: true,
    reach: async ({ page }) => {
      await page.getByRole('button', { name: 'Edit the message: Compare these' }).click();
      await page
        .getByRole('textbox', { name: 'The waiting message' })
        .fill('Compare both with what you said');
      await expect(page.getByText('2 messages wait until you end the edit')).toBeVisible();
    },
    leave: async (stage) => {
      await stage.page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await stop(stage);
      const withdraw = stage.page.getByRole('button', { name: 'Withdraw the message' });
      for (let left = 2; left > 0; left -= 1) await withdraw.first().click();
    },
  },
  {
    name: 'edit-left-unsent',
    reach: async (stage) => {
      await exchange(stage, 'How does back pressure work?', { text: 'A writer that is full says so.' });
      const { page } = stage;
      await turn(page, 1).getByRole('button', { name: 'Edit', exact: true }).click();
      await turn(page, 1).getByRole('textbox').fill('How does back pressure work in a Node stream?');
      await page.keyboard.press('Control+n');
      await page.getByRole('navigation', { name: 'Sessions' }).locator('[data-session]').first().click();
      await expect(turn(page, 1).getByText('Your edit of this message was not sent.')).toBeVisible();
    },
  },
  {
    name: 'siblings',
    reach: async (stage) => {
      await exchange(stage, 'How does back pressure work in a Node stream?', { text: richReply });
      const { page } = stage;
      modelOf(stage).add({
        text: 'A writer that is full says so: `write` returns false, and `drain` follows.',
      });
      await turn(page, 1).getByRole('button', { name: 'Retry', exact: true }).click();
      await expect(turn(page, 1)).toContainText('2/2');
      await settled(page, 1);
    },
  },
  {
    name: 'edited-in-place',
    reach: async (stage) => {
      await exchange(stage, 'How does back pressure work in a Node stream?', { text: richReply });
      await turn(stage.page, 1).getByRole('button', { name: 'Edit' }).click();
      await turn(stage.page, 1).getByRole('textbox').fill('How does back pressure work in a web stream?');
    },
    leave: ({ page }) => turn(page, 1).getByRole('textbox').press('Escape'),
  },
  {
    name: 'long-code',
    reach: (stage) => exchange(stage, 'Show me the whole replay function', { text: longCode(60) }),
  },
  {
    name: 'stopped',
    reach: async (stage) => {
      await halfway(
        stage,
        'Tell me everything about streams',
        ['A stream is a thing ', 'that flows.'],
        'flows',
      );
      await stop(stage);
    },
  },
  failing('wrong-key', 'Is anybody there?', status(401, 'Incorrect API key provided.')),
  {
    name: 'rate-limited',
    reach: async (stage) => {
      modelOf(stage).add({ fault: status(429, 'Too many requests today.', { 'retry-after': '300' }) });
      await send(stage.page, 'And now?');
      await expect(turn(stage.page, 1)).toContainText('Tries again in');
    },
    leave: async ({ page }) => {
      await turn(page, 1).getByRole('button', { name: 'Stop', exact: true }).click();
      await settled(page, 1);
    },
  },
  failing(
    'half-a-reply',
    'Explain drain',
    { type: 'drop', after: 2 },
    {
      text: ['The `drain` event tells ', 'the writer that ', 'never sent'],
    },
  ),
  {
    name: 'draft-of-many-lines',
    reach: async ({ page }) => {
      await composer(page).fill(
        Array.from({ length: 30 }, (_, at) => `line ${at + 1} of a draft`).join('\n'),
      );
    },
    leave: ({ page }) => composer(page).fill(''),
  },
  {
    name: 'long-paste',
    reach: (stage) => paste(stage, hugeMessage),
    leave: ({ page }) => composer(page).fill(''),
  },
  {
    name: 'message-of-200-kb',
    reach: async (stage) => {
      modelOf(stage).add({ text: 'That is 2,600 lines about a fox.' });
      await paste(stage, hugeMessage);
      await composer(stage.page).press('Enter');
      await settled(stage.page, 1);
    },
  },
  {
    name: 'right-to-left',
    reach: (stage) => exchange(stage, rightToLeft.question, { text: rightToLeft.reply }),
  },
  {
    name: 'zoom-200',
    reach: async (stage) => {
      await exchange(stage, 'How does back pressure work in a Node stream?', { text: richReply });
      await zoom(stage, 2);
    },
    leave: (stage) => zoom(stage, 1),
  },
  {
    // The last one: the model is gone permanently.
    name: 'provider-down',
    reach: async (stage) => {
      await modelOf(stage).close();
      await send(stage.page, 'Is anybody there?');
      await settled(stage.page, 1);
    },
  },
];

async function zoom({ app, page }: Stage, factor: number): Promise<void> {
  const ratio = () => page.evaluate(() => window.devicePixelRatio);
  await app.evaluate(({ BrowserWindow }, by) => {
    BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(by);
  }, factor);
  await expect.poll(ratio).toBe(factor);
}

/** Ask with a model that says what each state needs. */
export const askScene: Scene = {
  name: 'ask',
  async open({ startModel, launchOn }) {
    const model = await startModel({
      replies: [],
      models: ['scripted', 'scripted-small'],
      contextTokens: 16_000,
    });
    return { ...(await launchOn(model)), model };
  },
  rows,
};
